// Elements made from data. Text is only ever set as text, never parsed as HTML.
const content = JSON.parse(document.getElementById("data").textContent);
document.documentElement.classList.add("script");

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function visible(value) {
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  const spelled = String(value).replace(
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
  return spelled || "(empty)";
}

const shown = (value, kind) => make("bdi", { class: kind }, visible(value));
const percent = (value, digits = 1) => (100 * value).toFixed(digits) + "%";
const counted = (n, what) => n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s");

const SIGNS = { ">=": "≥", "<=": "≤", "!=": "≠", "=": "=", "<": "<", ">": ">" };
const FLIPPED = { ">=": "≤", ">": "<" };

// A conjunction; the two ends of a range are one comparison.
function conditionNodes(conditions) {
  const parts = document.createDocumentFragment();
  if (!conditions.length) parts.append("always");
  for (let i = 0; i < conditions.length; i++) {
    const [column, operator, value] = conditions[i];
    const next = conditions[i + 1];
    if (i) parts.append(" and ");
    const part = make("span", { class: "condition" });
    if (operator in FLIPPED && next && next[0] === column && (next[1] === "<" || next[1] === "<=")) {
      part.append(shown(value), ` ${FLIPPED[operator]} `, shown(column, "column"), ` ${SIGNS[next[1]]} `, shown(next[2]));
      i++;
    } else if (operator in SIGNS) {
      part.append(shown(column, "column"), ` ${SIGNS[operator]} `, shown(value));
    } else {
      part.append(shown(column, "column"), ` is ${operator}`);
    }
    parts.append(part);
  }
  return parts;
}

// Wilson's 95% interval of a share.
function wilson(right, n) {
  const z = 1.959963984540054, share = right / n, spread = (z * z) / n;
  const centre = (share + spread / 2) / (1 + spread);
  const half = Math.sqrt(share * (1 - share) * spread + (spread * spread) / 4) / (1 + spread);
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

function bar(value, low, high) {
  const interval = make("span", { class: "interval" }), fill = make("span", { class: "fill" });
  fill.style.width = percent(value);
  interval.style.left = percent(low);
  interval.style.width = percent(Math.max(high - low, 0.005));
  return make("span", { class: "bar", "aria-hidden": "true" }, fill, interval);
}

function cell(tag, child, attributes = {}) {
  return make(tag, attributes, child);
}

// What if: a row whose values can be changed, the answer, and the smallest change that would flip it.
const form = document.getElementById("what-if-form");
const MOST_TRIED = 20000, FIRST_FIELDS = 24;
let current = {};

const predictRow = (row) => (model ? predictByLinear(row) : predictByRules(row));

// The columns that can matter, in their order.
function usedColumns() {
  if (model) return content.columns;
  const used = new Set(ruleSet.rules.flatMap((rule) => rule.if.map(([column]) => column)));
  return content.columns.filter(({ name }) => used.has(name));
}

function typicalRow() {
  const row = {};
  if (!content.sparse) for (const { name, typical } of content.columns) if (typical !== null) row[name] = typical;
  return row;
}

function setValue(name, value) {
  if (value === null || (content.sparse && value === 0)) delete current[name];
  else current[name] = value;
  answer();
}

function numberField(column, id) {
  const { name, low, high } = column;
  const input = make("input", { id, type: "number", step: "any", value: current[name] ?? "", title: `from ${low} to ${high} in the data` });
  input.addEventListener("input", () => setValue(name, input.value === "" ? null : Number(input.value)));
  return input;
}

function choiceField(column, id) {
  const { name, values } = column, all = [...values];
  if (Object.hasOwn(current, name) && !all.includes(current[name])) all.push(current[name]);
  const options = all.map((value, i) => make("option", { value: i, selected: value === current[name] }, visible(value)));
  options.push(make("option", { value: "", selected: !Object.hasOwn(current, name) }, "missing"));
  const select = make("select", { id, dir: "auto" }, ...options);
  select.addEventListener("change", () => setValue(name, select.value === "" ? null : all[Number(select.value)]));
  return select;
}

function denseFields() {
  const used = usedColumns(), rest = content.columns.filter((column) => !used.includes(column));
  const field = (column, i) => {
    const id = `value-${column.place}`;
    return make("p", { class: "field" }, make("label", { for: id }, shown(column.name)), column.number ? numberField(column, id) : choiceField(column, id));
  };
  const many = [...used.slice(FIRST_FIELDS), ...(model ? [] : rest)];
  const first = make("div", { class: "fields" }, ...used.slice(0, FIRST_FIELDS).map(field));
  if (!many.length) return [first];
  const words = model ? "More columns" : "Columns that no rule asks for";
  return [first, make("details", {}, make("summary", {}, words), make("div", { class: "fields" }, ...many.map(field)))];
}

function sparseFields() {
  const chips = Object.entries(current).map(([name, value]) => {
    const drop = make("button", { type: "button", "aria-label": `Remove ${visible(name)}`, onclick: () => { setValue(name, null); renderForm(); } }, "×");
    return make("li", { class: "chip" }, shown(name), value === 1 ? null : ` = ${visible(value)}`, drop);
  });
  const list = make("datalist", { id: "known" }, ...content.columns.map(({ name }) => make("option", { value: name })));
  const input = make("input", { id: "add", list: "known", dir: "auto" });
  const add = (event) => {
    event.preventDefault();
    const known = model ? placeOfName(input.value) >= 0 : content.columns.some(({ name }) => name === input.value);
    if (!known) return input.setCustomValidity("The model has no such attribute."), input.reportValidity();
    setValue(input.value, 1);
    renderForm();
    document.getElementById("add").focus();
  };
  input.addEventListener("input", () => input.setCustomValidity(""));
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") add(event); });
  const button = make("button", { type: "button", onclick: add }, "Add");
  return [make("ul", { class: "chips", "aria-label": "Attributes of the row" }, ...chips), make("p", { class: "field" }, make("label", { for: "add" }, "Add an attribute"), input, button), list];
}

let startedFrom = "";

function renderForm() {
  const options = [make("option", { value: "" }, content.sparse ? "an empty row" : "a typical row")];
  content.rows.forEach(({ row, truth }, place) => {
    const label = truth >= 0 ? visible(content.classes[truth]) : "another label";
    options.push(make("option", { value: place, selected: String(place) === startedFrom }, `row ${row} (${label})`));
  });
  const picker = make("select", { id: "start", dir: "auto" }, ...options);
  picker.addEventListener("change", () => startFrom(picker.value));
  const start = make("p", { class: "field" }, make("label", { for: "start" }, "Start from"), picker);
  form.replaceChildren(start, ...(content.sparse ? sparseFields() : denseFields()));
}

function startFrom(place) {
  startedFrom = place;
  current = place === "" ? typicalRow() : { ...content.rows[Number(place)].values };
  renderForm();
  answer();
}

function tryRow(place) {
  startFrom(String(place));
  document.getElementById("what-if").scrollIntoView();
  document.getElementById("start").focus({ preventScroll: true });
}

// Other values of a column, the nearest first, each with the size of the change.
function changesOf(column, row) {
  const { name, number, sparse, spread, values, missing } = column, now = Object.hasOwn(row, name) ? row[name] : null;
  if (sparse) return [{ name, value: now ? null : 1, size: 1 }];
  const found = values.filter((value) => value !== now).map((value) => ({ name, value, size: number && now !== null ? Math.abs(value - now) / spread : 1 }));
  if (missing && now !== null) found.push({ name, value: null, size: 1.5 });
  return found.sort((a, b) => a.size - b.size);
}

const changed = (row, changes) => {
  const other = { ...row };
  for (const { name, value } of changes) if (value === null) delete other[name]; else other[name] = value;
  return other;
};

// The smallest changes of one column that flip the label; if there are none, of two.
function flips(row, label) {
  let columns = usedColumns();
  if (content.sparse) {
    const present = Object.keys(row).map((name) => ({ name, sparse: true }));
    columns = [...present, ...columns.filter(({ name }) => !Object.hasOwn(row, name)).slice(0, 300)];
  }
  const all = columns.map((column) => changesOf(column, row)), found = [];
  let tried = 0;
  for (const changes of all) {
    const flip = changes.find((change) => { tried++; return predictRow(changed(row, [change])).label !== label; });
    if (flip) found.push([flip]);
  }
  for (let i = 0; i < all.length && !found.length; i++)
    for (let j = i + 1; j < all.length && tried < MOST_TRIED; j++)
      for (const one of all[i]) {
        const two = all[j].find((other) => { tried++; return predictRow(changed(row, [one, other])).label !== label; });
        if (two) found.push([one, two]);
      }
  const size = (changes) => changes.reduce((sum, change) => sum + change.size, 0);
  return found.sort((a, b) => size(a) - size(b)).slice(0, 3);
}

function flipNodes(changes, row) {
  const nodes = changes.flatMap(({ name, value }, i) => [i ? " and " : "", shown(name, "column"), " = ", value === null ? (content.sparse ? "0" : "missing") : shown(value)]);
  return make("li", {}, shown(content.classes[predictRow(changed(row, changes)).label], "label"), " if ", ...nodes);
}

function answer() {
  if (!form) return;
  const said = document.getElementById("what-if-said"), found = predictRow(current);
  const probability = found.probability === null || found.probability === undefined ? null : make("span", { class: "probability" }, ` with probability ${percent(found.probability)}`);
  const parts = [make("p", { class: "answer" }, "Predicted ", shown(content.classes[found.label], "label"), probability)];
  if (model) {
    const decisions = found.decisions.map((d) => d.toPrecision(4)).join(", ");
    parts.push(make("p", { class: "quiet" }, `Decision: ${decisions}`));
  } else {
    const items = found.holding.map((rule) => make("li", { class: rule === found.deciding ? "deciding" : null }, "If ", conditionNodes(ruleSet.rules[rule].if), " then ", shown(content.classes[ruleSet.rules[rule].then], "label"), rule === found.deciding ? " (decides)" : ""));
    parts.push(make("h3", {}, "Rules that hold"), items.length ? make("ul", { class: "holding" }, ...items) : make("p", {}, "None: the default applies."));
  }
  const turns = flips(current, found.label);
  parts.push(make("h3", {}, "Smallest change that flips it"));
  parts.push(turns.length ? make("ul", { class: "flips" }, ...turns.map((changes) => flipNodes(changes, current))) : make("p", {}, "No change of one or two columns that was tried does."));
  said.replaceChildren(...parts);
}

if (form) {
  form.addEventListener("submit", (event) => event.preventDefault());
  startFrom(content.rows.length ? "0" : "");
  for (const button of document.querySelectorAll("[data-try]")) button.addEventListener("click", () => tryRow(Number(button.dataset.try)));
}
if (!form) for (const button of document.querySelectorAll("[data-try]")) button.remove();
if (ruleSet) renderRules();

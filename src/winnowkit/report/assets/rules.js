// Rule sets: which rules hold on a row, what they decide, and how often that is right.
const ruleSet = content.rules;
const chosen = { point: ruleSet ? ruleSet.best : 0, off: new Set() };

const isMissing = (value) => value === null || value === undefined || value === "?" || value !== value;

function asNumber(value) {
  if (isMissing(value)) return NaN;
  if (typeof value === "string" && !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return NaN;
  return Number(value);
}

// A boolean and its text are one value, because tools read the same file differently.
const spellings = { true: ["True", "true", "TRUE"], false: ["False", "false", "FALSE"] };
const asBoolean = (value) => (spellings.true.includes(value) ? true : spellings.false.includes(value) ? false : value);

function equals(value, wanted) {
  [value, wanted] = [asBoolean(value), asBoolean(wanted)];
  if (typeof wanted === "string") return value === wanted;
  return (typeof value === "number" || typeof value === "boolean") && Number(value) === Number(wanted);
}

function holds([column, operator, wanted], row) {
  const value = Object.hasOwn(row, column) ? row[column] : content.sparse ? 0 : null;
  switch (operator) {
    case "missing": return isMissing(value);
    case "present": return !isMissing(value);
    case "=": return !isMissing(value) && equals(value, wanted);
    case "!=": return !isMissing(value) && !equals(value, wanted);
    case ">=": return asNumber(value) >= wanted;
    case "<=": return asNumber(value) <= wanted;
    case ">": return asNumber(value) > wanted;
    default: return asNumber(value) < wanted;
  }
}

// Positions of the rules that are on, in their order.
const activeRules = (point = chosen.point) => ruleSet.points[point].rules.filter((rule) => !chosen.off.has(rule));
const holdingRules = (row, active) => active.filter((rule) => ruleSet.rules[rule].if.every((test) => holds(test, row)));

// How many of the counted rows each rule decides and gets right; the last one is the default.
function tally(active, fallback) {
  const places = new Map(active.map((rule, place) => [rule, place]));
  const decided = new Array(active.length + 1).fill(0), right = new Array(active.length + 1).fill(0);
  for (const [holding, counts] of ruleSet.combinations) {
    let first = active.length;
    for (const rule of holding) if (places.has(rule)) first = Math.min(first, places.get(rule));
    const label = first === active.length ? fallback : ruleSet.rules[active[first]].then;
    decided[first] += counts.reduce((sum, n) => sum + n, 0);
    right[first] += counts[label];
  }
  return { decided, right };
}

// The label of a row by the rules that are on, its probability (Laplace's estimate), and the rules that hold.
function predictByRules(row) {
  const point = ruleSet.points[chosen.point], active = activeRules();
  const holding = holdingRules(row, active);
  const label = holding.length ? ruleSet.rules[holding[0]].then : point.else;
  const { decided, right } = tally(active, point.else);
  const place = holding.length ? active.indexOf(holding[0]) : active.length;
  const labels = new Set([...active.map((rule) => ruleSet.rules[rule].then), point.else]);
  const probability = labels.size === 1 ? 1 : (right[place] + 1) / (decided[place] + labels.size);
  const found = { label, probability, holding, deciding: holding.length ? holding[0] : null };
  if (!chosen.off.size && exported.length) found.label = codeOf(exported[chosen.point](asRow(row)));
  return found;
}

// The exported functions take absent columns for missing values; an absent attribute of a sparse row is 0.
function asRow(row) {
  if (!content.sparse) return row;
  const full = Object.create(null);
  for (const rule of ruleSet.rules) for (const [column] of rule.if) full[column] = Object.hasOwn(row, column) ? row[column] : 0;
  return full;
}

const codeOf = (label) => content.classes.findIndex((known) => known === label);

// The rules that are on, as text that RuleSet.from_text reads.
function rulesAsText() {
  const point = ruleSet.points[chosen.point], active = activeRules();
  const { decided, right } = tally(active, point.else);
  const lines = active.map((rule, place) => {
    const { text, support, right: precise } = ruleSet.rules[rule];
    const precision = support ? `, precision ${precise / support}` : "";
    return `${text} (support ${support}${precision}, decided ${decided[place]}, right ${right[place]})\n`;
  });
  const last = active.length;
  return `${ruleSet.head}${lines.join("")}else ${ruleSet.labels[point.else]} (decided ${decided[last]}, right ${right[last]})\n`;
}

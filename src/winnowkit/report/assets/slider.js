// The rules on the slider, with switches, examples and a download.
function ruleRow(rule, place, counts) {
  const { if: conditions, then, support, right, examples } = ruleSet.rules[rule];
  const on = !chosen.off.has(rule), id = `rule-${rule}`;
  const box = make("input", { type: "checkbox", id, checked: on, onchange: () => toggle(rule) });
  const label = make("label", { for: id }, "If ", conditionNodes(conditions));
  const words = make("div", { class: "rule" }, box, make("div", {}, label, examples.length ? exampleList(examples) : null));
  const decides = on ? `${counts.decided[place].toLocaleString("en")}` : "off";
  const [low, high] = support ? wilson(right, support) : [0, 0];
  const precise = support ? `${percent(right / support)} (${percent(low)} to ${percent(high)})` : "";
  return make(
    "tr", { class: on ? null : "off" },
    make("th", { scope: "row" }, words),
    make("td", { "data-label": "Then" }, shown(content.classes[then], "label")),
    make("td", { class: "number", "data-label": "Rows" }, support.toLocaleString("en")),
    make("td", { class: "number", "data-label": "Decides" }, decides),
    make("td", { class: "number", "data-label": "Right" }, precise),
    make("td", {}, support ? bar(right / support, low, high) : null),
  );
}

function exampleList(examples) {
  const details = make("details", { class: "examples" }, make("summary", {}, counted(examples.length, "example")));
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    details.append(make("ul", {}, ...examples.map((place) => {
      const { row, values, truth } = content.rows[place];
      const some = Object.entries(values).slice(0, 30).flatMap(([name, value]) => [shown(name, "column"), " ", shown(value), "; "]);
      const label = truth >= 0 ? content.classes[truth] : "another label";
      const go = make("button", { type: "button", onclick: () => tryRow(place) }, "What if");
      return make("li", {}, `Row ${row}, `, shown(label, "label"), ": ", ...some, go);
    })));
  });
  return details;
}

function renderRules() {
  const point = ruleSet.points[chosen.point], active = activeRules();
  const counts = tally(active, point.else), places = new Map(active.map((rule, place) => [rule, place]));
  const heads = ["Rule", "Then", "Rows", "Decides", "Right (95% interval)", ""];
  const head = make("tr", {}, ...heads.map((name, i) => make("th", { scope: "col", class: i > 1 && i < 5 ? "number" : null }, name)));
  const last = active.length;
  const rows = point.rules.map((rule) => ruleRow(rule, places.get(rule), counts));
  const n = counts.decided[last];
  const [low, high] = n ? wilson(counts.right[last], n) : [0, 0];
  rows.push(make(
    "tr", {},
    make("th", { scope: "row" }, "Otherwise"),
    make("td", { "data-label": "Then" }, shown(content.classes[point.else], "label")),
    make("td", {}), make("td", { class: "number", "data-label": "Decides" }, n.toLocaleString("en")),
    make("td", { class: "number", "data-label": "Right" }, n ? `${percent(counts.right[last] / n)} (${percent(low)} to ${percent(high)})` : ""),
    make("td", {}, n ? bar(counts.right[last] / n, low, high) : null),
  ));
  const caption = make("caption", {}, "The rules, in order");
  const table = make("table", { class: "rules stack" }, caption, make("thead", {}, head), make("tbody", {}, ...rows));
  document.getElementById("rules-shown").replaceChildren(
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The rules, in order" }, table),
  );
  const total = counts.decided.reduce((sum, k) => sum + k, 0), right = counts.right.reduce((sum, k) => sum + k, 0);
  const [wrongLow, wrongHigh] = wilson(total - right, total);
  const edited = chosen.off.size ? `, ${point.rules.length - active.length} off` : "";
  document.getElementById("rules-status").textContent =
    `${counted(active.length, "rule")} on${edited}: wrong on ${percent(1 - right / total)} ` +
    `(${percent(wrongLow)} to ${percent(wrongHigh)}) of ${total.toLocaleString("en")} rows.`;
  const said = point.accuracy === null ? "" : `, ${percent(point.accuracy)} right on other rows`;
  const name = `${counted(point.rules.length, "rule")}, complexity ${point.complexity}${said}`;
  document.getElementById("slider-said").textContent = name;
  document.getElementById("slider").setAttribute("aria-valuetext", name);
  for (const mark of document.querySelectorAll("#trade-off [data-point]"))
    mark.classList.toggle("here", Number(mark.dataset.point) === chosen.point);
}

function toggle(rule) {
  if (!chosen.off.delete(rule)) chosen.off.add(rule);
  renderRules();
  document.getElementById(`rule-${rule}`).focus();
  answer();
}

function goTo(point) {
  chosen.point = point;
  chosen.off.clear();
  document.getElementById("slider").value = point;
  renderRules();
  answer();
}

function download() {
  const link = make("a", { href: URL.createObjectURL(new Blob([rulesAsText()], { type: "text/plain" })), download: "rules.txt" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

if (ruleSet) {
  document.getElementById("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
  document.getElementById("rules-reset").addEventListener("click", () => goTo(chosen.point));
  document.getElementById("rules-download").addEventListener("click", download);
  for (const mark of document.querySelectorAll("#trade-off [data-point]"))
    mark.addEventListener("click", () => goTo(Number(mark.dataset.point)));
}

// Tables that sort by any column at a click on its heading, and that show their first rows until asked for more.
function sortValue(cell) {
  const text = cell.textContent.trim(), number = Number(text.replace(/[,%+]/g, "").split(" ")[0]);
  return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
}

function sortBy(table, column, header) {
  const down = header.getAttribute("aria-sort") === "ascending", body = table.tBodies[0];
  for (const other of table.tHead.rows[0].cells) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...body.rows].map((row) => [sortValue(row.cells[column]), row]);
  rows.sort(([a], [b]) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1) * (down ? -1 : 1));
  body.append(...rows.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    if (!header.textContent) return;
    const button = make("button", { type: "button", class: "sort" }, ...header.childNodes);
    header.replaceChildren(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sortBy(table, column, header));
  });
  const first = Number(table.dataset.first || 0);
  if (first && table.tBodies[0].rows.length > first) {
    table.classList.add("short");
    const more = make("button", { type: "button" }, `Show all ${table.tBodies[0].rows.length}`);
    more.addEventListener("click", () => { table.classList.remove("short"); more.remove(); });
    table.parentElement.after(more);
  }
}

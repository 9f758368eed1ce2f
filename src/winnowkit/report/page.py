"""The page: its parts in order, the data for its script, and a policy under which nothing else can run or load."""

from __future__ import annotations

from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.report.content import Content
from winnowkit.report.embed import asset, hashed, json_for_html
from winnowkit.report.markup import data, element, joined
from winnowkit.report.rules_data import javascript_of, rules_json
from winnowkit.report.rules_section import rules_section, what_if_section, wrong_section
from winnowkit.report.sections import made, matters, opening, over_time, performance
from winnowkit.report.table import SparseTable, as_json
from winnowkit.rulesets.words import brief

SCRIPTS = ("dom.js", "rules.js", "linear.js", "slider.js", "what_if.js", "sort.js")
CONTENTS = (
    ("rules", "Learned"),
    ("performance", "How well"),
    ("matters", "What matters"),
    ("wrong", "Where wrong"),
    ("what-if", "What if"),
    ("stream", "Over time"),
    ("use", "Not for"),
    ("made", "Made"),
)


def page(content: Content) -> str:
    """Return the whole page."""
    kept = None
    linear = content.subject.linear()
    if linear is None and isinstance(content.held.data.table, SparseTable):
        kept = choosable(content)
        linear = content.subject.linear(kept)
    parts = [
        rules_section(content),
        performance(content),
        matters(content),
        wrong_section(content),
        what_if_section(content, linear, limited=kept is not None),
        over_time(content),
        made(content),
    ]
    present = "".join(parts)
    links = [element("a", name, href=f"#{id_}") for id_, name in CONTENTS if f'<section id="{id_}"' in present]
    exported = "[]" if content.rules is None else javascript_of(content.rules)
    script = "\n".join(['"use strict";', f"const exported = {exported};", *map(asset, SCRIPTS)])
    return Template(asset("page.html")).substitute(
        title=element("title", content.title)[len("<title>") : -len("</title>")],
        policy=f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {hashed(script)}",
        style=asset("page.css"),
        heading=data(content.title),
        contents=joined(links),
        opening=opening(content),
        parts=present,
        data=json_for_html(_data(content, linear, kept)),
        script=script,
    )


def _names(names: list[str]) -> list[str] | None:
    """Return the names of all columns, None if these are x0, x1, ..."""
    return None if len(brief(names)) == 1 < len(names) else names


def choosable(content: Content) -> NDArray[np.int64]:
    """Return the attributes that a sparse row in the page can have: the important ones, and those of the rows shown."""
    place = {name: j for j, name in enumerate(content.held.data.table.names)}
    rows = [] if content.shown is None else content.shown.rows
    found = {column["place"] for column in content.columns} | {place[name] for row in rows for name in row.values}
    return np.array(sorted(found), dtype=np.int64)


def _data(content: Content, linear: dict[str, Any] | None, kept: NDArray[np.int64] | None) -> dict[str, Any]:
    """Return what the script needs to know."""
    shown, all_names = content.shown, content.held.data.table.names
    names = _names(all_names) if kept is None else [all_names[j] for j in kept.tolist()]
    n_rules = 0 if content.rules is None else len(content.rules.rules)
    examples = [[] for _ in range(n_rules)] if shown is None else shown.examples
    rows = [
        {"row": row.number, "values": row.values, "truth": row.truth, "predicted": row.predicted}
        for row in (shown.rows if shown is not None else [])
    ]
    return {
        "classes": [as_json(label) for label in content.classes],
        "target": content.target,
        "kind": content.subject.kind,
        "sparse": isinstance(content.held.data.table, SparseTable),
        "n": len(content.held.data.table.names),
        "columns": content.columns,
        "names": None if linear is None else names,
        "rules": None if content.rules is None else rules_json(content.rules, examples, content.classes),
        "linear": linear,
        "rows": rows,
    }

"""The report: one page that needs nothing else, for a desk, a phone and paper."""

from __future__ import annotations

import platform
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import NamedTuple

from winnowkit.experiments.frame.experiment import Experiment, Scale, Summary, Table
from winnowkit.experiments.frame.verdict import Verdict

PACKAGES = ("winnowkit", "numpy", "scipy", "numba", "scikit-learn", "matplotlib")
MARKS = {"shows": "shows", "undecided": "undecided", "differs": "differs"}


class Part(NamedTuple):
    """An experiment in the report."""

    experiment: Experiment
    summary: Summary
    plots: Sequence[bytes]
    n_cells: int


def versions() -> dict[str, str]:
    """What made the numbers."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a source tree on the path, or no plots
            continue
    return found


def page(parts: Sequence[Part], scale: Scale, seed: int) -> str:
    """The whole report as HTML."""
    style = files("winnowkit.experiments.frame").joinpath("report.css").read_text()
    verdicts = [verdict for part in parts for verdict in part.summary.verdicts]
    made_by = ", ".join(f"{name} {number}" for name, number in versions().items())
    body = [
        "<header><h1>The papers&rsquo; tables and figures, again</h1>",
        f"<p>Scale <b>{scale}</b>, seed <b>{seed}</b>, {sum(part.n_cells for part in parts):,} cells; every number "
        f"below comes from <code>winnowkit reproduce --scale {scale} --seed {seed}</code>.</p>",
        f"<p class=versions>{escape(made_by)}</p>",
        f"<p>Of {len(verdicts)} claims: {_counts(verdicts)}. <i>Undecided</i>: too few runs at this scale to tell.</p>",
        "</header>",
        "<nav><ol>",
        *(
            f'<li><a href="#{part.experiment.name}">{escape(part.experiment.title)}</a> '
            f"<span class=counts>{_counts(part.summary.verdicts)}</span></li>"
            for part in parts
        ),
        "</ol></nav>",
        "<main>",
        *(_section(part) for part in parts),
        "</main>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'  # or a browser asks for one
        f"<title>winnowkit: the papers&rsquo; tables and figures ({scale})</title>\n"
        f"<style>\n{style}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _section(part: Part) -> str:
    experiment, summary = part.experiment, part.summary
    lines = [
        f'<section id="{experiment.name}"><h2>{escape(experiment.title)}</h2>',
        *(f"<p>{text}</p>" for text in _paragraphs(experiment.about)),
        f"<p class=how><code>winnowkit reproduce {experiment.name}</code>, {part.n_cells:,} cells</p>",
        "<ul class=verdicts>",
        *map(_verdict, summary.verdicts),
        "</ul>",
    ]
    if part.plots:
        lines.append("<div class=plots>")
        for plot, data in zip(summary.plots, part.plots, strict=True):
            caption = escape(plot.caption)
            source = b64encode(data).decode()
            lines.append(
                f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{source}">'
                f"<figcaption>{caption}</figcaption></figure>"
            )
        lines.append("</div>")
    return "\n".join([*lines, *map(_table, summary.tables), "</section>"])


def _paragraphs(text: str) -> Iterable[str]:
    """Paragraphs of a docstring but the first, which is the title; roles of Sphinx as plain names."""
    plain = re.sub(r":\w+:`(?:\w+\.)*(\w+)`", r"\1", text.strip())
    return (escape(" ".join(paragraph.split())) for paragraph in plain.split("\n\n")[1:])


def _verdict(verdict: Verdict) -> str:
    why = f" <span class=why>Why: {escape(verdict.why)}.</span>" if verdict.why else ""
    return (
        f"<li><span class={verdict.found}>{MARKS[verdict.found]}</span> <b>{escape(_sentence(verdict.claim))}</b> "
        f"{escape(_sentence(verdict.figures))}{why}</li>"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    rows = "\n".join(
        f"<tr><th>{escape(row[0])}</th>" + "".join(f"<td>{escape(text)}</td>" for text in row[1:]) + "</tr>"
        for row in table.rows
    )
    return (
        f"<div class=table tabindex=0><table><caption>{escape(table.caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def _counts(verdicts: Sequence[Verdict]) -> str:
    found = [verdict.found for verdict in verdicts]
    return ", ".join(f"{found.count(name)} {text}" for name, text in MARKS.items() if name in found)

"""The files that an experiment writes: a tidy table as CSV, a summary as JSON, plots as SVG, and one HTML report."""

from __future__ import annotations

import csv
import io
import json
import platform
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from winnowkit.core.atomic_write import replacing
from winnowkit.experiments.frame.experiment import Experiment, Plot, ReportTable, Scale, Summary, Verdict

PACKAGES = ("winnowkit", "numpy", "scipy", "numba", "scikit-learn", "matplotlib")
MARKS = {"shows": "shows", "differs": "differs", "undecided": "undecided", "no power": "no-power"}
"""The class of each verdict in the style sheet."""

STYLE: Any = {
    "svg.fonttype": "path",  # the same glyphs on every machine
    "font.size": 9.0,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.fontsize": "small",
    "legend.framealpha": 0.8,
    "legend.columnspacing": 1.0,
}

MOST_INSIDE = 4
"""The most entries of a legend inside the axes; a longer legend goes below them."""


def check_matplotlib() -> None:
    """Raise ImportError now rather than after hours of running."""
    try:
        import matplotlib  # noqa: F401, PLC0415 - optional
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib: pip install 'winnowkit[plot]', or pass --no-plots (plots=False)"
        ) from error


def svg(plot: Plot) -> bytes:
    """Draw a panel as SVG; the same numbers give the same bytes."""
    from matplotlib import rc_context  # noqa: PLC0415 - optional
    from matplotlib.figure import Figure  # noqa: PLC0415

    with rc_context({**STYLE, "svg.hashsalt": plot.caption}):
        figure = Figure(figsize=(4.8, 3.8), layout="constrained")
        axes = figure.subplots()
        plot.draw(axes)
        entries = axes.get_legend_handles_labels()
        if len(entries[1]) > MOST_INSIDE:
            figure.legend(*entries, loc="outside lower center", ncols=3)
        elif entries[1]:
            axes.legend()
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def write(folder: Path, experiment: Experiment, summary: Summary, plots: list[bytes]) -> None:
    """Write ``table.csv``, ``summary.json`` and ``plot-1.svg``, ... into ``folder/<name>``."""
    place = folder / experiment.name
    place.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(name for record in summary.records for name in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(summary.records)
    whole = {
        "experiment": experiment.name,
        "title": experiment.title,
        "records": summary.records,
        "verdicts": [asdict(verdict) for verdict in summary.verdicts],
        "tables": [table._asdict() for table in summary.tables],
    }
    files = {"table.csv": text.getvalue().encode(), "summary.json": json.dumps(whole, indent=1).encode() + b"\n"}
    files |= {f"plot-{i}.svg": data for i, data in enumerate(plots, start=1)}
    for name, data in files.items():
        with replacing(place / name) as file:
            file.write(data)


class ReportedExperiment(NamedTuple):
    """An experiment as the report shows it."""

    experiment: Experiment
    summary: Summary
    plots: Sequence[bytes]
    n_cells: int


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that produced the numbers."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a source tree, or without plots
            continue
    return found


def page(parts: Sequence[ReportedExperiment], scale: Scale, seed: int) -> str:
    """Return the report as one self-contained HTML page, for screens, phones and paper."""
    style = files("winnowkit.experiments.frame").joinpath("report.css").read_text()
    verdicts = [verdict for part in parts for verdict in part.summary.verdicts]
    made_by = ", ".join(f"{name} {number}" for name, number in versions().items())
    body = [
        "<header><h1>The papers&rsquo; tables and figures, reproduced</h1>",
        f"<p>Scale <b>{scale}</b>, seed <b>{seed}</b>, {sum(part.n_cells for part in parts):,} cells; every number "
        f"below comes from <code>winnowkit reproduce --scale {scale} --seed {seed}</code>.</p>",
        f"<p class=versions>{escape(made_by)}</p>",
        f"<p>Of {len(verdicts)} claims: {_counts(verdicts)}. "
        "<i>No power</i>: these runs could not have told; <i>undecided</i>: they could, but did not.</p>",
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
        '<link rel="icon" href="data:,">\n'  # or browsers request one
        f"<title>winnowkit: the papers&rsquo; tables and figures ({scale})</title>\n"
        f"<style>\n{style}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _section(part: ReportedExperiment) -> str:
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
    """Return the paragraphs of a docstring after the first, which is the title, with Sphinx roles as plain names."""
    plain = re.sub(r":\w+:`(?:\w+\.)*(\w+)`", r"\1", text.strip())
    return (escape(" ".join(paragraph.split())) for paragraph in plain.split("\n\n")[1:])


def _verdict(verdict: Verdict) -> str:
    why = f" <span class=why>Why: {escape(verdict.why)}.</span>" if verdict.why else ""
    return (
        f"<li><span class={MARKS[verdict.found]}>{verdict.found}</span> <b>{escape(_sentence(verdict.claim))}</b> "
        f"{escape(_sentence(verdict.figures))} <span class=power>{escape(_sentence(verdict.power))}</span>{why}</li>"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _table(table: ReportTable) -> str:
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
    return ", ".join(f"{found.count(name)} {name}" for name in MARKS if name in found)

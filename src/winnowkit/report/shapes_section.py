"""The part of the page that shows how the score depends on each column."""

from __future__ import annotations

import itertools

from winnowkit.report.charts import Chart, bar, plain_axis
from winnowkit.report.markup import Html, counted, data, element, joined, table, visible
from winnowkit.report.shapes import ColumnShape, RowGroup

MOST_HEIGHT = 0.15
"""Height of the bars that count rows, as a part of the chart."""


def shapes_html(shapes: list[ColumnShape]) -> Html:
    """Return one picture per column: a line for numbers, a table for categories."""
    if not shapes:
        return Html("")
    means = (
        "What a column adds to the score by its value, on average over the rows that have it, and relative to the mean "
        "of all rows. Bands and ranges cover the middle 80% of these rows, which differ as other columns matter, too; "
        "grey bars count rows."
    )
    pictures = [_of_numbers(shape) if shape.is_number and shape.groups else _of_categories(shape) for shape in shapes]
    return joined(
        [
            element("h3", "How the score depends on each column"),
            element("p", means),
            element("div", *pictures, class_="figures shapes"),
        ]
    )


def _of_numbers(shape: ColumnShape) -> Html:
    groups = shape.groups
    edges = _edges(groups)
    low, high = min(0.0, *(g.least for g in groups)), max(0.0, *(g.most for g in groups))
    margin = 0.08 * (high - low) or 0.5
    bottom = low - margin - MOST_HEIGHT * (high - low + 2 * margin)
    first, last = groups[0], groups[-1]
    chart = Chart(
        plain_axis(visible(shape.name), edges[0], edges[-1]),
        plain_axis(f"adds to {visible(shape.label)}", bottom, high + margin),
        f"{visible(shape.name)}: adds {first.mean:+.2f} at {first.low:g}, {last.mean:+.2f} at {last.high:g}",
    )
    xs = [x for pair in itertools.pairwise(edges) for x in pair]
    twice = [g for g in groups for _ in range(2)]
    most = max(g.n_rows for g in groups)
    for left, right, group in zip(edges[:-1], edges[1:], groups, strict=True):
        chart.box(left, right, bottom, bottom + MOST_HEIGHT * (high - bottom) * group.n_rows / most, _tip(group))
    chart.line([edges[0], edges[-1]], [0.0, 0.0], "diagonal")
    chart.band(xs, [g.least for g in twice], [g.most for g in twice])
    chart.line(xs, [g.mean for g in twice])
    words = [data(shape.name, class_="column"), ", for ", data(shape.label, class_="label")]
    if edges[-1] < last.high or edges[0] > first.low:
        words.append(f"; values go from {first.low:,g} to {last.high:,g}")
    if shape.missing is not None:
        words.append(f"; missing in {counted(shape.missing.n_rows, 'row')}: {shape.missing.mean:+.2f}")
    return captioned(joined(words), chart.svg())


def captioned(caption: Html, picture: Html) -> Html:
    """Return a picture with words above it."""
    return element("figure", element("figcaption", caption), picture)


def _edges(groups: list[RowGroup]) -> list[float]:
    """Return where groups begin and end: half-way between neighbours.

    The first and the last one are drawn at most as wide as all inner ones, so that a far value does not squeeze them.
    """
    inner = [(a.high + b.low) / 2 for a, b in itertools.pairwise(groups)]
    low, high = float(groups[0].low), float(groups[-1].high)
    if len(inner) > 1:
        width = inner[-1] - inner[0]
        low, high = max(low, inner[0] - width), min(high, inner[-1] + width)
    return [low, *inner, high if high > low else low + 1.0]


def _of_categories(shape: ColumnShape) -> Html:
    groups = [*shape.groups, *([] if shape.missing is None else [shape.missing])]
    scale = max((abs(g.mean) for g in groups), default=1.0) or 1.0
    rows = [
        [
            data(g.low) if g is not shape.missing else "missing",
            f"{g.n_rows:,}",
            f"{g.mean:+.2f}",
            bar(abs(g.mean), scale=scale, class_="up" if g.mean >= 0 else "down"),
        ]
        for g in groups
    ]
    caption = f"What values of {visible(shape.name)} add to {visible(shape.label)}"
    made = table(caption, ["Value", "Rows", "Adds", ""], rows, (1, 2))
    return captioned(joined([data(shape.name, class_="column"), ", for ", data(shape.label, class_="label")]), made)


def _tip(group: RowGroup) -> str:
    where = f"{group.low:g}" if group.low == group.high else f"{group.low:g} to {group.high:g}"
    return f"{where}: {group.mean:+.2f}, {counted(group.n_rows, 'row')}"

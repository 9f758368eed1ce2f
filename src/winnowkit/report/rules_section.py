"""The parts of the page that the reader can work with: rules on a slider, wrong rows, and what if."""

from __future__ import annotations

from typing import Any

from winnowkit.report.charts import Chart, bar, number_axis, percent_axis
from winnowkit.report.content import Content
from winnowkit.report.markup import Html, conditions_html, counted, data, element, figure, joined, percent, table
from winnowkit.report.measures import share
from winnowkit.report.rows_data import ShownRow
from winnowkit.report.sections import section
from winnowkit.rulesets.intervals import Z95

STATIC_WRONG = 25
"""Wrong rows that are shown without being asked for."""


# --- rules ------------------------------------------------------------------------------------------------------------


def rules_section(content: Content) -> Html:
    """Return the rules, the trade-off curve and the slider; the page's script brings them to life."""
    rules = content.rules
    if rules is None:
        return Html("")
    errors = rules.errors()
    whole = content.subject.kind == "Rule set"
    what = (
        "Each rule set on the curve consists of the first rules of this one."
        if whole
        else "The model adds up many more conditions than one can read. These few rules stand for it: the first one "
        "that holds decides."
    )
    several = len(rules.points) > 1
    if several and not whole:
        what += " More rules are more accurate, up to a point; the slider goes from few to many."
    held = (
        "Switch rules off to see what they are worth: error and support follow at once. The result can be downloaded."
    )
    slider = element(
        "div",
        element("label", "From few rules to many", for_="slider"),
        Html(f'<input type="range" id="slider" min="0" max="{len(rules.points) - 1}" value="{rules.best}" step="1">'),
        element("output", "", id="slider-said", for_="slider"),
        class_="slider",
    )
    shown = element("div", _static_rules(content), id="rules-shown")
    status = element(
        "p", _status(content, errors[rules.best].value), id="rules-status", role="status", aria_live="polite"
    )
    buttons = element(
        "p",
        element("button", "Switch all on", type="button", id="rules-reset"),
        " ",
        element("button", "Download these rules", type="button", id="rules-download"),
        class_="buttons script-only",
    )
    controls = element(
        "div",
        element("div", slider, class_="script-only", hidden=None if several else ""),
        status,
        element("p", held, class_="quiet script-only"),
        buttons,
    )
    pictures = [figure(_trade_off(content), _trade_off_words(content))] if several else []
    curve = element("div", *pictures, controls, class_="trade")
    return section("rules", "What was learned", element("p", what), curve, shown)


def _status(content: Content, error: float) -> str:
    assert content.rules is not None
    n = len(content.rules.members[content.rules.best])
    where = f"{content.rules.n_rows:,} rows"
    return f"{counted(n, 'rule')} {'is' if n == 1 else 'are'} on: wrong on {percent(error)} of {where}."


def _static_rules(content: Content) -> Html:
    """Return the rules of the best point as a table; the script replaces it by one with switches."""
    rules = content.rules
    assert rules is not None
    rows = []
    for k in rules.members[rules.best]:
        measures = rules.rules[k]
        precision = measures.precision
        rows.append(
            [
                joined(["If ", conditions_html(measures.rule.conditions)]),
                data(content.classes[measures.label], class_="label"),
                f"{int(measures.held.sum()):,}",
                ""
                if precision is None
                else f"{percent(precision.value)} ({percent(precision.low)} to {percent(precision.high)})",
                "" if precision is None else bar(precision.value, precision.low, precision.high),
            ]
        )
    rows.append(["Otherwise", data(content.classes[rules.defaults[rules.best]], class_="label"), "", "", ""])
    return table(
        "The rules, in order", ["Rule", "Then", "Rows", "Right (95% interval)", ""], rows, (2, 3), class_="rules stack"
    )


def _trade_off(content: Content) -> Html:
    """Return the curve of accuracy against complexity."""
    rules = content.rules
    assert rules is not None
    cross = [p.accuracy for p in rules.points]
    errors = rules.errors()
    heights = [1 - e.value if a is None else a for a, e in zip(cross, errors, strict=True)]
    lows, highs = [], []
    for point, e in zip(rules.points, errors, strict=True):
        if point.accuracy is None:
            right = share(e.total - e.hits, e.total)
            lows.append(right.low)
            highs.append(right.high)
        else:
            half = Z95 * (point.standard_error or 0.0)
            lows.append(max(0.0, point.accuracy - half))
            highs.append(min(1.0, point.accuracy + half))
    xs = [float(p.complexity) for p in rules.points]
    low, high = min(lows), max(highs)
    margin = max(0.01, 0.08 * (high - low))
    chart = Chart(
        number_axis("rules and conditions", min(xs), max(*xs, min(xs) + 1)),
        percent_axis("accuracy", max(0.0, low - margin), min(1.0, high + margin)),
        f"Accuracy against complexity: from {percent(heights[0])} to {percent(heights[-1])}",
    )
    if len(xs) > 1:
        chart.band(xs, lows, highs)
        chart.line(xs, heights)
    full = 1 - content.error.value
    if content.subject.kind != "Rule set" and chart.y.low <= full <= chart.y.high:
        chart.line([min(xs), chart.x.high], [full, full], "bound")
        chart.note(chart.x.high, full, "whole model", "end")
    for i, (x, y) in enumerate(zip(xs, heights, strict=True)):
        n = counted(len(rules.members[i]), "rule")
        here = "point here" if i == rules.best else "point"
        chart.point(x, y, f"{n}: {percent(y)} right", here, data_point=i)
    return chart.svg(id="trade-off")


def _trade_off_words(content: Content) -> str:
    assert content.rules is not None
    if any(point.accuracy is not None for point in content.rules.points):
        return "Accuracy of ever larger rule sets on rows that they were not chosen by. The band is a 95% interval."
    where = "held-out rows" if content.held.honest and len(content.held.parts) == 1 else "rows given"
    return f"Accuracy of ever larger rule sets on the {where}. The band is a 95% interval (Wilson)."


# --- wrong rows -------------------------------------------------------------------------------------------------------


def wrong_section(content: Content) -> Html:
    """Return the rows on which the model is wrong, and why."""
    if content.shown is None:
        words = "This report contains no rows of the data, as its maker asked."
        return section("wrong", "Where it is wrong", element("p", words))
    wrong = [(i, row) for i, row in enumerate(content.shown.rows) if row.predicted != row.truth]
    total = content.error.hits
    if not wrong:
        return section("wrong", "Where it is wrong", element("p", "It is right on every row that was looked at."))
    sure = "with the most confident mistakes first" if content.held.probabilities is not None else "taken at random"
    words = (
        f"{len(wrong)} of {counted(total, 'wrong row')}, {sure}. What speaks for the prediction stands "
        "beside it. Click on a heading to sort; a button takes the row to What if."
    )
    header: list[Any] = ["Row", "Label", "Predicted"]
    header += ["Probability"] if content.held.probabilities is not None else []
    rows = [_wrong_row(content, i, row) for i, row in wrong]
    made = table(
        "Rows that are predicted wrongly",
        [*header, "Because", "Values", ""],
        rows,
        (0, 3) if len(header) == 4 else (0,),
        class_="wrong stack",
        data_sortable="",
        data_first=STATIC_WRONG,
    )
    return section("wrong", "Where it is wrong", element("p", words), made)


def _wrong_row(content: Content, place: int, row: ShownRow) -> list[Any]:
    cells: list[Any] = [
        f"{row.number}",
        data(content.classes[row.truth] if row.truth >= 0 else "unknown"),
        data(content.classes[row.predicted]),
    ]
    if content.held.probabilities is not None:
        cells.append("" if row.probability is None else percent(row.probability))
    reasons = [
        element("li", conditions_html(reason.conditions), "" if reason.amount is None else f" ({reason.amount:+.2f})")
        for reason in row.reasons
    ]
    cells.append(element("ul", *reasons, class_="reasons") if reasons else "no rule holds")
    items = [joined([data(name, class_="column"), " ", data(value)]) for name, value in list(row.values.items())[:60]]
    values = element("details", element("summary", counted(len(row.values), "value")), joined(items, "; "))
    button = element("button", "What if", type="button", data_try=place, class_="script-only")
    return [*cells, values, button]


# --- what if ----------------------------------------------------------------------------------------------------------


def what_if_section(content: Content, linear: dict[str, Any] | None, *, limited: bool) -> Html:
    """Return an empty form, which the script fills."""
    if content.rules is None and linear is None:
        words = "The model is too large to be put into a page, so that nothing can be tried out here."
        return section("what-if", "What if", element("p", words))
    if linear is not None:
        by = f"The answer is that of the {content.subject.kind} itself, computed in this page."
        if limited:
            by += " Only the most important attributes, and those of the rows in this page, can be added."
    elif content.subject.kind == "Rule set":
        by = "The answer is that of the rules above that are switched on, computed in this page."
    else:
        by = "The answer is that of the rules shown above, computed in this page, and not that of the whole model."
    words = element("p", "Change the values of a row and see what would be predicted. ", element("strong", by))
    form = element("form", id="what-if-form", autocomplete="off")
    said = element("div", id="what-if-said", role="status", aria_live="polite")
    without = element("noscript", "This part needs JavaScript.")
    return section("what-if", "What if", words, without, element("div", form, said, class_="what-if script-only"))

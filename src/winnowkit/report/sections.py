"""The parts of the page that say how well the model predicts, what matters, and how it was made."""

from __future__ import annotations

from math import floor, inf
from typing import Any

from winnowkit.report.cautions import cautions
from winnowkit.report.charts import Chart, bar, number_axis, percent_axis
from winnowkit.report.content import Content
from winnowkit.report.markup import (
    Html,
    conditions_html,
    counted,
    data,
    element,
    figure,
    joined,
    percent,
    table,
    visible,
)
from winnowkit.report.measures import RowShare, expected_calibration_error, log_loss
from winnowkit.report.of_linear import LinearSubject
from winnowkit.report.shapes_section import shapes_html

MOST_IMPORTANT = 15


def section(id_: str, heading: str, *children: Any) -> Html:
    """Return a part of the page with a heading."""
    return element(
        "section", element("h2", heading, id=f"{id_}-heading"), *children, id=id_, aria_labelledby=f"{id_}-heading"
    )


def interval(found: RowShare) -> str:
    """Return the interval of a share in words."""
    return f"{percent(found.low)} to {percent(found.high)}"


# --- the beginning ----------------------------------------------------------------------------------------------------


def opening(content: Content) -> Html:
    """Return what was learned in a few sentences, and the figures that matter most."""
    found, baseline = content.error, content.compared[-1][1]
    best = [item.name for item in content.importances[:3] if item.share > 0]
    labels = joined([data(label, class_="label") for label in content.classes[:6]], ", ")
    more = f" and {len(content.classes) - 6} more" if len(content.classes) > 6 else ""
    target = content.target if content.target == "the label" else data(content.target, class_="column")
    parts = [
        element("p", f"{content.subject.kind} predicts ", target, " (", labels, f"{more}) from ",
                f"{counted(len(content.held.data.table.names), 'column')}. On rows that it had not seen it is wrong on "
                if content.held.honest
                else f"{counted(len(content.held.data.table.names), 'column')}. On the rows given it is wrong on ",
                element("strong", percent(found.value)), f" ({interval(found)} with 95% confidence); ",
                f"always answering the most frequent label is wrong on {percent(baseline.value)}.", class_="lead"),
    ]  # fmt: skip
    if best:
        names = joined([data(name, class_="column") for name in best], ", ")
        parts.append(element("p", "It looks most at ", names, ".", class_="lead"))
    parts.append(element("p", f"All figures are measured {content.held.how}.", class_="quiet"))
    return joined([*parts, cards(content)])


def cards(content: Content) -> Html:
    """Return the key figures."""
    found = content.error
    items = [("Error", percent(found.value), interval(found))]
    if content.held.probabilities is not None and (content.held.truth >= 0).all():
        items.append(("Log-loss", f"{log_loss(content.held.truth, content.held.probabilities):.3f}", "lower is better"))
    curves = content.curves()
    if len(curves) == 1:
        curve = curves[0][1]
        items.append(("Area under ROC", f"{curve.area:.3f}", f"{curve.area_low:.3f} to {curve.area_high:.3f}"))
    items.append(("Rows", f"{content.data.table.n_rows:,}", f"{len(content.data.table.names):,} columns"))
    if content.rules is not None:
        n = len(content.rules.members[content.rules.best])
        items.append(("Rules shown", f"{n}", f"of up to {max(map(len, content.rules.members))}"))
    cells = [
        element("div", element("dt", name), element("dd", element("b", value), element("span", small)), class_="card")
        for name, value, small in items
    ]
    return element("dl", *cells, class_="cards")


# --- how well it predicts ---------------------------------------------------------------------------------------------


def performance(content: Content) -> Html:
    """Return errors beside those of simple peers, the confusion matrix, and curves."""
    compared = content.compared
    scale = max(found.high for _, found in compared)
    rows = [
        (name, percent(found.value), interval(found), bar(found.value, found.low, found.high, scale))
        for name, found in compared
    ]
    errors = table(
        "Error of the model and of simple peers", ["Predictor", "Error", "95% interval", ""], rows, numbers=(1, 2),
        class_="compared",
    )  # fmt: skip
    intro = (
        "The share of wrong labels, beside those of two simple models that learned from the same rows, and of always "
        "answering the most frequent label. The thin lines are 95% confidence intervals (Wilson)."
    )
    pictures = [_roc(content), _calibration(content)]
    shown = element("div", *[picture for picture in pictures if picture is not None], class_="figures")
    return section("performance", "How well it predicts", element("p", intro), errors, _confusion(content), shown)


def _confusion(content: Content) -> Html:
    counts, classes = content.confusion, content.classes
    most = max(1, int(counts.max()))
    rows = []
    for c, label in enumerate(classes):
        total = max(1, int(counts[c].sum()))
        cells = [
            element(
                "span", f"{int(n):,}", element("small", percent(n / total, 0)), class_="right" if c == p else "wrong",
                style=f"--strength:{n / most:.3f}",
            )
            for p, n in enumerate(counts[c].tolist())
        ]  # fmt: skip
        rows.append([data(label), *cells])
    header = ["Label \\ predicted", *(data(label) for label in classes)]
    return joined(
        [
            element("h3", "Which labels are confused"),
            table("Rows by label and by predicted label", header, rows, range(1, len(classes) + 1), class_="confusion"),
        ]
    )


def _roc(content: Content) -> Html | None:
    curves = content.curves()
    if not curves:
        return None
    chart = Chart(
        percent_axis("rows of other classes that are included"),
        percent_axis("rows of the class that are found"),
        "ROC curves: " + "; ".join(f"{visible(label)}, area {curve.area:.3f}" for label, curve in curves),
    )
    chart.line([0, 1], [0, 1], "diagonal")
    for k, (_, curve) in enumerate(curves):
        if len(curves) == 1:
            chart.band(curve.x, curve.low, curve.high)
        chart.line(curve.x, curve.y, f"line colour-{k}")
    parts: list[Any] = ["ROC curve"]
    if len(curves) == 1:
        label, curve = curves[0]
        parts += [" for ", data(label, class_="label"), f": area {curve.area:.3f} "]
        parts += [f"({curve.area_low:.3f} to {curve.area_high:.3f}). The band is a 95% bootstrap interval."]
    else:
        parts += ["s of each class against the rest: "]
        parts += [
            joined(
                [
                    element("span", data(label), f" {curve.area:.3f}", class_=f"key colour-{k}")
                    for k, (label, curve) in enumerate(curves)
                ],
                " ",
            )
        ]
    return figure(chart.svg(), joined(parts))


def _calibration(content: Content) -> Html | None:
    bins = content.bins()
    if not bins:
        return element(
            "p", "The model gives scores and no probabilities, so there is no calibration curve.", class_="quiet"
        )
    chart = Chart(
        percent_axis("predicted probability"),
        percent_axis("how often it was so"),
        "Calibration: "
        + "; ".join(f"{percent(b.predicted, 0)} predicted, {percent(b.observed.value, 0)} observed" for b in bins),
    )
    chart.line([0, 1], [0, 1], "diagonal")
    for b in bins:
        chart.whisker(b.predicted, b.observed.low, b.observed.high)
    chart.line([b.predicted for b in bins], [b.observed.value for b in bins])
    for b in bins:
        seen = f"{b.observed.hits:,} of {b.observed.total:,} rows"
        chart.point(b.predicted, b.observed.value, f"predicted {percent(b.predicted)}, observed {seen}")
    of = data(content.classes[1], class_="label") if len(content.classes) == 2 else "the predicted label"
    gap = percent(expected_calibration_error(bins))
    words = joined(
        ["Calibration of ", of, f": on average, probabilities are {gap} from what happens. Whiskers are 95% intervals."]
    )
    return figure(chart.svg(), words)


# --- what matters -----------------------------------------------------------------------------------------------------


def matters(content: Content) -> Html:
    """Return the columns by their exact share, beside permutation importance."""
    shown = [item for item in content.importances if item.share > 0][:MOST_IMPORTANT]
    left = sum(item.share for item in content.importances) - sum(item.share for item in shown)
    most = max((item.share for item in shown), default=1.0)
    rows = []
    for item in shown:
        risen = "" if item.permuted is None else f"{100 * item.permuted:+.1f}"
        rows.append([data(item.name, class_="column"), percent(item.share), bar(item.share, scale=most),
                     risen if item.permuted is None else f"{risen} ± {196 * item.standard_error:.1f}"])  # fmt: skip
    if left > 1e-9:
        rows.append(["all other columns", percent(left), "", ""])
    means = (
        f"The exact share is of {content.subject.share_means}. It is computed from the weights, with no random "
        "numbers. Beside it stands how many "
        "points the error rises when the column is shuffled among the held-out rows, with a 95% interval; a column "
        "that others can replace has a share, but its shuffling costs little."
    )
    header = ["Column", "Exact share", "", "Error when shuffled, points"]
    made = table("Columns by importance", header, rows, numbers=(1, 3), class_="matters", data_sortable="")
    weights = [_weights(content.subject)] if isinstance(content.subject, LinearSubject) else []
    return section("matters", "What matters", element("p", means), made, *weights, shapes_html(content.shapes))


def _weights(subject: LinearSubject) -> Html:
    """Return the heaviest attributes of a linear learner."""
    found = subject.weights()
    most = max((abs(weight) for *_, weight in found), default=1.0) or 1.0
    rows = [
        [
            data(what, class_="column") if isinstance(what, str) else conditions_html(what),
            data(label, class_="label"),
            f"{weight:+.3g}",
            bar(abs(weight), scale=most, class_="up" if weight >= 0 else "down"),
        ]
        for what, label, weight in found
    ]
    header = ["Attribute", "Speaks for (+) or against (-)", "Weight", ""]
    return joined(
        [element("h3", "The heaviest attributes"), table("Heaviest attributes", header, rows, (2,), data_sortable="")]
    )


# --- mistakes over time -----------------------------------------------------------------------------------------------


def over_time(content: Content) -> Html:
    """Return the mistakes of an on-line learner, beside the proven bound."""
    stream = content.stream
    if stream is None:
        return Html("")
    certificate, made = stream.certificate, stream.mistakes[-1]
    bound = inf if certificate is None else certificate.bound
    drawn = bound < 6 * max(made, 1)
    high = max(1.0, float(bound if drawn else made)) * 1.05
    chart = Chart(
        number_axis("rows seen", 0, stream.rows[-1]),
        number_axis("mistakes", 0, high),
        f"{made} mistakes after {stream.rows[-1]} rows",
    )
    if drawn:
        chart.line([0, stream.rows[-1]], [bound, bound], "bound")
        chart.note(stream.rows[-1], bound, f"at most {floor(bound):,} by theorem", "end")
    chart.line(stream.rows, stream.mistakes)
    said = "" if certificate is None else f" {str(certificate)[0].upper()}{str(certificate)[1:]}."
    words = (
        "A learner with the same parameters saw the rows once, in the order of the data, and predicted each before it "
        f"learned its label.{said}"
    )
    return section(
        "stream",
        "Mistakes while learning",
        element("p", words),
        element("div", figure(chart.svg(), "Mistakes so far."), class_="figures"),
    )


# --- how it was made --------------------------------------------------------------------------------------------------


def made(content: Content) -> Html:
    """Return how the model and the report were made, and what to use the model for and what not."""
    rows = [(name, element("span", text, class_="fact")) for name, text in content.facts]
    note = [element("p", content.note, class_="note", dir="auto")] if content.note else []
    warnings = element("ul", *(element("li", caution) for caution in cautions(content)))
    return joined(
        [
            section("use", "What it must not be used for", *note, warnings),
            section(
                "made",
                "How it was made",
                table("How the model and this report were made", ["", ""], rows, class_="facts"),
            ),
        ]
    )

"""Uses for which a model is not fit, as far as its data and figures tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnowkit.report.markup import Html, counted, data, element, joined, percent
from winnowkit.report.measures import share
from winnowkit.report.table import SparseTable

if TYPE_CHECKING:
    from winnowkit.report.content import Content

FEW = 30
"""Rows of a class below which little is known about it."""

_PERSONAL = re.compile(
    r"\b(age|sex|gender|race|ethnic\w*|religion|nation\w*|country|marital\w*|disab\w*|pregnan\w*|orientation|"
    r"colou?r of skin|skin|citizen\w*|birth\w*|family|relationship|geschlecht|alter|religion|staat\w*|الجنس|العمر)\b",
    re.IGNORECASE,
)


def cautions(content: Content) -> list[Html]:
    """Return sentences on what not to use the model for."""
    baseline, found = content.compared[-1][1], content.error
    sentences: list[str] = [
        "Do not read it as cause and effect: the rules and shares say what goes together in these data, not what would "
        "happen if somebody changed a value.",
        f"Do not use it on rows of another kind, place or time than the {content.data.table.n_rows:,} rows that it "
        "learned from without measuring its error there. It has no way of telling that a row is unlike all of these.",
    ]
    if not content.held.honest:
        sentences.append(
            "The error may be too low: the report cannot know whether the rules were chosen by these rows."
        )
    if found.high >= baseline.low:
        sentences.append(
            f"Its error, {percent(found.value)}, is not clearly below that of always answering the most frequent "
            f"label, {percent(baseline.value)}: do not rely on single predictions."
        )
    return [*(joined([sentence]) for sentence in sentences), *_rare_classes(content), *_personal(content)]


def _personal(content: Content) -> list[Html]:
    """Return columns that seem to describe people, by their names."""
    if isinstance(content.held.data.table, SparseTable):
        return []  # its columns are words and other small attributes
    names = [item for item in content.importances if _PERSONAL.search(re.sub(r"[_\W]+", " ", item.name))][:8]
    if not names:
        return []
    shares = joined([joined([data(item.name, class_="column"), f" ({percent(item.share)})"]) for item in names], ", ")
    first = "Some columns seem to describe people in ways that law may protect. Their shares of the decision: "
    last = (
        ". Do not decide about people with it before somebody has checked that this is lawful and fair; without these "
        "columns, others may stand in for them."
    )
    return [joined([first, shares, last])]


def _rare_classes(content: Content) -> list[Html]:
    """Return classes with few rows, and classes that are mostly missed."""
    found, counts = [], content.confusion
    for c, label in enumerate(content.classes):
        total = int(counts[c].sum())
        if not total:
            continue
        missed = share(total - int(counts[c, c]), total)
        if total < FEW:
            found.append(
                joined(["Little is known about ", data(label, class_="label"), f": only {counted(total, 'row')}."])
            )
        elif missed.low > 0.5:
            text = f" in {percent(missed.value)} of its {total:,} rows: do not use it to find them."
            found.append(joined(["It misses ", data(label, class_="label"), text]))
    return [element("span", sentence) for sentence in found[:6]] if found else []

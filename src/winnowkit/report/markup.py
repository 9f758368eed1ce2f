"""HTML from Python values: all text is escaped, and names and values of the data keep their direction of writing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from winnowkit.rulesets.condition import FLIPPED, Condition

SIGNS = {">=": "≥", "<=": "≤", "!=": "≠", "=": "=", "<": "<", ">": ">"}
"""How comparisons are written."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: Any, **attributes: Any) -> Html:
    """Return an element; children that are no HTML are escaped, and so are attributes, of which None are left out.

    An underscore in the name of an attribute stands for a hyphen, and one at its end is dropped.

    Examples
    --------
    >>> element("p", "a < b", element("b", "c"), class_="note", data_row=3)
    '<p class="note" data-row="3">a &lt; b<b>c</b></p>'
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    inside = "".join(
        child if isinstance(child, Html) else escape(str(child)) for child in children if child is not None
    )
    return Html(f"<{tag}{given}>{inside}</{tag}>")


def joined(parts: Iterable[str], by: str = "") -> Html:
    """Return parts one after the other; those that are no HTML are escaped."""
    return Html(escape(by).join(part if isinstance(part, Html) else escape(part) for part in parts))


def visible(value: Any) -> str:
    r"""Return a value of the data as text, with control characters spelled out.

    Examples
    --------
    >>> print(visible("a\nb"), visible(True), visible(2.0), visible(""))
    a\nb true 2 (empty)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}" if not value.is_integer() or abs(value) >= 2**53 else str(int(value))
    text = str(value)
    joiners = "\u200c\u200d"  # which scripts and emoji need
    return "".join(c if c.isprintable() or c in joiners else ascii(c)[1:-1] for c in text) or "(empty)"


def data(value: Any, **attributes: Any) -> Html:
    """Return a name or value of the data, whose direction of writing does not affect its neighbours."""
    return element("bdi", visible(value), **attributes)


def conditions_html(conditions: Sequence[Condition]) -> Html:
    """Return a conjunction, with the two ends of a range in one comparison; the page's script has a twin of this."""
    parts, left = [], list(conditions)
    while left:
        first = left.pop(0)
        lower = (
            left and first.operator in FLIPPED and left[0].operator in ("<", "<=") and first.column == left[0].column
        )
        if lower:
            last = left.pop(0)
            inside = joined(
                [
                    data(first.value),
                    f" {SIGNS[FLIPPED[first.operator]]} ",
                    data(first.column, class_="column"),
                    f" {SIGNS[last.operator]} ",
                    data(last.value),
                ]
            )
        elif first.operator in SIGNS:
            inside = joined([data(first.column, class_="column"), f" {SIGNS[first.operator]} ", data(first.value)])
        else:
            inside = joined([data(first.column, class_="column"), f" is {first.operator}"])
        parts.append(element("span", inside, class_="condition"))
    return joined(parts, " and ") if parts else Html("always")


def table(
    caption: str, header: Sequence[Any], rows: Iterable[Sequence[Any]], numbers: Sequence[int] = (), **attributes: Any
) -> Html:
    """Return a table with a caption for screen readers; the first cell of a row is its heading."""
    head = element(
        "tr",
        *(element("th", cell, scope="col", class_="number" if i in numbers else None) for i, cell in enumerate(header)),
    )
    body = [
        element(
            "tr",
            *(
                element(
                    "td" if i else "th",
                    cell,
                    scope=None if i else "row",
                    class_="number" if i in numbers else None,
                    data_label=(header[i] or None) if i and not isinstance(header[i], Html) else None,
                )
                for i, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    inside = (element("caption", caption), element("thead", head), element("tbody", *body))
    return element(
        "div", element("table", *inside, **attributes), class_="scroll", tabindex=0, role="region", aria_label=caption
    )


def figure(picture: Html, caption: Any) -> Html:
    """Return a picture with words below it."""
    return element("figure", picture, element("figcaption", caption))


def percent(value: float, digits: int = 1) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.12345), percent(0.5, 0)
    ('12.3%', '50%')
    """
    return f"{100 * value:.{digits}f}%"


def counted(number: int, what: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"

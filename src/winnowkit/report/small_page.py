"""A page without a script, in the look of a report."""

from __future__ import annotations

from string import Template

from winnowkit.report.embed import asset
from winnowkit.report.markup import Html, element, joined, visible


def small_page(title: str, parts: list[tuple[str, str]]) -> str:
    """Return a page with a heading and parts, each a heading and HTML that was made safely.

    Examples
    --------
    >>> "&lt;b&gt;" in small_page("<b>", [("Row 0", "<p>yes</p>")])
    True
    """
    shown = [element("section", element("h2", heading), Html(inside)) for heading, inside in parts]
    return Template(asset("page.html")).substitute(
        title=joined([visible(title)]),
        policy="default-src 'none'; style-src 'unsafe-inline'",
        style=asset("page.css"),
        heading=joined([visible(title)]),
        contents="",
        opening="",
        parts=joined(shown),
        data="null",
        script="",
    )

"""Small tables for notebooks, in the look of a report: quiet lines, numbers in columns, light or dark alike."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif; line-height: 1.5"
LINE = "border: 0; border-bottom: 1px solid rgba(127, 127, 127, 0.3)"
QUIET = "opacity: 0.7; font-weight: 600; font-size: 0.85em"


def html_grid(note: str, rows: Sequence[Sequence[str]], after: str = "", items: Sequence[str] = ()) -> str:
    """Return a table for a notebook, with a note before it and a paragraph and a list after it.

    The first row, if there is any, contains the headings, and the last column contains words. All text is escaped, and
    keeps its own direction of writing.

    Examples
    --------
    >>> "<b>" in html_grid("one", [("weight", "rule"), ("1", "<b>")])
    False
    """

    def line(row: Sequence[str], tag: str) -> str:
        ends = ["right"] * (len(row) - 1) + ["left"]
        more = f"; {QUIET}" if tag == "th" else "; font-variant-numeric: tabular-nums"
        cells = [
            f'<{tag} dir="auto" style="text-align: {end}; vertical-align: top; padding: 0.3em 0.8em; {LINE}{more}">'
            f"{escape(cell)}</{tag}>"
            for cell, end in zip(row, ends, strict=True)
        ]
        return f'<tr style="background: none">{"".join(cells)}</tr>'

    body = "".join(line(row, "td") for row in rows[1:])
    head = f"<thead>{line(rows[0], 'th')}</thead>" if rows else ""
    grid = f'<table style="border-collapse: collapse">{head}<tbody>{body}</tbody></table>' if rows else ""
    listed = "".join(f'<li dir="auto">{escape(item)}</li>' for item in items)
    end = f"<p>{escape(after)}</p>" if after else ""
    return f'<div style="{FONT}"><p>{escape(note)}</p>{grid}{end}{f"<ul>{listed}</ul>" if items else ""}</div>'

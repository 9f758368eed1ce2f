"""The report: parts as Markdown, for docs/benchmarks.md, and as one self-contained HTML page."""

from __future__ import annotations

import re
from html import escape

from drawing import drawn
from results import Part, Table

BEGIN, END = "<!-- bench: begin (made by make bench) -->", "<!-- bench: end -->"


def put_between(page: str, generated: str) -> str:
    r"""Replace what stands between the markers; a page without them gets them, and it, at its end.

    Examples
    --------
    >>> page = put_between("# Title\n", "one")
    >>> put_between(page, "two") == put_between("# Title\n", "two")
    True
    """
    block = f"{BEGIN}\n\n{generated.strip()}\n\n{END}"
    if BEGIN not in page:
        return page.rstrip() + "\n\n" + block + "\n"
    before, rest = page.split(BEGIN, 1)
    if END not in rest:
        raise ValueError(f"the page has {BEGIN!r}, but not {END!r} after it: put it back")
    return before + block + rest.split(END, 1)[1]


def summary(parts: list[Part]) -> list[str]:
    """Return the comparisons that peers win: the verdicts in bold."""
    return [f"{part.title}: {line}" for part in parts for line in part.verdicts if line.startswith("**")]


# --- Markdown ---------------------------------------------------------------------------------------------------------


def markdown(parts: list[Part], note: str = "") -> str:
    """Return all parts for docs/benchmarks.md; the note adds information about the run."""
    scales = sorted({part.scale for part in parts})
    lines = [
        f"## The whole report (`make bench SCALE={scales[0] if len(scales) == 1 else '...'}`)",
        "",
        *([note, ""] if note else []),
        "Every figure is a ratio, or stands beside others of the same run. Medians have their quartiles in parentheses."
        " Peers are ahead here:",
        "",
        *[f"- {line}" for line in summary(parts) or ["nowhere in what was measured."]],
    ]
    return "\n".join([*lines, *map(markdown_part, parts)])


def markdown_part(part: Part) -> str:
    """Return one part."""
    lines = ["", f"### {part.title}", "", " ".join(filter(None, [part.about, _measured(part)]))]
    for table in part.tables:
        lines += ["", f"**{table.title}**" + (f" ({table.note})" if table.note else ""), "", markdown_table(table)]
    lines += ["", *[f"- {line}" for line in part.verdicts]] if part.verdicts else []
    lines += ["", *[f"- absent: {line}" for line in part.absent]] if part.absent else []
    lines += ["", "```text", part.text, "```"] if part.text else []
    return "\n".join(lines)


def _measured(part: Part) -> str:
    return f"Scale {part.scale}, {part.seconds:.0f} s. {part.environment}".strip()


def markdown_table(table: Table) -> str:
    r"""A table, its first column to the left.

    Examples
    --------
    >>> print(markdown_table(Table("", ["", "a"], [["x", "1"], ["y|z", "22"]])))
    |      |  a |
    | :--- | -: |
    | x    |  1 |
    | y\|z | 22 |
    """
    rows = [[entry.replace("|", "\\|") for entry in row] for row in [table.header, *table.rows]]
    widths = [max(4 if c == 0 else 2, *(len(row[c]) for row in rows)) for c in range(len(rows[0]))]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(f"| {' | '.join(_padded(row, widths))} |" for row in [rows[0], rule, *rows[1:]])


def _padded(row: list[str], widths: list[int]) -> list[str]:
    return [row[0].ljust(widths[0]), *(entry.rjust(width) for entry, width in zip(row[1:], widths[1:], strict=True))]


# --- HTML -------------------------------------------------------------------------------------------------------------

STYLE = """
:root { color-scheme: light dark; --line: #8884; --accent: #2b6cb0; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
nav a { margin-right: 1rem; white-space: nowrap; } a { color: var(--accent); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: Canvas; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; } .note { color: GrayText; font-size: .875rem; }
.wins { border-left: 4px solid var(--accent); padding-left: 1rem; } pre { overflow-x: auto; font-size: .8rem; }
@media (max-width: 40rem) { th:first-child, td:first-child { white-space: normal; max-width: 8rem; } }
svg { max-width: 100%; height: auto; } .plots { display: flex; flex-wrap: wrap; gap: 1rem; }
"""


def page(parts: list[Part], note: str = "") -> str:
    """Return all parts on one page, with style and plots inside."""
    links = "".join(f'<a href="#{escape(part.name)}">{escape(part.title)}</a> ' for part in parts)
    body = "\n".join(map(_section, parts))
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>winnowkit benchmarks</title>'
        f"<style>{STYLE}</style></head>\n<body>\n<h1>winnowkit benchmarks</h1>\n<nav>{links}</nav>\n"
        f"<p>{_inline(note)}</p>"
        f'<section class="wins"><h2>Where a peer wins</h2>{_list(summary(parts) or ["nowhere in what was measured."])}'
        f"</section>\n{body}\n</body>\n</html>\n"
    )


def _section(part: Part) -> str:
    pieces = [f'<section id="{escape(part.name)}"><h2>{escape(part.title)}</h2>']
    pieces.append(f"<p>{_inline(part.about)}</p>" if part.about else "")
    pieces.append(_list(part.verdicts))
    pieces += map(html_table, part.tables)
    if part.plots:
        pieces.append(f'<div class="plots">{"".join(map(drawn, part.plots))}</div>')
    pieces.append(f"<pre>{escape(part.text)}</pre>" if part.text else "")
    pieces.append(_list([f"absent: {line}" for line in part.absent]))
    pieces.append(f'<p class="note">{escape(_measured(part))}</p></section>')
    return "\n".join(filter(None, pieces))


def _list(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{_inline(line)}</li>' for line in lines)}</ul>" if lines else ""


def _inline(text: str) -> str:
    """Turn the bold and code marks of Markdown into HTML."""
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(text, quote=False))
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def html_table(table: Table) -> str:
    """Return a table that scrolls separately on a narrow page."""
    head = "".join(f'<th scope="col">{escape(entry)}</th>' for entry in table.header)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(entry)}</td>' for entry in row)}</tr>" for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<div class="scroll"><table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{note}"
    )

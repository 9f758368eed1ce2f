"""Formulas as MathML, which browsers draw themselves: pages need no script, and the build no LaTeX."""

import re
from typing import Any

from docutils.nodes import SkipNode, math, math_block
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def render(tex: str, as_block: bool) -> str:
    """Return a formula as MathML, with the thin spaces around "ln" that docutils leaves out."""
    markup = tex2mathml(tex, as_block=as_block)
    markup = re.sub(r"(</m(?:i|n|sub|sup|row)>\s*)<mi>ln</mi>", r'\1<mspace width="0.17em"/><mi>ln</mi>', markup)
    return re.sub(r"<mi>ln</mi>(?!\s*<mo stretchy=\"false\">\()", '<mi>ln</mi><mspace width="0.17em"/>', markup)


def inline(translator: HTML5Translator, node: math) -> None:
    """Write an inline formula."""
    translator.body.append(f'<span class="math">{render(node.astext(), as_block=False)}</span>')
    raise SkipNode


def block(translator: HTML5Translator, node: math_block) -> None:
    """Write a displayed formula."""
    translator.body.append(f'<div class="math">{render(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""The mutants of a file: the places where it can be changed, and the changed versions."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change to a file."""

    site: Site
    lines: list[int]  # those of the statement; if it runs on import, those that mention what it defines
    line: int
    before: str
    after: str
    in_function: bool  # otherwise it runs when the module is imported

    def __str__(self) -> str:
        place = f"{self.path.relative_to(ROOT / 'src' / 'winnowkit')}:{self.line}"
        return f"{place}: {self.before}  ->  {self.after}"

    @property
    def path(self) -> Path:
        """The file."""
        return self.site.path

    def code(self) -> CodeType:
        """Return the changed module, compiled."""
        tree = ast.parse(self.path.read_text())
        node = list(_nodes(tree))[self.site.node]
        other = list(changed(node))[self.site.version]
        return compile(ast.fix_missing_locations(Replacing(node, other).visit(tree)), str(self.path), "exec")


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield changed versions of a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield _with(node, ops=[SWAPS[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in SWAPS:
        yield _with(node, op=SWAPS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


class Replacing(ast.NodeTransformer):
    """Replaces one node of a tree."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace the node, or search inside it."""
        return ast.copy_location(self.new, node) if node is self.old else super().generic_visit(node)


class Site(NamedTuple):
    """A place where a file can be changed: the number of the node, and of its changed version."""

    path: Path
    node: int
    version: int

    def is_idle(self) -> bool:
        """Whether the change cannot matter while the code is right: imports for type checkers, ``zip(strict=True)``."""
        _, tree, nodes, _ = _parsed(self.path)
        return any(nodes[self.node] is node for node in _idle(tree))

    def mutant(self) -> Mutant:
        """Describe the change."""
        text, tree, nodes, inner = _parsed(self.path)
        node = nodes[self.node]
        other = list(changed(node))[self.version]
        before, after = (" ".join(ast.unparse(n).split("\n", 1)[0].split())[:90] for n in (node, other))
        lines, in_function = list(_statement(tree, node.lineno)), id(node) in inner
        if not in_function:
            lines = _mentions(text, [text.split("\n")[line - 1] for line in lines])
        return Mutant(self, lines, node.lineno, before, after, in_function)


@cache
def _parsed(path: Path) -> tuple[str, ast.Module, list[ast.AST], set[int]]:
    """Return the text of a file, its tree, all nodes, and which of them run when a function is called."""
    text = path.read_text()
    tree = ast.parse(text)
    bodies = [
        inner.body if isinstance(inner.body, list) else [inner.body]
        for inner in ast.walk(tree)
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
    inner_nodes = {id(found) for body in bodies for part in body for found in ast.walk(part)}
    return text, tree, list(_nodes(tree)), inner_nodes


def sites(path: Path) -> list[Site]:
    """Return all places where a file can be changed, except annotations and the texts of errors."""
    nodes = enumerate(_nodes(ast.parse(path.read_text())))
    return [Site(path, k, version) for k, node in nodes for version in range(len(list(changed(node))))]


def _idle(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            yield from (word.value for word in node.keywords if ast.unparse(word) == "strict=True")


def _statement(tree: ast.AST, line: int) -> range:
    """Return the lines of the innermost statement around a line, without its body; those of a lambda, if it has one."""
    found = range(line, line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno <= line <= node.body.end_lineno:
            return range(node.lineno, node.body.end_lineno + 1)
        if isinstance(node, ast.stmt) and node.lineno <= line:
            body = getattr(node, "body", None)
            end = max(node.lineno + 1, body[0].lineno) if body else node.end_lineno + 1
            if line < end:
                found = range(node.lineno, end)
    return found


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_comment") or isinstance(tree, ast.Raise):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                if hasattr(node, "lineno"):
                    yield node
                yield from _nodes(node)


def _mentions(text: str, statement: list[str]) -> list[int]:
    """Return the lines of a file that mention a name that a statement defines; all lines if it defines none."""
    defined = re.findall(r"^\s*(?:def |class )?(\w+)(?=\s*[:=(])", "\n".join(statement), re.MULTILINE)
    defined += re.findall(r"\b(\w+)\s*(?::[^=,]*)?=[^=]", "\n".join(statement))
    found = [
        n for n, line in enumerate(text.split("\n"), 1) if any(re.search(rf"\b{name}\b", line) for name in defined)
    ]
    return found if len(found) > len(statement) else list(range(1, text.count("\n") + 1))

"""Mutation testing: change one thing in a file, and see whether the tests notice.

    python tools/mutate.py --sample 40 bounds         # 40 mutants of a room
    python tools/mutate.py --all bounds/littlestone   # every mutant of a file

A mutant swaps a comparison or an arithmetic or boolean operator, shifts a number, negates a condition, or drops a
`not`. Each mutant runs in a fork, in which the changed module is compiled in place of its file; nothing is written to
disk. Only the tests that run the changed line are run, the fastest first; a first run records which these are. A mutant
that no test notices survives and is printed: write the missing test, or convince yourself that nothing has changed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import NamedTuple

import hypothesis  # noqa: F401 - imported once for all mutants
import pytest
from touching import Touching

ROOT = Path(__file__).parent.parent
ROOMS = {  # the tests of each room: folders of tests/, or single files in them
    "bounds": ["bounds", "core/test_certificates.py"],
    "linear": ["linear", "core/test_estimators.py", "core/test_policies.py", "river", "model_file"],
    "counting": ["counting", "core/test_estimators.py", "river", "model_file"],
    "dnf": ["dnf", "rulesets", "river", "model_file"],
    "rulesets": ["rulesets", "dnf/test_interpretation.py"],
    "data": ["data", "core/test_frame.py"],
    "model_file": ["model_file"],
}
LONGEST = 600  # seconds of tests, after which a mutant is assumed to hang and counts as noticed
MOST_MEMORY = 8 << 30  # bytes of address space; a mutant that needs more fails
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change to a file."""

    path: Path
    lines: range  # the lines of the statement
    line: int
    before: str
    after: str
    tree: ast.Module

    def __str__(self) -> str:
        place = f"{self.path.relative_to(ROOT / 'src' / 'winnowkit')}:{self.line}"
        return f"{place}: {self.before}  ->  {self.after}"


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

    def mutant(self) -> Mutant:
        """Return the changed file."""
        tree = ast.parse(self.path.read_text())
        node = list(_nodes(tree))[self.node]
        other = list(changed(node))[self.version]
        before, after = (" ".join(ast.unparse(n).split("\n", 1)[0].split())[:90] for n in (node, other))
        lines = _statement(tree, node.lineno)
        new = ast.fix_missing_locations(Replacing(node, other).visit(tree))
        return Mutant(self.path, lines, node.lineno, before, after, new)


def sites(path: Path) -> list[Site]:
    """Return all places where a file can be changed, except annotations and the texts of errors."""
    nodes = enumerate(_nodes(ast.parse(path.read_text())))
    return [Site(path, k, version) for k, node in nodes for version in range(len(list(changed(node))))]


def _statement(tree: ast.AST, line: int) -> range:
    """Return the lines of the innermost statement around a line, without its body."""
    found = range(line, line + 1)
    for node in ast.walk(tree):
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


# Without --assert=plain, pytest would load test files itself and miss the mutant.
OPTIONS = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-seed=0"]


def noticed(mutant: Mutant, tests: list[str]) -> bool:
    """Whether the tests fail with a mutant, in a separate process."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        signal.alarm(LONGEST)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        code = compile(mutant.tree, str(mutant.path), "exec")
        before = SourceFileLoader.get_code

        def get_code(self: SourceFileLoader, name: str) -> object:
            return code if Path(self.path) == mutant.path else before(self, name)

        SourceFileLoader.get_code = get_code  # type: ignore[assignment]
        os._exit(int(pytest.main([*OPTIONS, *tests])))
    return os.waitpid(child, 0)[1] != 0


def import_others() -> None:
    """Import the dependencies of winnowkit but not winnowkit itself, which each mutant imports anew."""
    import winnowkit.river  # noqa: F401, PLC0415

    for name in [name for name in sys.modules if name.split(".")[0] == "winnowkit"]:
        del sys.modules[name]


def main() -> int:
    """Print the survivors and the number of mutants that were noticed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("places", nargs="+", help=f"rooms ({', '.join(ROOMS)}), or files in them such as dnf/exact")
    parser.add_argument("--sample", type=int, default=40, help="mutants per place")
    parser.add_argument("--all", action="store_true", help="all mutants")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    unknown = [place for place in arguments.places if place.split("/", maxsplit=1)[0] not in ROOMS]
    if unknown:
        parser.error(f"unknown room {unknown[0]!r}; choose from {', '.join(ROOMS)}")
    os.chdir(ROOT)
    import_others()
    for place in arguments.places:
        folder = ROOT / "src" / "winnowkit" / place
        files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
        found = [site for path in files for site in sites(path)]
        chosen = (
            found if arguments.all else random.Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
        )
        room = place.split("/", maxsplit=1)[0]
        tests = [
            f"src/winnowkit/{room}",
            *(f"tests/{name}" for name in ROOMS[room]),
        ]  # docstring examples are tests too
        touching = Touching(folder if folder.is_dir() else folder.parent, [*OPTIONS, *tests])
        same = Mutant(files[0], range(0), 0, "", "", ast.parse(files[0].read_text()))
        if touching.failed or noticed(same, ["--collect-only", *touching.all]):
            print(f"{place}: the tests fail without any mutant; fix them first")
            return 1
        survivors, begun = 0, time.perf_counter()
        for number, site in enumerate(chosen, start=1):
            mutant = site.mutant()
            asked = touching.tests(mutant.path, mutant.lines)
            if not asked or not noticed(mutant, asked):
                survivors += 1
                print(f"survived  {mutant}", flush=True)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{number} of {len(chosen)}")
        print(
            f"{place}: {len(chosen)} of {len(found)} mutants tried, {len(chosen) - survivors} noticed "
            f"({1 - survivors / max(len(chosen), 1):.0%}), {time.perf_counter() - begun:.0f} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

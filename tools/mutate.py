"""Mutation testing: change one thing in a file, and see whether the tests notice.

    python tools/mutate.py --sample 40 bounds         # 40 mutants of a package
    python tools/mutate.py --all bounds/littlestone   # every mutant of a file

A mutant swaps a comparison, an arithmetic or boolean operator, shifts a number, negates a condition, or drops a `not`.
Each runs in a fork, in which the changed module is compiled in place of its file; nothing is written. The tests that
run the changed line are asked, the quickest first; which these are is seen beforehand. A mutant that no test notices
survives, and is shown: look at it, and write the test that is missing, or see that it changes nothing.
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

import hypothesis  # noqa: F401 - once, for all mutants
import pytest
from touching import Touching

ROOT = Path(__file__).parent.parent
TESTS = {
    "bounds": ["unit/test_bounds", "properties/test_certificates"],
    "rules": [
        *("unit/test_rules", "unit/test_twins", "unit/test_symmetric", "unit/test_direct", "unit/test_drift"),
        *("unit/test_committee", "unit/test_estimators", "unit/test_policies", "unit/test_river_growing"),
        *("unit/test_river_predicting", "unit/test_model_file", "unit/test_hostile_model_files"),
    ],
    "dnf": [
        *("unit/test_mistakes", "unit/test_exact", "unit/test_race", "unit/test_training", "unit/test_chains"),
        *("properties/test_short_terms", "properties/test_weighted_sums", "properties/test_heavy_terms"),
        *("unit/test_ladder", "unit/test_dnf_winnow", "unit/test_descent", "unit/test_population", "unit/test_margins"),
        *("unit/test_gaps", "unit/test_what_may_be_learned", "unit/test_model_file", "unit/test_hostile_model_files"),
        *("unit/test_river_growing", "unit/test_river_predicting"),
    ],
}
LONGEST = 600  # seconds of tests, after which a mutant counts as noticed: it hangs
MOST_MEMORY = 8 << 30  # bytes of addresses, beyond which a mutant fails
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change of a file."""

    path: Path
    lines: range  # of the statement
    line: int
    before: str
    after: str
    tree: ast.Module

    def __str__(self) -> str:
        place = f"{self.path.relative_to(ROOT / 'src' / 'winnowkit')}:{self.line}"
        return f"{place}: {self.before}  ->  {self.after}"


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Other versions of a node."""
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
    """Puts another node in one's place."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace the node, or look inside."""
        return ast.copy_location(self.new, node) if node is self.old else super().generic_visit(node)


class Site(NamedTuple):
    """Where a file can be changed: which node, and which other version of it."""

    path: Path
    node: int
    version: int

    def mutant(self) -> Mutant:
        """The file, so changed."""
        tree = ast.parse(self.path.read_text())
        node = list(_nodes(tree))[self.node]
        other = list(changed(node))[self.version]
        before, after = (" ".join(ast.unparse(n).split("\n", 1)[0].split())[:90] for n in (node, other))
        lines = _statement(tree, node.lineno)
        new = ast.fix_missing_locations(Replacing(node, other).visit(tree))
        return Mutant(self.path, lines, node.lineno, before, after, new)


def sites(path: Path) -> list[Site]:
    """All places of a file to change; annotations and the words of errors stay as they are."""
    nodes = enumerate(_nodes(ast.parse(path.read_text())))
    return [Site(path, k, version) for k, node in nodes for version in range(len(list(changed(node))))]


def _statement(tree: ast.AST, line: int) -> range:
    """Lines of the innermost statement around a line, without those of a body."""
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


# Without --assert=plain pytest would read files that are named as tests by itself, and miss the mutant.
OPTIONS = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-seed=0"]


def noticed(mutant: Mutant, tests: list[str]) -> bool:
    """Whether the tests fail with a mutant, in a process of their own."""
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
    """Import what our modules need, but none of ours: each mutant imports those anew."""
    import winnowkit.river  # noqa: F401, PLC0415

    for name in [name for name in sys.modules if name.split(".")[0] == "winnowkit"]:
        del sys.modules[name]


def main() -> int:
    """Print the survivors, and how many mutants were noticed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("places", nargs="+", help="packages or files under src/winnowkit, such as bounds, dnf/exact")
    parser.add_argument("--sample", type=int, default=40, help="mutants of each place")
    parser.add_argument("--all", action="store_true", help="all mutants")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    os.chdir(ROOT)
    import_others()
    for place in arguments.places:
        folder = ROOT / "src" / "winnowkit" / place
        files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
        found = [site for path in files for site in sites(path)]
        chosen = (
            found if arguments.all else random.Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
        )
        names = [f"tests/{name}.py" for name in TESTS[place.split("/")[0]]]
        tests = [f"src/winnowkit/{place.split('/')[0]}", *names]  # examples in docstrings are tests too
        touching = Touching(folder if folder.is_dir() else folder.parent, [*OPTIONS, *tests])
        same = Mutant(files[0], range(0), 0, "", "", ast.parse(files[0].read_text()))
        if touching.failed or noticed(same, ["--collect-only", *touching.all]):
            print(f"{place}: the tests fail without any mutant; mend them first")
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

"""Every public name is in the reference, and its docstring says what numpydoc's readers expect."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from numpydoc.validate import validate

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
MODULES = [
    "winnowkit",
    "winnowkit.bounds",
    "winnowkit.dnf",
    "winnowkit.data",
    "winnowkit.data.streams",
    "winnowkit.river",
    "winnowkit.rulesets",
    "winnowkit.model_file",
]
NAMES = [
    f"{module}.{name}"
    for module in MODULES
    for name in import_module(module).__all__
    if not inspect.ismodule(getattr(import_module(module), name))
]
NOT_ASKED = {
    "ES01",  # a summary may say it all
    "PR03",  # a learner's own parameters stand before those that all learners have
}
NOT_ASKED_OF_METHODS = NOT_ASKED | {"EX01", "SA01"}  # the class has an example, and says what else there is
# What engines, logs and training have for each other, not for users: a line says it.
BETWEEN_OURSELVES = {
    "Engine": {
        "estimates",
        "first_log_sums",
        "labels",
        "labels_by_learner",
        "largest",
        "leaders",
        "log_sums",
        "log_sums_by_learner",
        "new_logs",
    },
    "Exact": {"bounds", "decide_by_value"},
    "Ladder": {"climb", "prepare"},
    "MistakeLog": {"check", "emptied", "give", "widened"},
    "Training": {"epoch", "longest_run", "mistaken", "replayed"},
    "TableReader": {"__init__"},
}


def listed():
    """Names in the reference, in full."""
    found = set()
    for page in REFERENCE.glob("*.rst"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = match[1]
            elif match := re.fullmatch(r"   (\w+)", line):
                found.add(f"{module}.{match[1]}")
    return found


def is_ours(member):
    function = member.fget if isinstance(member, property) else member
    return inspect.isfunction(function) and function.__module__.startswith("winnowkit")


PUBLIC = [getattr(import_module(module), name) for module, _, name in (name.rpartition(".") for name in NAMES)]


def methods_of(kind):
    """Methods to be documented here: what a public base class has is documented there, once."""
    hidden = BETWEEN_OURSELVES.get(kind.__name__, set()) | {"checkpoint", "roll_back"}
    hidden |= {name for base in kind.__mro__[1:] if base in PUBLIC for name in dir(base)}
    return [
        name for name, member in inspect.getmembers(kind) if name[0] != "_" and is_ours(member) and name not in hidden
    ]


def complaints(name, not_asked):
    return [f"{name}: {code} {text}" for code, text in validate(name)["errors"] if code not in not_asked]


def test_every_public_name_is_listed():
    aliases = {f"winnowkit.model_file.{name}": f"winnowkit.{name}" for name in ("save", "load")}
    assert {aliases.get(name, name) for name in NAMES} - listed() == set()


def test_what_is_listed_exists():
    pages = {page.stem for page in REFERENCE.glob("*.rst")}
    for name in listed():
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(module or "winnowkit"), attribute) or attribute in pages, name


@pytest.mark.parametrize("name", [name for name, value in zip(NAMES, PUBLIC, strict=True) if callable(value)])
def test_docstrings(name):
    module, _, attribute = name.rpartition(".")
    value = getattr(import_module(module), attribute)
    not_asked = NOT_ASKED | ({"PR01"} if "__init__" in BETWEEN_OURSELVES.get(attribute, ()) else set())
    found = complaints(name, not_asked)
    if inspect.isclass(value):
        found += [text for method in methods_of(value) for text in complaints(f"{name}.{method}", NOT_ASKED_OF_METHODS)]
    assert found == []

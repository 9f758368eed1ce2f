"""The contenders: our learners, the bare loops, scikit-learn, Vowpal Wabbit and river.

A new peer is a `Contender` in one of the lists at the end. A contender prepares its task while the clock is
stopped (a new learner, the data in the peer's own form), and returns a function to call while the clock runs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import loops
import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Perceptron, SGDClassifier

import winnowkit as wk

try:
    from vowpalwabbit import Workspace
except ImportError:
    Workspace = None
try:
    from river import linear_model
except ImportError:
    linear_model = None

CLASSES = np.array([0, 1])


@dataclass
class Data:
    """Examples as CSR and, made when first needed, in the forms that peers need."""

    X: Any
    y: NDArray[np.int64]
    folder: Path

    @property
    def n(self) -> int:
        """The number of attributes."""
        return int(self.X.shape[1])

    def head(self, rows: int) -> Data:
        """Return the first rows only."""
        return Data(self.X[:rows], self.y[:rows], self.folder)

    def active(self, dtype: Any = np.int64) -> list[NDArray[Any]]:
        """Active indices, one array per row."""
        return [self.X.indices[start:stop].astype(dtype) for start, stop in pairwise(self.X.indptr)]

    def dicts(self) -> list[dict[int, float]]:
        """One dictionary of active attributes per row."""
        return [dict.fromkeys(row.tolist(), 1.0) for row in self.active()]

    def lines(self) -> Iterator[str]:
        """The text format of Vowpal Wabbit, which uses whole numbers as indices without hashing."""
        names = list(map(str, self.X.indices.tolist()))
        for (start, stop), label in zip(pairwise(self.X.indptr.tolist()), self.y.tolist(), strict=True):
            yield f"{'1' if label else '-1'} | {' '.join(names[start:stop])}\n"

    @cached_property
    def vw_input(self) -> str:
        """Return the options with which Vowpal Wabbit reads already parsed examples from its binary cache."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        text = folder / "examples.txt"
        with text.open("w") as file:
            file.writelines(self.lines())
        source = f"-d {text} --cache_file {folder / 'examples.cache'}"
        Workspace(f"--quiet -k {source} {vw_bits(self)}").finish()
        return source


@contextmanager
def data_of(X: Any, y: NDArray[np.int64]) -> Iterator[Data]:
    """Yield examples with a temporary folder for the files that peers need."""
    with tempfile.TemporaryDirectory() as folder:
        yield Data(X, y, Path(folder))


@dataclass(frozen=True)
class Contender:
    """A learner and one task. `start` prepares it and returns the function to time, or one that counts mistakes."""

    name: str
    start: Callable[[Data], Callable[[], Any]]
    rows: int | None = None  # the most rows
    numbers: int | None = None  # the most numbers, zeros included
    rounds: int | None = None  # the most rounds

    def part(self, data: Data) -> Data:
        """Return as much of the data as this contender is given."""
        rows = [len(data.y)]
        rows += [self.rows] if self.rows else []
        rows += [max(10, self.numbers // data.n)] if self.numbers else []
        return data.head(min(rows)) if min(rows) < len(data.y) else data


WARM_UP = 100  # rows for compilation


def all_rounds(contenders: list[Contender], data: Data, rounds: int) -> dict[str, tuple[list[float], int]]:
    """Return seconds per row in each round of each contender, and the number of rows it was given."""
    found: dict[str, tuple[list[float], int]] = {}
    for turn in range(rounds):
        for contender in contenders:
            if turn >= (contender.rounds or rounds):
                continue
            if turn == 0:
                contender.start(contender.part(data.head(WARM_UP)))()
            part = contender.part(data)
            run = contender.start(part)
            start = perf_counter()
            run()
            time = (perf_counter() - start) / len(part.y)
            found.setdefault(contender.name, ([], len(part.y)))[0].append(time)
    return found


# --- a pass over a matrix ---------------------------------------------------------------------------------------------


def ours(make: Callable[[], Any], data: Data) -> Callable[[], Any]:
    return partial(make().partial_fit, data.X, data.y, classes=CLASSES)


def scikit_learn(make: Callable[[], Any], data: Data) -> Callable[[], Any]:
    return partial(make().partial_fit, data.X, data.y, classes=CLASSES)


def bare_winnow2(data: Data) -> Callable[[], int]:
    X, w = data.X, np.ones(data.n)
    return partial(loops.winnow2, X.data, X.indices, X.indptr, data.y, w, 1.5, float(data.n), 0.0)


def vowpal_wabbit(options: str, data: Data) -> Callable[[], Any]:
    arguments = f"--quiet {data.vw_input} {vw_bits(data)} {options}"
    return lambda: Workspace(arguments).finish()


def vw_bits(data: Data) -> str:
    """Return the number of bits with which no attributes share a weight."""
    return f"-b {max(18, data.n.bit_length())}"


def river(make: Callable[[], Any], data: Data) -> Callable[[], Any]:
    model, rows, labels = make(), data.dicts(), (data.y == 1).tolist()

    def run() -> None:
        for x, y in zip(rows, labels, strict=True):
            model.learn_one(x, y)

    return run


# --- example by example -----------------------------------------------------------------------------------------------


def one_by_one(learn: Callable[[Any, Any], Any], rows: list[Any], labels: list[Any]) -> Callable[[], Any]:
    def run() -> None:
        for x, y in zip(rows, labels, strict=True):
            learn(x, y)

    return run


def learn_active(make: Callable[[], Any], dtype: Any, data: Data) -> Callable[[], Any]:
    return one_by_one(make().begin(data.n, CLASSES).learn_active, data.active(dtype), data.y.tolist())


def learn_one(data: Data) -> Callable[[], Any]:
    return one_by_one(wk.Winnow2().begin(data.n, CLASSES).learn_one, list(data.X.toarray()), data.y.tolist())


def scikit_learn_row_at_a_time(data: Data) -> Callable[[], Any]:
    model = Perceptron(shuffle=False).partial_fit(data.X[:1], data.y[:1], classes=CLASSES)
    rows = [(data.X[i : i + 1], data.y[i : i + 1]) for i in range(data.X.shape[0])]
    return one_by_one(lambda x, _: model.partial_fit(*x), rows, data.y.tolist())


def vw_text_examples(options: str, data: Data) -> Callable[[], Any]:
    model = Workspace(f"--quiet {vw_bits(data)} {options}")
    return one_by_one(lambda line, _: model.learn(line), list(data.lines()), data.y.tolist())


def vw_parsed_examples(options: str, data: Data) -> Callable[[], Any]:
    """Parse examples beforehand; each takes Vowpal Wabbit tens of kilobytes, so they are few, and released."""
    model = Workspace(f"--quiet {vw_bits(data)} {options}")
    examples = [model.parse(line) for line in data.lines()]

    def learn(example: Any, _: int) -> None:
        model.learn(example)
        model.finish_example(example)

    return one_by_one(learn, examples, data.y.tolist())


# --- progressive mistakes ---------------------------------------------------------------------------------------------


def our_mistakes(make: Callable[[], Any], data: Data) -> Callable[[], int]:
    return lambda: make().partial_fit(data.X, data.y, classes=CLASSES).n_mistakes_


def perceptron_mistakes(data: Data) -> Callable[[], int]:
    X = data.X
    return partial(loops.perceptron, X.data, X.indices, X.indptr, data.y, np.zeros(data.n))


def vw_mistakes(options: str, data: Data) -> Callable[[], int]:
    """Count mistakes by the progressive loss of Vowpal Wabbit, taken before each update; --binary makes it 0 or 1."""

    def run() -> int:
        model = Workspace(f"--quiet --binary {data.vw_input} {vw_bits(data)} {options}")
        mistakes = round(model.get_sum_loss())
        model.finish()
        return mistakes

    return run


# --- the lists --------------------------------------------------------------------------------------------------------

BARE = "bare numba loop"
REFERENCE = "Winnow2"
OURS: dict[str, Callable[[], Any]] = {
    REFERENCE: wk.Winnow2,
    "BalancedWinnow": wk.BalancedWinnow,
    "NormalizedWinnow": wk.NormalizedWinnow,
    "ThresholdedBEG": wk.ThresholdedBEG,
    "BayesBEG": wk.BayesBEG,
    'BayesBEG, policy="always"': partial(wk.BayesBEG, policy="always"),
    "Committee": wk.Committee,
}
# By default partial_fit takes the rows in random order, at two to three times the cost.
SCIKIT_LEARN: dict[str, Callable[[], Any]] = {
    "scikit-learn Perceptron": Perceptron,
    "scikit-learn Perceptron, shuffle=False": partial(Perceptron, shuffle=False),
    "scikit-learn SGDClassifier, hinge": partial(SGDClassifier, loss="hinge", shuffle=False),
    "scikit-learn SGDClassifier, log_loss": partial(SGDClassifier, loss="log_loss", shuffle=False),
    "scikit-learn passive-aggressive (SGDClassifier, pa1)": partial(
        SGDClassifier, loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, shuffle=False
    ),
}
VW = {"Vowpal Wabbit": "", "Vowpal Wabbit --coin": "--coin"}


def river_models() -> dict[str, Callable[[], Any]]:
    if linear_model is None:
        return {}
    return {"river Perceptron": linear_model.Perceptron, "river LogisticRegression": linear_model.LogisticRegression}


def passes() -> list[Contender]:
    """Return the contenders for one pass over a matrix."""
    found = [Contender(BARE, bare_winnow2)]
    found += [Contender(name, partial(ours, make)) for name, make in OURS.items()]
    found += [Contender(name, partial(scikit_learn, make)) for name, make in SCIKIT_LEARN.items()]
    if Workspace is not None:
        found += [Contender(name, partial(vowpal_wabbit, options), rounds=2) for name, options in VW.items()]
    found += [Contender(name, partial(river, make), rows=4000, rounds=1) for name, make in river_models().items()]
    return found


def singles() -> list[Contender]:
    """Return the contenders for learning from one example at a time."""
    found = [
        Contender("Winnow2.learn_active, int64 indices", partial(learn_active, wk.Winnow2, np.int64)),
        Contender("Winnow2.learn_active, int32 indices", partial(learn_active, wk.Winnow2, np.int32)),
        Contender(
            'BayesBEG(policy="always").learn_active, int64',
            partial(learn_active, partial(wk.BayesBEG, policy="always"), np.int64),
        ),
        Contender("Winnow2.learn_one, an array of n numbers", learn_one, numbers=20_000_000),
    ]
    if Workspace is not None:
        for name, options in VW.items():
            found.append(
                Contender(f"{name}, parsed examples", partial(vw_parsed_examples, options), rows=2000, rounds=3)
            )
            found.append(Contender(f"{name}, lines of text", partial(vw_text_examples, options), rows=20_000, rounds=3))
    found += [
        Contender(f"{name}.learn_one", partial(river, make), rows=4000, rounds=1)
        for name, make in river_models().items()
    ]
    found.append(
        Contender(
            "scikit-learn Perceptron.partial_fit, a row at a time", scikit_learn_row_at_a_time, rows=300, rounds=1
        )
    )
    return found


def mistake_makers() -> list[Contender]:
    """Return the contenders for progressive mistakes."""
    learners: dict[str, Callable[[], Any]] = {
        "Winnow1": wk.Winnow1,
        **{name: OURS[name] for name in ("Winnow2", "BalancedWinnow", "NormalizedWinnow", "ThresholdedBEG")},
        'ThresholdedBEG, preset="noise-free"': partial(wk.ThresholdedBEG, preset="noise-free"),
        "BayesBEG": wk.BayesBEG,
        'BayesBEG, policy="always"': partial(wk.BayesBEG, policy="always"),
        "Committee": wk.Committee,
    }
    found = [Contender(name, partial(our_mistakes, make)) for name, make in learners.items()]
    found.append(Contender("perceptron", perceptron_mistakes))
    if Workspace is not None:
        found += [Contender(name, partial(vw_mistakes, options)) for name, options in VW.items()]
    return found


def missing() -> list[str]:
    """Return the peers that are not installed."""
    return [name for name, module in (("vowpalwabbit", Workspace), ("river", linear_model)) if module is None]

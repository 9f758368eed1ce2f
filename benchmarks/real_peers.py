"""Contenders on real data: ours, Vowpal Wabbit, and scikit-learn's on-line classifiers.

Each is given the examples in the same order. Ours and Vowpal Wabbit take the values as they are; scikit-learn's take
tf-idf where attributes are words. While mistakes are counted its document counts are those so far, so that nobody
looks ahead; for held-out errors they are those of the training part.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import loops
import numpy as np
from numpy.typing import NDArray
from peers import SCIKIT_LEARN, Workspace
from real_data import RealSet
from scipy.special import expit, softmax
from sklearn.feature_extraction.text import TfidfTransformer

import winnowkit as wk
from winnowkit.core.csr import Trials
from winnowkit.core.growing import one_row
from winnowkit.linear.committee_learner import CommitteeLearner

COMMITTEE = "Committee"
LOGISTIC = "Vowpal Wabbit, logistic"
VARIANTS = {
    "Vowpal Wabbit": "",
    LOGISTIC: "--loss_function logistic",
    "Vowpal Wabbit, hinge": "--loss_function hinge",
    "Vowpal Wabbit --coin": "--coin",
}
RULES = {
    "scikit-learn Perceptron, shuffle=False": loops.PERCEPTRON,
    "scikit-learn passive-aggressive (SGDClassifier, pa1)": loops.PASSIVE_AGGRESSIVE,
    "scikit-learn SGDClassifier, hinge": loops.HINGE,
    "scikit-learn SGDClassifier, log_loss": loops.LOG_LOSS,
}
LEAST = 1e-6
"""Probabilities are cut here for the log-loss, as a single certain error would make it infinite."""


@dataclass(frozen=True)
class RealContender:
    """A learner on real data."""

    name: str
    mistakes: Callable[[RealSet], int]  # of one pass, each label predicted first
    wrong: Callable[[RealSet, Sequence[int], int], NDArray[np.bool_]]  # by passes and rows held out, given a seed


def contenders() -> list[RealContender]:
    """Return all that can take part."""
    own: dict[str, Callable[..., Any]] = {COMMITTEE: wk.Committee, "AROW": wk.AROW}
    found = [RealContender(name, partial(our_mistakes, make), partial(our_wrong, make)) for name, make in own.items()]
    if Workspace is not None:
        found += [
            RealContender(name, partial(vw_mistakes, options), partial(vw_wrong, options))
            for name, options in VARIANTS.items()
        ]
    found += [
        RealContender(_short(name), partial(scikit_learn_mistakes, rule), partial(scikit_learn_wrong, name))
        for name, rule in RULES.items()
    ]
    return found


def _short(name: str) -> str:
    return name.removesuffix(", shuffle=False").replace(" (SGDClassifier, pa1)", "").replace("SGDClassifier", "SGD")


# --- ours -------------------------------------------------------------------------------------------------------------


def our_mistakes(make: Callable[..., Any], examples: RealSet) -> int:
    classes = np.arange(examples.n_classes)
    return int(make().partial_fit(examples.X, examples.y, classes=classes).n_mistakes_)


def our_wrong(make: Callable[..., Any], examples: RealSet, passes: Sequence[int], seed: int) -> NDArray[np.bool_]:
    models = (make(max_epochs=done, random_state=seed) for done in passes)
    predicted = [model.fit(examples.X, examples.y).predict(examples.X_test) for model in models]
    return np.array(predicted) != examples.y_test


def our_log_loss(examples: RealSet) -> float:
    """Mean log-loss of Committee's probabilities, each asked for before the label is learned."""
    X, n_learners = examples.X, 1 if examples.n_classes == 2 else examples.n_classes
    learner, lost = CommitteeLearner.begin(X.shape[1], n_learners), 0.0
    for (start, stop), label in zip(pairwise(X.indptr.tolist()), examples.y.tolist(), strict=True):
        row = one_row(X.indices[start:stop].astype(np.int64), X.data[start:stop], None)
        decisions = learner.decide(row, 0, 1)[0]
        chances = softmax(decisions) if n_learners > 1 else expit([-decisions[0], decisions[0]])
        lost -= float(np.log(np.clip(chances[label], LEAST, 1.0)))
        learner.learn(Trials(row, np.array([label])))
    return lost / len(examples.y)


# --- Vowpal Wabbit ----------------------------------------------------------------------------------------------------


def lines(X: Any, y: NDArray[np.int64], n_classes: int) -> Iterator[str]:
    """The text format of Vowpal Wabbit, which uses whole numbers as indices without hashing."""
    words = [f"{i}" if v == 1.0 else f"{i}:{v:g}" for i, v in zip(X.indices.tolist(), X.data.tolist(), strict=True)]
    for (start, stop), label in zip(pairwise(X.indptr.tolist()), y.tolist(), strict=True):
        code = label + 1 if n_classes > 2 else 2 * label - 1
        yield f"{code} | {' '.join(words[start:stop])}\n"


class VWFiles:
    """The examples in a temporary folder, and what Vowpal Wabbit has to be told about them."""

    def __init__(self, examples: RealSet, options: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path, n = Path(self.folder.name), examples.n_classes
        for name, X, y in (("train", examples.X, examples.y), ("test", examples.X_test, examples.y_test)):
            (self.path / name).write_text("".join(lines(X, y, n)))
        bits = max(18, (examples.X.shape[1] * (1 if n == 2 else n)).bit_length())  # no attributes share a weight
        kind = f"--oaa {n}" if n > 2 else ""
        self.options = f"--quiet -b {bits} {kind} {options}"

    def __enter__(self) -> VWFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()

    def run(self, name: str, options: str = "", model: Path | None = None) -> float:
        """Go over a file, with a saved model if one is named; returns the losses, each from before the update."""
        known = self.options if model is None else f"--quiet -t -i {model}"
        workspace = Workspace(f"{known} -d {self.path / name} {options}")
        lost = float(workspace.get_sum_loss())
        workspace.finish()
        return lost

    def predictions(self, name: str, options: str, model: Path | None = None) -> list[str]:
        """Go over a file, and return the predictions, one line each."""
        said = self.path / "said"
        self.run(name, f"{options} -p {said}", model)
        return said.read_text().splitlines()


def vw_mistakes(options: str, examples: RealSet) -> int:
    with VWFiles(examples, options) as files:
        return round(files.run("train", "--binary" if examples.n_classes == 2 else ""))


def vw_wrong(options: str, examples: RealSet, passes: Sequence[int], seed: int) -> NDArray[np.bool_]:
    del seed  # the order is that of the rows, in all passes
    wrong = []
    with VWFiles(examples, options) as files:
        model, cache = files.path / "model", files.path / "cache"
        binary = "--binary" if examples.n_classes == 2 else ""
        for done in passes:
            files.run("train", f"--passes {done} --holdout_off -k --cache_file {cache} -f {model}")
            said = files.predictions("test", binary, model)
            codes = np.array([int(float(line.split()[0])) for line in said])
            wrong.append((codes + 1) // 2 != examples.y_test if binary else codes - 1 != examples.y_test)
    return np.array(wrong)


def vw_log_loss(examples: RealSet) -> float:
    several = examples.n_classes > 2
    with VWFiles(examples, VARIANTS[LOGISTIC]) as files:
        said = files.predictions("train", "--probabilities" if several else "--link logistic")
    lost = 0.0
    for line, label in zip(filter(None, said), examples.y.tolist(), strict=True):
        numbers = [float(word.split(":")[-1]) for word in line.split()]
        chance = numbers[label] if several else numbers[0] if label else 1.0 - numbers[0]
        lost -= float(np.log(min(1.0, max(LEAST, chance))))
    return lost / len(examples.y)


# --- scikit-learn -----------------------------------------------------------------------------------------------------


def scikit_learn_mistakes(rule: int, examples: RealSet) -> int:
    X, n_learners = examples.X, 1 if examples.n_classes == 2 else examples.n_classes
    data = loops.idf_so_far(X.data, X.indices, X.indptr, X.shape[1]) if examples.words else X.data
    w, intercepts = np.zeros((n_learners, X.shape[1])), np.zeros(n_learners)
    return int(loops.scikit_learn_mistakes(data, X.indices, X.indptr, examples.y, rule, w, intercepts))


def scikit_learn_wrong(name: str, examples: RealSet, passes: Sequence[int], seed: int) -> NDArray[np.bool_]:
    model = SCIKIT_LEARN[name]().set_params(shuffle=True, random_state=seed)
    X, X_test = examples.X, examples.X_test
    if examples.words:
        weigh = TfidfTransformer().fit(X)
        X, X_test = weigh.transform(X), weigh.transform(X_test)
    wrong = []
    for done in range(1, max(passes) + 1):
        model.partial_fit(X, examples.y, classes=np.arange(examples.n_classes))
        if done in passes:
            wrong.append(model.predict(X_test) != examples.y_test)
    return np.array(wrong)


# --- the time of a pass -----------------------------------------------------------------------------------------------


def timed(examples: RealSet, files: VWFiles | None) -> dict[str, Callable[[], Any]]:
    """Return what is timed: one pass each; Vowpal Wabbit reads examples that it has parsed before, from its cache."""
    X, y, classes = examples.X, examples.y, np.arange(examples.n_classes)
    own: dict[str, Callable[[], Any]] = {"Winnow2": wk.Winnow2, COMMITTEE: wk.Committee, "AROW": wk.AROW}
    runs: dict[str, Callable[[], Any]] = {
        name: lambda make=make: make().partial_fit(X, y, classes=classes) for name, make in own.items()
    }
    if files is not None:
        cache = f"--cache_file {files.path / 'cache'}"
        files.run("train", f"-k {cache}")
        for name, options in VARIANTS.items():
            runs[name] = lambda options=options: files.run("train", f"{cache} {options}")
    return runs

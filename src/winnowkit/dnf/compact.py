"""Choose a few rules that predict as a fitted model does: terms heavy in the model, and right on the rows given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from winnowkit.core.multiclass import class_of, encode_labels
from winnowkit.core.validation import require
from winnowkit.dnf.heaviest import Heaviest, Term, heaviest
from winnowkit.dnf.interpretation import Fitted, checked_labels
from winnowkit.dnf.kernels.covering import Covers, Wanted, count, count_wrong, greedy
from winnowkit.dnf.kernels.problem import Codes, Ints
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.soft_interpretation import SoftModel
from winnowkit.dnf.soft_learners import RangeTerm
from winnowkit.rulesets.model_report import Report
from winnowkit.rulesets.ruleset import RuleSet

Found = dict[tuple[int, Any], None]  # terms with their learners, in the order in which they were found

POOL_NODES = 1_000
"""Nodes after which a search, one of dozens, makes do with shorter terms."""
SIZE = 250
"""Terms of each search."""
SLACK = 6
"""In the search of the log alone: how far a part of a term may be ahead of it, as the rows may prefer the term."""
PENALTIES = (1, 4, 16)
"""Promotions that a wrong row takes off a term's net in the searches with the rows; a correct row adds 1."""
ROUNDS = 3
"""How often to look for terms that would correct what is still wrong."""
OF_LOG = 500
"""How many times as many nodes the search of the log alone may have, as there is only one per learner."""
MAX_LITERALS = 6
"""The most literals of a term, by default."""
GAINS = (1, 2, 4, 8, 16)
"""Values of `min_gain` to choose from: how many rows a rule must be worth."""
PARTS = 5
"""Parts of the rows, each held out once."""
WRONG_COSTS = (1.0, 2.0, 4.0, 8.0, 16.0, np.inf)
"""How many correct rows outweigh a wrong one in a greedy choice: a careful one leaves room for better rules later."""


def compact(
    model: Fitted | SoftModel,
    X: Any,
    y: npt.ArrayLike | None,
    predicted: npt.NDArray[Any],
    *,
    max_rules: int,
    min_gain: int | Literal["auto"],
    max_nodes: int,
) -> RuleSet:
    """Choose few rules by rows and the labels predicted for them; see :meth:`winnowkit.DNFWinnow.compact`."""
    require(min_gain == "auto" or min_gain >= 1, "min_gain must be 'auto' or an integer >= 1", min_gain)
    if not len(predicted):
        raise ValueError("compact chooses rules by their errors on rows, and X has no rows")
    target = encode_labels(model.classes, predicted if y is None else checked_labels(X, y))
    source = SoftSource(model) if isinstance(model, SoftModel) else LogSource(model, max_nodes)
    pool = Pool(source, model.encoder.transform(X), target)
    gain = min_gain if min_gain != "auto" else 1 if y is None else None
    terms, default, wrong = pool.select(max_rules, gain)
    rules = RuleSet([model.rule(c, term) for c, term in terms], model.classes[default], model.encoder.feature_names_)
    curve = [n_wrong / len(target) for n_wrong in wrong]
    agreement = float(np.mean(rules.predict(X) == predicted))
    report = Report(len(target), agreement, None if y is None else curve[-1], curve)
    return replace(rules.measured(X, model.classes[target]), complete=source.complete, report=report)


class Chosen(NamedTuple):
    """Terms in order, each with its learner; the class if none holds; wrong rows with the first 0, 1, 2, ... terms."""

    terms: list[tuple[int, Any]]
    default: int
    wrong: list[int]


class Offer(NamedTuple):
    """Terms to choose from, the rows that they cover, the classes that they predict, and the right classes."""

    terms: list[tuple[int, Any]]
    covers: Covers
    classes: Ints
    target: Ints


class TermSource(Protocol):
    """Finds terms of a model that rules are chosen from; class c may have terms of its own from each."""

    n_learners: int
    complete: bool
    seed: int

    def heaviest(self) -> Found:
        """Find the heaviest terms of each learner."""

    def right_on(self, codes: Codes, target: Ints, wanted: npt.NDArray[np.bool_], share: int) -> Found:
        """Find terms that have weight in the model and are right on the rows wanted, in 1 / `share` of the time."""


class LogSource:
    """Terms promoted more often than demoted, found by searches of the log alone and of the log with the rows.

    A search "with the rows" adds them to the log, as promotions where they have the learner's label and as several
    demotions where they have another: so its heaviest terms have weight in the model and are right on the rows.

    Parameters
    ----------
    model : Fitted
        The model.
    max_nodes : int
        The number of nodes after which a search with the rows makes do with shorter terms; `complete` says whether none
        had to.
    """

    def __init__(self, model: Fitted, max_nodes: int) -> None:
        self.logs, self.seed = model.learners.logs, model.learners.seed
        self.longest, self.max_nodes, self.complete = model.max_literals or MAX_LITERALS, max_nodes, True
        self.n_learners = len(self.logs)

    def heaviest(self) -> Found:
        """Find the heaviest terms of each learner."""
        found: Found = {}
        for c, log in enumerate(self.logs):
            most = OF_LOG * self.max_nodes
            found |= self._promoted(c, heaviest(log, SIZE, self.longest, slack=SLACK, max_nodes=most))
        return found

    def right_on(self, codes: Codes, target: Ints, wanted: npt.NDArray[np.bool_], share: int) -> Found:
        """Find terms that have weight in the model and are right on the rows wanted, in 1 / `share` of the time."""
        found: Found = {}
        for c in range(self.n_learners):
            for penalty in PENALTIES:
                log = self._with_rows(c, codes, target, wanted, penalty)
                most = max(1, self.max_nodes // share)
                found |= self._promoted(c, heaviest(log, SIZE, self.longest, max_nodes=most))
        return found

    def _promoted(self, c: int, found: Heaviest) -> Found:
        self.complete = self.complete and found.complete
        codes, nets = self.logs[c].codes, self.logs[c].nets
        totals = [(term, int(nets[term.covers(codes)].sum())) for term in found.terms]
        return {(c, Term(term.literals, net)): None for term, net in totals if net > 0}

    def _with_rows(
        self, c: int, codes: Codes, target: Ints, promoted: npt.NDArray[np.bool_], penalty: int
    ) -> MistakeLog:
        log = self.logs[c]
        joint = MistakeLog(log.n_attributes)
        for z, net in zip(log.codes, log.nets.tolist(), strict=True):
            joint.give(z, net)
        right = target == class_of(c, self.n_learners)
        for x, net in zip(codes, np.where(right, promoted.astype(int), -penalty).tolist(), strict=True):
            joint.give(x, net)
        return joint


class SoftSource:
    """Terms that speak for a class in a model of soft updates; all of them are counted, none is searched for.

    Parameters
    ----------
    model : SoftModel
        The model.
    """

    def __init__(self, model: SoftModel) -> None:
        self.model, self.seed, self.complete = model, 0, True
        self.n_learners = len(model.classes)  # a single score has terms for both classes

    def heaviest(self) -> Found:
        """Find the terms that add most to the score of each class."""
        classes = range(self.n_learners)
        return {(c, _by_weight(term)): None for c in classes for term in self.model.heaviest(c, SIZE)}

    def right_on(self, codes: Codes, target: Ints, wanted: npt.NDArray[np.bool_], share: int) -> Found:  # noqa: ARG002 - it takes no time
        """Find terms that have weight in the model and are right on the rows wanted."""
        found: Found = {}
        for c in range(self.n_learners):
            positions, _ = self.model.promoted(c)
            right = target == c
            for penalty in PENALTIES:
                gains = self.model.learners.totals(codes, np.where(right, wanted.astype(float), -float(penalty)))
                best = positions[np.argsort(-gains[positions], kind="stable")[:SIZE]]
                best = best[gains[best] > 0]
                terms = self.model.learners.terms(best, self.model.learner_of(c))
                found |= {(c, _by_weight(term)): None for term in terms}
        return found


def _by_weight(term: RangeTerm) -> RangeTerm:
    """Return the term with what it adds as a positive number, whichever class it speaks for."""
    return term._replace(added=abs(term.added))


class Pool:
    """Terms to choose from, found on some rows.

    Parameters
    ----------
    source : TermSource
        Finds the terms.
    codes : array of int, shape (rows, attributes)
        The rows.
    target : array of int, shape (rows,)
        Their classes.
    share : int
        How many pools share the time that a search may take.
    """

    def __init__(self, source: TermSource, codes: Codes, target: Ints, share: int = 1) -> None:
        self.source, self.codes, self.target, self.share = source, codes, target, share
        self._terms: Found = {}
        # Classes to try where no rule holds: a single learner has no rules for the other class.
        self._defaults = [0] if source.n_learners == 1 else np.unique(target).tolist()

    def select(self, max_rules: int, min_gain: int | None) -> Chosen:
        """Choose terms and a default; look again for terms that correct what is wrong, as long as that helps."""
        self._terms |= self.source.heaviest()
        of_model = dict(self._terms)
        self._look(np.ones(len(self.target), dtype=np.bool_))
        gain = min_gain or GAINS[0]
        chosen = self._choose(max_rules, gain)
        for _ in range(ROUNDS):
            wrong = self._predicted(chosen) != self.target
            if not wrong.any() or len(chosen.terms) == max_rules:
                break
            self._look(wrong)
            better = self._choose(max_rules, gain)
            if better.wrong[-1] >= chosen.wrong[-1]:
                break
            chosen = better
        if min_gain is not None or len(self.target) < 2 * PARTS:
            return chosen
        best = self._best_gain(max_rules, of_model, chosen.default, np.random.default_rng(self.source.seed))
        choices = (self._choose(max_rules, gain) for gain in reversed(GAINS) if gain <= best)
        return next((choice for choice in choices if choice.terms), chosen)  # a rule set without rules explains nothing

    def _look(self, wanted: npt.NDArray[np.bool_]) -> None:
        """Search with the rows for terms that are right on those wanted."""
        self._terms |= self.source.right_on(self.codes, self.target, wanted, self.share)

    def _best_gain(self, max_rules: int, of_model: Found, default: int, rng: np.random.Generator) -> int:
        """Largest gain whose error, on rows that a choice has not seen, is within a standard error of the least.

        The one-standard-error rule of Breiman et al. (1984, section 3.4.3), here for the cost of a rule. The candidates
        are found without these rows, too, except for the terms of the model alone.
        """
        wrong, parts = np.zeros((len(GAINS), len(self.target))), self._parts(rng)
        for part in (parts == k for k in range(PARTS)):
            pool = Pool(self.source, self.codes[~part], self.target[~part], PARTS)
            pool._terms = dict(of_model)
            if self.source.n_learners > 2:
                pool._defaults = [default]  # trying each would take long and change little
            pool._look(np.ones(len(pool.target), dtype=np.bool_))
            offer = pool._offer
            for g, gain in enumerate(GAINS):
                wrong[g, part] = self._predicted(pool._choose(max_rules, gain, offer), part) != self.target[part]
        errors = wrong.mean(axis=1)
        limit = errors.min() + wrong[errors.argmin()].std() / np.sqrt(len(self.target))
        return max(gain for gain, error in zip(GAINS, errors, strict=True) if error <= limit)

    def _parts(self, rng: np.random.Generator) -> Ints:
        """Part that each row belongs to; each part has its share of every class."""
        order = rng.permutation(len(self.target))
        parts = np.empty(len(order), dtype=np.int64)
        parts[order[np.argsort(self.target[order], kind="stable")]] = np.arange(len(order)) % PARTS
        return parts

    def _choose(self, max_rules: int, min_gain: int, offer: Offer | None = None) -> Chosen:
        offer = offer or self._offer
        choices = [select(*offer[1:], default, max_rules, min_gain) for default in self._defaults]
        best = min(choices, key=lambda chosen: (chosen.wrong[-1] + min_gain * len(chosen.rules), chosen.wrong[-1]))
        return Chosen([offer.terms[k] for k in best.rules], best.default, best.wrong)

    @property
    def _offer(self) -> Offer:
        """The terms found so far, the heaviest first."""
        terms = sorted(self._terms, key=lambda found: (-found[1][1], len(found[1].literals), found))
        covers = np.zeros((len(self.target), len(terms)), dtype=np.bool_)
        for k, (_, term) in enumerate(terms):
            covers[:, k] = term.covers(self.codes)
        classes = np.array([class_of(c, self.source.n_learners) for c, _ in terms], dtype=np.int64)
        return Offer(terms, covers, classes, self.target)

    def _predicted(self, chosen: Chosen, rows: npt.NDArray[np.bool_] | None = None) -> Ints:
        """Classes that a choice predicts for the rows, or for some of them."""
        codes = self.codes if rows is None else self.codes[rows]
        predicted = np.full(len(codes), chosen.default)
        for c, term in reversed(chosen.terms):
            predicted[term.covers(codes)] = class_of(c, self.source.n_learners)
        return predicted


class Selection(NamedTuple):
    """Positions of rules, in order; the class if none holds; and the wrong rows with the first 0, 1, 2, ... rules."""

    rules: list[int]
    default: int
    wrong: list[int]


def select(covers: Covers, classes: Ints, target: Ints, default: int, max_rules: int, min_gain: int) -> Selection:
    """Choose an ordered list of rules greedily, once for each of `WRONG_COSTS`, and return the best choice.

    Each rule must take `min_gain` rows from wrong to right; a choice costs that many rows per rule, so that a longer
    one must earn its length.

    Parameters
    ----------
    covers : array of bool, shape (rows, rules)
        Where the conditions of each rule hold.
    classes : array of int, shape (rules,)
        The class that each rule predicts.
    target : array of int, shape (rows,)
        The right class of each row.
    default : int
        The class predicted where no rule holds.
    max_rules, min_gain : int
        The most rules, and how many rows each must be worth.

    Examples
    --------
    >>> covers = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 1]], dtype=bool)
    >>> select(covers, np.array([1, 1, 1]), np.array([1, 1, 0, 1]), default=0, max_rules=5, min_gain=1)
    Selection(rules=[1, 2], default=0, wrong=[3, 1, 0])
    """
    covers = np.ascontiguousarray(covers)
    counts = count(covers, target, int(max(target.max(initial=0), classes.max(initial=0), default)) + 1)
    greeds = [Wanted(max_rules, min_gain, min(penalty, float(len(target)))) for penalty in WRONG_COSTS]
    choices = [greedy(covers, classes, target, default, counts.copy(), wanted).tolist() for wanted in greeds]
    choices = [list(chosen) for chosen in dict.fromkeys(map(tuple, choices))]
    choices = [_pruned(covers, classes, target, default, chosen, min_gain) for chosen in choices]
    wrongs = [_wrong(covers, classes, target, default, chosen) for chosen in choices]
    best = min(zip(wrongs, choices, strict=True), key=lambda pair: (pair[0] + min_gain * len(pair[1]), pair[0]))[1]
    return Selection(best, default, [_wrong(covers, classes, target, default, best[:k]) for k in range(len(best) + 1)])


def _pruned(covers: Covers, classes: Ints, target: Ints, default: int, chosen: list[int], min_gain: int) -> list[int]:
    """Leave out rules that others have made worth less than `min_gain` rows, the latest first."""
    wrong = _wrong(covers, classes, target, default, chosen)
    for rule in reversed(chosen):
        fewer = [other for other in chosen if other != rule]
        without = _wrong(covers, classes, target, default, fewer)
        if without < wrong + min_gain:
            chosen, wrong = fewer, without
    return chosen


def _wrong(covers: Covers, classes: Ints, target: Ints, default: int, chosen: list[int]) -> int:
    return int(count_wrong(covers, classes, target, default, np.array(chosen, dtype=np.int64)))

"""Terms that a compact rule set may choose from: heavy in the model, and right on the rows given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.heaviest import Heaviest, Term, heaviest
from winnowkit.dnf.kernels.agree import Codes, Ints
from winnowkit.dnf.kernels.covering import Covers
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.select import select

Found = dict[tuple[int, Term], None]  # terms with their learners, in the order in which they were found

SIZE = 250
"""Terms of each search."""
SLACK = 6
"""In the search of the log alone: how far a part of a term may be ahead of it, as the rows may prefer the term."""
PENALTIES = (1, 4, 16)
"""Promotions that a row got wrong takes off a term's net in the searches that mind the rows; one got right adds 1."""
ROUNDS = 3
"""How often to look for terms that would put right what is still wrong."""
OF_LOG = 500
"""How many times as many nodes the search of the log alone may have: there is one a learner."""
LONGEST = 6
"""Most literals of a term, unless told."""
GAINS = (1, 2, 4, 8, 16)
"""What a rule must be worth, in rows, to choose from."""
PARTS = 5
"""Parts of the rows, each held out once."""


class Chosen(NamedTuple):
    """Terms in order, each with its learner; the class if none holds; rows wrong with the first 0, 1, 2, ... terms."""

    terms: list[tuple[int, Term]]
    default: int
    wrong: list[int]


class Offer(NamedTuple):
    """Terms to choose from, where they hold, what they say, and what should be said."""

    terms: list[tuple[int, Term]]
    covers: Covers
    says: Ints
    target: Ints


class Pool:
    """Promoted terms of the learners, found by searches of the log alone and of the log with the rows.

    A search "with the rows" adds them to the log, as promotions where they have the learner's label and as several
    demotions where they have another: so its heaviest terms are those the model gives weight to and the rows bear out.

    Parameters
    ----------
    logs : list of MistakeLog
        One a learner.
    codes : array of int, shape (rows, attributes)
        The rows.
    target : array of int, shape (rows,)
        Their classes.
    longest : int, optional
        Most literals of a term; None is 6.
    max_nodes : int
        Where a search with the rows gives up, and terms of fewer literals must do; `complete` says whether none did.
    """

    def __init__(self, logs: list[MistakeLog], codes: Codes, target: Ints, longest: int | None, max_nodes: int) -> None:
        self.logs, self.codes, self.target = logs, codes, target
        self.longest, self.max_nodes, self.complete = longest or LONGEST, max_nodes, True
        self._terms: Found = {}
        # What may be said where no rule holds: a learner alone has no rules for the other class.
        self._defaults = [0] if len(logs) == 1 else np.unique(target).tolist()

    def select(self, max_rules: int, min_gain: int | None, seed: int) -> Chosen:
        """Choose terms and a default; look again for terms that put right what is wrong, as long as that helps."""
        for c, log in enumerate(self.logs):
            self._add(c, heaviest(log, SIZE, self.longest, slack=SLACK, max_nodes=OF_LOG * self.max_nodes))
        of_log = dict(self._terms)
        self._look(np.ones(len(self.target), dtype=np.bool_))
        gain = min_gain or GAINS[0]
        chosen = self._choose(max_rules, gain)
        for _ in range(ROUNDS):
            wrong = self._said(chosen) != self.target
            if not wrong.any() or len(chosen.terms) == max_rules:
                break
            self._look(wrong)
            better = self._choose(max_rules, gain)
            if better.wrong[-1] >= chosen.wrong[-1]:
                break
            chosen = better
        if min_gain is not None or len(self.target) < 2 * PARTS:
            return chosen
        best = self._best_gain(max_rules, of_log, chosen.default, np.random.default_rng(seed))
        choices = (self._choose(max_rules, gain) for gain in reversed(GAINS) if gain <= best)
        return next((choice for choice in choices if choice.terms), chosen)  # no rule at all says nothing

    def _look(self, wanted: npt.NDArray[np.bool_]) -> None:
        """Search with the rows for terms that are right on those wanted."""
        for c in range(len(self.logs)):
            for penalty in PENALTIES:
                self._search(c, self._with_rows(c, wanted, penalty))

    def _best_gain(self, max_rules: int, of_log: Found, default: int, rng: np.random.Generator) -> int:
        """Largest gain whose error, on rows that a choice has not seen, is within a standard error of the least.

        The one-standard-error rule of Breiman and others (1984, section 3.4.3), here for the cost of a rule. What there
        is to choose from is looked for without these rows, too, but for the terms of the log alone.
        """
        wrong, parts = np.zeros((len(GAINS), len(self.target))), self._parts(rng)
        for part in (parts == k for k in range(PARTS)):
            pool = Pool(self.logs, self.codes[~part], self.target[~part], self.longest, max(1, self.max_nodes // PARTS))
            pool._terms = dict(of_log)
            if len(self.logs) > 2:
                pool._defaults = [default]  # to try each would take long, and change little
            pool._look(np.ones(len(pool.target), dtype=np.bool_))
            offer = pool._offer
            for g, gain in enumerate(GAINS):
                wrong[g, part] = self._said(pool._choose(max_rules, gain, offer), part) != self.target[part]
        errors = wrong.mean(axis=1)
        limit = errors.min() + wrong[errors.argmin()].std() / np.sqrt(len(self.target))
        return max(gain for gain, error in zip(GAINS, errors, strict=True) if error <= limit)

    def _parts(self, rng: np.random.Generator) -> Ints:
        """Number of the part of each row; each part has its share of every class."""
        order = rng.permutation(len(self.target))
        parts = np.empty(len(order), dtype=np.int64)
        parts[order[np.argsort(self.target[order], kind="stable")]] = np.arange(len(order)) % PARTS
        return parts

    def _search(self, c: int, log: MistakeLog) -> None:
        """Search a log that the rows have joined, for as long terms as the budget allows."""
        self._add(c, heaviest(log, SIZE, self.longest, max_nodes=self.max_nodes))

    def _add(self, c: int, found: Heaviest) -> None:
        self.complete = self.complete and found.complete
        codes, nets = self.logs[c].codes, self.logs[c].nets
        for term in found.terms:
            net = int(nets[term.covers(codes)].sum())
            if net > 0:
                self._terms[c, Term(term.literals, net)] = None

    def _with_rows(self, c: int, promoted: np.ndarray[tuple[int], np.dtype[np.bool_]], penalty: int) -> MistakeLog:
        log = self.logs[c]
        joint = MistakeLog(log.n_attributes)
        for z, net in zip(log.codes, log.nets.tolist(), strict=True):
            joint.give(z, net)
        right = self.target == self._label(c)
        for x, net in zip(self.codes, np.where(right, promoted.astype(int), -penalty).tolist(), strict=True):
            joint.give(x, net)
        return joint

    def _choose(self, max_rules: int, min_gain: int, offer: Offer | None = None) -> Chosen:
        offer = offer or self._offer
        choices = [select(*offer[1:], default, max_rules, min_gain) for default in self._defaults]
        best = min(choices, key=lambda chosen: (chosen.wrong[-1] + min_gain * len(chosen.rules), chosen.wrong[-1]))
        return Chosen([offer.terms[k] for k in best.rules], best.default, best.wrong)

    @property
    def _offer(self) -> Offer:
        """The terms found so far, the heaviest first."""
        terms = sorted(self._terms, key=lambda found: (-found[1].net, len(found[1].literals), found))
        covers = np.zeros((len(self.target), len(terms)), dtype=np.bool_)
        for k, (_, term) in enumerate(terms):
            covers[:, k] = term.covers(self.codes)
        says = np.array([self._label(c) for c, _ in terms], dtype=np.int64)
        return Offer(terms, covers, says, self.target)

    def _said(self, chosen: Chosen, rows: npt.NDArray[np.bool_] | None = None) -> Ints:
        """What is said of the rows, or of some."""
        codes = self.codes if rows is None else self.codes[rows]
        said = np.full(len(codes), chosen.default)
        for c, term in reversed(chosen.terms):
            said[term.covers(codes)] = self._label(c)
        return said

    def _label(self, c: int) -> int:
        return 1 if len(self.logs) == 1 else c

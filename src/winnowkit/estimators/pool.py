"""Terms that a compact rule set may choose from: heavy in the model, and right on the rows given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from winnowkit.dnf.mistakes import MistakeLog
from winnowkit.dnf.terms import Heaviest, Term, heaviest
from winnowkit.kernels.agree import Codes, Ints
from winnowkit.readable.select import select

SIZE = 500
"""Terms of each search."""
SLACK = 6
"""In the search of the log alone: how far a part of a term may be ahead of it, as the rows may prefer the term."""
PENALTIES = (1, 4, 16)
"""Promotions that a row got wrong takes off a term's net in the searches that mind the rows; one got right adds 1."""
ROUNDS = 3
"""How often to look for terms that would put right what is still wrong."""
LONGEST = 6
"""Most literals of a term, unless told."""


class Chosen(NamedTuple):
    """Terms in order, each with its learner; the class if none holds; rows wrong with the first 0, 1, 2, ... terms."""

    terms: list[tuple[int, Term]]
    default: int
    wrong: list[int]


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
        self._terms: dict[tuple[int, Term], None] = {}

    def select(self, max_rules: int, min_gain: int) -> Chosen:
        """Choose terms and a default; look again for terms that put right what is wrong, as long as that helps."""
        every = np.ones(len(self.target), dtype=np.bool_)
        for c, log in enumerate(self.logs):
            self._add(c, heaviest(log, SIZE, self.longest, slack=SLACK))
            for penalty in PENALTIES:
                self._search(c, self._with_rows(c, every, penalty))
        chosen = self._choose(max_rules, min_gain)
        for _ in range(ROUNDS):
            wrong = self._said(chosen) != self.target
            if not wrong.any() or len(chosen.terms) == max_rules:
                break
            for c in range(len(self.logs)):
                for penalty in PENALTIES:
                    self._search(c, self._with_rows(c, wrong, penalty))
            better = self._choose(max_rules, min_gain)
            if better.wrong[-1] >= chosen.wrong[-1]:
                break
            chosen = better
        return chosen

    def _search(self, c: int, log: MistakeLog) -> None:
        """Search a log that the rows have joined, for as long terms as the budget allows."""
        found = heaviest(log, SIZE, 1)
        for longest in range(2, self.longest + 1):
            longer = heaviest(log, SIZE, longest, max_nodes=self.max_nodes)
            if not longer.complete:
                self.complete = False
                break
            found = longer
        self._add(c, found)

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

    def _choose(self, max_rules: int, min_gain: int) -> Chosen:
        """Best choice for any default that there may be: a learner alone has no rules for the other class."""
        terms = sorted(self._terms, key=lambda found: (-found[1].net, len(found[1].literals), found))
        covers = np.array([term.covers(self.codes) for _, term in terms], dtype=np.bool_).reshape(len(terms), -1).T
        covers = covers if terms else np.zeros((len(self.target), 0), dtype=np.bool_)
        says = np.array([self._label(c) for c, _ in terms], dtype=np.int64)
        choices = []
        for default in [0] if len(self.logs) == 1 else np.unique(self.target).tolist():
            rules, wrong = select(covers, says, self.target, default, max_rules, min_gain)
            choices.append(Chosen([terms[k] for k in rules], default, wrong))
        return min(choices, key=lambda chosen: (chosen.wrong[-1] + min_gain * len(chosen.terms), chosen.wrong[-1]))

    def _said(self, chosen: Chosen) -> Ints:
        said = np.full(len(self.target), chosen.default)
        for c, term in reversed(chosen.terms):
            said[term.covers(self.codes)] = self._label(c)
        return said

    def _label(self, c: int) -> int:
        return 1 if len(self.logs) == 1 else c

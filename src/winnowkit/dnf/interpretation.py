"""Reading what a learner of terms has learned: rules, a compact rule set, the reasons of one prediction."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length

from winnowkit.core.learner import require
from winnowkit.core.multiclass import encode_labels
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.compact import Pool
from winnowkit.dnf.explain import Explanation, explain
from winnowkit.dnf.heaviest import MAX_NODES, Heaviest, Term, heaviest
from winnowkit.dnf.learners import Learners
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import Report, RuleSet

PRECISE = 500
"""Terms looked at, at least, for those that are precise."""
POOL_NODES = 1_000
"""Nodes after which a search for compact rules, one of dozens, makes do with shorter terms."""


class Reading:
    """What a classifier over the terms of a table can say about itself."""

    max_literals: int | None
    classes_: NDArray[Any]
    encoder_: CategoryEncoder
    _learners: Learners

    def rules(
        self,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        max_rules: int = 20,
        max_literals: int | None = None,
        min_precision: float = 0.0,
        max_nodes: int = MAX_NODES,
    ) -> RuleSet:
        """Return the heaviest terms of each learner, as rules, the heaviest first.

        They are found exactly, by branch and bound over the log of mistakes (:func:`winnowkit.dnf.heaviest`): a term is
        left out if a more general one weighs at least as much, and of the terms that cover the same mistakes the
        shortest stands for all. The rules show what was learned: in the model the weights of all terms add up, and
        one below theta does not decide alone. To predict with few rules, see :meth:`compact`.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns), optional
            Rows to measure the support of the rules on.
        y : array-like of shape (rows,), optional
            Their labels, to measure the precision.
        max_rules : int, default=20
            Most rules of a learner.
        max_literals : int, optional
            Longest term.
        min_precision : float, default=0.0
            Of the rows of X that a rule covers, the least share that must have its label in y. Terms below it are not
            shown, nor is a term left out for their sake: on tic-tac-toe "x in the middle" outweighs a diagonal, and is
            wrong on every fifth board.
        max_nodes : int
            Where a search gives up; the rule set is then not `complete`.

        Returns
        -------
        RuleSet
            Its rules' `mistakes` are places in ``logs_`` of the rule's learner; its default is the prediction for a row
            of which nothing is known.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> monks = load_dataset("monks-1", as_frame=True)
        >>> model = DNFWinnow(random_state=0).fit(monks.data, monks.target)
        >>> print(model.rules(monks.data, monks.target, max_rules=4))
        4 rules, the heaviest first; a rule with a weight of at least 2.88e+03 decides on its own
          weight  support  precision  rule
        1.48e+03       29      1.000  if a5 = "1" then "1"
        1.48e+03        9      1.000  if a1 = "1" and a2 = "1" then "1"
        1.48e+03       15      1.000  if a1 = "2" and a2 = "2" then "1"
        1.48e+03       17      1.000  if a1 = "3" and a2 = "3" then "1"
                                      else "0"
        """
        longest = self._longest(max_literals)
        if min_precision:
            searches = self._precise(X, y, max_rules, longest, min_precision, max_nodes)
        else:
            searches = [heaviest(log, max_rules, longest, max_nodes=max_nodes) for log in self._learners.logs]
        terms = [(c, term) for c, search in enumerate(searches) for term in search.terms]
        terms.sort(key=lambda found: -found[1].net)
        rules = RuleSet(
            [self._rule(c, term) for c, term in terms],
            self.classes_[self._default],
            self.encoder_.feature_names_,
            complete=all(search.complete for search in searches),
            log_enough=self._learners.log_theta,
        )
        return rules if X is None else rules.measured(X, None if y is None else self._labels(X, y))

    def compact(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        max_rules: int = 100,
        max_literals: int | None = None,
        min_gain: int | Literal["auto"] = "auto",
        max_nodes: int = POOL_NODES,
    ) -> RuleSet:
        """Choose a few of the model's heavy terms that predict, in order, as the model does, or as the labels say.

        The terms to choose from are the heaviest, and the heaviest of those that are right on most of the rows; only
        terms that the model has promoted. A greedy choice of few follows (:mod:`winnowkit.dnf.select`).

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            Rows to choose by: those of training, say.
        y : array-like of shape (rows,), optional
            Their labels. None: what the model predicts for them.
        max_rules : int, default=100
            Most rules in all.
        max_literals : int, optional
            Longest term; None is 6.
        min_gain : int or "auto", default="auto"
            How many rows a rule must take from wrong to right: 1 if labels have no noise, more if they do. "auto" is
            1, 2, 4, 8 or 16: the largest with which rules chosen on parts of the rows are wrong on the rest about as
            rarely as with the best (within one standard error); and 1 without labels.
        max_nodes : int
            Where a search gives up, and shorter terms must do; the rule set is then not `complete`.

        Returns
        -------
        RuleSet
            Measured on the rows; its `report` has the agreement with the model and the error by number of rules.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> boards = load_dataset("tic-tac-toe")
        >>> model = DNFWinnow(random_state=0).fit(boards.data, boards.target)
        >>> rules = model.compact(boards.data, boards.target)
        >>> len(rules), str(rules.report)
        (8, 'agrees with the model on 100.00% of 958 rows, error 0.00%')
        """
        require(min_gain == "auto" or min_gain >= 1, "min_gain must be 'auto' or an integer >= 1", min_gain)
        predicted: NDArray[Any] = self.predict(X)  # type: ignore[attr-defined]  # of the classifier
        if not len(predicted):
            raise ValueError("compact chooses rules by rows, and X has none")
        target = encode_labels(self.classes_, predicted if y is None else self._labels(X, y))
        pool = Pool(self._learners.logs, self.encoder_.transform(X), target, self._longest(max_literals), max_nodes)
        gain = min_gain if min_gain != "auto" else 1 if y is None else None
        chosen, default, wrong = pool.select(max_rules, gain, self._learners.seed)
        rules = RuleSet(
            [self._rule(c, term) for c, term in chosen], self.classes_[default], self.encoder_.feature_names_
        )
        curve = [count / len(target) for count in wrong]
        agreement = float(np.mean(rules.predict(X) == predicted))
        report = Report(len(target), agreement, None if y is None else curve[-1], curve)
        return replace(rules.measured(X, self.classes_[target]), complete=pool.complete, report=report)

    def explain(self, x: Any, *, max_terms: int = 5) -> Explanation:
        """Say which terms carry the prediction for one row, and which single change of a value would flip it.

        Parameters
        ----------
        x : sequence or mapping
            A row of values; or values by column name, those absent being missing.
        max_terms : int, default=5
            How many terms to show, up to 8: the heaviest that the row satisfies.

        Returns
        -------
        Explanation
            To print, or to look into.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> boards = load_dataset("tic-tac-toe")
        >>> model = DNFWinnow(random_state=0).fit(boards.data, boards.target)
        >>> why = model.explain(boards.data[0], max_terms=2)
        >>> why.label, str(why.terms[0].rule)
        ('positive', 'if x0 = x and x1 = x and x2 = x then positive')
        """
        self._check_begun()  # type: ignore[attr-defined]  # of the classifier
        if not 1 <= max_terms <= 8:
            raise ValueError(f"max_terms must be from 1 to 8, got {max_terms}")
        return explain(self, self.encoder_.transform_one(x), max_terms)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _longest(self, max_literals: int | None) -> int | None:
        self._check_begun()  # type: ignore[attr-defined]  # of the classifier
        limits = [limit for limit in (max_literals, self.max_literals) if limit is not None]
        return min(limits) if limits else None

    def _rule(self, c: int, term: Term) -> Rule:
        """Say a term of learner `c` in the table's names and values."""
        encoder, log = self.encoder_, self._learners.logs[c]
        conditions = [
            Condition(encoder.feature_names_[j], operator, value)
            for j, code in term.literals
            for operator, value in encoder.tests(j, code)
        ]
        label = self.classes_[1 if len(self._learners.logs) == 1 else c]
        mistakes = np.flatnonzero(term.covers(log.codes)).tolist()
        return Rule(conditions, label, log_weight=term.net * math.log(self._learners.alpha), mistakes=mistakes)

    def _precise(
        self, X: Any, y: ArrayLike | None, max_rules: int, longest: int | None, least: float, max_nodes: int
    ) -> list[Heaviest]:
        """Search for the heaviest terms that are right on enough of the rows they cover."""
        if X is None or y is None:
            raise ValueError(f"min_precision={least} is measured on rows and their labels: give X and y")
        codes, labels = self.encoder_.transform(X), self._labels(X, y)
        found = []
        for c, log in enumerate(self._learners.logs):
            right = labels == self.classes_[1 if len(self._learners.logs) == 1 else c]
            pool = heaviest(log, max(PRECISE, 20 * max_rules), longest, slack=log.reach, max_nodes=max_nodes)
            kept: list[Term] = []
            for term in pool.terms:
                covered = term.covers(codes)
                if covered.any() and right[covered].mean() >= least and not any(part.outdoes(term) for part in kept):
                    kept.append(term)
            found.append(Heaviest(kept[:max_rules], pool.complete))
        return found

    @property
    def _default(self) -> int:
        return int(self._learners.predict(np.zeros((1, self.encoder_.n_features_in_), dtype=np.int32))[0])

    def _labels(self, X: Any, y: ArrayLike) -> NDArray[Any]:
        labels: NDArray[Any] = column_or_1d(y)
        check_consistent_length(X, labels)
        return labels

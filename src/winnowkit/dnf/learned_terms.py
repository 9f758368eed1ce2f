"""The view into a model over terms: its weighted sums, the rules that it stands for, and explanations of rows."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.certificate import Certificate
from winnowkit.core.checks import require
from winnowkit.core.online import OnlineTrials
from winnowkit.core.reporting import Reports
from winnowkit.core.transaction import reads
from winnowkit.core.validation import is_count
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.answers import Estimate
from winnowkit.dnf.engine import Engine, check_engine
from winnowkit.dnf.heaviest_search import MAX_NODES
from winnowkit.dnf.kernels.problem import Codes
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.soft_learners import SoftLearners
from winnowkit.rulesets.display import power

if TYPE_CHECKING:  # what interprets a model is imported when it is asked for: a program that predicts does not need it
    from winnowkit.dnf.explain import Explanation
    from winnowkit.dnf.interpretation import Fitted
    from winnowkit.dnf.rule_choice.rules_of_model import ChoiceModel
    from winnowkit.dnf.soft_interpretation import SoftExplanation, SoftModel
    from winnowkit.rulesets.ruleset import RuleSet
    from winnowkit.rulesets.trade_off import TradeOff


class LearnedTerms(Reports, OnlineTrials):
    """The part of a classifier over terms that shows what was learned; a subclass learns and predicts."""

    encoder_: CategoryEncoder
    n_mistakes_: int
    _learners: Any  # Learners, or SoftLearners

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row."""

    @abstractmethod
    def _blocks(self, X: Any) -> Iterator[Codes]:
        """Yield the codes of X, a block of rows at a time; refuse a table that does not fit the model."""

    @abstractmethod
    def _fitted(self, max_literals: int | None = None) -> Fitted | SoftModel:
        """Return the model for the functions that interpret it, by terms of at most so many literals."""

    @property
    @abstractmethod
    def _threads(self) -> int:
        """The number of threads."""

    @abstractmethod
    def _for_choice(self) -> ChoiceModel:
        """Return what the choice of rules needs to know of the model."""

    @property
    def _of_log(self) -> Learners:
        """The learners, if they keep a log of mistakes."""
        if isinstance(self._learners, Learners):
            return self._learners
        raise AttributeError(
            "a model of soft updates has no log of mistakes, and thus no weighted sums over it: use decision_function "
            "or predict_proba, or train with training=MistakeDriven()"
        )

    # --- weighted sums ----------------------------------------------------------------------------------------------

    @reads
    def log_weighted_sum(self, X: Any, engine: Engine | None = None) -> NDArray[np.float64]:
        """Compute the logarithms of the weighted sums.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.
        engine : engine, optional
            Computes the sums; None is the model's own. A fitted model may ask any engine that sums over the
            same terms.

        Returns
        -------
        array of shape (rows, learners)
            One logarithm per row and learner.
        """
        if engine is not None:
            check_engine(engine)
        return np.concatenate([self._of_log.log_sums(codes, engine, self._threads) for codes in self._blocks(X)])

    @reads
    def estimate(self, X: Any, engine: Engine | None = None) -> list[list[Estimate]]:
        """Compute the weighted sums, with everything that the engine reports about them.

        Parameters
        ----------
        X, engine : table, engine
            As for :meth:`log_weighted_sum`.

        Returns
        -------
        list of list of Estimate
            One list per row, with one estimate per learner.
        """
        if engine is not None:
            check_engine(engine)
        blocks = [self._of_log.estimates(codes, engine, self._threads) for codes in self._blocks(X)]
        return [row for block in blocks for row in block]

    # --- interpreting -----------------------------------------------------------------------------------------------

    @reads
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
        """Return the heaviest terms of each learner as rules, the heaviest first.

        A model of soft updates shows the terms that add most to the score of each class; the weight of a rule is the
        factor by which it multiplies the odds. In a model over all terms the heaviest are found exactly, by branch and
        bound over the log of mistakes (:func:`winnowkit.dnf.heaviest`): a term is left out if a more general one weighs
        at least as much, and of the terms that cover the same mistakes the shortest stands for all. The rules show what
        was learned: in the model the weights of all terms add up, and a rule below theta does not decide on its own. To
        predict with few rules, see :meth:`compact`.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns), optional
            Rows to measure the support of the rules on.
        y : array-like of shape (rows,), optional
            Their labels, to measure the precision.
        max_rules : int, default=20
            The most rules per learner.
        max_literals : int, optional
            The length of the longest term.
        min_precision : float, default=0.0
            Of the rows of X that a rule covers, the smallest share that must have its label in y. Terms below it are
            not shown, nor is a term left out for their sake: on tic-tac-toe "x in the middle" outweighs a diagonal, and
            is wrong on every fifth board.
        max_nodes : int
            The number of nodes after which a search gives up; the rule set is then not `complete`.

        Returns
        -------
        RuleSet
            The `mistakes` of its rules are positions in ``logs_`` of the rule's learner; its default is the prediction
            for a row of which nothing is known.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> monks = load_dataset("monks-1", as_frame=True)
        >>> model = DNFWinnow(max_literals=None, random_state=0).fit(monks.data, monks.target)
        >>> print(model.rules(monks.data, monks.target, max_rules=4))
        4 rules, the heaviest first; a rule with a weight of at least 2.88e+03 decides on its own
          weight  support          precision  rule
        1.48e+03       29  1.000 (0.88-1.00)  if a5 = "1" then "1"
        1.48e+03        9  1.000 (0.70-1.00)  if a1 = "1" and a2 = "1" then "1"
        1.48e+03       15  1.000 (0.80-1.00)  if a1 = "2" and a2 = "2" then "1"
        1.48e+03       17  1.000 (0.82-1.00)  if a1 = "3" and a2 = "3" then "1"
                       62  1.000 (0.94-1.00)  else "0"
        """
        from winnowkit.dnf.interpretation import rules  # noqa: PLC0415
        from winnowkit.dnf.soft_interpretation import SoftModel, soft_rules  # noqa: PLC0415

        model = self._fitted(max_literals)
        if isinstance(model, SoftModel):
            return soft_rules(model, X, y, max_rules=max_rules, min_precision=min_precision)
        return rules(model, X, y, max_rules=max_rules, min_precision=min_precision, max_nodes=max_nodes)

    @reads
    def compact(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        max_complexity: int | None = None,
        max_rules: int | None = None,
        max_literals: int | None = None,
        max_time: float | None = None,
        monotonic_cst: Mapping[str, int] | ArrayLike | None = None,
    ) -> RuleSet:
        """Choose a few rules that predict on their own, as the labels say or as the model does.

        These are the rules of the best point of :meth:`trade_off`, which has the same parameters and shows the other
        points, too.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            Rows to choose by, such as those of training.
        y : array-like of shape (rows,), optional
            Their labels. None stands for the predictions of the model; then the rules that agree with them most often
            on rows held out are chosen, however many they are.
        max_complexity, max_rules, max_literals, max_time, monotonic_cst : optional
            As for :meth:`trade_off`.

        Returns
        -------
        RuleSet
            Measured on the rows; its `report` has the agreement with the model and the error by number of rules.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> boards = load_dataset("tic-tac-toe")
        >>> model = DNFWinnow(max_literals=None, random_state=0).fit(boards.data, boards.target)
        >>> rules = model.compact(boards.data, boards.target)
        >>> len(rules), str(rules.report)
        (8, 'agrees with the model on 100.00% of 958 rows, error 0.00%')
        """
        from winnowkit.dnf.rule_choice.rules_of_model import ChoiceLimits, compact  # noqa: PLC0415

        limits = ChoiceLimits(max_complexity, max_rules, max_literals, max_time, monotonic_cst)
        return compact(self._for_choice(), X, y, self.predict(X), limits)

    @reads
    def trade_off(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        max_complexity: int | None = None,
        max_rules: int | None = None,
        max_literals: int | None = None,
        max_time: float | None = None,
        monotonic_cst: Mapping[str, int] | ArrayLike | None = None,
    ) -> TradeOff:
        """Find rule sets of growing complexity, and measure the accuracy of such rules on rows held out.

        Each rule set has few errors on the rows for its complexity, the number of its rules and conditions. They are
        found by local search (:mod:`winnowkit.dnf.rule_choice.local_search`): rules are added that gain most, and each
        one is replaced by a better one in turn. With two classes, rules for one of them and lists of rules for both are
        tried; with more, lists that end with one of the two most frequent classes. The same search, on parts of the
        rows, gives the accuracy on the other rows. If the model learned by soft updates, each row counts as much as
        such a model, trained on the same part of the rows, believes its label
        (:mod:`winnowkit.dnf.rule_choice.trust`): so rules explain less of the noise. If the model
        hardly errs and the rows are few, it labels mixtures of them, too.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            Rows to choose by, such as those of training.
        y : array-like of shape (rows,), optional
            Their labels; None stands for the predictions of the model. `class_weight` of the model applies.
        max_complexity : int, optional
            The most rules and conditions together. A range ``40 < age <= 52`` has two conditions. None is no limit, but
            the curve ends with the first rule set past 200.
        max_rules : int, optional
            The most rules.
        max_literals : int, optional
            The most conditions of a rule; None is 6.
        max_time : float, optional
            The most seconds; the curve then ends where the search was, and the rule sets are not `complete`.
        monotonic_cst : mapping of str to int, or array-like of int, optional
            As in scikit-learn: for columns by name, or for all columns, 1 if ``classes_[1]`` may only become more
            likely as the column grows, -1 if less likely, and 0 if there is no constraint.

        Returns
        -------
        TradeOff
            The points of the curve, each with its rules; `best` is the simplest one that makes hardly more errors than
            the most accurate one: one standard error, on the same rows, or one error in twenty.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> voting = load_dataset("voting", as_frame=True)
        >>> model = DNFWinnow(random_state=0, max_literals=1).fit(voting.data, voting.target)
        >>> curve = model.trade_off(voting.data, voting.target, max_complexity=10)
        >>> print(curve.best.rules.rules[0])
        if physician-fee-freeze = y then republican
        """
        from winnowkit.dnf.rule_choice.rules_of_model import ChoiceLimits, trade_off  # noqa: PLC0415

        limits = ChoiceLimits(max_complexity, max_rules, max_literals, max_time, monotonic_cst)
        return trade_off(self._for_choice(), X, y, self.predict(X), limits)

    @reads
    def explain(self, x: Any, *, max_terms: int = 5) -> Explanation | SoftExplanation:
        """Show which terms carry the prediction for one row, and which single change of a value would flip it.

        Parameters
        ----------
        x : sequence, mapping, pandas Series, or table of one row
            A row of values; or values by column name, where an absent name is a missing value.
        max_terms : int, default=5
            How many terms to show, up to 8: the heaviest that the row satisfies.

        Returns
        -------
        Explanation or SoftExplanation
            To print, or to look into.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> boards = load_dataset("tic-tac-toe")
        >>> model = DNFWinnow(max_literals=None, random_state=0).fit(boards.data, boards.target)
        >>> why = model.explain(boards.data[0], max_terms=2)
        >>> why.label, str(why.terms[0].rule)
        ('positive', 'if x0 = x and x1 = x and x2 = x then positive')
        """
        from winnowkit.dnf.explain import explain  # noqa: PLC0415
        from winnowkit.dnf.soft_interpretation import SoftModel, soft_explain  # noqa: PLC0415

        model, codes = self._fitted(), self.encoder_.transform_one(x)
        if isinstance(model, SoftModel):
            return soft_explain(model, codes, max_terms)
        return explain(model, codes, max_terms)

    def _learned(self) -> tuple[str, list[tuple[str, str]]]:
        said, _ = super()._learned()
        if isinstance(self._learners, SoftLearners):
            longest = self._learners.max_literals
            said = f"DNFWinnow has learned a weight for every term of up to {longest} literal{'s' * (longest > 1)}."
        found = self.rules(max_rules=3, max_nodes=20_000)  # few, as a notebook must not wait
        rows = [(power(rule.log_weight or 0.0), str(rule)) for rule in found]
        return f"{said} Its heaviest terms:", [("weight", "rule"), *rows]

    @reads
    def certificate(self, k: int) -> Certificate:
        """Compare the mistakes so far with the bound that theory gives, if it has one for this training.

        Learning from mistakes over terms fixed beforehand makes at most ``8 + 14 k ln|Omega|`` updates on any sequence
        of rows that a DNF formula of k terms labels, where Omega are all terms. That covers `partial_fit` and, with
        ``MistakeDriven(margin=0, max_updates=None)``, `fit`, whose epochs count as one long sequence. It covers neither
        soft updates nor cuts that were chosen by the labels; the certificate says so.

        Parameters
        ----------
        k : int
            Assumed size of the target: the labels are those of a DNF formula of at most k terms.

        Returns
        -------
        Certificate
            The updates, the bound and the theorem; it can be printed.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> X, y = load_dataset("tic-tac-toe", return_X_y=True)
        >>> model = DNFWinnow(max_literals=3).partial_fit(X, y, classes=["negative", "positive"])
        >>> print(model.certificate(k=8))
        25 mistakes, at most 889 by Tao & Scott 2004, corollary 2, if the target is a DNF formula of at most 8 of ...
        >>> print(DNFWinnow(max_literals=1, random_state=0).fit(X, y).certificate(k=8))
        no bound: soft updates have a bound on their regret, not on mistakes; what they are worth is measured on ...
        """
        from winnowkit.dnf.certify import SOFT, certify  # noqa: PLC0415
        from winnowkit.dnf.soft_interpretation import SoftModel  # noqa: PLC0415

        model = self._fitted()
        require(is_count(k), "k must be an integer >= 1", k)
        if isinstance(model, SoftModel):
            return Certificate(None if hasattr(self, "chosen_") else int(self.n_mistakes_), math.inf, SOFT, "")
        return certify(model.learners, model.encoder, getattr(self, "chosen_", None), k)

    @property
    @reads
    def logs_(self) -> list[MistakeLog]:
        """The log of mistakes of each learner."""
        return self._of_log.logs

    @property
    @reads
    def theta_(self) -> float | Fraction:
        """The threshold."""
        return self._of_log.theta

    @property
    @reads
    def log_theta_(self) -> float:
        """Natural logarithm of the threshold."""
        return self._of_log.log_theta

    @property
    @reads
    def n_updates_(self) -> NDArray[np.int64]:
        """Updates of each learner: one number for two classes without a pair."""
        return np.array(self._of_log.n_updates, dtype=np.int64)

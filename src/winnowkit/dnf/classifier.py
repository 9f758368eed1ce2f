"""Winnow over conjunctions of conditions on the columns of a table, as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from winnowkit.core.multiclass import check_classes, decision_values, n_learners_for
from winnowkit.core.validation import check_n_features
from winnowkit.dnf.bound_literals import BoundLiterals
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.soft_learners import shares_of
from winnowkit.dnf.term_training import TermTraining

if TYPE_CHECKING:
    from winnowkit.dnf.interpretation import Fitted
    from winnowkit.dnf.rule_choice.rules_of_model import ChoiceModel
    from winnowkit.dnf.soft_interpretation import SoftModel


@dataclass(kw_only=True, eq=False, repr=False)
class DNFWinnow(TermTraining):
    """Winnow over conjunctions of conditions on the columns of a table ("terms"): rules, labels and probabilities.

    A term asks for categories, and for numbers above or below a cut (``job = cook and income > 60000``). By default
    `fit` gives a weight to each term of up to one, two or three conditions, whichever predicts rows held out best, and
    learns all weights at once by *soft updates*: each row moves its terms by as much as its probability was wrong
    (:class:`winnowkit.dnf.Soft`). With ``max_literals=None`` the model is Tao and Scott's: every one of the
    prod(k_j + 1) terms over categories and intervals has a weight, none of which is stored. The sum of the weights of
    the terms that an example satisfies is computed exactly from the log of past mistakes. `partial_fit` learns that
    way, too. Missing values are None, NaN and "?"; when predicting, so is a category not seen in training.

    Parameters
    ----------
    alpha : float, default=1.5
        The factor of a promotion, > 1; a demotion divides by it. Soft updates do not use it.
    theta : float or "auto", default="auto"
        The threshold, > 0: a learner predicts 1 if and only if its sum is at least theta. "auto" is the number of
        terms. A number makes training mistake-driven.
    max_literals : int, "auto" or None, default="auto"
        The length of the longest term: only terms of at most so many literals count. A range of a number
        (``40 < age <= 52``) counts as two. "auto": `fit` chooses by rows held out among 1, 2 and 3, and where that
        leaves errors also tries all terms; other ways of learning take all terms. None: all terms, learned from
        mistakes.
    max_epochs : int, default=100
        The most passes of `fit` over the rows.
    max_time : float, optional
        The most seconds of `fit`, also within an epoch of mistake-driven training; the best model so far then stays,
        with a ConvergenceWarning, as it does after `max_epochs` epochs if training was not at its end.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which the weights of rows are multiplied.
    encoder : CategoryEncoder, optional
        How the columns are encoded: missing values, codes and special values, values that no term may ask for. None
        stands for ``CategoryEncoder()``; see :class:`winnowkit.data.CategoryEncoder`.
    engine : "auto" or engine, default="auto"
        Computes the sums of mistake-driven training: ``Exact()``, ``Descent(...)``, ``Population(...)``,
        ``Ladder(...)`` or another engine. "auto" is exact up to two million nodes per sum, and sampled by ``Descent()``
        beyond (:class:`winnowkit.dnf.Auto`); `estimate` says which.
    training : Soft or MistakeDriven, optional
        How the model learns. ``Soft()``: by soft updates, with probabilities. ``MistakeDriven(...)``: row by row, as
        Winnow does, with a bound on its mistakes; margin, limit of updates, learners of two classes and order of the
        rows are its parameters. None: soft, unless other parameters ask for the mistake-driven kind.
    random_state : int, RandomState or Generator, optional
        For the order of the rows, for what is held out, and for sums that are sampled; an integer makes `fit`
        repeatable.
    n_jobs : int, optional
        The number of threads; the results do not depend on it.
    verbose : bool, default=True
        Whether a `fit` of more than two seconds shows a progress bar, in terminals and notebooks only.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; ``classes_[1]`` is the positive one of two.
    encoder_ : CategoryEncoder
        The fitted encoder; the first call of `fit` or `partial_fit` fixes the categories and cuts.
    chosen_ : dict
        What the last `fit` did: `training` ("soft" or "mistake-driven") and `max_literals`; `tried`, what was tried
        and how each did on rows held out: soft training on all rows, each held out once, and mistake-driven training
        on a fifth of them; or `two_class`, whether learners are "single" or a "pair", `margin` and `max_updates`. The
        choice was made by these errors, so that of the chosen one may be too low, above all that of a fifth.
    n_epochs_ : int
        Passes of the last `fit`; absent if there was none. With soft updates, the number that was best on rows held
        out.
    n_trials_ : int
        Examples learned from; an epoch counts each row again.
    logs_ : list of MistakeLog
        The log of mistakes of each learner, if training was mistake-driven.
    theta_ : int, float or Fraction
        The threshold, likewise; an exact integer if "auto".
    log_theta_ : float
        Its natural logarithm.
    n_mistakes_ : int
        How many examples were first predicted wrongly, likewise. `fit` with several learners or a margin does not know
        that (it would have to compute all sums), and counts the trials in which any learner was updated, which are no
        fewer.

    See Also
    --------
    winnowkit.dnf.Soft : Soft updates.
    winnowkit.dnf.Exact : Computes the sums.
    winnowkit.dnf.Descent : Samples those that take too long.
    winnowkit.dnf.PAPER : Parameters of the paper's learner.
    winnowkit.rulesets.RuleSet : Returned by `rules` and `compact`.
    winnowkit.bounds.dnf_winnow : The mistake bound.

    References
    ----------
    Tao & Scott 2004, An analysis of MCMC sampling methods for estimating weighted sums in Winnow, sections 2, 5 and 6.
    Kivinen & Warmuth 1997, Exponentiated gradient versus gradient descent for linear predictors.
    Maass & Warmuth 1998, Efficient learning with virtual threshold gates, for terms over bounds of numbers.

    Examples
    --------
    >>> from winnowkit import DNFWinnow
    >>> from winnowkit.data import load_dataset
    >>> X, y = load_dataset("tic-tac-toe", return_X_y=True)
    >>> model = DNFWinnow(random_state=0).fit(X[::2], y[::2])
    >>> float((model.predict(X[1::2]) == y[1::2]).mean()) > 0.99
    True
    >>> model.chosen_["training"], model.chosen_["max_literals"]
    ('soft', 3)

    All terms, learned from mistakes:

    >>> model = DNFWinnow(max_literals=None, random_state=0).fit(X[::2], y[::2])
    >>> model.logs_
    [MistakeLog(n_attributes=9, 325 examples, 235 promotions, 208 demotions)]

    The learner of the paper:

    >>> from winnowkit.dnf import PAPER
    >>> paper = DNFWinnow(**PAPER, max_epochs=20).fit(X[::2], y[::2])
    >>> len(paper.logs_)
    2
    """

    # --- predicting -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row; the model does not change.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.

        Returns
        -------
        array of shape (rows,)
            One label per row.
        """
        with self._lock.reading:
            parts = [self._learners.predict(codes, self._threads) for codes in self._blocks(X)]
            labels: NDArray[Any] = self.classes_[np.concatenate(parts)]
        return labels

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one row.

        Parameters
        ----------
        x : sequence or mapping
            A row of values; or values by column name, where an absent name is a missing value.

        Returns
        -------
        label
            The label predicted.
        """
        with self._lock.reading:
            self._check_begun()
            return self.classes_[self._learners.predict(self._encoded_row(x)[None])[0]]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute log W - log theta; for a pair of learners log W1 - log W0. Above 0 predicts ``classes_[1]`` of two.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.

        Returns
        -------
        array of shape (rows,), or (rows, classes) if there are more than two
            One decision per row, or per row and class.
        """
        with self._lock.reading:
            parts = [self._learners.decisions(codes, self._threads) for codes in self._blocks(X)]
            return decision_values(np.concatenate(parts))

    @available_if(lambda self: self._gives_probabilities())
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class, calibrated on rows that the model did not learn from.

        A model that only ever learned from mistakes has none, unless `fit` chose that way of learning itself; see
        scikit-learn's `CalibratedClassifierCV`.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.

        Returns
        -------
        array of shape (rows, classes)
            One probability per row and class; the largest is that of the label that `predict` returns.
        """
        with self._lock.reading:
            self._check_begun()
            if self._soft is not None:
                return np.concatenate([self._soft.probabilities(cells, self._threads) for cells in self._blocks(X)])
            parts = [self._learners.decisions(codes, self._threads) for codes in self._blocks(X)]
            return shares_of(self._scale * decision_values(np.concatenate(parts)))

    def _gives_probabilities(self) -> bool:
        if not self.__sklearn_is_fitted__():
            return self._is_soft
        return self._soft is not None or hasattr(self, "_scale")

    def _fitted(self, max_literals: int | None = None) -> Fitted | SoftModel:
        """The fitted model, for the functions that interpret it."""
        from winnowkit.dnf.interpretation import Fitted  # noqa: PLC0415
        from winnowkit.dnf.soft_interpretation import SoftModel  # noqa: PLC0415

        self._check_begun()
        if self._soft is not None:
            return SoftModel(self._soft, self.encoder_, self.classes_, max_literals)
        limits = [limit for limit in (max_literals, self._longest) if limit is not None]
        return Fitted(self._learners, self.encoder_, self.classes_, min(limits, default=None))

    def _for_choice(self) -> ChoiceModel:
        """The facts about the model that the choice of rules needs."""
        from winnowkit.dnf.rule_choice.rules_of_model import ChoiceModel  # noqa: PLC0415

        self._check_begun()
        longest = None if self._soft is None else self._soft.max_literals
        tried = getattr(self, "chosen_", {}).get("tried", [])
        error = next((one["error"] for one in tried if one["max_literals"] == longest), 1.0)
        return ChoiceModel(self.encoder_, self.classes_, self.class_weight, self._threads, self.verbose, longest, error)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a saved model; the state comes from a file and may be anything."""
        super().__setstate__(state)
        if self.__sklearn_is_fitted__():
            check_n_features(self, self.encoder_.n_features_in_)
            check_classes(self.classes_)
            if self._soft is not None:
                n_ordered, n_cells = self.encoder_.n_ordered_, self.encoder_.n_categories_
                same = np.array_equal(self._soft.n_ordered, n_ordered)
                if not same or not np.array_equal(self._soft.n_other, n_cells - n_ordered):
                    raise ValueError("the soft tables do not belong to the columns of the encoder")
                if self._soft.n_learners != n_learners_for(len(self.classes_)):
                    raise ValueError(f"{self._soft.n_learners} learners for {len(self.classes_)} classes")
                return
            logs = self._learners.logs
            widths = {log.n_attributes if isinstance(log, MistakeLog) else None for log in logs}
            literals = BoundLiterals(self.encoder_)
            if widths != {len(literals.cut)}:
                raise ValueError(f"logs of {widths} attributes for a table of {len(literals.cut)} attributes")
            if any((log.codes.max(axis=0, initial=0) > literals.n_categories).any() for log in logs):
                raise ValueError("a log has codes that the encoder does not give")


def check_parameters(estimator: DNFWinnow) -> None:
    """Raise ValueError if a parameter that does not depend on the data makes no sense."""
    estimator._check_parameters()


def new_learners(estimator: DNFWinnow, n_classes: int, n_attributes: int, theta: float | Fraction) -> Learners:
    """Return learners with the parameters of an estimator that have seen nothing, and can take in more columns.

    The estimator stays as it is. This is for tables whose columns and categories appear over time: `theta` is given, as
    the number of terms follows from what was seen so far. Terms of any length count, and there are no experts.
    """
    settings = estimator._mistakes
    n_learners, most = settings.training.n_learners(n_classes), settings.training.max_mistakes
    return Learners(n_learners, n_attributes, settings.alpha, theta, settings.engine, most)

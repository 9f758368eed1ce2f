"""Winnow over all terms of a table of categories, as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets

from winnowkit.core.multiclass import encode_labels
from winnowkit.core.online import generator
from winnowkit.core.progress import Progress
from winnowkit.core.transaction import RestoresAttributes, all_or_nothing
from winnowkit.dnf.engine import Engine, Estimate
from winnowkit.dnf.epochs import Outcome
from winnowkit.dnf.interpretation import Reading
from winnowkit.dnf.kernels.agree import Codes
from winnowkit.dnf.starting import Starting, check_engine
from winnowkit.dnf.table_classifier import known_classes


@dataclass(kw_only=True, eq=False, repr=False)
class DNFWinnow(RestoresAttributes, Reading, Starting):
    """Winnow over all terms (conjunctions) of a table of categories: learns DNF formulas.

    Every one of the prod(k_j + 1) terms has a weight, none of which is stored: the sum of the weights of the terms that
    an example satisfies comes from the log of past mistakes, exactly. Floating columns are cut into intervals inside,
    on the training rows. Missing values are None, NaN and "?"; so is, when predicting, a category not seen in training.

    Parameters
    ----------
    alpha : float, default=1.5
        Factor of a promotion, > 1; a demotion divides by it.
    theta : float or "auto"
        Threshold, > 0: a learner predicts 1 iff its sum is at least theta; "auto" is the
        number of terms, prod(k_j + 1).
    weighted_sum : "auto" or engine
        What computes the sums: ``Exact()``, ``Descent(...)``, ``Population(...)``, ``Ladder(...)`` or another. "auto"
        is exact up to two million nodes a sum, and sampled by ``Descent()`` past it (:class:`winnowkit.dnf.Auto`):
        `estimate` says which.
    max_epochs : int, default=100
        Most passes of `fit`; a learner stops after one without a mistake of its own.
    margin : float or "auto", default=0.1
        How far from theta `fit` wants the sums of rows, in the units of `decision_function`: a row on the right side
        but nearer is learned from too. 0 is the paper's learner. `partial_fit` has no margin.
    max_updates : "half", int, None or "auto", default="half"
        How often `fit` may learn from one row; then it is left alone, so that a wrong label can do only so much (as in
        soft-margin classifiers). "half" is half as often as it takes one row to bring its sum to theta alone (4 at
        least), so that what is learned rests on two rows or more. None is the paper's: no limit.
    keep : {"longest", "last"}, default="longest"
        What a learner keeps if it never had such a pass: the log that predicted the most rows in a row without a
        mistake (Gallant's pocket), or the last one, which has just bent to its last mistake. It matters without a limit
        of updates: voting, 9% of errors with "last" (from 5 to 16% by the split), 5.8% with "longest".
    missing : {"informative", "ignore", "value", "most_frequent", "auto"}, default="informative"
        What a missing value is. "ignore": unspecified, no term that asks for the column is satisfied. "value": a
        category of its own, if training saw one in that column. "informative": that, in columns whose gaps go with the
        classes by a test at 1%, and else unspecified. "most_frequent": in training only, the most frequent value in the
        example's class. "auto" chooses among the first three; see Notes. The paper's are the second and the last.
    two_class : {"adaptive", "single", "pair", "auto"}, default="adaptive"
        Two classes: "single" is one learner for ``classes_[1]``, cut at theta; "pair", the paper's, one a class and the
        larger sum. "adaptive" is a single one where that gets all training rows right, and else a pair, which is
        steadier where labels are noisy; single with `monotone` or `experts`, and by `partial_fit`.
    monotone : bool, default=False
        Columns are boolean and 0 says nothing: terms without negations, 2^n of them.
    max_literals : int, optional
        Longest term: only terms of at most so many literals count, and theta "auto" is their number. Sums then take
        O(n^max_literals), from tables of all these terms, whatever the number of mistakes; see `weighted_sum`.
    forbid : sequence, optional
        What no term may ask for: columns, by name or position, or single values of them, as pairs (column, value).
    experts : sequence, optional
        Rules known beforehand, as triples (conditions, label, promotions): the term of these conditions, a mapping
        from columns to values, starts in the learner of `label` as if promoted so often, at weight alpha^promotions;
        "theta" instead of a number is as often as it takes to decide alone. Learning goes on from there.
    max_mistakes : int, optional
        Most distinct examples that a learner's log keeps; see :class:`winnowkit.dnf.MistakeLog` for what it costs.
    numeric : sequence of str or int, optional
        Further columns, by name or position, to be cut into intervals.
    shuffle : bool, default=True
        Whether `fit` puts the rows into a new order for each epoch. Where no formula fits the labels no epoch is clean,
        and a table sorted by class then ends with a learner that has just seen one class: breast cancer without a limit
        of updates, 65% of errors in the order of its file, 29% shuffled.
    random_state : int, RandomState or Generator, optional
        For `shuffle` and for sums that are sampled; a number makes `fit` repeatable.
    n_jobs : int, optional
        Threads, over rows and classes; the results do not depend on it.
    verbose : bool, default=True
        Whether a `fit` of more than two seconds shows a bar, in terminals and notebooks only. Ctrl-C stops it, with a
        warning and the model as it stands.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; ``classes_[1]`` is the positive one of two.
    encoder_ : CategoryEncoder
        How values become codes; what it saw in the first call of `fit` or `partial_fit` is fixed.
    logs_ : list of MistakeLog
        One a learner.
    theta_ : int, float or Fraction
        The threshold; an exact integer if "auto".
    log_theta_ : float
        Its natural logarithm.
    n_trials_ : int
        Examples learned from, epochs counted.
    n_mistakes_ : int
        How many of them were first predicted wrongly. `fit` with several learners, or a margin, does not know (it would
        have to compute all sums), and counts trials in which any learner was updated: no fewer.
    n_epochs_ : int
        Passes of the last `fit`; absent if there was none.
    chosen_ : dict
        What the last `fit` learned with: `missing`, `two_class`, `margin`, `max_updates`.

    See Also
    --------
    winnowkit.dnf.Exact : How its sums are computed.
    winnowkit.dnf.Descent : How they are sampled past that.
    winnowkit.rulesets.RuleSet : What `rules` and `compact` return.
    winnowkit.bounds.dnf_winnow : Its bound.

    Notes
    -----
    `fit` chooses what is "auto" by the errors of trials on three parts of the rows, each predicted by learners that saw
    the other two (at most 2,000 rows and 15 epochs): the usual demand (margin 0.1, "half"), the paper's (margin 0, no
    limit), or a margin of 1 with at most 16, 8 or 4 updates a row; one learner or a pair; a missing value informative,
    ignored or a value. Of equals the default is taken. So it is, untried, with fewer than 30 rows, with `max_literals`
    or `experts`, with an engine that samples, where a sum of a trial takes more than 20,000 nodes, and by
    `partial_fit`, which has neither margin nor limit.

    The paper's learner is ``DNFWinnow(two_class="pair", margin=0, max_updates=None, missing="ignore",
    keep="last", shuffle=False)``.

    References
    ----------
    Tao & Scott 2004, An analysis of MCMC sampling methods for estimating weighted sums in Winnow, sections 2, 5 and 6.

    Examples
    --------
    >>> from winnowkit import DNFWinnow
    >>> from winnowkit.data import load_dataset
    >>> X, y = load_dataset("tic-tac-toe", return_X_y=True)
    >>> model = DNFWinnow(random_state=0).fit(X[::2], y[::2])
    >>> float((model.predict(X[1::2]) == y[1::2]).mean())
    1.0
    >>> model.logs_
    [MistakeLog(n_attributes=9, 325 examples, 235 promotions, 208 demotions)]
    """

    alpha: float = 1.5
    theta: float | Fraction | Literal["auto"] = "auto"
    weighted_sum: Engine | Literal["auto"] = "auto"
    max_epochs: int = 100
    margin: float | Literal["auto"] = 0.1
    max_updates: int | Literal["half", "auto"] | None = "half"
    keep: str = "longest"
    missing: str = "informative"
    two_class: str = "adaptive"
    monotone: bool = False
    max_literals: int | None = None
    forbid: Sequence[Any] | None = None
    experts: Sequence[tuple[Mapping[Any, Any], Any, Any]] | None = None
    max_mistakes: int | None = None
    numeric: Sequence[str | int] | None = None
    shuffle: bool = True
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = True

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Forget everything and learn from the rows of X until an epoch has no mistake, or `max_epochs` times over.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table: categories, or numbers where floating.
        y : array-like of shape (rows,)
            The labels.

        Returns
        -------
        self
            The learner.
        """
        return self.fit_until(X, y, lambda epoch: False)  # noqa: ARG005 - it has its own ends

    def fit_until(self, X: Any, y: ArrayLike, stop: Callable[[int], bool]) -> Self:
        """Do as :meth:`fit`, but ask between epochs whether to stop.

        Parameters
        ----------
        X, y : array-like
            As for :meth:`fit`.
        stop : callable
            Is given the number of epochs so far, from 0; learning ends if it returns True after the first. If it never
            did and `two_class` is "adaptive", a pair of learners may then begin, from 0 again.

        Returns
        -------
        self
            The learner.
        """
        with all_or_nothing(self):
            y = self._checked(X, y, reset=True)
            check_classification_targets(y)
            classes, labels = np.unique(y, return_inverse=True)
            targets, rng = labels.astype(np.int64), generator(self.random_state)
            for_sums, for_trials = rng.spawn(2)
            choice, seed = self._choose(X, y, targets, for_trials), int(for_sums.integers(2**63))

            def orders(n_rows: int) -> Iterator[NDArray[np.int64] | None]:
                for epoch in count():
                    if stop(epoch) and epoch:
                        return
                    yield rng.permutation(n_rows) if self.shuffle else None

            def learn() -> tuple[Codes, Outcome]:
                codes = self._start(X, y, classes, choice)
                self._learners.seed = seed

                with Progress(show=self.verbose) as progress:
                    return codes, self._learners.fit(
                        codes,
                        targets,
                        self.max_epochs,
                        orders(len(codes)),
                        self._threads,
                        keep_longest=self.keep == "longest",
                        policy=choice.demand,
                        progress=progress,
                    )

            codes, outcome = learn()
            if choice.two_class == "adaptive":
                alone = len(classes) > 2 or self.monotone or self.experts is not None
                alone = alone or outcome.ended in ("interrupted", "stopped")
                alone = alone or np.array_equal(self._learners.predict(codes, self._threads), targets)
                choice = choice._replace(two_class="single" if alone else "pair")
                outcome = outcome if alone else learn()[1]
            self.n_epochs_, self.n_trials_, self.n_mistakes_, ended = outcome
            chosen = {"missing": choice.missing, "two_class": choice.two_class}
            self.chosen_ = chosen | choice.demand._asdict()
        if ended == "interrupted":
            warnings.warn(
                f"fit was interrupted after {self.n_trials_} trials; the model is usable as it stands",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Go on learning: one trial a row, in order.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table. The first call fixes the categories and the cuts of numeric columns: make it a large one.
        y : array-like of shape (rows,)
            The labels.
        classes : array-like, optional
            All labels that may come; needed at the first call.

        Returns
        -------
        self
            The learner.
        """
        self.partial_fit_predict(X, y, classes)
        return self

    def partial_fit_predict(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> NDArray[Any]:
        """Go on learning, and return the labels predicted *before* each update: the on-line learner's real output.

        Parameters
        ----------
        X, y, classes : array-like
            As for :meth:`partial_fit`.

        Returns
        -------
        array of shape (rows,)
            A label a row.
        """
        first = not self.__sklearn_is_fitted__()
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        with all_or_nothing(self):
            known = self.classes_ if classes is None else known_classes(classes)
            if not first and not np.array_equal(known, self.classes_):
                raise ValueError(
                    f"classes must stay {self.classes_.tolist()} after the first call, got {known.tolist()}"
                )
            y = self._checked(X, y, reset=first)
            labels = encode_labels(known, y)
            if first:
                self._checked_engine()
            codes = self._start(X, y, known, self._options.usual) if first else self.encoder_.transform(X, y)
            blind = self.encoder_.transform(X) if self.missing == "most_frequent" else None
            with all_or_nothing(self._learners):
                predicted = self._learners.follow(codes, labels, blind)
            self.n_trials_ += len(labels)
            self.n_mistakes_ += int(np.sum(predicted != labels))
        labels_predicted: NDArray[Any] = self.classes_[predicted]
        return labels_predicted

    # --- predicting -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row; the state does not change.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.

        Returns
        -------
        array of shape (rows,)
            A label a row.
        """
        parts = [self._learners.predict(codes, self._threads) for codes in self._blocks(X)]
        labels: NDArray[Any] = self.classes_[np.concatenate(parts)]
        return labels

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log W - log theta; with ``two_class="pair"`` log W1 - log W0. Two classes: above 0 iff ``classes_[1]``.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.

        Returns
        -------
        array of shape (rows,), or (rows, classes) if there are more than two
            A decision a row, or a row and class.
        """
        decisions = np.concatenate([self._learners.decisions(codes, self._threads) for codes in self._blocks(X)])
        if len(self.classes_) > 2:
            return decisions
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions[:, 1] - decisions[:, 0]

    def log_weighted_sum(self, X: Any, engine: Engine | None = None) -> NDArray[np.float64]:
        """Compute the logarithms of the weighted sums, by this `engine` or the model's own.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.
        engine : engine, optional
            As `weighted_sum`; any engine may be asked about a fitted model.

        Returns
        -------
        array of shape (rows, learners)
            A logarithm a row and learner.
        """
        check_engine(engine)
        return np.concatenate([self._learners.log_sums(codes, engine, self._threads) for codes in self._blocks(X)])

    def estimate(self, X: Any, engine: Engine | None = None) -> list[list[Estimate]]:
        """Compute the weighted sums, with all that the engine has to say about them.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.
        engine : engine, optional
            As `weighted_sum`; any engine may be asked about a fitted model.

        Returns
        -------
        list of list of Estimate
            A list a row, in it an estimate a learner.
        """
        check_engine(engine)
        blocks = [self._learners.estimates(codes, engine, self._threads) for codes in self._blocks(X)]
        return [row for block in blocks for row in block]

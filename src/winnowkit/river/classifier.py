"""Learners of winnowkit as river classifiers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from river.base import MiniBatchClassifier
from sklearn.base import clone

from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.posterior import logistic_probabilities, probabilities
from winnowkit.core.transaction import Locked, takes_turns
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.averaging import AveragingClassifier
from winnowkit.river.growing_table import TableAdapter
from winnowkit.river.vocabulary import AttributeAdapter, Features

Label = Any  # bool, int or str


class Adapter(Protocol):
    """Turns dictionaries into examples for learners that grow; labels are codes."""

    @property
    def counts(self) -> tuple[int, int]:
        """Trials and mistakes."""

    def add_class(self, n_classes: int) -> None:
        """Continue with one more class, which makes n_classes in all (or with the first two)."""

    def check(self, x: Features) -> None:
        """Raise what :meth:`learn` would raise for such an example; nothing changes."""

    def learn(self, x: Features, code: int) -> None:
        """Perform one trial."""

    def predict(self, x: Features) -> int:
        """Return the code of the label that :meth:`learn` would predict first."""

    def rank(self, x: Features) -> NDArray[np.float64]:
        """Return the ranks that scores are made from."""

    def see_columns(self, X: Any) -> None:
        """Take in the columns of a frame before its rows are learned from."""

    def learn_many(self, X: Any, codes: list[int]) -> None:
        """Perform one trial per row of a frame."""

    def predict_many(self, X: Any) -> list[int]:
        """Return the codes of the labels that are predicted for the rows of a frame."""

    def rank_many(self, X: Any) -> list[NDArray[np.float64]]:
        """Return the ranks that the scores of the rows of a frame are made from."""

    def weights(self) -> list[dict[Hashable, float]]:
        """Return what each attribute adds to the decision, one dictionary per learner."""


class RiverClassifier(Locked, MiniBatchClassifier):
    """A classifier of winnowkit as a river classifier.

    An example is a dictionary. For the learners of attributes, a number or a boolean is the value of the attribute that
    its key names, cut at the learner's `binarize` (`Committee` takes it as it is); a string is a category: the
    attribute (key, string) is 1. Anything absent, None or NaN is 0. For `DNFWinnow` see the notes.

    Nothing needs to be known beforehand. After each example the learner is that of the n attributes seen so far: a new
    attribute is treated as one that was 0 until now, and everything that depends on n ("auto" thresholds, initial
    weights of 1/n) follows. A prediction counts new attributes in the same way, but leaves the classifier as it was: it
    is what `learn_one` would predict first (unless predictions are drawn at random), so the mistakes that river counts
    are those that drive the learner.

    Parameters
    ----------
    learner : Winnow2 or any other classifier of winnowkit
        Its parameters are used; anything it may have learned is not.
    classes : tuple of labels, optional
        The classes, if known. Otherwise a boolean label stands for both booleans, and with other labels nothing is
        learned before the second class appears (though attributes are counted). With two classes there is one learner,
        for the larger label. When a third class appears, that learner goes on as the learner of its class against the
        rest; the other classes get learners that have seen nothing yet, as does each later class when it appears.
    warm_up : int, default=200
        For `DNFWinnow` only: the number of values after which a column of floats is cut into intervals.

    See Also
    --------
    winnowkit.Committee : A learner without parameters.
    winnowkit.DNFWinnow : A learner of tables.

    Notes
    -----
    `predict_proba_one` is the learner's `predict_proba` where it has one (`Committee`, `AROW`, `SBSB`, `DirectBayes`,
    and `BayesBEG` with the policy "always"). Elsewhere it ranks examples, but is not calibrated: a logistic function (a
    softmax if there are more than two classes) of the decision over theta, or of log-odds where decisions are such.

    Threads may share a classifier: its calls take turns, also those that predict, as it remembers the example that was
    predicted last.

    How closely a late attribute is treated like an early one that was 0:

    - Linear learners and `Committee`: exactly, given theta and initial weights; where these follow n, past updates stay
      as they were made.
    - `SBSB`, `SASB`: exactly, given which examples they learned from: with the policy "always" these are all of them;
      otherwise past mistakes stay as they were made, although one more attribute might have changed them.
    - `DirectBayes`: likewise, in time that grows with the number of disjunctions for each example with new attributes.
      Attributes that would make the disjunctions more than `max_disjunctions` are left out: they count as 0.
    - `DirectedDrift`: an attribute that was 0, that is -1, would have changed past predictions. A new one gets a random
      weight, and the votes of the open batch; batch and stop follow n, so learning that had ended may go on.
    - `DNFWinnow`: an absent key is a missing value. Strings and booleans are categories. Columns and categories are
      added as they appear, each example is coded with all of its own, and theta "auto" is the number of terms over
      everything seen so far. A column whose first value is a float, or an integer other than 0 and 1, holds numbers
      unless it is named in `categorical`: it is unspecified until `warm_up` values have been learned from, and is then
      cut into intervals for good. With ``missing="value"`` a
      late column was missing before; "most_frequent" uses the values learned from so far.

    Examples
    --------
    >>> from river import evaluate, metrics
    >>> from winnowkit import Winnow2
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=1000, k=3, seed=0).take(2000)
    >>> rows = [(dict.fromkeys(x.indices.tolist(), 1), bool(label)) for x, label in zip(X, y)]
    >>> evaluate.progressive_val_score(rows, RiverClassifier(Winnow2()), metrics.Accuracy())
    Accuracy: 98.20%

    >>> model = RiverClassifier(Winnow2())
    >>> model.learn_one({"subject": "win", "reply": False}, "spam")
    >>> model.learn_one({"subject": "lunch", "reply": True, "length": 20}, "ham")
    >>> model.predict_one({"subject": "lunch"})
    'ham'
    """

    def __init__(
        self, learner: OnlineClassifier | DNFWinnow, classes: tuple[Label, ...] | None = None, warm_up: int = 200
    ) -> None:
        self.learner = learner
        self.classes = classes
        self.warm_up = warm_up
        self._labels = Labels(classes)
        self._adapter: Adapter
        if isinstance(learner, DNFWinnow):
            self._adapter = TableAdapter(clone(learner), len(self._labels), warm_up)
        else:
            if not isinstance(learner, OnlineClassifier):
                raise TypeError(
                    f"learner must be a classifier of winnowkit, such as Winnow2(), got {learner!r}; "
                    "other classifiers cannot take in new attributes over time"
                )
            self._adapter = AttributeAdapter(clone(learner), len(self._labels))
        self._is_posterior = hasattr(learner, "predict_proba")

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from winnowkit.linear.winnow import Winnow2  # noqa: PLC0415 - for river's checks alone

        yield {"learner": Winnow2()}

    @property
    def _multiclass(self) -> bool:
        return True

    # --- one example ------------------------------------------------------------------------------------------------

    def learn_one(self, x: Features, y: Label) -> None:
        """Perform one trial.

        Parameters
        ----------
        x : dict
            The example.
        y : bool, int or str
            Its label.
        """
        acquire, release, _ = self._lock.entrance
        acquire()
        try:
            if y not in self._labels.codes:
                self._adapter.check(x)  # a class is added with its first example or not at all
                self._add_class(y)
            self._adapter.learn(x, self._labels.codes[y])
        finally:
            release()

    def predict_one(self, x: Features, **kwargs: Any) -> Label | None:  # noqa: ARG002 - river's signature
        """Predict the label of an example; None if no label has been seen.

        Parameters
        ----------
        x : dict
            The example.
        **kwargs
            Not used.

        Returns
        -------
        label
            Or None.
        """
        acquire, release, _ = self._lock.entrance
        acquire()
        try:
            if len(self._labels) < 2:
                return self._labels[0] if self._labels else None
            return self._labels[self._adapter.predict(x)]
        finally:
            release()

    @takes_turns
    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Label, float]:  # noqa: ARG002 - river's signature
        """Return the probabilities of the labels, or scores that rank and add up to 1; empty if no label has been seen.

        Parameters
        ----------
        x : dict
            The example.
        **kwargs
            Not used.

        Returns
        -------
        dict
            One number per label.
        """
        if len(self._labels) < 2:
            return dict.fromkeys(self._labels, 1.0)
        return dict(zip(self._labels, self._scores(self._adapter.rank(x)), strict=True))

    def _scores(self, ranks: NDArray[np.float64]) -> list[float]:
        if not self._is_posterior:
            return shares(ranks)
        if isinstance(self.learner, AveragingClassifier):
            mixed: list[float] = logistic_probabilities(ranks[None])[0].tolist()
            return mixed
        found: list[float] = probabilities(ranks if ranks.size == 1 else ranks[None])[0].tolist()
        return found

    def _add_class(self, label: Label) -> None:
        self._labels.add(label)
        self._adapter.add_class(len(self._labels))

    # --- many examples ----------------------------------------------------------------------------------------------

    @takes_turns
    def learn_many(self, X: Any, y: Any) -> None:
        """Perform one trial per row, in order, as `learn_one` does, with all columns known from the first row on.

        If a row is refused, the rows before it have been learned from.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples; columns of numbers or booleans, dense or sparse, are fastest.
        y : pandas.Series
            Their labels.
        """
        labels, first = y.tolist(), 0
        if len(labels) != len(X):
            raise ValueError(f"y must have one label per row of X ({len(X)}), got {len(labels)}")
        if not X.columns.is_unique:
            raise ValueError(f"the columns of X must differ, got {X.columns.tolist()}")
        self._adapter.see_columns(X)
        while first < len(labels):  # up to the next new class
            if labels[first] not in self._labels.codes:
                self._adapter.check(X.iloc[first : first + 1].to_dict("records")[0])
                self._add_class(labels[first])
            codes = self._labels.codes
            last = next((i for i in range(first, len(labels)) if labels[i] not in codes), len(labels))
            part = X if last - first == len(labels) else X.iloc[first:last]
            self._adapter.learn_many(part, [codes[label] for label in labels[first:last]])
            first = last

    @takes_turns
    def predict_many(self, X: Any) -> Any:
        """Predict the label of each row.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples.

        Returns
        -------
        pandas.Series
            One label per row.
        """
        import pandas as pd  # noqa: PLC0415 - river does without it too

        if len(self._labels) < 2:
            return pd.Series([self._labels[0]] * len(X), index=X.index) if self._labels else pd.Series(dtype=object)
        return pd.Series([self._labels[code] for code in self._adapter.predict_many(X)], index=X.index)

    @takes_turns
    def predict_proba_many(self, X: Any) -> Any:
        """Return the probabilities or scores of the labels for each row, as `predict_proba_one` does.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples.

        Returns
        -------
        pandas.DataFrame
            One column per label.
        """
        import pandas as pd  # noqa: PLC0415 - river does without it too

        if len(self._labels) < 2:
            return pd.DataFrame(1.0, index=X.index if self._labels else [], columns=list(self._labels))
        scores = [self._scores(ranks) for ranks in self._adapter.rank_many(X)]
        return pd.DataFrame(scores, index=X.index, columns=list(self._labels))

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    @takes_turns
    def weights(self) -> dict[Hashable, Any]:
        """Contribution of each attribute to the decision; by label if there are more than two classes.

        For `Committee` this is the contribution at the attribute's largest value in a typical example.
        """
        found = self._adapter.weights()
        if not found:
            return {}
        return found[0] if len(found) == 1 else dict(zip(self._labels, found, strict=True))

    @property
    @takes_turns
    def n_trials(self) -> int:
        """Number of examples learned from, including those before the second class."""
        return self._adapter.counts[0]

    @property
    @takes_turns
    def n_mistakes(self) -> int:
        """Number of examples that a learner first predicted wrongly."""
        return self._adapter.counts[1]


class Labels(list[Label]):
    """The classes in the order of their codes.

    A boolean stands for both booleans. Two classes are in ascending order, if they have one; later classes follow.

    Examples
    --------
    >>> labels = Labels()
    >>> for label in ("spam", "ham", "news"):
    ...     labels.add(label)
    >>> labels, labels.codes["spam"]
    (['ham', 'spam', 'news'], 1)
    """

    def __init__(self, classes: Sequence[Label] | None = None) -> None:
        super().__init__([] if classes is None else sort_if_possible(classes))
        self.codes = {label: code for code, label in enumerate(self)}

    def add(self, label: Label) -> None:
        """Add a new class."""
        if label != label:  # noqa: PLR0124 - NaN, of which each would be one more class
            raise ValueError("the label is NaN; leave out examples without a label")
        if isinstance(label, np.bool_):
            label = bool(label)
        if not self and isinstance(label, bool):
            self[:] = [False, True]
        else:
            self.append(label)
            if len(self) == 2:
                self[:] = sort_if_possible(self)
        self.codes = {known: code for code, known in enumerate(self)}


def sort_if_possible(labels: Sequence[Label]) -> list[Label]:
    """Return labels in ascending order, or as they came if they have none."""
    try:
        return sorted(labels)
    except TypeError:
        return list(labels)


def shares(ranks: NDArray[np.float64]) -> list[float]:
    """Return positive numbers in the order of the ranks that add up to 1; the predicted label has the largest.

    Examples
    --------
    >>> shares(np.array([0.0])), shares(np.log([1.0, 2.0, 1.0]))
    ([0.5, 0.5], [0.25, 0.5, 0.25])
    """
    if ranks.size == 1:
        ranks = np.array([0.0, max(ranks[0], 1e-15) if ranks[0] > 0.0 else ranks[0]])  # a tie that predicts 1 is tiny
    powers = np.exp(ranks - ranks.max())
    found: list[float] = (powers / powers.sum()).tolist()
    return found

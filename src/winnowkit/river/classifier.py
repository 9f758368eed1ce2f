"""The face that river sees."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from river.base import MiniBatchClassifier
from sklearn.base import clone

from winnowkit.core.multiclass import chosen
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.posterior import probabilities
from winnowkit.data.vocabulary import Example
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.river.boolean import BooleanSide
from winnowkit.river.frames import is_numeric
from winnowkit.river.labels import Label, Labels, shares
from winnowkit.river.table import TableSide


class RiverClassifier(MiniBatchClassifier):
    """A learner of ours as a river classifier.

    An example is a dictionary. For the learners of boolean attributes, a number or a boolean is the value of the
    attribute that its key names, cut at the learner's `binarize`; a string is a category: the attribute (key, string)
    is 1. What is absent, None or NaN is 0. For `DNFWinnow` see the notes.

    Nothing need be known beforehand. After each example the learner is that of the n attributes seen so far: a new one
    is as an attribute that was 0 until now, and what depends on n ("auto" thresholds, initial weights of 1/n) follows.
    A prediction counts new attributes the same way, but leaves the classifier as it was: it is what `learn_one` would
    predict first (unless predictions are drawn at random), so the mistakes that river counts are those the learner is
    driven by.

    Parameters
    ----------
    learner : Winnow2 or any other classifier of winnowkit
        Its parameters are used, not what it may have learned.
    classes : tuple of labels, optional
        The classes, if known. Otherwise a boolean label stands for both booleans; else nothing is learned before the
        second class turns up (attributes are counted). With two classes there is one learner, for the larger label.
        At a third it goes on as the learner of that class against the rest; the other classes get learners that
        have seen nothing yet, as does each later one when it turns up.
    warm_up : int, default=200
        For `DNFWinnow` only: after how many of its values a column of floats is cut into intervals.

    See Also
    --------
    winnowkit.Committee : A learner without parameters.
    winnowkit.DNFWinnow : A learner of tables.

    Notes
    -----
    `predict_proba_one` is the learner's `predict_proba` where it has one (`SBSB`, `DirectBayes` and `BayesBEG` with the
    policy "always"). Elsewhere it ranks examples, but is not calibrated: a logistic function (a softmax if there are
    more than two classes) of the decision over theta, or of log-odds where decisions are such; for `Committee` the
    share of the vote, examples with equal votes ranked by the members' margins.

    How exactly late attributes are as early ones that were 0:

    - Linear learners and `Committee`: exactly, given theta and initial weights; where these follow n, past updates stay
      as they were made.
    - `SBSB`, `SASB`: exactly, given which examples they learned from: with the policy "always" these are all; past
      mistakes stay as they were made, although one more attribute might have changed them.
    - `DirectBayes`: likewise, in time that grows with the number of disjunctions for each example with new attributes.
      Attributes that would make the disjunctions more than `max_disjunctions` are left out: they count as 0.
    - `DirectedDrift`: an attribute that was 0, that is -1, would have changed past predictions. A new one gets a random
      weight, and the votes of the open batch; batch and stop follow n, so learning that had ended may go on.
    - `DNFWinnow`: an absent key is missing. Strings, integers and booleans are categories; columns and categories turn
      up, each example is coded with all of its own, and theta "auto" is the number of terms over what was seen so far.
      A column whose first value is a float (or that is named in `numeric`) is unspecified until `warm_up` values were
      learned from, and is then cut for good. With ``missing="value"`` a late column was missing before;
      "most_frequent" goes by the values learned from so far.

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
        self._side: BooleanSide | TableSide
        if isinstance(learner, DNFWinnow):
            self._side = TableSide(clone(learner), len(self._labels), warm_up)
        else:
            if not isinstance(learner, OnlineClassifier):
                raise TypeError(
                    f"learner must be a classifier of winnowkit, such as Winnow2(), got {learner!r}; "
                    "other classifiers cannot take in new attributes over time"
                )
            self._side = BooleanSide(clone(learner), len(self._labels))
        self._is_posterior = hasattr(learner, "predict_proba")

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from winnowkit.linear.winnow import Winnow2  # noqa: PLC0415 - for river's checks alone

        yield {"learner": Winnow2()}

    @property
    def _multiclass(self) -> bool:
        return True

    # --- one example ------------------------------------------------------------------------------------------------

    def learn_one(self, x: Example, y: Label) -> None:
        """One trial.

        Parameters
        ----------
        x : dict
            The example.
        y : bool, int or str
            Its label.
        """
        if y not in self._labels.codes:
            self._add_class(y)
        self._side.learn(x, self._labels.codes[y])

    def predict_one(self, x: Example, **kwargs: Any) -> Label | None:  # noqa: ARG002 - river's signature
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
        if len(self._labels) < 2:
            return self._labels[0] if self._labels else None
        return self._labels[self._side.predict(x)]

    def predict_proba_one(self, x: Example, **kwargs: Any) -> dict[Label, float]:  # noqa: ARG002 - river's signature
        """Give probabilities of the labels, or scores that rank and add up to 1; empty if no label has been seen.

        Parameters
        ----------
        x : dict
            The example.
        **kwargs
            Not used.

        Returns
        -------
        dict
            A number a label.
        """
        if len(self._labels) < 2:
            return dict.fromkeys(self._labels, 1.0)
        return dict(zip(self._labels, self._scores(self._side.rank(x)), strict=True))

    def _scores(self, ranks: Any) -> list[float]:
        if not self._is_posterior:
            return shares(ranks)
        found: list[float] = probabilities(ranks if ranks.size == 1 else ranks[None])[0].tolist()
        return found

    def _add_class(self, label: Label) -> None:
        self._labels.add(label)
        self._side.add_class(len(self._labels))

    # --- many examples ----------------------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any) -> None:
        """One trial a row, in order: the same as `learn_one` on each, all columns being known from the first on.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples; columns of numbers or booleans, dense or sparse, are fastest.
        y : pandas.Series
            Their labels.
        """
        labels, codes = y.tolist(), self._labels.codes
        if not (isinstance(self._side, BooleanSide) and is_numeric(X)):
            for x, label in zip(X.to_dict("records"), labels, strict=True):
                self.learn_one(x, label)
            return
        rows = self._side.rows_to_learn(X)
        first = 0
        while first < len(labels):  # as far as no new class turns up
            if labels[first] not in codes:
                self._add_class(labels[first])
                codes = self._labels.codes
            last = next((i for i in range(first, len(labels)) if labels[i] not in codes), len(labels))
            self._side.learn_rows(rows, first, np.array([codes[label] for label in labels[first:last]], dtype=np.int64))
            first = last

    def predict_many(self, X: Any) -> Any:
        """Predict the label of each row.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples.

        Returns
        -------
        pandas.Series
            A label a row.
        """
        import pandas as pd  # noqa: PLC0415 - river does without it too

        if len(self._labels) < 2:
            return pd.Series([self._labels[0]] * len(X), index=X.index) if self._labels else pd.Series(dtype=object)
        if isinstance(self._side, BooleanSide) and self._side.knows(X):
            codes = [int(chosen(row[None])[0]) for row in self._side.decide_rows(X)]
        else:
            codes = [self._side.predict(x) for x in X.to_dict("records")]
        return pd.Series([self._labels[code] for code in codes], index=X.index)

    def predict_proba_many(self, X: Any) -> Any:
        """Give probabilities or scores of the labels for each row, as by `predict_proba_one`.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples.

        Returns
        -------
        pandas.DataFrame
            A column a label.
        """
        import pandas as pd  # noqa: PLC0415 - river does without it too

        if len(self._labels) < 2:
            return pd.DataFrame(1.0, index=X.index if self._labels else [], columns=list(self._labels))
        if isinstance(self._side, BooleanSide) and self._side.knows(X):
            scores = [self._scores(row) for row in self._side.rank_rows(X)]
        else:
            scores = [self._scores(self._side.rank(x)) for x in X.to_dict("records")]
        return pd.DataFrame(scores, index=X.index, columns=list(self._labels))

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def weights(self) -> dict[Hashable, Any]:
        """What each attribute adds to the decision (`Committee`: its leader's); of many classes, for each label."""
        found = self._side.weights()
        if not found:
            return {}
        return found[0] if len(found) == 1 else dict(zip(self._labels, found, strict=True))

    @property
    def n_trials(self) -> int:
        """Examples learned from, those before the second class included."""
        return self._side.counts[0]

    @property
    def n_mistakes(self) -> int:
        """How many of them a learner first predicted wrongly."""
        return self._side.counts[1]

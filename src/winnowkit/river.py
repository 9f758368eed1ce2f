"""Our learners as river classifiers: examples are dictionaries, features and classes turn up over time.

Needs river: ``pip install 'winnowkit[river]'``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from winnowkit.data.vocabulary import Example, Vocabulary
from winnowkit.estimators.linear import LinearClassifier
from winnowkit.estimators.rows import encode_rows
from winnowkit.kernels.csr import Rows
from winnowkit.kernels.updates import Link
from winnowkit.kernels.votes import PREDICT_ONLY
from winnowkit.rules.base import Rule
from winnowkit.rules.growing import GrowingLearner

try:
    from river.base import MiniBatchClassifier
except ImportError as error:
    raise ImportError("winnowkit.river needs river: pip install 'winnowkit[river]'") from error

Label = Any  # bool, int or str


class RiverClassifier(MiniBatchClassifier):
    """A learner of ours as a river classifier.

    An example is a dictionary. A number or a boolean is the value of the attribute that its key names, cut at the
    learner's `binarize`; a string is a category: the attribute (key, string) is 1. What is absent, None or NaN is 0.

    Nothing need be known beforehand. After each example the learner is that of the n attributes seen so far: a new one
    has the weight of an attribute that was 0 until now, and what depends on n ("auto" thresholds, initial weights of
    1/n) follows. A prediction counts new attributes the same way, but leaves the classifier as it was: it is always
    what `learn_one` would predict first, so the mistakes that river counts are those the learner is driven by.

    Parameters
    ----------
    learner : Winnow2 or any other linear classifier of winnowkit
        Its parameters are used, not what it may have learned.
    classes : tuple of labels, optional
        The classes, if known. Otherwise a boolean label stands for both booleans; else nothing is learned before the
        second class turns up (attributes are counted). With two classes there is one learner, for the larger label.
        At a third it goes on as the learner of that class against the rest; the other classes get learners that
        have seen nothing yet, as does each later one when it turns up.

    Notes
    -----
    `predict_proba_one` is a logistic function of the decision over theta (of the mere decision for `BayesBEG`; a
    softmax if there are more than two classes): it ranks examples, but is not calibrated.

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

    def __init__(self, learner: LinearClassifier, classes: tuple[Label, ...] | None = None) -> None:
        if not isinstance(learner, LinearClassifier):
            raise TypeError(
                f"learner must be a linear classifier of winnowkit, such as Winnow2(), got {learner!r}; "
                "others do not know how to take in attributes over time"
            )
        self.learner = learner
        self.classes = classes
        self._vocabulary = Vocabulary()
        self._labels: list[Label] = [] if classes is None else sort_if_possible(classes)
        self._codes = {label: code for code, label in enumerate(self._labels)}
        self._model: GrowingLearner | None = None  # there is none before the first attribute and the second class
        self._n_waited = 0  # trials until then
        self._last_rule: tuple[int, Rule] | None = None

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from winnowkit.estimators.winnow import Winnow2  # noqa: PLC0415 - for river's checks alone

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
        if y not in self._codes:
            self._add_class(y)
        found = self._vocabulary.find(x, self.learner.binarize)
        if found is None or found[1] or self._model is None:
            self._learn_any(x, self._codes[y])
        else:
            self._model.trial_active(found[0], self._codes[y])

    def _learn_any(self, x: Example, code: int) -> None:
        """One trial on an example that may have new attributes, zeros and fractions."""
        indices = self._vocabulary.add(x, self.learner.binarize)
        model = self._grown()
        if model is None:
            self._n_waited += 1
            return
        if indices is not None:
            model.trial_active(indices, code)
            return
        active = self._vocabulary.active(x, self.learner.binarize)
        if self.learner.binarize is not None:
            model.trial_active(active.indices, code)
        else:
            indptr = np.array([0, active.indices.size])
            model.learn(Rows(active.data, active.indices, indptr, None), np.array([code]))

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
        """
        found = self._vocabulary.find(x, self.learner.binarize)
        if found is not None and not found[1] and self._model is not None:
            return self._labels[self._model.trial_active(found[0], PREDICT_ONLY)]
        if len(self._labels) < 2:
            return self._labels[0] if self._labels else None
        return self._labels[choose(self._decisions(x)[0])]

    def predict_proba_one(self, x: Example, **kwargs: Any) -> dict[Label, float]:  # noqa: ARG002 - river's signature
        """Scores of the labels that rank examples and add up to 1; empty if no label has been seen.

        Parameters
        ----------
        x : dict
            The example.
        **kwargs
            Not used.

        Returns
        -------
        dict
        """
        if len(self._labels) < 2:
            return dict.fromkeys(self._labels, 1.0)
        return dict(zip(self._labels, shares(*self._decisions(x)), strict=True))

    def _decisions(self, x: Example) -> tuple[NDArray[np.float64], float]:
        """What the learners would decide were they grown by the attributes of x, and the scale of that."""
        active = self._vocabulary.active(x, self.learner.binarize)
        n = len(self._vocabulary) + active.n_new
        if n == 0:
            return np.zeros(self._n_learners), 1.0
        rule = self._rule_for(n)
        if self._model is None:  # nothing was learned: only how many attributes there are matters
            unused = Vocabulary({attribute: i for i, attribute in enumerate(self._vocabulary)})
            unused.add(x, self.learner.binarize)
            indices, data, _ = unused.active(x, self.learner.binarize)
            return self._start(n).foresee(rule, indices, data, 0), scale(rule)
        return self._model.foresee(rule, active.indices, active.data, active.n_new), scale(rule)

    # --- growing ----------------------------------------------------------------------------------------------------

    def _add_class(self, label: Label) -> None:
        if isinstance(label, np.bool_):
            label = bool(label)
        if not self._labels and isinstance(label, bool):
            self._labels = [False, True]
        else:
            self._labels.append(label)
            if len(self._labels) == 2:
                self._labels = sort_if_possible(self._labels)
        self._codes = {known: code for code, known in enumerate(self._labels)}
        if self._model is not None:
            n_learners = len(self._model.counts) - 1
            before = [None, 0] if n_learners == 1 else list(range(n_learners))
            self._model = self._model.with_learners(self.learner._rule_for(self._model.n_features), [*before, None])

    def _grown(self) -> GrowingLearner | None:
        """The learner of all attributes seen so far, once there can be one."""
        n = len(self._vocabulary)
        if self._model is None and n > 0 and len(self._labels) > 1:
            self._model = self._start(n)
        elif self._model is not None and n > self._model.n_features:
            self._model.grow(self._rule_for(n), n)
        return self._model

    def _rule_for(self, n: int) -> Rule:
        """The rule for n attributes; the last one is kept, as a prediction and then learning ask for the same."""
        if self._last_rule is None or self._last_rule[0] != n:
            self._last_rule = n, self.learner._rule_for(n)
        return self._last_rule[1]

    def _start(self, n: int) -> GrowingLearner:
        return GrowingLearner.start(self.learner._rule_for(n), n, self._n_learners, self.learner.negations)

    @property
    def _n_learners(self) -> int:
        return 1 if len(self._labels) == 2 else len(self._labels)

    # --- many examples ----------------------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any) -> None:
        """One trial a row, in order: the same as `learn_one` on each.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples; columns of numbers or booleans, dense or sparse, are fastest.
        y : pandas.Series
            Their labels.
        """
        labels = y.tolist()
        if not is_numeric(X):
            for x, label in zip(X.to_dict("records"), labels, strict=True):
                self.learn_one(x, label)
            return
        self._vocabulary.add(dict.fromkeys(X.columns, 0.0), 0.0)
        rows = self._rows(X)
        start = 0
        while start < len(labels):  # as far as no new class turns up
            if labels[start] not in self._codes:
                self._add_class(labels[start])
            stop = next((i for i in range(start, len(labels)) if labels[i] not in self._codes), len(labels))
            model = self._grown()
            if model is None:
                self._n_waited += stop - start
            else:
                codes = np.array([self._codes[label] for label in labels[start:stop]], dtype=np.int64)
                model.learn(rows._replace(indptr=rows.indptr[start : stop + 1].copy()), codes)
            start = stop

    def predict_many(self, X: Any) -> Any:
        """Predict the label of each row.

        Parameters
        ----------
        X : pandas.DataFrame
            The examples.

        Returns
        -------
        pandas.Series
        """
        import pandas as pd  # noqa: PLC0415 - river does without it too

        if len(self._labels) < 2:
            return pd.Series([self._labels[0]] * len(X), index=X.index) if self._labels else pd.Series(dtype=object)
        return pd.Series([self._labels[choose(row)] for row, _ in self._decisions_of(X)], index=X.index)

    def predict_proba_many(self, X: Any) -> Any:
        """Scores of the labels for each row, as by `predict_proba_one`.

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
            return pd.DataFrame(1.0, index=X.index if self._labels else [], columns=self._labels)
        scores = [shares(row, unit) for row, unit in self._decisions_of(X)]
        return pd.DataFrame(scores, index=X.index, columns=self._labels)

    def _decisions_of(self, X: Any) -> Iterator[tuple[NDArray[np.float64], float]]:
        if self._model is None or not is_numeric(X) or not self._vocabulary.keys() >= set(X.columns):
            yield from (self._decisions(x) for x in X.to_dict("records"))
        else:
            unit = scale(self.learner._rule_for(self._model.n_features))
            yield from ((row, unit) for row in self._model.decide(self._rows(X), 0, len(X)))

    def _rows(self, X: Any) -> Rows:
        """Rows of a frame of numbers, whose columns are all known."""
        slots = np.array([self._vocabulary[key] for key in X.columns], dtype=np.int64)
        order = np.argsort(slots)
        if all(hasattr(kind, "fill_value") for kind in X.dtypes) and len(slots):
            rows = encode_rows(sparse.csr_array(X.sparse.to_coo())[:, order], self.learner.binarize)
        else:
            rows = encode_rows(X.to_numpy(dtype=np.float64, na_value=np.nan)[:, order], self.learner.binarize)
        return rows._replace(indices=slots[order][rows.indices], indptr=rows.indptr.astype(np.int64))

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def weights(self) -> dict[Hashable, Any]:
        """What each attribute adds to the decision; with more than two classes, for each label."""
        if self._model is None:
            return {}
        rows = [dict(zip(self._vocabulary, row, strict=True)) for row in self._model.coef.tolist()]
        return rows[0] if len(rows) == 1 else dict(zip(self._labels, rows, strict=True))

    @property
    def n_trials(self) -> int:
        """Examples learned from, those before the second class included."""
        return self._n_waited + (0 if self._model is None else int(self._model.counts[0, 0]))

    @property
    def n_mistakes(self) -> int:
        """How many of them a learner first predicted wrongly."""
        return 0 if self._model is None else int(self._model.counts[0, 1])


def choose(decisions: NDArray[np.float64]) -> int:
    """Position of the label that the decisions amount to."""
    return int(decisions[0] > 0.0) if decisions.size == 1 else int(decisions.argmax())


def scale(rule: Rule) -> float:
    """What a decision is divided by to be comparable while n grows."""
    return 1.0 if rule.prediction.link == Link.BAYES else rule.prediction.theta or 1.0


def shares(decisions: NDArray[np.float64], unit: float) -> list[float]:
    """Positive numbers in the order of the decisions that add up to 1; the largest is the predicted label's."""
    if decisions.size == 1:
        one = decisions[0]
        decisions = np.array([0.0, max(one, 1e-15 * unit) if one > 0.0 else one])  # a tie that predicts 1 is tiny
    powers = np.exp((decisions - decisions.max()) / unit)
    found: list[float] = (powers / powers.sum()).tolist()
    return found


def sort_if_possible(labels: Sequence[Label]) -> list[Label]:
    """Labels in ascending order, or as they came if they have none."""
    try:
        return sorted(labels)
    except TypeError:
        return list(labels)


def is_numeric(X: Any) -> bool:
    """Whether all columns are of numbers or booleans."""
    return all(kind.kind in "biuf" for kind in X.dtypes)

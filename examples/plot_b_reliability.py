"""
Probabilities that mean what they say
=====================================

Among the examples to which a model gives a probability of 0.8, eight in ten should have that label. `Committee` learns
its probabilities while it learns: the mix of its experts is a logistic regression on line. Here each example is
predicted before it is learned from, as in use, from the first example on.
"""

# %%
# A stream of a disjunction with one label in ten flipped, and handwritten digits with ten classes. In both, the
# probabilities are those before each block of ten examples.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from winnowkit import AROW, Committee
from winnowkit.data import streams


def progressive(model, X, y):
    """Return the probabilities of all classes for each row, given the rows before its block."""
    model.begin(X.shape[1], np.unique(y))
    found = []
    for first in range(0, len(y), 10):
        here = slice(first, first + 10)
        found.append(model.predict_proba(X[here]))
        model.partial_fit(X[here], y[here])
    return np.vstack(found)


digits, digit_labels = load_digits(return_X_y=True)
tables = {
    "disjunction, 10% of labels flipped": streams.disjunction(n=1_000, k=5, label_noise=0.1, seed=0).take(5_000),
    "digits, ten classes": (digits, digit_labels),
}

# %%
# Group the predictions by their probability, and compare it with the part of the labels that were as predicted. On the
# diagonal, probabilities are right; bars are two standard errors.
figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained", sharey=True)
for axis, (title, (X, y)) in zip(axes, tables.items(), strict=True):
    for model in (Committee(), AROW()):
        found = progressive(model, X, y)
        sure, right = found.max(axis=1), found.argmax(axis=1) == y
        loss = -np.log(found[np.arange(len(y)), y]).mean()
        edges = np.quantile(sure, np.linspace(0, 1, 11))
        group = np.clip(np.searchsorted(edges, sure, side="right") - 1, 0, 9)
        there = [g for g in range(10) if (group == g).any()]
        said = [sure[group == g].mean() for g in there]
        seen = np.array([right[group == g].mean() for g in there])
        error = [2 * np.sqrt(p * (1 - p) / (group == g).sum()) for g, p in zip(there, seen, strict=True)]
        label = f"{type(model).__name__}: log-loss {loss:.3f}"
        axis.errorbar(said, seen, yerr=error, marker="o", markersize=4, label=label)
    axis.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle="--")
    axis.set(title=title, xlabel="probability of the predicted label", xlim=(0.2, 1.02), ylim=(0.2, 1.02))
    axis.legend(loc="lower right")
axes[0].set_ylabel("part of these labels that were right")
plt.show()

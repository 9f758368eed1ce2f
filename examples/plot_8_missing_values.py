"""
Missing values in a table
=========================

Some of the votes of 435 members of congress are missing. ``DNFWinnow`` handles missing values directly. Here more and
more of the other votes are removed too, at random, from training and test rows alike.
"""

# %%
# A missing value can be ignored, be a value of its own, or, in training, be the most frequent value of the class.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.dnf import MistakeDriven

X, y = load_dataset("voting", return_X_y=True)
missing = np.array([[value is None for value in row] for row in X])
print(f"{missing.mean():.1%} of the votes are missing to begin with")

shares = [0.0, 0.15, 0.3, 0.45]
readings = ["ignore", "value", "most_frequent"]
errors = {reading: [] for reading in readings}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
for share in shares:
    rng = np.random.default_rng(0)
    gappy = np.where(rng.random(X.shape) < share, None, X)
    for reading in readings:
        model = DNFWinnow(
            training=MistakeDriven(two_class="pair"),
            encoder=CategoryEncoder(missing=reading),
            max_epochs=5,
            random_state=0,
        )
        errors[reading].append(1 - cross_val_score(model, gappy, y, cv=folds))

# %%
# Means over five folds, with one standard error.
figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
for shift, reading in zip((-0.006, 0, 0.006), readings, strict=True):
    scores = np.array(errors[reading])
    axis.errorbar(
        np.array(shares) + shift,
        scores.mean(axis=1),
        scores.std(axis=1, ddof=1) / np.sqrt(5),
        marker="o",
        capsize=3,
        label=f'missing="{reading}"',
    )
axis.set(xlabel="votes taken away", ylabel="error", ylim=(0, None))
axis.xaxis.set_major_formatter("{x:.0%}")
axis.yaxis.set_major_formatter("{x:.0%}")
axis.legend()
plt.show()

"""
Cutting numbers into intervals
==============================

Terms test categories, so columns of numbers are cut into intervals. :class:`~winnowkit.data.MultisplitDiscretizer`
places all cuts of a column at once, where they leave the least class entropy, by dynamic programming. ``DNFWinnow``
does this inside, on the training rows alone.
"""

# %%
# Iris has four measurements of 150 flowers of three species.
import matplotlib.pyplot as plt
import numpy as np

from winnowkit import DNFWinnow
from winnowkit.data import MultisplitDiscretizer, load_dataset

iris = load_dataset("iris", as_frame=True)
X, y = iris.data, iris.target
cutter = MultisplitDiscretizer().fit(X, y)
for name, cuts in zip(X.columns, cutter.cuts_, strict=True):
    print(f"{name}: {len(cuts)} cuts, at {', '.join(f'{cut:g}' for cut in cuts)}")

# %%
# The cuts lie where one species gives way to another.
figure, axes = plt.subplots(2, 2, figsize=(9, 5.5), layout="constrained")
species = np.unique(y)
for axis, name, cuts in zip(axes.flat, X.columns, cutter.cuts_, strict=True):
    values = [X[name][y == kind] for kind in species]
    axis.hist(values, bins=24, stacked=True, label=list(species))
    for cut in cuts:
        axis.axvline(cut, color="0.2", linestyle="--", linewidth=1)
    axis.set(xlabel=name, ylabel="flowers")
axes[0, 0].legend(fontsize=8)
plt.show()

# %%
# Rules for the same flowers. They choose among finer cuts, which have few digits.
model = DNFWinnow(max_literals=None, random_state=0).fit(X, y)
print(model.compact(X, y))

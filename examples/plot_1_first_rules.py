"""
First rules: what wins at tic-tac-toe
=====================================

A table has the 958 final boards of tic-tac-toe, nine squares each, and whether x has won. The learner is not told what
a line is. Winnow over all 262,144 terms finds the eight lines, and states them in the table's own names and values.
"""

# %%
# Learn from half of the boards, and predict the others.
import matplotlib.pyplot as plt

from winnowkit import DNFWinnow
from winnowkit.data import load_dataset

boards = load_dataset("tic-tac-toe", as_frame=True)
X, y = boards.data, boards.target
model = DNFWinnow(max_literals=None, random_state=0).fit(X[::2], y[::2])
print(f"{(model.predict(X[1::2]) == y[1::2]).mean():.1%} of {len(X[1::2])} other boards are right")

# %%
# :meth:`~winnowkit.DNFWinnow.compact` chooses a few of the heavy terms that predict on their own.
rules = model.compact(X[::2], y[::2], max_literals=4)
print(rules)

# %%
# Each rule asks for three squares. Drawn on the board, they are the lines.
columns = list(X.columns)
figure, axes = plt.subplots(2, 4, figsize=(8, 4.4), layout="constrained")
for axis, rule in zip(axes.flat, rules, strict=True):
    for condition in rule.conditions:
        row, column = divmod(columns.index(condition.column), 3)
        axis.text(column, row, "x", ha="center", va="center", fontsize=30, color="C0", weight="bold")
    for edge in (0.5, 1.5):
        axis.axhline(edge, color="0.6", linewidth=1)
        axis.axvline(edge, color="0.6", linewidth=1)
    axis.set(xlim=(-0.5, 2.5), ylim=(2.5, -0.5), aspect="equal", title=f"{rule.support} boards")
    axis.axis("off")
figure.suptitle("Eight rules, found from 479 boards")
plt.show()

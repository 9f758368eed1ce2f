"""
How many rules are enough
=========================

A model adds up the weights of all terms, but people prefer a few rules. :meth:`~winnowkit.DNFWinnow.compact` chooses
them, and its report has the error after each: where the curve flattens, more rules only learn the noise.
"""

# %%
# Car evaluation has four classes, six columns and no noise. Every second row is held out for testing.
import matplotlib.pyplot as plt
import numpy as np

from winnowkit import DNFWinnow
from winnowkit.data import load_dataset
from winnowkit.rulesets import RuleSet

cars = load_dataset("car", as_frame=True)
X, y = cars.data, np.asarray(cars.target)
model = DNFWinnow(max_literals=None, random_state=0).fit(X[::2], y[::2])
rules = model.compact(X[::2], y[::2], max_literals=4)
print(rules.report)
print(*list(rules)[:5], sep="\n")

# %%
# The rules are tried in order and the first that holds decides, so leaving out the last ones leaves a rule set again.
counts = range(len(rules) + 1)
shorter = [RuleSet(list(rules)[:count], rules.default, rules.columns) for count in counts]
test = [np.mean(part.predict(X[1::2]) != y[1::2]) for part in shorter]
train = [np.mean(part.predict(X[::2]) != y[::2]) for part in shorter]

figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
axis.plot(counts, train, label="rows the rules were chosen on")
axis.plot(counts, test, label="other rows")
axis.axhline(
    np.mean(model.predict(X[1::2]) != y[1::2]), color="0.5", linestyle=":", label="the whole model, other rows"
)
axis.set(xlabel="rules", ylabel="error", ylim=(0, None))
axis.yaxis.set_major_formatter("{x:.0%}")
axis.legend()
plt.show()

"""
A target that moves
===================

Every 5,000 examples, another five of 1,000 attributes become relevant. A committee that never forgets trusts the
experts that were best; with ``share`` a part of the votes is shared out again after each trial, its mix stays ready to
change, and weights of disjunctions keep a floor.
"""

# %%
# Count progressive mistakes on one stream with four changes.
import matplotlib.pyplot as plt
import numpy as np

from winnowkit import BayesBEG, Committee, Winnow2
from winnowkit.data import streams

EVERY, ROWS = 5000, 25_000
X, y = streams.disjunction(n=1000, k=5, drift_every=EVERY, seed=3).take(ROWS)
learners = {
    "Winnow2()": Winnow2(),
    "Committee()": Committee(),
    "Committee(share=0.01)": Committee(share=0.01),
    'BayesBEG(policy="always")': BayesBEG(policy="always"),
}
wrong = {name: model.partial_fit_predict(X, y, classes=[0, 1]) != y for name, model in learners.items()}
for name, mistakes in wrong.items():
    print(f"{name:25} {mistakes.sum():5,} mistakes")

# %%
# A Bayesian learner that is certain of a fixed target never recovers: the more evidence it has, the longer it takes. It
# is left out of the plot. The curves of the others rise after each change (dashed), that of the sharing committee
# least.
figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
for name in list(learners)[:3]:
    axis.plot(np.cumsum(wrong[name]), label=name)
for change in range(EVERY, ROWS, EVERY):
    axis.axvline(change, color="0.5", linestyle="--", linewidth=0.8)
axis.set(xlabel="examples", ylabel="mistakes so far", ylim=(0, None))
axis.xaxis.set_major_formatter("{x:,.0f}")
axis.legend(loc="upper left")
plt.show()

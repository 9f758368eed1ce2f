"""
A stream like text: few active words of many
============================================

Each example has 65 of 100,000 attributes, distributed like words: the i-th most frequent has a probability proportional
to 1/i. Five of them decide the label, and 2% of the labels are wrong. There is one pass and no tuning.
"""

# %%
# The stream is read in chunks; it is never in memory as a whole.
from itertools import islice

import matplotlib.pyplot as plt
import numpy as np

from winnowkit import BayesBEG, Committee, Winnow2
from winnowkit.data import streams

stream = streams.disjunction(n=100_000, k=5, attributes="zipf", label_noise=0.02, seed=2)
learners = {
    "Committee": Committee(),
    'BayesBEG(policy="always")': BayesBEG(policy="always"),
    "Winnow2": Winnow2(),
}
wrong = {name: [] for name in learners}
flipped = []
for X, y in islice(stream.chunks(2000), 15):
    flipped.append(stream.target(X) != y)
    for name, model in learners.items():
        wrong[name].append(model.partial_fit_predict(X, y, classes=[0, 1]) != y)

# %%
# Left: no learner can expect fewer mistakes than there are wrong labels. A learner that updates on every mistake also
# learns from every wrong label; those that weigh evidence do not. Right: what attributes add to the log-odds of the
# committee. Five of them stand out, and they are the right ones.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for name, parts in {**wrong, "labels that are wrong": flipped}.items():
    style = {"color": "0.4", "linestyle": "--"} if parts is flipped else {}
    left.plot(np.cumsum(np.concatenate(parts)), label=name, **style)
left.set(xlabel="examples", ylabel="mistakes so far")
left.legend(loc="upper left")

weights = learners["Committee"].attribute_weights_[0]
heaviest = np.argsort(-weights)[:12]
relevant = [attribute in stream.target.variables for attribute in heaviest]
right.bar(
    [f"x{attribute}" for attribute in heaviest], weights[heaviest], color=["C0" if r else "0.75" for r in relevant]
)
right.tick_params(axis="x", rotation=60)
right.set(ylabel="log-odds", title="blue: the attributes that matter")
plt.show()
print("target:", stream.target)

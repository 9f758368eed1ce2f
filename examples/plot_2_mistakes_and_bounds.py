"""
Mistakes, and what theory allows
================================

Three of ten thousand attributes decide the label. Each learner predicts an example before it sees the label, and
theory says how many mistakes any order of any examples can force. Real streams force fewer.
"""

# %%
# Four learners make one pass over the same stream. ``certificate`` compares the theorem with the mistakes made.
import matplotlib.pyplot as plt
import numpy as np

from winnowkit import NormalizedWinnow, ThresholdedBEG, Winnow1, Winnow2
from winnowkit.data import streams

X, y = streams.disjunction(n=10_000, k=3, seed=0).take(20_000)
learners = {
    "Winnow1": Winnow1(),
    "Winnow2": Winnow2(),
    "NormalizedWinnow(k=3)": NormalizedWinnow(k=3),
    'ThresholdedBEG(preset="noise-free")': ThresholdedBEG(preset="noise-free"),
}
wrong = {name: model.partial_fit_predict(X, y, classes=[0, 1]) != y for name, model in learners.items()}
for name, model in learners.items():
    print(f"{name}: {model.certificate(k=3)}")

# %%
# Solid lines show mistakes so far, dotted lines the most that the theorem allows.
figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
trials = np.arange(1, len(y) + 1)
for number, (name, mistakes) in enumerate(wrong.items()):
    axis.plot(trials, np.cumsum(mistakes), color=f"C{number}", label=name)
    axis.axhline(learners[name].certificate(k=3).bound, color=f"C{number}", linestyle=":")
axis.set(xscale="log", xlabel="examples", ylabel="mistakes so far", ylim=(0, None))
axis.set_title("3 of 10,000 attributes matter")
figure.legend(loc="outside lower center", ncols=2)
plt.show()

"""
The laws of Directed Drift
==========================

The targets are half-spaces with weights of +1 and -1. Fang & Venkatesh flip one wrong sign after a batch of examples,
or many. They promise epochs in proportion to n for single flips, and a constant number for many. As printed, many flips
are not constant; flipping every sign that more than half of the batch votes against is.
"""

# %%
# Count the epochs until the target is found, starting from random signs; means of eight runs.
import matplotlib.pyplot as plt
import numpy as np

from winnowkit import DirectedDrift
from winnowkit.data import streams

modes = {
    "single flips": {"mode": "single"},
    "multiple flips, as printed": {"mode": "multiple", "flips": "paper"},
    "multiple flips, by majority": {"mode": "multiple", "flips": "majority"},
}
sizes = [11, 21, 41, 81, 121]
epochs = {name: [] for name in modes}
for n in sizes:
    for name, parameters in modes.items():
        counts = []
        for seed in range(8):
            stream = streams.half_spaces(n, labels="both", seed=seed)
            model = DirectedDrift(random_state=seed, delta=1e-6, **parameters)
            for X, y in stream.chunks(20_000):
                model.partial_fit(X, y, classes=[0, 1])
                if model.converged_:
                    break
            counts.append(model.n_mistakes_)
        epochs[name].append(np.mean(counts))

# %%
# Straight lines on these axes are powers of n.
figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
for name, counts in epochs.items():
    slope = np.polyfit(np.log(sizes), np.log(counts), 1)[0]
    axis.plot(sizes, counts, marker="o", markersize=4, label=f"{name}: n to the power {slope:.2f}")
axis.set(xscale="log", yscale="log", xlabel="n", ylabel="epochs until the target is found")
axis.set_xticks(sizes, [str(n) for n in sizes], minor=False)
axis.minorticks_off()
axis.legend()
plt.show()

"""
Irrelevant attributes cost little
=================================

Three attributes are relevant; the others are noise, half of them active in every example. Winnow multiplies weights,
and its mistakes grow with the logarithm of the number of attributes. The perceptron adds, and pays for each of them.
"""

# %%
# Rosenblatt's perceptron in a few lines, so that its mistakes are counted in the same way.
import matplotlib.pyplot as plt
import numpy as np

from winnowkit import Committee, Winnow2
from winnowkit.data import streams


def perceptron_mistakes(X, y):
    weights, bias, mistakes = np.zeros(X.shape[1]), 0.0, 0
    for row in range(len(y)):
        active = X.indices[X.indptr[row] : X.indptr[row + 1]]
        step = y[row] - int(weights[active].sum() + bias > 0)
        weights[active] += step
        bias += step
        mistakes += step != 0
    return mistakes


# %%
# All learners see the same 3,000 examples, with 16 to 4,096 attributes.
sizes = [2**power for power in range(4, 13)]
mistakes = {"Perceptron": [], "Winnow2": [], "Committee": []}
bound = []
for n in sizes:
    X, y = streams.disjunction(n=n, k=3, active=n // 2, seed=1).take(3000)
    mistakes["Perceptron"].append(perceptron_mistakes(X, y))
    for learner in (Winnow2, Committee):
        model = learner().partial_fit(X, y, classes=[0, 1])
        mistakes[learner.__name__].append(model.n_mistakes_)
        if learner is Winnow2:
            bound.append(model.certificate(k=3).bound)

# %%
# On these axes a logarithm is a straight line.
figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
for name, counts in mistakes.items():
    axis.plot(sizes, counts, marker="o", markersize=4, label=name)
axis.plot(sizes, bound, color="C1", linestyle=":", label="Winnow2's proven bound")
axis.set_xscale("log", base=2)
axis.set(xlabel="attributes, three of which matter", ylabel="mistakes in 3,000 predictions")
axis.legend()
plt.show()
for name, counts in mistakes.items():
    print(f"{name:12} {counts[0]:4} mistakes at n = {sizes[0]}, {counts[-1]:4} at n = {sizes[-1]:,}")

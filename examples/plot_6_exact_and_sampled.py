"""
Exact sums, and sums by Markov chains
=====================================

A prediction of Winnow over all terms is a sum of millions of weights, none of which is stored. Here it is computed from
the log of mistakes twice: exactly, by branching, and by a ladder of Markov chains, as Tao & Scott (2004) did.
"""

# %%
# A model of the 16 votes of 435 members of congress. Any engine can compute the sums of a fitted model.
import matplotlib.pyplot as plt
import numpy as np

from winnowkit import DNFWinnow
from winnowkit.data import load_dataset
from winnowkit.dnf import Exact, Ladder

X, y = load_dataset("voting", return_X_y=True)
model = DNFWinnow(max_literals=None, random_state=0, max_epochs=5).fit(X, y)
rows = X[::30]
exact = [learners[0].log_sum for learners in model.estimate(rows, engine=Exact())]
steps = [500, 2000, 8000]
sampled = {s: [learners[0] for learners in model.estimate(rows, engine=Ladder(steps=s))] for s in steps}
print(f"{model.theta_:,} terms; theta is their number")

# %%
# Left: each point is a member, with one standard error. Right: the longer the chains, the closer.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
estimates = sampled[2000]
left.plot(exact, exact, color="0.6", linewidth=0.8)
left.axvline(model.log_theta_, color="C3", linestyle=":", label="log theta")
left.errorbar(
    exact, [e.log_sum for e in estimates], [e.std_err for e in estimates], fmt=".", label="2,000 steps a chain"
)
left.set(xlabel="log of the exact sum", ylabel="log of the sampled sum")
left.legend()
errors = [[abs(e.log_sum - truth) for e, truth in zip(sampled[s], exact, strict=True)] for s in steps]
right.boxplot(errors, showfliers=False)
right.set_xticks(range(1, 4), [f"{s:,}" for s in steps])
right.plot(
    range(1, 4), [np.mean([e.std_err for e in sampled[s]]) for s in steps], "C0o--", label="standard error, as reported"
)
right.set(xlabel="steps of each chain", ylabel="distance from the exact log")
right.legend()
plt.show()

"""Why a counting learner predicts a label: the heaviest of its hypotheses, and what they say about the example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from winnowkit.core.encoded_rows import encode_rows
from winnowkit.core.explaining import Asked
from winnowkit.counting.direct_bayes_learner import DirectLearner
from winnowkit.counting.directed_drift_learner import DriftLearner
from winnowkit.counting.lead_counts import POSITIVES, TRIALS
from winnowkit.counting.sbsb_learner import SymmetricLearner
from winnowkit.rulesets.explanation import Contribution, LinearExplanation, Vote, VoteExplanation
from winnowkit.rulesets.words import word

Floats = NDArray[np.float64]


def explain_matches(learner: SymmetricLearner, asked: Asked, binarize: Any) -> VoteExplanation:
    """Explain a prediction of SBSB or SASB: which attributes may be the relevant one, and what each says.

    In the trials so far, m of t labels were positive. An attribute that matched S of the labels has a weight of
    ``1 / C(t, S)``; if it is the relevant one, it matches the next label with a probability of ``(S + 1) / (t + 2)``.
    """
    k = asked.learner
    if learner.state.lead.shape[1] > 1:
        raise TypeError("explain shows the current hypothesis, and this model takes a vote of several (voting=0)")
    t, m = learner.state.marks[k, 0, [TRIALS, POSITIVES]].tolist()
    matches = learner.matches[k].astype(np.float64)
    log_weight = gammaln(matches + 1) + gammaln(t - matches + 1)
    weight = np.exp(log_weight - log_weight.max())
    if_one = np.where(asked.row > binarize, matches, t - matches) + 1  # matches of label 1, were it the next
    for_one, for_zero = (m + 1) * weight * if_one, (t - m + 1) * weight * (t + 2 - if_one)
    both = for_one + for_zero
    share, says = both / both.sum(), for_one / both
    heaviest = np.argsort(-share, kind="stable")[: asked.most].tolist()
    votes = [Vote(f"{word(asked.names[i])} = {asked.row[i]:g}", float(share[i]), float(says[i])) for i in heaviest]
    return _explanation(asked, float(share @ says), votes, len(share), "attribute")


def explain_disjunctions(learner: DirectLearner, asked: Asked, binarize: Any) -> VoteExplanation:
    """Explain a prediction of the direct algorithm: the heaviest disjunctions, and whether the example satisfies them.

    A disjunction that erred e times has a weight of beta^e, beta = noise / (1 - noise); it says that a label is 1 with
    a probability of 1 - noise if the example satisfies it, else of noise.
    """
    k, n, one = asked.learner, learner.n_used, learner.state.parameters[0]
    errors, noise = learner.state.errors[k], float(one["noise"])
    heaviest = np.argsort(errors, kind="stable")[: asked.most]
    fewest = int(errors[heaviest[0]])
    weights = (noise / (1 - noise)) ** np.arange(int(errors.max()) - fewest + 1, dtype=np.float64)
    total = float(np.bincount(errors - fewest) @ weights)
    votes = []
    for place in heaviest.tolist():
        literals = learner.literals_of(place)
        satisfied = any((asked.row[v % n] > binarize) == (v < n) for v in literals)
        share = float(weights[errors[place] - fewest]) / total
        votes.append(Vote(_disjunction(literals, asked.names[:n]), share, 1 - noise if satisfied else noise))
    vote = float(expit(learner.rank(encode_rows(asked.row.reshape(1, -1), binarize), 0, 1)[0, k]))
    return _explanation(asked, vote, votes, len(errors), "disjunction")


def explain_signs(learner: DriftLearner, asked: Asked, binarize: Any) -> LinearExplanation:
    """Explain a prediction of Directed Drift: every attribute, 1 or -1, adds its weight or subtracts it."""
    amounts = np.where(asked.row > binarize, 1.0, -1.0) * learner.coef[asked.learner]
    found = [
        Contribution(*given)
        for given in zip(asked.names, asked.row.tolist(), amounts.tolist(), strict=True)
        if given[2]
    ]
    found.sort(key=lambda c: -abs(c.amount))
    return LinearExplanation(asked.label, asked.evidence_for, float(amounts.sum()), 0.0, tuple(found), asked.most)


def _explanation(asked: Asked, vote: float, votes: list[Vote], n_hypotheses: int, kind: str) -> VoteExplanation:
    return VoteExplanation(asked.label, asked.evidence_for, vote, tuple(votes), n_hypotheses, kind)


def _disjunction(literals: Sequence[int], names: Sequence[str]) -> str:
    n = len(names)
    return " or ".join(word(names[v]) if v < n else f"not {word(names[v - n])}" for v in literals)

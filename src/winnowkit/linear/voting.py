"""From the mix and its experts to one label: a last vote with a bound, and experts that rest.

Whatever the mix does, the number of mistakes has a bound: the label is that of Weighted Majority (Littlestone & Warmuth
1994) over the mix, with half of the prior weight, and every expert; an expert put to rest repeats what the
mix says. In a plurality vote of several classes too, half of the weight errs in a mistake, as the right label had no
more weight than the one that won.
"""

from __future__ import annotations

import numpy as np

from winnowkit.core.jit import jit_in_place
from winnowkit.core.multiclass import SMALLEST, positive_class
from winnowkit.linear.mixing import Mix, Room, label_of

BETA = 0.9
"""Factor of a vote that was wrong. Near 1 the mix, which is nearly always best, is hardly ever outvoted."""
CHECK = 16
"""Trials after which experts may be put to rest."""
LEAST_VOTE = 2.0**-500


@jit_in_place
def is_awake(mix: Mix, e: int) -> bool:
    """Whether any learner uses expert e."""
    awake = False
    for k in range(mix.resting.shape[0]):
        awake |= not mix.resting[k, e]
    return awake


@jit_in_place
def vote_of(mix: Mix, room: Room, e: int, choice: int) -> int:
    """Code of the label that expert e votes for; one that rests for all learners repeats the choice of the mix."""
    return label_of(room.scores[e]) if is_awake(mix, e) else choice


@jit_in_place
def elect(mix: Mix, room: Room) -> int:
    """Code of the label with the most votes; the mix wins ties.

    Decisions are the log-odds of the mix, moved just as far as it takes for them to say the same.
    """
    n_experts, n_learners = room.scores.shape
    choice, others = label_of(room.log_odds), 0.0
    for k in range(n_learners):
        room.decisions[k] = room.log_odds[k]
    for e in range(n_experts):
        others += mix.votes[e]
    if mix.votes[n_experts] >= others:  # nobody can outvote it
        return choice
    room.ballots[:] = 0.0
    for e in range(n_experts):
        room.ballots[vote_of(mix, room, e, choice)] += mix.votes[e]
    room.ballots[choice] += mix.votes[n_experts]
    elected = choice
    for label in range(room.ballots.size):
        elected = label if room.ballots[label] > room.ballots[elected] else elected
    if elected != choice:
        if n_learners == 1:
            room.decisions[0] = SMALLEST if elected == 1 else -SMALLEST
        else:
            room.decisions[elected] = np.nextafter(room.log_odds[choice], np.inf)
    return elected


@jit_in_place
def count_votes(mix: Mix, label: int, room: Room) -> None:
    """Punish the votes for other labels, and note the experts' mistakes."""
    n_experts, n_learners = room.scores.shape
    choice, wrong = label_of(room.log_odds), False
    for e in range(n_experts + 1):
        own = e < n_experts and is_awake(mix, e)
        if (label_of(room.scores[e]) if own else choice) != label:
            mix.votes[e] *= BETA
            mix.label_mistakes[e] += 1
            if own:
                mix.awake_mistakes[e] += 1
            wrong = True
        if own:
            for k in range(n_learners):
                missed = (room.scores[e, k] > 0.0) != (label == positive_class(k, n_learners))
                mix.mistakes[k, e] += missed & (not mix.resting[k, e])
    if wrong or mix.settings[0] > 0.0:
        share_votes(mix)


@jit_in_place
def share_votes(mix: Mix) -> None:
    """Return a share of all votes to their first proportions, and make the largest vote 1."""
    n_experts, share, highest, total = mix.votes.size - 1, mix.settings[0], 0.0, 0.0
    for e in range(n_experts + 1):
        total += mix.votes[e]
    for e in range(n_experts + 1):
        prior = 0.5 if e == n_experts else 0.5 / n_experts
        mix.votes[e] = (1.0 - share) * mix.votes[e] + share * total * prior
        highest = max(highest, mix.votes[e])
    for e in range(n_experts + 1):
        mix.votes[e] = max(mix.votes[e] if highest == 1.0 else mix.votes[e] / highest, LEAST_VOTE)


@jit_in_place
def find_awake(mix: Mix, room: Room) -> int:
    """Fill in which features of the mix any learner uses, and return how many these are.

    The others are 0 in all trials to come: what the mix says does not depend on their weights and covariances.
    """
    n_experts, n_learners = room.scores.shape
    n_awake = 0
    for e in range(n_experts):
        if is_awake(mix, e):
            room.awake[n_awake] = e
            n_awake += 1
    if n_learners == 1:
        room.awake[n_awake] = n_experts
        n_awake += 1
    return n_awake


@jit_in_place
def let_rest(mix: Mix) -> None:
    """Spare experts their updates that err far more often than the best: for good, unless the target may change."""
    n_learners, n_experts = mix.mistakes.shape
    if mix.settings[0] > 0.0:
        return
    for k in range(n_learners):
        fewest = -1
        for e in range(n_experts):
            if not mix.resting[k, e] and (fewest < 0 or mix.mistakes[k, e] < fewest):
                fewest = mix.mistakes[k, e]
        most = (1.1 if n_learners == 1 else 2.0) * fewest + 40
        for e in range(n_experts):
            mix.resting[k, e] |= mix.mistakes[k, e] > most

"""Seeded sources of examples that never end, with the truth they were drawn from.

Every function returns a `Stream`: ``stream.take(rows)`` gives one table, ``stream.chunks(size)`` tables for ever, and
the rows are the same however they are cut.
"""

from winnowkit.data.streams.literals import disjunction, threshold
from winnowkit.data.streams.papers import bernoulli, half_spaces, monotone_dnf
from winnowkit.data.streams.stream import Stream
from winnowkit.data.streams.targets import DNF, HalfSpace, Matches, ThresholdFunction

__all__ = [
    "DNF",
    "HalfSpace",
    "Matches",
    "Stream",
    "ThresholdFunction",
    "bernoulli",
    "disjunction",
    "half_spaces",
    "monotone_dnf",
    "threshold",
]

"""Seeded, endless sources of examples, with the targets that label them.

Every function returns a `Stream`: ``stream.take(rows)`` returns one table, ``stream.chunks(size)`` an endless sequence
of tables, and the rows do not depend on the sizes of the tables.
"""

from winnowkit.data.streams.disjunctions import disjunction, threshold
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

"""Slow, obvious versions of what winnowkit.data computes."""

from itertools import combinations, pairwise
from math import comb, log2


def class_entropy(labels):
    return -sum((labels.count(c) / len(labels)) * log2(labels.count(c) / len(labels)) for c in set(labels))


def impurity(parts):
    """Examples times average class entropy of a partition, in bits (Tao & Scott, section 5.1)."""
    return sum(len(part) * class_entropy(part) for part in parts)


def partitions(values, labels, k):
    """Every way to cut between distinct values into k intervals, as (cuts, parts)."""
    distinct = sorted(set(values))
    midpoints = [(a + b) / 2 for a, b in pairwise(distinct)]
    for cuts in combinations(midpoints, k - 1):
        parts = [[] for _ in range(k)]
        for value, label in zip(values, labels, strict=True):
            parts[sum(value >= cut for cut in cuts)].append(label)
        yield list(cuts), parts


def least_impurity(values, labels, k):
    return min(impurity(parts) for _, parts in partitions(values, labels, k))


def bic(parts):
    n, m, k = sum(map(len, parts)), len({label for part in parts for label in part}), len(parts)
    return (k * (m - 1) + k - 1) * log2(n) / 2


def mdl(parts):
    n, m, k = sum(map(len, parts)), len({label for part in parts for label in part}), len(parts)
    return log2(comb(n - 1, k - 1)) + m * log2(2**k - 1) + sum(len(set(part)) * class_entropy(part) for part in parts)

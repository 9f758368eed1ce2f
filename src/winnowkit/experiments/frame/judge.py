"""Judges claims, and says with what power: how likely the design was to notice that a claim is false, or true.

A claim about random runs is judged by Student's t at the 5% level. Each such claim declares the smallest effect that
matters. If the data can neither show the effect nor exclude it, the verdict is "no power" where the design had less
than a chance of four in five to notice the declared effect, and "undecided" otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from winnowkit.experiments.frame.experiment import Found, Verdict

LEVEL = 0.05
ENOUGH = 0.8
"""The least power of a design that may leave a claim undecided rather than call itself powerless."""
EXACT = "exact, nothing is sampled"
ARITHMETIC = "arithmetic on the bounds, which no run can contradict"


def exact(claim: str, shows: bool, figures: str, why: str = "", power: str = EXACT) -> Verdict:
    """Judge a claim by numbers that are computed, not sampled; `power` says what else was drawn at random, if anything.

    Examples
    --------
    >>> print(exact("2 + 2 = 4", shows=True, figures="4"))
    [shows] 2 + 2 = 4: 4 [exact, nothing is sampled]
    """
    return Verdict.of(claim, shows, figures, power, why)


def within(claim: str, ratios: ArrayLike, figures: str = "", why: str = "") -> Verdict:
    """Judge whether no run exceeds its bound; the power is how near the runs came.

    Parameters
    ----------
    claim : str
        The claim.
    ratios : array-like
        What each run made, divided by its bound.
    figures, why : str
        Further figures, and the explanation of a difference.

    Examples
    --------
    >>> print(within("no run breaks its bound", [0.2, 0.5]))
    [shows] no run breaks its bound: 2 runs, at most 50% of the bound [a bound below 50% of it would have been broken]
    """
    values = np.asarray(ratios, dtype=np.float64)
    most = float(values.max())
    said = f"{len(values):,} runs, at most {most:.0%} of the bound" + (f"; {figures}" if figures else "")
    return Verdict.of(claim, most <= 1, said, f"a bound below {min(most, 1):.0%} of it would have been broken", why)


def less(claim: str, gains: ArrayLike, least: float, figures: str, why: str = "", unit: str = "") -> Verdict:
    """Judge whether something is less than something else, by paired differences of independent runs.

    Parameters
    ----------
    claim : str
        The claim.
    gains : array-like
        One difference per independent run; the claim is that their mean is positive.
    least : float
        The smallest mean that matters. If the interval excludes it, the claim differs.
    figures, why, unit : str
        The figures, the explanation of a difference, and the unit of `least`.

    Examples
    --------
    >>> [less("a < b", gains, 1.0, "").found for gains in ([2, 3, 4], [-2, -3, -4], [0.1, -0.1, 0.0], [9, -9, 0])]
    ['shows', 'differs', 'differs', 'no power']
    """
    mean, std_err, dof = _summary(gains)
    half = _half_width(std_err, dof, LEVEL / 2)
    power = power_of_difference(std_err, dof, least)
    found: Found
    if mean - half > 0:
        found = "shows"
    elif mean + half < least:
        found = "differs"
    else:
        found = undecided(power)
    said = f"{figures}, difference {mean:.3g} ± {half:.2g}" if figures else f"difference {mean:.3g} ± {half:.2g}"
    return _verdict(claim, found, said, power, f"a difference of {least:.3g}{unit}", dof, why)


def alike(claim: str, differences: ArrayLike, margin: float, figures: str, why: str = "", unit: str = "") -> Verdict:
    """Judge whether two things differ by less than a margin, by two one-sided tests.

    Parameters
    ----------
    claim : str
        The claim.
    differences : array-like
        One difference per independent run.
    margin : float
        The claim is that the mean lies between -margin and margin.
    figures, why, unit : str
        The figures, the explanation of a difference, and the unit of `margin`.

    Examples
    --------
    >>> [alike("a = b", d, 1.0, "").found for d in ([0.1, -0.1, 0.0], [5, 6, 7], [9, -9, 0])]
    ['shows', 'differs', 'no power']
    """
    return alike_by(claim, *_summary(differences), margin, figures, why, unit)


def alike_by(
    claim: str, mean: float, std_err: float, dof: int, margin: float, figures: str, why: str = "", unit: str = ""
) -> Verdict:
    """Judge as :func:`alike`, given the mean of the differences, its standard error and degrees of freedom.

    Examples
    --------
    >>> alike_by("a = b", mean=0.1, std_err=0.2, dof=9, margin=1.0, figures="").found
    'shows'
    """
    half = _half_width(std_err, dof, LEVEL)
    power = power_of_equivalence(std_err, dof, margin)
    found: Found
    if abs(mean) + half < margin:
        found = "shows"
    elif abs(mean) - half > margin:
        found = "differs"
    else:
        found = undecided(power)
    said = f"{figures}, difference {mean:.3g} ± {half:.2g}" if figures else f"difference {mean:.3g} ± {half:.2g}"
    return _verdict(claim, found, said, power, f"differences within {margin:.3g}{unit}", dof, why)


def at_most(
    claim: str, estimate: float, std_err: float, limit: float, tolerance: float, figures: str, why: str = ""
) -> Verdict:
    """Judge whether a fitted number is at most a limit, up to a tolerance; its error is taken as normal.

    Examples
    --------
    >>> [at_most("slope <= 1", slope, 0.02, 1.0, 0.1, "").found for slope in (0.99, 1.5, 1.08)]
    ['shows', 'differs', 'undecided']
    """
    half = float(stats.norm.ppf(1 - LEVEL)) * std_err
    power = float(stats.norm.cdf((tolerance - half) / std_err)) if std_err else 1.0
    found: Found
    if estimate + half < limit + tolerance:
        found = "shows"
    elif estimate - half > limit + tolerance:
        found = "differs"
    else:
        found = undecided(power)
    said = f"{estimate:.3g} ± {half:.2g}" + (f": {figures}" if figures else "")
    return _verdict(claim, found, said, power, f"a value of {limit:g}, up to {tolerance:g}", math.inf, why)


def share_at_least(claim: str, successes: Sequence[bool], share: float, figures: str, why: str = "") -> Verdict:
    """Judge whether a share of successes is at least so large, by the exact binomial interval.

    The power is that for runs of which half as many fail as may.

    Examples
    --------
    >>> [share_at_least("95%", [True] * n + [False] * m, 0.95, "").found for n, m in ((200, 0), (100, 50), (10, 0))]
    ['shows', 'differs', 'no power']
    """
    runs, failed = len(successes), sum(not success for success in successes)
    high = float(stats.beta.ppf(1 - LEVEL, failed + 1, runs - failed)) if failed < runs else 1.0
    low = float(stats.beta.ppf(LEVEL, failed, runs - failed + 1)) if failed else 0.0
    allowed = 1 - share
    may_fail = max((f for f in range(runs) if stats.beta.ppf(1 - LEVEL, f + 1, runs - f) < allowed), default=-1)
    power = float(stats.binom.cdf(may_fail, runs, allowed / 2)) if may_fail >= 0 else 0.0
    found: Found = "shows" if high < allowed else "differs" if low > allowed else undecided(power)
    said = f"{1 - failed / runs:.1%} of {runs:,} runs" + (f"; {figures}" if figures else "")
    return _verdict(claim, found, said, power, f"a share of {1 - allowed / 2:.1%}", math.inf, why)


def correlated(
    claim: str, x: ArrayLike, y: ArrayLike, unit: str = "runs", least: float = 0.5, why: str = ""
) -> Verdict:
    """Judge whether two numbers rise together, by Spearman's rank correlation over independent runs.

    Parameters
    ----------
    claim : str
        The claim.
    x, y : array-like
        Two numbers per independent run.
    unit : str
        What a run is.
    least : float
        The smallest correlation that matters.
    why : str
        The explanation of a difference.

    Examples
    --------
    >>> x = np.arange(30)
    >>> [correlated("y rises", x, y).found for y in (x**2, -x)], correlated("y rises", x[:5], x[:5] % 3).found
    (['shows', 'differs'], 'no power')
    """
    rank = [stats.rankdata(np.asarray(values, dtype=np.float64)) for values in (x, y)]
    runs = len(rank[0])
    found_rank = float(np.corrcoef(rank[0], rank[1])[0, 1]) if runs > 1 else 0.0
    scale = math.sqrt(max(runs - 3, 0) / 1.06)  # of the inverse hyperbolic tangent of a rank correlation
    z = math.atanh(max(-0.999999, min(0.999999, found_rank))) * scale
    critical = float(stats.norm.ppf(1 - LEVEL / 2))
    power = float(stats.norm.cdf(math.atanh(least) * scale - critical))
    found: Found
    if z > critical:
        found = "shows"
    elif z + critical < math.atanh(least) * scale:
        found = "differs"
    else:
        found = undecided(power)
    figures = f"rank correlation {found_rank:.2f} over {runs} {unit}"
    return _verdict(claim, found, figures, power, f"a correlation of {least:g}", math.inf, why)


def power_of_difference(std_err: float, dof: float, least: float) -> float:
    """Return the probability that a t-test at the 5% level notices a mean of `least`.

    Examples
    --------
    >>> round(power_of_difference(std_err=1.0, dof=30, least=3.0), 2)
    0.83
    """
    if std_err == 0:
        return 1.0
    if dof < 1:
        return 0.0
    critical = float(stats.t.ppf(1 - LEVEL / 2, dof))
    return float(stats.nct.sf(critical, dof, least / std_err))


def power_of_equivalence(std_err: float, dof: float, margin: float) -> float:
    """Return the probability that two one-sided t-tests show equivalence where there is no difference at all.

    Examples
    --------
    >>> round(power_of_equivalence(std_err=1.0, dof=30, margin=3.0), 2)
    0.8
    """
    if std_err == 0:
        return 1.0
    if dof < 1:
        return 0.0
    room = margin / std_err - float(stats.t.ppf(1 - LEVEL, dof))
    return max(0.0, float(2 * stats.t.cdf(room, dof) - 1))


def _summary(values: ArrayLike) -> tuple[float, float, int]:
    array = np.asarray(values, dtype=np.float64)
    if len(array) < 2:
        return float(array.mean()) if len(array) else 0.0, math.inf, 0
    return float(array.mean()), float(array.std(ddof=1) / math.sqrt(len(array))), len(array) - 1


def _half_width(std_err: float, dof: int, tail: float) -> float:
    return float(stats.t.ppf(1 - tail, dof)) * std_err if dof else math.inf


def undecided(power: float) -> Literal["undecided", "no power"]:
    """Return the verdict on a claim that was neither shown nor excluded, by the power of the design."""
    return "undecided" if power >= ENOUGH else "no power"


def _verdict(claim: str, found: Found, figures: str, power: float, effect: str, dof: float, why: str) -> Verdict:
    runs = "" if math.isinf(dof) else f", {int(dof) + 1} runs"
    return Verdict(claim, found, figures, f"power {power:.0%} for {effect}{runs}", "" if found == "shows" else why)

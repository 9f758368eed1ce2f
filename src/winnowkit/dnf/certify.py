"""Which training of DNFWinnow has a theorem, and the bound that it gives (Tao & Scott 2004, corollary 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from winnowkit import bounds
from winnowkit.core.certificate import Certificate
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.bound_literals import BoundLiterals
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.short_term_tables import n_short_terms

SOFT = "soft updates have a bound on their regret, not on mistakes; what they are worth is measured on rows held out"


def certify(learners: Learners, encoder: CategoryEncoder, chosen: Mapping[str, Any] | None, k: int) -> Certificate:
    """Compare the updates of learners from mistakes with the bound; see :meth:`winnowkit.DNFWinnow.certificate`.

    Parameters
    ----------
    learners : Learners
        The learners.
    encoder : CategoryEncoder
        The fitted encoder of the table.
    chosen : mapping or None
        The value of `chosen_`; None if the model learned on line only.
    k : int
        The assumed number of terms of the formula.

    Returns
    -------
    Certificate
        The updates, the bound and the theorem.
    """
    allowed, longest = BoundLiterals(encoder).n_allowed, learners.engine.max_literals
    n_terms = math.prod(int(a) + 1 for a in allowed) if longest is None else n_short_terms(allowed, longest)
    reason = _without_theorem(learners, encoder, chosen)
    of_length = "" if longest is None else f" of at most {longest} literal{'' if longest == 1 else 's'}"
    exactly = "; and if all sums were exact" if learners.engine.samples else ""
    each = ", for each class against the rest" if len(learners.logs) > 1 else ""
    assumes = f"a DNF formula of at most {k} of {_plain(n_terms)} terms{of_length}{each}{exactly}"
    if reason:
        bound, theorem = math.inf, reason
    elif learners.alpha == 1.5 and learners.theta == n_terms:
        # One attribute of |Omega| - 1 values has as many terms, so that the bound is 8 + 14 K ln |Omega|.
        bound, theorem = bounds.dnf_winnow(terms=k, n=1, k=n_terms - 1), "Tao & Scott 2004, corollary 2,"
    else:
        theta = learners.theta if isinstance(learners.theta, int) else float(learners.theta)
        sizes = 1, min(k, n_terms)  # the bound is linear in the size of the formula, and falls if theta is very small
        bound = max(bounds.winnow_disjunction(size, n_terms, learners.alpha, theta) for size in sizes)
        theorem = "Auer & Warmuth 1998"
    return Certificate(max(learners.n_updates), bound, theorem, assumes)


def _without_theorem(learners: Learners, encoder: CategoryEncoder, chosen: Mapping[str, Any] | None) -> str | None:
    """Say why no theorem covers these learners; None if one does."""
    plain = chosen is None or (not chosen.get("margin", True) and chosen["max_updates"] is None)
    by_class = encoder.chosen_by_class(on_line=chosen is None)
    names = ", ".join(map(repr, by_class[:3])) + (" and others" if len(by_class) > 3 else "")
    obstacles = {
        "the theorem is about an update after every mistake and after nothing else: "
        "MistakeDriven(margin=0, max_updates=None), or partial_fit alone": not plain,
        "rules known beforehand changed the weights at the start": any(log.has_given for log in learners.logs),
        "the log has forgotten examples (max_mistakes)": any(log.n_forgotten for log in learners.logs),
        "the sums were sampled or rounded, and the theorem is about exact ones": not learners.engine.compares_exactly,
        'missing values were replaced by class (missing="most_frequent"), which no prediction can do': (
            encoder.missing == "most_frequent"
        ),
        f"the cuts of numbers, or what missing values mean, were chosen by the labels in {names}; "
        "the theorem is about a table whose columns are fixed beforehand": bool(by_class),
    }
    return next((reason for reason, holds in obstacles.items() if holds), None)


def _plain(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"about 10^{math.log10(number):.0f}"

"""When a learner updates: after a mistake (and within its margin), or after every trial."""

from __future__ import annotations

from typing import Any, Literal

from winnowkit.core.jit import jit_in_place

Policy = Literal["mistake", "always"]


def check_policy(policy: str) -> None:
    """Refuse an unknown update policy."""
    if policy not in ("mistake", "always"):
        raise ValueError(f"policy must be 'mistake' or 'always', got {policy!r}")


@jit_in_place
def asks_update(parameters: Any, score: float, y: bool) -> bool:
    """Whether the policy asks for an update: always, on a mistake, or within the margin."""
    return parameters["always"] or (score > 0.0) != y or abs(score) < parameters["margin"]

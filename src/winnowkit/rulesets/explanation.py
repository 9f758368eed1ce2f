"""Explanations of single predictions, for terminals and notebooks: what speaks for a label, and how much."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from winnowkit.core.notebook import html_grid
from winnowkit.rulesets.words import word


class Explained(ABC):
    """Prints an explanation of one prediction: its head, what speaks for it, and perhaps more."""

    _width: ClassVar[int] = 10  # of the amounts, in characters

    @property
    @abstractmethod
    def _head(self) -> str:
        """The prediction and the evidence for it, in one line."""

    @property
    @abstractmethod
    def _columns(self) -> tuple[str, str]:
        """The names of the columns of `_rows`."""

    @property
    @abstractmethod
    def _rows(self) -> list[tuple[str, str]]:
        """The evidence for the prediction: amounts, and what has them, in words."""

    @property
    def _more(self) -> tuple[str, Sequence[str]]:
        """A line that comes after the evidence, and a list below it."""
        return "", ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._head}; print it to read it>"

    def __str__(self) -> str:
        after, items = self._more
        lines = [f"{amount:>{self._width}}  {what}" for amount, what in self._rows]
        return "\n".join([self._head, *lines, *([after] if after else []), *(f"  {item}" for item in items)])

    def _repr_html_(self) -> str:
        return html_grid(self._head, [self._columns, *self._rows], *self._more)


class Contribution(NamedTuple):
    """An attribute of an example, and what it adds to the decision.

    See Also
    --------
    LinearExplanation : Contains these.
    """

    name: str
    value: float
    amount: float


@dataclass(frozen=True, repr=False)
class LinearExplanation(Explained):
    """A decision as a sum: what it is without any attribute, and what each attribute that is not 0 adds.

    Parameters
    ----------
    label : str, bool, int or float
        The prediction.
    evidence_for : str, bool, int or float
        The label that positive amounts speak for: the predicted one, unless another was asked for.
    decision : float
        The decision on `evidence_for`: the sum of `base` and all contributions, up to rounding.
    base : float
        The decision on an example without any attribute.
    contributions : tuple of Contribution
        Those farthest from 0 first.
    max_attributes : int
        How many of them are printed.

    See Also
    --------
    winnowkit.Committee.explain : Returns it.
    winnowkit.Winnow2.explain : Returns it.
    """

    label: Any
    evidence_for: Any
    decision: float
    base: float
    contributions: tuple[Contribution, ...]
    max_attributes: int = 10

    def for_other(self, label: Any) -> Self:
        """Return the same decision, seen from the other one of two classes.

        Parameters
        ----------
        label : str, bool, int or float
            The other class.

        Returns
        -------
        LinearExplanation
            The explanation with every sign turned.
        """
        turned = tuple(c._replace(amount=0.0 - c.amount) for c in self.contributions)
        decision, base = 0.0 - self.decision, 0.0 - self.base
        return replace(self, evidence_for=label, decision=decision, base=base, contributions=turned)

    @property
    def _head(self) -> str:
        return f"predicted {word(self.label)}; the decision for {word(self.evidence_for)} is {self.decision:+.4g}"

    @property
    def _columns(self) -> tuple[str, str]:
        return "adds", "attribute"

    @property
    def _rows(self) -> list[tuple[str, str]]:
        shown, others = self.contributions[: self.max_attributes], self.contributions[self.max_attributes :]
        rows = [(f"{c.amount:+.4g}", f"{word(c.name)} = {c.value:g}") for c in shown]
        if others:
            total = sum(c.amount for c in others)
            rows.append((f"{total:+.4g}", f"{len(others)} other attribute{'s' * (len(others) > 1)}"))
        return [*rows, (f"{self.base:+.4g}", "without any attribute")]


class Vote(NamedTuple):
    """A hypothesis, its share of the weight of all, and the probability that it gives to the label in question.

    See Also
    --------
    VoteExplanation : Contains these.
    """

    hypothesis: str
    share: float
    says: float


@dataclass(frozen=True, repr=False)
class VoteExplanation(Explained):
    """A prediction as the mean of what hypotheses say, by their weights: attributes, or disjunctions of them.

    Parameters
    ----------
    label : str, bool, int or float
        The prediction.
    evidence_for : str, bool, int or float
        The label in question: the predicted one, unless another was asked for.
    vote : float
        What all hypotheses together give to `evidence_for`; a probability if they learned from every example.
    votes : tuple of Vote
        The heaviest hypotheses, the heaviest first.
    n_hypotheses : int
        The number of all hypotheses.
    kind : str
        What a hypothesis is: "attribute" or "disjunction".

    See Also
    --------
    winnowkit.SBSB.explain : Returns it.
    winnowkit.DirectBayes.explain : Returns it.
    """

    label: Any
    evidence_for: Any
    vote: float
    votes: tuple[Vote, ...]
    n_hypotheses: int
    kind: str

    def for_other(self, label: Any) -> Self:
        """Return the same vote, seen from the other one of two classes.

        Parameters
        ----------
        label : str, bool, int or float
            The other class.

        Returns
        -------
        VoteExplanation
            The explanation with what is left of every vote.
        """
        turned = tuple(v._replace(says=1.0 - v.says) for v in self.votes)
        return replace(self, evidence_for=label, vote=1.0 - self.vote, votes=turned)

    @property
    def _head(self) -> str:
        return f"predicted {word(self.label)}; the weighted vote for {word(self.evidence_for)} is {self.vote:.2%}"

    @property
    def _columns(self) -> tuple[str, str]:
        return "share", self.kind

    @property
    def _rows(self) -> list[tuple[str, str]]:
        label = word(self.evidence_for)
        rows = [(f"{v.share:.2%}", f"{v.hypothesis}: votes {v.says:.1%} for {label}") for v in self.votes]
        others, share = self.n_hypotheses - len(self.votes), max(0.0, 1.0 - sum(v.share for v in self.votes))
        if others:
            rows.append((f"{share:.2%}", f"{others:,} other {self.kind}{'s' * (others > 1)}"))
        return rows

"""Rules that people, databases and other programs can read."""

from winnowkit.readable.condition import Condition
from winnowkit.readable.rule import Rule
from winnowkit.readable.ruleset import Report, RuleSet

__all__ = ["Condition", "Report", "Rule", "RuleSet"]

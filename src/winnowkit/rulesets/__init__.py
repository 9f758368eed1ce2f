"""Rule sets that people, databases and other programs can read. They predict with numpy alone."""

from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import Report, RuleSet

__all__ = ["Condition", "Report", "Rule", "RuleSet"]

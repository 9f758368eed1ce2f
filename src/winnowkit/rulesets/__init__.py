"""Rule sets that people, databases and other programs can read. They predict with numpy alone."""

from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.leave_out import RuleCosts
from winnowkit.rulesets.model_report import Report
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.trade_off import TradeOff, TradeOffPoint

__all__ = ["Condition", "Report", "Rule", "RuleCosts", "RuleSet", "TradeOff", "TradeOffPoint"]

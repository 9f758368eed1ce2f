"""Rule sets that people, databases and other programs can read. They predict with numpy alone.

Names are imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnowkit.core.first_use import importer

if TYPE_CHECKING:
    from winnowkit.rulesets.condition import Condition as Condition
    from winnowkit.rulesets.leave_out import RuleCosts as RuleCosts
    from winnowkit.rulesets.model_report import Report as Report
    from winnowkit.rulesets.rule import Rule as Rule
    from winnowkit.rulesets.ruleset import RuleSet as RuleSet
    from winnowkit.rulesets.trade_off import TradeOff as TradeOff
    from winnowkit.rulesets.trade_off import TradeOffPoint as TradeOffPoint

_HOMES = {
    "Condition": "winnowkit.rulesets.condition",
    "Report": "winnowkit.rulesets.model_report",
    "Rule": "winnowkit.rulesets.rule",
    "RuleCosts": "winnowkit.rulesets.leave_out",
    "RuleSet": "winnowkit.rulesets.ruleset",
    "TradeOff": "winnowkit.rulesets.trade_off",
    "TradeOffPoint": "winnowkit.rulesets.trade_off",
}

__all__ = [*_HOMES]  # noqa: PLE0604 - they are strings

__getattr__ = importer(__name__, _HOMES)

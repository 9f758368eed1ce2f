import matplotlib as mpl
import numpy as np
import pytest

from winnowkit.core.certificate import Certificate
from winnowkit.report.displays import MistakesDisplay, RulesDisplay, TradeOffDisplay, WeightsDisplay
from winnowkit.report.stream import Stream
from winnowkit.rulesets import RuleSet
from winnowkit.rulesets.trade_off import TradeOff, TradeOffPoint

RULES = RuleSet.from_text("if sky = sunny then play\nelse stay")


@pytest.fixture(autouse=True)
def plt():
    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    yield plt
    plt.close("all")


def test_displays_draw_on_the_axes_that_are_given(plt):
    ax = plt.subplots()[1]
    display = RulesDisplay.from_rules(RULES, [["sunny"]] * 3 + [["rain"]], ["play", "play", "stay", "stay"], ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert "sky = sunny" in ax.get_yticklabels()[0].get_text()
    assert ax.patches[0].get_width() == pytest.approx(2 / 3)


def test_the_trade_off_marks_its_choice():
    curve = TradeOff([TradeOffPoint(0, 0.6, 0.01, RULES.without(0)), TradeOffPoint(2, 0.8, 0.01, RULES)])
    ax = TradeOffDisplay(curve).plot().ax_
    assert ax.lines[0].get_xdata().tolist() == [0, 2]
    assert ax.lines[1].get_ydata()[0] == 0.8


@pytest.mark.parametrize(("bound", "n_lines"), [(9.0, 2), (np.inf, 1)])
def test_mistakes_stand_beside_a_bound_if_there_is_one(bound, n_lines):
    certificate = Certificate(3, bound, "a theorem", "anything")
    ax = MistakesDisplay(Stream([0, 10], [0, 3], certificate)).plot().ax_
    assert len(ax.lines) == n_lines


def test_weights_have_their_names():
    ax = WeightsDisplay(["free", "meeting"], [2.0, -1.0]).plot().ax_
    assert [label.get_text() for label in ax.get_yticklabels()] == ["free", "meeting"]
    assert [patch.get_width() for patch in ax.patches] == [2.0, -1.0]

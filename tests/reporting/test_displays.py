import matplotlib as mpl
import numpy as np
import pytest

from winnowkit import DNFWinnow
from winnowkit.core.certificate import Certificate
from winnowkit.core.frame import Frame
from winnowkit.report.displays import (
    MistakesDisplay,
    RulesDisplay,
    TradeOffDisplay,
    WeightedSumDisplay,
    WeightsDisplay,
)
from winnowkit.report.mistakes_over_time import MistakeCurve
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
    ax = MistakesDisplay(MistakeCurve([0, 10], [0, 3], certificate)).plot().ax_
    assert len(ax.lines) == n_lines


def test_weights_have_their_names():
    ax = WeightsDisplay(["free", "meeting"], [2.0, -1.0]).plot().ax_
    assert [label.get_text() for label in ax.get_yticklabels()] == ["free", "meeting"]
    assert [patch.get_width() for patch in ax.patches] == [2.0, -1.0]


def weather(n_rows=120):
    """Rows of which those are played on that are sunny or below 20 degrees."""
    rng = np.random.default_rng(0)
    sky, degrees = rng.choice(["rain", "sunny"], n_rows).astype(object), rng.uniform(0, 40, n_rows)
    X = Frame({"sky": sky, "degrees": degrees, "day": rng.choice(["Mo", "Tu"], n_rows).astype(object)})
    return X, np.where((sky == "sunny") | (degrees < 20), "play", "stay")


@pytest.mark.parametrize("max_literals", [2, None])
def test_w_over_theta_is_the_decision_on_each_row_of_the_grid(plt, max_literals):
    X, y = weather()
    model = DNFWinnow(max_literals=max_literals, random_state=0, verbose=False).fit(X, y)
    ax = plt.subplots()[1]
    display = WeightedSumDisplay.from_estimator(
        model, X, ("degrees", "sky"), row={"day": "Tu"}, grid_resolution=9, ax=ax
    )
    (_, degrees), (_, skies) = display.surface.columns
    assert (len(degrees), skies.tolist()) == (9, ["rain", "sunny"])
    grid = Frame(
        {
            "sky": np.repeat(skies, 9),
            "degrees": np.tile(degrees, 2),
            "day": np.full(18, "Tu", dtype=object),
        }
    )
    assert display.surface.decisions.ravel().tolist() == model.decision_function(grid).tolist()
    assert ax.get_xlabel() == "degrees"
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["rain", "sunny"]
    assert display.surface.means == ("ln(W / theta) for stay" if max_literals is None else "log-odds of stay")


def test_what_cannot_be_drawn_is_said():
    X, y = weather(40)
    model = DNFWinnow(verbose=False).partial_fit(X, y, classes=["play", "stay"])
    with pytest.raises(ValueError, match="X has no column 'wind'"):
        WeightedSumDisplay.from_estimator(model, X, ("wind", "sky"))
    with pytest.raises(ValueError, match="two different columns"):
        WeightedSumDisplay.from_estimator(model, X, ("sky", 0))
    with pytest.raises(ValueError, match="row has columns that X does not have: 'wind'"):
        WeightedSumDisplay.from_estimator(model, X, ("sky", "day"), row={"wind": 3})


def test_mistakes_of_a_stream_of_terms_stand_beside_their_bound():
    X, y = weather()
    classes = ["play", "stay"]
    categories = Frame({name: X[name] for name in ("sky", "day")})
    sunny = np.where(X["sky"] == "sunny", "play", "stay")
    model = DNFWinnow(verbose=False).partial_fit(categories, sunny, classes=classes)
    stream = MistakesDisplay.from_estimator(model, categories, sunny, n_rules=2).stream
    assert stream.mistakes[-1] == model.n_mistakes_
    assert stream.certificate.bound == pytest.approx(8 + 14 * 2 * np.log(model.encoder_.n_categories_ + 1).sum())
    assert stream.certificate.kept
    cut = DNFWinnow(verbose=False).partial_fit(X, y, classes=classes)  # intervals follow the labels
    assert MistakesDisplay.from_estimator(cut, X, y).stream.certificate.bound == np.inf

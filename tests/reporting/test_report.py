"""The report as data and HTML; what the page does in a browser is in tests/system."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from winnowkit import AROW, AdaptiveWinnow, Committee, DNFWinnow, Winnow2
from winnowkit.cli import main
from winnowkit.data import Frame, load_dataset
from winnowkit.dnf import MistakeDriven
from winnowkit.report import report
from winnowkit.report.held_out import Labelled, folds_of, hold_out
from winnowkit.report.markup import conditions_html, element, table, visible
from winnowkit.report.of_linear import LinearSubject, mean_deviation
from winnowkit.report.of_rules import RulesSubject, prefixes
from winnowkit.report.of_terms import TermsSubject
from winnowkit.report.rules_data import rules_data
from winnowkit.report.table import table_of
from winnowkit.rulesets import Condition, Rule, RuleSet


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.S)[1])


@pytest.fixture(scope="module")
def monks():
    dataset = load_dataset("monks-1", as_frame=True)
    return dataset.data, dataset.target


def test_dates_are_compared_and_not_categories():
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01T07:15") + rng.integers(0, 300 * 24 * 60, 400).astype("timedelta64[m]")
    late = np.where(days > np.datetime64("2024-06-15"), "late", "early")
    frame = pd.DataFrame({"at": days, "on": days.astype("datetime64[D]").astype("datetime64[s]")})
    frame.loc[3, "at"] = pd.NaT
    for X in (frame, frame.assign(at=frame["at"].dt.tz_localize("UTC"))):
        rows = table_of(X)
        assert (rows.values(0)[3], rows.row(3)) == (None, {"on": rows.values(1)[3]})
        assert rows.values(0)[0] == str(days[0]).replace("T", " ") + ":00"
        assert rows.values(1)[0] == str(days[0])[:10]
        page = DNFWinnow(max_literals=1, random_state=0, verbose=False).fit(X, late).report(X, late)
        conditions = str(data_of(page)) + page.html
        assert re.search(r"(at|on) (>|&gt;|<=|&lt;=) .?.?.?.?.?.?2024-06-1", conditions)


RULES = """columns: a1, a2, a3, a4, a5, a6
if a5 = "1" then "1"
if a1 = "1" and a2 = "1" then "1"
if a1 = "2" and a2 = "2" then "1"
else "0"
"""


# --- rule sets --------------------------------------------------------------------------------------------------------


def test_errors_by_combination_are_those_of_the_rules(monks):
    X, y = monks
    rules = RuleSet.from_text(RULES)
    subject = RulesSubject(rules, np.asarray(y))
    data = Labelled(table_of(X), np.asarray(y))
    found = rules_data(prefixes(rules), 3, data, subject.classes, subject.codes(data.y))
    for point, wrong in zip(found.points, found.errors(), strict=True):
        assert wrong.hits == int((point.rules.predict(X) != y).sum())
    assert sum(sum(counts) for _, counts in found.combinations) == found.n_rows == len(X)


def test_a_page_of_rules_holds_their_measures_and_few_rows(monks):
    X, y = monks
    rules = RuleSet.from_text(RULES)
    page = rules.to_report(X, y)
    found = data_of(page)
    measured = rules.measured(X, y)
    assert [(r["support"], r["right"] / r["support"]) for r in found["rules"]["rules"]] == [
        (rule.support, rule.precision) for rule in measured
    ]
    assert len(found["rows"]) <= 200
    assert "too good" in page.html  # the rules may have been chosen by these rows
    assert "too good" not in rules.to_report(X, y, X, y).html


def test_without_rows_no_row_is_embedded(monks):
    X, y = monks
    page = RuleSet.from_text(RULES).to_report(X, y, rows=False)
    assert data_of(page)["rows"] == []
    assert all(rule["examples"] == [] for rule in data_of(page)["rules"]["rules"])
    assert "no rows of the data" in page.html


def test_the_share_of_a_column_is_what_its_rules_decide(monks):
    X, y = monks
    rules = RuleSet.from_text(RULES)
    shares = RulesSubject(rules, np.asarray(y)).shares(table_of(X))
    decided = [rule.decided for rule in rules.measured(X, y)]
    assert shares * sum(decided) == pytest.approx([sum(decided[1:]) / 2, sum(decided[1:]) / 2, 0, 0, decided[0], 0])


# --- learners ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [Winnow2(negations=True), AROW(), AdaptiveWinnow(), Committee()], ids=repr)
def test_amounts_of_a_linear_learner_add_up_to_its_decision(learner):
    rng = np.random.default_rng(0)
    X = csr_matrix((rng.random((300, 12)) < 0.3) * 1.0)
    y = np.asarray(X[:, [1]].toarray().ravel() + X[:, [4]].toarray().ravel() > 0)
    model = learner.set_params(random_state=0).fit(X, y)
    added = np.asarray(LinearSubject(model).amounts(X)[0].sum(axis=1)).ravel()
    constant = model.decision_function(X) - added
    if isinstance(learner, Committee):
        assert np.corrcoef(added, model.decision_function(X))[0, 1] > 0.99  # its bias depends on the scores' limits
    else:
        assert constant == pytest.approx(np.full(300, model.intercept_[0]), rel=1e-9)
    shares = LinearSubject(model).shares(table_of(X))
    assert set(np.argsort(-shares)[:2].tolist()) == {1, 4}
    assert shares.sum() == pytest.approx(1)


def test_mean_deviation_is_that_of_the_dense_matrix():
    matrix = np.random.default_rng(0).normal(size=(50, 7)) * (np.random.default_rng(1).random((50, 7)) < 0.3)
    expected = np.abs(matrix - matrix.mean(axis=0)).mean(axis=0)
    assert mean_deviation(csr_matrix(matrix)) == pytest.approx(expected)


@pytest.mark.parametrize("training", [{}, {"max_literals": None}, {"training": MistakeDriven()}], ids=str)
def test_shares_of_terms_find_the_columns_that_matter(monks, training):
    X, y = monks
    model = DNFWinnow(random_state=0, **training).fit(X, y)
    shares = TermsSubject(model).shares(table_of(X))
    assert shares.sum() == pytest.approx(1)
    assert set(np.argsort(-shares)[:3].tolist()) == {0, 1, 4}  # a1 = a2 or a5 = 1


def test_shares_of_soft_terms_do_not_depend_on_blocks(monks, monkeypatch):
    X, y = monks
    subject = TermsSubject(DNFWinnow(random_state=0).fit(X, y))
    whole = subject.shares(table_of(X))
    monkeypatch.setattr("winnowkit.report.of_terms.BLOCK", 17)
    assert subject.shares(table_of(X)) == pytest.approx(whole)


def test_each_row_is_predicted_by_a_model_that_did_not_see_it():
    """A learner that remembers rows is right on all that it has seen; held out, it is right by chance only."""
    rng = np.random.default_rng(0)
    X, y = csr_matrix(np.eye(200)), rng.integers(2, size=200)
    model = AROW(random_state=0).fit(X, y)
    data = Labelled(table_of(X), y)
    assert (model.predict(X) == y).all()
    held = hold_out(LinearSubject(model), data, None, seed=0)
    assert held.honest
    assert len(held.parts) == 5
    assert (held.predicted != y).mean() > 0.3
    assert sorted(np.concatenate([part.rows for part in held.parts]).tolist()) == list(range(200))
    assert (folds_of(y, np.random.default_rng(0)) >= 0).all()


def test_a_test_set_is_predicted_by_the_model_itself():
    X, y = csr_matrix(np.eye(60)), np.arange(60) % 2
    model = AROW(random_state=0).fit(X, y)
    data = Labelled(table_of(X), y)
    held = hold_out(LinearSubject(model), data, data, seed=0)
    assert (held.predicted == y).all()
    assert len(held.parts) == 1


def test_a_stream_is_shown_with_its_bound():
    from winnowkit.data import streams  # noqa: PLC0415

    X, y = streams.disjunction(n=200, k=2, seed=0).take(400)
    page = Winnow2(random_state=0).fit(X, y).report(X, y)
    assert "Mistakes while learning" in page.html
    assert "by theorem" in page.html or "at most" in page.html


def test_a_stream_of_terms_is_shown_with_its_bound_and_a_fit_has_none(monks):
    X, y = monks
    streamed = DNFWinnow(verbose=False).partial_fit(X, y, classes=["0", "1"])
    page = report(streamed, X, y, X, y)
    assert "Mistakes while learning" in page.html
    assert "Tao &amp; Scott 2004" in page.html
    assert not hasattr(TermsSubject(streamed).refitted(table_of(X), np.asarray(y)).model, "n_epochs_")
    fitted = DNFWinnow(max_literals=1, random_state=0, verbose=False).fit(X, y)
    assert TermsSubject(fitted).stream(Labelled(table_of(X), np.asarray(y)), 1) is None


def test_a_report_is_the_same_whenever_it_is_made(monks, monkeypatch):
    """Without a seed, too: models that predict held-out rows are given one."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    X, y = monks
    model = DNFWinnow(max_literals=1, verbose=False).fit(X, y)
    assert report(model, X, y).html == report(model, X, y, verbose=False).html


def test_a_report_shows_how_far_it_is(monks, monkeypatch):
    told = []
    monkeypatch.setattr("winnowkit.core.progress.Progress.share", lambda _, done, what: told.append((done, what)))
    X, y = monks
    report(RuleSet.from_text(RULES), X, y)
    shares = [done for done, _ in told]
    assert shares == sorted(shares)
    assert {"choosing rules", "shuffling columns"} <= {what for _, what in told}
    told.clear()
    report(RuleSet.from_text(RULES), X, y, verbose=False)
    assert told == []


def test_other_models_are_refused_with_a_sentence(monks):
    with pytest.raises(TypeError, match="a report is about a DNFWinnow, a rule set or a linear learner"):
        report(object(), *monks)
    with pytest.raises(ValueError, match="one label per row"):
        report(RuleSet.from_text(RULES), monks[0], [1, 2, 3])
    with pytest.raises(ValueError, match="pass y_test"):
        report(RuleSet.from_text(RULES), *monks, X_test=monks[0])


# --- the page ---------------------------------------------------------------------------------------------------------


def test_text_is_escaped_everywhere():
    hostile = "</script><b onclick='x'>&"
    X = Frame({hostile: np.array([hostile, "b"] * 20, dtype=object)})
    y = np.array([hostile, "b"] * 20)
    rules = RuleSet([Rule([Condition(hostile, "=", hostile)], hostile)], "b", [hostile])
    html = rules.to_report(X, y, title=hostile, note=hostile, target=hostile).html
    assert hostile not in html
    assert html.count("<script") == html.count("</script") == 2


def test_elements_and_conditions():
    assert element("a", "<", href='"') == '<a href="&quot;">&lt;</a>'
    words = re.sub("<.*?>", "", conditions_html([Condition("age", ">", 40), Condition("age", "<=", 52)]))
    assert words == "40 &lt; age ≤ 52"
    assert visible("a\u202eb\x07") == "a\\u202eb\\x07"
    assert visible("👩‍🚀") == "👩‍🚀"
    assert "<caption>numbers</caption>" in table("numbers", ["a"], [["1"]])


def test_the_page_is_one_small_file_that_asks_for_nothing(monks):
    html = RuleSet.from_text(RULES).to_report(*monks).html
    assert len(html.encode()) < 1_000_000
    assert not re.search(r'(?:src|href)="[^#]|@import|url\(', html.split("<script type")[0])
    assert "default-src 'none'" in html


# --- the command line -------------------------------------------------------------------------------------------------


def test_report_of_a_model_file_and_of_a_file_of_rules(tmp_path, capsys):
    csv, model, page = tmp_path / "monks.csv", tmp_path / "monks.winnow", tmp_path / "page.html"
    assert main(["datasets", "monks-1", "-o", str(csv)]) == 0
    assert main(["fit", str(csv), "--learner", "Winnow2", "-o", str(model), "-q"]) == 0
    assert main(["report", str(model), str(csv), "--output", str(page), "--note", "Only for puzzles."]) == 0
    html = page.read_text()
    assert "Only for puzzles." in html
    assert "monks.csv, SHA-256" in html
    assert "Winnow2" in html
    capsys.readouterr()
    assert main(["explain", str(model), str(csv), "--rows", "0", "3", "--html"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("<!DOCTYPE html>")
    assert shown.count("<table") == 2
    rules = tmp_path / "rules.txt"
    rules.write_text(RULES)
    assert main(["report", str(rules), str(csv), "--test", str(csv), "-o", str(page), "--no-rows"]) == 0
    assert "no rows of the data" in page.read_text()
    capsys.readouterr()
    assert main(["report", str(tmp_path / "none.winnow"), str(csv)]) == 2
    assert "no such model file" in capsys.readouterr().err

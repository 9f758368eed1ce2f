"""The summary of ``fit``: the learner and its alternative, an honest error, and the baseline."""

import json
import os

import numpy as np
import pytest

import winnowkit
from winnowkit.cli import error_of_fit
from winnowkit.cli import fit as fit_command
from winnowkit.data import CategoryEncoder, read_table, streams, write_table
from winnowkit.data.indicators import indicators


def ok(result):
    code, out, err = result
    assert code == 0, err
    return out


def fitted(run_command, *words, **options):
    return json.loads(ok(run_command("fit", *words, "--json", **options)))


@pytest.fixture
def sorted_cars(run_command, tmp_path):
    """The rows of the car data, sorted by class."""
    ok(run_command("datasets", "car", "--output", "car.csv"))
    names, *rows = (tmp_path / "car.csv").read_text().splitlines()
    path = tmp_path / "sorted.csv"
    path.write_text("\n".join([names, *sorted(rows, key=lambda row: row.rsplit(",", 1)[1])]) + "\n")
    return path


def exclusive_or(rows):
    """Return a table in which neither column alone says anything about the class."""
    values = np.random.default_rng(0).integers(0, 3, (rows, 2)).tolist()
    return "left,right,class\n" + "".join(f"v{a},v{b},{'same' if a == b else 'other'}\n" for a, b in values)


def test_a_long_table_goes_to_dnf_winnow_as_a_short_one_does(run_command, tmp_path):
    (tmp_path / "long.csv").write_text(exclusive_or(10_500))
    said = ok(run_command("fit", "long.csv", "-o", "m", "--seed", "0"))
    assert "DNFWinnow (chosen by a trial on 2,000 rows: DNFWinnow 0.0% error, Committee " in said
    assert "; --learner selects another)" in said
    assert "0.00% on 10,500 held-out rows" in said
    y = read_table("long.csv", "class")[1]
    assert f"majority-class baseline  {np.mean(y == 'same'):.2%} error (always 'other')" in said


def test_sparse_wide_and_streamed_rows_go_to_committee(run_command, tmp_path):
    X, y = streams.disjunction(n=101, k=2, active=8, seed=0).take(200)
    write_table(X, y, "sparse.libsvm")
    write_table(X.toarray(), y, "wide.csv")
    reason = "chosen because the data are sparse; --learner selects another"
    assert f"Committee ({reason})" in ok(run_command("fit", "sparse.libsvm", "-o", "m"))
    reason = "chosen because the table has more than 100 columns; the alternative is --learner DNFWinnow"
    assert f"Committee ({reason})" in ok(run_command("fit", "wide.csv", "-o", "m"))
    text = exclusive_or(300).encode()
    reason = "chosen because the rows are a stream; fit FILE and evaluate FILE --folds 5 also try DNFWinnow"
    assert f"Committee ({reason})" in ok(run_command("fit", "-", "--format", "csv", "-o", "m", stdin=text))
    (tmp_path / "table.csv").write_bytes(text)
    said = ok(run_command("evaluate", "table.csv"))
    assert f"Committee ({reason})" in said
    assert "majority-class baseline" in said
    folds = ("evaluate", "--folds", "2", "--seed", "0", "--json")
    for source in ("table.csv", "-"):
        result = json.loads(ok(run_command(*folds, source, "--format", "csv", stdin=text)))
        assert (result["learner"], result["error"]) == ("DNFWinnow", 0.0)


def test_sorted_rows_do_not_flatter_a_learner_on_line(run_command, sorted_cars, tmp_path):
    code, said, err = run_command("fit", sorted_cars, "--learner", "Winnow2", "-o", "m")
    assert code == 0
    assert "mistakes" not in said
    assert "majority-class baseline  29.98% error (always 'unacc')" in said
    assert "no better than the baseline" in err
    assert "shuffle the rows" in err
    result = fitted(run_command, sorted_cars, "--learner", "Winnow2", "-o", "m")
    assert result["mistakes"] < 100  # what would mislead
    assert result["error"] > result["error_of_most_frequent_class"] == pytest.approx(518 / 1728)
    assert result["error_measured_on"] == "held-out rows"
    names, *rows = sorted_cars.read_text().splitlines()
    (tmp_path / "shuffled.csv").write_text("\n".join([names, *np.random.default_rng(0).permutation(rows)]) + "\n")
    code, _, err = run_command("fit", "shuffled.csv", "--learner", "Committee", "-o", "m")
    assert (code, err) == (0, "")  # nothing to remark


def test_rows_in_groups_are_remarked_on_where_their_order_counts(run_command):
    X, y = streams.disjunction(n=20, k=2, active=5, seed=0).take(400)
    by_class = np.concatenate([np.argsort(y[:200], kind="stable"), 200 + np.argsort(y[200:], kind="stable")])
    for name, order in (("grouped", by_class), ("mixed", np.arange(400))):
        write_table(X[order].toarray(), y[order], f"{name}.csv")
        for learner in ("Winnow2", "AROW"):
            _, _, err = run_command("fit", f"{name}.csv", "--learner", learner, "-o", "m", "--chunk-rows", "70")
            assert ("stand together, and Winnow2 learned" in err) == (name == "grouped" and learner == "Winnow2")


@pytest.mark.parametrize("passes", [1, 2])
def test_the_held_out_error_is_that_of_a_model_without_these_rows(run_command, sorted_cars, passes):
    found = fitted(run_command, sorted_cars, "--learner", "Winnow2", "-o", "m", "--seed", "3", "--passes", passes)
    X, y = read_table(sorted_cars, "class")
    held = np.random.default_rng(3).random(len(y)) < 0.2
    train, test = np.flatnonzero(~held), np.flatnonzero(held)
    encoder = CategoryEncoder(missing="ignore").fit(X[train], y[train])
    model = winnowkit.Winnow2(random_state=3)
    for _ in range(passes):
        model.partial_fit(indicators(encoder.transform(X[train]), encoder.n_categories_), y[train], np.unique(y))
    wrong = model.predict(indicators(encoder.transform(X[test]), encoder.n_categories_)) != y[test]
    assert (found["error"], found["rows_measured_on"]) == (np.mean(wrong), len(test))
    whole = winnowkit.load("m")[-1]
    assert whole.n_trials_ == passes * len(y)  # the model in the file has learned from all rows


def test_a_sample_of_a_long_file_is_measured(run_command, monkeypatch):
    X, y = streams.disjunction(n=60, k=2, active=8, label_noise=0.05, seed=0).take(3000)
    write_table(X, y, "data.libsvm")
    options = ("data.libsvm", "--learner", "Winnow2", "-o", "m", "--chunk-rows", "700")
    assert 500 < fitted(run_command, *options)["rows_measured_on"] < 700
    monkeypatch.setattr(error_of_fit, "MOST_ROWS", 1000)
    sampled = fitted(run_command, *options)
    assert 150 < sampled["rows_measured_on"] < 250
    assert (sampled["rows"], sampled["trials"]) == (3000, 3000)
    assert 0 < sampled["error"] < 0.3


def test_a_stream_reports_the_mistakes_before_each_update(run_command, tmp_path):
    X, y = streams.disjunction(n=60, k=2, active=8, seed=0).take(1000)
    write_table(X[:600], y[:600], "first.libsvm")
    write_table(X[600:], y[600:], "more.libsvm")
    text = (tmp_path / "first.libsvm").read_bytes()
    model = winnowkit.Winnow2()
    expected = np.mean(model.partial_fit_predict(X[:600], y[:600], classes=[0, 1]) != y[:600])
    options = ("-", "--format", "libsvm", "--n-features", "60", "--learner", "Winnow2", "-o", "m")
    found = fitted(run_command, *options, stdin=text)
    assert (found["error"], found["error_measured_on"]) == (expected, "progressive rows")
    later = np.mean(model.partial_fit_predict(X[600:], y[600:]) != y[600:])
    found = fitted(run_command, "more.libsvm", "--resume", "m", "--passes", "2")
    assert (found["error"], found["rows_measured_on"]) == (later, 400)  # of the first pass alone
    assert "each predicted before it was learned from" in ok(run_command("fit", *options, stdin=text))


@pytest.mark.parametrize("source", ["table.csv", "-"])
def test_dnf_winnow_without_soft_training_is_measured_on_a_fifth(run_command, tmp_path, source):
    text = exclusive_or(200)
    (tmp_path / "table.csv").write_text(text)
    options = ("--format", "csv", "--learner", "DNFWinnow", "--set", "max_literals=none", "-o", "m")
    found = fitted(run_command, source, *options, stdin=text.encode())
    assert found["error"] == 0.0
    assert found["rows_measured_on"] == np.sum(np.random.default_rng(0).random(200) < 0.2)


def test_too_few_rows_are_not_measured(run_command, tmp_path):
    (tmp_path / "two.csv").write_text("a,class\nx,1\ny,0\n")
    assert "not measured: there are too few rows" in ok(
        run_command("fit", "two.csv", "--learner", "Winnow2", "-o", "m")
    )
    assert fitted(run_command, "two.csv", "--learner", "Winnow2", "-o", "m")["error"] is None


def test_quiet_measures_nothing_and_ctrl_c_keeps_the_model(run_command, monkeypatch, tmp_path):
    (tmp_path / "table.csv").write_text(exclusive_or(100))

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_command, "error_rate", interrupted)
    options = ("fit", "table.csv", "--learner", "Winnow2", "-o", "m")
    assert run_command(*options, "-q") == (0, "", "")
    os.remove("m")
    assert run_command(*options) == (130, "", "interrupted before the error was measured; the model is in m\n")
    assert winnowkit.load("m")[-1].n_trials_ == 100


def two_long_terms(seed, rows=555):
    """Return a table whose classes two terms of four and five conditions tell apart, but for 5% of the labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (rows, 7))
    X[:, 4:] %= 2
    a, b, c, d, e, f, g = X.T
    y = ((a != 2) & (b != 1) & (c != 0) & (d != 1) & (e == 1)) | ((f == 1) & (g == 1) & (a == 2) & (b == 1))
    y ^= rng.random(rows) < 0.05
    return np.array([[f"v{value}" for value in row] for row in X], dtype=object), np.where(y, "good", "bad")


def test_an_error_that_decided_on_the_training_is_not_the_error_of_the_model(run_command):
    X, y = two_long_terms(11)
    write_table(X, y, "table.csv")
    options = ("table.csv", "--learner", "DNFWinnow", "--seed", "11", "-o", "m")
    found = fitted(run_command, *options)
    model = winnowkit.load("m")
    assert model.chosen_["training"] == "mistake-driven"
    assert [entry["error"] for entry in model.chosen_["tried"]][-1] == 5 / 111  # of 111 rows, as for the report below
    held = np.random.default_rng(11).random(len(y)) < 0.2
    X, y = read_table("table.csv", "class")
    second = winnowkit.DNFWinnow(random_state=11).fit(X[np.flatnonzero(~held)], y[~held])
    expected = np.mean(second.predict(X[np.flatnonzero(held)]) != y[held])
    assert (found["error"], found["rows_measured_on"]) == (expected, held.sum())
    said = ok(run_command("fit", *options))
    assert f"{expected:.2%} on {held.sum()} held-out rows (measured with a second model that has not seen" in said
    assert "rows held out" not in ok(run_command("inspect", "m"))


def test_soft_training_reports_the_error_on_all_rows(run_command):
    write_table(*two_long_terms(1), "table.csv")
    said = ok(run_command("fit", "table.csv", "--learner", "DNFWinnow", "--seed", "1", "-o", "m"))
    assert "on 555 held-out rows (each row was held out once)" in said
    tried = winnowkit.load("m").chosen_["tried"]
    assert f"{tried[1]['error']:.2%} error on rows held out" in ok(run_command("inspect", "m"))


def test_a_gain_that_may_be_chance_is_remarked_on(run_command):
    """Labels that nothing depends on: some gain on 600 held-out rows is as likely as none."""
    remarks = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, (600, 4)).astype(str), rng.integers(0, 2, 600)
        write_table(X, np.array(["no", "yes"])[y], "random.csv")
        remarks.append(run_command("fit", "random.csv", "--learner", "DNFWinnow", "--seed", "0", "-o", "m")[2])
    assert all("no better than the baseline" in remark for remark in remarks)
    assert any("may be no better than the baseline, as chance alone may" in remark for remark in remarks)
    X, y = streams.disjunction(n=20, k=2, active=5, seed=0).take(400)
    write_table(X.toarray(), y, "clear.csv")
    assert "baseline" not in run_command("fit", "clear.csv", "--learner", "Committee", "-o", "m")[2]

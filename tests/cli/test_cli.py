"""The command line as a user meets it."""

import csv
import json
import signal

import numpy as np
import pytest

import winnowkit
from winnowkit.cli.options import build
from winnowkit.cli.parser import FORMATS, LEARNERS
from winnowkit.core.frame import Frame
from winnowkit.core.progress import Progress
from winnowkit.data import load_dataset, read_table, streams, write_table


def ok(result):
    code, out, err = result
    assert code == 0, err
    return out


def disjunction(rows=3000, n=60, seed=0, **options):
    return streams.disjunction(n=n, k=2, active=8, seed=seed, **options).take(rows)


def test_a_newcomers_way_through(run_command, tmp_path):
    ok(run_command("datasets", "tic-tac-toe", "--output", "boards.csv"))
    lines = (tmp_path / "boards.csv").read_text().splitlines()
    (tmp_path / "train.csv").write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    (tmp_path / "new.csv").write_text("\n".join([lines[0], *lines[2::2]]) + "\n")
    said = ok(run_command("fit", "train.csv", "--output", "boards.winnow", "--seed", "0"))
    assert "DNFWinnow (chosen by a trial on 479 rows: DNFWinnow 0.0% error, Committee " in said
    assert "'class', 2 classes: negative, positive" in said
    seen = ok(run_command("inspect", "boards.winnow", "--top", "16"))
    assert "if top-left = x and middle-middle = x and bottom-right = x then positive" in seen
    code, labels, err = run_command("predict", "boards.winnow", "new.csv")
    assert code == 0
    assert set(labels.split()) == {"negative", "positive"}
    n_wrong = int(err.split()[0])
    assert n_wrong <= 4
    doubt = "; the model learned from as many rows: if from these, expect more errors on others"
    assert err == f"{n_wrong} of 479 labels are wrong: {n_wrong / 479:.2%}{doubt}\n"
    (tmp_path / "few.csv").write_text("\n".join(lines[:100]) + "\n")
    err = run_command("predict", "boards.winnow", "few.csv")[2]
    assert err.endswith("% (too low a figure if the model learned from these rows)\n")
    assert winnowkit.load("boards.winnow").predict(read_table("new.csv", "class")[0]).tolist() == labels.split()


def test_columns_are_matched_by_name(run_command, tmp_path):
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    rows = list(csv.reader((tmp_path / "voting.csv").read_text().splitlines()))
    ok(run_command("fit", "voting.csv", "-o", "m", "--passes", "2", "--seed", "0"))
    expected = ok(run_command("predict", "m", "voting.csv"))
    with (tmp_path / "turned.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [*row[::-1][1:], "7"] if i else [*row[::-1][1:], "more"] for i, row in enumerate(rows)
        )
    code, labels, err = run_command("predict", "m", "turned.csv")  # reversed, without the target, with another column
    assert (code, labels, err) == (0, expected, "")


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "DNFWinnow"])
def test_linear_learners_take_tables(run_command, learner):
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    result = json.loads(
        ok(run_command("fit", "voting.csv", "--learner", learner.lower(), "-o", "m", "--json", "--seed", "1"))
    )
    assert (result["learner"], result["attributes"], result["rows"]) == (learner, 48, 435)
    assert result["mistakes"] == winnowkit.load("m")[-1].n_mistakes_
    seen = json.loads(ok(run_command("inspect", "m", "--json")))
    assert len(seen["attribute_names"]) == 48  # yes, no and missing
    assert seen["mistakes"] == result["mistakes"]
    assert len(ok(run_command("predict", "m", "voting.csv", "-q")).split()) == 435


def test_streams_give_what_python_gives(run_command):
    X, y = disjunction()
    write_table(X, y, "data.libsvm")
    ok(
        run_command(
            "fit",
            "data.libsvm",
            "--learner",
            "Winnow2",
            "--set",
            "alpha=1.3",
            "theta=auto",
            "-o",
            "m",
            "--chunk-rows",
            700,
        )
    )
    model = winnowkit.Winnow2(alpha=1.3).partial_fit(X, y, classes=[0, 1])
    same = winnowkit.load("m")
    np.testing.assert_array_equal(same.coef_, model.coef_)
    assert same.n_mistakes_ == model.n_mistakes_
    result = json.loads(
        ok(run_command("evaluate", "data.libsvm", "--learner", "Winnow2", "--set", "alpha=1.3", "--json"))
    )
    assert result["mistakes"] == model.n_mistakes_
    ok(run_command("fit", "data.libsvm", "--learner", "Winnow2", "-o", "m", "--passes", "2"))
    twice = winnowkit.Winnow2().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y)
    np.testing.assert_array_equal(winnowkit.load("m").coef_, twice.coef_)


def test_resuming_is_going_on(run_command):
    X, y = disjunction()
    write_table(X, y, "all.libsvm")
    write_table(X[:1000], y[:1000], "first.libsvm")
    for options in (["--learner", "Committee"], ["--learner", "SASB", "--set", "voting=4"]):
        ok(run_command("fit", "all.libsvm", "-o", "whole", *options))
        ok(run_command("fit", "first.libsvm", "-o", "m", "--n-features", "60", *options))
        ok(run_command("fit", "all.libsvm", "--resume", "m", "--skip", "1000"))
        np.testing.assert_array_equal(
            winnowkit.load("m").decision_function(X), winnowkit.load("whole").decision_function(X)
        )
    code, _, err = run_command("fit", "all.libsvm", "--resume", "m", "--learner", "Winnow2")
    assert code == 2
    assert "leave out --learner and --set" in err


def test_standard_input(run_command):
    text = b"a,b,class\n" + b"1,0,yes\n0,1,no\n" * 30
    result = json.loads(ok(run_command("fit", "-", "--format", "csv", "-o", "m", "--json", stdin=text)))
    model = winnowkit.Committee(shuffle=False).fit([[1, 0], [0, 1]] * 30, ["yes", "no"] * 30)
    assert (result["learner"], result["rows"], result["mistakes"]) == ("Committee", 60, model.n_mistakes_)
    assert ok(run_command("predict", "m", "-", "--format", "csv", stdin=b"b,a\n1,0\n0,1\n")) == "no\nyes\n"


def test_classes_and_types_that_turn_up_late(run_command, tmp_path):
    rows = ["1,a"] * 25 + ["2,b"] * 25 + ["x,c"] * 25
    (tmp_path / "late.csv").write_text("\n".join(["v,class", *rows]) + "\n")
    said = json.loads(
        ok(run_command("fit", "late.csv", "--learner", "Winnow2", "-o", "m", "--json", "--chunk-rows", "10"))
    )
    assert said["classes"] == ["a", "b", "c"]
    assert said["rows"] == 75
    text = ("\n".join(["v,class", *rows[20:]]) + "\n").encode()
    options = ("--chunk-rows", "10", "--categorical", "v", "--learner", "Winnow2")
    code, _, err = run_command("fit", "-", "--format", "csv", "-o", "n", *options, stdin=text)
    assert code == 2
    assert "the class 'c'" in err
    assert "--classes A B ..." in err
    options += ("--classes", "a", "b", "c")
    assert json.loads(ok(run_command("evaluate", "-", "--format", "csv", "--json", *options, stdin=text)))["rows"] == 55


@pytest.fixture
def late(tmp_path):
    """A file whose column of numbers turns out to hold text after the rows that types are guessed from."""
    path = tmp_path / "late.csv"
    path.write_text("v,class\n" + "0,a\n1,b\n" * 5100 + "x,a\n" * 100)
    return path


def test_a_file_with_late_text_is_read_again(run_command, late):
    fitted = json.loads(ok(run_command("fit", late, "--learner", "Winnow2", "-o", "m", "--json")))
    assert (fitted["rows"], fitted["attributes"]) == (10_300, 2)  # one per category of the first chunk
    progress = json.loads(ok(run_command("evaluate", late, "--learner", "Winnow2", "--json")))
    assert progress["rows"] == 10_300
    folds = json.loads(ok(run_command("evaluate", late, "--learner", "Winnow2", "--folds", "2", "--json")))
    assert folds["rows"] == 10_300
    ok(run_command("convert", late, "late.arff"))
    assert read_table("late.arff", "class")[0]["v"][-1] == "x"
    code, _, err = run_command(
        "fit", "-", "--format", "csv", "--learner", "Winnow2", "-o", "n", stdin=late.read_bytes()
    )
    assert (code, err.count("\n")) == (2, 1)
    assert "--categorical 'v'" in err


def test_a_resumed_model_is_never_dropped_for_data_of_other_types(run_command, late, tmp_path):
    model = winnowkit.Winnow2(random_state=0).fit(Frame({"v": np.arange(40.0) % 2}), np.array(["a", "b"] * 20))
    winnowkit.save(model, tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    code, _, err = run_command("fit", late, "--resume", "m", "--target", "class")
    assert (code, err.count("\n")) == (2, 1)
    assert "column 'v'" in err
    assert (tmp_path / "m").read_bytes() == before


def test_evaluation_by_parts_and_of_a_model(run_command):
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    result = json.loads(ok(run_command("evaluate", "voting.csv", "--learner", "Committee", "--folds", "5", "--json")))
    assert len(result["errors"]) == 5
    assert 0 < result["error"] < 0.12
    assert result["error_of_most_frequent_class"] == pytest.approx(168 / 435)
    ok(run_command("fit", "voting.csv", "--learner", "Committee", "-o", "m"))
    of_model = json.loads(ok(run_command("evaluate", "voting.csv", "--model", "m", "--json")))
    X, y = read_table("voting.csv", "class")
    wrong = run_command("predict", "m", "voting.csv")[1].split() != y
    assert (of_model["rows"], of_model["wrong"]) == (len(X), int(np.sum(wrong)))
    assert "label \\ predicted" in ok(run_command("evaluate", "voting.csv", "--model", "m"))


def test_scores_and_json_lines(run_command, tmp_path):
    ok(run_command("datasets", "iris", "--output", "iris.csv"))
    ok(run_command("fit", "iris.csv", "--learner", "SASB", "-o", "m"))
    ok(run_command("predict", "m", "iris.csv", "--scores", "--output", "scores.csv"))
    rows = list(csv.DictReader((tmp_path / "scores.csv").read_text().splitlines()))
    assert len(rows) == 150
    assert list(rows[0]) == ["label", "Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    for row in rows:
        label = row.pop("label")
        assert float(row[label]) == max(map(float, row.values()))
    lines = [json.loads(line) for line in ok(run_command("predict", "m", "iris.csv", "--json")).splitlines()]
    assert [line["label"] for line in lines] == winnowkit.load("m").classes_[
        np.array([[float(v) for k, v in row.items()] for row in rows]).argmax(axis=1)
    ].tolist()


def test_the_doubling_report(run_command):
    X, y = disjunction(300)
    write_table(X, y, "data.libsvm")
    _, _, err = run_command(
        "evaluate", "data.libsvm", "--learner", "Winnow2", "--progress", "doubling", "--chunk-rows", "50"
    )
    lines = [line.split() for line in err.splitlines()[1:]]
    assert [int(line[2]) for line in lines] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    wrong = winnowkit.Winnow2().partial_fit_predict(X, y, classes=[0, 1]) != y
    assert [float(line[0]) for line in lines] == pytest.approx([wrong[: 2**i].mean() for i in range(9)], abs=1e-6)
    assert float(lines[-1][1]) == pytest.approx(wrong[128:256].mean(), abs=1e-6)


def test_convert(run_command, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    X, y = load_dataset("voting", return_X_y=True)
    for name in ("v.tsv", "v.arff", "v.parquet", "v.csv.gz"):
        ok(run_command("convert", "voting.csv", name))
        table, labels = read_table(name, "class")
        assert np.asarray(table, dtype=object).tolist() == X.tolist()
        assert labels.tolist() == y.tolist()
    code, _, err = run_command("convert", "voting.csv", "v.libsvm")
    assert code == 0
    assert "0 for 'democrat', 1 for 'republican'" in err
    code, _, err = run_command("convert", "voting.csv", "v.vw")
    assert "-1 for 'democrat', 1 for 'republican'" in err
    assert read_table("v.vw")[1].tolist() == [1 if label == "republican" else -1 for label in y]
    ok(run_command("fit", "v.libsvm", "--learner", "Winnow2", "-o", "m"))
    ok(run_command("convert", "m", "m.onnx"))
    sparse, _ = read_table("v.libsvm")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    labels = session.run(["label"], {"X": sparse.toarray()})[0]
    assert [str(label) for label in labels] == ok(run_command("predict", "m", "v.libsvm", "-q")).split()
    code, _, err = run_command("convert", "nothing.winnow", "m.onnx")
    assert code == 2


def test_datasets_and_bench(run_command):
    assert "tic-tac-toe" in ok(run_command("datasets"))
    listed = {entry["name"]: entry for entry in json.loads(ok(run_command("datasets", "--json")))}
    assert listed["iris"]["rows"] == 150
    assert "republican" in ok(run_command("datasets", "voting"))
    results = json.loads(
        ok(
            run_command(
                "bench", "--learner", "Winnow2", "Winnow1", "--rows", 500, "--attributes", 300, "--repeat", 1, "--json"
            )
        )
    )["results"]
    assert [result["learner"] for result in results] == ["Winnow2", "Winnow1"]
    assert all(result["mistakes"] > 0 for result in results)


def test_quiet_is_quiet(run_command):
    X, y = disjunction(300)
    write_table(X, y, "data.libsvm")
    assert run_command("fit", "data.libsvm", "-o", "m", "-q") == (0, "", "")
    code, out, err = run_command("predict", "m", "data.libsvm", "-q")
    assert (code, len(out.splitlines()), err) == (0, 300, "")


def test_the_certificate_is_that_of_the_model(run_command):
    X, y = disjunction(2000)
    write_table(X, y, "data.libsvm")
    ok(run_command("fit", "data.libsvm", "--learner", "Winnow2", "-o", "m"))
    model = winnowkit.load("m")
    assert str(model.certificate(k=2)) in ok(run_command("inspect", "m", "--k", "2"))
    seen = json.loads(ok(run_command("inspect", "m", "--k", "2", "--top", "2", "--json")))
    assert seen["certificate"]["bound"] == model.certificate(k=2).bound
    heaviest = {line["attribute"] for line in seen["weights"]["heaviest"]}
    assert heaviest == {f"attribute {i}" for i in np.argsort(-model.coef_[0])[:2]}


@pytest.mark.parametrize("learner", ["Winnow2", "Committee", "DNFWinnow"])
def test_inspect_shows_as_many_as_it_says_and_forgets_no_class(run_command, learner):
    ok(run_command("datasets", "iris", "--output", "iris.csv"))
    ok(run_command("fit", "iris.csv", "--learner", learner, "--seed", "0", "-o", "m"))
    for top in (4, 10):
        seen = json.loads(ok(run_command("inspect", "m", "--top", top, "--json")))
        shown = seen["rules"]["rules"] if learner == "DNFWinnow" else seen["weights"]["heaviest"]
        assert len(shown) == top
        labels = [line["then" if learner == "DNFWinnow" else "class"] for line in shown]
        assert set(labels) == set(seen["classes"])
        assert max(map(labels.count, labels)) == -(-top // 3)
    if learner == "DNFWinnow":
        weights = [rule["log_weight"] for rule in shown]
        assert weights == sorted(weights, reverse=True)


def test_the_list_of_data_sets_needs_neither_numba_nor_scikit_learn(python):
    code = "import sys; from winnowkit.cli import main; main(['datasets', '-q'])"
    heavy = "print(sorted({'numba', 'sklearn', 'scipy', 'pandas'} & set(sys.modules)))"
    *shown, loaded = python(f"{code}; {heavy}").splitlines()
    assert (loaded, shown[0].split()) == ("[]", ["name", "rows", "columns", "classes"])
    assert len(shown) > 10
    for line in shown[1:]:
        name, rows, columns, classes = line.split()
        data = load_dataset(name)
        assert (int(rows.replace(",", "")), int(columns)) == data.data.shape
        assert int(classes) == len(data.target_names)


def test_set_reaches_the_encoder_and_the_training_of_dnf_winnow(run_command):
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    ok(
        run_command(
            "fit", "voting.csv", "-o", "m", "--set", "training__margin=0.5", "encoder__missing=value", "max_epochs=5"
        )
    )
    model = winnowkit.load("m")
    assert (model.training.margin, model.encoder.missing, model.max_epochs) == (0.5, "value", 5)
    assert "training=MistakeDriven(margin=0.5)" in ok(run_command("inspect", "m"))
    assert json.loads(ok(run_command("inspect", "m", "--json")))["parameters"]["max_epochs"] == 5
    code, _, err = run_command("fit", "voting.csv", "-o", "m", "--set", "margin=0.5")
    assert code == 2
    assert "DNFWinnow has no parameter 'margin'" in err
    assert "training__margin" in err


@pytest.mark.parametrize(("presses", "saved"), [(1, True), (2, False)])
def test_ctrl_c_during_an_epoch_of_dnf_winnow(run_command, monkeypatch, tmp_path, presses, saved):
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    calls, rows = [], Progress.rows

    def pressed(self, n):
        calls.append(n)
        if len(calls) in range(30, 30 + presses):
            signal.raise_signal(signal.SIGINT)
        return rows(self, n)

    monkeypatch.setattr(Progress, "rows", pressed)
    code, _, err = run_command("fit", "voting.csv", "-o", "m", "--set", "training__keep=longest")
    assert code == 130
    assert ("is in m; to continue:" in err) == saved
    assert (tmp_path / "m").exists() == saved
    if saved:
        assert winnowkit.load("m").n_epochs_ == 1


def test_ctrl_c_during_soft_training_keeps_the_best_model(run_command, monkeypatch):
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    calls, share = [], Progress.share

    def pressed(self, done, what):
        calls.append(done)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return share(self, done, what)

    monkeypatch.setattr(Progress, "share", pressed)
    code, _, err = run_command("fit", "voting.csv", "-o", "m", "--seed", "0")
    assert (code, len(calls)) == (130, 5)
    assert "is in m; to continue:" in err
    assert 1 <= winnowkit.load("m").n_epochs_ <= 5
    assert "error on rows held out" in ok(run_command("inspect", "m"))
    ok(run_command("fit", "voting.csv", "--resume", "m", "-o", "m"))


def test_help_names_every_command_and_learner(run_command):
    everything = ok(run_command("--help"))
    for command in (
        "fit",
        "predict",
        "evaluate",
        "inspect",
        "explain",
        "report",
        "convert",
        "datasets",
        "demo",
        "bench",
        "completion",
    ):
        assert command in everything
        assert "usage: winnowkit" in ok(run_command(command, "--help"))
    assert set(LEARNERS) == {name for name in winnowkit.__all__ if name[0].isupper()}
    assert ok(run_command()) == everything
    assert ok(run_command("--version")) == f"winnowkit {winnowkit.__version__}\n"


def test_completion_knows_what_the_parser_knows(run_command):
    for shell in ("bash", "zsh", "fish"):
        script = ok(run_command("completion", shell))
        for word in ("evaluate", "learner", "DNFWinnow", "doubling", "parquet"):
            assert word in script
    commands = next(action for action in build()._actions if action.dest == "command")
    assert "inspect" in commands.choices
    assert "csv" in FORMATS


def test_explain_says_why_and_what_would_flip_it(run_command, tmp_path):
    ok(run_command("datasets", "voting", "--output", "voting.csv"))
    ok(run_command("fit", "voting.csv", "--output", "m", "--seed", "0", "--set", "max_epochs=5"))
    text = ok(run_command("explain", "m", "voting.csv", "--rows", "0", "3", "--terms", "2"))
    assert text.startswith("row 0: predicted republican")
    assert "row 3: predicted democrat" in text
    assert "what would flip it" in text
    lines = [
        json.loads(line)
        for line in ok(run_command("explain", "m", "voting.csv", "--rows", "5", "2", "--json")).splitlines()
    ]
    assert [line["row"] for line in lines] == [2, 5]
    labels = ok(run_command("predict", "m", "voting.csv")).split()
    assert [line["label"] for line in lines] == [labels[2], labels[5]]
    code, _, err = run_command("explain", "m", "voting.csv", "--rows", "435")
    assert (code, err.count("\n")) == (2, 1)
    assert "has 435 rows, counted from 0: there is no row 435" in err
    X, y = disjunction()
    write_table(X, y, tmp_path / "data.libsvm")
    ok(run_command("fit", "data.libsvm", "--learner", "Winnow2", "--output", "linear"))
    assert "without any attribute" in ok(run_command("explain", "linear", "data.libsvm"))
    ok(run_command("fit", "data.libsvm", "--learner", "SASB", "--output", "counting"))
    assert "the weighted vote for 1 is" in ok(run_command("explain", "counting", "data.libsvm"))
    assert "<table" in ok(run_command("explain", "counting", "data.libsvm", "--html"))
    ok(run_command("fit", "data.libsvm", "--learner", "SASB", "--set", "voting=2", "--output", "voters"))
    code, _, err = run_command("explain", "voters", "data.libsvm")
    assert code == 2
    assert "takes a vote of several (voting=0)" in err


@pytest.fixture
def survey(tmp_path):
    """A file with an identifier, a constant, ages with a code among them, and a code of towns."""
    rng = np.random.default_rng(0)
    ages, towns = rng.integers(18, 90, 200), rng.integers(1, 4, 200)
    ages[::5] = -9
    lines = [
        f"c{i},same,{age},{town},{'yes' if age > 40 or town == 2 else 'no'}"
        for i, (age, town) in enumerate(zip(ages, towns, strict=True))
    ]
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(["id,country,age,town,class", *lines]) + "\n")
    return path


LEFT_OUT = (
    "note: These columns are left out, because nothing can be learned from them: identifiers (almost every value is "
    "different): 'id'; constant: 'country'.\n"
)


@pytest.mark.parametrize("learner", ["DNFWinnow", "Winnow2"])
def test_columns_that_are_left_out_are_named_once(run_command, survey, learner):
    code, _, err = run_command("fit", survey, "--learner", learner, "-o", "m")
    assert code == 0
    assert err.count(LEFT_OUT) == 1
    assert err.count("note: Some numbers stand apart and may be codes") == 1
    assert "--special 'age=-9'" in err
    code, _, err = run_command("fit", survey, "--learner", learner, "-o", "m", "--quiet")
    assert (code, err) == (0, "")
    code, _, err = run_command("fit", survey, "--learner", learner, "-o", "m", "--special", "age=-9")
    assert code == 0
    assert err.count(LEFT_OUT) == 1
    assert "Some numbers" not in err


def test_special_values_are_not_compared_with_numbers(run_command, survey):
    ok(run_command("fit", survey, "--learner", "DNFWinnow", "-o", "m", "--special", "age=-9", "--categorical", "town"))
    encoder = winnowkit.load("m").encoder_
    assert encoder.transform([["c1", "same", -9, "2"]]).ravel().tolist() == [0, 0, *encoder.code_of("age", -9)[1:], 2]
    assert encoder.tests(*encoder.code_of("age", -9)) == [("=", -9)]
    ok(run_command("fit", survey, "--learner", "Winnow2", "-o", "w", "--special", "age=-9"))
    assert "age = -9" in ok(run_command("inspect", "w", "--top", "50"))
    for wrong in ("age", "age=", "=-9", "age=old"):
        code, _, err = run_command("fit", survey, "-o", "m", "--special", wrong)
        assert (code, f"--special takes column=numbers, such as age=-9,-8, got '{wrong}'" in err) == (2, True)
    code, _, err = run_command("fit", survey, "-o", "m", "--special", "agee=-9")
    assert (code, "there is no column 'agee'" in err) == (2, True)


def test_evaluation_knows_special_values(run_command, survey):
    for more in ((), ("--folds", "3")):
        for learner in ("DNFWinnow", "Winnow2"):
            ok(run_command("evaluate", survey, "--learner", learner, "--special", "age=-9", *more, "--seed", "0"))
            code, _, err = run_command("evaluate", survey, "--learner", learner, "--special", "id=3", *more)
            assert (code, "special values are for columns of numbers" in err) == (2, True)

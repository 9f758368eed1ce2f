"""The command line with --dask: results as on one machine, from real workers, and errors that say what to do."""

import json
import sys
import warnings

import numpy as np
import pytest

from winnowkit.cli.file_table import FileTable, Selection, matching
from winnowkit.cli.labelled_rows import DataSource
from winnowkit.cli.main import main
from winnowkit.distributed import cluster as clusters
from winnowkit.distributed import fit as cluster_fit
from winnowkit.distributed.all_terms import SampleWarning

pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("dask.distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, of sockets and loops it closes late


@pytest.fixture(scope="module")
def address():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster.scheduler_address


def table(n, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 80, n), "colour": rng.choice(["red", "blue"], n)})
    frame["flag"] = rng.random(n) < 0.5
    frame["class"] = np.where((frame["age"] > 50) & (frame["colour"] == "red"), "yes", "no")
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table in four Parquet files and in four CSV files, and files that do not fit together."""
    place = tmp_path_factory.mktemp("cluster")
    for name in ("rows", "other", "untargeted", "kinds"):
        (place / name).mkdir()
    for i in range(4):
        table(150, i).to_parquet(place / "rows" / f"{i}.parquet")
        table(150, i).to_csv(place / f"{i}.csv", index=False)
    table(20, 0).to_parquet(place / "other" / "a.parquet")
    table(20, 1).drop(columns="age").to_parquet(place / "other" / "b.parquet")
    table(20, 0).to_parquet(place / "untargeted" / "a.parquet")
    table(20, 1).drop(columns="class").to_parquet(place / "untargeted" / "b.parquet")
    table(20, 0).to_parquet(place / "kinds" / "a.parquet")
    table(20, 1).assign(age="old").to_parquet(place / "kinds" / "b.parquet")
    pd.concat([table(150, i) for i in range(4)]).to_csv(place / "all.csv", index=False)
    assert main(["fit", str(place / "all.csv"), "-o", str(place / "model"), "--learner", "AROW", "-q"]) == 0
    return place


@pytest.fixture
def run(folder, address, capsys, monkeypatch):
    def run(command, dask=address):
        monkeypatch.chdir(folder)
        code = main([*command.split(), *([] if dask is None else ["--dask", dask])])
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize("files", [pytest.param("rows", marks=pytest.mark.slow), "rows/*.parquet", "?.csv"])
def test_fit_learns_from_all_files_and_reports_the_error(run, folder, files):
    code, out, err = run(f"fit {files} -o new --learner AROW --json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["rows"], found["classes"], found["target"]) == (600, ["no", "yes"], "class")
    assert found["error_measured_on"] == "held-out rows"
    assert found["rows_measured_on"] == pytest.approx(120, abs=40)
    assert found["error"] < 0.1
    assert not (folder / "new.checkpoint").exists()
    assert run("predict new all.csv", dask=None)[2].startswith(("0 of", "1 of", "2 of", "3 of", "4 of", "5 of"))


def test_a_note_says_that_a_model_learned_from_a_sample(run, monkeypatch):
    def warned(*given, **named):
        warnings.warn("the model has learned from a sample of 5,000 rows", SampleWarning, stacklevel=2)
        warnings.warn("another warning", UserWarning, stacklevel=2)
        return cluster_fit(*given, **named)

    monkeypatch.setattr("winnowkit.cli.cluster.fit_on", warned)
    code, _, err = run("fit rows -o sampled --learner AROW")
    assert code == 0, err
    assert "note: the model has learned from a sample of 5,000 rows" in err
    assert "another warning" not in err


def test_a_learner_is_chosen_by_a_trial_on_a_sample(run):
    code, out, err = run("fit rows -o chosen")
    assert code == 0, err
    assert "chosen by a trial on 600 rows" in out
    assert "600 rows of rows, 3 columns" in out
    assert "majority-class baseline" in out


def test_predictions_are_those_of_one_machine_in_the_order_of_the_files(run):
    code, out, err = run("predict model ?.csv --scores")
    assert code == 0, err
    assert (out, err) == run("predict model all.csv --scores", dask=None)[1:]


def test_evaluate_counts_as_one_machine_does(run):
    code, out, err = run("evaluate rows --model model --json")
    assert code == 0, err
    assert json.loads(out) == json.loads(run("evaluate all.csv --model model --json", dask=None)[1])


@pytest.mark.parametrize("learner", ["AROW", pytest.param("DNFWinnow", marks=pytest.mark.slow)])
def test_folds_are_learned_from_by_all_workers(run, learner):
    code, out, err = run(f"evaluate rows --folds 3 --learner {learner} --json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["way"], found["rows"], len(found["errors"])) == ("3-fold", 600, 3)
    assert found["error"] == pytest.approx(np.mean(found["errors"]))
    assert found["error"] < 0.1 < found["error_of_most_frequent_class"]


@pytest.mark.parametrize(
    ("command", "messages"),
    [
        ("fit no/*.parquet -o none", ["no file matches no/*.parquet"]),
        ("fit - -o none", ["standard input is read by one machine"]),
        ("fit other -o none", ["b.parquet has no column 'age', which", "a.parquet has", "--ignore 'age'"]),
        ("fit untargeted -o none --target class", ["b.parquet: there is no column 'class'"]),
        ("fit untargeted -o none", ["the last column is 'class' in", "'flag' in", "--target"]),
        ("fit kinds -o none", ["'age' is of kind numeric in", "category in", "--categorical 'age'"]),
        ("fit rows --resume model", ["--resume", "leave out --dask"]),
        ("fit rows -o none --jobs 2", ["--jobs applies to one machine"]),
        ("evaluate rows", ["--dask needs --folds K or --model MODEL"]),
        ("evaluate rows --folds 601", ["--folds must be between 2 and the number of rows, 600"]),
        ("evaluate rows --folds 300 --learner Winnow2", ["has no row; choose fewer folds"]),
        ("evaluate untargeted --model model", ["b.parquet has no column 'class' with the true labels"]),
        ("predict model other", ["b.parquet has no column 'age', which the model learned from"]),
    ],
)
def test_errors_say_what_to_do(run, folder, command, messages):
    code, _, err = run(command)
    assert code == 2, err
    for message in messages:
        assert message in err
    assert not (folder / "none").exists()


def test_columns_that_differ_can_be_left_out_or_declared(run):
    assert run("fit other -o left --ignore age --learner AROW -q")[0] == 0
    assert run("fit kinds -o declared --categorical age --learner AROW -q")[0] == 0


def test_no_scheduler_no_worker_no_dask(run, monkeypatch):
    monkeypatch.setattr(clusters, "PATIENCE", 0.5)
    code, _, err = run("fit rows -o new", dask="tcp://127.0.0.1:9")
    assert code == 1
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in err
    assert "start one with: dask scheduler" in err
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", processes=False) as empty:
        code, _, err = run("fit rows -o new", dask=empty.scheduler_address)
        assert code == 1
        assert "has no workers; start some with: dask worker" in err
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    code, _, err = run("predict model rows")
    assert code == 2
    assert "needs Dask: pip install 'winnowkit[dask]'" in err


@pytest.mark.parametrize(("found", "message"), [(None, "cannot import winnowkit"), ("0.0.1", "has winnowkit 0.0.1")])
def test_workers_without_this_version_are_named(run, monkeypatch, found, message):
    monkeypatch.setattr(clusters, "locate", {None: _nothing, "0.0.1": _old}[found])
    code, _, err = run("evaluate rows --model model")
    assert code == 1
    assert message in err


def _nothing(name):
    del name


def _old(name):
    del name
    return "0.0.1"


def test_a_worker_that_does_not_see_a_file_says_so(address):
    with distributed.Client(address) as client:
        found = client.submit(_read_nothing)
        with pytest.raises(ValueError, match=r"a worker does not find nowhere\.csv: all workers need the files"):
            found.result()


def _read_nothing():
    from winnowkit.cli.file_table import read  # noqa: PLC0415 - runs on a worker

    return read(DataSource("nowhere.csv"))


def test_rows_held_out_and_the_others_are_all_rows():
    left = Selection(0, frozenset({1, 2}), 0.1, 0.4)
    held = left._replace(held=True)
    assert sorted([*left.places(1, 1000), *held.places(1, 1000)]) == list(range(1000))
    assert held.places(1, 1000).size == pytest.approx(300, abs=60)
    assert held.places(0, 1000).size == 0
    assert left.places(0, 1000).size == 1000


def test_a_folder_is_its_data_files_in_order(folder):
    (folder / "rows" / "notes.txt").write_text("nothing")
    assert [path[-9:] for path in matching(str(folder / "rows"))] == [f"{i}.parquet" for i in range(4)]


def test_labels_alone_are_read_from_files_by_column(folder):
    source = DataSource(str(folder / "rows" / "0.parquet"), target="class", columns=["age", "colour", "flag"])
    part = FileTable([source]).parts()[0]
    assert part.labels().tolist() == table(150, 0)["class"].tolist()


@pytest.mark.slow
def test_all_cores_of_this_machine_without_an_address(run):
    code, out, err = run("evaluate rows --model model --dask", dask=None)
    assert code == 0, err
    assert "600" in out

"""Whenever a program is killed, the old model or the new one is in the file; and a run that goes on ends the same."""

import os
import signal
import time
import warnings
from functools import partial

import numpy as np
import pytest

import winnowkit
from clusters import files
from winnowkit import DNFWinnow, Winnow2, load, save
from winnowkit.cli import main
from winnowkit.data import load_dataset, streams, write_table
from winnowkit.dnf import MistakeDriven

HOW_OFTEN = [pytest.param(15, id="few"), pytest.param(400, id="hundreds", marks=pytest.mark.slow)]


def killed(work, seconds):
    """Do some work in a process that is killed after so many seconds; whether it was killed before its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks where there are threads; these compute nothing
        child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("times", HOW_OFTEN)
def test_save(times, tmp_path):
    path, rng, seen = tmp_path / "model", np.random.default_rng(0), set()
    models = [Winnow2().begin(200_000, [0, 1]) for _ in range(2)]
    for model in models:
        for _ in range(1 + (model is models[1])):
            model.learn_active(np.arange(150_000), 1)
    expected = [model.coef_.sum() for model in models]
    save(models[0], path)

    def work():
        while True:
            for model in models:
                save(model, path)

    for _ in range(times):
        assert killed(work, rng.uniform(0.0, 0.05))
        found = load(path)
        assert found.coef_.sum() == expected[found.n_trials_ - 1]
        seen.add(found.n_trials_)
    assert seen == {1, 2} or times < 100  # few kills may all come early on a slow disk


@pytest.mark.parametrize("times", HOW_OFTEN)
def test_fit(times, tmp_path):
    X, y = streams.disjunction(n=300, k=2, seed=0).take(3000)
    write_table(X, y, tmp_path / "data.libsvm")
    model, rng = tmp_path / "model", np.random.default_rng(0)
    words = ["fit", str(tmp_path / "data.libsvm"), "--output", str(model), "--learner", "Winnow2", "--quiet"]
    assert main(words) == 0  # compiles
    begun = time.perf_counter()
    assert main(words) == 0
    seconds = time.perf_counter() - begun
    new = model.read_bytes()
    save(Winnow2().begin(5, [0, 1]), tmp_path / "old")
    old = (tmp_path / "old").read_bytes()
    ends = []
    for _ in range(times):
        model.write_bytes(old)
        was_killed = killed(lambda: main(words), rng.uniform(0.0, 1.5 * seconds))
        ends.append((was_killed, model.read_bytes() == new))
        assert model.read_bytes() in (old, new)
        load(model)
    assert (True, False) in ends
    assert all(finished for was_killed, finished in ends if not was_killed)


WRITING = {  # commands that write {out}, and how often they are killed in the slow tests
    "predict": (("predict", "{model}", "{data}", "--output", "{out}"), 300),
    "report": (("report", "{model}", "{data}", "--output", "{out}"), 100),
    "convert": (("convert", "{data}", "{out}", "--to", "csv"), 200),
    "evaluate": (("evaluate", "{data}", "--model", "{model}"), 100),  # writes nothing, and so must leave nothing
}


@pytest.mark.parametrize(
    ("name", "times"),
    [("predict", 10), *(pytest.param(name, times, marks=pytest.mark.slow) for name, (_, times) in WRITING.items())],
)
def test_commands_that_read_a_model_or_data(name, times, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # the time at which a page was made is the one thing that changes
    X, y = streams.disjunction(n=100, k=2, seed=0).take(2000)
    places = {"data": tmp_path / "data.libsvm", "model": tmp_path / "model", "out": tmp_path / "out"}
    write_table(X, y, places["data"])
    save(Winnow2().fit(X, y), places["model"])
    words = [word.format(**places) for word in WRITING[name][0]] + ["--quiet"]
    assert main(words) == 0  # compiles
    begun = time.perf_counter()
    assert main(words) == 0
    seconds = time.perf_counter() - begun
    sources = {path: path.read_bytes() for path in (places["data"], places["model"])}
    new = places["out"].read_bytes() if places["out"].exists() else None
    rng, ends = np.random.default_rng(0), []
    for _ in range(times):
        if new is not None:
            places["out"].write_bytes(b"old")
        was_killed = killed(lambda: main(words), rng.uniform(0.0, 1.5 * seconds))
        found = places["out"].read_bytes() if places["out"].exists() else None
        assert found in (b"old", new)
        ends.append((was_killed, found == new))
        assert all(path.read_bytes() == before for path, before in sources.items())
    assert all(finished for was_killed, finished in ends if not was_killed)
    assert any(was_killed for was_killed, _ in ends)
    capfd.readouterr()


@pytest.mark.slow
def test_reproduce(tmp_path, capsys):
    rng = np.random.default_rng(0)

    def run(folder):
        assert main(["reproduce", "lecture-bounds", "--quiet", "--output", str(folder)]) == 0

    run(tmp_path / "warm")
    begun = time.perf_counter()
    run(tmp_path / "whole")
    seconds = time.perf_counter() - begun
    whole = files(tmp_path / "whole")
    killed_early = whole_again = 0
    folder = tmp_path / "0"
    for turn in range(300):
        killed_early += killed(partial(run, folder), rng.exponential(0.15 * seconds))
        if folder.exists():
            found = files(folder)
            assert found.items() <= whole.items()  # a file is whole or not there
            if found == whole:
                whole_again += 1
                folder = tmp_path / f"{turn + 1}"
    run(folder)
    assert files(folder) == whole
    assert killed_early > 200
    assert whole_again > 2
    capsys.readouterr()


CASES = {
    "Winnow2": Winnow2(),
    "Committee": winnowkit.Committee(share=0.01),
    "SASB": winnowkit.SASB(voting=3),
    "DirectedDrift": winnowkit.DirectedDrift(batch=30, random_state=1),
    "DirectBayes": winnowkit.DirectBayes(k=1, prediction="probability", random_state=1),
    "DNFWinnow": DNFWinnow(training=MistakeDriven(max_mistakes=50), random_state=1),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("times", [pytest.param(3, id="few"), pytest.param(60, id="dozens", marks=pytest.mark.slow)])
def test_a_run_that_goes_on_ends_as_one_that_was_never_interrupted(name, times, tmp_path):
    path, rng = tmp_path / "model", np.random.default_rng(0)
    if name == "DNFWinnow":
        X, y = load_dataset("voting", return_X_y=True)
        X, y = X[:400], y[:400]
    else:
        X, y = streams.disjunction(n=100, k=2, active=20, label_noise=0.1, seed=0).take(400)
    classes = np.unique(y)

    def learn(model, stop_at=400):
        """Go on from where the model is, and keep it every ten rows."""
        while model.n_trials_ < stop_at:
            rows = slice(model.n_trials_, model.n_trials_ + 10)
            model.partial_fit(X[rows], y[rows])
            save(model, path)

    whole = CASES[name].partial_fit(X[:40], y[:40], classes)
    save(whole, path)
    first = path.read_bytes()
    learn(whole)
    expected = path.read_bytes()
    path.write_bytes(first)
    interrupted = 0
    for _ in range(times):
        interrupted += killed(lambda: learn(load(path)), rng.uniform(0.0, 0.1))
        if load(path).n_trials_ == 400:
            assert path.read_bytes() == expected
            path.write_bytes(first)
    learn(load(path))
    assert path.read_bytes() == expected
    assert interrupted

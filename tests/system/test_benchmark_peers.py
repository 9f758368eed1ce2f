"""Peers in environments of their own: jobs and answers; one that cannot take part is absent, not fatal."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = pytest.mark.usefixtures("benchmarks")


def fake(tmp_path, text):
    """An interpreter that is a shell script."""
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o755)
    return script


def test_a_peer_that_fails_is_absent(tmp_path):
    from environments import AbsentError, ask  # noqa: PLC0415

    with pytest.raises(AbsentError, match="no module named wittgenstein"):
        ask("ripper", {}, timeout=60, python=fake(tmp_path, "echo 'no module named wittgenstein' >&2; exit 1"))
    with pytest.raises(AbsentError, match="took more than 1 s by the clock"):
        ask("ripper", {}, timeout=0.1, python=fake(tmp_path, "exec sleep 30"))
    with pytest.raises(AbsentError, match="took more than 60 s of processor time"):
        ask("ripper", {}, timeout=60, python=fake(tmp_path, "kill -XCPU $$"))
    answer = ask("ripper", {"a": 1}, timeout=60, python=fake(tmp_path, 'printf \'{"got": %s}\' "$(cat)"'))
    assert answer == {"got": {"a": 1}}


def test_a_peer_that_is_not_installed_is_absent(tmp_path, monkeypatch):
    import environments  # noqa: PLC0415

    monkeypatch.setattr(environments, "ROOT", tmp_path)
    with pytest.raises(environments.AbsentError, match=r"there is no \.venv-tmu: make peers"):
        environments.interpreter("tsetlin")


def test_the_worker_keeps_what_packages_print_out_of_its_answer(tmp_path):
    (tmp_path / "fake.py").write_text(
        f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n"
        "import peer_worker\n"
        "def most(columns, types, X, y):\n"
        "    print('training'); best = max(sorted(set(y)), key=y.count)\n"
        "    return (lambda rows: [best] * len(rows)), {'rules': 0}\n"
        "peer_worker.LEARNERS['most'] = most, 'numpy'\n"
        "peer_worker.main()\n"
    )
    job = {"columns": ["a"], "types": ["nominal"], "X": [["u"]] * 5, "y": ["p", "q", "q", "p", "q"]}
    job["splits"] = [[[0, 1, 2], [3, 4]], [[0, 3, 1], [2]]]
    done = subprocess.run(
        [sys.executable, str(tmp_path / "fake.py"), "most"],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    answer = json.loads(done.stdout)
    assert [fold["predicted"] for fold in answer["folds"]] == [["q", "q"], ["p"]]
    assert answer["version"] == f"numpy {np.__version__}"
    assert "training" in done.stderr


def test_the_worker_has_so_much_processor_time_and_no_more(tmp_path):
    (tmp_path / "fake.py").write_text(
        f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n"
        "import peer_worker\n"
        "def endless(columns, types, X, y):\n"
        "    while True: pass\n"
        "peer_worker.LEARNERS['endless'] = endless, 'numpy'\n"
        "peer_worker.main()\n"
    )
    job = {"columns": ["a"], "types": ["nominal"], "X": [["u"]] * 2, "y": ["p", "q"], "splits": [[[0, 1], [0]]]}
    command = [sys.executable, str(tmp_path / "fake.py"), "endless", "1"]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGXCPU


def test_dnf_peers_at_a_tiny_size(monkeypatch):
    import dnf_peers  # noqa: PLC0415
    from environments import AbsentError  # noqa: PLC0415

    task = dnf_peers.planted(1, folds=3, n_rows=120, n=6)
    perfect = {"version": "oracle 1", "folds": []}
    for _, test in task.splits:
        perfect["folds"].append({"predicted": task.y[test].tolist(), "fit": 1e-3, "predict": 1e-3, "rules": 5})

    def ask(learner, job, *, timeout):  # noqa: ARG001 - as the real one
        if learner != "ripper":
            raise AbsentError("not today")
        assert job["types"] == ["nominal"] * 6
        return json.loads(json.dumps(perfect))

    monkeypatch.setattr(dnf_peers, "ask", ask)
    said = []
    local = [name for name in dnf_peers.LOCAL if name != dnf_peers.COMPACT]
    part = dnf_peers.measure([task], [*local, "ripper", "cn2"], 1.0, said.append)
    assert part.absent == ["CN2 (Orange3) on planted DNF 1: not today"]
    errors = {r["learner"]: r["error"] for r in part.records if r["fold"] == 0}
    assert errors["RIPPER (wittgenstein)"] == 0.0
    assert all(0 <= r["error"] <= 0.6 for r in part.records)
    assert {len(row) for row in part.tables[0].rows} == {len(part.tables[0].header)} == {1 + len(local) + 1}
    ours = np.mean([r["error"] for r in part.records if r["learner"] == "DNFWinnow"])
    assert part.verdicts[0].startswith(f"Error not above the best rule learner's on {int(ours == 0)} of 1")
    assert len(said) == len(local) + 2


def test_the_kernel_counts_common_terms():
    from dnf_learners import kernel  # noqa: PLC0415

    a = np.array([[1, 2, 0], [1, 1, 3]])
    np.testing.assert_allclose(kernel(a, a) * 8, [[4, 2], [2, 8]])  # missing agrees with nothing


def test_missing_values_of_peers_without_them_come_from_the_training_rows():
    import peer_worker  # noqa: PLC0415

    framed = peer_worker.framing(["size", "colour"], ["numeric", "nominal"], [[1, "red"], [4, None], [None, "red"]])
    assert framed([[None, None], [9, "blue"]]).to_numpy().tolist() == [[2.5, "missing"], [9.0, "blue"]]


def test_the_point_of_a_curve_beside_cg_is_simple_enough_and_chosen_by_the_curve_itself():
    import rules_table  # noqa: PLC0415

    points = [(2, 0.70, 0.01, 0.9), (11, 0.72, 0.01, 0.6), (12, 0.71, 0.01, 0.8), (25, 0.80, 0.01, 0.8)]
    record = {"curve": points, "accuracy": 0.8, "complexity": 25, "seconds": 1.0}
    found = rules_table.limited({name: {rules_table.OURS: {"0": record}} for name in ("heart", "iris")})
    chosen = found["heart"][rules_table.LIMITED]["0"]
    assert (chosen["complexity"], chosen["accuracy"]) == (11, 0.6)
    assert rules_table.LIMITED not in found["iris"]  # for which CG is not published

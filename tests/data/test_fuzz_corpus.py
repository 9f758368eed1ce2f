"""Inputs that fuzzing found, and its seeds, end in what their readers promise."""

import pytest
from fuzz_seeds import dictionary, seeds
from fuzz_targets import CORPUS, TARGETS, assembled, taken_apart

from winnowkit import load

FOUND = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name[:20]}")
def test_what_was_found_once(path):
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_are_sound(target):
    assert dictionary(target)
    for seed in seeds(target):
        TARGETS[target](seed)


def test_a_model_taken_apart_can_be_put_together(tmp_path):
    for seed in seeds("model-file"):
        (tmp_path / "model").write_bytes(assembled(taken_apart(seed)))
        (tmp_path / "same").write_bytes(seed)
        model, same = load(tmp_path / "model"), load(tmp_path / "same")
        assert (type(model), vars(model).keys()) == (type(same), vars(same).keys())


def test_a_target_lets_through_only_what_its_reader_promises(monkeypatch):
    monkeypatch.setattr("fuzz_targets.read_table", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        TARGETS["csv"](b"a\n1\n")

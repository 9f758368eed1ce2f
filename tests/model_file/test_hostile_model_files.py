"""Files made to deceive, checksum and all, are refused before any harm is done."""

import json
import os
import pickle
import tracemalloc
import warnings
from contextlib import suppress

import numpy as np
import pytest
from safetensors.numpy import save_file

import winnowkit
from forging import forge, node, parts
from winnowkit import load
from winnowkit.data import load_dataset, streams
from winnowkit.model_file import ModelFileError
from winnowkit.model_file.container import FORMAT

STREAM = streams.disjunction(n=40, k=3, active=9, label_noise=0.2, seed=0).take(200)


FOREIGN = {
    "empty": b"",
    "text": b"a,b,c\n1,2,3\n",
    "long text": b"word " * 1000,
    "zeros": bytes(500),
    "pickle": pickle.dumps({"model": 1}),
    "a header of exabytes": b"\xff" * 8 + b'{"__metadata__"',
    "a header of some other file": (30).to_bytes(8, "little") + b'{"__metadata__":{"format":"pt"}}',
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_files(name, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(FOREIGN[name])
    with pytest.raises(ModelFileError, match=r"file is not a winnowkit model; make one with winnowkit.save"):
        load(path)


def test_safetensors_of_others(tmp_path):
    for metadata in (None, {"format": "pt"}, {"winnowkit": "{}"}):
        save_file({"weights": np.zeros(3)}, tmp_path / "file", metadata=metadata)
        with pytest.raises(ModelFileError, match="is not a winnowkit model"):
            load(tmp_path / "file")


def test_a_newer_format_is_named(tmp_path):
    forge(tmp_path / "file", None, format=FORMAT + 1, version="9.9")
    with pytest.raises(
        ModelFileError, match=r"by winnowkit 9.9 in format 3; .* reads format 2 only: upgrade winnowkit"
    ):
        load(tmp_path / "file")


def test_a_file_of_the_old_layout_is_refused_with_a_remedy(tmp_path):
    forge(tmp_path / "file", None, format=1, version="0.1.0")
    with pytest.raises(ModelFileError, match=r"by winnowkit 0.1.0 in format 1; .*: fit the model again and save it"):
        load(tmp_path / "file")


NONSENSE = {
    "no model": None,
    "a number": 3,
    "a list": [1, 2],
    "no type": {"value": {}},
    "more than type and value": {**node("Winnow2", {}), "code": "import os"},
    "a module's function": node("os.system", {"command": "true"}),
    "a function of ours": node("save", {}),
    "a module of ours": node("bounds", {}),
    "an exception": node("BudgetExceeded", {}),
    "a class of ours that is no part of a model": node("Training", {}),
    "a result": node("DNFWinnow", {"x": node("Estimate", {"log_sum": 1.0})}),
    "a base class": node("LinearClassifier", {}),
    "no learner": node("MistakeLog", {"codes": node("array", "codes")}),
    "a list for a type": node(["Winnow2"], {}),
    "no state": node("Winnow2", [1]),
    "a method": node("Winnow2", {"predict": 1}),
    "a property": node("Winnow2", {"coef_": 1}),
    "a lock": node("Winnow2", {"_lock": 1}),
    "a class attribute": node("Winnow2", {"__class__": 1}),
    "an array that is not there": node("Winnow2", {"_learner": node("array", "weights")}),
    "a learner that is none": node("Winnow2", {"_learner": 5, "classes_": node("strings", {})}),
    "classes that are none": node("Winnow2", {"_learner": 5, "classes_": 5}),
    "a generator of another world": node(
        "Winnow2", {"random_state": node("generator", node("dict", [["bit_generator", "seed"]]))}
    ),
    "strings without end": node("Winnow2", {"x": node("strings", {"shape": [1], "width": 10**12, "values": ["a"]})}),
    "a shape without end": node("Winnow2", {"x": node("strings", {"shape": [10**12], "width": 1, "values": ["a"]})}),
    "no such fields": node("Winnow2", {"x": node("records", [])}),
    "keys that are lists": node("Winnow2", {"x": node("dict", [[[1], 2]])}),
    "no number": node("Winnow2", {"x": node("float", "1_000")}),
    "a fraction of nothing": node("Winnow2", {"x": node("fraction", [1, 0])}),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense(name, tmp_path):
    forge(tmp_path / "file", NONSENSE[name])
    with pytest.raises(ModelFileError, match="does not contain a valid model"):
        load(tmp_path / "file")


def test_deep_json(tmp_path):
    nested = []
    for _ in range(100):
        nested = [nested]
    forge(tmp_path / "file", node("Winnow2", {"x": nested}))
    with pytest.raises(ModelFileError, match="nested more than 40 levels deep"):
        load(tmp_path / "file")
    text = '{"checksum":"' + "0" * 64 + '","format":2,"model":' + "[" * 500_000 + "]" * 500_000 + "}"
    header = json.dumps({"__metadata__": {"winnowkit": text}}, separators=(",", ":")).encode()
    (tmp_path / "file").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ModelFileError, match="its header is not valid"):
        load(tmp_path / "file")


def test_claimed_sizes_cost_no_memory(tmp_path):
    winnowkit.save(winnowkit.Winnow2(random_state=0).fit(*STREAM), tmp_path / "file")
    data = (tmp_path / "file").read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header["_learner.weights"] |= {"shape": [1, 1, 2**40], "data_offsets": [0, 2**43]}
    text = json.dumps(header, separators=(",", ":")).encode()
    (tmp_path / "file").write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])
    tracemalloc.start()
    with pytest.raises(ModelFileError, match="truncated"):
        load(tmp_path / "file")
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def wrong(array, place, value):
    array = array.copy()
    array[place] = value
    return array


LIES = {
    "Winnow2": [
        ("_learner.weights", lambda a: a[:, :, :0]),
        ("_learner.weights", lambda a: a.repeat(2, axis=1)),
        ("_learner.weights", lambda a: a.astype(np.float32)),
        ("_learner.totals", lambda a: a[:, :-1]),
        ("_learner.counts", lambda a: a[:1]),
        ("classes_", lambda a: a[::-1]),
        ("classes_", lambda a: a * 0),
        ("_learner.parameters.negations", lambda a: ~a),
        ("_learner.parameters.link", lambda a: a.astype(np.int32)),
    ],
    "Committee": [
        ("_learner.records", lambda a: a[1:]),
        ("_learner.records", lambda a: a[:, :-1]),
        ("_learner.records", lambda a: a.repeat(2, axis=2)),
        ("_learner.records", lambda a: a.astype(np.float64)),
        ("_learner.records", lambda a: wrong(a, (3, 4, 0), np.nan)),
        ("_learner.largest", lambda a: a[:-1]),
        ("_learner.largest", lambda a: wrong(a, 0, np.inf)),
        ("_learner.scale", lambda a: a[:1]),
        ("_learner.scale", lambda a: a * np.nan),
        ("_learner.odds", lambda a: a[:4]),
        ("_learner.full_weights", lambda a: a[:, :-1]),
        ("_learner.full_weights", lambda a: a[:, :0]),
        ("_learner.full_covariance", lambda a: a[:, :0, :0]),
        ("_learner.full_covariance", lambda a: a[:, :, :-1]),
        ("_learner.full_covariance", lambda a: a * np.nan),
        ("_learner.mix_weights", lambda a: a[:-1]),
        ("_learner.mix_covariance", lambda a: a[:-1, :-1]),
        ("_learner.mix_votes", lambda a: a[:2]),
        ("_learner.mix_votes", lambda a: a * 0),
        ("_learner.mix_resting", lambda a: a[:, :2]),
        ("_learner.mix_mistakes", lambda a: a.astype(np.int32)),
        ("_learner.mix_label_mistakes", lambda a: a[:-1]),
        ("_learner.mix_awake_mistakes", lambda a: a[:-1]),
        ("_learner.mix_settings", lambda a: wrong(a, 0, 1.5)),
        ("_learner.mix_settings", lambda a: a[:0]),
        ("_learner.counts", lambda a: a[:1]),
        ("_learner.counts", lambda a: a - 10**9),
    ],
    "SASB": [
        ("_learner.slots", lambda a: wrong(a, (0, 3), 10**6)),
        ("_learner.slots", lambda a: wrong(a, (0, 3), -1)),
        ("_learner.after", lambda a: wrong(a, np.s_[0, 0], 10**9)),
        ("_learner.before", lambda a: wrong(a, np.s_[0, 0], 10**9)),
        ("_learner.size", lambda a: wrong(a, np.s_[0, 0], 0)),
        ("_learner.lead", lambda a: wrong(a, np.s_[0, 0], 10**6)),
        ("_learner.lead", lambda a: wrong(a, np.s_[0, 1], 10**6)),
        ("_learner.marks", lambda a: wrong(a, (0, 0, 2), 10**6)),
        ("_learner.marks", lambda a: wrong(a, (0, 0, 4), 10**6)),
        ("_learner.marks", lambda a: wrong(a, (0, 0, 5), 10**6)),
        ("_learner.marks", lambda a: wrong(a, (0, 0, 6), 10**6)),
        ("_learner.marks", lambda a: wrong(a, (0, 1, 7), -(10**6))),
        ("_learner.marks", lambda a: wrong(a, (0, 0, 0), -1)),
        ("_learner.newest", lambda a: wrong(a, (0, 0), 10**6)),
        ("_learner.records", lambda a: a * 0),
        ("_learner.records", lambda a: a[:, :1]),
        ("_learner.journal", lambda a: wrong(a, (0, 0), -5)),
        ("_learner.parameters.n_features", lambda a: a + 1),
    ],
    "DirectBayes": [
        ("_learner.errors", lambda a: wrong(a, (0, 0), 10**6)),
        ("_learner.errors", lambda a: a[:, :-1]),
        ("_learner.tallies", lambda a: a + 1),
        ("_learner.lowest", lambda a: a + 10**6),
        ("_learner.parameters.n_used", lambda a: a + 10**12),
        ("_learner.parameters.n_features", lambda a: a - 1),
        ("_learner.parameters.max_k", lambda a: a - 1),
        ("_learner.parameters.max_disjunctions", lambda a: a * 0),
        ("_learner.parameters.k", lambda a: a + 10**12),
        ("_learner.parameters.noise", lambda a: a + 1),
    ],
    "DirectedDrift": [
        ("_learner.weights", lambda a: a.repeat(2, axis=1)),
        ("_learner.parameters.n_features", lambda a: a + 64),
        ("_learner.parameters.batch", lambda a: a + 10**6),
        ("_learner.parameters.delta", lambda a: a - 1),
        ("_learner.parameters.flip", lambda a: a + 10),
        ("_learner.progress", lambda a: wrong(a, (0, 1), 10**6)),
        ("_learner.progress", lambda a: wrong(a, (0, 2), 10**6)),
        ("_learner.seeds", lambda a: a.repeat(2)),
    ],
    "DNFWinnow": [
        ("_learners.logs.0.codes", lambda a: a[:, :-1]),
        ("_learners.logs.0.codes", lambda a: a[0]),
        ("_learners.logs.0.codes", lambda a: a * 0),
        ("_learners.logs.0.codes", lambda a: wrong(a, (0, 0), -1)),
        ("_learners.logs.0.codes", lambda a: wrong(a, (0, 0), 10**6)),
        ("_learners.logs.0.nets", lambda a: a * 0),
        ("_learners.logs.0.nets", lambda a: a[1:]),
        ("_learners.logs.0.nets", lambda a: wrong(a, 0, 2**40)),
    ],
}
OPTIONS = {
    "DNFWinnow": {"max_literals": None, "max_epochs": 2},
    "SASB": {"voting": 3},
    "DirectedDrift": {"batch": 500, "random_state": 0},
}


@pytest.mark.parametrize(("name", "place", "lie"), [(name, *lie) for name, lies in LIES.items() for lie in lies])
def test_arrays_that_contradict_each_other(name, place, lie, tmp_path):
    X, y = load_dataset("voting", return_X_y=True) if name == "DNFWinnow" else STREAM
    model = getattr(winnowkit, name)(**OPTIONS.get(name, {})).fit(X, y)
    document, arrays = parts(model)
    forge(tmp_path / "file", document, arrays)
    load(tmp_path / "file")
    arrays[place] = np.ascontiguousarray(lie(arrays[place]))
    forge(tmp_path / "file", document, arrays)
    with pytest.raises(ModelFileError, match="does not contain a valid model"):
        load(tmp_path / "file")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*LIES, "SBSB", "NormalizedWinnow"])
def test_random_lies_do_no_harm(name, tmp_path):
    """What is loaded after all may predict nonsense or raise, but not walk out of its arrays."""
    X, y = load_dataset("voting", return_X_y=True) if name == "DNFWinnow" else STREAM
    model = getattr(winnowkit, name)(**OPTIONS.get(name, {})).fit(X[:100], y[:100])
    document, arrays = parts(model)
    rng, places, refused = np.random.default_rng(0), [place for place, array in arrays.items() if array.size], 0
    for _ in range(400):
        place = places[rng.integers(len(places))]
        lie = wrong(arrays[place], np.unravel_index(rng.integers(arrays[place].size), arrays[place].shape), 0)
        value = rng.choice([-1, 0, 1, 7, 63, 64, 10**6, 2**31 - 1])
        if lie.dtype.kind == "u":
            value = abs(value)
        lie[np.unravel_index(rng.integers(lie.size), lie.shape)] = value
        forge(tmp_path / "file", document, {**arrays, place: lie})
        try:
            forged = load(tmp_path / "file")
        except ModelFileError:
            refused += 1
            continue
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            forged.partial_fit(X[100:130], y[100:130])
            forged.predict(X[:30])
    assert 0 < refused < 400


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(IsADirectoryError):
        load(tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", [*LIES, "SBSB", "NormalizedWinnow"])
@pytest.mark.parametrize("claim", [1 << 40, 3, -1, 16.0, None])
def test_the_number_of_attributes_is_that_of_the_learner(name, claim, tmp_path):
    X, y = load_dataset("voting", return_X_y=True) if name == "DNFWinnow" else STREAM
    document, arrays = parts(getattr(winnowkit, name)(**OPTIONS.get(name, {})).fit(X[:50], y[:50]))
    document["value"]["n_features_in_"] = claim
    forge(tmp_path / "file", document, arrays)
    with pytest.raises(ModelFileError, match="n_features_in_ must be"):
        load(tmp_path / "file")


def test_names_and_spare_room_of_attributes(tmp_path):
    document, arrays = parts(winnowkit.Winnow2(random_state=0).fit(*STREAM))
    names = node("strings", {"shape": [1], "width": None, "values": ["a"]})
    forged = node("Winnow2", document["value"] | {"feature_names_in_": names})
    forge(tmp_path / "file", forged, arrays)
    with pytest.raises(ModelFileError, match="feature_names_in_ must be an array of 40 names"):
        load(tmp_path / "file")
    learner = document["value"]["_learner"]["value"] | {"n_features": 1 << 40}
    forged = {"_learner": node("LinearLearner", learner), "n_features_in_": 1 << 40}
    forge(tmp_path / "file", node("Winnow2", document["value"] | forged), arrays)
    with pytest.raises(ModelFileError, match="spare room"):
        load(tmp_path / "file")

"""Model files made to fill the memory or to take for ever are refused while that is cheap."""

import json
import os
from threading import Thread

import numpy as np
import pytest

import winnowkit
from confined import confined
from forging import forge, node, parts
from winnowkit import DNFWinnow, Winnow2, load
from winnowkit.data import load_dataset, streams
from winnowkit.dnf import MistakeDriven
from winnowkit.model_file import ModelFileError

LOAD = """
from winnowkit import DNFWinnow, Winnow2, load
from winnowkit.data import load_dataset
from winnowkit.dnf import MistakeDriven
outcome(load, "/dev/null")
X, y = load_dataset("voting", return_X_y=True)
DNFWinnow(max_literals=1, max_epochs=1, training=MistakeDriven()).fit(X[:20], y[:20]).predict(X[:2])  # compiles
paths = sorted(Path(sys.argv[1]).iterdir())
confine(megabytes=700, seconds=30)
print(json.dumps({path.name: outcome(load, path) for path in paths}))
"""


def linear():
    return parts(Winnow2(random_state=0).fit(*streams.disjunction(n=500_000, k=2, seed=0).take(20)))


def short_log(**claims):
    X, y = load_dataset("voting", return_X_y=True)
    document, arrays = parts(DNFWinnow(max_literals=1, max_epochs=1, training=MistakeDriven()).fit(X[:30], y[:30]))
    log = document["value"]["_learners"]["value"]["logs"][0]["value"]
    log.update({name: value for name, value in claims.items() if name in log and not isinstance(value, np.ndarray)})
    arrays |= {f"_learners.logs.0.{name}": value for name, value in claims.items() if isinstance(value, np.ndarray)}
    return document, arrays


def write_greedy(folder):
    megabyte = {"big": np.zeros(1 << 17)}
    fields = [[f"field {i}", node("array", "big")] for i in range(100_000)]
    forge(folder / "one array, copied for 100,000 fields", node("Winnow2", {"x": node("records", fields)}), megabyte)
    document, arrays = linear()
    learner = document["value"]["_learner"]
    crowd = node("Winnow2", {"members": [learner] * 10_000})
    forge(folder / "one array for 10,000 learners", crowd, arrays)
    empty = {"codes": np.zeros((0, 1 << 40), dtype=np.int32), "nets": np.zeros(0, dtype=np.int64)}
    log = {name: node("array", name) for name in ("codes", "nets", "last", "given", "given_nets")}
    log |= {"max_mistakes": None, "n_promotions": 0, "n_demotions": 0, "n_forgotten": 0}
    forge(folder / "an empty log of a terabyte", node("DNFWinnow", {"x": node("MistakeLog", log)}), empty)
    wide = node("strings", {"shape": [1], "width": 99_999_999, "values": ["a"]})
    forge(folder / "one letter in 400 megabytes", node("Winnow2", {"x": [wide] * 50}))
    digits = node("int", "0x" + "7" * 5_000_000)
    forge(folder / "a fraction of millions of digits", node("Winnow2", {"x": node("fraction", [digits, digits])}))
    literals = np.full(16, 1 << 24, dtype=np.int64)
    forge(folder / "a table of all literals", *short_log(n_categories=literals))
    nets = short_log()[1]["_learners.logs.0.nets"]
    lie = nets.copy()
    lie[0] = 1 << 40
    forge(folder / "a net of 2^40", *short_log(nets=lie, n_promotions=1 << 41))
    forge(folder / "a million lists", node("Winnow2", {"x": [[]] * 1_000_000}))
    forge(folder / "a long decimal", node("Winnow2", {"alpha": node("decimal", "1E+999999999999999999999")}))
    long = node("fraction", [node("decimal", "1E+500000000"), 1])
    forge(folder / "a fraction of a long decimal", node("Winnow2", {"alpha": long}))
    hollow = {f"x{i}": np.zeros((1 << 22, 0), np.uint8) for i in range(8)}
    for kind in ("tuple", "dict", "fraction", "strings", "records"):
        made = [node(kind, node("array", name)) for name in hollow]
        forge(folder / f"{kind}s of empty arrays", node("Winnow2", {"alpha": made}), hollow)
    tall = {"x": np.zeros((20_000_000, 1), np.uint8)}
    forge(folder / "a tuple of 20 million arrays", node("Winnow2", {"alpha": node("tuple", node("array", "x"))}), tall)
    for name, item in {"lists": "[]", "objects": "{}", "hidden lists": "\\u005b]"}.items():
        write_raw(folder / f"10 million {name}", '{"model":[' + ",".join([item] * 10_000_000) + "]}")


def write_raw(path, document):
    """Write a file whose document is this text, whatever the limits of files say; it has no valid checksum."""
    text = '{"checksum":"' + "0" * 64 + '",' + document[1:]
    text = text.replace('"', '\\"')
    header = ('{"__metadata__":{"winnowkit":"' + text + '"}}').encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)


@pytest.fixture(scope="module")
def refusals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("greedy")
    write_greedy(folder)
    return confined(LOAD, folder)


def test_greedy_files_are_refused_within_700_megabytes_and_half_a_minute(refusals):
    kept = {"a million lists"}  # odd, and as cheap as their size says
    assert {name for name, (kind, _) in refusals.items() if kind == "returned"} == kept
    assert {kind for _, (kind, _) in refusals.items()} == {"ModelFileError", "returned"}
    assert len(refusals) == 19
    for name in ("10 million lists", "10 million objects", "10 million hidden lists"):
        assert "more than the 4,000,000 of a model file" in refusals[name][1]


def test_a_model_with_too_many_names_is_not_written(tmp_path):
    with pytest.raises(
        ModelFileError, match=r"4,000,\d\d\d values, more than the 4,000,000 that a model file can hold"
    ):
        winnowkit.save(Winnow2(), tmp_path / "model", notes={"x": [0] * 4_000_000})
    winnowkit.save(Winnow2(), tmp_path / "model", notes={"x": [0] * 3_999_000})
    assert len(winnowkit.model_file.read_contents(tmp_path / "model").notes["x"]) == 3_999_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_model_from_a_pipe(tmp_path):
    model = Winnow2(random_state=0).fit(*streams.disjunction(n=200, k=2, seed=0).take(50))
    winnowkit.save(model, tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    for sent, expected in ((data, None), (data[:-1], "truncated"), (data + b"x", "changed or damaged")):
        os.mkfifo(pipe := tmp_path / f"pipe {len(sent)}")
        writer = Thread(target=pipe.write_bytes, args=(sent,))
        writer.start()
        try:
            if expected is None:
                np.testing.assert_array_equal(load(pipe).coef_, model.coef_)
            else:
                with pytest.raises(ModelFileError, match=expected):
                    load(pipe)
        finally:
            writer.join()


def test_a_memory_error_is_told_as_what_it_is(tmp_path, monkeypatch):
    def full(*_):
        raise MemoryError

    winnowkit.save(Winnow2(), tmp_path / "model")
    monkeypatch.setattr("winnowkit.model_file.Decoder.decode", full)
    with pytest.raises(ModelFileError, match="does not contain a valid model"):
        load(tmp_path / "model")


def test_codes_beyond_the_table_of_short_terms_are_refused(tmp_path):
    """The encoder says which codes there are, the log how many it has room for: a file can make them disagree."""
    X, y = load_dataset("voting", return_X_y=True)
    document, arrays = parts(DNFWinnow(max_literals=2, max_epochs=1, training=MistakeDriven()).fit(X[:50], y[:50]))
    fewer = arrays["_learners.logs.0.n_categories"] * 0 + 1
    arrays["_learners.logs.0.n_categories"] = fewer
    for name in ("codes", "given"):
        arrays[f"_learners.logs.0.{name}"] = np.minimum(arrays[f"_learners.logs.0.{name}"], 1)[:0]
    for name in ("nets", "last", "given_nets"):
        arrays[f"_learners.logs.0.{name}"] = arrays[f"_learners.logs.0.{name}"][:0]
    forge(tmp_path / "model", document, arrays)
    model = load(tmp_path / "model")
    with pytest.raises(ValueError, match="codes must be at most"):
        model.predict(X)


def test_an_array_is_used_once(tmp_path):
    document, arrays = parts(Winnow2(random_state=0).fit(*streams.disjunction(n=200, k=2, seed=0).take(50)))
    document["value"]["_again"] = node("array", "_learner.weights")
    forge(tmp_path / "model", document, arrays)
    with pytest.raises(ModelFileError, match=r"_learner\.weights"):
        load(tmp_path / "model")


def test_deep_and_long_headers(tmp_path):
    for text in ("[" * 100_000, '{"a":' * 100_000, "1" * 10_000):
        header = json.dumps({"__metadata__": {"winnowkit": '{"checksum":"' + "0" * 64 + '","model":' + text}}).encode()
        header = header.replace(b'"__metadata__": {"winnowkit": ', b'"__metadata__":{"winnowkit":')
        (tmp_path / "model").write_bytes(len(header).to_bytes(8, "little") + header)
        with pytest.raises(ModelFileError, match="header is not valid"):
            load(tmp_path / "model")

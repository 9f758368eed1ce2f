"""Every limit of a model file, at the last value that is taken and the first that is refused."""

import json

import numpy as np
import pytest
import sklearn
from numpy.random import SeedSequence

from forging import forge, node
from winnowkit import Winnow2, load, save
from winnowkit.model_file import ModelFileError, container
from winnowkit.model_file.codec import Decoder, Encoder, is_plain
from winnowkit.model_file.generators import checked_state, generator_parts, restored_generator, restored_random_state

PCG, TWISTER, PHILOX = (getattr(np.random, kind)(0).state for kind in ("PCG64", "MT19937", "Philox"))


def decoded(name, value):
    return Decoder({}).decode(node(name, value))


# --- random generators ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "place", "name", "last"),
    [
        (PCG, None, "has_uint32", 1),
        (PCG, None, "uinteger", 2**32 - 1),
        (PCG, "state", "state", 2**128 - 1),
        (PCG, "state", "inc", 2**128 - 1),
        (TWISTER, "state", "pos", 624),
        (PHILOX, None, "buffer_pos", 4),
        (PHILOX, None, "has_uint32", 1),
    ],
)
def test_integers_of_states(state, place, name, last):
    kind = state["bit_generator"]

    def changed(value):
        return state | {place: state[place] | {name: value}} if place else state | {name: value}

    for value in (0 if name != "inc" else 1, last):
        checked = checked_state(kind, changed(value))
        assert (checked[place] if place else checked)[name] == value
    for value in (-1, last + 1 + (name == "inc")):
        with pytest.raises(ValueError, match=rf"{name} of a random generator must be an integer in 0 \.\.\. {last}"):
            checked_state(kind, changed(value))


def test_a_number_left_over_from_a_pair():
    state = np.random.RandomState(0).get_state(legacy=False)
    drawn = restored_random_state(state | {"has_gauss": 1, "gauss": 0.25}).standard_normal()
    assert drawn == 0.25
    with pytest.raises(ValueError, match=r"has_gauss of a random generator must be an integer in 0 \.\.\. 1"):
        restored_random_state(state | {"has_gauss": 2})


def test_lengths_of_seeds():
    def made(**changes):
        seed = {"entropy": 1, "spawn_key": [], "n_children_spawned": 0} | changes
        return restored_generator({"kind": "PCG64", "seed": seed, "state": None})

    assert made(n_children_spawned=2**32 - 1).bit_generator.seed_seq.n_children_spawned == 2**32 - 1
    assert made(spawn_key=[0] * 999).bit_generator.seed_seq.spawn_key == (0,) * 999
    assert made(entropy=0).bit_generator.seed_seq.entropy == 0
    assert made(entropy=2**1024 - 1).bit_generator.seed_seq.entropy == 2**1024 - 1
    for changes in ({"spawn_key": [0] * 1000}, {"entropy": 2**1024}, {"spawn_key": "1"}):
        with pytest.raises(ValueError, match="must consist of a few integers >= 0"):
            made(**changes)
    with pytest.raises(ValueError, match="neither a seed nor a state"):
        restored_generator({"kind": "PCG64", "seed": None, "state": None})


@pytest.mark.parametrize(
    "seed",
    [SeedSequence(3, pool_size=8), SeedSequence([2**1025]), SeedSequence([0] * 1001), SeedSequence(["7"])],
    ids=["a larger pool", "a long integer", "many integers", "text"],
)
def test_seeds_that_are_not_saved_leave_the_state(seed):
    generator = np.random.default_rng(seed)
    parts = generator_parts(generator)
    assert (parts["seed"], parts["state"]["bit_generator"]) == (None, "PCG64")
    assert restored_generator(parts).random() == generator.random()


def test_seeds_of_one_integer_and_of_several_remain_what_they_are():
    for entropy in (5, [5], [5, np.uint32(7)]):
        found = generator_parts(np.random.default_rng(SeedSequence(entropy)))["seed"]["entropy"]
        assert found == entropy
        assert isinstance(found, list) == isinstance(entropy, list)


def test_generators_of_other_kinds_are_refused():
    class Mine(np.random.PCG64):
        pass

    with pytest.raises(TypeError, match=r"cannot hold a random generator of kind .*Mine"):
        generator_parts(np.random.Generator(Mine(1)))


@pytest.mark.parametrize("kind", ["seed", "default_rng", "RandomState", "", None, ["PCG64"]], ids=repr)
def test_nothing_but_bit_generators_is_called(kind):
    seed = {"entropy": 1, "spawn_key": [], "n_children_spawned": 0}
    with pytest.raises(ValueError, match="unknown random generator"):
        restored_generator({"kind": kind, "seed": seed, "state": None})


# --- values -----------------------------------------------------------------------------------------------------------


def test_integers_that_json_holds():
    assert is_plain(2**53)
    assert is_plain(-(2**53))
    assert not is_plain(2**53 + 1)
    assert Encoder().encode(2**53 + 1) == node("int", hex(2**53 + 1))


def test_digits():
    assert decoded("int", "f" * 100_000) == 16**100_000 - 1
    with pytest.raises(ValueError, match="at most 100,000 digits, got 100,001"):
        decoded("int", "f" * 100_001)
    assert decoded("decimal", "1E+10000").adjusted() == 10_000
    for text in ("1E+10001", "1E-10001", "0" * 100_001):
        with pytest.raises(ValueError, match="a decimal number in a model file has at most 10,000 digits"):
            decoded("decimal", text)
    assert decoded("decimal", "0" * 100_000) == 0


def test_levels():
    nested = 7
    for _ in range(40):
        nested = [nested]
    assert Decoder({}).decode(nested) == nested
    with pytest.raises(ValueError, match="nested more than 40 levels deep"):
        Decoder({}).decode([nested])
    inside = 7
    for _ in range(20):  # a tuple and its list are two levels
        inside = node("tuple", [inside])
    Decoder({}).decode(inside)
    with pytest.raises(ValueError, match="nested more than 40 levels deep"):
        Decoder({}).decode(node("tuple", [inside]))


def test_levels_of_records_and_states():
    nested = 7
    for _ in range(38):
        nested = [nested]
    strings = {"shape": [1], "width": None, "values": [nested]}
    Decoder({}).decode(node("strings", strings))  # the node and the list of values are one level each
    for deeper in (node("strings", strings | {"values": [[nested]]}), node("Exact", {"max_nodes": [[[nested]]]})):
        with pytest.raises(ValueError, match="nested more than 40 levels deep"):
            Decoder({}).decode(deeper)


def test_unused_characters():
    def strings(values, width):
        return decoded("strings", {"shape": [len(values)], "width": width, "values": values})

    assert strings(["a"], 11_000).dtype == "U11000"
    assert strings(["a", "b"], 6000).dtype == "U6000"
    with pytest.raises(ValueError, match="too many unused characters"):
        strings(["a", "b"], 6001)
    with pytest.raises(ValueError, match="too many unused characters"):
        strings(["a"], 11_001)
    with pytest.raises(ValueError, match="too many unused characters"):
        strings(["a" * 100_000], 100_000_001)
    with pytest.raises(ValueError, match="too many unused characters"):
        strings(["a"], -1)


def test_scalars_have_no_axes():
    arrays = {"x": np.array(3.5), "y": np.array([3.5])}
    assert Decoder(arrays).decode(node("scalar", node("array", "x"))) == 3.5
    with pytest.raises(ValueError, match="a scalar must be an array without axes"):
        Decoder(arrays).decode(node("scalar", node("array", "y")))


def test_pairs():
    for value in ([[1]], [[1, 2, 3]], [1], [[1, 2], "ab"]):
        with pytest.raises(ValueError, match="a dictionary must be a list of pairs"):
            decoded("dict", value)
    for value in ([1], [1, 2, 3], [1, True], [1.0, 2]):
        with pytest.raises(ValueError, match="a fraction must be two integers"):
            decoded("fraction", value)


def test_arrays_of_records_and_times():
    fields = [["a", node("array", "a")], ["b", node("array", "b")]]
    arrays = {"a": np.arange(3), "b": np.array([0.5, 1.5, 2.5])}
    assert Decoder(arrays).decode(node("records", fields)).tolist() == [(0, 0.5), (1, 1.5), (2, 2.5)]
    with pytest.raises(ValueError, match="field 'b' of the records has the wrong shape or type"):
        Decoder(arrays | {"b": np.zeros(2)}).decode(node("records", fields))
    text = node("strings", {"shape": [3], "width": 1, "values": ["x", "y", "z"]})
    with pytest.raises(ValueError, match="field 'b' of the records has the wrong shape or type"):
        Decoder(arrays).decode(node("records", [fields[0], ["b", text]]))
    for dtype in ("<M8[D]", "<m8[s]", ">M8[D]", ">m8[s]"):
        days = np.arange(3).astype(np.int64)
        assert Decoder({"x": days}).decode(node("times", {"dtype": dtype, "values": node("array", "x")})).dtype == dtype
    for dtype, values in (("<f8", np.arange(3)), (3, np.arange(3)), ("<M8[D]", np.arange(3.0))):
        with pytest.raises(ValueError, match="not a type of times"):
            Decoder({"x": values}).decode(node("times", {"dtype": dtype, "values": node("array", "x")}))


@pytest.mark.parametrize("array", [np.zeros(2, complex), np.zeros(2, np.longdouble), np.zeros(2, "S3")], ids=str)
def test_arrays_that_no_file_holds(array):
    with pytest.raises(TypeError, match="cannot hold x, an array of"):
        Encoder().encode(array, "x")


# --- files ------------------------------------------------------------------------------------------------------------


def test_values_of_a_header():
    with pytest.raises(json.JSONDecodeError):  # it is read, and is not JSON
        container._made("," * 3_999_999)
    with pytest.raises(ModelFileError, match="4,000,001 values, more than the 4,000,000 of a model file"):
        container._made("," * 4_000_000)


@pytest.mark.parametrize(
    ("length", "message"), [(100_000_000, "is truncated: 54 bytes"), (100_000_001, "is not a winnowkit model")]
)
def test_bytes_of_a_header(length, message, tmp_path):
    (tmp_path / "file").write_bytes(length.to_bytes(8, "little") + container.BEGINNING)
    with pytest.raises(ModelFileError, match=message):
        container.read(tmp_path / "file")


@pytest.mark.parametrize(("text", "n"), [("[]", 2), ("{}", 5), ("[[1,2],{}]", 1 + 2 + 2 + 4), ("7", 1)])
def test_values_are_counted_before_they_are_made(text, n):
    assert container.n_values(text) == container.n_values(text.encode()) == n


def test_the_last_number_of_values(monkeypatch):
    monkeypatch.setattr(container, "MOST_VALUES", 3)
    assert container._made("[0,0]") == [0, 0]
    with pytest.raises(ModelFileError, match="the header has 4 values, more than the 3 of a model file"):
        container._made("[0,0,0]")


def test_values_of_a_file(tmp_path, monkeypatch):
    document = {"notes": [1, 2, 3]}
    text = json.dumps({"checksum": "", "format": 2, "version": "", **document}, separators=(",", ":"))
    monkeypatch.setattr(container, "MOST_VALUES", container.n_values(text) + 20 * 2)
    container.write(tmp_path / "file", document, {"x": np.zeros(1)})
    monkeypatch.setattr(container, "MOST_VALUES", container.MOST_VALUES - 1)
    with pytest.raises(ModelFileError, match="of this model are"):
        container.write(tmp_path / "file", document, {"x": np.zeros(1)})


def test_characters_of_a_file(tmp_path, monkeypatch):
    container.write(tmp_path / "file", {"notes": "x"}, {})
    data = (tmp_path / "file").read_bytes()
    header = json.loads(data[container.LENGTH_BYTES :])
    length = len(header["__metadata__"]["winnowkit"])
    monkeypatch.setattr(container, "LONGEST_HEADER", 2 * length)
    container.write(tmp_path / "file", {"notes": "x"}, {})
    monkeypatch.setattr(container, "LONGEST_HEADER", 2 * length - 1)
    with pytest.raises(ModelFileError, match=f"take {length} characters, more than a model file can hold"):
        container.write(tmp_path / "file", {"notes": "x"}, {})
    n_bytes = int.from_bytes(data[: container.LENGTH_BYTES], "little")
    monkeypatch.setattr(container, "LONGEST_HEADER", n_bytes)
    assert container.read(tmp_path / "file")[0]["notes"] == "x"
    monkeypatch.setattr(container, "LONGEST_HEADER", n_bytes - 1)
    with pytest.raises(ModelFileError, match="is not a winnowkit model"):
        container.read(tmp_path / "file")


@pytest.mark.parametrize(("length", "taken"), [(1 << 22, True), ((1 << 22) + 1, False)])
def test_empty_arrays(length, taken, tmp_path):
    container.write(tmp_path / "file", {}, {"x": np.zeros((length, 0))})
    if taken:
        assert container.read(tmp_path / "file")[1]["x"].shape == (length, 0)
    else:
        with pytest.raises(ModelFileError, match="is empty but claims the shape"):
            container.read(tmp_path / "file")


def test_the_same_contents_give_the_same_bytes_in_any_order(tmp_path):
    container.write(tmp_path / "one", {"model": {"b": 1, "a": 2}, "notes": 3}, {})
    container.write(tmp_path / "two", {"notes": 3, "model": {"a": 2, "b": 1}}, {})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with pytest.raises(ValueError, match="JSON compliant"):
        container.write(tmp_path / "one", {"model": float("nan")}, {})


@pytest.mark.parametrize("n_bytes", [1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_arrays_longer_than_what_is_read_at_a_time(n_bytes, tmp_path):
    x = np.arange(n_bytes, dtype=np.uint8)
    container.write(tmp_path / "file", {}, {"x": x})
    np.testing.assert_array_equal(container.read(tmp_path / "file")[1]["x"], x)
    data = (tmp_path / "file").read_bytes()
    (tmp_path / "file").write_bytes(data[:-1])
    with pytest.raises(ModelFileError, match=f"is truncated: {len(data) - 1:,} bytes of {len(data):,}"):
        container.read(tmp_path / "file")
    (tmp_path / "file").write_bytes(data + b"x")
    with pytest.raises(ModelFileError, match="its checksum does not match"):
        container.read(tmp_path / "file")


def test_a_file_that_ends_within_its_header(tmp_path):
    save(Winnow2(), tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    for n_bytes in (9, 60, len(data) - 1):
        (tmp_path / "model").write_bytes(data[:n_bytes])
        with pytest.raises(ModelFileError, match=f"is truncated: {n_bytes} bytes are less than its header"):
            load(tmp_path / "model")
    (tmp_path / "model").write_bytes(data[:8])
    with pytest.raises(ModelFileError, match="is not a winnowkit model"):
        load(tmp_path / "model")


# --- steps of a pipeline ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "state", "message"),
    [
        ("Pipeline", {}, "a pipeline must have steps"),
        ("Pipeline", {"steps": []}, "a pipeline must have steps"),
        ("Pipeline", {"steps": node("tuple", [])}, "a pipeline must have steps"),
        ("Pipeline", {"steps": [["a", 1]]}, "a pipeline must have steps"),
        ("Pipeline", {"steps": [node("tuple", ["a", 1, 2])]}, "a pipeline must have steps"),
        ("CountVectorizer", {"input": "filename"}, "must take texts, not names of files"),
        ("TfidfVectorizer", {"input": "file"}, "must take texts, not names of files"),
        ("CountVectorizer", {"vocabulary_": node("dict", [["a", 0], ["b", 2]])}, "must be numbered from 0"),
        ("CountVectorizer", {"vocabulary_": node("dict", [["a", 1]])}, "must be numbered from 0"),
        ("CountVectorizer", {"vocabulary_": node("dict", [[1, 0]])}, "must be numbered from 0"),
        ("CountVectorizer", {"vocabulary_": ["a"]}, "must be numbered from 0"),
    ],
)
def test_steps_that_no_file_holds(name, state, message, tmp_path):
    state = state | {"_sklearn_version": sklearn.__version__}
    with pytest.raises(ValueError, match=message):
        decoded(name, state)
    inside = node("Pipeline", {"steps": [node("tuple", ["a", node(name, state)]), node("tuple", ["b", 1])]})
    forge(tmp_path / "file", inside)
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "file")


@pytest.mark.parametrize("name", ["save", "bounds", "BudgetExceeded", "Training", "Estimate", "LinearClassifier", "os"])
def test_names_that_no_file_calls(name):
    with pytest.raises(ValueError, match=f"unknown class '{name}'"):
        decoded(name, {})


@pytest.mark.parametrize(("name", "value"), [("Winnow2", [1]), ("Winnow2", None), (["Winnow2"], {}), (None, {})])
def test_types_must_be_names_and_states_objects(name, value):
    with pytest.raises(ValueError, match="unknown type"):
        decoded(name, value)


def test_attributes_that_no_file_sets():
    for name in ("predict", "coef_", "__dict__", "__module__"):
        with pytest.raises(ValueError, match=f"Winnow2 has no attribute '{name}'"):
            decoded("Winnow2", {name: 1})
    assert decoded("Winnow2", {"alpha": 3.0}).alpha == 3.0

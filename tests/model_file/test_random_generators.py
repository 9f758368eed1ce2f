"""Random generators in files: they go on where they were, and forged ones are refused before numpy gets them."""

import numpy as np
import pytest

from confined import confined
from forging import forge, node, parts
from winnowkit import DNFWinnow, Winnow2, load, save
from winnowkit.model_file import ModelFileError
from winnowkit.model_file.codec import Decoder, Encoder

KINDS = ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"]


def again(value):
    """The value after writing and reading it."""
    encoder = Encoder()
    document = encoder.encode(value, "x")
    return Decoder(encoder.arrays).decode(document)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_drawn", [0, 1, 700])
def test_a_generator_goes_on_and_has_the_same_children(kind, n_drawn):
    rng = np.random.Generator(getattr(np.random, kind)([3, 2**70]))
    rng.spawn(2)
    rng.integers(5, size=n_drawn, dtype=np.int32)
    same = again(rng)
    (child,), (same_child) = rng.spawn(1), same.spawn(1)
    np.testing.assert_array_equal(rng.random(100), same.random(100))
    np.testing.assert_array_equal(child.random(10), same_child[0].random(10))


def test_a_fresh_generator_is_saved_as_its_seed():
    for kind in KINDS:
        rng = np.random.Generator(getattr(np.random, kind)(7))
        document = Encoder().encode(rng, "x")
        assert dict(document["value"]["value"])["state"] is None
        rng.random()
        document = Encoder().encode(rng, "x")
        assert dict(document["value"]["value"])["state"] is not None


def test_a_generator_without_a_seed_keeps_its_state():
    rng = np.random.Generator(np.random.Philox(key=5, counter=9))
    long = np.random.default_rng(2**5000)
    for generator in (rng, long):
        np.testing.assert_array_equal(again(generator).random(9), generator.random(9))


def test_a_table_is_learned_alike_with_the_generator_of_a_file(tmp_path):
    X = np.random.default_rng(0).integers(3, size=(60, 4)).astype(str)
    y = np.random.default_rng(1).integers(2, size=60)
    model = DNFWinnow(max_literals=None, random_state=np.random.default_rng(4), max_epochs=3)
    save(model, tmp_path / "model")
    same = load(tmp_path / "model")
    for _ in range(2):
        assert model._fit(X, y)._learners.seed == same._fit(X, y)._learners.seed


def _states():
    rs = np.random.RandomState(0).get_state(legacy=False)
    for pos in (2_000_000_000, -1, 625, 3.0, True, None):
        yield f"RandomState pos {pos}", "random state", rs | {"state": rs["state"] | {"pos": pos}}
    key = rs["state"]["key"]
    for forged in (key[:10], key.astype(np.uint64), key.reshape(2, -1), key * 0, key.tolist(), None):
        name = f"RandomState key {getattr(forged, 'shape', '')} {getattr(forged, 'dtype', type(forged).__name__)}"
        yield name, "random state", rs | {"state": rs["state"] | {"key": forged}}
    for name, value in (("has_gauss", 2), ("has_gauss", 0.0), ("gauss", 1), ("gauss", float("nan")), ("gauss", "0")):
        yield f"RandomState {name} {value!r}", "random state", rs | {name: value}
    for kind, changes in {
        "MT19937": [("state", "pos", 2_000_000_000), ("state", "key", np.zeros(3, np.uint32))],
        "Philox": [
            (None, "buffer_pos", 2_000_000_000),
            (None, "buffer_pos", 5),
            (None, "buffer_pos", -1),
            (None, "buffer", np.zeros(3, np.uint64)),
            ("state", "counter", np.zeros(3, np.uint64)),
            ("state", "key", np.zeros(2)),
            (None, "has_uint32", 7),
            (None, "uinteger", 2**32),
        ],
        "SFC64": [("state", "state", np.zeros(3, np.uint64)), (None, "uinteger", -1)],
        "PCG64": [("state", "inc", 4), ("state", "state", 2**128), ("state", "state", -1), (None, "uinteger", "1")],
        "PCG64DXSM": [("state", "inc", 2**129 + 1)],
    }.items():
        state = getattr(np.random, kind)(0).state
        for place, name, value in changes:
            forged = state | {place: state[place] | {name: value}} if place else state | {name: value}
            title = f"{kind} {name} {getattr(value, 'shape', value)}"
            yield title, "generator", {"kind": kind, "seed": None, "state": forged}
        yield (
            f"{kind} as another",
            "generator",
            {"kind": "PCG64" if kind != "PCG64" else "SFC64", "seed": None, "state": state},
        )
    for seed in (
        {"entropy": -1, "spawn_key": [], "n_children_spawned": 0},
        {"entropy": 2**5000, "spawn_key": [], "n_children_spawned": 0},
        {"entropy": [], "spawn_key": [], "n_children_spawned": 0},
        {"entropy": 1, "spawn_key": [0] * 2000, "n_children_spawned": 0},
        {"entropy": 1, "spawn_key": [1.5], "n_children_spawned": 0},
        {"entropy": 1, "spawn_key": [], "n_children_spawned": 2**32},
        {"entropy": None, "spawn_key": [], "n_children_spawned": 0},
        None,
    ):
        yield f"seed {str(seed)[:70]}", "generator", {"kind": "PCG64", "seed": seed, "state": None}


@pytest.mark.parametrize(("kind", "state"), [pytest.param(kind, state, id=name) for name, kind, state in _states()])
def test_forged_states_are_refused(kind, state, tmp_path):
    encoder = Encoder()
    random_state = node(kind, encoder.encode(state, "random_state"))
    forge(tmp_path / "file", node("Winnow2", {"random_state": random_state, "shuffle": True}), encoder.arrays)
    with pytest.raises(ModelFileError, match="random generator"):
        load(tmp_path / "file")


CRASH = """
import numpy as np
from winnowkit import load
outcomes = []
for path in sorted(Path(sys.argv[1]).iterdir()):
    outcomes.append(outcome(lambda: load(path).fit(np.eye(4), [0, 1, 0, 1])))
print(json.dumps(outcomes))
"""


def test_a_position_outside_the_buffer_does_not_crash(tmp_path):
    """numpy itself takes such states, and reads memory at any distance with them."""
    legacy = np.random.RandomState(0)
    state = legacy.get_state(legacy=False)
    state["state"]["pos"] = 2_000_000_000
    legacy.set_state(state)
    twister, philox = np.random.MT19937(0), np.random.Philox(0)
    twister.state = {"bit_generator": "MT19937", "state": state["state"]}
    philox.state = philox.state | {"buffer_pos": -2_000_000_000}
    for i, rng in enumerate((legacy, np.random.Generator(twister), np.random.Generator(philox))):
        forge(tmp_path / f"{i}", *parts(Winnow2(shuffle=True, random_state=rng)))
    assert [kind for kind, _ in confined(CRASH, tmp_path)] == ["ModelFileError"] * 3

"""Random generators in model files: a seed where that says it all, else also a state.

numpy takes most of a state as it is, and a position outside its buffer reads memory that is not its own, so that every
part of a state is checked before numpy gets it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import DTypeLike

WORDS = {"has_uint32": 2, "uinteger": 2**32}  # the half of a word that is left over, if there is one
ARRAYS: dict[str, dict[str, tuple[Any, int]]] = {
    "MT19937": {"key": (np.uint32, 624)},
    "Philox": {"counter": (np.uint64, 4), "key": (np.uint64, 2)},
    "SFC64": {"state": (np.uint64, 4)},
    "PCG64": {},
    "PCG64DXSM": {},
}
INTEGERS = {"MT19937": {"pos": 625}, "Philox": {}, "SFC64": {}}
INTEGERS |= {name: {"state": 2**128, "inc": 2**128} for name in ("PCG64", "PCG64DXSM")}
POOL_SIZE = 4  # numpy's default
MAX_SEED_PARTS, MAX_SEED_BITS = 1000, 1024  # numpy takes time in the square of longer integers


def generator_parts(generator: np.random.Generator) -> dict[str, Any]:
    """Return the kind of a generator, its seed, and its state unless that follows from the seed."""
    bits = generator.bit_generator
    kind, state, seed = type(bits).__name__, dict(bits.state), _seed_parts(bits.seed_seq)
    if kind not in ARRAYS or type(bits) is not getattr(np.random, kind):
        raise TypeError(f"a model file cannot hold a random generator of kind {type(bits).__qualname__}")
    if seed is not None and _equal(state, dict(type(bits)(_seed(seed)).state)):
        return {"kind": kind, "seed": seed, "state": None}
    return {"kind": kind, "seed": seed, "state": state}


def restored_generator(parts: Mapping[str, Any]) -> np.random.Generator:
    """Return the generator of these parts, which may come from a stranger."""
    kind, seed, state = parts["kind"], parts["seed"], parts["state"]
    if not isinstance(kind, str) or kind not in ARRAYS:
        raise ValueError(f"unknown random generator {kind!r}")
    if seed is None and state is None:
        raise ValueError("a random generator has neither a seed nor a state")
    bits = getattr(np.random, kind)(_seed(seed) if seed is not None else 0)
    if state is not None:
        bits.state = checked_state(kind, state)
    return np.random.Generator(bits)


def restored_random_state(state: Mapping[str, Any]) -> np.random.RandomState:
    """Return the legacy generator of a state, which may come from a stranger."""
    checked = checked_state("MT19937", {name: state[name] for name in ("bit_generator", "state")})
    gauss = state["gauss"]
    if not isinstance(gauss, float) or not math.isfinite(gauss):
        raise ValueError("the state of a random generator has a wrong value of gauss")
    extra = {"has_gauss": _integer("has_gauss", state["has_gauss"], 2), "gauss": gauss}
    generator = np.random.RandomState(0)
    generator.set_state(checked | extra)
    return generator


def checked_state(kind: str, state: Any) -> dict[str, Any]:
    """Return the state of a bit generator; raise ValueError unless each part has the right type, shape and range."""
    inner = state["state"]
    if state["bit_generator"] != kind:
        raise ValueError(f"a random generator of kind {kind} has the state of another kind")
    checked = {name: _array(name, inner[name], *expected) for name, expected in ARRAYS[kind].items()}
    checked |= {name: _integer(name, inner[name], end) for name, end in INTEGERS[kind].items()}
    if kind == "MT19937" and not checked["key"].any():
        raise ValueError("the state of a random generator is all zeros")
    if "inc" in checked and checked["inc"] % 2 == 0:
        raise ValueError("the increment of a random generator must be odd")
    whole: dict[str, Any] = {"bit_generator": kind, "state": checked}
    if kind != "MT19937":
        whole |= {name: _integer(name, state[name], end) for name, end in WORDS.items()}
    if kind == "Philox":
        whole["buffer"] = _array("buffer", state["buffer"], np.uint64, 4)
        whole["buffer_pos"] = _integer("buffer_pos", state["buffer_pos"], 5)
    return whole


def _array(name: str, value: Any, dtype: DTypeLike, length: int) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.shape != (length,):
        raise ValueError(f"{name} of a random generator must be an array of {length} {np.dtype(dtype)}")
    return value


def _integer(name: str, value: Any, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise ValueError(f"{name} of a random generator must be an integer in 0 ... {end - 1}")
    return value


# --- seeds ------------------------------------------------------------------------------------------------------------


def _seed_parts(seed: Any) -> dict[str, Any] | None:
    """Return the parts of a seed as numpy makes them; None if it is of another kind or longer than files may hold."""
    if type(seed) is not SeedSequence or seed.pool_size != POOL_SIZE:
        return None
    single = isinstance(seed.entropy, int | np.integer)
    words: Any = [seed.entropy] if single else seed.entropy
    if not isinstance(words, list | tuple | np.ndarray) or not all(isinstance(w, int | np.integer) for w in words):
        return None
    plain, keys = [int(word) for word in words], [int(key) for key in seed.spawn_key]
    parts = {"entropy": plain[0] if single else plain, "spawn_key": keys}
    return parts | {"n_children_spawned": int(seed.n_children_spawned)} if _is_short([*plain, *keys]) else None


def _seed(parts: Mapping[str, Any]) -> SeedSequence:
    entropy, keys = parts["entropy"], parts["spawn_key"]
    words = entropy if isinstance(entropy, list) else [entropy]
    if not isinstance(keys, list) or not _is_short([*words, *keys]):
        raise ValueError("the seed of a random generator must consist of a few integers >= 0")
    children = _integer("n_children_spawned", parts["n_children_spawned"], 2**32)
    return SeedSequence(entropy, spawn_key=tuple(keys), n_children_spawned=children)


def _is_short(values: list[Any]) -> bool:
    return 0 < len(values) <= MAX_SEED_PARTS and all(
        type(value) is int and value >= 0 and value.bit_length() <= MAX_SEED_BITS for value in values
    )


def _equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two states are equal; they have arrays and further states in them."""
    return one.keys() == other.keys() and all(
        _equal(one[name], other[name]) if isinstance(one[name], dict) else np.array_equal(one[name], other[name])
        for name in one
    )

"""Objects into plain JSON and arrays, and back.

Numbers, strings, lists and None are themselves in JSON. Anything else is ``{"type": name, "value": ...}``: a class of
:mod:`.records` with its state, an array with the name it has among the arrays, or one of the few types of `KINDS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.model_file import records

Arrays = dict[str, NDArray[Any]]
Node = Any  # what JSON can say

DEEPEST = 40  # a committee of begun learners is 8 deep
EXACT_INTEGER = 2**53  # beyond it, other readers of JSON round
LARGEST_TEXT = 100_000_000  # characters of an array of strings, room to spare included
SPARE_TEXT = 1000  # how much room there may be for each character that there is
LONGEST_INTEGER = 100_000  # hexadecimal digits: theta has as many columns has a table, and fractions take their time


class Kind(NamedTuple):
    """A type that is kept by something simpler."""

    type: type
    simpler: Callable[[Any], Any]
    back: Callable[[Any], Any]


def _generator_state(generator: np.random.Generator) -> dict[str, Any]:
    return dict(generator.bit_generator.state)


def _bit_generator(state: Mapping[str, Any]) -> Any:
    name = state["bit_generator"]
    if name not in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
        raise ValueError(f"unknown random generator {name!r}")
    bits = getattr(np.random, name)()
    bits.state = dict(state)
    return bits


def _generator(state: Mapping[str, Any]) -> np.random.Generator:
    return np.random.Generator(_bit_generator(state))


def _random_state(state: Mapping[str, Any]) -> np.random.RandomState:
    generator = np.random.RandomState(_bit_generator({name: state[name] for name in ("bit_generator", "state")}))
    generator.set_state(dict(state))
    return generator


def _integer(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        raise ValueError(f"an integer of {len(text):,} digits")
    return int(text, 16)


def _odd_float(text: str) -> float:
    if text not in ("inf", "-inf", "nan"):
        raise ValueError(f"no number: {text!r}")
    return float(text)


# The first kind that an object is an instance of counts.
KINDS = {
    "float": Kind(float, repr, _odd_float),  # inf and NaN: JSON has none
    "int": Kind(int, hex, _integer),  # large ones
    "tuple": Kind(tuple, list, tuple),
    "dict": Kind(dict, lambda d: [[key, value] for key, value in d.items()], dict),
    "fraction": Kind(Fraction, lambda f: [f.numerator, f.denominator], lambda pair: Fraction(*map(int, pair))),
    "decimal": Kind(Decimal, str, Decimal),
    "datetime": Kind(datetime, datetime.isoformat, datetime.fromisoformat),
    "date": Kind(date, date.isoformat, date.fromisoformat),
    "bytes": Kind(bytes, bytes.hex, bytes.fromhex),
    "generator": Kind(np.random.Generator, _generator_state, _generator),
    "random state": Kind(np.random.RandomState, lambda r: r.get_state(legacy=False), _random_state),
    "scalar": Kind(np.generic, np.asarray, lambda array: array[()]),
}
_EXACT = (dict, tuple)  # a subclass means more than its items


def is_plain(value: Any) -> bool:
    """Whether a value is itself in JSON."""
    if type(value) is int:
        return abs(value) <= EXACT_INTEGER
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, str)


class Encoder:
    """Turns objects into JSON, and collects the arrays met on the way.

    Examples
    --------
    >>> encoder = Encoder()
    >>> encoder.encode([1, ("a", float("inf")), np.arange(3)], "x")
    [1, {'type': 'tuple', 'value': ['a', {'type': 'float', 'value': 'inf'}]}, {'type': 'array', 'value': 'x.2'}]
    >>> encoder.arrays
    {'x.2': array([0, 1, 2])}
    """

    def __init__(self) -> None:
        self.arrays: Arrays = {}

    def encode(self, value: Any, place: str = "") -> Node:
        """What JSON says of a value; `place` names its arrays."""
        if is_plain(value):
            return value
        if type(value) is list:
            return [self.encode(item, _join(place, str(i))) for i, item in enumerate(value)]
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if (name := records.name_of(type(value))) is not None:
            state = records.state_of(value)
            return _node(name, {key: self.encode(item, _join(place, key)) for key, item in state.items()})
        for kind_name, kind in KINDS.items():
            if type(value) is kind.type or (isinstance(value, kind.type) and kind.type not in (*_EXACT, int, float)):
                return _node(kind_name, self.encode(kind.simpler(value), place))
        raise TypeError(
            f"a model file cannot hold {place or 'it'}, a {type(value).__module__}.{type(value).__qualname__}; "
            "pickle or joblib can"
        )

    def _array(self, array: NDArray[Any], place: str) -> Node:
        if type(array) is not np.ndarray:
            raise TypeError(f"a model file holds plain arrays only; {place} is a {type(array).__name__}")
        if array.dtype.names is not None:
            fields = [[name, self.encode(array[name], _join(place, name))] for name in array.dtype.names]
            return _node("records", fields)
        if array.dtype.kind in "UO":
            values = self.encode(array.ravel().tolist(), place)
            width = array.dtype.itemsize // 4 if array.dtype.kind == "U" else None
            return _node("strings", {"shape": list(array.shape), "width": width, "values": values})
        if array.dtype.kind in "mM":
            return _node("times", {"dtype": array.dtype.str, "values": self._array(array.view(np.int64), place)})
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise TypeError(f"a model file holds no arrays of {array.dtype}; {place} is one")
        # Memory that is not contiguous would be written as if it were.
        self.arrays[place] = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(array.shape)
        return _node("array", place)


class Decoder:
    """Turns JSON back into objects; it makes nothing but what :class:`Encoder` can have met.

    An array is used once, as it was written: else a short file could have one copied again and again.
    """

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = dict(arrays)

    def decode(self, node: Node, depth: int = 0) -> Any:
        """The object that JSON describes."""
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        if isinstance(node, list):
            return [self.decode(item, depth + 1) for item in node]
        if not isinstance(node, dict):
            return node
        if set(node) != {"type", "value"}:
            raise ValueError(f"expected a type and a value, got {sorted(node)[:5]}")
        name, value = node["type"], node["value"]
        if name == "array":
            return self._arrays.pop(value)
        if isinstance(name, str) and name in KINDS:
            return KINDS[name].back(self.decode(value, depth + 1))
        return self._composed(name, value, depth + 1)

    def _composed(self, name: Any, value: Any, depth: int) -> Any:
        if name == "records":
            return _records([(field, self.decode(item, depth)) for field, item in value])
        if not isinstance(name, str) or not isinstance(value, dict):
            raise ValueError(f"unknown type {name!r}")
        if name == "strings":
            return _strings(self.decode(value["values"], depth), value["shape"], value["width"])
        if name == "times":
            return _times(self.decode(value["values"], depth), value["dtype"])
        return records.restored(name, {key: self.decode(item, depth) for key, item in value.items()})


def _node(name: str, value: Node) -> Node:
    return {"type": name, "value": value}


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _records(fields: list[tuple[str, NDArray[Any]]]) -> NDArray[Any]:
    """An array of records from an array a field."""
    first = fields[0][1]
    array = np.zeros(first.shape, dtype=np.dtype([(str(name), values.dtype) for name, values in fields]))
    for name, values in fields:
        if values.shape != first.shape or values.dtype.kind not in "biuf":
            raise ValueError(f"field {name!r} of records has another shape or type than it should")
        array[name] = values
    return array


def _strings(values: list[Any], shape: list[int], width: int | None) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    if width is not None:
        if not all(isinstance(value, str) for value in values):
            raise ValueError("an array of strings holds something else")
        room = min(LARGEST_TEXT, SPARE_TEXT * (10 + sum(map(len, values))))
        if not 0 <= width * len(values) <= room:
            raise ValueError(f"an array of {len(values)} strings of {width} characters has too much room")
        array = array.astype(f"U{width}")
    return array.reshape([int(length) for length in shape])


def _times(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    if not (isinstance(dtype, str) and dtype[:3] in ("<M8", "<m8", ">M8", ">m8") and values.dtype == np.int64):
        raise ValueError(f"no times: {dtype!r}")
    return values.view(np.dtype(dtype))

"""Converting objects to plain JSON and arrays, and back.

Numbers, strings, lists and None are written as such. Anything else is ``{"type": name, "value": ...}``: a class of
:mod:`.records` with its state, an array with its name among the arrays, or one of the few types in `KINDS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.model_file import records
from winnowkit.model_file.generators import generator_parts, restored_generator, restored_random_state
from winnowkit.model_file.known_steps import type_name, type_named

Arrays = dict[str, NDArray[Any]]
Node = Any  # a JSON value

DEEPEST = 40  # levels of nesting; our models have at most 8
EXACT_INTEGER = 2**53  # other readers of JSON round larger integers
LARGEST_TEXT = 100_000_000  # characters of an array of strings, unused ones included
SPARE_TEXT = 1000  # the most unused characters per character in use
LARGEST_EXPONENT = 10_000  # of a decimal number, which has that many digits as an integer
LONGEST_INTEGER = 100_000  # hexadecimal digits: theta has many for wide tables, and fractions of long integers are slow


class Kind(NamedTuple):
    """A type that is written as a simpler one."""

    type: type[Any]
    simpler: Callable[[Any], Any]
    back: Callable[[Any], Any]
    json: Any  # the type of the JSON value that it is made from: an array in its place would be far smaller in the file


def _integer(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        raise ValueError(f"an integer in a model file has at most {LONGEST_INTEGER:,} digits, got {len(text):,}")
    return int(text, 16)


def _fraction(pair: list[Any]) -> Fraction:
    if len(pair) != 2 or not all(type(part) is int for part in pair):
        raise ValueError("a fraction must be two integers")
    return Fraction(*pair)


def _decimal(text: str) -> Decimal:
    """Return a decimal number whose exponent is small enough for an integer or a fraction to be made of it."""
    if len(text) > LONGEST_INTEGER or abs((number := Decimal(text)).adjusted()) > LARGEST_EXPONENT:
        raise ValueError(f"a decimal number in a model file has at most {LARGEST_EXPONENT:,} digits, got {text[:30]!r}")
    return number


def _dict(pairs: list[Any]) -> dict[Any, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError("a dictionary must be a list of pairs")
    return dict(pairs)


def _scalar(array: Any) -> Any:
    if not isinstance(array, np.ndarray) or array.shape != ():
        raise ValueError("a scalar must be an array without axes")
    return array[()]


def _odd_float(text: str) -> float:
    if text not in ("inf", "-inf", "nan"):
        raise ValueError(f"not a number: {text!r}")
    return float(text)


# An object is written as the first kind that it is an instance of.
KINDS = {
    "float": Kind(float, repr, _odd_float, str),  # infinity and NaN, which JSON does not have
    "int": Kind(int, lambda number: hex(_integer(hex(number))), _integer, str),  # large integers
    "tuple": Kind(tuple, list, tuple, list),
    "dict": Kind(dict, lambda d: [[key, value] for key, value in d.items()], _dict, list),
    "fraction": Kind(Fraction, lambda f: [f.numerator, f.denominator], _fraction, list),
    "decimal": Kind(Decimal, lambda number: str(_decimal(str(number))), _decimal, str),
    "datetime": Kind(datetime, datetime.isoformat, datetime.fromisoformat, str),
    "date": Kind(date, date.isoformat, date.fromisoformat, str),
    "bytes": Kind(bytes, bytes.hex, bytes.fromhex, str),
    "generator": Kind(np.random.Generator, generator_parts, restored_generator, dict),
    "random state": Kind(np.random.RandomState, lambda r: r.get_state(legacy=False), restored_random_state, dict),
    "type": Kind(type, type_name, type_named, str),
    "scalar": Kind(np.generic, np.asarray, _scalar, dict),
}
_EXACT = (dict, tuple)  # a subclass is more than its items


def is_plain(value: Any) -> bool:
    """Whether JSON represents a value as it is."""
    if type(value) is int:
        return abs(value) <= EXACT_INTEGER
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, str)


class Encoder:
    """Converts objects to JSON, and collects the arrays that they contain.

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
        """Return the JSON of a value; `place` is the prefix of the names of its arrays."""
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
        full_name = f"{type(value).__module__}.{type(value).__qualname__}"
        raise TypeError(f"a model file cannot hold {place or 'the model'} of type {full_name}; use pickle or joblib")

    def _array(self, array: NDArray[Any], place: str) -> Node:
        if type(array) is not np.ndarray:
            raise TypeError(f"a model file holds plain arrays only, but {place} is a {type(array).__name__}")
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
            raise TypeError(f"a model file cannot hold {place}, an array of {array.dtype}")
        # safetensors would write memory that is not contiguous as if it were.
        self.arrays[place] = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(array.shape)
        return _node("array", place)


class Decoder:
    """Converts JSON back to objects; it makes only objects that :class:`Encoder` accepts.

    Each array is used once, as it was written; otherwise a short file could have one copied many times.
    """

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = dict(arrays)

    def decode(self, node: Node, depth: int = 0) -> Any:
        """Return the object that JSON describes."""
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} levels deep")
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
            if not isinstance(value, KINDS[name].json):
                raise ValueError(f"{name!r} cannot be made from this value")
            return KINDS[name].back(self.decode(value, depth + 1))
        return self._composed(name, value, depth + 1)

    def _composed(self, name: Any, value: Any, depth: int) -> Any:
        if name == "records":
            _require_list(value)
            return _records([(field, self.decode(item, depth)) for field, item in value])
        if not isinstance(name, str) or not isinstance(value, dict):
            raise ValueError(f"unknown type {name!r}")
        if name == "strings":
            _require_list(value["values"])
            return _strings(self.decode(value["values"], depth), value["shape"], value["width"])
        if name == "times":
            return _times(self.decode(value["values"], depth), value["dtype"])
        return records.restored(name, {key: self.decode(item, depth) for key, item in value.items()})


def _node(name: str, value: Node) -> Node:
    return {"type": name, "value": value}


def _require_list(value: Any) -> None:
    if not isinstance(value, list):
        raise ValueError(f"expected a list, got {type(value).__name__}")


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _records(fields: list[tuple[str, NDArray[Any]]]) -> NDArray[Any]:
    """Return an array of records, given one array per field."""
    first = fields[0][1]
    array = np.zeros(first.shape, dtype=np.dtype([(str(name), values.dtype) for name, values in fields]))
    for name, values in fields:
        if values.shape != first.shape or values.dtype.kind not in "biuf":
            raise ValueError(f"field {name!r} of the records has the wrong shape or type")
        array[name] = values
    return array


def _strings(values: list[Any], shape: list[int], width: int | None) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    if width is not None:
        if not all(isinstance(value, str) for value in values):
            raise ValueError("an array of strings contains other values")
        room = min(LARGEST_TEXT, SPARE_TEXT * (10 + sum(map(len, values))))
        if not 0 <= width * len(values) <= room:
            raise ValueError(f"an array of {len(values)} strings of {width} characters has too many unused characters")
        array = array.astype(f"U{width}")
    return array.reshape([int(length) for length in shape])


def _times(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    if not (isinstance(dtype, str) and dtype[:3] in ("<M8", "<m8", ">M8", ">m8") and values.dtype == np.int64):
        raise ValueError(f"not a type of times: {dtype!r}")
    return values.view(np.dtype(dtype))

"""The operations of :mod:`winnowkit.linear.lanes` as instructions of LLVM, for the compiler."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from winnowkit.linear.plain_lanes import WIDTH

_FLOATS, _BITS = ir.VectorType(ir.FloatType(), WIDTH), ir.VectorType(ir.IntType(1), WIDTH)
_NUMBERS = ir.VectorType(ir.IntType(32), WIDTH)


class LanesType(types.Type):
    """Eight floats, or eight truth values: the type that the compiler sees."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)


class _FloatLanes(LanesType):
    pass


class _BitLanes(LanesType):
    pass


LANES, MASK = _FloatLanes("Lanes"), _BitLanes("Mask")


def _model(kind: type[LanesType], vector: Any) -> None:
    @register_model(kind)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, seen: Any) -> None:
            super().__init__(manager, seen, vector)


_model(_FloatLanes, _FLOATS)
_model(_BitLanes, _BITS)


# --- for the compiler -------------------------------------------------------------------------------------------------


def _splat(builder: Any, vector: Any, number: Any) -> Any:
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), ir.Constant(_NUMBERS, [0] * WIDTH))


def _as_lanes(context: Any, builder: Any, seen: Any, value: Any) -> Any:
    if seen == LANES:
        return value
    return _splat(builder, _FLOATS, context.cast(builder, value, seen, types.float32))


def _is_operand(seen: Any) -> bool:
    return bool(seen == LANES or isinstance(seen, (types.Float, types.Integer)))


def _operator(symbol: Callable[..., Any], result: LanesType, build: Callable[..., Any]) -> None:
    """Let the compiler know an operator between lanes, or lanes and a number."""

    @infer_global(symbol)
    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if not kws and len(args) == 2 and LANES in args and all(map(_is_operand, args)):
                return signature(result, *args)
            return None

    def lower(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        operands = [_as_lanes(context, builder, s, a) for s, a in zip(seen.args, args, strict=True)]
        return build(builder, *operands)

    for first, second in ((LANES, LANES), (LANES, types.Number), (types.Number, LANES)):
        lower_builtin(symbol, first, second)(lower)


_operator(operator.add, LANES, lambda b, x, y: b.fadd(x, y))
_operator(operator.sub, LANES, lambda b, x, y: b.fsub(x, y))
_operator(operator.mul, LANES, lambda b, x, y: b.fmul(x, y))
_operator(operator.truediv, LANES, lambda b, x, y: b.fdiv(x, y))
_operator(operator.lt, MASK, lambda b, x, y: b.fcmp_ordered("<", x, y))
_operator(operator.gt, MASK, lambda b, x, y: b.fcmp_ordered(">", x, y))


def _address(context: Any, builder: Any, seen: Any, args: Any, vector: Any) -> Any:
    array = context.make_array(seen.args[0])(context, builder, args[0])
    place = cgutils.gep_inbounds(builder, array.data, args[1])
    return builder.bitcast(place, vector.as_pointer())


def _load(typing: Any, array: Any, first: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        if seen.args[0].dtype == types.float32:
            return builder.load(_address(context, builder, seen, args, _FLOATS), align=4)
        doubles = ir.VectorType(ir.DoubleType(), WIDTH)
        return builder.fptrunc(builder.load(_address(context, builder, seen, args, doubles), align=8), _FLOATS)

    return LANES(array, types.intp), build


def _load_mask(typing: Any, array: Any, first: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), WIDTH)
        found = builder.load(_address(context, builder, seen, args, vector), align=1)
        return builder.icmp_unsigned("!=", found, ir.Constant(vector, [0] * WIDTH))

    return MASK(array, types.intp), build


def _store(typing: Any, array: Any, first: Any, lanes: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, seen, args, _FLOATS), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, LANES), build


def _spread(typing: Any, number: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        return _as_lanes(context, builder, seen.args[0], args[0])

    return LANES(number), build


def _where(typing: Any, mask: Any, lanes: Any, others: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        one, other = (_as_lanes(context, builder, s, a) for s, a in zip(seen.args[1:], args[1:], strict=True))
        return builder.select(args[0], one, other)

    return LANES(mask, lanes, others), build


def _root(typing: Any, lanes: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:  # noqa: ARG001
        kind = ir.FunctionType(_FLOATS, [_FLOATS])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.sqrt.v{WIDTH}f32"), args)

    return LANES(lanes), build


def _addresses(context: Any, builder: Any, seen: Any, args: Any) -> list[Any]:
    """Return where the fields from args[3] on are in the records at the places args[1][args[2]] and seven more."""
    records = context.make_array(seen.args[0])(context, builder, args[0])
    places = context.make_array(seen.args[1])(context, builder, args[1])
    found = []
    for lane in range(WIDTH):
        index = builder.add(args[2], ir.Constant(args[2].type, lane))
        place = builder.load(cgutils.gep_inbounds(builder, places.data, index))
        length = cgutils.unpack_tuple(builder, records.shape, 2)[1]
        found.append(cgutils.gep_inbounds(builder, records.data, builder.add(builder.mul(place, length), args[3])))
    return found


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the columns of eight vectors: in each of three steps, halves of twice the size change places."""
    for width in (1, 2, 4):
        low = [lane if lane & width == 0 else lane - width + WIDTH for lane in range(WIDTH)]
        high = [lane + width if lane & width == 0 else lane + WIDTH for lane in range(WIDTH)]
        masks = [ir.Constant(_NUMBERS, lanes) for lanes in (low, high)]
        changed = list(rows)
        for i in range(WIDTH):
            if i & width == 0:
                pair = rows[i], rows[i + width]
                changed[i], changed[i + width] = (builder.shuffle_vector(*pair, mask) for mask in masks)
        rows = changed
    return rows


def _of_one_learner(typing: Any, records: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        from numba.np.arrayobj import populate_array  # noqa: PLC0415 - takes long, and is needed to compile only

        old = context.make_array(seen.args[0])(context, builder, args[0])
        new = context.make_array(seen.return_type)(context, builder)
        n_fields, size = (context.get_constant(types.intp, number) for number in (2 * WIDTH, 4))
        shape = [cgutils.unpack_tuple(builder, old.shape, 3)[0], n_fields]
        strides = [context.get_constant(types.intp, 8 * WIDTH), size]
        populate_array(new, data=old.data, shape=shape, strides=strides, itemsize=size, meminfo=None)
        return new._getvalue()

    return records.copy(ndim=2)(records), build


def _load_records(typing: Any, records: Any, places: Any, first: Any, field: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        pointers = [builder.bitcast(at, _FLOATS.as_pointer()) for at in _addresses(context, builder, seen, args)]
        fields = _transposed(builder, [builder.load(pointer, align=4) for pointer in pointers])
        return context.make_tuple(builder, seen.return_type, fields)

    return types.UniTuple(LANES, WIDTH)(records, places, types.intp, types.intp), build


def _store_records(typing: Any, records: Any, places: Any, first: Any, field: Any, fields: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        rows = _transposed(builder, cgutils.unpack_tuple(builder, args[4], WIDTH))
        for at, row in reversed(list(zip(_addresses(context, builder, seen, args), rows, strict=True))):
            builder.store(row, builder.bitcast(at, _FLOATS.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(records, places, types.intp, types.intp, fields), build


def _load_field(typing: Any, records: Any, places: Any, first: Any, field: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        lanes = ir.Constant(_FLOATS, ir.Undefined)
        for lane, at in enumerate(_addresses(context, builder, seen, args)):
            lanes = builder.insert_element(lanes, builder.load(at), ir.IntType(32)(lane))
        return lanes

    return LANES(records, places, types.intp, types.intp), build


def _added_up(typing: Any, lanes: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:  # noqa: ARG001
        found = [builder.extract_element(args[0], ir.IntType(32)(lane)) for lane in range(WIDTH)]
        while len(found) > 1:  # neighbours in pairs
            found = [builder.fadd(*found[i : i + 2]) for i in range(0, len(found), 2)]
        return found[0]

    return types.float32(lanes), build


def _numbered(typing: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:  # noqa: ARG001
        return ir.Constant(_FLOATS, [float(lane) for lane in range(WIDTH)])

    return LANES(), build


def _is_any(typing: Any, mask: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], ir.IntType(WIDTH)), ir.IntType(WIDTH)(0))

    return types.boolean(mask), build


def _prefetch(typing: Any, array: Any, place: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, seen: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        address = _address(context, builder, seen, args, ir.IntType(8))
        builder.call(function, [address, number(0), number(3), number(1)])  # to read, into all caches, data
        return context.get_dummy_value()

    return types.void(array, types.intp), build


INSTRUCTIONS: dict[str, Any] = {
    "load": intrinsic(_load),
    "load_mask": intrinsic(_load_mask),
    "store": intrinsic(_store),
    "spread": intrinsic(_spread),
    "where": intrinsic(_where),
    "root": intrinsic(_root),
    "of_one_learner": intrinsic(_of_one_learner),
    "load_records": intrinsic(_load_records),
    "store_records": intrinsic(_store_records),
    "load_field": intrinsic(_load_field),
    "added_up": intrinsic(_added_up),
    "numbered": intrinsic(_numbered),
    "is_any": intrinsic(_is_any),
    "prefetch": intrinsic(_prefetch),
}

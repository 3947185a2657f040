"""Three kinds of array that Numba does not make itself, for compiled functions.

    scratch(n)          n floats on the machine's stack, not set to anything; n is a constant, and the array dies with
                        the function that asks for it
    part(array, start)  what follows `start` in a contiguous array, without a count of references: the array must
                        outlive the part
    unowned(array)      the same array without a count of references: whoever owns it must outlive this one. Slices
                        and calls then touch no counter, which is an atomic operation on shared memory each time.
                        Of tuples of arrays, and tuples of these, all arrays

A random playout of symbolic regression with its reward takes 130 ns (`mcsgrammar bench`); with np.empty and slices in
their place, 230 ns.
"""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.core import config
from numba.extending import intrinsic
from numba.np import arrayobj as untyped_arrayobj

arrayobj: Any = untyped_arrayobj
cgutils: Any = untyped_cgutils
no_owner: Any = types.MemInfoPointer(types.voidptr)  # type: ignore[no-untyped-call]
INTERPRETED: bool = vars(config)["DISABLE_JIT"]


def _scratch_on_the_stack(typing_context: Any, size: Any) -> Any:
    array = types.Array(types.float64, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        length = context.get_constant(types.intp, size.literal_value)
        with builder.goto_entry_block():
            memory = builder.alloca(context.get_data_type(types.float64), size=length)
            memory.align = 64
        return array_over(context, builder, array, memory, length)

    return array(size), generate


def _part_without_owner(typing_context: Any, array: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = arrayobj.make_array(array)(context, builder, arguments[0])
        first = context.cast(builder, arguments[1], start, types.intp)
        length = builder.sub(builder.extract_value(whole.shape, 0), first)
        return array_over(context, builder, array, builder.gep(whole.data, [first]), length)

    return array(array, start), generate


def _unowned_view(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, array, arguments[0])

    return array(array), generate


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if hasattr(kind, "types"):  # a tuple
        items = zip(kind.types, cgutils.unpack_tuple(builder, value), strict=True)
        return context.make_tuple(builder, kind, [_without_owner(context, builder, *item) for item in items])
    view = arrayobj.make_array(kind)(context, builder, value)
    view.meminfo = context.get_constant_null(no_owner)
    view.parent = context.get_constant_null(types.pyobject)
    return view._getvalue()


def array_over(context: Any, builder: Any, array: Any, memory: Any, length: Any) -> Any:
    value = arrayobj.make_array(array)(context, builder)
    item = context.get_constant(types.intp, 8)
    arrayobj.populate_array(value, data=memory, shape=[length], strides=[item], itemsize=item, meminfo=None)
    return value._getvalue()


def _scratch_interpreted(n: int) -> np.ndarray:
    return np.empty(n)


def _part_interpreted(array: np.ndarray, start: int) -> np.ndarray:
    return array[start:]


def _unowned_interpreted(array: Any) -> Any:
    return array


scratch: Any = _scratch_interpreted if INTERPRETED else intrinsic(prefer_literal=True)(_scratch_on_the_stack)
part: Any = _part_interpreted if INTERPRETED else intrinsic(_part_without_owner)
unowned: Any = _unowned_interpreted if INTERPRETED else intrinsic(_unowned_view)

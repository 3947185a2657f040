"""Two ways to reach memory of large tables and trees, for compiled functions.

fetch(array, row)   the row, or number, will be read or written soon; nothing changes but the cache. A node, say, has a
                    place in each of a dozen arrays; what a walk comes to is often far away, and then is waited for
                    once, not a dozen times
flat(array)         all numbers of a two-dimensional array, one after the other, without a count of references: the
                    compiler does not know how long its rows are, and would write them one by one
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numba import types
from numba.extending import intrinsic

from domains.scratch import INTERPRETED, array_over, arrayobj


def _fetch(typing_context: Any, array: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = arrayobj.make_array(array)(context, builder, arguments[0])
        start = arguments[1]
        for dimension in range(1, array.ndim):
            start = builder.mul(start, builder.extract_value(whole.shape, dimension))
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        address = builder.bitcast(builder.gep(whole.data, [start]), byte)
        to_write, soon, data = (ir.Constant(word, number) for number in (1, 3, 1))
        builder.call(prefetch, [address, to_write, soon, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _flat(typing_context: Any, array: Any) -> Any:
    line = types.Array(array.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = arrayobj.make_array(array)(context, builder, arguments[0])
        return array_over(context, builder, line, whole.data, whole.nitems)

    return line(array), generate


def _fetch_interpreted(array: np.ndarray, row: int) -> None:
    pass


def _flat_interpreted(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1)


fetch: Any = _fetch_interpreted if INTERPRETED else intrinsic(_fetch)
flat: Any = _flat_interpreted if INTERPRETED else intrinsic(_flat)

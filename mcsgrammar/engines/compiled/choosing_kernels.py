"""The highest of many UCB1 values, 16 at once: vectors of LLVM, which are instructions of the processor where it has
them and several of its instructions where it has not.

A block is LANES numbers side by side in an array, of which the first `n` count; there must be as many behind the last
one that does.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numba import types
from numba.core import config
from numba.extending import intrinsic
from numba.np import arrayobj as untyped_arrayobj

arrayobj: Any = untyped_arrayobj
INTERPRETED: bool = vars(config)["DISABLE_JIT"]
LANES = 16
_DOUBLE, _WORD = ir.DoubleType(), ir.IntType(64)
_VECTOR, _MASK = ir.VectorType(_DOUBLE, LANES), ir.IntType(LANES)


def _splat(builder: Any, value: Any, kind: Any) -> Any:
    vector = ir.VectorType(kind, LANES)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _values(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """mean + scale * spread of a block, and which of its lanes count."""
    means, spreads, first, n, scale = arguments[:5]

    def load(kind: Any, array: Any) -> Any:
        data = arrayobj.make_array(kind)(context, builder, array).data
        pointer = builder.bitcast(builder.gep(data, [first]), _VECTOR.as_pointer())
        return builder.load(pointer, align=8)

    lanes = ir.Constant(ir.VectorType(_WORD, LANES), list(range(LANES)))
    counts = builder.icmp_signed("<", lanes, _splat(builder, n, _WORD))
    values = builder.fadd(
        load(signature.args[0], means), builder.fmul(_splat(builder, scale, _DOUBLE), load(signature.args[1], spreads))
    )
    return values, counts


def _highest(typing_context: Any, means: Any, spreads: Any, first: Any, n: Any, scale: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, counts = _values(context, builder, signature, arguments)
        highest = builder.select(counts, values, ir.Constant(_VECTOR, [float("-inf")] * LANES))
        width = LANES
        while width > 1:
            width //= 2
            index = ir.VectorType(ir.IntType(32), width)
            low = builder.shuffle_vector(highest, highest, ir.Constant(index, list(range(width))))
            high = builder.shuffle_vector(highest, highest, ir.Constant(index, list(range(width, 2 * width))))
            highest = builder.select(builder.fcmp_ordered(">", low, high), low, high)
        return builder.extract_element(highest, ir.Constant(ir.IntType(32), 0))

    return types.float64(means, spreads, types.int64, types.int64, types.float64), generate


def _equal(typing_context: Any, means: Any, spreads: Any, first: Any, n: Any, scale: Any, highest: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, counts = _values(context, builder, signature, arguments)
        equal = builder.fcmp_ordered("==", values, _splat(builder, arguments[5], _DOUBLE))
        return builder.zext(builder.bitcast(builder.and_(equal, counts), _MASK), _WORD)

    return types.uint64(means, spreads, types.int64, types.int64, types.float64, types.float64), generate


def _highest_interpreted(means: np.ndarray, spreads: np.ndarray, first: int, n: int, scale: float) -> float:
    return float(max(means[i] + scale * spreads[i] for i in range(first, first + min(n, LANES))))


def _equal_interpreted(
    means: np.ndarray, spreads: np.ndarray, first: int, n: int, scale: float, highest: float
) -> np.uint64:
    lanes = range(min(n, LANES))
    return np.uint64(sum(1 << i for i in lanes if means[first + i] + scale * spreads[first + i] == highest))


highest_of_block: Any = _highest_interpreted if INTERPRETED else intrinsic(_highest)
"""(means, spreads, first, n, scale): the highest mean + scale * spread of a block."""
equal_in_block: Any = _equal_interpreted if INTERPRETED else intrinsic(_equal)
"""(means, spreads, first, n, scale, highest): a bit for each lane whose value is the highest."""

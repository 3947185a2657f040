"""Counting and finding bits of 64-bit words, as single machine instructions inside compiled code.

Glossary
    popcount          how many bits are set: popcount(0b1011) = 3
    trailing zeros    the index of the lowest set bit: trailing_zeros(0b1000) = 3; 64 for an empty word
    nth set bit       the index of the set bit with n set bits below it: nth_set_bit(0b10110, 1) = 2; 64 if none has

Each is a Python function that Numba replaces by its own version, so that what calls it also runs with
NUMBA_DISABLE_JIT=1. All take and return np.uint64: with a signed operand Numba would compute in int64 or float64.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped, unused-ignore]
from numba import types
from numba.core import config
from numba.extending import intrinsic, overload

_ONE = np.uint64(1)
_HALVES = tuple(np.uint64(width) for width in (32, 16, 8, 4, 2, 1))


def popcount(word: np.uint64) -> np.uint64:
    """How many bits of `word` are set."""
    return np.uint64(int(word).bit_count())


def trailing_zeros(word: np.uint64) -> np.uint64:
    """The index of the lowest set bit of `word`; 64 if there is none."""
    bits = int(word)
    return np.uint64((bits & -bits).bit_length() - 1 if bits else 64)


def nth_set_bit(word: np.uint64, n: np.uint64) -> np.uint64:
    """The index of the set bit of `word` that has `n` (below 64) set bits under it; 64 if there is none."""
    return nth_set_bit_by_halves(word, n)


def nth_set_bit_by_halves(word: np.uint64, n: np.uint64) -> np.uint64:
    """The same on any processor: skip the lower half as long as the bit is not in it."""
    index = np.uint64(0)
    for width in _HALVES:
        below = popcount(word & ((_ONE << width) - _ONE))
        if n >= below:
            n -= below
            word >>= width
            index += width
    return index + np.uint64(n >= (word & _ONE))


def _has_deposit_instruction() -> bool:
    """Whether the processor that Numba compiles for has BMI2 and with it `pdep`."""
    features: str | None = getattr(config, "CPU_FEATURES", None)
    if features is not None:
        return "+bmi2" in features.split(",")
    return getattr(config, "CPU_NAME", None) is None and bool(binding.get_host_cpu_features().get("bmi2", False))


def _call(name: str, builder: Any, operands: list[Any]) -> Any:
    """LLVM's intrinsic `name` on `operands`, to a 64-bit word."""
    kind = ir.FunctionType(ir.IntType(64), [operand.type for operand in operands])
    return builder.call(builder.module.declare_intrinsic(name, fnty=kind), operands)


def _population(typing_context: Any, word: Any) -> Any:
    return types.uint64(types.uint64), lambda context, builder, signature, words: _call(
        "llvm.ctpop.i64", builder, list(words)
    )


def _trailing(typing_context: Any, word: Any) -> Any:
    # The flag says that an empty word is not undefined: 64.
    return types.uint64(types.uint64), lambda context, builder, signature, words: _call(
        "llvm.cttz.i64", builder, [*words, ir.Constant(ir.IntType(1), 0)]
    )


def _deposit(typing_context: Any, source: Any, mask: Any) -> Any:
    return types.uint64(types.uint64, types.uint64), lambda context, builder, signature, words: _call(
        "llvm.x86.bmi.pdep.64", builder, list(words)
    )


_population_of: Any = intrinsic(_population)
_trailing_of: Any = intrinsic(_trailing)
_deposit_in: Any = intrinsic(_deposit)


def _compile_as(function: Callable[..., Any], implementation: Callable[..., Any]) -> None:
    """Let compiled code that calls `function` get `implementation`."""
    overload(function, strict=False)(lambda *words: implementation)


_compile_as(popcount, lambda word: _population_of(word))
_compile_as(trailing_zeros, lambda word: _trailing_of(word))
_compile_as(nth_set_bit_by_halves, nth_set_bit_by_halves)
if _has_deposit_instruction():
    _compile_as(nth_set_bit, lambda word, n: _trailing_of(_deposit_in(_ONE << n, word)))
else:
    _compile_as(nth_set_bit, nth_set_bit_by_halves)

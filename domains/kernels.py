"""What a compiled domain hands over: its rules as Numba functions on flat arrays. `docs/kernels.md` has an example.

A state is one 1-D array, an action a 32-bit integer, and everything that stays the same during a run lies in one
read-only `problem` array. Tables that depend on the domain's options are frozen into the functions as globals or
closure variables, where the compiler sees them as constants.

This file is also the only place that says how our functions are compiled, and the compiled twin of `Random`.
"""

import gc
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

import numba
import numba.core.bytecode
import numba.core.event
import numba.np.linalg
import numpy as np

from domains.callees import OPTIONS as WITHOUT_WRAPPERS
from domains.callees import CalleeCompiler, CalleeDispatcher
from domains.randomness import GOLDEN_GAMMA
from domains.saying import shown

Function = Callable[..., Any]


def _number_functions_apart() -> None:
    """Give the functions of this process symbols that no other process has given to its own.

    Numba tells functions of the same name apart, such as the rules of Sudoku for two orders, by a number that counts
    from 1 in every process, and writes it into what it caches. Two machines that were compiled in two processes can so
    hold different rules under one symbol; loaded together, both would call the rules of the first. So we count from a
    random place: names only, no result depends on it.
    """
    identity = vars(numba.core.bytecode)["FunctionIdentity"]
    identity._unique_ids = itertools.count(int.from_bytes(os.urandom(7), "little"))


def _take_blas_for_granted() -> None:
    """Numba imports `scipy.linalg`, a tenth of a second, only to see whether it is there. It is: we require SciPy."""
    vars(numba.np.linalg)["ensure_blas"] = lambda: None


class _CollectingRarely(numba.core.event.Listener):
    """While something is compiled, garbage is looked for rarely: the compiler makes millions of objects and keeps most,
    and at Python's threshold of 700 a tenth of its time goes into looking through them."""

    ALLOCATIONS = 200_000

    def __init__(self) -> None:
        self.under_way = 0  # functions that compiled ones call are compiled in between
        self.threshold = gc.get_threshold()

    def on_start(self, event: Any) -> None:
        if self.under_way == 0:
            self.threshold = gc.get_threshold()
            if 0 < self.threshold[0] < self.ALLOCATIONS:
                gc.set_threshold(self.ALLOCATIONS, *self.threshold[1:])
        self.under_way += 1

    def on_end(self, event: Any) -> None:
        self.under_way -= 1
        if self.under_way == 0:
            gc.set_threshold(*self.threshold)


_number_functions_apart()
_take_blas_for_granted()
vars(numba.core.event)["register"]("numba:compile", _CollectingRarely())


def njit(function: Function) -> Function:
    """Compile for the engine: division as IEEE has it, no GIL, no fast-math (it changes results)."""
    return _compiled(function, _nrt=True)


def njit_uncounted(function: Function) -> Function:
    """The same for functions of the engine that make no arrays: without counting references to those handed to them."""
    return _compiled(function, _nrt=False, no_cfunc_wrapper=True)


def njit_callee(function: Function) -> Function:
    """The same for those of them that only compiled functions call, which is compiled in less time."""
    compiled = _compiled(function, _nrt=False, pipeline_class=CalleeCompiler, **WITHOUT_WRAPPERS)
    if hasattr(compiled, "targetoptions"):  # Numba may be switched off
        compiled.__class__ = CalleeDispatcher
    return compiled


def njit_inline(function: Function) -> Function:
    """The same for small functions that the compiler must not leave as calls."""
    return _compiled(function, inline="always")


def _compiled(function: Function, **options: Any) -> Function:
    untyped: Any = numba  # its hints do not know all options
    compiled: Function = untyped.njit(error_model="numpy", nogil=True, boundscheck=False, **options)(function)
    return compiled


@dataclass(frozen=True)
class Kernels:
    """The rules of a domain, compiled. All must agree with the domain's Python methods, order of actions included."""

    actions: Function
    """(state, problem, out) -> n: writes the n legal actions to the int32 array `out`; 0 if and only if final."""
    play: Function
    """(state, problem, action) -> None: plays a legal action in place. Of a stochastic domain (state, problem, action,
    random) -> None, with the draws that the method makes, in its order."""
    is_final: Function
    """(state, problem) -> bool"""
    reward: Function
    """(state, problem) -> float64, of a final state."""
    playout: Function | None = None
    """(state, problem, random, sequence, length, limit) -> length: uniformly random actions, written to the int32 array
    `sequence` from position `length` on, until the state is final or `limit` actions lie in it. Draw for draw the same
    as the loop over `actions` and `play`, only faster; the engine uses that loop where this is None."""
    code: Function | None = None
    """(state, problem, action) -> int64, of a legal action; None: the action itself."""
    feature: Function | None = None
    """(state, problem, action, out) -> None: writes a number for each of the domain's `features` of a legal action to
    the float64 array `out`."""
    codes: Function | None = None
    """(state, problem, actions, n, out) -> None: writes what `code` gives for each of the first n of `actions`, all of
    them legal, to the int64 array `out`; only faster. The engine calls `code` for each where this is None."""


@dataclass(frozen=True)
class GameKernels:
    """The rules of a game with several roles, compiled. All must agree with its Python methods, order included."""

    mover: Function
    """(state, problem) -> the role that alone has a choice; -1 where several have one"""
    actions: Function
    """(state, problem, role, out) -> n: writes the role's n legal actions to the int32 array `out`; 0 if and only if
    the state is final. Where there is a mover, it is asked about that role alone."""
    play: Function
    """(state, problem, joint) -> None: plays an action of each role in place; `joint` is an int32 array."""
    is_final: Function
    """(state, problem) -> bool"""
    rewards: Function
    """(state, problem, out) -> None: of a final state, one for each role, to the float64 array `out`"""
    codes: int
    """Actions are numbers below this one, and NOOP."""


INTERPRETED: bool = vars(numba.config)["DISABLE_JIT"]


def wrong_kernels(found: Any, method: str) -> str:
    """What is wrong with what `kernels` or `game_kernels` returned, without a look at what it does; empty where nothing
    is."""
    wanted: type[Kernels] | type[GameKernels] = Kernels if method == "kernels" else GameKernels
    if not isinstance(found, wanted):
        what = f"the class {found.__name__}" if isinstance(found, type) else f"an object of {type(found).__name__}"
        return f"returned {what}; return domains.kernels.{wanted.__name__}(…)"
    for one in fields(wanted):
        value = getattr(found, one.name)
        if one.name == "codes" and wanted is GameKernels:
            if not isinstance(value, Integral):
                return f"hands over codes={shown(value)}; actions are numbers below it, and it is one"
        elif not (value is None and one.default is None) and not hasattr(value, "py_func") and not INTERPRETED:
            return f"hands over {one.name}={shown(value)}, which is not compiled; put @njit of domains.kernels there"
    return ""


_GAMMA = np.uint64(GOLDEN_GAMMA)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(11)
_TWO_TO_MINUS_53 = 2.0**-53


@njit
def next_bits(random: np.ndarray) -> np.uint64:
    """The next 64 random bits; `random` is a uint64 array of length one that holds the state."""
    random[0] += _GAMMA
    z = random[0]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return np.uint64(z ^ (z >> _31))


@njit
def below(random: np.ndarray, n: int) -> np.int64:
    """A whole number in [0, n), one draw."""
    return np.int64(((next_bits(random) >> _32) * np.uint64(n)) >> _32)


@njit
def uniform01(random: np.ndarray) -> float:
    """A float in [0, 1), one draw."""
    return np.float64(next_bits(random) >> _11) * _TWO_TO_MINUS_53


@njit
def shuffle_from_end(random: np.ndarray, items: np.ndarray, n: int) -> None:
    """Fisher-Yates from the end over the first n items: n - 1 draws."""
    for i in range(n - 1, 0, -1):
        j = below(random, i + 1)
        items[i], items[j] = items[j], items[i]

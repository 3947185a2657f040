"""Functions that only compiled ones call: compiled for these alone, which saves much of the time.

Numba makes machine code of every function at once, with a wrapper for calls from Python and another for calls from C.
A function that compiled ones call is copied into each of them, is optimised there once more, and its own machine code
and its wrappers are used by nobody. So here a callee's code stays what it is to those that call it: LLVM's
intermediate language, optimised. Whoever calls one from Python is told so.

Glossary
    callee       a function that is compiled in this way
    library      Numba's word for what it has made of one function
    environment  Numba's word for Python objects that compiled code uses, by address; callees use none
"""

from typing import Any

import numba.core.codegen
import numba.core.compiler
import numba.core.dispatcher

Library: Any = numba.core.codegen.JITCodeLibrary
Compiler: Any = numba.core.compiler.Compiler
Dispatcher: Any = numba.core.dispatcher.Dispatcher
"""Numba has no types for what is used of them here."""
OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class _CalleeCodegen:
    """What else makes code, but that there are no addresses to write an environment to."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing: nobody has the address."""


class _CalleeLibrary(Library):  # type: ignore[misc]
    """Is linked into others, and never made machine code of."""

    @property
    def codegen(self) -> Any:
        return _CalleeCodegen(self._codegen)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class CalleeCompiler(Compiler):  # type: ignore[misc]
    """Numba's own, with such a library."""

    def compile_extra(self, func: Any) -> Any:
        self.state.library = _CalleeLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class CalleeDispatcher(Dispatcher):  # type: ignore[misc]
    """Finds what was compiled for compiled code, and refuses to be called from elsewhere."""

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres  # and not where calls from Python look

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        raise TypeError(
            f"{self.py_func.__qualname__} is compiled for compiled code alone; call it from there, its py_func, or "
            "decorate it with njit"
        )

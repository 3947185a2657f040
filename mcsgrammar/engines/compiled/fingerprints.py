"""A name for compiled code that changes whenever anything that went into it changes.

Numba's own cache does not notice that a constant, a table or a function in another file has changed; a stale result
would be a wrong one. So the name is a hash over what the compiler saw: the bytecode of every function that can be
reached, and the values of all globals and closure variables they use. (Not what is registered with Numba for the whole
process, such as `@overload`: a domain that does that changes its own code's name with a constant.)
"""

import hashlib
import platform
import types
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

TRUSTED = ("numba", "numpy", "math", "llvmlite", "builtins", "operator")
"""Packages whose version says all about them."""


class Unhashable(Exception):
    """Something that a kernel uses has no stable hash; its domain is compiled anew in every process."""


def fingerprint(roots: Iterable[Any]) -> str:
    """16 hexadecimal digits over everything reachable from `roots`. Raises `Unhashable`."""
    versions = (platform.python_version(), platform.machine(), numba.__version__, llvmlite.__version__, np.__version__)
    walk = _Walk()
    walk.take(list(roots))
    return hashlib.blake2b(b"\0".join([repr(versions).encode(), *walk.pieces]), digest_size=8).hexdigest()


class _Walk:
    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.seen: dict[int, int] = {}
        self.alive: list[Any] = []  # ids stay unique only while their objects live

    def _note(self, piece: bytes) -> None:
        self.pieces.append(piece)

    def take(self, value: Any) -> None:
        """What the compiler can see of a value, in a fixed order."""
        if isinstance(value, str | bytes | int | float | complex | bool | type(None) | type(...)):
            self._note(f"{type(value).__name__} {value!r}".encode("utf-8", "surrogatepass"))
            return
        if isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            fields = "" if array.dtype.fields is None else f" {np.lib.format.dtype_to_descr(array.dtype)}"
            self._note(f"array {array.dtype.str} {array.shape}{fields}".encode())
            self._note(array.tobytes())
            return
        if id(value) in self.seen:
            self._note(f"again {self.seen[id(value)]}".encode())
            return
        self.seen[id(value)] = len(self.seen)
        self.alive.append(value)
        self._structured(value)

    def _alone(self, value: Any) -> bytes:
        """The pieces of an item whose place among the others means nothing."""
        pieces, self.pieces = self.pieces, []
        self.take(value)
        pieces, self.pieces = self.pieces, pieces
        return b"\0".join(pieces)

    def _structured(self, value: Any) -> None:
        if isinstance(value, list | tuple):
            self._note(f"{type(value).__name__} {len(value)}".encode())
            for item in value:
                self.take(item)
        elif isinstance(value, slice):  # a constant of bytecode since Python 3.14
            self._note(b"slice")
            self.take((value.start, value.stop, value.step))
        elif isinstance(value, frozenset | set):
            self._note(b"set")
            self.pieces += sorted(map(self._alone, value))
        elif isinstance(value, dict):
            self._note(f"dict {len(value)}".encode())
            for key, item in value.items():
                self.take(key)
                self.take(item)
        elif isinstance(value, types.ModuleType):
            self._module(value)
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif _is_trusted(value):
            self._note(f"trusted {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}".encode())
        elif hasattr(value, "py_func"):  # a Numba dispatcher
            self._note(b"dispatcher" + repr(sorted((k, str(v)) for k, v in value.targetoptions.items())).encode())
            self._note(repr(sorted((k, str(v)) for k, v in value.locals.items())).encode())
            if not value._can_compile:  # its types were given by hand
                self._note(repr([str(signature) for signature in value.overloads]).encode())
            self.take(value.py_func)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(getattr(value, "_defn", None), types.FunctionType):  # a Numba intrinsic
            self._note(b"intrinsic")
            self.take(value._defn)
        elif is_dataclass(value) and not isinstance(value, type):
            self._note(type(value).__qualname__.encode())
            for f in fields(value):
                self.take(getattr(value, f.name))
        elif isinstance(value, type):
            self._note(value.__qualname__.encode())
            self._note(_source_of(value.__module__))
        else:
            raise Unhashable(f"{type(value).__module__}.{type(value).__qualname__}")

    def _function(self, function: types.FunctionType) -> None:
        self._note(f"function {function.__module__} {function.__qualname__}".encode())
        self.take(function.__code__)
        self.take(function.__defaults__)
        for cell in function.__closure__ or ():
            self.take(cell.cell_contents)
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                self._note(name.encode())
                value = function.__globals__[name]
                self.take(value)
                self._reached_through(value, _names(function.__code__), set())

    def _reached_through(self, module: Any, names: set[str], passed: set[str]) -> None:
        """What a function uses of a module: `package.module.TABLE`."""
        if not isinstance(module, types.ModuleType) or _is_trusted(module) or module.__name__ in passed:
            return
        passed.add(module.__name__)
        for name in sorted(names):
            if hasattr(module, name):
                self._note(name.encode())
                value = getattr(module, name)
                self.take(value)
                self._reached_through(value, names, passed)

    def _code(self, code: types.CodeType) -> None:
        self._note(code.co_code)
        self._note(repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)).encode())
        for constant in code.co_consts:
            self.take(constant)

    def _module(self, module: types.ModuleType) -> None:
        self._note(module.__name__.encode())
        if not _is_trusted(module):
            self._note(_source_of(module.__name__))


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _is_trusted(value: Any) -> bool:
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    if isinstance(value, types.BuiltinFunctionType):
        return True
    return isinstance(module, str) and module.split(".")[0] in TRUSTED and not hasattr(value, "py_func")


def _source_of(module_name: str) -> bytes:
    import sys

    file = getattr(sys.modules.get(module_name), "__file__", None)
    if file is None:
        raise Unhashable(f"module {module_name}")
    return Path(file).read_bytes()

"""A name for compiled code that changes whenever anything that went into it changes.

Numba's own cache does not notice that a constant, a table or a function in another file has changed; a stale result
would be a wrong one. So the name is a hash over what the compiler saw: the bytecode of every function that can be
reached, and the values of all globals and closure variables they use. (Not what is registered with Numba for the whole
process, such as `@overload`: a domain that does that changes its own code's name with a constant.)
"""

import hashlib
import platform
import types
from collections.abc import Iterable, Iterator
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
    digest = hashlib.blake2b(digest_size=8)
    versions = (platform.python_version(), platform.machine(), numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr(versions).encode())
    for piece in _Walk().pieces(list(roots)):
        digest.update(piece)
        digest.update(b"\0")
    return digest.hexdigest()


class _Walk:
    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.alive: list[Any] = []  # ids stay unique only while their objects live

    def pieces(self, value: Any) -> Iterator[bytes]:
        """What the compiler can see of a value, in a fixed order."""
        if isinstance(value, str | bytes | int | float | complex | bool | type(None) | type(...)):
            yield f"{type(value).__name__} {value!r}".encode("utf-8", "surrogatepass")
            return
        if isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            yield f"array {array.dtype.str} {array.shape}".encode()
            yield array.tobytes()
            return
        if id(value) in self.seen:
            yield f"again {self.seen[id(value)]}".encode()
            return
        self.seen[id(value)] = len(self.seen)
        self.alive.append(value)
        yield from self._structured(value)

    def _structured(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, list | tuple):
            yield f"{type(value).__name__} {len(value)}".encode()
            for item in value:
                yield from self.pieces(item)
        elif isinstance(value, frozenset | set):
            yield b"set"
            yield from sorted(b"\0".join(self.pieces(item)) for item in value)
        elif isinstance(value, dict):
            yield f"dict {len(value)}".encode()
            for key, item in value.items():
                yield from self.pieces(key)
                yield from self.pieces(item)
        elif isinstance(value, types.ModuleType):
            yield from self._module(value)
        elif isinstance(value, types.CodeType):
            yield from self._code(value)
        elif _is_trusted(value):
            yield f"trusted {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}".encode()
        elif hasattr(value, "py_func"):  # a Numba dispatcher
            yield b"dispatcher" + repr(sorted((k, str(v)) for k, v in value.targetoptions.items())).encode()
            yield repr(sorted((k, str(v)) for k, v in value.locals.items())).encode()
            if not value._can_compile:  # its types were given by hand
                yield repr([str(signature) for signature in value.overloads]).encode()
            yield from self.pieces(value.py_func)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(getattr(value, "_defn", None), types.FunctionType):  # a Numba intrinsic
            yield b"intrinsic"
            yield from self.pieces(value._defn)
        elif is_dataclass(value) and not isinstance(value, type):
            yield type(value).__qualname__.encode()
            for f in fields(value):
                yield from self.pieces(getattr(value, f.name))
        elif isinstance(value, type):
            yield value.__qualname__.encode()
            yield from _source_of(value.__module__)
        else:
            raise Unhashable(f"{type(value).__module__}.{type(value).__qualname__}")

    def _function(self, function: types.FunctionType) -> Iterator[bytes]:
        yield f"function {function.__module__} {function.__qualname__}".encode()
        yield from self.pieces(function.__code__)
        yield from self.pieces(function.__defaults__)
        for cell in function.__closure__ or ():
            yield from self.pieces(cell.cell_contents)
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                yield name.encode()
                value = function.__globals__[name]
                yield from self.pieces(value)
                yield from self._reached_through(value, _names(function.__code__), set())

    def _reached_through(self, module: Any, names: set[str], passed: set[str]) -> Iterator[bytes]:
        """What a function uses of a module: `package.module.TABLE`."""
        if not isinstance(module, types.ModuleType) or _is_trusted(module) or module.__name__ in passed:
            return
        passed.add(module.__name__)
        for name in sorted(names):
            if hasattr(module, name):
                yield name.encode()
                value = getattr(module, name)
                yield from self.pieces(value)
                yield from self._reached_through(value, names, passed)

    def _code(self, code: types.CodeType) -> Iterator[bytes]:
        yield code.co_code
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)).encode()
        for constant in code.co_consts:
            yield from self.pieces(constant)

    def _module(self, module: types.ModuleType) -> Iterator[bytes]:
        yield module.__name__.encode()
        if not _is_trusted(module):
            yield from _source_of(module.__name__)


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


def _source_of(module_name: str) -> Iterator[bytes]:
    import sys

    file = getattr(sys.modules.get(module_name), "__file__", None)
    if file is None:
        raise Unhashable(f"module {module_name}")
    yield Path(file).read_bytes()

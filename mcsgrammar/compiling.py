"""Makes the machine of a domain: the loop of `mcsgrammar.machine` with that domain's rules compiled in.

Why a module per domain, and not one engine that calls the rules through function types: the rules are inlined into the
loop, and Numba's cache works for it as for any file. Its name carries a fingerprint of everything that was compiled,
so a changed rule is another file and an old result cannot be met (`mcsgrammar.fingerprints`).
"""

import importlib.util
import os
import sys
import tempfile
import types
from functools import cache
from pathlib import Path
from typing import Any

import numba

from domains import kernels as kernel_tools
from domains import portable_math, portable_math_kernels, scratch
from domains.kernels import Kernels
from mcsgrammar.fingerprints import Unhashable, fingerprint

TEMPLATE = Path(__file__).with_name("machine.py")

SOURCES = ("layout.py", "roots_kernels.py")
ADAPTIVE_SOURCES = (
    "adaptive_layout.py",
    "means_kernels.py",
    "playouts.py",
    "policy_kernels.py",
    "tuning/kernels.py",
    "tuning/layout.py",
)
"""What the template is compiled with, beside the rules of the domain; the second for adaptive expressions only."""

CACHE_FORMAT = 3
"""Raised when machines in the cache must not be used any more, although nothing they were made from has changed."""

_machines: dict[str, types.ModuleType] = {}


def cache_folder() -> Path:
    """Where compiled machines are kept: MCSGRAMMAR_CACHE, or the user's cache folder."""
    chosen = os.environ.get("MCSGRAMMAR_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or tempfile.gettempdir()
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "mcsgrammar"


@cache
def _template_fingerprint(adaptive: bool) -> str:
    files = [TEMPLATE, *(TEMPLATE.parent / name for name in SOURCES + (ADAPTIVE_SOURCES if adaptive else ()))]
    tools = [
        kernel_tools.below,
        kernel_tools.shuffle_from_end,
        kernel_tools.uniform01,
        portable_math_kernels.log,
        portable_math_kernels.exp,
        portable_math.log,
        scratch.unowned,
    ]
    return fingerprint([CACHE_FORMAT, adaptive, *(file.read_text(encoding="utf-8") for file in files), *tools])


def machine_for(kernels: Kernels, adaptive: bool = False) -> Any:
    """The module that runs expressions on the domain with these kernels, adaptive ones or all others; compiled once,
    then read from the cache."""
    prefix = "mcsgrammar_adaptive" if adaptive else "mcsgrammar_machine"
    try:
        name = f"{prefix}_{fingerprint([_template_fingerprint(adaptive), kernels])}"
    except Unhashable:
        return _load(f"{prefix}_{id(kernels):x}", TEMPLATE, kernels, adaptive, cached=False)
    if name not in _machines:
        path = _written(name)
        _machines[name] = _load(name, path or TEMPLATE, kernels, adaptive, cached=path is not None)
    return _machines[name]


def _written(name: str) -> Path | None:
    """The copy of the template for a machine, or None where no cache can be written."""
    path = cache_folder() / name / f"{name}.py"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(TEMPLATE.read_text(encoding="utf-8"))
            os.replace(temporary, path)
        return path if os.access(path.parent, os.W_OK) else None
    except OSError:
        return None


def _load(name: str, path: Path, kernels: Kernels, adaptive: bool, cached: bool) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(KERNELS=kernels, ADAPTIVE=adaptive)
    sys.modules[name] = module  # a cached function looks its module up by name
    spec.loader.exec_module(module)
    if cached and not vars(numba.config)["DISABLE_JIT"]:
        module.__dict__["run_machine"].enable_caching()
    return module

"""Makes the machine of a domain: the loop of `machine.py`, with that domain's rules compiled in.

Why a module per domain, and not one engine that calls the rules through function types: the rules are inlined into the
loop, and Numba's cache works for it as for any file. Its name carries a fingerprint of everything that was compiled,
so a changed rule is another file and an old result cannot be met (`mcsgrammar.engines.compiled.fingerprints`).
"""

import os
import sys
import types
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, Literal

import numba

from domains.kernels import GameKernels, Kernels
from mcsgrammar.engines.compiled.cache_trust import distrust_machine, make_own, trusted_cache
from mcsgrammar.engines.compiled.fingerprints import Unhashable, fingerprint
from mcsgrammar.engines.compiled.numba_cache import MachineCache
from mcsgrammar.wording import note_once
from mcsgrammar.writing import write_whole

Scope = Literal["machine", "learning", "adaptive", "arena", "arena_tuning"]
"""What a machine can run: plain expressions; adapt, too; policies, statistics and tuners, too. Agents of games with
several roles; with tuners, too."""

TEMPLATE = Path(__file__).with_name("machine.py")
MOVES, ARENA = (Path(__file__).with_name(f"machine_arena{part}.py") for part in ("_moves", ""))
WEIGHTS, *ALWAYS = (
    Path(__file__).with_name(f"machine{part}.py") for part in ("_weights", "_playouts", "_frames", "_select", "")
)
"""Run in one namespace, one after the other; the first only where it is needed. Numba is told that all is in the
last."""


def is_of_arena(scope: str) -> bool:
    return scope.startswith("arena")


def template_of(scope: str) -> Path:
    """What the machines of this scope are copies of."""
    return ARENA if is_of_arena(scope) else TEMPLATE


def parts_of(scope: Scope) -> list[Path]:
    if is_of_arena(scope):
        return [MOVES, ARENA]
    return ALWAYS if scope == "machine" else [WEIGHTS, *ALWAYS]


CACHE_FORMAT = 4
"""Raised when machines in the cache must not be used any more, although nothing they were made from has changed."""

_machines: dict[str, types.ModuleType] = {}


def machine_for(kernels: Kernels | GameKernels, scope: Scope = "machine", stochastic: bool = False) -> Any:
    """The module that runs expressions of that scope on the domain with these kernels; compiled once, then read from
    the cache."""
    prefix = f"mcsgrammar_{scope}"
    if isinstance(kernels, GameKernels):
        kernels = replace(kernels, codes=0)  # which no machine has compiled in
    try:
        name = f"{prefix}_{fingerprint([_template_fingerprint(scope, stochastic), kernels])}"
    except Unhashable:
        return _load(f"{prefix}_{id(kernels):x}", kernels, scope, stochastic)
    if name not in _machines:
        _machines[name] = machine = _load(name, kernels, scope, stochastic)
        path = _written(name, template_of(scope))
        if path is not None:
            _keep(machine, path)
    return _machines[name]


@cache
def _template_fingerprint(scope: Scope, stochastic: bool = False) -> str:
    """That of everything that stands in the template's own namespace, which is what it is compiled with beside the
    rules of a domain."""
    none: Kernels | GameKernels = Kernels(_no_rule, _no_rule, _no_rule, _no_rule)
    if is_of_arena(scope):
        none = GameKernels(_no_rule, _no_rule, _no_rule, _no_rule, _no_rule, codes=0)
    template = _load("template", none, scope, stochastic)
    values = {name: value for name, value in vars(template).items() if not name.startswith("__")}
    checked = vars(numba.config)["BOUNDSCHECK"]  # it decides over what all functions ask for
    return fingerprint([CACHE_FORMAT, checked, *(part.read_text(encoding="utf-8") for part in parts_of(scope)), values])


def _no_rule() -> None:
    """Stands for the rules of a domain."""


def _load(name: str, kernels: Kernels | GameKernels, scope: Scope, stochastic: bool) -> types.ModuleType:
    machine = types.ModuleType(name)
    for rule in vars(kernels).values():  # which may make arrays, whatever the machine around them does
        if hasattr(rule, "targetoptions"):
            rule.targetoptions.setdefault("_nrt", True)
    machine.__dict__.update(__file__=str(template_of(scope)), KERNELS=kernels)
    if is_of_arena(scope):
        machine.__dict__.update(TUNES=scope == "arena_tuning")
    else:
        machine.__dict__.update(LEARNS=scope != "machine", ADAPTIVE=scope == "adaptive", STOCHASTIC=stochastic)
    for code in _template(scope):
        exec(code, machine.__dict__)
    return machine


@cache
def _template(scope: Scope) -> list[types.CodeType]:
    codes = []
    for part in parts_of(scope):
        name = f"{__package__}.{part.stem}"
        code = SourceFileLoader(name, str(part)).get_code(name)
        assert code is not None
        codes.append(code)
    return codes


def _written(name: str, copied: Path) -> Path | None:
    """The copy of the template for a machine, `copied`, or None where no cache can be used."""
    cache = trusted_cache()
    if cache is None:
        return None
    folder = cache / name
    path = folder / f"{name}.py"
    template = copied.read_bytes()
    try:
        reason = distrust_machine(folder)
        if reason is None and path.exists() and path.read_bytes() != template:
            reason = f"{path.name} in it is not a copy of the engine"
        if reason is not None:
            note_once(f"{folder} is not used, because {reason}; delete it: mcsgrammar doctor --clean")
            return None
        if not path.exists():
            make_own(folder)
            write_whole(path, template)
        return path if os.access(folder, os.W_OK) else None
    except OSError:
        return None


def _keep(machine: types.ModuleType, path: Path) -> None:
    """Have Numba keep what it compiles beside the copy of the template. The copy itself is never run: Numba asks of
    which file a function is, and how old that is."""
    if vars(numba.config)["DISABLE_JIT"]:
        return
    machine.__file__ = str(path)
    sys.modules[machine.__name__] = machine  # a cached function looks its module up by name
    run_machine = machine.__dict__["run_machine"]
    function = run_machine.py_func
    function.__code__ = function.__code__.replace(co_filename=str(path))
    with suppress(RuntimeError):  # where nothing can be written after all
        # As its `enable_caching` does with Numba's own.
        run_machine._cache = MachineCache(function)  # type: ignore[no-untyped-call]

"""A domain that is not built in is tried before it is trusted, once for every version: its rules (`glancing`), and its
kernels.

What a compiled domain does wrong can end the process without a word. So before its first search its kernels play on
their own in another process (`walk_alone`), compiled with bounds checking, and what the engine
would not survive is refused with the name that `mcsgrammar check` gives it. What was found sound is remembered in the
folder of the compiled machines.
"""

import contextlib
import hashlib
import os
import sys
from importlib.metadata import version
from typing import Literal
from weakref import WeakKeyDictionary

from domains.errors import DomainError
from domains.protocol import Domain
from domains.registry import canonical_text
from domains.sources import file_of_class, source_hash
from mcsgrammar.engines.compiled.cache_trust import make_own, trusted_cache
from mcsgrammar.engines.glancing import glance
from mcsgrammar.engines.guarding import kernels_of
from mcsgrammar.engines.searching import EngineName, choose_engine

TASK = "domains.check.kernels:walk_alone"
GAME_TASK = "domains.check.game_kernels:walk_game_alone"
SECONDS = 20.0
"""What the kernels may take to compile and play."""
FOLDER = "vetted"

_vetted: set[str] = set()
_vetted_classes: "WeakKeyDictionary[type[Domain], set[str]]" = WeakKeyDictionary()
"""Of those that no file tells from others of their name: a cell of a notebook that is run again makes another class."""


def vetted_engine(domain: Domain, engine: EngineName) -> Literal["compiled", "reference"]:
    """The engine that will run, as `choose_engine` says. Raises `DomainError` for kernels that would take it down."""
    vet(domain, engine)
    chosen = choose_engine(domain, engine)
    if chosen == "compiled":
        trusted_cache()  # for the note, which workers leave to whoever starts them
    return chosen


def vet(domain: Domain, engine: EngineName) -> None:
    """Raises `DomainError` for rules that mislead every search, and for kernels that would take the engine down, if it
    is the compiled one that will run."""
    if type(domain).__module__.split(".")[0] == "domains":
        return
    glance(domain)
    if engine != "reference" and kernels_of(domain) is not None:
        _vet_kernels(domain)


def _vet_kernels(domain: Domain) -> None:
    from numba import config

    if vars(config)["BOUNDSCHECK"] or vars(config)["DISABLE_JIT"]:
        return  # somebody looks for the mistake, which the engine then survives
    source = source_hash(domain)
    identity = "\0".join((source or "", type(domain).__qualname__, canonical_text(domain), version("mcsgrammar")))
    key = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    cache = trusted_cache() if source is not None else None
    vetted = _vetted if source is not None else _vetted_classes.setdefault(type(domain), set())
    if key in vetted or (cache is not None and os.path.exists(cache / FOLDER / key)):
        return
    wrong = _what_is_wrong(domain)
    if wrong:
        raise DomainError(
            f"{type(domain).__name__} would crash the compiled engine, or keep it for ever: {wrong} "
            f"(mcsgrammar check {_command_text(domain)}; or run it with --engine reference)"
        )
    vetted.add(key)
    if cache is not None:
        with contextlib.suppress(OSError):  # where nothing can be written, it is tried again
            make_own(cache / FOLDER)
            (cache / FOLDER / key).touch()


def _what_is_wrong(domain: Domain) -> str:
    from domains.check.apart import CRASHES, run_apart

    name = type(domain).__name__

    def say() -> None:
        print(f"trying the kernels of {name} in another process, once", file=sys.stderr)

    ended = run_apart(domain, TASK if len(domain.roles) == 1 else GAME_TASK, (), SECONDS, on_slow=say)
    found = [(kind, message) for _, kind, message in ended.told]
    if (finding := ended.finding(name, SECONDS)) is not None and finding.name in CRASHES:
        found.append((finding.name, finding.message))
    return f"{found[0][0]}: {found[0][1]}" if found else ""


def _command_text(domain: Domain) -> str:
    """What to type for this domain, its options aside."""
    from domains.check.apart import own_file

    if domain.registered_name is not None and own_file(domain) is None:
        return domain.registered_name
    return f"{file_of_class(domain) or 'FILE.py'}:{type(domain).__name__}"

"""Which engine plays: compiled where the game has kernels, else reference."""

from domains.errors import UserError
from domains.protocol import Domain
from mcsgrammar.engines.arena.players import ArenaEngine
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import EngineName
from mcsgrammar.wording import note


def arena_of(game: Domain, engine: EngineName) -> ArenaEngine:
    """The engine that will run: compiled if the game has kernels, else reference, with one notice."""
    if engine == "reference":
        return ReferenceArena(game)
    name = type(game).__name__
    if engine == "compiled":
        raise UserError(
            f"the compiled engine needs Numba kernels, and {name} has none; "
            "give it a game_kernels() method (see CONTRIBUTING.md), or use --engine reference"
        )
    if name not in _noticed:
        _noticed.add(name)
        note(f"{name} has no kernels, so it runs on the reference engine, which is slower")
    return ReferenceArena(game)


_noticed: set[str] = set()

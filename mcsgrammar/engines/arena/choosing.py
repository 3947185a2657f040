"""Which engine plays: compiled where the game has kernels, else reference."""

from typing import TYPE_CHECKING

from domains.errors import UserError
from domains.protocol import Domain
from mcsgrammar.engines.arena.players import ArenaEngine
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.guarding import kernels_of
from mcsgrammar.engines.searching import EngineName
from mcsgrammar.wording import note

if TYPE_CHECKING:
    from mcsgrammar.engines.arena.compiled import CompiledArena


def arena_of(game: Domain, engine: EngineName) -> ArenaEngine:
    """The engine that will run: compiled if the game has kernels, else reference, with one notice."""
    if engine == "reference":
        return ReferenceArena(game)
    if len(game.roles) > 1 and kernels_of(game) is not None:
        return _compiled_arena(game)
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


def _compiled_arena(game: Domain) -> "CompiledArena":
    """The game made ready for the compiled engine, compiled on first use (seconds, once per machine)."""
    known = _compiled.get(id(game))
    if known is None or known.game is not game:
        from mcsgrammar.engines.arena.compiled import CompiledArena

        known = _compiled[id(game)] = CompiledArena(game)
    return known


_compiled: "dict[int, CompiledArena]" = {}
"""By the id of the game, which lives as long: a game need not be hashable."""
_noticed: set[str] = set()

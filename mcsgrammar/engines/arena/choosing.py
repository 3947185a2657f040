"""Which engine plays: compiled where the game has kernels, else reference."""

from typing import TYPE_CHECKING

from domains.protocol import Domain
from mcsgrammar.engines.arena.players import ArenaEngine
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import EngineName, runs_compiled

if TYPE_CHECKING:
    from mcsgrammar.engines.arena.compiled import CompiledArena


def arena_of(game: Domain, engine: EngineName) -> ArenaEngine:
    """The engine that will run: compiled if the game has kernels, else reference, with one notice."""
    return _compiled_arena(game) if runs_compiled(game, engine) else ReferenceArena(game)


def _compiled_arena(game: Domain) -> "CompiledArena":
    """The game made ready for the compiled engine, compiled on first use (seconds, once per machine)."""
    known = _compiled.get(id(game))
    if known is None or known.game is not game:
        from mcsgrammar.engines.arena.compiled import CompiledArena

        known = _compiled[id(game)] = CompiledArena(game)
    return known


_compiled: "dict[int, CompiledArena]" = {}
"""By the id of the game, which lives as long: a game need not be hashable."""

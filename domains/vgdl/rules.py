"""The rules of one game, as `checking.py` finds them in a description.

Glossary
    kind       of sprites, such as `goat`, by its number in the order of the description; `wall` and `avatar` are always
               there. Some kinds have others below them
    lineage    of a kind: those that it is below, from the top, and itself
    members    of a kind: the kinds whose sprites count as it: its lineage, and all below it
    block      pixels on a side of a cell, and of every sprite
    effect     what happens to a sprite that touches another, or the edge of the screen, or by the clock
    ending     a condition under which the game is over
"""

from dataclasses import dataclass, field
from functools import cached_property

from domains.vgdl.vocabulary import AVATAR, BOMBING, CLONE_SPRITE, SHOOTING, SPAWNING, SPRITES, SpriteClass

WALL, AVATAR_KIND, NONE = 0, 1, -1


@dataclass(frozen=True)
class SpriteKind:
    """What is the same for all its sprites."""

    number: int
    name: str
    class_name: str
    lineage: tuple[int, ...]
    members: tuple[int, ...]
    speed: float = 0.0
    cooldown: int = 1
    orientation: tuple[int, int] = (0, 0)
    oriented: bool = False
    rotates: bool = False
    """Turns instead of moving, where it does not yet look there."""
    health: int = 0
    health_limit: int = 1000
    cons: int = 0
    """How many ticks a random walker goes on as before."""
    other: int = NONE
    """The kind that it chases, flees, spawns or shoots, or to which it leads."""
    ammo: int = NONE
    prob: float = 1.0
    total: int = 0
    limit: int = 0
    """Of ticks that a flicker lives, or of what can be carried of a resource."""
    value: int = 1
    colour: str = ""

    @cached_property
    def own(self) -> SpriteClass:
        return SPRITES[self.class_name]

    @property
    def exit(self) -> int:
        """The kind to which `teleportToExit` leads from it, or NONE."""
        return NONE if self.own.use == SHOOTING else self.other

    @property
    def is_resource(self) -> bool:
        return self.class_name == "Resource"


@dataclass(frozen=True)
class GameEffect:
    """What happens to a sprite of the kind `first`."""

    number: int
    name: str
    first: int
    second: int
    """NONE at the edge of the screen, or by the clock."""
    score: int = 0
    other: int = NONE
    """The kind that it makes."""
    source: int = NONE
    """The kind of which it makes others, wherever they are."""
    resource: int = NONE
    value: int = 1
    limit: int = 0
    spend: int = 0
    prob: float = 1.0
    score_if_killed: int = 0
    kills_second: bool = False
    kills_resource: bool = False
    pixel_perfect: bool = False
    forces_orientation: bool = False
    timer: int = 0
    repeating: bool = False
    next_tick: int = -1


@dataclass(frozen=True)
class Ending:
    """The game is over, won or not, where so many sprites of some kinds are left, or after a tick."""

    number: int
    kinds: tuple[int, ...]
    limit: int
    win: bool


@dataclass(frozen=True)
class GameRules:
    """A game without a level."""

    name: str
    kinds: tuple[SpriteKind, ...]
    order: tuple[int, ...]
    """Kinds in the order in which they are drawn; those on top move first."""
    singletons: frozenset[int]
    by_clock: tuple[GameEffect, ...]
    at_edge: tuple[GameEffect, ...]
    in_pairs: tuple[GameEffect, ...]
    """In the order in which they happen."""
    endings: tuple[Ending, ...]
    mapping: dict[str, tuple[int, ...]]
    square_size: int | None
    hash: str
    actions: tuple[int, ...]
    scenery: frozenset[int] = field(default=frozenset())
    """Kinds that stand about and that nothing asks about; they are drawn, and are no part of a state."""

    @property
    def effects(self) -> tuple[GameEffect, ...]:
        return (*self.by_clock, *self.at_edge, *self.in_pairs)

    def made(self) -> set[int]:
        """Kinds of which sprites may come into being."""
        made = {effect.other for effect in self.effects}
        made |= {kind.other for kind in self.kinds if kind.own.does in (SPAWNING, BOMBING, AVATAR)}
        for effect in self.effects:
            if effect.number == CLONE_SPRITE:
                made |= set(self.kinds[effect.first].members)
        return made - {NONE}

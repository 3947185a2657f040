"""What a game is in between two ticks."""

import math
from dataclasses import dataclass, field, replace

from domains.vgdl.rules import NONE, SpriteKind

UNFINISHED, WON, LOST = range(3)
Direction = tuple[int, int]
"""Right and down. It is a way to look, whatever its length."""
NOWHERE: Direction = (0, 0)


@dataclass(slots=True, eq=False)
class Sprite:
    """Something that stands somewhere, in pixels."""

    kind: SpriteKind
    x: int
    y: int
    last_x: int
    last_y: int
    """Where it was when it was last about to move."""
    direction: Direction
    rested: int = 0
    """Ticks since it last moved by itself."""
    is_new: bool = True
    """It has not had its first move; it then stays."""
    is_killed: bool = False
    is_disabled: bool = False
    health: int = 0
    age: int = 0
    made: int = 0
    start: int = NONE
    """The tick in which it could first make something."""
    previous: Direction = NOWHERE
    repeated: int = 0
    carries: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Stage:
    """Everything that changes."""

    groups: list[list[Sprite]]
    """By kind, the oldest first."""
    avatar: Sprite
    due: list[int]
    """When the effects by the clock happen next."""
    tick: int = 0
    score: int = 0
    status: int = UNFINISHED

    def copied(self) -> "Stage":
        avatar = self.avatar
        groups = []
        for group in self.groups:
            copies = []
            for sprite in group:
                copy = replace(sprite, carries=dict(sprite.carries))
                if sprite is self.avatar:
                    avatar = copy
                copies.append(copy)
            groups.append(copies)
        return Stage(groups, avatar, list(self.due), self.tick, self.score, self.status)


def looking(right: int, down: int) -> Direction:
    """A direction; along an axis it has length one."""
    if right and down:
        return right, down
    return (right > 0) - (right < 0), (down > 0) - (down < 0)


def moved_by(x: int, y: int, way: Direction, pixels: int) -> tuple[int, int]:
    """So many pixels further, of which no fractions are counted."""
    right, down = way
    if right and down:
        length = math.sqrt(right * right + down * down)
        return x + int(right / length * pixels), y + int(down / length * pixels)
    return x + right * pixels, y + down * pixels

"""A map to the sprites of the first tick."""

from collections.abc import Sequence
from dataclasses import dataclass

from domains.vgdl.reading import GameError, GameWord, Text, rows_of
from domains.vgdl.rules import GameRules
from domains.vgdl.vocabulary import AVATAR

WINDOW = 800
"""Pixels that the longer side of a level has, unless the game says how large a cell is."""
LARGEST_SIDE = 400

Placed = tuple[int, int, int]
"""A sprite: its kind, and the column and the row of its cell."""


@dataclass(frozen=True)
class GameLevel:
    """Where everything stands in the beginning."""

    name: str
    width: int
    height: int
    block: int
    sprites: tuple[Placed, ...]
    """Row by row; those of one cell in the order of the mapping."""
    scenery: tuple[Placed, ...]
    rows: tuple[str, ...]


def read_level(rules: GameRules, text: Text) -> GameLevel:
    """The level in a text. Its first row says how wide it is: of longer ones the rest is left out, shorter ones end
    with empty cells."""
    rows = rows_of(text.text)
    width, height = len(rows[0]) if rows else 0, len(rows)
    if not rows:
        raise GameError(f"{text.name}: there is nothing in it; a level is a map, row by row")
    if not width:
        raise GameError(f"{text.name}: its first row is empty, and says how wide the level is; delete it")
    if max(width, height) > LARGEST_SIDE:
        raise GameError(f"{text.name} is {width} by {height} cells; {LARGEST_SIDE} is the most")
    sprites: list[Placed] = []
    scenery: list[Placed] = []
    avatars = 0
    counts = [0] * len(rules.kinds)
    start = 0
    for y, row in enumerate(rows):
        for x, sign in enumerate(row[:width]):
            if sign not in rules.mapping and not sign.isspace():
                known = " ".join(rules.mapping)
                what = f"{sign} is not in the LevelMapping of {rules.name}; it has {known}"
                raise text.refusal(what, GameWord(sign, start + x, start + x + 1))
            for kind in rules.mapping.get(sign, ()):
                if is_blocked(rules, counts, kind):
                    continue
                counts[kind] += 1
                if rules.kinds[kind].own.does == AVATAR:
                    avatars += 1
                    if avatars > 1:
                        continue  # the first one plays
                (scenery if kind in rules.scenery else sprites).append((kind, x, y))
        start += len(row) + 1
    if not avatars:
        raise GameError(f"{text.name} has no avatar, so there is nobody to play")
    block = rules.square_size or max(2, WINDOW // max(width, height))
    return GameLevel(text.name, width, height, block, tuple(sprites), tuple(scenery), tuple(rows))


def is_blocked(rules: GameRules, counts: Sequence[int], kind: int) -> bool:
    """Whether a singleton forbids another sprite of a kind; `counts` has how many there are of each."""
    return any(
        above in rules.singletons and sum(counts[member] for member in rules.kinds[above].members) > 0
        for above in rules.kinds[kind].lineage
    )


def symbols(rules: GameRules) -> dict[int, str]:
    """A character for every kind: that of the mapping, where there is one for it, or a letter of its name."""
    found: dict[int, str] = {}
    for sign, kinds in rules.mapping.items():
        shown = [kind for kind in kinds if kind not in rules.scenery] or list(kinds)
        if len(shown) == 1:
            found.setdefault(shown[0], sign)
    used = set(found.values())
    for kind in rules.kinds:
        if kind.number in found:
            continue
        letters = [*kind.name, *kind.name.upper(), *"abcdefghijklmnopqrstuvwxyz0123456789"]
        found[kind.number] = next((c for c in letters if c.isalnum() and c not in used), "?")
        used.add(found[kind.number])
    return found

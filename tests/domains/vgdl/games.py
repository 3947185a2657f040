"""Small games for the tests, and where others may be found."""

import os
from pathlib import Path

from domains.randomness import Random
from domains.vgdl.checking import check_description
from domains.vgdl.levels import read_level
from domains.vgdl.reading import Text, read_description
from domains.vgdl.reference import Umpire
from domains.vgdl.stages import Stage
from domains.vgdl.vocabulary import DOWN, LEFT, RIGHT, UP, USE, WAIT

PUBLIC = os.environ.get("MCSGRAMMAR_VGDL_GAMES")
"""A folder of games that are not ours, NAME.txt and NAME_lvlN.txt, to be tested, too."""
OURS = [f"{name},level={level}" for name in ("orchard", "crates", "meteors") for level in (0, 1)]
KEYS = {"u": UP, "l": LEFT, "d": DOWN, "r": RIGHT, "s": USE, ".": WAIT}


def public_games() -> list[Path]:
    found = sorted(Path(PUBLIC).glob("*.txt")) if PUBLIC else []
    return [path for path in found if "_lvl" not in path.stem]


def game_text(
    sprites: str, effects: str = "", endings: str = "Timeout limit=1000", mapping: str = "", top: str = ""
) -> str:
    """A description; each set is lines without their indentation, `  ` once for what is below another."""

    def indented(lines: str) -> str:
        return "".join(f"        {line}\n" for line in lines.strip("\n").split("\n") if line)

    return (
        f"BasicGame {top or 'square_size=10'}\n    SpriteSet\n{indented(sprites)}"
        f"    InteractionSet\n{indented(effects)}"
        f"    TerminationSet\n{indented(endings)}    LevelMapping\n{indented(mapping)}"
    )


def umpire_of(text: str, level: str, ticks: int = 1000, room: int = 50) -> Umpire:
    rules = check_description(read_description(text, "game.txt"))
    return Umpire(rules, read_level(rules, Text("level.txt", level)), ticks, room)


def played(umpire: Umpire, keys: str, seed: int = 1) -> Stage:
    """The state after actions by their keys."""
    state, random = umpire.initial(), Random(seed)
    for key in keys:
        umpire.play(state, KEYS[key], random)
    return state


def places(umpire: Umpire, state: Stage, name: str) -> list[tuple[int, int]]:
    """In pixels, the oldest first."""
    number = next(kind.number for kind in umpire.rules.kinds if kind.name == name)
    return [(sprite.x, sprite.y) for sprite in state.groups[number]]

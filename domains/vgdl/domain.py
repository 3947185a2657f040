"""A video game, by its description and a level: `vgdl:FILE,level=FILE`.

Glossary
    game       what a description says (`reading.py`); some of our own come with the program, by name
    level      a map; of a game in FILE.txt level N is in FILE_lvlN.txt beside it, where no other file is named
    tick       one action, and everything that then moves and happens, in the order that `reference.py` gives
    action     what the avatar is told: use, left, right, down, up. What the avatar at hand cannot do changes nothing;
               waiting is one only with `wait=yes`
    score      points, as the effects say
    status     unfinished, won or lost; lost after `ticks`, too

Rewards lie in three bands: lost below 1/3, unfinished below 2/3, won above. Within a band points decide: `scale` of
them go half of the way from its middle to its upper end, and as many lost half of the way to its lower one.

A description becomes lines of words (`reading.py`), and these rules (`checking.py`, with the words of `vocabulary.py`);
a map becomes a level (`levels.py`). `reference.py` plays by them in plain Python, and `kernels.py` on the arrays of
`layout.py`. Where chance has no say in a game, it is a problem like any other, for `solve`, too, unless it is to be
played as though it had (`chance=yes`): then a search exhausts nothing, as the agents of other programs do.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import UnknownDomain
from domains.protocol import Domain, advance
from domains.randomness import Random
from domains.vgdl.checking import check_description
from domains.vgdl.drawing import drawn, picture
from domains.vgdl.levels import read_level
from domains.vgdl.reading import Text, file_text, read_description
from domains.vgdl.reference import Umpire
from domains.vgdl.rules import GameEffect
from domains.vgdl.stages import LOST, UNFINISHED, WON, Stage
from domains.vgdl.vocabulary import (
    ACTIONS,
    BOMBING,
    CHASING,
    FLEEING,
    FLIP_DIRECTION,
    RANDOM,
    SPAWN,
    SPAWN_IF_HAS_MORE,
    SPAWNING,
    TELEPORT_TO_EXIT,
    WAIT,
)

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels
    from domains.vgdl.layout import GameArrays

GAMES = Path(__file__).with_name("games")
BANDS = {LOST: 0, UNFINISHED: 1, WON: 2}
STATUSES = {LOST: "lost", UNFINISHED: "not over", WON: "won"}
MOST_TICKS, MOST_ROOM, LARGEST_SCALE = 100_000, 10_000, 1_000_000


class Vgdl(Domain):
    """A video game by the path of its description, or the name of one that is here; one problem."""

    stochastic = True
    """Of most games; `__init__` looks whether chance has a say."""
    unit = "points"
    values_unfinished = True

    def __init__(
        self,
        game: Path,
        level: int | Path = 0,
        ticks: int = 2000,
        wait: bool = False,
        scale: int = 10,
        room: int = 200,
        chance: bool = False,
    ) -> None:
        """`level`, the path of a map, or a number; `ticks` after which a game is lost; whether to `wait` is an action;
        the `scale` of points; `room` for sprites besides those of the level; and whether a game without `chance` is
        played as though it had some."""
        for name, value, least, most in (
            ("ticks", ticks, 1, MOST_TICKS),
            ("scale", scale, 1, LARGEST_SCALE),
            ("room", room, 0, MOST_ROOM),
        ):
            if not least <= value <= most:
                raise UnknownDomain(f"vgdl: {name} is {value}; it is a whole number from {least} to {most}")
        self.game, self.level, self.ticks, self.wait, self.scale, self.room = (
            Path(game),
            level,
            ticks,
            wait,
            scale,
            room,
        )
        file = description_file(self.game)
        rules = check_description(read_description(file_text(file, f"vgdl:FILE,level=FILE: {KNOWN}"), file.name))
        map_file = level_file(file, level)
        text = Text(map_file.name, file_text(map_file, "a level is the path of a map, or the number in FILE_lvlN.txt"))
        self.umpire = Umpire(rules, read_level(rules, text), ticks, room)
        self.listed = [*rules.actions, *([WAIT] if wait else [])]
        self.horizon, self.max_actions = ticks, len(self.listed)
        self.stochastic = has_chance(self.umpire)
        self.chance = chance and not self.stochastic
        self.stochastic = self.stochastic or chance
        if not self.stochastic:
            self.play = self._play_alone  # type: ignore[assignment]
        self._layout: GameArrays | None = None

    def identity(self) -> dict[str, Any]:
        rows = "\n".join(self.umpire.level.rows).encode("utf-8", "surrogatepass")
        return {
            "game": self.umpire.rules.hash,
            "level": hashlib.blake2b(rows, digest_size=8).hexdigest(),
            **{name: getattr(self, name) for name in ("ticks", "wait", "scale", "room")},
            "chance": True if self.chance else None,
        }

    def sample(self, random: Random) -> Stage:
        return self.umpire.initial()

    def copy(self, state: Stage) -> Stage:
        return state.copied()

    def actions(self, state: Stage) -> list[int]:
        return [] if state.status else list(self.listed)

    def play(self, state: Stage, action: int, random: Random) -> None:  # type: ignore[override]
        self.umpire.play(state, action, random)

    def _play_alone(self, state: Stage, action: int) -> None:
        """Where nothing is left to chance; what is drawn then decides nothing."""
        self.umpire.play(state, action, Random(0))

    def is_final(self, state: Stage) -> bool:
        return state.status != UNFINISHED

    def reaches_goal(self, state: Stage) -> bool:
        return state.status == WON

    def reward(self, state: Stage) -> float:
        gained = state.score / (abs(state.score) + self.scale)
        return (BANDS[state.status] + (1.0 + gained) / 2.0) / 3.0

    def score(self, state: Stage) -> float:
        return float(state.score)

    def action_name(self, state: Stage, action: int) -> str:
        return ACTIONS[action]

    def _after(self, initial: Stage, actions: Sequence[int], random: Random | None) -> Stage:
        state = initial.copied()
        for action in actions:
            advance(self, state, action, random)
        return state

    def summary(self, state: Stage) -> str:
        points = "1 point" if state.score == 1 else f"{state.score} points"
        return f"tick {state.tick}: {points}, {STATUSES[state.status]}"

    def draw(self, initial: Stage, actions: Sequence[int], random: Random | None = None) -> str:
        """Where everything is in the end, each sprite by its character in the level, or by a letter."""
        state = self._after(initial, actions, random)
        return f"{drawn(self.umpire, state)}\n{self.summary(state)}"

    def svg(self, initial: Stage, actions: Sequence[int], random: Random | None = None) -> str:
        state = self._after(initial, actions, random)
        return picture(self.umpire, state, self.summary(state))

    def kernels(self) -> "Kernels":
        from domains.vgdl.kernels import CHANCY, DETERMINED

        return CHANCY if self.stochastic else DETERMINED

    def encode(self, state: Stage) -> "tuple[np.ndarray, np.ndarray]":
        from domains.vgdl.layout import GameArrays

        if self._layout is None:
            self._layout = GameArrays(self.umpire, self.listed, self.scale)
        return self._layout.problem, self._layout.state(state)


def _known_games() -> list[str]:
    return sorted(path.stem for path in GAMES.glob("*.txt") if "_lvl" not in path.stem)


KNOWN = f"FILE is the path of a game, or one of those here: {', '.join(_known_games())}"


def description_file(game: Path) -> Path:
    """The file that is meant; a name without an ending is that of a game of ours."""
    if not game.suffix and game.name in _known_games() and not game.is_file():
        return GAMES / f"{game.name}.txt"
    return game


def level_file(description: Path, level: int | Path) -> Path:
    """The file of a level, which may be a number."""
    if isinstance(level, int):
        return description.with_name(f"{description.stem}_lvl{level}.txt")
    return level


def has_chance(umpire: Umpire) -> bool:
    """Whether anything in a game on a level is left to chance."""
    rules = umpire.rules
    kinds = any(
        kind.own.does in (RANDOM, CHASING, FLEEING, BOMBING) or (kind.own.does == SPAWNING and 0 < kind.prob < 1)
        for kind in rules.kinds
    )
    return kinds or any(
        effect.number == FLIP_DIRECTION
        or (effect.number in (SPAWN, SPAWN_IF_HAS_MORE) and 0 < effect.prob < 1)
        or (effect.number == TELEPORT_TO_EXIT and _has_choice(umpire, effect))
        for effect in rules.effects
    )


def _has_choice(umpire: Umpire, effect: GameEffect) -> bool:
    """Whether there may be more than one exit of a kind."""
    rules = umpire.rules
    exits = {rules.kinds[member].exit for member in rules.kinds[effect.second].members}
    made = rules.made()
    placed = [number for number, _, _ in umpire.level.sprites]
    return any(number in made or placed.count(number) > 1 for number in exits)

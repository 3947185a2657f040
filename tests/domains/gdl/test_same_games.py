"""Games that are written twice, as a sheet and in Python, are the same in every state of random matches: moves by their
names, who moves, the end, what everybody gets. Kernels go along.

Sheets that others have written are not here: `MCSGRAMMAR_SHEETS=…/ggp-repository/war/root/games pytest FILE` takes them
from there.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from domains.gdl.domain import Gdl
from domains.protocol import NOOP, Domain, advance_all
from domains.randomness import Random
from domains.registry import find_domain
from tests.domains.gdl.games import SHEETS
from tests.domains.gdl.twins import Bids, Hopping, Ring

Renamed = Callable[[str], str]
"""What a sheet calls an action with this name."""
PUBLIC = os.environ.get("MCSGRAMMAR_SHEETS")
LETTERS = "abcdefgh"
NOTHING = ("noop", "wait", "pass", "oddnoop", "evennoop")


def by(pattern: str, said: Callable[..., str]) -> Renamed:
    """The groups of the pattern are what is said of."""

    def renamed(name: str) -> str:
        found = re.fullmatch(pattern, name)
        assert found, name
        return said(*found.groups())

    return renamed


def place(letter: str) -> int:
    return LETTERS.index(letter) + 1


CELL, STEP = r"([a-h])(\d)", r"([a-h])(\d)[–×]([a-h])(\d)"
marked = by(CELL, lambda x, y: f"mark {place(x)} {y}")
moved = by(STEP, lambda x, y, v, w: f"move {place(x)} {y} {place(v)} {w}")


def in_battle(name: str) -> str:
    if name.endswith(" defended"):
        return by(CELL + " defended", lambda x, y: f"defend {place(x)} {y}")(name)
    return moved(name)


def in_quad(name: str) -> str:
    what = "block" if name.endswith(" blocked") else "mark"
    return by(CELL + "(?: blocked)?", lambda x, y: f"{what} r{y} c{place(x)}")(name)


THEIRS: dict[str, tuple[str, Renamed]] = {
    "tictactoe": ("ticTacToe/ticTacToe", marked),
    "connect4": ("connect4/connect4", by("([a-g])", lambda x: f"drop {place(x)}")),
    "tictactoe3d": (
        "tictactoe_3d_2player/tictactoe_3d_2player",
        by(r"(\d)" + CELL, lambda z, x, y: f"select {place(x)} {y} {z}"),
    ),
    "connect5": ("connect5/v1/connect5", by(CELL, lambda x, y: f"mark {x} {LETTERS[int(y) - 1]}")),
    "quad": ("quad_7x7/quad_7x7", in_quad),
    "breakthrough": ("breakthrough/breakthrough", moved),
    "knightthrough": ("knightThrough/knightThrough", moved),
    "chinook": ("chinook/chinook", by(STEP, lambda x, y, v, w: f"move {x} {y} {v} {w}")),
    "battle": ("battle/battle", in_battle),
    "chinesecheckers": ("chineseCheckers3/v1/chineseCheckers3", by(r"(\w\d)–(\w\d)", "move {} {}".format)),
}


class Compiled:
    """The kernels of a sheet beside its Python methods."""

    def __init__(self, sheet: Gdl, state: Any) -> None:
        kernels = sheet.game_kernels()
        assert kernels is not None
        self.sheet, self.kernels = sheet, kernels
        self.problem, self.state = sheet.encode(state)
        self.out, self.goals = np.zeros(sheet.max_actions, np.int32), np.zeros(len(sheet.roles))

    def agrees_on(self, state: Any) -> None:
        sheet, kernels, mover = self.sheet, self.kernels, self.sheet.mover(state)
        assert bool(kernels.is_final(self.state, self.problem)) == sheet.is_final(state)
        if sheet.is_final(state):
            kernels.rewards(self.state, self.problem, self.goals)
            assert tuple(self.goals.tolist()) == sheet.rewards(state)
        else:
            assert kernels.mover(self.state, self.problem) == (-1 if mover is None else mover)
        for role in range(len(sheet.roles)):
            if mover in (None, role):
                n = kernels.actions(self.state, self.problem, role, self.out)
                assert self.out[:n].tolist() == sheet.actions_of(state, role)

    def play(self, joint: list[int]) -> None:
        self.kernels.play(self.state, self.problem, np.array(joint, np.int32))


def names_in(game: Domain, state: Any, role: int, renamed: Renamed = str) -> dict[str, Any]:
    """What the role's actions are called in the sheet; "" what does nothing."""
    actions = game.actions_of(state, role)
    names = [NOTHING[0] if action == NOOP else renamed(game.action_name(state, action)) for action in actions]
    named = {("" if name in NOTHING else name): one for name, one in zip(names, actions, strict=True)}
    assert len(named) == len(actions)
    return named


def same_state(game: Domain, other: Any, sheet: Gdl, state: Any, renamed: Renamed) -> list[list[tuple[Any, Any]]]:
    """Compares all that can be said; returns for each role its actions, in both."""
    final = sheet.is_final(state)
    assert final == game.is_final(other)
    if final:
        assert sheet.rewards(state) == tuple(game.rewards(other))
        assert not any(sheet.actions_of(state, role) for role in range(len(sheet.roles)))
        return []
    pairs, active = [], []
    for role in range(len(sheet.roles)):
        ours, theirs = names_in(game, other, role, renamed), names_in(sheet, state, role, bare)
        assert ours.keys() == theirs.keys()
        assert (theirs == {"": NOOP}) == (ours.keys() == {""})
        active += [role] if ours.keys() != {""} else []
        pairs.append([(ours[name], theirs[name]) for name in sorted(ours)])
    assert sheet.mover(state) == (active[0] if len(active) == 1 else None)
    assert game.mover(other) in (None, sheet.mover(state)) or not active
    return pairs


def bare(name: str) -> str:
    """In chinook's sheet a move has the colour of its cells in its name, and a jump the cell that is jumped over."""
    return re.sub(r"(?:even|odd)(?:move|jump)( \w \d)(?: \w \d)?( \w \d)", r"move\1\2", name)


def random_match(game: Domain, sheet: Gdl, renamed: Renamed, seed: int) -> int:
    """How many states were compared."""
    random = Random(seed)
    other, state = game.sample(random), sheet.sample(random)
    compiled, count = Compiled(sheet, state), 0
    while True:
        count += 1
        pairs = same_state(game, other, sheet, state, renamed)
        compiled.agrees_on(state)
        if not pairs:
            return count
        chosen = [own[random.below(len(own))] for own in pairs]
        joint = [theirs for _, theirs in chosen]
        other = advance_all(game, other, tuple(ours for ours, _ in chosen))
        state = advance_all(sheet, state, joint)
        compiled.play(joint)


@pytest.mark.parametrize(
    ("game", "name", "renamed"),
    [
        (find_domain("tictactoe"), "tictactoe", marked),
        (Bids(), "bids", str),
        (Hopping(), "hopping", str),
        (Ring(), "ring", str),
    ],
)
def test_ours(game: Domain, name: str, renamed: Renamed) -> None:
    sheet = Gdl(SHEETS / f"{name}.kif")
    assert len(sheet.roles) == len(game.roles)
    assert sum(random_match(game, sheet, renamed, seed) for seed in range(60)) > 200


@pytest.mark.skipif(PUBLIC is None, reason="MCSGRAMMAR_SHEETS names no folder of public sheets")
@pytest.mark.parametrize("name", THEIRS)
def test_theirs(name: str) -> None:
    file, renamed = THEIRS[name]
    sheet = Gdl(Path(PUBLIC or "") / f"{file}.kif")
    states = sum(random_match(find_domain(name), sheet, renamed, seed) for seed in range(12))
    print(f"{name}: {states} states of 12 random matches")

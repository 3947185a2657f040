"""A match that was played, as people look at it."""

from collections.abc import Iterator
from typing import Any

from discovery.arena.playing import seating_text
from discovery.arena.records import MatchRecord
from discovery.arena.settings import MatchSettings
from domains.games.drawing import BoardGame, match_strip
from domains.protocol import Domain, joint_name
from mcsgrammar.engines.arena.guarded import GuardedGame
from mcsgrammar.engines.arena.matching import joints_of, start_of
from mcsgrammar.engines.guarding import guarded
from mcsgrammar.wording import printable, printable_lines


def joints(game: Domain, record: MatchRecord) -> tuple[Any, list[tuple[Any, ...]]]:
    """Where the match began, and its joint moves."""
    initial = start_of(game, record.block)
    return initial, joints_of(game, initial, record.choices)


def players_line(settings: MatchSettings, record: MatchRecord) -> str:
    return f"block {record.block}, {seating_text(settings, record.seating)}"


def move_by_move(settings: MatchSettings, game: Domain, record: MatchRecord) -> Iterator[str]:
    """Lines: who played, every step, with the state after it if the game draws any, the goals in hundredths."""
    initial, played = joints(game, record)
    draws = type(game).draw is not Domain.draw
    yield printable(players_line(settings, record))
    if draws:
        yield from _drawn(game, initial, [])
    referee = GuardedGame(game)
    state = referee.copy(initial)
    for step, joint in enumerate(played, 1):
        if draws:
            yield ""
        yield printable(f"{step}. {_said(game, state, joint)}")
        state = referee.play_all(state, joint, step - 1)
        if draws:
            yield from _drawn(game, initial, played[:step])
    yield ""
    goals = zip(game.roles, record.goals, strict=True)
    yield printable(", ".join(f"{role} {100 * goal:g}" for role, goal in goals))


def _said(game: Domain, state: Any, joint: tuple[Any, ...]) -> str:
    """A joint move, with who plays it."""
    mover = GuardedGame(game).mover(state)
    name = guarded(game, "action_name", lambda: joint_name(game, state, joint))
    return name if mover is None else f"{game.roles[mover]} {name}"


def _drawn(game: Domain, initial: Any, played: list[tuple[Any, ...]]) -> list[str]:
    text = guarded(game, "draw", lambda: game.draw(initial, played))
    return printable_lines(text).splitlines()


def end_drawn(game: Domain, record: MatchRecord) -> str:
    """The end of the match as text."""
    return "\n".join(_drawn(game, *joints(game, record)))


def picture(game: Domain, record: MatchRecord) -> str | None:
    """As an SVG document: a strip of boards where the game has a board, else as it draws itself; None if it does
    not."""
    initial, played = joints(game, record)
    if isinstance(game, BoardGame):
        board: BoardGame = game
        return guarded(game, "svg", lambda: match_strip(board, initial, played))
    return guarded(game, "svg", lambda: game.svg(initial, played))

"""Matches that take milliseconds, and a program that plays some and is killed: `python -m … FOLDER PLACE COUNT`."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from discovery.arena import running
from discovery.arena.keeping import FinishedMatches, MatchJournal, begin
from discovery.arena.running import PlayedMatches, play_in_folder
from discovery.arena.settings import MatchSettings, plan

FIRST, SECOND, THIRD = "select(sim, 0.4)", "select(sim, 1)", "select(sim(mast(eps=0.4)), 0.4)"
JOURNAL, UNFINISHED, SETTINGS = "journal.jsonl", "unfinished.jsonl", "settings.json"


def planned(*agents: str, budget: int = 2, games: int = 8, engine: Any = "reference", **how: Any) -> MatchSettings:
    named = agents or (FIRST, SECOND)
    return plan("tictactoe", [(text, budget, None) for text in named], games=games, engine=engine, **how)


def made(folder: Path, *agents: str, **how: Any) -> Path:
    """Matches not yet played."""
    begin(folder, planned(*agents, **how))
    return folder


def finished(folder: Path, jobs: int = 1) -> tuple[bytes, PlayedMatches]:
    played = play_in_folder(folder, jobs=jobs)
    assert played.ended == "complete"
    assert not (folder / UNFINISHED).exists()
    return (folder / JOURNAL).read_bytes(), played


PLACES: dict[str, tuple[Any, str]] = {
    "a match is kept": (FinishedMatches, "add"),
    "a block is written": (MatchJournal, "append"),
    "what is written is no longer kept": (FinishedMatches, "keep_only"),
    "a match is taken": (running._Loop, "take"),
}
"""Where the program is killed: before such a call, and after it."""


def kill_at(place: str, count: int, before: bool) -> None:
    """This process is killed at the call number `count`."""
    owner, name = PLACES[place]
    method, calls = getattr(owner, name), 0

    def counted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == count and before:
            os.kill(os.getpid(), signal.SIGKILL)
        result = method(*arguments)
        if calls == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, counted)


if __name__ == "__main__":
    kill_at(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "before")
    play_in_folder(Path(sys.argv[1]), jobs=int(sys.argv[5]))

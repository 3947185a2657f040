"""Whatever stops matches, their journal comes out the same, and nothing that was finished is played again."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discovery.arena import timing
from discovery.arena.keeping import FinishedMatches, MatchJournal, begin, checked_records, read_kept
from discovery.arena.playing import Arena, MatchWorld
from discovery.arena.running import play, play_in_folder
from discovery.arena.settings import plan
from discovery.arena.standings import block_points
from discovery.keeping.journal_reading import JournalError
from discovery.keeping.locking import FolderLock
from discovery.pool.parallel import jobs_that_pay
from domains.errors import DomainError, UserError
from domains.games.tictactoe import TicTacToe
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.matching import Seat, play_match
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import Limits
from tests.discovery.arena.matches import (
    FIRST,
    JOURNAL,
    PLACES,
    SECOND,
    SETTINGS,
    THIRD,
    UNFINISHED,
    finished,
    made,
    planned,
)
from tests.discovery.campaigns import made as made_campaign
from tests.language.command import ENVIRONMENT, MCSGRAMMAR

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return finished(made(tmp_path_factory.mktemp("whole") / "m"))[0]


def matches_in(folder: Path) -> int:
    """Finished, in the journal or beside it."""
    found = set()
    for name in (JOURNAL, UNFINISHED):
        lines = (folder / name).read_text().splitlines(keepends=True) if (folder / name).exists() else []
        rows = [json.loads(line) for line in lines if line.endswith("\n")]
        found |= {(row[0], *row[1]) for row in rows if isinstance(row[0], int)}
    return len(found)


def test_the_journal(whole: bytes) -> None:
    lines = [json.loads(line) for line in whole.splitlines()]
    assert [line[0] for line in lines] == [
        "mcsgrammar matches",
        0,
        0,
        "batch",
        1,
        1,
        "batch",
        2,
        2,
        "batch",
        3,
        3,
        "batch",
    ]
    assert [line[1] for line in lines[1:3]] == [[0, 1], [1, 0]]
    assert lines[-1][1:3] == [4, 8]


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_same_journal_with_any_number_of_workers(jobs: int, whole: bytes, tmp_path: Path) -> None:
    assert finished(made(tmp_path / "m"), jobs)[0] == whole


def test_a_tournament_has_the_same_journal_with_two_workers(tmp_path: Path) -> None:
    folders = [made(tmp_path / name, FIRST, SECOND, THIRD, tournament=True, games=4) for name in ("a", "b")]
    journals = [finished(folder, jobs)[0] for folder, jobs in zip(folders, (1, 2), strict=True)]
    assert journals[0] == journals[1]
    seatings = [json.loads(line)[1] for line in journals[0].splitlines()[1:7]]
    assert seatings == [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]


def test_in_memory_it_is_the_same(whole: bytes, tmp_path: Path) -> None:
    assert play(planned()).records == finished(made(tmp_path / "m"))[1].records


def test_cut_anywhere(whole: bytes, tmp_path: Path) -> None:
    """After every line, and in the middle of every line but the header, whose loss is said."""
    folder = made(tmp_path / "m")
    ends = [sum(map(len, whole.splitlines(keepends=True)[:n])) for n in range(1, whole.count(b"\n") + 1)]
    for end in [*ends, *(end - 9 for end in ends[1:])]:
        (folder / JOURNAL).write_bytes(whole[:end])
        assert finished(folder)[0] == whole


def test_what_is_cut_is_said(whole: bytes, tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    lines = whole.splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(lines[:5]))
    said = f"cut 1 match ({len(lines[4])} bytes) after the last complete batch (torn write)"
    assert read_kept(folder)[2] == said
    assert play_in_folder(folder).cut == said


def killed(folder: Path, place: str, count: int, moment: str, jobs: int = 1) -> bool:
    """Whether the program came to be killed."""
    arguments = [str(folder), place, str(count), moment, str(jobs)]
    done = subprocess.run([sys.executable, "-m", "tests.discovery.arena.matches", *arguments], cwd=ROOT)
    return done.returncode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_killed_at_any_step(place: str, whole: bytes, tmp_path: Path) -> None:
    """Before and after every single call; each match is finished once."""
    for moment in ("before", "after"):
        count = 1
        while True:
            folder = made(tmp_path / f"{moment}{count}")
            if not killed(folder, place, count, moment):
                break
            kept = matches_in(folder)
            journal, played = finished(folder)
            assert journal == whole
            assert played.played_now == 8 - kept
            if place == "a match is kept":
                assert kept == count - (moment == "before")
            count += 1
        assert count > (1 if place == "what is written is no longer kept" else 4)  # blocks may be whole together


@pytest.mark.slow
def test_killed_with_workers(whole: bytes, tmp_path: Path) -> None:
    for count in (1, 3, 6):
        folder = made(tmp_path / str(count))
        assert killed(folder, "a match is kept", count, "after", jobs=2)
        assert matches_in(folder) == count
        assert finished(folder, 2)[0] == whole


def interrupt_at(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of this match, counted from 1."""
    pull, times = MatchWorld.pull, []

    def interrupted(world: MatchWorld, text: str, t: int) -> object:
        times.append(text)
        if len(times) == number:
            raise KeyboardInterrupt
        return pull(world, text, t)

    monkeypatch.setattr(MatchWorld, "pull", interrupted)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 8])
def test_an_interrupt_keeps_what_is_finished(
    number: int, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole blocks, and the first match of the next."""
    with monkeypatch.context() as patched:
        interrupt_at(number, patched)
        played = play_in_folder(made(tmp_path / "m"))
    before = number - 1
    assert (played.ended, played.played_now) == ("interrupted", before)
    assert (len(played.records), played.finished) == (before - before % 2, before % 2)
    journal, again = finished(tmp_path / "m")
    assert journal == whole
    assert again.played_now == 8 - before


def test_what_is_kept_beside_a_journal_that_has_it(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill between writing a block and forgetting its matches."""
    with monkeypatch.context() as patched:
        interrupt_at(4, patched)
        patched.setattr(FinishedMatches, "keep_only", lambda *arguments: None)
        play_in_folder(made(tmp_path / "m"))
    assert (tmp_path / "m" / UNFINISHED).read_text().count("\n") == 4
    with monkeypatch.context() as patched:
        interrupt_at(1, patched)
        played = play_in_folder(tmp_path / "m")
    assert (len(played.records), played.finished) == (2, 1)
    journal, again = finished(tmp_path / "m")
    assert (journal, again.played_now) == (whole, 5)


@pytest.mark.parametrize("changed", ["versions_now", "source_hash", "canonical_text"])
def test_what_is_kept_of_other_versions_or_files_is_not_used(
    changed: str, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made(tmp_path / "m")
    with monkeypatch.context() as patched:
        interrupt_at(4, patched)
        play_in_folder(folder)
    monkeypatch.setattr(f"discovery.arena.running.{changed}", lambda *arguments: "another")
    journal, played = finished(folder)
    assert (journal, played.played_now) == (whole, 6)
    assert f"{folder / UNFINISHED} is not used: it is of another batch, version or domain" in capsys.readouterr().err


@pytest.mark.parametrize("change", [{"goals": (1.0,)}, {"simulations": (1, 2, 3)}, {"seating": (1, 0)}, {"block": 1}])
def test_a_record_of_other_matches_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    settings = planned()
    records = play(settings).records
    path = tmp_path / JOURNAL
    assert checked_records(tmp_path, settings, list(records)) == list(records)
    with pytest.raises(JournalError) as error:
        checked_records(tmp_path, settings, [replace(records[0], **change), *records[1:]])
    assert str(error.value) == (
        f"{path}: match 1 is not the one that its settings ask for there; restore the file from a copy"
    )


def test_matches_are_those_of_their_settings() -> None:
    """Start, thinking, seed and budgets get to the players."""
    settings = planned(budget=3, games=4, start=2, think="own", seed=5)
    game = TicTacToe()
    seats = [Seat(agent_of(text, game), Limits(3)) for text in (FIRST, SECOND)]
    expected = []
    for block in range(2):
        for seating in ((0, 1), (1, 0)):
            seated = [seats[agent] for agent in seating]
            expected.append(play_match(game, ReferenceArena(game), seated, block, 5, start=2, think="own").choices)
    played = play(settings)
    assert [record.choices for record in played.records] == expected
    assert expected != [record.choices for record in play(planned(budget=3, games=4)).records]
    assert not played.tree_full
    assert play(planned(budget=9, games=2, max_nodes=12)).tree_full


def test_workers_are_started_where_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    game = TicTacToe()
    assert 0 < timing.seconds_of_match(planned(), game, "reference") < 1
    seconds = plan("tictactoe", [(FIRST, None, 2.0), (SECOND, None, 4.0)])
    assert timing.seconds_of_match(seconds, game, "reference") == (game.horizon + 1) * 2 * 3.0
    monkeypatch.setattr("loky.cpu_count", lambda: 7)
    assert [jobs_that_pay(work) for work in (6.0, 6.1)] == [1, 7]


def test_more_games_go_on_with_the_same_journal(tmp_path: Path, whole: bytes) -> None:
    folder = made(tmp_path / "m", games=4)
    assert finished(folder)[0] == whole[: len(finished(folder)[0])]
    assert begin(folder, planned(games=8)).blocks == 4
    journal, played = finished(folder)
    assert journal == whole
    assert played.played_now == 4
    assert begin(folder, planned(games=2)).blocks == 4  # fewer are there already


def test_the_rule_for_points_changes_no_journal(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    finished(folder)
    assert begin(folder, planned(points="roles")).points == "roles"
    assert play_in_folder(folder).played_now == 0


def test_other_settings_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UserError) as error:
        begin(folder, planned(seed=3, think="own"))
    assert str(error.value) == (
        f"{folder} holds matches with other settings; choose another --out, or resume it as it is\n"
        "  think: 'always', now 'own'\n  seed: 0, now 3"
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_other_agents_are_refused_by_their_texts(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    with pytest.raises(UserError) as error:
        begin(folder, planned(FIRST, THIRD))
    first, second, third = (agent_of(text, TicTacToe()) for text in (FIRST, SECOND, THIRD))
    budget = planned().agents[0].budget
    assert str(error.value).splitlines()[1:] == [
        f"  agents: {first}@{budget}, {second}@{budget}, now {first}@{budget}, {third}@{budget}"
    ]


WRONG_PLANS: list[tuple[list[Any], dict[str, Any], str]] = [
    ([FIRST, 3], {}, "3 is no agent; write an expression, such as 'select(sim, 0.4)'"),
    ([FIRST, SECOND], {"games": 2.5}, "the number of games cannot be 2.5; it is a whole number from 1 to 1,000,000"),
    ([FIRST, SECOND], {"seed": 0.5}, "the seed cannot be 0.5; it is a whole number from 0 to 2^63 - 1"),
    (
        [FIRST, SECOND],
        {"start": 0.5},
        "the searches before the first step cannot be 0.5; it is a whole number of at least 0",
    ),
]


@pytest.mark.parametrize(("agents", "how", "text"), WRONG_PLANS)
def test_what_python_may_hand_over(agents: list[Any], how: dict[str, Any], text: str) -> None:
    with pytest.raises(UserError) as error:
        plan("tictactoe", [(agent, 10, None) for agent in agents], **how)
    assert str(error.value) == text


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "notes.txt").touch()
    with pytest.raises(UserError) as error:
        begin(tmp_path / "m", planned())
    assert (
        str(error.value) == f"{tmp_path / 'm'} holds something else (notes.txt); choose an empty or new folder as --out"
    )


def test_a_folder_of_a_campaign(tmp_path: Path) -> None:
    folder = made_campaign(tmp_path / "c", "sudoku:2")
    with pytest.raises(UserError) as error:
        begin(folder, planned())
    assert str(error.value) == f"{folder} holds a campaign; choose another --out"


def test_a_campaign_in_a_folder_of_matches(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    with pytest.raises(UserError) as error:
        made_campaign(folder, "sudoku:2")
    assert str(error.value) == f"{folder} holds matches, not a campaign; mcsgrammar status {folder} shows them"


def test_one_process_at_a_time(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    with FolderLock(folder), pytest.raises(UserError) as error:
        play_in_folder(folder)
    holder = f"another process (pid {os.getpid()})"
    assert str(error.value) == f"{folder}: {holder} is playing these matches; wait for it or stop it"


def test_one_process_at_a_time_writes_the_journal(tmp_path: Path) -> None:
    """Though the lock beside it was deleted."""
    folder = made(tmp_path / "m")
    finished(folder)
    with MatchJournal.open(folder / JOURNAL)[0], pytest.raises(UserError) as error:
        play_in_folder(folder)
    assert str(error.value) == f"{folder}: another process is playing these matches; wait for it or stop it"


def test_a_journal_of_other_settings(tmp_path: Path, whole: bytes) -> None:
    folder = made(tmp_path / "m", budget=3)
    (folder / JOURNAL).write_bytes(whole)
    with pytest.raises(JournalError) as error:
        play_in_folder(folder)
    said = f"{folder / JOURNAL} was not written with the settings beside it; restore both from one copy"
    assert str(error.value) == said
    assert (folder / JOURNAL).read_bytes() == whole


def test_a_journal_that_is_damaged(tmp_path: Path, whole: bytes) -> None:
    folder = made(tmp_path / "m")
    (folder / JOURNAL).write_bytes(whole.replace(b"[1,[0,1]", b"[1,[1,1]"))
    with pytest.raises(JournalError) as error:
        play_in_folder(folder)
    assert str(error.value) == (
        f"{folder / JOURNAL}, line 5: does not match its checksum; restore the file from a copy, or keep its first 4 "
        "lines only (the matches behind them are then run again)"
    )


def test_what_is_kept_of_another_version_is_not_used(
    tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made(tmp_path / "m")
    (folder / UNFINISHED).write_text('["mcsgrammar matches unfinished",1,"00","12345678"]\n')
    assert finished(folder)[0] == whole
    said = f"note: {folder / UNFINISHED} is not used: it is of another batch, version or domain\n"
    assert said in capsys.readouterr().err


def test_settings_of_a_later_version(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    text = (folder / SETTINGS).read_text()
    (folder / SETTINGS).write_text(text.replace('"think": "always"', '"thinks": "always"'))
    with pytest.raises(UserError) as error:
        read_kept(folder)
    assert str(error.value) == (
        f"{folder / SETTINGS} is damaged: it has a setting 'thinks' that there is not; restore it from a copy"
    )


def test_a_pull_of_discovery_is_one_call() -> None:
    """W of a block against one opponent: as in the matches of that block."""
    game = TicTacToe()
    agents = [Seat(agent_of(text, game), Limits(2)) for text in (FIRST, SECOND)]
    arena = Arena(game, ReferenceArena(game))
    scores = [arena.score(*agents, block).points for block in range(4)]
    assert scores == block_points(play(planned()).records, 0).tolist()
    assert [arena.score(*reversed(agents), block).points for block in range(4)] == [1 - score for score in scores]
    assert [arena.score(*agents, block, stream="train").points for block in range(4)] != scores


FAULTY = """
from domains.games.tictactoe import TicTacToe


class Faulty(TicTacToe):
    def rewards(self, state):
        if state[:3] == [0, 0, 0]:
            raise ValueError("no such end")
        return super().rewards(state)
"""


def test_a_game_that_goes_wrong_stops_it(tmp_path: Path) -> None:
    """What was finished before is kept."""
    (tmp_path / "faulty.py").write_text(FAULTY)
    named = [(text, 2, None) for text in (FIRST, SECOND)]
    settings = plan(f"{tmp_path / 'faulty.py'}:Faulty", named, games=100, engine="reference")
    begin(tmp_path / "m", settings)
    with pytest.raises(DomainError) as error:
        play_in_folder(tmp_path / "m")
    block = len(read_kept(tmp_path / "m")[1]) // 2
    text = str(error.value)
    assert text.startswith(f"block {block} (crosses: step(select(sim, ")
    assert "): Faulty.rewards raised ValueError: no such end (line 8 of " in text


def test_ctrl_c_of_the_command(tmp_path: Path) -> None:
    """Twice as fast as any human: the tables of what is finished, and how to go on."""
    folder = tmp_path / "m"
    arguments = ["match", "tictactoe", FIRST, SECOND, "--budget", "2", "--games", "100000", "--engine", "reference"]
    running = subprocess.Popen(
        [MCSGRAMMAR, *arguments, "--jobs", "2", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (folder / JOURNAL).exists() or (folder / JOURNAL).stat().st_size < 2000:
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in errors
    played = len(read_kept(folder)[1])
    lines = output.splitlines()
    assert lines[0].startswith(
        f"tictactoe: {played:,} games, {played // 2:,} of each of 2 seatings; 2 simulations a search"
    )
    assert lines[-1] == f"{100000 - matches_in(folder):,} games are left; go on with: mcsgrammar resume {folder}"

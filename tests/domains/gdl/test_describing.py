"""What `mcsgrammar check gdl:…` says of a sheet or of a folder of them."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from domains.errors import UnknownDomain
from domains.gdl.describing import look_at, sheets_in, try_each
from mcsgrammar.cli.checking import command
from tests.domains.gdl.games import SHEETS, SMALL


def run(*arguments: str) -> str:
    """In this process, where the kernels are compiled already."""
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert all(line.startswith("checking: ") for line in done.stderr.splitlines())  # now and then, where it takes long
    return done.stdout


def said(*arguments: str) -> list[str]:
    return re.sub(r"[\d,]+ random|[\d,]+ playouts/s|[\d.]+ s CPU", "…", run(*arguments)).splitlines()


@pytest.mark.slow
def test_of_a_game_for_two_the_check_goes_on() -> None:
    name = f"gdl:{SHEETS / 'tictactoe.kif'}"
    lines = said(name)
    assert lines[:2] == [
        "tictactoe.kif: 2 roles, x and o, who move in turns; who waits has wait",
        "29 facts, 10 and 10 moves, 336 ground rules; no bound on the length of games is known",
    ]
    assert lines[3:] == [
        "… games of 7.6 steps, …; all ended",
        f"{name}: nothing wrong found (1 problem, 20 playouts)",
        "sequences of 1, 2, 3, … joint moves: 9, 72, 504, 3 024, 15 120",
    ]
    found = json.loads(run(name, "--problems", "2", "--json"))
    assert (found["problems"], found["findings"], found["joint_moves"][:2]) == (2, [], [9, 72])


@pytest.mark.parametrize(
    ("name", "roles", "how"),
    [
        ("tictactoe", "x and o", "who move in turns; who waits has wait"),
        ("hopping", "first and second", "who move in turns; who waits has noop"),
        ("ring", "red, green and blue", "who move in turns; who waits has noop or pass"),
        ("bids", "left and right", "who move at once"),
    ],
)
def test_who_moves(name: str, roles: str, how: str) -> None:
    sheet = look_at(SHEETS / f"{name}.kif", 0.0)
    assert sheet.lines()[0] == f"{name}.kif: {len(sheet.network.roles)} roles, {roles}, {how}"


@pytest.mark.slow
def test_of_a_game_for_one_the_check_goes_on() -> None:
    name = f"gdl:{SHEETS / 'hanoi.kif'},length=12"
    assert said(name, "--problems", "1") == [
        "hanoi.kif: 1 role, player",
        "20 facts, 18 moves, 187 ground rules; no game has more than 10 steps",
        "69 gates, 656 bytes a state; ready in …",
        "… games of 10.0 steps, …; all ended",
        f"{name}: nothing wrong found (1 problem, 20 playouts)",
    ]


def test_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "small.kif").write_text(SMALL)
    (tmp_path / "wrong.kif").write_text("(role a")
    lines = said(f"gdl:{tmp_path}")
    assert lines[0].startswith("| sheet | roles | moving | rules |")
    assert lines[2].startswith("| in/small.kif | 1 | one | 9 | 4 | 3 | ")
    assert lines[3] == "| wrong.kif | refused: wrong.kif:1:1: this parenthesis is not closed; close it |"
    assert lines[4:] == ["", "2 sheets, of which 1 can be played"]
    found = json.loads(run(f"gdl:{tmp_path}", "--json"))["sheets"]
    assert [one["path"] for one in found] == ["in/small.kif", "wrong.kif"]
    assert found[0]["moves"] == [3] and found[0]["longest"] is None and "^" in found[1]["refused"]


def test_as_json() -> None:
    found = look_at(SHEETS / "duel.kif", 0.0).numbers()
    assert (found["roles"], found["in_turns"], found["unfinished"], found["faults"]) == (["ann", "bob"], False, 0, [])


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (" (succ 2 3)", "", "a role has no legal move before the game is over"),
        ("(<= (goal p 100) (true (at 3)))", "", "a role has no goal in a final state"),
        ("(<= terminal", "(goal p 7) (<= terminal", "a role has several goals in a final state, or one that is none"),
    ],
)
def test_faults(old: str, new: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "faulty.kif"
    path.write_text(SMALL.replace(old, new))
    sheet = look_at(path, 0.0)
    assert sheet.faults == (fault,) and sheet.lines()[-1] == f"error: {fault}" and sheet.row()[-1] == fault


def test_games_that_do_not_end(tmp_path: Path) -> None:
    path = tmp_path / "endless.kif"
    path.write_text(
        SMALL.replace("terminal (true (at 3))", "terminal (true (at 9))").replace("(succ 2 3)", "(succ 2 0)")
    )
    sheet = look_at(path, 0.0)
    assert (sheet.games, sheet.unfinished, sheet.row()[-1]) == (1, 1, "not all")
    assert sheet.lines()[3].endswith("; 1 had not ended after 1,000 steps")


def test_games_are_played_as_far_as_their_bound(tmp_path: Path) -> None:
    path = tmp_path / "long.kif"
    steps = "".join(f"(succ {i} {i + 1})" for i in range(1_200))
    path.write_text(
        f"(role p)(init (at 0)){steps}(legal p go)(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))"
        "(<= terminal (true (at 1200)))(goal p 100)"
    )
    sheet = look_at(path, 0.0)
    assert (sheet.network.facts["longest"], sheet.most, sheet.unfinished, sheet.row()[-1]) == (1_200, 1_200, 0, "yes")
    assert sheet.lines()[3].endswith("; all ended")


def test_games_that_are_stuck_did_not_end(tmp_path: Path) -> None:
    path = tmp_path / "stuck.kif"
    path.write_text(SMALL.replace("(succ 1 2)", ""))
    sheet = look_at(path, 0.0)
    assert (sheet.games, sheet.stuck, sheet.unfinished) == (1, 1, 0)
    assert sheet.lines()[3].endswith("; 1 stopped where a role had no legal move")


def test_a_folder_without_sheets(tmp_path: Path) -> None:
    with pytest.raises(UnknownDomain) as error:
        sheets_in(tmp_path)
    assert str(error.value) == f"there is no *.kif in {tmp_path}"


def test_what_cannot_be_read_in_a_folder_is_said_in_its_line(tmp_path: Path) -> None:
    (tmp_path / "folder.kif").mkdir()
    (tmp_path / "gone.kif").symlink_to(tmp_path / "nowhere")
    (tmp_path / "small.kif").write_text(SMALL)
    found = list(try_each(sheets_in(tmp_path), 0.0))
    assert [path.name for path, _, _ in found] == ["gone.kif", "small.kif"]
    assert found[0][1] is None and found[0][2].startswith(f"cannot read {tmp_path / 'gone.kif'}: No such file")
    assert found[1][1] is not None

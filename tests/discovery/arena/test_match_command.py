"""`match` and `tournament` as a user runs them, and from Python."""

import io
import itertools
import json
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

import mcsgrammar as mg
from discovery.arena.agents import AgentSettings, agent_and_budget, oppose
from discovery.arena.keeping import MatchJournal, read_kept
from discovery.arena.records import MatchRecord
from discovery.arena.remarks import remarks, remarks_on_pulls
from discovery.arena.running import MatchProgress, play
from discovery.arena.settings import plan
from discovery.arena.standings import standings
from discovery.arena.tables import as_lines, interval_text
from discovery.pace import WorkPace
from discovery.statistics import Summary
from mcsgrammar.cli.match_display import MatchDisplay
from mcsgrammar.engines.searching import Limits
from tests.discovery.arena.matches import FIRST, JOURNAL, SECOND, THIRD, UNFINISHED, finished, made, planned
from tests.engines.arena.random_players import Ring
from tests.language.command import run
from tests.manners.terminal import needs_terminal, on_terminal

A, B = "step(select(sim, 0.4), mean)", "step(select(sim, 1), mean)"
TINY = ("--budget", "2", "--engine", "reference")
POINTS = (
    "points: 1 a game, in percent; the agents that hold a highest goal share it. Intervals: 95 %, by Student's t over "
    "blocks"
)


def told(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """The notes."""
    return [line.removeprefix("note: ") for line in done.stderr.splitlines() if line.startswith("note: ")]


def test_a_match() -> None:
    done = run("match", "tictactoe", FIRST, SECOND, *TINY, "--games", "8")
    assert done.returncode == 0
    head, _, columns, *rest = done.stdout.splitlines()
    setting = "2 simulations a search, 1 search more before the first step; seed 0"
    assert head == f"tictactoe: 8 games, 4 of each of 2 seatings; {setting}"
    assert columns.split() == [
        *["agent", "points", "95", "%", "interval", "as", "crosses", "as", "noughts", "mean", "goal"]
    ]
    assert [line.split("  ")[0] for line in rest[:2]] == [A, B]
    assert rest[-1] == POINTS
    assert done.stderr.splitlines()[-1].startswith("8 games in ")


def test_the_numbers_are_those_of_the_standings() -> None:
    said = play(planned()).standings()
    assert said is not None
    document = json.loads(run("match", "tictactoe", FIRST, SECOND, *TINY, "--games", "8", "--json").stdout)
    scores = document["pairings"][0]["scores"]
    assert [score["points"] for score in scores] == [one.points.mean for one in said.pairings[0].scored]
    assert scores[0]["ci95"] == [said.pairings[0][0].points.low, said.pairings[0][0].points.high]
    assert document["direct"][0]["p"] == said.direct[0].p


def test_the_document() -> None:
    """As `docs/arena.md` says what is in it."""
    document = json.loads(run("match", "tictactoe", FIRST, f"{SECOND}@3", *TINY, "--games", "3", "--json").stdout)
    assert list(document) == [
        *("game", "roles", "tournament", "agents", "games", "games_played", "blocks", "complete", "start", "think"),
        *("points", "seed", "reproducible", "ranking", "pairings", "direct", "same_opponents", "matches"),
    ]
    assert document["agents"] == [
        {"name": f"{A}@2", "expression": A, "budget": 2, "seconds": None},
        {"name": f"{B}@3", "expression": B, "budget": 3, "seconds": None},
    ]
    assert (document["games"], document["games_played"], document["blocks"], document["complete"]) == (4, 4, 2, True)
    assert list(document["ranking"][0]) == ["agent", "rank", "points", "stderr", "ci95"]
    assert list(document["pairings"][0]) == [
        *("agents", "blocks", "games", "draws", "mean_steps", "mean_simulations", "scores")
    ]
    assert list(document["pairings"][0]["scores"][0]) == [
        *("agent", "points", "stderr", "ci95", "as_role", "mean_goal")
    ]
    assert list(document["direct"][0]) == ["agents", "difference", "ci95", "p", "p_holm"]
    assert list(document["matches"][0]) == ["block", "seating", "goals", "steps", "simulations", "choices"]
    page = (Path(__file__).parents[3] / "docs" / "arena.md").read_text(encoding="utf-8")
    for keys in (document, document["ranking"][0], document["pairings"][0], document["direct"][0]):
        assert [key for key in keys if f"`{key}`" not in page] == []


def of_clear_winner(agents: int) -> list[MatchRecord]:
    """In ten blocks the last agent wins all but every fifth game, the others draw."""
    played = []
    for block in range(10):
        for a, b in itertools.permutations(range(agents), 2):
            last = agents - 1
            goals = (0.5, 0.5) if last not in (a, b) or block % 5 == 0 else (float(a == last), float(b == last))
            played.append(MatchRecord(block, (a, b), goals, 5, (10, 10), ()))
    return played


def lines_of(agents: list[str]) -> list[str]:
    settings = planned(*agents, tournament=len(agents) > 2)
    said = standings(of_clear_winner(len(agents)), settings.pairings)
    assert said is not None
    return as_lines(settings, said)


def test_who_is_better_is_said() -> None:
    assert f"{B} is better than {A} (p < 0.001, paired t-test over 10 blocks)" in lines_of([FIRST, SECOND])


def test_stars() -> None:
    """On the points of whoever is better, by both opponents' tests; nothing between the others."""
    *_, third = planned(FIRST, SECOND, THIRD, tournament=True).labels
    lines = lines_of([FIRST, SECOND, THIRD])
    assert third in lines[1]
    assert lines[1].count("*90.0 ± ") == 2
    assert "*" not in lines[2] + lines[3]
    assert "50.0 ± 0.0" in lines[2]


def test_a_tournament() -> None:
    done = run("tournament", "tictactoe", FIRST, SECOND, THIRD, *TINY, "--games", "4")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("tictactoe: 4 games for every pair, 2 of each of 2 seatings; 2 simulations a search")
    assert lines[2].split() == ["rank", "agent", "points", "v", "1", "v", "2", "v", "3"]
    assert [line.split()[0] for line in lines[3:6]] == ["1", "2", "3"]
    assert "Holm's correction for 3 pairs" in done.stdout
    assert "against the same opponents:" in lines
    assert lines[-1] == POINTS


def test_a_tournament_of_two_has_no_same_opponents() -> None:
    done = run("tournament", "tictactoe", FIRST, SECOND, *TINY, "--games", "4")
    assert (done.returncode, "same opponents" in done.stdout) == (0, False)


def test_show(tmp_path: Path) -> None:
    """Every step with its drawing, then the goals; only so many games."""
    (tmp_path / "drawn.py").write_text(PLAIN.replace("Plain", "Drawn") + DRAW)
    game = f"{tmp_path / 'drawn.py'}:Drawn"
    done = run("match", game, FIRST, SECOND, *TINY, "--games", "4", "--show", "1")
    played = mg.match(game, [FIRST, SECOND], budget=2, games=2, engine="reference").games[0]
    a, b, c = (joint[place % 2] for place, joint in enumerate(played.actions))
    assert done.stdout.split("\n\n")[:5] == [
        f"block 0, x: {A}, o: {B}\nboard ",
        f"1. x {a}\nboard {a}",
        f"2. o {b}\nboard {a}{b}",
        f"3. x {c}\nboard {a}{b}{c}",
        f"x {100 * (a + b + c) / 3:g}, o {100 - 100 * (a + b + c) / 3:g}",
    ]
    assert done.stdout.count("block ") == 1


def test_show_a_game_that_does_not_draw(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    done = run("match", f"{tmp_path / 'plain.py'}:Plain", FIRST, SECOND, *TINY, "--games", "2", "--show", "2")
    shown = done.stdout.splitlines()
    assert [line[:5] for line in shown[:4]] == ["block", "1. x ", "2. o ", "3. x "]
    assert shown[4] == shown[6] == ""
    assert done.stdout.count("block 0, ") == 2


def test_a_picture(tmp_path: Path) -> None:
    """Of the first game; a file that is there is refused before anything is played."""
    (tmp_path / "drawn.py").write_text(PLAIN.replace("Plain", "Drawn") + SVG)
    game, picture = f"{tmp_path / 'drawn.py'}:Drawn", tmp_path / "game.svg"
    arguments = ("match", game, FIRST, SECOND, *TINY, "--games", "2", "--svg", str(picture))
    done = run(*arguments)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, f"picture: {picture}")
    actions = mg.match(game, [FIRST, SECOND], budget=2, games=2, engine="reference").games[0].actions
    assert picture.read_text(encoding="utf-8") == f"<svg>{actions}</svg>"
    again = run(*arguments, "--out", str(tmp_path / "m"))
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == f"mcsgrammar: {picture} exists; choose another name, or add --force to overwrite it\n"
    assert not (tmp_path / "m").exists()


def test_a_game_without_pictures(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    game = f"{tmp_path / 'plain.py'}:Plain"
    done = run("match", game, FIRST, SECOND, *TINY, "--svg", str(tmp_path / "game.svg"))
    assert (done.returncode, done.stdout) == (2, "")
    said = f"mcsgrammar: {game} draws no pictures; leave --svg out (see 'mcsgrammar match --help')\n"
    assert done.stderr.replace("\n", " ").split() == said.split()
    assert not (tmp_path / "game.svg").exists()


PLAIN = """
from mcsgrammar import Domain


class Plain(Domain):
    \"\"\"Three choices of 0 or 1 in turn; x gets the share of ones.\"\"\"

    roles = ("x", "o")
    horizon = 3

    def sample(self, random):
        return []

    def mover(self, state):
        return len(state) % 2

    def actions(self, state):
        return [0, 1] if len(state) < 3 else []

    def play(self, state, action):
        state.append(action)

    def rewards(self, state):
        return sum(state) / 3, 1 - sum(state) / 3
"""


SVG = """
    def svg(self, initial, actions):
        return f"<svg>{tuple(actions)}</svg>"
"""
DRAW = """
    def draw(self, initial, actions):
        return "board " + "".join(str(joint[place % 2]) for place, joint in enumerate(actions))
"""


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    """With workers, a folder, and the folder moved on."""
    (tmp_path / "plain.py").write_text(PLAIN)
    game, folder = f"{tmp_path / 'plain.py'}:Plain", tmp_path / "m"
    done = run("match", game, FIRST, SECOND, "--budget", "2", "--games", "6", "--jobs", "2", "--out", str(folder))
    assert done.returncode == 0
    assert done.stdout.startswith("plain.py:Plain: 6 games")
    (tmp_path / "plain.py").write_text(PLAIN + "\n# mended\n")
    resumed = run("resume", str(folder))
    assert resumed.returncode == 2
    assert f"{folder}: the domain has changed since the match began" in resumed.stderr
    assert run("resume", str(folder), "--accept-domain").returncode == 0
    assert (
        "note: the game has changed after 6 games (resumed with --accept-domain)" in run("status", str(folder)).stdout
    )


NOTES = [
    ([FIRST, SECOND], {"games": 5}, ["5 games are no whole number of blocks of 2 seatings; 6 are played"]),
    ([FIRST, SECOND], {"games": 1}, ["1 game is no whole number of blocks of 2 seatings; 2 are played"]),
    ([FIRST, SECOND], {"games": 6}, []),
    (
        [FIRST, FIRST],
        {},
        [f"{A} plays against itself: 50 % of the points are expected of each"],
    ),
    (
        [FIRST, SECOND],
        {"budget": 8},
        ["a search of 8 simulations cannot try all 9 moves that crosses can begin with; chance says which it tries"],
    ),
    ([FIRST, f"{FIRST}@11"], {}, []),
]


@pytest.mark.parametrize(("agents", "how", "expected"), NOTES)
def test_notes(agents: list[str], how: dict[str, int], expected: list[str]) -> None:
    budget, games = how.get("budget", 10), how.get("games", 8)
    read = [agent_and_budget(agent, budget, None) for agent in agents]
    assert remarks(plan("tictactoe", read, games=games), mg.domain("tictactoe"), games) == expected


SECONDS = "budgets in CPU seconds make other matches every time; with --budget anybody can repeat them"
TOO_FEW = "a search of 8 simulations cannot try all 9 moves that crosses can begin with; chance says which it tries"


@pytest.mark.parametrize(
    ("pool", "budget", "seconds", "expected"),
    [
        (FIRST, 9, None, []),
        (FIRST, 8, None, [TOO_FEW]),
        (f"{FIRST}@8", 9, None, [TOO_FEW]),
        (f"{FIRST}@1s", 8, None, [SECONDS, TOO_FEW]),
        (FIRST, None, 1.0, [SECONDS]),
    ],
)
def test_notes_on_pulls(pool: str, budget: int | None, seconds: float | None, expected: list[str]) -> None:
    game = mg.domain("tictactoe")
    against = oppose(game, [pool], Limits(budget, seconds))
    assert remarks_on_pulls(against.pool, budget, seconds, game) == expected


def test_an_agent_against_itself_plays_games_of_its_own_in_every_seating() -> None:
    """Its interval holds a half; of 20 seeds, one would be expected to fail."""
    played = play(planned(FIRST, FIRST, games=40))
    said = played.standings()
    assert said is not None
    assert len({record.choices for record in played.records}) > 20
    assert all(one.points.stderr > 0 and abs(one.points.mean - 0.5) < 2.1 * one.points.stderr for one in said.overall)


def test_notes_on_seconds_and_three_agents() -> None:
    seconds = plan("tictactoe", [(FIRST, None, 0.5), (SECOND, None, 0.5)], games=8)
    said = "budgets in CPU seconds make other matches every time; with --budget anybody can repeat them"
    assert remarks(seconds, mg.domain("tictactoe"), 8) == [said]
    twice = plan("tictactoe", [(FIRST, None, 0.5), (FIRST, None, 0.5)], games=8)
    itself = f"{A} plays against itself: 50 % of the points are expected of each"
    assert remarks(twice, mg.domain("tictactoe"), 8) == [itself, said]
    three = plan(Ring(), [(FIRST, 9, None), (FIRST, 9, None), (SECOND, 9, None)], games=6)
    assert remarks(three, Ring(), 6) == [f"{A} plays twice: the same points are expected of both"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("select(sim, 1)", ("select(sim, 1)", 7, None)),
        ("select(sim, 1)@5000", ("select(sim, 1)", 5000, None)),
        ("select(sim, 1)@1e4", ("select(sim, 1)", 10000, None)),
        ("select(sim, 1)@0.5s", ("select(sim, 1)", None, 0.5)),
        ("select(sim, 1)@5e-05s", ("select(sim, 1)", None, 0.00005)),
    ],
)
def test_an_agents_own_budget(text: str, read: tuple[str, int | None, float | None]) -> None:
    assert agent_and_budget(text, 7, None) == read
    again = AgentSettings(*read).called(with_budget=True)
    assert agent_and_budget(again, 7, None) == read


def test_status_and_resume(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    whole = finished(folder)[0]
    lines = whole.splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(lines[:5]))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    said = run("status", str(folder)).stdout.splitlines()
    assert said[0].startswith("note: when it is resumed: cut 1 match (")
    assert said[1] == "2 of 8 games are played"
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    document = json.loads(run("status", str(folder), "--json").stdout)
    assert (document["games_played"], document["complete"], len(document["matches"])) == (2, False, 2)
    done = run("resume", str(folder), "--jobs", "1")
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1].startswith(f"{folder}: 6 games in ")
    assert (folder / JOURNAL).read_bytes() == whole


def test_status_of_a_folder_before_its_first_game(tmp_path: Path) -> None:
    said = run("status", str(made(tmp_path / "m"))).stdout.splitlines()
    assert (said[0], said[-1]) == ("0 of 8 games are played", "no block of games is whole yet")


@pytest.mark.parametrize("options", [["resume", "--top", "3"], ["resume", "--for", "1h"], ["status", "--top", "3"]])
def test_options_of_campaigns(options: list[str], tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    done = run(options[0], str(folder), *options[1:])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"mcsgrammar: {options[1]} is for campaigns, and {folder} holds matches; leave it out "
        f"(see 'mcsgrammar {options[0]} --help')\n"
    )


def test_a_report_on_matches(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    done = run("report", str(folder))
    assert (done.returncode, done.stdout) == (2, "")
    said = f"mcsgrammar: {folder} holds matches, not a campaign; mcsgrammar status {folder} shows them\n"
    assert done.stderr == said


def test_matches_that_the_settings_do_not_ask_for(tmp_path: Path) -> None:
    """Whole and well checked, but of another order."""
    folder, other = made(tmp_path / "m"), made(tmp_path / "other")
    records = finished(other)[1].records
    with MatchJournal.create(folder / JOURNAL, planned().digest()) as journal:
        journal.append([records[1], records[0]])
    with pytest.raises(mg.UserError) as error:
        read_kept(folder)
    assert str(error.value) == (
        f"{folder / JOURNAL}: match 1 is not the one that its settings ask for there; restore the file from a copy"
    )


def test_progress_in_a_line() -> None:
    settings, records = planned(), play(planned(games=4)).records
    progress = MatchProgress(settings, 5, records, WorkPace())
    said = progress.standings()
    assert said is not None
    line = MatchDisplay().line(progress)
    assert line.startswith(f"62%  5 of 8 games; {settings.labels[said.overall[0].agent]} ")
    assert MatchDisplay().line(MatchProgress(settings, 1, [], WorkPace())) == "12%  1 of 8 games"


def test_progress_on_a_terminal() -> None:
    """The bar, how far it is, the table; no table before a block is whole."""
    settings, records = planned(), play(planned(games=4)).records

    def shown(progress: MatchProgress) -> list[str]:
        console = Console(width=100, file=io.StringIO(), record=True)
        console.print(MatchDisplay().picture(progress))
        return [line.strip() for line in console.export_text().splitlines()]

    lines = shown(MatchProgress(settings, 5, records, WorkPace()))
    assert lines[1:3] == ["62%  5 of 8 games", lines[2]]
    assert lines[2].split() == ["agent", "points", "%", "±", "95", "%"]
    assert len(lines) == 5
    assert len(shown(MatchProgress(settings, 1, [], WorkPace()))) == 2


@needs_terminal
@pytest.mark.parametrize("kind", ["match", "tournament"])
def test_a_narrow_terminal(kind: str) -> None:
    """Agents are called by letters where their texts do not fit, and sentences are folded."""
    agents = [FIRST, SECOND] if kind == "match" else [FIRST, SECOND, THIRD]
    shown = on_terminal(kind, "tictactoe", *agents, *TINY, "--games", "4", columns=72)
    assert shown.status == 0
    printed = shown.lines[next(i for i, line in enumerate(shown.lines) if line.startswith("tictactoe: ")) :]
    assert max(map(len, printed)) <= 72
    assert f"A  {A}" in shown.lines
    assert f"B  {B}" in shown.lines
    wide = on_terminal(kind, "tictactoe", *agents, *TINY, "--games", "4", columns=160)
    assert f"A  {A}" not in wide.lines


ENDING = """
import multiprocessing
import os

from domains.games.tictactoe import TicTacToe


class Ending(TicTacToe):
    def rewards(self, state):
        if state[:3] == [0, 0, 0] and multiprocessing.current_process().name != "MainProcess":
            os._exit(3)
        return super().rewards(state)
"""


@pytest.mark.slow
def test_a_game_that_ends_its_worker(tmp_path: Path) -> None:
    """It is found out which match it was; all others of before are kept, and mended it goes on."""
    (tmp_path / "ending.py").write_text(ENDING)
    game, folder = f"{tmp_path / 'ending.py'}:Ending", tmp_path / "m"
    arguments = ("match", game, FIRST, SECOND, *TINY, "--games", "20", "--jobs", "2", "--out", str(folder))
    done = run(*arguments)
    assert done.returncode == 1
    *_, first, second = done.stderr.splitlines()
    assert first.startswith("mcsgrammar: ending.py:Ending, crosses: step(select(sim, ")
    assert " was lost with its worker all 3 times it ran alone, the last time by exit status 3; " in first
    assert first.endswith("; the match stopped before this block")
    assert second.startswith("if the domain ends its process, mend it and resume with --accept-domain; else see what ")
    (tmp_path / "ending.py").write_text(ENDING.replace("os._exit(3)", "pass"))
    assert run("resume", str(folder), "--accept-domain", "--jobs", "1").returncode == 0


# From Python.


def test_a_match_from_python(capsys: pytest.CaptureFixture[str]) -> None:
    found = mg.match("tictactoe", [FIRST, mg.parse(SECOND)], games=8, budget=2, engine="reference")
    said = "a search of 2 simulations cannot try all 9 moves that crosses can begin with; chance says which it tries"
    assert capsys.readouterr().err == f"note: {said}\n"
    assert list(found.records) == list(play(planned()).records)
    best = found[0]
    assert repr(found) == f"<Matches: 8 of 8 games of tictactoe; {best.name} has {100 * best.points:.1f} %>"
    assert (len(found), found.complete, best.rank) == (2, True, 1)
    assert str(found).splitlines()[-1] == POINTS
    assert found.document()["games_played"] == 8
    assert "<td>1</td>" in found._repr_html_()
    game = found.games[0]
    assert game.draw() == found.domain.draw(found.domain.sample(None), game.actions)  # type: ignore[arg-type]
    assert len(game.actions) == game.record.steps
    assert repr(game).startswith(f"<Match of tictactoe, block 0, crosses: {A}, noughts: {B}: ")
    assert game.agents == (A, B)
    assert "<p>tictactoe, block 0" in game._repr_html_()


def test_a_tournament_from_python_in_a_folder(tmp_path: Path) -> None:
    found = mg.tournament("tictactoe", [FIRST, SECOND, THIRD], tmp_path / "t", games=4, budget=2, engine="reference")
    again = mg.tournament("tictactoe", [FIRST, SECOND, THIRD], tmp_path / "t", games=4, budget=2, engine="reference")
    assert [one.points for one in found] == [one.points for one in again]
    assert len(found.records) == 12
    assert not (tmp_path / "t" / UNFINISHED).exists()


def test_a_game_that_is_an_object() -> None:
    found = mg.match(Ring(), [FIRST, SECOND], games=6, budget=4, engine="reference")
    assert len(found.records) == 6
    assert found.settings.roles == ("a", "b", "c")


def test_agents_are_a_list() -> None:
    with pytest.raises(mg.UserError) as error:
        mg.match("tictactoe", FIRST)
    assert str(error.value) == "give the agents as a list, such as ['select(sim, 0.4)', 'select(sim, 1)']"


def test_wrong_workers_leave_no_folder(tmp_path: Path) -> None:
    with pytest.raises(mg.UserError, match="the number of jobs cannot be 0; it is at least 1"):
        mg.match("tictactoe", [FIRST, SECOND], tmp_path / "m", jobs=0)
    assert not (tmp_path / "m").exists()


def test_intervals_are_no_wider_than_points() -> None:
    wide = Summary(3, 0.9, 0.2, -0.1, 1.9)
    assert interval_text(wide) == "0.0 to 100.0"
    assert interval_text(Summary(3, -0.2, 0.2, -1.1, 0.7), least=-1.0) == "-100.0 to 70.0"
    assert interval_text(Summary(3, 0.5, 0.1, 0.25, 0.75)) == "25.0 to 75.0"

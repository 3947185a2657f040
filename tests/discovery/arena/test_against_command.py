"""`discover --against` as a user runs it, what the other commands make of its folder, and the same from Python."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mcsgrammar as mg
from discovery.arena.keeping import read_kept
from discovery.arena.running import play
from discovery.arena.showing import joints
from discovery.campaign.settings import read_settings
from domains.errors import UserError
from domains.games.drawing import match_strip
from domains.games.tictactoe import TicTacToe
from mcsgrammar.cli.discovering import command as discover
from mcsgrammar.cli.foretelling import as_typed
from tests.discovery.arena.against import CANDIDATES
from tests.discovery.arena.against import made as made_against
from tests.discovery.arena.matches import FIRST, SECOND, THIRD, made, planned
from tests.discovery.campaigns import on_disk, refusal
from tests.engines.arena.toys import Rounds
from tests.language.command import run

A, B = "step(select(sim, 0.4), mean)", "step(select(sim, 1), mean)"
TINY = ("--budget", "2", "--engine", "reference", "--jobs", "1", "--batch", "8")
FORM = (
    "tictactoe has 2 roles; an agent is step(S, mean) with one select around sim inside S, and repeat and tune where "
    "you like; "
)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> "tuple[Path, subprocess.CompletedProcess[str]]":
    """A whole campaign: the folder, and what was said."""
    place = tmp_path_factory.mktemp("done")
    (place / "mine.txt").write_text("\n".join(CANDIDATES[1:]))
    arguments = ("--against", "select(sim, 0.4), select(sim, 1)@3", "--candidates", str(place / "mine.txt"), *TINY)
    ended = run(
        "discover",
        "tictactoe",
        *arguments,
        "--pulls",
        "24",
        "--top",
        "2",
        "--test-problems",
        "3",
        "--out",
        str(place / "c"),
    )
    assert ended.returncode == 0, ended.stderr
    return place / "c", ended


def test_a_campaign(done: Any) -> None:
    folder, ended = done
    assert "note: a search of 2 simulations cannot try all 9 moves that crosses can begin with; " in ended.stderr
    assert "planned: 24 pulls of 2 games, 2 simulations a search, on 3 candidates, " in ended.stderr
    assert "; then a round robin of the best on 3 test blocks of each pair, " in ended.stderr
    assert "\na round robin of 2 found and 2 to compare with, 3 test blocks of each pair\n" in ended.stderr
    head, _, columns, *lines = ended.stdout.splitlines()
    assert head.startswith(
        "tictactoe: 6 games for every pair, 3 of each of 2 seatings; each agent with a budget of its"
    )
    assert columns.split()[:5] == ["rank", "agent", "points", "v", "1"]
    settings, records, _ = read_kept(folder / "round-robin-2")
    assert len(records) == settings.games == 2 * 3 * len(settings.pairings)
    assert {"pool 2", "Dis#1"} <= {name.strip() for line in lines[:4] for name in re.findall(r"pool 2|Dis#1", line)}
    assert "same opponents" not in ended.stdout
    best = mg.load(folder)[0].expression_text
    assert f"The campaign recommends '{best}'. On 3 test blocks it comes to " in ended.stdout
    assert "% of the points against the pool (95 % interval " in ended.stdout
    assert "All of this is against this pool; the round robin says how everybody does against everybody." in lines
    match, report, again = lines[-3:]
    assert match == f"  mcsgrammar match tictactoe '{best}' '{A}@2' --games 200 --budget 2 --engine reference"
    assert report == "  mcsgrammar report " + f"{folder} --html c.html"
    assert again.startswith(f"  mcsgrammar discover tictactoe --against '{best}' --budget 2 ")


def test_resumed_it_says_the_same(done: Any) -> None:
    folder, ended = done
    before = {name: content for name, content in on_disk(folder).items() if name != "lock"}
    again = run("resume", str(folder), "--top", "2", "--test-problems", "3", "--jobs", "1")
    assert (again.returncode, again.stdout) == (0, ended.stdout)
    assert {name: content for name, content in on_disk(folder).items() if name != "lock"} == before


def test_its_status(done: Any) -> None:
    folder, _ = done
    shown = run("status", str(folder), "--top", "1").stdout.splitlines()
    assert shown[0] == f"tictactoe against {A}@2, {B}@3, 3 candidates, sampled-halving(each=4): 24 of 24 pulls"
    assert mg.status(folder)["against"] == [f"{A}@2", f"{B}@3"]
    assert mg.status(folder, 1)["leaders"][0]["expression_text"] == mg.load(folder)[0].expression_text


def test_its_report(done: Any, tmp_path: Path) -> None:
    folder, _ = done
    before = on_disk(folder)
    report = mg.report(folder, html=tmp_path / "c.html", md=tmp_path / "c.md")
    assert report.title == "tictactoe against 2 agents, 2 simulations a search"
    text = str(report)
    for title in ("Ranking on training blocks", "Points on test blocks", "Everybody against everybody", "Settings"):
        assert f"\n{title}\n" in text
    assert f"\nagainst, 2                      {B}@3\n" in text
    assert "test problem" not in text and "training problem" not in text
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    for name in ("tests", "robin", "training", "components", "spending", "matches", "ranking", "repeat"):
        assert f'<section id="{name}"' in page
    assert page.count("data:image/svg+xml") == 2  # a match in every seating
    assert "test problem" not in page and "training problem" not in page
    again = next(command for what, command in report.commands if what.startswith("The campaign again"))
    assert f"--against '{A}@2' --against '{B}@3' --budget 2 --candidates candidates.txt" in again
    more = dict(report.commands)["More matches of the recommended agent"]
    assert more.startswith(f"mcsgrammar match tictactoe '{report.ranking[0].expression_text}' '{A}@2' --games 200")
    assert "## Everybody against everybody" in (tmp_path / "c.md").read_text(encoding="utf-8")
    document = json.loads(run("report", str(folder), "--json").stdout)
    assert document["test"]["of_matches"] and document["test"]["reference"] == "the pool"
    means = [row["mean"] for row in document["test"]["rows"]]
    ranks = [row["rank"] for row in document["test"]["rows"]]
    assert means == sorted(means, reverse=True) and 50.0 in means
    assert ranks == [1 + sum(other > mean for other in means) for mean in means]
    assert on_disk(folder) == before


def test_a_report_plays_what_is_not_kept(tmp_path: Path) -> None:
    """Of a campaign that has not measured its best, or on other blocks; nothing is kept, and with 0 nothing played."""
    folder = made_against(tmp_path / "c")
    mg.discover(
        "tictactoe",
        folder,
        candidates=list(CANDIDATES),
        against=["select(sim, 0.4)", "select(sim, 1)@3"],
        budget=2,
        policy="ucb1",
        pulls=24,
        batch=7,
        seed=5,
        engine="reference",
    )
    before = on_disk(folder)
    report = mg.report(folder, test_problems=2, top=1)
    assert report.test is not None and (report.test.problems, report.test.kept) == (2, False)
    assert mg.report(folder, test_problems=0).test is None
    assert on_disk(folder) == before


def test_a_round_robin_that_is_not_whole_is_said(tmp_path: Path) -> None:
    folder, how = tmp_path / "c", {"against": "select(sim, 0.4)", "budget": 2, "engine": "reference", "top": 1}
    campaign = mg.discover("tictactoe", folder, candidates=list(CANDIDATES[1:]), pulls=6, test_problems=3, **how)  # type: ignore[arg-type]
    assert [row.reference for row in campaign.tested].count(True) == 1
    journal = folder / "round-robin-1" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:7]))
    report = mg.report(folder, top=1)
    assert report.notes == ("round-robin-1 is not complete: 4 of 6 games",)
    assert report.test is not None and report.test.problems == 2
    settings = journal.with_name("settings.json")
    settings.write_text(settings.read_text().replace("select(sim, 0.4)", "select(sim, 0.5)"))
    journal.unlink()
    (note, *_) = mg.report(folder, top=1, test_problems=0).notes or ("",)
    assert note == "round-robin-1 is left out: its agents are not the best of this campaign with its pool"


def test_interrupted_in_the_round_robin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign is whole and says how to go on."""
    from click.testing import CliRunner

    from discovery.arena.playing import MatchWorld
    from mcsgrammar.cli import cli

    (tmp_path / "mine.txt").write_text("\n".join(CANDIDATES[1:]))
    pull, times = MatchWorld.pull, []

    def interrupted(world: MatchWorld, text: str, t: int) -> Any:
        times.append(text)
        if len(times) == 14:
            raise KeyboardInterrupt
        return pull(world, text, t)

    monkeypatch.setattr(MatchWorld, "pull", interrupted)
    folder = tmp_path / "c"
    arguments = [
        "--against",
        FIRST,
        "--candidates",
        str(tmp_path / "mine.txt"),
        *TINY,
        "--pulls",
        "8",
        "--out",
        str(folder),
    ]
    ended = CliRunner().invoke(cli, ["discover", "tictactoe", *arguments], standalone_mode=False)
    assert ended.return_value == 130
    said = f"the campaign is complete, its best are not measured; do so with: mcsgrammar resume {folder}"
    assert ended.output.splitlines()[-1] == said
    assert len(read_kept(folder / "round-robin-5")[1]) == 12  # a block, of six pairs


def test_the_best_may_be_whom_it_was_against(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(FIRST)
    arguments = (
        "--against",
        "--candidates",
        str(tmp_path / "one.txt"),
        *TINY,
        "--pulls",
        "3",
        "--out",
        str(tmp_path / "c"),
    )
    ended = run("discover", "tictactoe", *arguments)
    assert ended.returncode == 0
    said, _, verdict, *_ = ended.stdout.splitlines()
    assert said == "the best is the agent that it played against, so there is nobody to compare it with"
    assert verdict == f"The campaign recommends '{A}', by its mean on 3 training blocks. It was not tested."
    assert mg.load(tmp_path / "c").tested == []


# What is typed.


def parsed(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The settings that a command makes, which is not run."""
    made: list[Any] = []
    monkeypatch.setattr(
        "discovery.campaign.running.create", lambda folder, settings, texts: made.append((settings, texts))
    )
    monkeypatch.setattr("mcsgrammar.cli.campaigning.run_and_measure", lambda *told, **how: 0)
    discover.main(list(arguments), standalone_mode=False)
    return made[0]


@pytest.mark.parametrize(
    ("typed", "pool"),
    [
        (["--against"], [f"{A}@7"]),
        (["--against", "select(sim, 1), select(sim, 0.4)"], [f"{B}@7", f"{A}@7"]),
        (["--against", "select(sim, 1)@3", "--against", "select(sim, 1)@0.5s"], [f"{B}@3", f"{B}@0.5s"]),
    ],
)
def test_the_pool(typed: list[str], pool: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    settings, _ = parsed("tictactoe", "--budget", "7", *typed, monkeypatch=monkeypatch)
    assert [agent.called(True) for agent in settings.against.pool] == pool


def test_the_candidates(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the papers on games, but for what is typed; what is left out is counted."""
    _, texts = parsed("tictactoe", "--against", "--budget", "300", monkeypatch=monkeypatch)
    assert len(texts) == 324 and "step(select(sim(nst(move_decay=0.6)), history(c=0.4)), visits)" in texts
    constants = ("--sim", "random", "--select", "0.5", "--repeat", "2,400", "--depth", "4")
    capsys.readouterr()
    settings, texts = parsed("tictactoe", "--against", "--budget", "300", *constants, monkeypatch=monkeypatch)
    assert texts == [
        f"step(select({inside}, 0.5), {rule})" for inside in ("sim", "repeat(sim, 2)") for rule in ("mean", "visits")
    ]
    assert settings.candidates == 4
    assert capsys.readouterr().err.splitlines() == [
        "note: 15 of 18 expressions are left out by the rule no-tree: an agent is one select around sim, with repeat "
        "and tune; the others need not follow a best sequence",
        "note: 1 of 18 expressions are left out by the rule spent-inside: the sub-component alone spends the budget, "
        "so what stands around it adds nothing",
    ]


def test_a_smaller_command_names_the_whole_pool() -> None:
    with discover.make_context("discover", ["connect4", "--against", FIRST, "--against", SECOND, "--pulls", "9"]):
        assert as_typed({"budget": 10}, ["pulls"]) == (
            f"mcsgrammar discover connect4 --budget 10 --against '{FIRST}' --against '{SECOND}'"
        )


# What is refused.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("sudoku:2", "--against", FIRST),
            "sudoku:2 has one role, so there is nobody to play against; leave --against out: mcsgrammar discover "
            "sudoku:2",
        ),
        (
            ("tictactoe",),
            "tictactoe has 2 roles, so candidates need somebody to play against: mcsgrammar discover tictactoe "
            "--against 'select(sim, 0.4)'",
        ),
        (
            ("chinesecheckers", "--depth", "3"),
            "chinesecheckers has 3 roles, so candidates need somebody to play against: mcsgrammar discover "
            "chinesecheckers --against 'select(sim, 0.4)'",
        ),
        (
            ("tictactoe", "--against", FIRST, "--against", "la(1)"),
            "agent 2 to play against: la(1) commits by its best sequence; as an agent write select(sim, 0.5)",
        ),
        (("tictactoe", "--against", f"{FIRST}, sim"), f"agent 2 to play against: {FORM}sim has no select"),
        (
            ("tictactoe", "--against", f"{FIRST}@x"),
            "agent 1 to play against: 'x' is no budget; write a number of simulations behind the agent, as in "
            "'select(sim, 0.4)@5000', or of CPU seconds, as in 'select(sim, 0.4)@0.5s'",
        ),
        (
            ("tictactoe", "--against", f"{FIRST}@0"),
            "agent 1 to play against: a search needs a budget of at least 1 simulation; give more",
        ),
        (
            ("tictactoe", "--against", f"{FIRST}, {FIRST}@1000"),
            f"agent 2 to play against: {A}@1000 is there already; name each once",
        ),
        (
            ("tictactoe", "--against", f"{FIRST}, "),
            "--against: item 2 is empty; name an agent such as 'select(sim, 0.4)'",
        ),
        (
            ("tictactoe", "--against", FIRST, "--start", "-1"),
            "the searches before the first step cannot be -1; it is at least 0",
        ),
        (("sudoku:2", "--think", "own"), "--think is for agents, which play against others; add --against"),
        (("tictactoe", "--points", "roles"), "--points is for agents, which play against others; add --against"),
        (
            ("tictactoe", "--against", FIRST, "--adapt", "10"),
            "adapt learns from the best of what it tries, which other roles can refuse; leave --adapt out",
        ),
        (
            ("tictactoe", "--against", FIRST, "--semantics", "maes2013"),
            "agents play by the standard semantics, and maes2013 is of the paper's; leave it out",
        ),
        (
            ("tictactoe", "--against", FIRST, "--depth", "2"),
            "there are no candidates; raise --depth, or name a file with expressions by --candidates",
        ),
        (
            ("tictactoe", "--against", FIRST, "--budget", "0"),
            "agent 1 to play against: a search needs a budget of at least 1 simulation; give more",
        ),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert refusal("discover", *arguments, "--out", tmp_path / "c") == message
    assert not (tmp_path / "c").exists()


def test_a_candidate_that_is_no_agent_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(f"# mine\n{FIRST}\nstep(sim)\n")
    said = (
        "step commits by 'best' only where one role plays alone: the others need not follow its best sequence; write "
    )
    arguments = ("discover", "tictactoe", "--against", "--candidates", path, "--out", tmp_path / "c")
    assert refusal(*arguments) == f"line 3 of {path}: {said}step(…, mean) or step(…, visits)"
    with pytest.raises(UserError) as error:
        mg.discover("tictactoe", tmp_path / "c", against=FIRST, candidates=[FIRST, "step(sim)"])
    assert str(error.value) == f"candidate 2: {said}step(…, mean) or step(…, visits)"


def test_evaluate_says_what_to_type(done: Any) -> None:
    folder, _ = done
    assert refusal("evaluate", "tictactoe", "--from", folder) == (
        f"{folder} is a campaign over agents, which are measured by matches: mcsgrammar resume {folder} lets its best "
        "play, and mcsgrammar tournament tictactoe AGENT… any others"
    )


# From Python.


def test_from_python(tmp_path: Path) -> None:
    found = mg.discover(
        "tictactoe",
        tmp_path / "c",
        candidates=mg.candidates(3, select=[0, 1]),
        against="select(sim, 0.4)",
        budget=2,
        start=0,
        think="own",
        points="roles",
        pulls=12,
        test_problems=2,
        engine="reference",
    )
    settings = read_settings(tmp_path / "c")
    assert settings.against is not None and settings.candidates == 4
    assert (settings.against.start, settings.against.think, settings.against.points) == (0, "own", "roles")
    assert found.complete and str(found.best).startswith("step(select(sim, ")
    assert {row.name for row in found.tested} == {"Dis#1", "Dis#2", "Dis#3", "Dis#4", A}
    assert "% of the points" in str(mg.report(tmp_path / "c"))


def test_a_game_of_ones_own_from_python(tmp_path: Path) -> None:
    """Which no name finds."""
    game = Rounds([(3, 0)], lambda joints: (1.0, 0.0) if joints[0][0] == 2 else (0.0, 1.0))
    found = mg.discover(
        game, tmp_path / "c", candidates=[SECOND, THIRD], against=[FIRST], budget=4, pulls=6, test_problems=2
    )
    assert len(found.tested) == 3
    with pytest.raises(UserError, match="has 2 roles, so candidates need somebody to play against"):
        mg.discover(game, tmp_path / "d")


def test_a_folder_of_matches(tmp_path: Path) -> None:
    folder = made(tmp_path / "m")
    for look in (mg.load, mg.status):
        with pytest.raises(UserError) as error:
            look(folder)
        assert str(error.value) == (
            f"{folder} holds matches, not a campaign; mg.match or mg.tournament with the same arguments and "
            f"out='{folder}' gives them, and mcsgrammar status {folder} shows them"
        )


# A match as a picture.


def test_a_match_on_a_board_is_a_strip(tmp_path: Path) -> None:
    path = tmp_path / "match.svg"
    done = run("match", "tictactoe", FIRST, SECOND, "--games", "2", *TINY[:4], "--svg", str(path), "--jobs", "1")
    assert done.returncode == 0
    record = play(planned(games=2)).records[0]
    game = TicTacToe()
    assert path.read_text(encoding="utf-8") == match_strip(game, *joints(game, record))
    assert path.read_text(encoding="utf-8").count("<g transform") == record.steps

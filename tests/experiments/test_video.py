"""The papers' own games: printed values, levels and runs, what is kept, and what is said of it. The games of the tests
are some lines of our own, called as theirs."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from domains.errors import UserError
from experiments.cli import main
from experiments.files import read_csv
from experiments.options import RESULTS
from experiments.play import video
from experiments.play.question import BASELINE
from experiments.play.rendering import NAME, render_play
from experiments.play.shares import Share, difference, mean_difference, mean_share
from experiments.play.video import (
    AGENTS,
    FIELDS,
    LEVELS,
    PUBLISHED_RUNS,
    SHALLOW,
    TABLE,
    Run,
    journal_of,
    line_of,
    measure_passes,
    playable,
    published,
    write_video,
)
from experiments.play.video_rendering import OTHERS, PRINTED, PRINTED_SCORES, TITLE, video_lines
from mcsgrammar.language.parsing import parse
from tests.domains.vgdl.games import game_text

MEANS = {"fixed": 39.9, "random": 40.3, "mab": 39.9, "nmc": 40.3, "ea": 40.9, "ntbea_first": 39.9, "ntbea_later": 40.3}
SCORES = {"score_fixed": 96.8, "score_nmc": 88.5, "score_ea": 98.6, "score_ntbea": 74.2}


def test_the_printed_values_have_the_printed_means() -> None:
    games = published()
    assert len(games) == 20
    for column, mean in {**MEANS, "bad": 28.4, **SCORES}.items():
        assert sum(game[column] for game in games.values()) / 20 == pytest.approx(mean, abs=0.0501), column
    wins = {column for columns in PRINTED.values() for column in columns}
    assert {*wins, *PRINTED_SCORES.values(), "iterations"} == set(games["aliens"])
    for game in games.values():
        assert all((game[column] * PUBLISHED_RUNS / 100) % 1 < 1e-9 or game[column] == 99.6 for column in wins)


def test_the_agents_have_the_printed_values() -> None:
    assert next(iter(AGENTS)) == BASELINE and set(PRINTED) == set(AGENTS) and SHALLOW in OTHERS
    for expression in AGENTS.values():
        parse(expression)
    assert "ucb1(c=0, norm=1)" in AGENTS[SHALLOW] and "depth=1)" in AGENTS[SHALLOW]
    assert AGENTS["nmc"].endswith("nmc(c_l=0.7, c_g=0.7))") and AGENTS["ntbea"].endswith("ntbea(c=0.7))")


def test_intervals_are_those_of_the_books() -> None:
    found = difference(Share(56, 70), Share(48, 80))  # Newcombe 1998, method 10
    assert (found.mean, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)
    assert found.is_shown and 0 < found.p < 0.05
    assert not difference(Share(0, 10), Share(0, 10)).is_shown and difference(Share(0, 9), Share(0, 9)).p == 1
    assert Share(0, 10).interval == pytest.approx((0.0, 0.2775), abs=1e-4)
    share = Share(3, 10)
    assert (mean_share([share]).low, mean_share([share]).high) == pytest.approx(share.interval)
    few = mean_difference([(Share(1, 1), Share(0, 1))])
    assert not few.is_shown and few.p > 0.05, "one game of each says nothing"
    many = mean_difference([(Share(60, 100), Share(40, 100)), (Share(9, 100), Share(9, 100))])
    assert many.is_shown and many.p < 0.05
    two = mean_difference([(Share(9, 10), Share(3, 10)), (Share(3, 10), Share(9, 10))])
    assert two.mean == pytest.approx(0.0) and two.p == pytest.approx(1.0) and two.low == pytest.approx(-two.high)


def test_a_line_counts_runs_by_level() -> None:
    runs = [Run(0, True, 3.0, 10, "1"), Run(0, False, -1.0, 20, "7"), Run(4, True, 2.0, 30, "1")]
    row = line_of("chase", "ntbea", runs)
    assert tuple(row) == FIELDS and (row["runs"], row["wins"], row["ticks"]) == (3, 2, "20")
    assert (row["runs_by_level"], row["wins_by_level"]) == ("2 0 0 0 1", "1 0 0 0 1")
    assert (row["score_sum"], row["score_squares"]) == ("4", "14")
    assert (row["chose_1"], row["chosen_depth"]) == (2, "1")
    fixed = line_of("chase", BASELINE, [Run(0, True, 3.0, 10, "")])
    assert fixed["chose_1"] == fixed["chosen_depth"] == ""


GAMES = game_text(
    "door > Immovable\navatar > MovingAvatar",
    "avatar door > killSprite scoreChange=1",
    "SpriteCounter stype=avatar win=True\nTimeout limit=2",
    "d > door",
)


def folder_with(tmp_path: Path, *games: str, text: str = GAMES) -> Path:
    folder = tmp_path / "games"
    folder.mkdir(exist_ok=True)
    for game in games:
        (folder / f"{game}.txt").write_text(text)
        for level in LEVELS:
            (folder / f"{game}_lvl{level}.txt").write_text("A" + " " * level + "d")
    return folder


def test_which_games_of_a_folder_are_played(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "chase", "escape", "bait")
    (folder / "bait_lvl3.txt").unlink()
    (folder / "aliens.txt").write_text("BasicGame\n    SpriteSet\n        a > Alien\n")
    told: list[str] = []
    assert playable(folder, told.append) == ["chase", "escape"]
    assert f"butterflies is left out: there is no butterflies.txt in {folder}" in told
    assert any(line.startswith("bait is left out: cannot read ") for line in told)
    assert any(line.startswith("aliens is left out: aliens.txt") for line in told)
    assert len(told) == 18


def test_a_folder_without_any_of_them(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        playable(folder_with(tmp_path, "mine"), lambda _: None)
    assert str(error.value) == (
        f"{tmp_path / 'games'} has none of the papers' games, or none that can be read; GVGAI has them in its folder "
        "examples/gridphysics: aliens.txt with aliens_lvl0.txt to aliens_lvl4.txt, and so on"
    )
    done = CliRunner().invoke(main, ["play", "--games", str(tmp_path), "--work", str(tmp_path / "work")])
    assert done.exit_code != 0 and isinstance(done.exception, UserError) and not (tmp_path / "work").exists()


@pytest.mark.parametrize("option", ["--runs=3", "--only=chase"])
def test_some_options_are_of_the_papers_games(tmp_path: Path, option: str) -> None:
    done = CliRunner().invoke(main, ["play", option, "--results", str(tmp_path)])
    assert done.exit_code == 2 and not list(tmp_path.iterdir())
    name = option.partition("=")[0]
    assert f"{name} is of the papers' games: say where they are, --games FOLDER" in " ".join(done.output.split())


def test_only_games_of_the_papers(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["play", "--games", str(tmp_path), "--only", "tetris", "--work", str(tmp_path / "w")]
    )
    assert done.exit_code == 2 and "the papers have no game tetris; they have aliens, bait, " in done.output
    assert playable(folder_with(tmp_path, "chase", "bait"), print, ["chase"]) == ["chase"]


def slowly(*arguments: Any) -> Any:
    """By the reference, which needs no compiler."""
    return video_prepared(*arguments[:6], "reference", *arguments[7:])


video_prepared = video.prepared_play


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "prepared_play", slowly)
    monkeypatch.setattr(video, "BUDGET", 8)


def test_a_level_is_a_problem_and_what_is_there_is_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: None
) -> None:
    folder, work = folder_with(tmp_path, "chase"), tmp_path / "work"
    told: list[str] = []
    passes = partial(measure_passes, folder, ["chase"], work, on_progress=told.append)
    tables = list(passes(runs=2))
    assert [table[0]["runs_by_level"] for table in tables] == [
        *("1 0 0 0 0", "1 1 0 0 0", "1 1 1 0 0", "1 1 1 1 0", "1 1 1 1 1"),
        *("2 1 1 1 1", "2 2 1 1 1", "2 2 2 1 1", "2 2 2 2 1", "2 2 2 2 2"),
    ]
    assert [row["agent"] for row in tables[0]] == list(AGENTS)
    fixed, shallow, *_, ntbea = tables[-1]
    assert shallow["wins_by_level"].startswith("2 ") and shallow["wins"] == float(shallow["score_sum"])
    assert shallow["wins_by_level"].endswith(" 0"), "five cells cannot be walked in three ticks"
    assert fixed["chosen_depth"] == shallow["chosen_depth"] == "" != ntbea["chosen_depth"]
    assert told[-1] == "run 2 of 2, level 4: 7 of 7 games, chase"
    journal = journal_of(work, "chase", 4, SHALLOW)
    assert journal.name == "chase-4-C=0,D=1.jsonl"
    records = [json.loads(line) for line in journal.read_text("utf-8").splitlines()][1:]
    assert [(record["problem"], record["repetition"]) for record in records] == [(0, 0), (0, 1)]

    def no_game(*_: object) -> None:
        raise AssertionError("there is nothing left to play")

    monkeypatch.setattr("discovery.many.games._played", no_game)
    assert list(passes(runs=2)) == tables
    assert list(passes(runs=1)) == tables[:5]


def lines(game: str, runs: int) -> list[dict[str, Any]]:
    return [line_of(game, name, [Run(0, True, 1.0, 5, "")] * runs) for name in AGENTS]


def test_a_table_grows_by_games_and_runs_and_loses_none(tmp_path: Path) -> None:
    assert write_video(tmp_path, [*lines("chase", 2), *lines("escape", 3)]) == []
    assert write_video(tmp_path, lines("chase", 1)) == ["chase"]
    assert write_video(tmp_path, [*lines("chase", 4), *lines("escape", 2), *lines("aliens", 1)]) == ["escape"]
    kept = [(row["game"], row["runs"]) for row in read_csv(tmp_path / "play" / TABLE)]
    assert list(dict.fromkeys(kept)) == [("aliens", "1"), ("chase", "4"), ("escape", "3")]
    assert len(kept) == 3 * len(AGENTS)


def test_the_command_keeps_a_table_and_a_page(tmp_path: Path, quick: None) -> None:
    folder = folder_with(tmp_path, "chase", "escape")
    results, work = tmp_path / "results", tmp_path / "work"
    command = ["play", "--games", str(folder), "--runs", "1", "--jobs", "1", "--work", str(work)]
    done = CliRunner().invoke(main, [*command, "--results", str(results)])
    assert done.exit_code == 0, done.output
    assert f"70 games, some 77 s of CPU in all; what is in {work} is not played again\n" in done.output
    rows = read_csv(results / "play" / TABLE)
    assert [row["game"] for row in rows] == ["chase"] * 7 + ["escape"] * 7 and {row["runs"] for row in rows} == {"5"}
    assert str(results / NAME) in done.stdout.splitlines()
    write_video(results, lines("chase", 9))
    done = CliRunner().invoke(main, [*command, "--results", str(results), "--only", "chase"])
    assert "35 games, some 38 s of CPU in all; " in done.output
    assert f"the table in {results} has more runs of chase; these stay as they are\n" in done.output
    assert {row["runs"] for row in read_csv(results / "play" / TABLE)} == {"9", "5"}


def kept(tmp_path: Path, wins: dict[str, int], of: int = 200) -> list[str]:
    """The section when every agent has won so many of each game."""
    rows = [
        line_of(
            game, name, [Run(k % 5, k < wins.get(name, 40), 1.0, 9, "1" if name == "ea" else "") for k in range(of)]
        )
        for game in ("escape", "chopper", "aliens", "chase")
        for name in AGENTS
    ]
    write_video(tmp_path, rows)
    return video_lines(tmp_path)


def begins(lines: list[str], words: str) -> str:
    (line,) = (line for line in lines if line.startswith(words))
    return line


def test_what_is_said_is_what_is_kept(tmp_path: Path) -> None:
    lines = kept(tmp_path, {"ntbea": 100, "random": 20, SHALLOW: 120})
    assert lines[0] == TITLE and "4 of their 20, all five levels, 200 runs of every agent" in lines[2]
    bad = begins(lines, "- NTBEA lifts the 2 games")
    assert (
        "? More is won: +30.0 [+23.5, +36.0] points; printed are +8.5 in the first paper and +1.5 in the later" in bad
    )
    assert "? Less is won over all games: −40.0 [" in begins(lines, "- Values drawn at random")
    shallow = begins(lines, f"- {SHALLOW} explains")
    assert "escape yes, +40.0 [" in shallow and "aliens not shown, +40.0 [" in shallow
    assert begins(lines, "- Where the papers disagree, NTBEA at escape").endswith(
        ": +12.8 and +0.0 are printed; here it gains +30.0 [+20.8, +38.5] points, like neither."
    )
    assert "would choose D = 1 in 100 % (ea) of their games" in begins(lines, "- In the end")
    (gains,) = (line for line in lines if line.startswith("| escape | ") and "▲" in line)
    assert gains.startswith("| escape | +40.0 [+30.8, +48.2] ▲ (+29.4) | −10.0 [−17.0, −3.0] ▼ (+0.6) | ")
    wins = begins(lines, "| aliens | 20 ")
    assert wins.startswith("| aliens | 20 [15, 26] (**100**) | 60 [53, 67] (67) | ")
    assert begins(lines, "| aliens | 1.0 ± 0.0 (67.8) | 1.0 ± 0.0 | ")


def test_no_difference_is_not_taken_for_one(tmp_path: Path) -> None:
    lines = kept(tmp_path, {})
    assert "? No difference shown: +0.0 [" in begins(lines, "- NTBEA lifts")
    assert begins(lines, "- Where the papers disagree, NTBEA at chopper").endswith(
        ": −40.6 and −2.2 are printed; here it gains +0.0 [−7.8, +7.8] points, like the later paper."
    )
    assert not any("▲" in line or "▼" in line for line in lines if line.startswith("| "))


def test_a_section_of_nothing(tmp_path: Path) -> None:
    assert video_lines(tmp_path) == [TITLE, "", "not measured yet"]
    assert render_play(tmp_path).read_text("utf-8").endswith(f"\n\n{TITLE}\n\nnot measured yet\n")


def test_what_is_kept_is_of_these_agents() -> None:
    rows = read_csv(RESULTS / "play" / TABLE)
    games = list(dict.fromkeys(row["game"] for row in rows))
    assert set(games) <= set(published()) and tuple(rows[0]) == FIELDS
    assert [(row["game"], row["agent"]) for row in rows] == [(game, name) for game in games for name in AGENTS]
    assert all(row["expression"] == AGENTS[row["agent"]] for row in rows)

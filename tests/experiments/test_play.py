"""The games behind results/play.md: every agent plays, none twice, and the page needs the table alone."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from domains.registry import find_domain
from experiments.cli import main
from experiments.files import read_csv
from experiments.markdown import NOT_YET
from experiments.options import RESULTS
from experiments.play import question as experiment
from experiments.play.question import AGENTS, BASELINE, FIELDS, SETTINGS, Setting, lines_of, measure, write_table
from experiments.play.rendering import CLAIMS, NAME, render_play
from mcsgrammar.engines.searching import Limits
from mcsgrammar.game_records import GameRecord
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import agent_of


def test_every_agent_plays_every_setting() -> None:
    for setting in SETTINGS:
        for expression in AGENTS.values():
            agent = agent_of(parse(expression), find_domain(setting.domain), Limits(setting.budget))
            assert agent.rule == "visits"
    assert next(iter(AGENTS)) == BASELINE and {name for name, _, _ in CLAIMS} < set(AGENTS)


def record(problem: int, score: float, tuned: str = "") -> GameRecord:
    pairs = (("depth of random", tuned),) if tuned else ()
    return GameRecord(problem, 0, 0, (1, 2), 0.5, score, score < 4, 100, 0.1, 0, pairs)


def test_a_gain_is_over_the_same_games_and_above_0_where_it_is_better() -> None:
    played = {
        BASELINE: [record(k, score) for k, score in enumerate((3.0, 4.0, 8.0, 5.0))],
        "ntbea": [record(0, 2.0, "1"), record(1, 2.0, "3"), record(2, 7.0, "3"), record(3, 1.0, "2")],
    }
    first, other = lines_of(Setting("stock", 50), find_domain("stock"), played)
    assert tuple(first) == FIELDS
    assert (first["mean"], first["goals"], first["ticks"], first["chosen"]) == ("5", 1, "2", "")
    assert first["gain"] == first["p_holm"] == ""
    assert (other["mean"], other["gain"], other["less_is_better"]) == ("3", "2", True)  # 1, 2, 1 and 4 less
    assert (other["chosen"], other["chosen_in"]) == ("depth of random = 3", 2)
    assert float(other["gain_low"]) < 2 < float(other["gain_high"]) and 0 < float(other["p_holm"]) < 1
    (_, more) = lines_of(Setting("cliff", 50), find_domain("cliff"), played)
    assert more["gain"] == "-2"


@pytest.mark.slow
def test_what_is_there_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = [Setting("cliff:steps=3", 4)]

    def whole() -> str:
        write_table(tmp_path / "results", measure(tmp_path / "work", 2, lambda _: None, settings))
        return render_play(tmp_path / "results").read_text("utf-8")

    first = whole()
    assert all(f"| {name} |" in first for name in AGENTS)

    def no_game(*_: object) -> None:
        raise AssertionError("there is nothing left to play")

    monkeypatch.setattr("discovery.many.games._played", no_game)
    assert whole() == first


def test_the_page_is_made_of_the_table_alone(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / "play", tmp_path / "play")
    done = CliRunner().invoke(main, ["play", "--render", "--results", str(tmp_path)])
    assert done.exit_code == 0 and done.stdout.splitlines()[0] == str(tmp_path / NAME)
    assert (tmp_path / NAME).read_text("utf-8") == (RESULTS / NAME).read_text("utf-8")


def test_what_is_kept_is_of_these_agents() -> None:
    rows = read_csv(RESULTS / "play" / "games.csv")
    assert [(row["domain"], int(row["budget"]), row["agent"]) for row in rows] == [
        (setting.domain, setting.budget, name) for setting in SETTINGS for name in AGENTS
    ]
    assert all(row["expression"] == AGENTS[row["agent"]] for row in rows)


def test_a_page_of_nothing(tmp_path: Path) -> None:
    assert NOT_YET in render_play(tmp_path).read_text("utf-8")


def test_what_is_said_counts_the_settings(tmp_path: Path) -> None:
    rows = read_csv(RESULTS / "play" / "games.csv")
    for row in rows:
        if row["agent"] == "ntbea":
            row |= {"gain": "2", "gain_low": "1", "gain_high": "3", "p_holm": "0.001"}
        elif row["agent"] == "D = 1":
            row |= {"gain": "-2", "gain_low": "-3", "gain_high": "-1", "p_holm": "0.001"}
        elif row["agent"] == "random":
            row |= {"gain": "1", "gain_low": "-1", "gain_high": "3", "p_holm": "0.2"}
    write_table(tmp_path, rows)
    told = render_play(tmp_path).read_text("utf-8").splitlines()
    n = len(SETTINGS)
    for begins, verdict in (
        ("- NTBEA ", "better in"),
        ("- D = 1 ", "worse in"),
        ("- Values ", "no difference shown in"),
    ):
        (line,) = (line for line in told if line.startswith(begins))
        assert f"Of {n} settings it is {verdict} {n}, beside the fixed values (" in line
    assert any(" +2 [+1, +3] ▲ |" in line for line in told) and any("−2 [−3, −1] ▼ |" in line for line in told)
    assert experiment.BUDGETS == (50, 200)

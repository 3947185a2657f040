"""Campaigns and evaluations of games: a pull is a whole game, in workers, in journals and in tables."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from discovery.campaign.next_steps import next_steps
from discovery.campaign.running import run
from discovery.campaign.settings import Settings, read_settings
from discovery.evaluation.evaluating import evaluate
from discovery.pool.chunks import PullSetup, time_pulls
from discovery.report.writers import as_html, as_markdown, make_report
from domains.errors import UserError
from mcsgrammar.cli.evaluating import command as evaluate_command
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.playing import play
from tests.discovery.campaigns import finished, made, pulls_in, refusal, step

CANDIDATES = ("sim", "step(sim)", "select(sim, 0.5)", "step(select(sim, 0.5))", "step(select(sim, 0.5), mean)")
CLIFF = "cliff:steps=4"


def campaign(folder: Path, pulls: int = 20, **settings: object) -> Path:
    how = {"play": "new", "engine": "reference", "seed": 5, **settings}
    return made(folder, CLIFF, CANDIDATES, pulls=pulls, budget=6, **how)


def reward_of_game(expression: str, k: int, split: str = "train", seed: int = 5, trees: str = "new") -> float:
    games = play(CLIFF, expression, 6, problem=k, split=split, seed=seed, engine="reference", trees=trees)  # type: ignore[arg-type]
    return games[0].record.reward


def test_a_pull_is_the_game_that_play_plays(tmp_path: Path) -> None:
    folder = campaign(tmp_path)
    finished(folder)
    texts = (folder / "candidates.txt").read_text().splitlines()
    assert texts == ["sim", "select(sim, 0.5)", "step(select(sim, 0.5), mean)"]  # the outermost step is the world's
    pulls = pulls_in(folder)
    assert len(pulls) == 20 and not any(failed for _, _, _, failed in pulls)
    for arm, t, reward, _ in pulls:
        assert reward == reward_of_game(texts[arm], t)
    assert len({reward for _, _, reward, _ in pulls}) > 1


def test_trees_may_be_kept_in_the_games_of_a_campaign(tmp_path: Path) -> None:
    folder = campaign(tmp_path, play="kept")
    finished(folder)
    texts = (folder / "candidates.txt").read_text().splitlines()
    assert all(reward == reward_of_game(texts[arm], t, trees="kept") for arm, t, reward, _ in pulls_in(folder))


def test_workers_and_resumption_change_nothing(tmp_path: Path) -> None:
    whole = finished(campaign(tmp_path / "whole"))
    parts = campaign(tmp_path / "parts")
    step(parts)
    assert finished(parts) == whole
    assert finished(campaign(tmp_path / "threads"), jobs=2, backend="threading") == whole


def test_a_campaign_of_games_is_no_campaign_of_runs(tmp_path: Path) -> None:
    settings = read_settings(campaign(tmp_path))
    assert settings.play == "new"
    assert len({replace(settings, play=play).digest() for play in ("new", "kept", None)}) == 3
    message = refusal("discover", CLIFF, "--play", "7", "--engine", "reference", "--out", tmp_path, "--depth", "1")
    assert "holds a campaign with other settings" in message
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"play": "old"}))
    with pytest.raises(UserError) as error:
        read_settings(tmp_path)
    assert str(error.value) == f"{path} is damaged: the setting 'play' cannot be \"old\"; restore it from a copy"


def test_campaigns_of_runs_are_what_they_were(tmp_path: Path) -> None:
    """As they were called before there were games."""
    plain = Settings(
        *("queens", "queens:size=8", None, 3, "00", 100, None, "standard", "auto", 1000, "ucb1", 60, 7, 0)  # type: ignore[arg-type]
    )
    assert plain.digest() == "59ed6ac7914c61fc37b0639e9bcae6fc"
    folder = made(tmp_path, "queens")
    assert "play" not in json.loads((folder / "settings.json").read_text()) and read_settings(folder).play is None


def test_games_are_foretold_by_short_ones() -> None:
    setup = PullSetup("games foretold", "cliff:steps=4", 0, Limits(1000), "standard", "reference", "new")
    seconds = time_pulls(setup, ["sim", "select(sim, 0.5)"])
    assert seconds is not None and seconds > 0
    by_seconds = PullSetup("games by seconds", "cliff:steps=4", 0, Limits(None, 0.25), "standard", "reference", "new")
    assert time_pulls(by_seconds, ["sim"]) == 1.0  # four ticks


def test_an_evaluation_plays_the_games_of_play() -> None:
    evaluation = evaluate(
        CLIFF, ["sim", "select(sim, 0.5)"], budgets=[2, 6], problems=5, seed=3, engine="reference", play="new"
    )
    assert evaluation.settings[1].runs_as == ("step(sim)", "step(select(sim, 0.5), visits)")
    for row, expression in enumerate(("sim", "select(sim, 0.5)")):
        rewards = [reward_of_game(expression, k, "test", 3) for k in range(5)]
        assert evaluation.settings[1].rewards[row].tolist() == rewards == evaluation.settings[1].scores[row].tolist()
    alone = evaluate(CLIFF, "sim", budgets=2, problems=5, seed=3, engine="reference", play="new")
    assert evaluation.settings[0].rewards[0].tolist() == alone.settings[0].rewards[0].tolist()


def evaluated(*words: object) -> Result:
    options = ["--problems", "4", "--engine", "reference", "--seed", "5"]
    return CliRunner().invoke(evaluate_command, [*map(str, words), *options], catch_exceptions=False)


def test_the_best_of_a_campaign_of_games_play(tmp_path: Path) -> None:
    folder = campaign(tmp_path)
    run(folder)
    told = json.loads(evaluated(CLIFF, "--from", folder, "--top", "2", "--json").stdout)
    assert (told["play"], told["budget"]) == ("new", 6) and told["winners_curse"] is not None
    rows = {row["expression"]: row["mean_reward"] for row in told["rows"]}
    assert rows.keys() <= {"sim", "select(sim, 0.5)", "step(select(sim, 0.5), mean)"} and len(rows) == 2
    for text, mean in rows.items():
        assert mean == pytest.approx(sum(reward_of_game(text, k, "test") for k in range(4)) / 4)
    other = json.loads(evaluated(CLIFF, "--from", folder, "--play", "--tree", "kept", "--json").stdout)
    assert other["play"] == "kept" and other["winners_curse"] is None
    typed = json.loads(evaluated(CLIFF, "--from", folder, "--tree", "kept", "--json").stdout)
    assert (typed["play"], typed["budget"]) == ("kept", 6)
    larger = json.loads(evaluated(CLIFF, "--from", folder, "--play", "9", "--json").stdout)
    assert (larger["play"], larger["budget"]) == ("new", 9)


def test_what_is_said_of_games_in_a_table() -> None:
    said = evaluated(CLIFF, "select(sim, 0.5)", "la(1)", "--play", "3").stdout
    assert " 3 evaluations before every action of a" in said
    said = " ".join(evaluated(CLIFF, "sim", "--play", "--budgets", "2,4", "--tree", "kept").stdout.split())
    assert "2 evaluations before every action of a game, trees kept;" in said
    assert json.loads(evaluated(CLIFF, "sim", "--play", "--json").stdout)["budget"] == 200


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((CLIFF, "sim", "--tree", "kept"), "--tree says what becomes of trees in games; add --play"),
        (
            (CLIFF, "sim", "--play", "5", "--budget", "5"),
            "give the budget of a search by --play or by another option, one of the two",
        ),
        (
            ("--play", CLIFF, "sim"),
            f"Invalid value for '--play': '{CLIFF}' is not a number of evaluations; what follows --play is one, so "
            "name the domain and the algorithms before it",
        ),
    ],
)
def test_what_play_does_not_go_with(words: tuple[str, ...], message: str) -> None:
    assert message in evaluated(*words).stderr


def test_chance_is_refused_without_play() -> None:
    with pytest.raises(UserError) as error:
        evaluate(CLIFF, "sim", problems=1)
    assert "or evaluate, discover and record with --play" in str(error.value)
    with pytest.raises(InvalidExpression):
        evaluate(CLIFF, "adapt(sim, 2)", problems=1, play="new")


def test_a_report_shows_games(tmp_path: Path) -> None:
    folder = campaign(tmp_path)
    run(folder)
    report = make_report(folder, top=2, problems=2, curves=True, jobs=1)
    assert report.budget == "6 evaluations before every action of a game"
    assert report.curves is None
    assert report.drawings and all(drawing.svg is not None for drawing in report.drawings)
    for drawing in report.drawings:
        assert drawing.score == reward_of_game(drawing.expression, drawing.problem, "test")
    commands = [command for _, command in report.commands]
    assert commands[0].startswith(f"mcsgrammar discover {CLIFF} --play --budget 6 --candidates candidates.txt ")
    assert commands[2].startswith(f"mcsgrammar play {CLIFF} ") and " --budget 6 --engine reference" in commands[2]
    page = as_html(report)
    assert 'id="curves"' not in page and "6 evaluations before every action of a game" in page
    assert "on its way after" in as_markdown(report)


def test_what_to_do_next_is_to_play(tmp_path: Path) -> None:
    settings = read_settings(campaign(tmp_path, play="kept"))
    assert next_steps(tmp_path, settings, "sim")[0] == (
        f"mcsgrammar play {CLIFF} sim --budget 6 --tree kept --engine reference"
    )
    assert len(next_steps(tmp_path, settings, "sim")) == 2
    by_seconds = replace(settings, budget=None, seconds=0.25, play="new")
    assert next_steps(tmp_path, by_seconds, "sim")[0].startswith(f"mcsgrammar play {CLIFF} sim --ms 250 ")


def test_agents_against_others_are_no_games_of_one() -> None:
    words = ("discover", "tictactoe", "--play", "5", "--against", "select(sim, 0.4)", "--depth", "2", "--pulls", "5")
    assert (
        refusal(*words) == "agents that play against others are searched anew at every step as it is; leave --play out"
    )

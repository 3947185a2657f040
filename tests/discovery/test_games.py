"""Many games: workers, journals, and `mcsgrammar play`."""

import json
import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from discovery.documents import with_checksum
from discovery.many.games import play_games
from discovery.statistics import binomial_interval, summary
from domains.animation import animated
from domains.errors import DomainError, UserError
from domains.problems import problem
from domains.protocol import replay
from domains.randomness import Random
from domains.registry import find_domain
from mcsgrammar.cli.playing import command
from mcsgrammar.engines.searching import Limits
from mcsgrammar.game_records import GameRecord
from mcsgrammar.playing import MOST_FRAMES, Play, frames_of, play, prepared_play
from tests.domains.test_checking_chance import Walk

CLIFF = "cliff:steps=12"


def prepared(expression: str = "select(sim, 0.5)", budget: int = 10, seed: int = 0) -> Play:
    return prepared_play(find_domain(CLIFF), expression, Limits(budget), None, "test", seed, "auto", "standard", False)


def timeless(records: list[GameRecord]) -> list[GameRecord]:
    return [replace(record, seconds=0.0) for record in records]


def test_games_are_one_on_each_problem_or_all_on_one() -> None:
    play = prepared()
    assert [(game.problem, game.repetition) for game in play_games(play, 3)] == [(0, 0), (1, 0), (2, 0)]
    assert [(game.problem, game.repetition) for game in play_games(play, 3, problem=5)] == [(5, 0), (5, 1), (5, 2)]


@pytest.mark.slow
def test_workers_change_nothing() -> None:
    play = prepared()
    assert timeless(play_games(play, 9, jobs=2, typed=CLIFF)) == timeless(play_games(play, 9))
    assert timeless(play_games(play, 9, jobs=2)) == timeless(play_games(play, 9))  # the domain itself is sent


def test_the_number_of_jobs_is_at_least_1() -> None:
    with pytest.raises(UserError) as error:
        play_games(prepared(), 3, jobs=0)
    assert str(error.value) == "the number of jobs cannot be 0; it is at least 1"


def test_a_journal_goes_on_where_it_ends(tmp_path: Path) -> None:
    whole, path = play_games(prepared(), 6), tmp_path / "games"
    first = play_games(prepared(), 2, journal=path)
    told: list[int] = []
    again = play_games(prepared(), 6, journal=path, on_game=lambda done: told.append(len(done)))
    assert again[:2] == first  # the seconds, too: they were not played again
    assert timeless(again) == timeless(whole)
    assert told[0] == 2 and told[-1] == 6
    content = path.read_bytes()
    assert play_games(prepared(), 4, journal=path) == again[:4]
    assert path.read_bytes() == content and len(content.splitlines()) == 7


def test_a_line_that_was_not_written_to_its_end_is_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games"
    whole = play_games(prepared(), 3, journal=path)
    content = path.read_bytes()
    for kept in range(len(content) - 1, len(content) - 200, -40):
        path.write_bytes(content[:kept])
        assert timeless(play_games(prepared(), 3, journal=path)) == timeless(whole)
        assert "the last line was not written to its end; it is cut off" in capsys.readouterr().err


def refusal(path: Path, play: Play) -> str:
    with pytest.raises(UserError) as error:
        play_games(play, 2, journal=path)
    return str(error.value)


def test_a_journal_of_other_games_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games"
    play_games(prepared(), 2, journal=path)
    content = path.read_bytes()
    advice = "give --journal another name, or the command that it was begun with"
    assert refusal(path, prepared(budget=11)) == f"{path} holds games with budget 10, and these have 11; {advice}"
    assert refusal(path, prepared(seed=1)) == f"{path} holds games with seed 0, and these have 1; {advice}"
    assert refusal(path, prepared("select(sim, 0.4)")).startswith(
        f"{path} holds games with agent step(select(sim, 0.5)"
    )
    path.write_text("something else\n")
    assert refusal(path, prepared()) == f"{path} is no journal of games; give --journal another name"
    assert path.read_text() == "something else\n"
    path.write_text(json.dumps(with_checksum({"format": "else"})) + "\n")
    assert refusal(path, prepared()) == f"{path} is no journal of games; give --journal another name"
    path.write_bytes(content.replace(b'"ticks":', b'"ticks":1', 1))
    damaged = f"{path}, line 2 is damaged: it does not match its checksum; restore the file, or begin anew"
    assert refusal(path, prepared()) == damaged
    lines = content.splitlines(keepends=True)
    path.write_bytes(lines[0] + json.dumps(with_checksum({"problem": 0})).encode() + b"\n")
    assert refusal(path, prepared()) == f"{path}, line 2: it is no game; restore the file, or begin anew"


def test_two_do_not_write_the_same_journal(tmp_path: Path) -> None:
    path = tmp_path / "games"

    def meddle(done: list[GameRecord]) -> None:
        messages.append(refusal(path, prepared()))

    messages: list[str] = []
    play_games(prepared(), 1, journal=path, on_game=meddle)
    assert messages == [f"{path}: another process is writing these games; wait for it or stop it"]


class Breaks(Walk):
    """Raises in the third game, or so."""

    def sample(self, random: Random) -> list[int]:
        return [0, 3 if random.below(3) else 0]

    def reward(self, state: list[int]) -> float:
        if state[1] < 8:
            raise RuntimeError("broken")
        return 0.5


def test_what_a_domain_does_wrong_is_said_with_the_problem(tmp_path: Path) -> None:
    play = prepared_play(Breaks(), "select(sim, 1)", Limits(3), None, "test", 0, "auto", "standard", False)
    with pytest.raises(DomainError) as error:
        play_games(play, 50, journal=tmp_path / "games")
    assert str(error.value).startswith("game on test problem ") and "Breaks.reward raised RuntimeError: broken" in str(
        error.value
    )


def test_a_score_is_a_finite_number(tmp_path: Path) -> None:
    class NoScore(Breaks):
        def reward(self, state: Any) -> float:
            return 0.5

        def score(self, state: Any) -> float:
            return math.inf

    play = prepared_play(NoScore(), "select(sim, 1)", Limits(3), None, "test", 0, "auto", "standard", False)
    with pytest.raises(DomainError, match=r"NoScore.score returned inf; a score is a finite number"):
        play_games(play, 1)


# The command.


def run(*words: str) -> Result:
    return CliRunner().invoke(command, list(words), catch_exceptions=False)


@pytest.mark.parametrize("keeps", [False, True])
def test_after_an_interruption_the_finished_games_are_shown(
    keeps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Play.play

    def stopped(self: Play, k: int, *how: Any) -> GameRecord:
        if k == 5:
            raise KeyboardInterrupt
        return whole(self, k, *how)

    monkeypatch.setattr(Play, "play", stopped)
    monkeypatch.setattr("discovery.many.games.CHUNK_SECONDS", 0.0)
    journal = ["--journal", str(tmp_path / "games")] if keeps else []
    result = CliRunner().invoke(
        command,
        [CLIFF, "select(sim, 0.5)", "--budget", "10", "--games", "8", "--jobs", "1", *journal],
        standalone_mode=False,
    )
    assert result.return_value == 130
    assert result.stdout.startswith("cliff:width=6,height=4,slip=0.2,steps=12: 5 games by ")
    kept = f"the same command goes on from {tmp_path / 'games'}" if keeps else "none is kept; --journal FILE keeps them"
    assert result.stderr.splitlines()[-1] == f"interrupted after 5 of 8 games; {kept}"


def test_an_interruption_before_the_first_game_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the search that warms up, which takes a Ctrl-C for its own end."""

    class Stopped:
        stop_reason = "interrupted"

    play = prepared()
    monkeypatch.setattr(type(play.running), "game", lambda *_: SimpleNamespace(tick=lambda *_: Stopped()))
    with pytest.raises(KeyboardInterrupt):
        play.warm_up()


def test_what_is_said_of_games() -> None:
    result = run(CLIFF, "select(sim, 0.5)", "--budget", "10", "--games", "8", "--show", "1")
    lines = result.stdout.splitlines()
    records = play_games(prepared(), 8)
    scores, hits = summary([record.score for record in records]), sum(bool(record.reached_goal) for record in records)
    low, high = binomial_interval(hits, 8)
    canonical = "cliff:width=6,height=4,slip=0.2,steps=12"
    shown = prepared().shown(records[0]).draw().splitlines()
    assert lines[0] == f"game on problem 0, seed {records[0].seed}: reward {records[0].score:g}"
    assert lines[1 : len(shown) + 1] == shown
    assert lines[len(shown) + 2 :] == [
        f"{canonical}: 8 games by step(select(sim, 0.5), visits), 10 evaluations a tick",
        f"reward       {scores.mean:.3f} ({scores.low:.3f} to {scores.high:.3f})",
        f"goal         {100 * hits / 8:.1f} % ({100 * low:.1f} % to {100 * high:.1f} %)",
        f"ticks        {sum(record.ticks for record in records) / 8:.1f} a game, 10 evaluations each",
    ]


def test_the_document_holds_games_that_can_be_played_again() -> None:
    document = json.loads(
        run(CLIFF, "tune(sim(mast(eps={0, 1})), ntbea)", "--budget", "9", "--games", "3", "--json").stdout
    )
    domain = find_domain(document["domain"])
    assert document["agent"] == "step(tune(sim(mast(eps={0, 1})), ntbea))"
    assert len(document["games"]) == 3
    for game in document["games"]:
        final = replay(domain, problem(domain, game["problem"]), game["actions"], Random(game["seed"]))
        assert domain.reward(final) == game["reward"]
        assert game["tuned"][0][0] == "eps of mast"
    assert document["mean_score"] == pytest.approx(sum(game["score"] for game in document["games"]) / 3)
    assert document["goals"] == sum(game["reached_goal"] for game in document["games"])


def test_games_by_the_clock(tmp_path: Path) -> None:
    result = run("cliff:steps=3", "tune(sim(mast(eps={0, 1})), ntbea)", "--ms", "1", "--games", "2")
    lines = result.stdout.splitlines()
    assert lines[0].endswith(", 1 ms a tick")
    assert any(line.startswith("tuner        eps of mast = ") for line in lines)
    assert lines[-1].startswith("overruns     ") and lines[-1].endswith("by the clock no game can be repeated")


def frames(document: str) -> list[ElementTree.Element]:
    return [one for one in ElementTree.fromstring(document) if "frame" in one.get("class", "").split()]


def test_a_game_is_a_moving_picture(tmp_path: Path) -> None:
    path = tmp_path / "game.svg"
    result = run("stock:weeks=4", "sim", "--budget", "2", "--games", "1", "--svg", str(path), "--commit", "best")
    assert result.stdout.splitlines()[-1] == f"saved in {path}"
    shown = frames(path.read_text())
    assert [one.get("style") for one in shown] == [
        *("animation-delay: 0s", "animation-delay: -3.5s", "animation-delay: -3s"),
        *("animation-delay: -2.5s", "animation-delay: -2s"),
    ]
    assert [one.get("class") for one in shown] == [*["frame"] * 4, "frame last"]
    weeks = [[text.text for text in one.iter("{http://www.w3.org/2000/svg}text")] for one in shown]
    assert [texts.count("4") for texts in weeks] == [0, 0, 0, 0, 1]


def test_a_domain_that_draws_no_pictures_moves_as_text() -> None:
    (game,) = play(Walk(), "sim", 3)
    shown = frames(game.animation())
    texts = ["".join(one.itertext()).strip() for one in shown]
    assert len(texts) == game.record.ticks + 1
    assert texts[-1] == game.draw() and texts[0] == ""


def test_a_long_game_skips_some_ticks() -> None:
    assert frames_of(0) == [0] and frames_of(3) == [0, 1, 2, 3]
    many = frames_of(10_000)
    assert len(many) == MOST_FRAMES and (many[0], many[-1]) == (0, 10_000)
    assert {b - a for a, b in pairwise(many)} == {25, 26}


def test_frames_of_several_sizes_and_styles_share_what_they_begin_with() -> None:
    def frame(width: str, style: str, *body: str) -> str:
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" {width}><title>t</title><style>{style}</style>'
        return f"{svg}{''.join(body)}</svg>"

    whole = animated(
        [
            frame('width="30px" height="9.5"', ".a {}", '<path d="M1 1"/>', "<g/>"),
            frame('viewBox="0 0 20 40"', ".b {}", '<path d="M1 1"/>', "<text>x &lt; y</text>"),
        ],
        "a < b",
    )
    root = ElementTree.fromstring(whole)
    assert root.get("viewBox") == "0 0 30 40" and root[0].text == "a < b"
    assert whole.count("M1 1") == 1 and ".a {}" in whole and ".b {}" in whole
    assert [len(one) for one in frames(whole)] == [1, 1] and "x &lt; y" in whole


def test_games_are_drawn_while_they_are_played() -> None:
    result = run("cliff:slip=0,steps=3", "select(sim, 0.5)", "--budget", "4", "--games", "2", "--live")
    told = result.stderr.splitlines()
    records = play_games(
        prepared_play(
            find_domain("cliff:slip=0,steps=3"), "select(sim, 0.5)", Limits(4), None, "test", 0, "auto", "standard"
        ),
        2,
    )
    assert [line for line in told if line.startswith("game on problem")] == [
        f"game on problem {record.problem}, tick {tick + 1}" for record in records for tick in range(record.ticks)
    ]
    assert result.stdout.startswith("cliff:width=6,height=4,slip=0,steps=3: 2 games by ")
    refused = run("cliff", "sim", "--live", "--jobs", "2")
    assert "Error: --live draws games that are played in this process; leave --jobs out" in refused.stderr


def test_a_tick_may_have_a_budget_of_actions_and_trees_may_be_kept(tmp_path: Path) -> None:
    journal = tmp_path / "games.jsonl"
    words = (CLIFF, "select(sim, 0.5)", "--plays", "100", "--tree", "kept", "--games", "2", "--journal", str(journal))
    assert run(*words).stdout.splitlines()[0].endswith(", 100 actions in the model a tick")
    (first, _) = play(CLIFF, "select(sim, 0.5)", plays=100, trees="kept", games=2)
    document = json.loads(run(*words, "--json").stdout)
    assert (document["budget"], document["plays"], document["trees"]) == (None, 100, "kept")
    assert document["games"][0]["actions"] == list(first.record.actions)
    assert first.record != play(CLIFF, "select(sim, 0.5)", plays=100)[0].record
    with pytest.raises(UserError) as error:
        run(CLIFF, "select(sim, 0.5)", "--plays", "100", "--journal", str(journal), "--games", "2")
    assert "holds games with trees kept, and these have None" in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budget", "5", "--ms", "5"), "give --budget or --ms, one of the two"),
        (("--plays", "5", "--ms", "5"), "give --plays or --ms, one of the two"),
        (("--plays", "0"), "the budget in actions cannot be 0; it is a whole number from 1 to 2^63 - 1"),
    ],
)
def test_a_tick_has_one_budget(options: tuple[str, ...], message: str) -> None:
    try:
        assert message in run("cliff", "sim", *options).stderr
    except UserError as error:
        assert str(error) == message


def test_play_is_given_one_budget() -> None:
    with pytest.raises(UserError) as error:
        play("cliff", "sim", 5, plays=5)
    assert str(error.value) == "give a budget in evaluations or in actions played, one of the two"


def test_a_domain_without_a_goal_has_no_share_of_them() -> None:
    document: dict[str, Any] = json.loads(
        run("stock", "select(sim, 1)", "--budget", "2", "--games", "2", "--json").stdout
    )
    assert (document["goals"], document["share_of_goals"], document["goal_ci95"]) == (None, None, None)
    assert document["unit"] == "cost"

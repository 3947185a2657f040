"""What a campaign is said to take before it begins, and how it is shown while it runs."""

import dataclasses
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from discovery.arena.agents import oppose
from discovery.campaign.foretelling import (
    TIMED,
    Forecast,
    Smaller,
    default_test_problems,
    pilot,
    runs_to_measure,
    smaller,
)
from discovery.campaign.ranking import ArmStatistics
from discovery.campaign.running import Progress, run
from discovery.campaign.settings import read_settings
from discovery.pace import WorkPace
from discovery.pool.chunks import TIMED_SECONDS, PullSetup, time_pulls
from domains.registry import find_domain
from mcsgrammar.cli.campaign_display import CampaignDisplay
from mcsgrammar.cli.discovering import command as discover
from mcsgrammar.cli.foretelling import Foreteller
from mcsgrammar.engines.searching import Limits
from tests.discovery.campaigns import CANDIDATES, Tiny, journal_of, made, tiny

DEPTHS = ((5, 3155), (4, 411), (3, 51))
OF_PROBLEMS: Any = SimpleNamespace(against=None, family=None)
"""The settings of a campaign with one role."""


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


def forecast(seconds_per_pull: float | None, pulls: int = 315_500, left: int | None = None, **more: Any) -> Forecast:
    kind: Any = {"play": None, "against": None, "family": None, "batch": 256}
    settings: Any = {"budget": 1000, "seconds": None, "candidates": 3155, "pulls": pulls} | kind | more
    return Forecast(SimpleNamespace(**settings), pulls if left is None else left, 2, seconds_per_pull)


# What is timed.


def test_the_pilot_is_spread_over_all_candidates() -> None:
    assert pilot(["a", "b"]) == ["a", "b"]
    texts = [str(number) for number in range(100 * TIMED)]
    timed = [int(text) for text in pilot(texts)]
    assert sorted(timed) == [50 + 100 * number for number in range(TIMED)]
    first_eight = sorted(timed[:8])  # if there is no time for more
    assert max(b - a for a, b in pairwise([0, *first_eight, 100 * TIMED])) <= 2 * 100 * TIMED / 8


class Clock:
    """Moved on by the pulls."""

    def __init__(self, per_evaluation: float) -> None:
        self.now, self.per_evaluation = 0.0, per_evaluation
        self.runs: list[tuple[str, int, int]] = []

    def pull(self, world: Any, text: str, t: int, evaluations: int) -> Any:
        self.runs.append((text, t, evaluations))
        self.now += evaluations * self.per_evaluation
        return SimpleNamespace(failed="it is broken" if text == "broken" else None)


def timed(clock: Clock, monkeypatch: pytest.MonkeyPatch, domain: Tiny, texts: list[str]) -> float | None:
    monkeypatch.setattr("discovery.pool.chunks.time.monotonic", lambda: clock.now)
    monkeypatch.setattr("discovery.pool.chunks.CampaignWorld.pull", lambda *arguments: clock.pull(*arguments))
    return time_pulls(PullSetup("timed", domain.name, 0, Limits(1000), "standard", "reference"), texts)


def test_fast_pulls_are_timed_whole(domain: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(1e-6)
    assert timed(clock, monkeypatch, domain, ["a", "b"]) == pytest.approx(0.001)
    assert clock.runs == [(text, t, n) for t, text in enumerate("ab") for n in (0, 1, 10, 100, 1000)]


def test_of_slow_pulls_a_part_is_timed(domain: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0.01)
    assert timed(clock, monkeypatch, domain, ["a"] * TIMED) == pytest.approx(10.0)
    assert {n for _, _, n in clock.runs} == {0, 1, 10}
    assert clock.now < 2 * TIMED_SECONDS


def test_one_evaluation_is_enough_if_it_takes_seconds(domain: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(3.0)
    assert timed(clock, monkeypatch, domain, ["a"] * TIMED) == pytest.approx(3000.0)
    assert clock.now == 3.0


def test_failed_runs_say_nothing(domain: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(Clock(1e-6), monkeypatch, domain, ["broken", "a"]) == pytest.approx(0.001)
    assert timed(Clock(1e-6), monkeypatch, domain, ["broken"]) is None


def test_a_campaign_tells_what_is_left_and_is_the_same(domain: Tiny, tmp_path: Path) -> None:
    told: list[Forecast] = []
    foretold, silent = made(tmp_path / "foretold", domain), made(tmp_path / "silent", domain)
    run(foretold, stop_after=1e-9, on_start=told.append)
    run(foretold, on_start=told.append)
    run(foretold, on_start=told.append)  # nothing is left to tell
    assert [one.pulls for one in told] == [60, 53]
    assert all(one.jobs == 1 and 0 < (one.seconds_per_pull or 0) < 1 for one in told)
    run(silent)
    assert journal_of(foretold) == journal_of(silent)


def test_a_budget_in_seconds_needs_no_timing(domain: Tiny, tmp_path: Path) -> None:
    setup = PullSetup("seconds", domain.name, 0, Limits(None, 0.25), "standard", "reference")
    assert time_pulls(setup, CANDIDATES) == 0.25


def test_workers_that_are_lost_by_it_leave_the_time_unknown(
    domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*arguments: object) -> None:
        raise TimeoutError

    monkeypatch.setattr("discovery.pool.pools.time_pulls", lost)
    told: list[Forecast] = []
    run(made(tmp_path / "c", domain), on_start=told.append)
    assert [one.seconds_per_pull for one in told] == [None]


# How many test problems.


@pytest.mark.parametrize(
    ("pulls", "best", "problems"),
    [(1, 1, 10), (153, 10, 10), (510, 10, 10), (760, 10, 20), (63_100, 10, 1000), (10**9, 10, 1000), (3_800, 10, 100)],
)
def test_measuring_takes_no_more_runs_than_the_campaign(pulls: int, best: int, problems: int) -> None:
    assert default_test_problems(OF_PROBLEMS, pulls, best) == problems
    assert problems == 10 or runs_to_measure(OF_PROBLEMS, problems, best) <= pulls


def test_runs_of_a_measurement() -> None:
    """14 generic algorithms on test and on training problems."""
    assert runs_to_measure(OF_PROBLEMS, 100, 10) == 100 * 10 + 100 * 14 + 100 * 14


def test_runs_of_a_round_robin() -> None:
    """Blocks of every two: the best, the pool, and the yardstick if it is not in the pool."""
    game, limits = find_domain("tictactoe"), Limits(50)
    plain, other = oppose(game, [], limits), oppose(game, ["select(sim, 1)", "select(sim, 0.4)@60"], limits)
    of_one, of_two = (SimpleNamespace(against=one, budget=50, seconds=None) for one in (plain, other))
    assert runs_to_measure(of_one, 100, 5) == 100 * 15  # type: ignore[arg-type]
    assert runs_to_measure(of_two, 100, 5) == 100 * 28  # type: ignore[arg-type]
    assert default_test_problems(of_one, 1600, 5) == 100  # type: ignore[arg-type]


# A smaller campaign.


@pytest.mark.parametrize(
    ("seconds_per_pull", "found"),
    [
        (0.001, Smaller(5, 1, 20)),
        (0.005, Smaller(5, 1, 5)),
        (0.025, Smaller(4, 1, 5)),
        (0.1, Smaller(3, 1, 10)),
        (1.0, Smaller(3, 10, 10)),
        (1000.0, None),
    ],
)
def test_fewer_pulls_then_fewer_candidates_then_a_smaller_budget(
    seconds_per_pull: float, found: Smaller | None
) -> None:
    assert smaller(forecast(seconds_per_pull), DEPTHS, 10, 60.0) == found


# What is said.


def line(told: Forecast, *arguments: str, problems: int = 1000) -> str:
    """After `discover` with these arguments."""
    with discover.make_context("discover", list(arguments)):
        return Foreteller(10, problems, DEPTHS).line(told)


def test_a_short_campaign() -> None:
    assert line(forecast(0.001, 10_000), "sudoku:4") == (
        "planned: 10,000 pulls of 1,000 evaluations on 3,155 candidates, about 5 s; "
        "then measuring the best on 1,000 test problems, about 20 s"
    )


def test_a_campaign_on_a_sample() -> None:
    told = dataclasses.replace(forecast(0.001, 1000), reach=250)
    assert line(told, "sudoku:4", problems=10) == (
        "planned: 1,000 pulls of 1,000 evaluations on 250 of 3,155 candidates, about a second; "
        "then measuring the best on 10 test problems, about a second"
    )


def test_of_a_sample_fewer_may_be_measured() -> None:
    few, all_of_them = dataclasses.replace(forecast(0.1, 10), reach=2), forecast(0.1, 10)
    assert [runs_to_measure(OF_PROBLEMS, 100, best) for best in (2, 10)] == [3000, 3800]  # 150 s, 190 s; two workers
    assert "test problems, about 2 min" in line(few, "x", problems=100)
    assert "test problems, about 3 min" in line(all_of_them, "x", problems=100)


def test_a_long_campaign_with_a_smaller_one() -> None:
    typed = ("tour.py:Tour", "--select", "0.5, grave(c=0.2)", "--pulls", "1e6", "--out", "here", "--top", "10")
    assert line(forecast(1.0), *typed) == (
        "planned: 315,500 pulls of 1,000 evaluations on 3,155 candidates, about 45 h; then measuring the best on 1,000 "
        "test problems, about 5 h. A smaller one, of a minute: mcsgrammar discover tour.py:Tour --budget 100 --depth 3 "
        "--select '0.5, grave(c=0.2)' --pulls-per-candidate 10 --top 10"
    )


def test_a_long_campaign_of_games() -> None:
    """The smaller one is typed as the long one was: its budget follows --play, or --budget says it."""
    told = forecast(1.0, play="new")
    assert line(told, "cliff", "--play", "1000").endswith(
        "mcsgrammar discover cliff --play 100 --depth 3 --pulls-per-candidate 10"
    )
    assert line(told, "cliff", "--play", "--budget", "1000").endswith(
        "mcsgrammar discover cliff --budget 100 --play --depth 3 --pulls-per-candidate 10"
    )


def test_a_long_campaign_in_seconds() -> None:
    told = forecast(1.0, budget=None, seconds=1.0)
    assert line(told, "tour.py:Tour", "--seconds", "1").endswith(
        "mcsgrammar discover tour.py:Tour --seconds 0.1 --depth 3 --pulls-per-candidate 10"
    )


def test_a_campaign_that_is_resumed() -> None:
    assert Foreteller(10, 0).line(forecast(1.0, 1000, 600)) == (
        "planned: the last 600 pulls of 1,000 evaluations on 3,155 candidates, about 5 min"
    )


def test_a_campaign_of_which_nothing_is_known() -> None:
    assert line(forecast(None), "x") == (
        "planned: 315,500 pulls of 1,000 evaluations on 3,155 candidates; then measuring the best on 1,000 test "
        "problems; how long that takes is not known yet"
    )


def test_a_smaller_command_can_be_typed() -> None:
    """What is proposed is read again as what was typed, but for what makes it smaller."""
    import shlex

    proposed = shlex.split(line(forecast(1.0), "x.py:X", "--seed", "3").partition("minute: ")[2])
    assert proposed[:2] == ["mcsgrammar", "discover"]
    context = discover.make_context("discover", proposed[2:])
    read = {key: context.params[key] for key in ("domain", "seed", "budget", "depth", "pulls_per_candidate")}
    assert read == {"domain": "x.py:X", "seed": 3, "budget": 100, "depth": 3, "pulls_per_candidate": 10}
    assert isinstance(context, click.Context)


# What is shown.


def progress(pulls: int, pace: WorkPace) -> Progress:
    policy: Any = SimpleNamespace(ranking=lambda: ArmStatistics(0).counts)
    return Progress(pulls, 1000, pulls, pace, policy, ArmStatistics(0), [])


def test_plain_lines_come_soon_and_say_what_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr("mcsgrammar.cli.campaign_display.time.monotonic", lambda: now)
    pace = WorkPace(clock=lambda: now)
    with CampaignDisplay() as display:
        display.begin(forecast(10.0, 1000))
        for pulls, later in ((1, 1.5), (2, 0.5), (3, 9.0), (4, 1.0), (20, 20.0)):
            now += later
            pace.tell(pulls)
            display(progress(pulls, pace))
    assert capsys.readouterr().err.splitlines() == [
        "0%  2 of 1,000 pulls, about 85 min left",  # by the forecast
        "0%  4 of 1,000 pulls, about 85 min left",
        "2%  20 of 1,000 pulls, 1.61 s each, about 25 min left",
    ]


def test_without_a_forecast_nothing_is_said_until_it_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr("mcsgrammar.cli.campaign_display.time.monotonic", lambda: now)
    pace = WorkPace(clock=lambda: now)
    with CampaignDisplay() as display:
        display.begin(forecast(None, 1000))
        now += 5
        pace.tell(1)
        display(progress(1, pace))
    assert capsys.readouterr().err == "0%  1 of 1,000 pulls\n"


def test_the_default_number_of_test_problems(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It follows from the campaign; once measured on more, not on less."""
    from mcsgrammar.cli import campaigning

    folder = made(tmp_path / "c", domain, pulls=5000)
    how: Any = SimpleNamespace(test_problems=None, top=10)
    settings = read_settings(folder)
    fitting = default_test_problems(settings, settings.pulls, len(CANDIDATES))
    assert campaigning._test_problems(folder, settings, how, 10) == fitting == 100
    kept = SimpleNamespace(problems=3000)
    monkeypatch.setattr("discovery.evaluation.kept.read_kept", lambda folder: kept)
    assert campaigning._test_problems(folder, settings, how, 10) == 3000
    how.test_problems = 7
    assert campaigning._test_problems(folder, settings, how, 10) == 7
    assert "measuring takes no more runs than the campaign]" in " ".join(
        discover.get_help(click.Context(discover)).split()
    )


def test_no_more_pulls_run_at_a_time_than_are_asked_for_together() -> None:
    each = {size: dataclasses.replace(forecast(2.0, batch=size), jobs=8) for size in (256, 8, 2, 1)}
    of_pulls = {size: one.of_pulls.seconds(100) for size, one in each.items()}
    assert of_pulls == {256: 25.0, 8: 25.0, 2: 100.0, 1: 200.0}
    assert {one.seconds(100) for one in each.values()} == {25.0}

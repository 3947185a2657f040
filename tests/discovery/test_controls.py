"""How steady the machine was in a campaign by seconds: the controls, on a clock that evaluations move."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discovery.campaign import controls
from discovery.campaign.controls import MachineSpeed, read_speed, speed_warnings
from discovery.campaign.ranking import read_standing
from discovery.campaign.running import Outcome, Progress, create, plan, run
from discovery.campaign.status import status_of
from discovery.keeping.folder import CONTROLS_FILE, TIMINGS_FILE
from discovery.report.report import make_report
from discovery.report.writers import as_html, as_markdown
from domains.protocol import Domain
from domains.randomness import Random
from mcsgrammar.cli.campaigning import print_leaders
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from tests.discovery.campaigns import JOURNAL, finished, journal_of, made, on_disk, pulls_in, tiny

CANDIDATES = ("sim", "lookahead(sim)", "step(sim)", "select(sim, 0.5)")


class Ticking(Domain):
    """Four choices to be guessed; an evaluation takes `cost` seconds of CPU time, and nothing else does. What it knows
    is the class's: a process keeps the domain of a campaign, and the next test's campaign is the same one."""

    horizon = 4
    unit = "points"
    cost = 1 / 1024
    now = 100.0
    broken = False

    def sample(self, random: Random) -> list[int]:
        return [random.below(1000)]

    def actions(self, state: list[int]) -> list[int]:
        return list(range(8)) if len(state) <= 4 else []

    def play(self, state: list[int], action: int) -> None:
        state.append(action)

    def copy(self, state: list[int]) -> list[int]:
        return state[:]

    def reward(self, state: list[int]) -> float:
        Ticking.now += self.cost
        if self.broken:
            raise ValueError("broken")
        return sum((state[0] >> i) % 8 == action for i, action in enumerate(state[1:])) / 4


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> Ticking:
    monkeypatch.setattr(time, "thread_time", lambda: Ticking.now)
    for name in ("cost", "now", "broken"):  # put back when the test is over
        monkeypatch.setattr(Ticking, name, getattr(Ticking, name))
    return Ticking()


def planned(folder: Path, domain: Ticking, pulls: int = 200, batch: int = 50, **settings: Any) -> Path:
    """A campaign of runs of 1/16 s, not yet run."""
    expressions = [parse(text) for text in CANDIDATES]
    limits = Limits(seconds=1 / 16)
    create(folder, *plan(domain, expressions, limits=limits, policy="uniform", pulls=pulls, batch=batch, **settings))
    return folder


def lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / CONTROLS_FILE
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def slower(after: int, times: float) -> Callable[[Progress], None]:
    """The machine becomes slower after so many pulls."""
    usual = Ticking.cost

    def on_progress(progress: Progress) -> None:
        Ticking.cost = usual * times if progress.pulls >= after else usual

    return on_progress


def test_controls_run_among_the_pulls(domain: Ticking, tmp_path: Path) -> None:
    folder = planned(tmp_path / "c", domain)
    outcome = run(folder, domain=domain)
    assert (outcome.ended, outcome.pulls_now, len(pulls_in(folder))) == ("complete", 200, 200)
    assert [line["pull"] for line in lines(folder)] == [0, 32, 64, 96, 128, 160, 192]
    assert [line["problem"] for line in lines(folder)] == [0, 1, 2, 3, 4, 5, 6]
    assert {(line["evaluations"], line["seconds"]) for line in lines(folder)} == {(64, 1 / 16)}
    speed = read_standing(folder).speed
    assert speed == MachineSpeed(7, 1024.0, None, None, None, 0, 0, None, 0, 1 / 16)
    assert speed.is_steady and speed_warnings(speed, [(0.5, 9)]) == []


def test_the_journal_knows_nothing_of_them(domain: Ticking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where the clock says the same, so does the journal."""
    run(planned(tmp_path / "with", domain), domain=domain)
    monkeypatch.setattr(controls, "EVERY", 10**9)
    run(planned(tmp_path / "hardly", domain), domain=domain)
    assert len(lines(tmp_path / "hardly")) == 1
    assert journal_of(tmp_path / "with") == journal_of(tmp_path / "hardly")


def test_a_campaign_by_evaluations_has_none(tmp_path: Path) -> None:
    folder = made(tmp_path / "c", tiny(tmp_path))
    finished(folder)
    assert not (folder / CONTROLS_FILE).exists()
    standing = read_standing(folder)
    assert standing.speed is None and standing.warnings() == []
    assert status_of(standing, 3)["speed"] is None


def test_they_are_told_where_the_machine_becomes_slow(
    domain: Ticking, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = planned(tmp_path / "c", domain, pulls=1000)
    run(folder, domain=domain, on_progress=slower(500, 2))
    standing = read_standing(folder)
    speed = standing.speed
    assert speed is not None and not speed.is_steady
    assert (speed.controls, speed.drift, speed.batches, speed.batches_off) == (32, -0.5, 20, 20)
    assert speed.reward_deviation is not None and speed.reward_deviation > 0
    said = (
        "768 evaluations a CPU second, nine of ten controls -33.3% to +33.3% from that, -50.0% from the first quarter "
        "of the campaign to the last; 20 of 20 batches were off by more than 10%"
    )
    assert str(speed) == said
    unsteady = (
        f"The machine was not steady: {said}. Candidates that ran while it was slow had less; repeat the campaign "
        "where nothing else runs, or by evaluations (--budget)."
    )
    assert standing.warnings()[0] == unsteady
    print_leaders(standing, 1)
    assert capsys.readouterr().out.splitlines()[1] == f"the machine: {said}"
    report = make_report(folder, problems=0, domain=domain)
    assert report.findings[1] == unsteady
    assert unsteady in as_markdown(report) and "How steady the machine was" in as_html(report)


def test_what_a_report_shows(domain: Ticking, tmp_path: Path) -> None:
    folder = planned(tmp_path / "c", domain)
    run(folder, domain=domain)
    text = str(make_report(folder, problems=0, domain=domain))
    assert (
        """
How steady the machine was
by 7 controls: runs of step(lookahead(sim)) that count for nothing, one every 32 pulls, on the same few problems
speed                                               value
evaluations a CPU second, median                    1,024
nine of ten controls, from that                     –
last quarter of the campaign, from the first        –
batches off by more than 10%                        –
reward of one and the same run, standard deviation  –
CPU seconds of a pull, mean                         0.0625

Settings
"""
        in text
    )


SPEED = MachineSpeed(408, 1000.0, -0.02, 0.03, 0.01, 20, 1, 0.004, 400, 0.01)
FEW = (
    "The controls were too few to say whether the machine's speed alone could turn the order of the two that lead "
    "({}; 300 would do). The same campaign again would show it."
)


@pytest.mark.parametrize(
    ("speed", "leaders", "said"),
    [
        (None, [(0.5, 50), (0.5, 50)], []),
        (SPEED, [(0.5, 50)], []),
        (SPEED, [(0.5, 50), (0.4983, 50)], []),
        (
            SPEED,
            [(0.5, 50), (0.4985, 50)],
            [
                "The two that lead are 0.0015 of reward apart in training; the machine's speed alone moves such a "
                "difference by 0.0008 (standard deviation, from 400 repeats). The same campaign may recommend the "
                "other next time."
            ],
        ),
        (replace(SPEED, reward_deviation=0.0), [(0.5, 50), (0.5, 50)], []),
        (replace(SPEED, reward_deviation=0.0, repeats=1), [(0.5, 50), (0.5, 50)], [FEW.format("1 repeat")]),
        (replace(SPEED, reward_deviation=None, repeats=0), [(0.5, 50), (0.5, 50)], [FEW.format("0 repeats")]),
        (
            replace(SPEED, controls=3, drift=None, batches=1, batches_off=1),
            [(0.5, 50), (0.4, 50)],
            [
                "The machine was not steady: 1,000 evaluations a CPU second, nine of ten controls -2.0% to +3.0% from "
                "that; 1 of 1 batch was off by more than 10%. Candidates that ran while it was slow had less; repeat "
                "the campaign where nothing else runs, or by evaluations (--budget)."
            ],
        ),
    ],
)
def test_when_something_is_to_be_said(
    speed: MachineSpeed | None, leaders: list[tuple[float, int]], said: list[str]
) -> None:
    assert speed_warnings(speed, leaders) == said


def test_steadiness() -> None:
    assert SPEED.is_steady
    for unsteady in ({"drift": -0.11}, {"drift": 0.11}, {"batches_off": 2}):
        assert not replace(SPEED, **unsteady).is_steady  # type: ignore[arg-type]


def test_the_same_problem_is_compared_with_itself(tmp_path: Path) -> None:
    """Problems differ in speed; the machine is not to blame for that. Computed by hand."""
    rows = [(0, 0, 100, 1.0, 0.5), (32, 1, 1000, 1.0, 0.25), (64, 0, 120, 1.0, 0.75), (96, 1, 1000, 1.0, 0.25)]
    rows += [(128, 0, 110, 1.0, 0.625), (160, 1, 1000, 1.0, 0.25)]
    write(tmp_path, rows)
    speed = read_speed(tmp_path, np.array([64, 128, 192]))
    assert speed is not None and speed.per_second == 560.0
    assert speed.low == pytest.approx(-0.1 / 1.1 * 0.75) and speed.high == pytest.approx(0.1 / 1.1 * 0.75)
    assert speed.drift == pytest.approx(1.1 / 1.0 - 1)
    assert speed.reward_deviation == pytest.approx((2 * 0.125**2 / 4) ** 0.5)
    assert (speed.batches, speed.batches_off, speed.seconds_per_pull) == (3, 0, None)
    (tmp_path / TIMINGS_FILE).write_text("64,9.0,0.64\n64,9.0,1.28\n100,1.0,7.0\n")
    speed = read_speed(tmp_path, np.array([64, 128, 192]))
    assert speed is not None and speed.seconds_per_pull == 0.02  # the later line of a batch, and journalled ones only


def test_where_controls_are_few_nothing_is_called_steady(tmp_path: Path) -> None:
    """Of one or two on a problem the median is where they are, however slow the second was."""
    write(tmp_path, [(0, 0, 100, 1.0, 0.5), (32, 1, 100, 1.0, 0.5), (64, 0, 10, 1.0, 0.5)])
    speed = read_speed(tmp_path, np.array([64, 128]))
    assert speed is not None and (speed.low, speed.high, speed.drift, speed.batches) == (None, None, None, 0)
    assert str(speed) == "100 evaluations a CPU second; 3 controls are too few to tell how steady it was"


def write(folder: Path, rows: Sequence[tuple[object, ...]]) -> None:
    names = ("pull", "problem", "evaluations", "seconds", "reward")
    text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    (folder / CONTROLS_FILE).write_text(text)


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    good = (0, 0, 100, 1.0, 0.5)
    write(tmp_path, [good, (32, 1, 0, 1.0, 0.5), (64, 1, 5, 0.0, 0.5), (96, 1, "5", 1.0, 0.5)])
    with (tmp_path / CONTROLS_FILE).open("a") as file:
        for evaluations, seconds in (f"1{'0' * 400}", "0.01"), ("5", "1e-320"), ("5", "1e400"), ("1e400", "1e400"):
            file.write(f'{{"pull":160,"problem":1,"evaluations":{evaluations},"seconds":{seconds},"reward":0.5}}\n')
    with (tmp_path / CONTROLS_FILE).open("a") as file:
        file.write('[]\n7\n{}\n\n{"pull":0,"problem":0,"evaluations":200,"seconds":1.0,"reward":0.5}\n{"pull":128,"pro')
    (tmp_path / TIMINGS_FILE).write_text("torn")
    speed = read_speed(tmp_path, np.array([256]))
    assert speed == MachineSpeed(1, 200.0, None, None, None, 0, 0, None, 0, None)
    (tmp_path / CONTROLS_FILE).write_text("torn")
    assert read_speed(tmp_path, np.array([256])) is None


def test_a_file_that_cannot_be_read(domain: Ticking, tmp_path: Path) -> None:
    folder = planned(tmp_path / "c", domain)
    run(folder, domain=domain, stop_after=1e-9)
    (folder / CONTROLS_FILE).unlink()
    (folder / CONTROLS_FILE).mkdir()
    with pytest.raises(Exception) as caught:
        read_standing(folder)
    assert str(caught.value) == f"{folder / CONTROLS_FILE} cannot be read: Is a directory"


def test_a_campaign_of_an_older_version_goes_on(domain: Ticking, tmp_path: Path) -> None:
    """Which has no controls."""
    folder = planned(tmp_path / "c", domain)
    run(folder, domain=domain, stop_after=1e-9)
    (folder / CONTROLS_FILE).unlink()
    assert read_standing(folder).speed is None
    assert make_report(folder, problems=0, domain=domain).speed is None
    assert run(folder, domain=domain).ended == "complete"
    assert [line["pull"] for line in lines(folder)] == [64, 96, 128, 160, 192]
    speed = read_standing(folder).speed
    assert speed is not None and (speed.controls, speed.batches, speed.drift) == (5, 0, None)


def test_what_was_finished_before_a_stop_is_not_run_again(domain: Ticking, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.pulls >= 90:
            raise KeyboardInterrupt

    whole, folder = planned(tmp_path / "whole", domain), planned(tmp_path / "c", domain)
    run(whole, domain=domain)
    outcome: Outcome = run(folder, domain=domain, on_progress=stop)
    assert (outcome.ended, outcome.pulls) == ("interrupted", 50)
    assert 40 <= outcome.finished <= 50
    assert [line["pull"] for line in lines(folder)] == [0, 32]
    assert run(folder, domain=domain).ended == "complete"
    assert journal_of(folder) == journal_of(whole)
    pulls = [line["pull"] for line in lines(folder)]  # of a control that was finished before the stop nothing is known
    assert pulls == [0, 32, *([96] * (96 in pulls)), 128, 160, 192]


def test_progress_counts_pulls_only(domain: Ticking, tmp_path: Path) -> None:
    seen: list[Progress] = []
    run(planned(tmp_path / "c", domain, pulls=64, batch=64), domain=domain, on_progress=seen.append)
    assert seen[-1].pulls == 64 and max(progress.finished for progress in seen) <= 64


def test_threads_run_them_too(domain: Ticking, tmp_path: Path) -> None:
    folder = planned(tmp_path / "c", domain)
    assert run(folder, domain=domain, jobs=2, backend="threading").ended == "complete"
    assert [line["pull"] for line in lines(folder)] == [0, 32, 64, 96, 128, 160, 192]


def test_a_control_that_fails_tells_nothing(domain: Ticking, tmp_path: Path) -> None:
    folder = planned(tmp_path / "c", domain)
    run(folder, domain=domain, stop_after=1e-9)
    before = on_disk(folder)
    Ticking.broken = True
    assert run(folder, domain=domain, stop_after=1e-9).pulls_now == 50
    assert on_disk(folder)[CONTROLS_FILE] == before[CONTROLS_FILE] and on_disk(folder)[JOURNAL] != before[JOURNAL]

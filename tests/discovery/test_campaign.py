"""A campaign: its journal depends on its settings alone, and says of each pull what the documentation promises."""

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import mcsgrammar as mg
from discovery.bandits.policies import POLICIES
from discovery.campaign.journal import Journal, read_journal
from discovery.campaign.ranking import failure_warnings, read_standing, scale_warnings, top_of_campaign
from discovery.campaign.running import CampaignStopped, Progress, create, plan, run
from discovery.campaign.settings import read_settings
from domains.errors import UserError
from domains.problems import problem
from domains.protocol import Domain
from domains.randomness import Random as SplitMix
from domains.registry import find_domain
from mcsgrammar.cli.campaigning import print_leaders
from mcsgrammar.engines.searching import Limits, prepare, search
from mcsgrammar.language.expressions import Select, Simulate
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Ucb1
from tests.discovery.campaigns import (
    CANDIDATES,
    JOURNAL,
    Tiny,
    finished,
    journal_of,
    made,
    on_disk,
    pulls_in,
    step,
    tiny,
)
from tests.discovery.naive_policies import NaivePolicy, ucb1
from tests.domains.mistaken_domains import Sum

ALL = tuple(POLICIES)


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


# The same bytes, whatever runs them.


def test_rewards_that_searches_cannot_tell_apart_are_said() -> None:
    assert scale_warnings(np.array([])) == scale_warnings(np.array([-1.0, 0.0, 1.0, 2.0])) == []
    (said,) = scale_warnings(np.array([-8.0, -7.0, 0.5]))
    assert said.startswith("Of 3 rewards 2 lie below 0. Trees and learnt means take them for 0: select, mast, nst ")
    (said,) = scale_warnings(np.array([1.5, 1.4, 2.0]))
    assert said.startswith("Of 3 rewards 3 lie above 1. Trees and learnt means take them for 1: ")


def test_rewards_that_are_worth_less_than_failing_are_said() -> None:
    assert failure_warnings(0, np.array([-1.0, 0.0])) == failure_warnings(3, np.array([0.0, 0.5])) == []
    assert failure_warnings(3, np.array([-1.0, -0.5, 0.5])) == [
        "Failed pulls, of which there are 3, count as reward 0, and 2 of the 3 others came to less: candidates that "
        "fail rank too high. failures.jsonl says why they do; scale the reward so that nothing is worth less than 0."
    ]


@pytest.mark.parametrize(("jobs", "backend"), [(2, "loky"), (3, "loky"), (2, "threading"), (3, "threading")])
def test_workers_change_nothing(jobs: int, backend: str, domain: Tiny, tmp_path: Path) -> None:
    for policy in ALL:
        alone = finished(made(tmp_path / f"{policy}-alone", domain, policy=policy))
        assert finished(made(tmp_path / policy, domain, policy=policy), jobs=jobs, backend=backend) == alone


def test_a_backend_that_was_registered_with_joblib(domain: Tiny, tmp_path: Path) -> None:
    """As ray's is, once it has registered it; one that joblib brings along stands in for it."""
    alone = finished(made(tmp_path / "alone", domain))
    assert finished(made(tmp_path / "other", domain), jobs=2, backend="multiprocessing") == alone


def test_threads_share_the_compiled_engine(tmp_path: Path) -> None:
    alone = finished(made(tmp_path / "alone", "sudoku:2", pulls=200, batch=40))
    assert finished(made(tmp_path / "threads", "sudoku:2", pulls=200, batch=40), jobs=3, backend="threading") == alone


@pytest.mark.parametrize("policy", [*ALL, "sampled-halving(each=20)"])
def test_any_split_of_the_run_changes_nothing(policy: str, domain: Tiny, tmp_path: Path) -> None:
    in_one_piece = finished(made(tmp_path / "whole", domain, policy=policy))
    dice = Random(policy)
    folder = made(tmp_path / "pieces", domain, policy=policy)
    pieces = 0
    while True:
        way: dict[str, Any] = dice.choice([{"jobs": 1}, {"jobs": 2, "backend": "threading"}])
        match dice.randrange(3):
            case 0:
                outcome = step(folder, **way)
            case 1:
                outcome = run(folder, on_batch=_interrupt_after(dice.randint(1, 2)), **way)
            case _:
                outcome = run(folder, on_progress=_interrupt_after(dice.randint(1, 12)), **way)
        pieces += 1
        assert outcome.pulls == len(pulls_in(folder))
        if outcome.ended == "complete":
            break
    assert pieces >= 4
    assert journal_of(folder) == in_one_piece


def _interrupt_after(calls: int) -> Any:
    left = calls

    def told(progress: Progress) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    return told


def test_an_interrupt_in_a_pull_leaves_nothing_of_its_batch(domain: Tiny, tmp_path: Path) -> None:
    whole = finished(made(tmp_path / "whole", domain))
    folder = made(tmp_path / "interrupted", domain)
    domain.trouble("interrupt", 3)
    outcome = run(folder)
    assert (outcome.ended, outcome.pulls) == ("interrupted", len(pulls_in(folder)))
    assert 0 < outcome.pulls < 60 and outcome.pulls % 7 == 0
    assert whole.startswith(journal_of(folder))
    domain.mend()
    assert finished(folder) == whole


def test_the_batch_under_way_is_finished_when_the_time_is_up(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain, pulls=10, batch=7)
    assert (step(folder).ended, len(pulls_in(folder))) == ("time", 7)
    assert step(folder).ended == "complete"  # nothing is left, so it was not the time that ended it
    before = on_disk(folder)
    assert (step(folder).ended, step(folder).pulls_now) == ("complete", 0)
    assert on_disk(folder) == before


def test_batches_are_of_the_size_that_the_settings_say(domain: Tiny, tmp_path: Path) -> None:
    finished(made(tmp_path / "c", domain, pulls=30, batch=7))
    assert read_journal(tmp_path / "c" / JOURNAL).batch_ends.tolist() == [7, 14, 21, 28, 30]


def test_each_seed_has_problems_of_its_own(domain: Tiny, tmp_path: Path) -> None:
    journals = {finished(made(tmp_path / str(seed), domain, seed=seed, policy="uniform")) for seed in range(3)}
    assert len({journal.split(b"\n", 1)[1] for journal in journals}) == 3


# What a line says.


def by_hand(kind: str, *identity: str | int) -> int:
    """A seed as documented: 8 bytes of BLAKE2b over compact JSON."""
    text = json.dumps(["mcsg1", kind, *identity], separators=(",", ":"))
    return int.from_bytes(hashlib.blake2b(text.encode()).digest()[:8], "little")


def test_pull_t_is_problem_t_with_the_documented_seed(domain: Tiny, tmp_path: Path) -> None:
    texts = [*CANDIDATES, "uct(0.5)"]
    finished(made(tmp_path / "c", domain, texts, policy="greedy", seed=3, budget=9))
    found = find_domain(domain.name)
    seen = dict.fromkeys(range(len(texts)), 0)
    for arm, t, reward, _ in pulls_in(tmp_path / "c"):
        assert t == seen[arm]
        seen[arm] += 1
        expression = prepare(parse(texts[arm]), found, Limits(9))
        initial = found.sample(SplitMix(by_hand("problem", "tiny.py:Tiny", "train", 3, t)))
        seed = by_hand("pull", 3, "tiny.py:Tiny", "standard", str(expression), t)
        assert search(found, initial, expression, seed, Limits(9)).reward == reward
    assert str(prepare(parse("uct(0.5)"), found, Limits(9))) == "step(repeat(select(sim, 0.5), 2))"
    assert min(seen.values()) >= 3


def test_a_batch_is_filled_one_pull_at_a_time(domain: Tiny, tmp_path: Path) -> None:
    finished(made(tmp_path / "c", domain, policy="ucb1(c=0.3)", pulls=100, batch=9))
    naive = NaivePolicy(ucb1(0.3), len(CANDIDATES), 100)
    pulls = pulls_in(tmp_path / "c")
    for begin in range(0, 100, 9):
        batch = pulls[begin : begin + 9]
        assert [arm for arm, _, _, _ in batch] == naive.ask(9)
        naive.tell([arm for arm, _, _, _ in batch], [reward for _, _, reward, _ in batch])
    assert naive.told() == 100


def test_a_shorter_budget_is_the_beginning_of_a_longer_one(domain: Tiny, tmp_path: Path) -> None:
    finished(made(tmp_path / "short", domain, policy="uniform", budget=5))
    finished(made(tmp_path / "long", domain, policy="uniform", budget=9))
    pairs = list(zip(pulls_in(tmp_path / "short"), pulls_in(tmp_path / "long"), strict=True))
    assert all(short[:2] == long[:2] and short[2] <= long[2] for short, long in pairs)


# Candidates and their ranking.


def test_equal_candidates_count_once(domain: Tiny, tmp_path: Path) -> None:
    expressions = [parse(text) for text in ("sim", "simulate", "step(sim)", "select(sim, 0.50)", "select(0.5, sim)")]
    same = [parse(text) for text in ("uct(0.5)", "step(repeat(select(sim, 0.5), 2))", "uct(0.5, 2)")]
    settings, texts = plan(domain.name, expressions + same, limits=Limits(9), policy="ucb1", pulls=9)
    assert texts == ["sim", "step(sim)", "select(sim, 0.5)", "uct(0.5)"]
    assert settings.candidates == 4


def test_ranking_by_mean_ties_as_enumerated_and_only_what_was_pulled(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    with Journal.create(folder / JOURNAL, read_settings(folder).digest()) as journal:
        journal.append([4, 4, 2, 2, 1], [0, 1, 0, 1, 0], [0.5, 1.0, 0.25, 0.5, 0.75], [0, 0, 1, 0, 0])
        journal.append([1, 0, 0], [1, 0, 1], [0.75, 0.125, 0.125], [0, 0, 0])
    ranking = read_standing(folder).ranking()
    assert [(one.rank, one.arm, one.expression_text) for one in ranking] == [
        (1, 1, CANDIDATES[1]),
        (2, 4, CANDIDATES[4]),
        (3, 2, CANDIDATES[2]),
        (4, 0, CANDIDATES[0]),
    ]
    assert [(one.mean, one.stderr, one.best, one.pulls, one.failed) for one in ranking] == [
        (0.75, 0.0, 0.75, 2, 0),
        (0.75, 0.25, 1.0, 2, 0),
        (0.375, 0.125, 0.5, 2, 1),
        (0.125, 0.0, 0.125, 2, 0),
    ]
    assert [one.arm for one in top_of_campaign(folder, 2)] == [1, 4]


def test_a_campaign_that_has_not_begun_has_no_ranking(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    assert (read_standing(folder).pulls_done, read_standing(folder).ranking()) == (0, [])
    with pytest.raises(UserError) as caught:
        top_of_campaign(folder, 1)
    assert str(caught.value) == f"{folder} has no pulls yet; run 'mcsgrammar resume {folder}' first"


def test_what_is_shown_is_what_the_journal_says(domain: Tiny, tmp_path: Path) -> None:
    shown: list[Progress] = []
    folder = made(tmp_path / "c", domain, pulls=20)
    run(folder, on_batch=shown.append)
    assert [progress.pulls for progress in shown] == [7, 14, 20]
    assert shown[-1].leaders(3) == read_standing(folder).ranking(3)
    assert shown[-1].spending().startswith("5 of 5 candidates tried, ")
    assert shown[-1].per_second > 0
    assert shown[-1].seconds_left == 0


# Pulls that fail.

FAILURES = {
    "raise": "Tiny.reward raised ValueError: no such thing (line 31 of {file})",
    "nan": "Tiny.reward returned nan after the actions 2, 2, 2, 2; a reward is a finite number",
    "long": "Tiny goes on after 4 actions, the most it declares; raise its max_length, or make is_final true earlier",
    "sys.exit": "Tiny.reward raised SystemExit: 3 (line 37 of {file}); "
    "raise another exception, this one ends the program",
}


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failed_pull_counts_as_0_and_is_explained(
    kind: str, jobs: int, domain: Tiny, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain.trouble(kind, 2)
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=23)
    finished(folder, jobs=jobs)
    pulls = pulls_in(folder)
    failed = [(arm, t) for arm, t, _, has_failed in pulls if has_failed]
    assert failed == [(arm, 2) for arm in range(5)]
    assert all(reward == 0.0 for _, _, reward, has_failed in pulls if has_failed)
    notes = [json.loads(line) for line in (folder / "failures.jsonl").read_text().splitlines()]
    assert [(note["arm"], note["t"]) for note in notes] == failed
    assert [note["expression"] for note in notes] == list(CANDIDATES)
    assert notes[0]["failed"] == FAILURES[kind].format(file=domain.folder / "tiny.py")
    assert [one.failed for one in read_standing(folder).ranking()] == [1] * 5
    print_leaders(read_standing(folder), 3)
    assert "\n5 pulls failed and counted as reward 0; failures.jsonl says why\n" in capsys.readouterr().out


def test_leaders_that_do_not_stand_by_their_means_say_so(
    domain: Tiny, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {}
    for policy in ("halving", "uniform"):
        for pulls in (11, 23, 30, 40):
            folder = made(tmp_path / f"{policy}-{pulls}", domain, policy=policy, pulls=pulls)
            finished(folder)
            standing = read_standing(folder)
            print_leaders(standing, 5)
            means = [one.mean for one in standing.ranking(5)]
            out_of_order = means != sorted(means, reverse=True)
            assert ("Ordered by the round of halving" in capsys.readouterr().out) == out_of_order
            said.setdefault(policy, set()).add(out_of_order)
    assert said == {"halving": {True, False}, "uniform": {False}}


BROKEN = """
from pathlib import Path

class Broken:
    horizon = 1
    def sample(self, random):
        if not Path(__file__).with_name("mended").exists():
            raise OSError("gone")
        return [random.below(9)]
    def actions(self, state): return [0, 1] if len(state) == 1 else []
    def play(self, state, action): state.append(action)
    def reward(self, state): return sum(state) % 5 / 4
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_campaign_in_which_everything_fails_stops_after_its_first_batch(jobs: int, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    name = f"{tmp_path / 'broken.py'}:Broken"
    folder = made(tmp_path / "c", name, pulls=30)
    with pytest.raises(CampaignStopped) as caught:
        run(folder, jobs=jobs, backend="threading")
    reason = f"Broken.sample raised OSError: gone (line 8 of {tmp_path / 'broken.py'})"
    assert str(caught.value) == (
        f"all 7 pulls of the first batch failed, sim on training problem 0 with: {reason}\n"
        "nothing was journalled; resume the campaign when that is mended "
        "(with --accept-domain, if the domain's files were changed for it)"
    )
    assert pulls_in(folder) == []
    assert sorted(on_disk(folder)) == ["candidates.txt", "failures.jsonl", JOURNAL, "lock", "settings.json"]
    notes = [json.loads(line) for line in (folder / "failures.jsonl").read_text().splitlines()]
    assert [note["failed"] for note in notes] == [reason] * 7
    (tmp_path / "mended").touch()
    assert finished(folder) == finished(made(tmp_path / "whole", name, pulls=30))


def test_a_later_batch_may_fail_as_a_whole(domain: Tiny, tmp_path: Path) -> None:
    domain.trouble("raise", 1)
    finished(made(tmp_path / "c", domain, policy="uniform", pulls=15, batch=5))
    assert [failed for _, _, _, failed in pulls_in(tmp_path / "c")] == [False] * 5 + [True] * 5 + [False] * 5


# From Python.


def test_a_domain_may_be_an_object_that_has_no_hash(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(
        "from dataclasses import dataclass\n\n@dataclass\nclass Data:\n    size: int = 2\n    horizon = 2\n"
        "    def sample(self, random): return [random.below(9)]\n"
        "    def actions(self, state): return [1, 2] if len(state) <= self.size else []\n"
        "    def play(self, state, action): state.append(action)\n"
        "    def reward(self, state): return sum(state) % 5 / 4\n"
    )
    data = find_domain(f"{tmp_path / 'data.py'}:Data")
    assert type(data).__hash__ is None
    standing = mg.discover(data, tmp_path / "c", budget=5, candidates=["sim", Select(Simulate(), Ucb1(0.5))], pulls=10)
    assert standing.pulls_done == 10
    again = mg.discover(data, tmp_path / "c", budget=5, candidates=["sim", "select(sim, 0.5)"], pulls=10)
    assert again.ranking() == standing.ranking()


def test_a_campaign_is_found_from_any_folder(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(domain.folder)
    folder = made(tmp_path / "c", "tiny.py:Tiny")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    finished(folder)


def test_a_domain_that_was_moved_is_found_where_the_command_says(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    step(folder)
    (tmp_path / "new").mkdir()
    (domain.folder / "tiny.py").rename(tmp_path / "new" / "tiny.py")
    moved = Tiny(tmp_path / "new")
    assert finished(made(folder, moved)) == finished(made(tmp_path / "other", moved))


def test_creating_twice_changes_nothing(domain: Tiny, tmp_path: Path) -> None:
    settings, texts = plan(domain.name, [parse("sim")], limits=Limits(5), policy="ucb1", pulls=5)
    create(tmp_path / "c", settings, texts)
    before = on_disk(tmp_path)
    create(tmp_path / "c", settings, texts)
    assert on_disk(tmp_path) == before


def test_a_creation_that_was_killed_halfway_is_made_good(domain: Tiny, tmp_path: Path) -> None:
    whole = on_disk(made(tmp_path / "c", domain))
    (tmp_path / "c" / "settings.json").rename(tmp_path / "c" / ".mcsgrammar-0123456789abcdef.tmp")
    made(tmp_path / "c", domain)
    (tmp_path / "c" / ".mcsgrammar-0123456789abcdef.tmp").unlink()
    assert on_disk(tmp_path / "c") == whole


def test_another_object_of_the_same_name_is_another_domain(tmp_path: Path) -> None:
    """As in a notebook, where nothing else tells them apart."""

    def made_with(value: float) -> Domain:
        return type("Own", (Sum,), {"reward": lambda self, state: value})()

    for value in (0.25, 0.75):
        found = mg.discover(made_with(value), tmp_path / str(value), budget=2, candidates=["sim"], pulls=3)
        assert found.ranking()[0].mean == value


@pytest.mark.parametrize(("broken", "stops"), [([0], False), ([0, 1], True)])
def test_one_bad_problem_stops_nothing(broken: list[int], stops: bool, tmp_path: Path) -> None:
    """A first batch may be on one problem alone. Whether others fail, too, a try says that counts for nothing."""
    bad: list[int] = []
    worse = {"reward": lambda self, state: 1 / 0 if state[0] in bad else 0.5}
    domain = type("Own", (Sum,), worse)()
    bad += [problem(domain, k, "train", 0)[0] for k in broken]
    how: dict[str, Any] = {"budget": 2, "candidates": ["sim", "step(sim)"], "pulls": 8, "batch": 1, "policy": "uniform"}
    if stops:
        with pytest.raises(CampaignStopped, match=r"^all 1 pulls of the first batch failed"):
            mg.discover(domain, tmp_path / "c", **how)
        return
    mg.discover(domain, tmp_path / "c", **how)
    pulls = pulls_in(tmp_path / "c")
    assert len(pulls) == 8 and [failed for _, t, _, failed in pulls if t == 0] == [True] * 2

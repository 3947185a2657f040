"""`discover`, `resume` and `status` as a user meets them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from discovery.bandits.policies import POLICIES
from discovery.campaign.journal import read_journal
from discovery.campaign.ranking import read_standing
from discovery.campaign.settings import read_settings
from mcsgrammar.cli.campaigning import WorkerOptions, _as_typed
from tests.discovery.campaigns import JOURNAL, Tiny, finished, journal_of, made, on_disk, step, tiny
from tests.language.command import run as mcsgrammar

SUDOKU = ("sudoku:2", "--policy", "ucb1", "--depth", "3", "--repeat", "2", "--select", "0.5", "--budget", "20")
FILES = {
    "candidates.txt",
    "evaluation.csv",
    "evaluation.json",
    "evaluation.md",
    "journal.jsonl",
    "lock",
    "settings.json",
    "timings.csv",
}


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


def test_a_whole_discovery(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    arguments = ("discover", *SUDOKU, "--pulls", "120", "--test-problems", "20", "--top", "4", "--jobs", "1")
    done = mcsgrammar(*arguments, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert set(on_disk(folder)) == FILES
    assert "\x1b" not in done.stdout + done.stderr
    planned, progress, measuring = done.stderr.splitlines()
    assert re.fullmatch(
        "planned: 120 pulls of 20 evaluations on 15 candidates, about [^;]+; then measuring the best on 20 test "
        "problems, about [^.;]+",
        planned,
    )
    assert re.fullmatch(
        rf"{folder}: 120 pulls in \d+ s \(.+ a second\); \d+ s of CPU, [\d.]+% of it outside the searches",
        progress,
    )
    assert measuring == "measuring the 4 best and the generic algorithms on 20 test problems"
    best = [one.expression_text for one in read_standing(folder).ranking(4)]
    table, legend, kept, verdict, following = done.stdout.split("\n\n")
    assert table and legend and kept == f"kept in {folder}: evaluation.md, .csv and .json beside the journal"
    assert verdict.startswith(f"The campaign recommends '{best[0]}'. On 20 test problems it comes to ")
    assert following.splitlines() == [
        "Next:",
        f"  mcsgrammar solve sudoku:2 '{best[0]}' --budget 20",
        f"  mcsgrammar report {folder} --html c.html",
        f"  mcsgrammar export '{best[0]}' -o solver.py",
    ]
    for written in (done.stdout, (folder / "evaluation.md").read_text(), (folder / "evaluation.csv").read_text()):
        assert all(f"Dis#{rank}" in written for rank in (1, 2, 3, 4)) and "Dis#5" not in written
    document = json.loads((folder / "evaluation.json").read_text())
    assert (document["domain"], document["budget"], document["problems"]) == ("sudoku:2", 20, 20)
    assert {row["expression"] for row in document["rows"]} >= set(best)

    journal, timings = journal_of(folder), (folder / "timings.csv").read_text()
    evaluation = {path.name: path.read_bytes() for path in folder.glob("evaluation.*")}
    for again in (mcsgrammar(*arguments, "--out", str(folder)), mcsgrammar("resume", str(folder), *arguments[-6:])):
        assert again.returncode == 0
        assert again.stderr.splitlines() == [f"{folder}: 120 pulls before, which is all", measuring]
        assert _without_times(again.stdout) == _without_times(done.stdout)
    assert (journal_of(folder), (folder / "timings.csv").read_text()) == (journal, timings)
    assert set(on_disk(folder)) == FILES
    assert evaluation.keys() == {"evaluation.md", "evaluation.csv", "evaluation.json"}


def test_fewer_pulls_than_candidates(tmp_path: Path) -> None:
    """What depth 5 has is not tried whole: the default policy draws as many as 60 pulls are enough for."""
    folder = tmp_path / "c"
    arguments = ("discover", "sudoku:2", "--budget", "5", "--pulls", "60", "--test-problems", "0", "--out", str(folder))
    done = mcsgrammar(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("planned: 60 pulls of 5 evaluations on 15 of 3,155 candidates, about ")
    arms = read_journal(folder / JOURNAL).arms
    assert (len(arms), len(set(arms.tolist()))) == (60, 15)
    status = json.loads(mcsgrammar("status", str(folder), "--top", "20", "--json").stdout)
    assert (status["policy"], status["complete"]) == ("sampled-halving(each=4)", True)
    leaders = status["leaders"]
    assert len(leaders) == 15 and leaders[0]["pulls"] == max(leader["pulls"] for leader in leaders)


def _without_times(text: str) -> str:
    return re.sub(r"\d+\.\d+ (?=ms|s\b)", "", text)


ADAPT = ("--depth", "3", "--repeat", "2,100", "--select", "0.5", "--adapt", "100,3")


@pytest.mark.parametrize(("budget", "left_out"), [(150, 0), (100, 8), (20, 8), (3, 12)])
def test_with_adapt_the_budget_leaves_out_what_it_would_not_let_act(
    budget: int, left_out: int, domain: Tiny, tmp_path: Path
) -> None:
    """And says so, with the counts: `adapt(adapt(sim, 100), 3)` is `adapt(sim, 100)` with 100 evaluations."""
    folder = tmp_path / "c"
    running = ("--pulls", "50", "--batch", "50", "--jobs", "1", "--test-problems", "0", "--out", str(folder))
    done = mcsgrammar("discover", domain.name, *ADAPT, "--budget", str(budget), *running)
    assert done.returncode == 0, done.stderr
    kept = (folder / "candidates.txt").read_text().splitlines()
    all_of_them = mcsgrammar("enumerate", *ADAPT).stdout.splitlines()
    note = (
        f"note: {left_out} of {len(all_of_them)} candidates are left out by the rule spent-inside: the sub-component "
        "alone spends the budget, so what stands around it adds nothing"
    )
    assert done.stderr.splitlines().count(note) == (left_out > 0) == done.stderr.count("left out")
    assert len(kept) == len(all_of_them) - left_out == 40 - left_out
    assert kept == [text for text in all_of_them if text in kept]
    assert ("adapt(adapt(sim, 100), 3)" in kept) == (budget == 150)
    assert {"adapt(sim, 100)", "adapt(lookahead(sim), 3)", "lookahead(adapt(sim, 100))"} <= set(kept)


def test_without_adapt_the_budget_leaves_out_nothing(domain: Tiny, tmp_path: Path) -> None:
    """What was a candidate before there was adapt is one as it ever was."""
    running = ("--pulls", "50", "--batch", "50", "--jobs", "1", "--test-problems", "0", "--out", str(tmp_path / "c"))
    done = mcsgrammar("discover", domain.name, *ADAPT[:-2], "--budget", "3", *running)
    assert done.returncode == 0 and "left out" not in done.stderr
    assert (tmp_path / "c" / "candidates.txt").read_text() == mcsgrammar("enumerate", *ADAPT[:-2]).stdout


def test_what_adapt_cannot_be_is_refused(tmp_path: Path) -> None:
    for command in (("enumerate",), ("discover", "sudoku:2"), ("record", "sudoku:2", "--out", str(tmp_path / "r"))):
        done = mcsgrammar(*command, "--adapt", "1,10")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("mcsgrammar: adapt(S, 1) is S; list numbers from 2 on for adapt\n"), done.stderr


def test_a_default_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = mcsgrammar("discover", *SUDOKU, "--pulls", "20", "--test-problems", "0", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "campaigns").iterdir()
    digest = read_settings(folder).digest()
    assert folder.name == f"sudoku-2-B20-depth3-{digest[:8]}"
    assert f"\ncampaigns/{folder.name}: 20 pulls in " in done.stderr


def test_names_say_what_they_hold(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("sim\nstep(sim)\n")
    arguments = ("--candidates", "mine.txt", "--seconds", "0.001", "--pulls", "4", "--jobs", "1")
    done = mcsgrammar("discover", "tiny.py:Tiny", *arguments, "--test-problems", "0")
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "campaigns").iterdir()
    assert folder.name == f"tiny.py-Tiny-0.001s-mine-{read_settings(folder).digest()[:8]}"


@pytest.mark.parametrize("policy", [*POLICIES, "greedy(alpha=2)"])
def test_policies(policy: str, domain: Tiny, tmp_path: Path) -> None:
    arguments = ("--depth", "2", "--repeat", "2", "--select", "0.5", "--budget", "6", "--policy", policy)
    how = ("--pulls-per-candidate", "5", "--batch", "7", "--jobs", "1", "--test-problems", "0")
    done = mcsgrammar("discover", domain.name, *arguments, *how, "--out", str(tmp_path / "c"))
    assert done.returncode == 0, done.stderr
    settings = read_settings(tmp_path / "c")
    assert (settings.policy.startswith(policy.rstrip(")")), settings.pulls, settings.batch) == (True, 20, 7)
    table, verdict, _ = done.stdout.split("\n\n")
    assert verdict.startswith("The campaign recommends '") and verdict.endswith(". It was not tested.")
    head, columns, *leaders = table.splitlines()
    assert head == f"tiny.py:Tiny, 4 candidates, {settings.policy}: 20 of 20 pulls"
    assert columns.split() == ["rank", "expression", "pulls", "mean", "reward", "±", "95", "%"]
    assert len(leaders) == 4
    assert sum(int(line.split()[-3]) for line in leaders) == 20


@pytest.mark.slow
def test_stopped_and_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    how = ("--jobs", "1", "--for", "0.000001s", "--top", "3")
    first = mcsgrammar("discover", *SUDOKU, "--pulls", "90", "--batch", "40", *how, "--out", str(folder))
    assert first.returncode == 0
    assert first.stdout.startswith("sudoku:2, 15 candidates, ucb1(c=0.1): 40 of 90 pulls\n")
    assert first.stdout.endswith(f"\n50 pulls are left; go on with: mcsgrammar resume {folder} --top 3\n")
    assert len(first.stdout.splitlines()) == 1 + 1 + 3 + 1
    second = mcsgrammar("resume", str(folder), *how, "--test-problems", "0")
    go_on = f"mcsgrammar resume {folder} --top 3 --test-problems 0"
    assert second.stdout.endswith(f"\n10 pulls are left; go on with: {go_on}\n")
    third = mcsgrammar("resume", str(folder), "--jobs", "2", "--test-problems", "0")
    assert (third.returncode, third.stdout.splitlines()[0]) == (
        0,
        "sudoku:2, 15 candidates, ucb1(c=0.1): 90 of 90 pulls",
    )
    assert read_journal(folder / JOURNAL).batch_ends.tolist() == [40, 80, 90]


def test_a_torn_journal_is_mentioned(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    step(folder)
    step(folder)
    whole = journal_of(folder)
    (folder / JOURNAL).write_bytes(whole[:-20])
    status = mcsgrammar("status", str(folder))
    assert status.stdout.splitlines()[:2] == [
        "note: when it is resumed: cut 7 pulls "
        f"({len(whole) - 20 - read_journal(folder / JOURNAL).valid_bytes} bytes) "
        "after the last complete batch (torn write)",
        "tiny.py:Tiny, 5 candidates, ucb1(c=0.1): 7 of 60 pulls",
    ]
    assert journal_of(folder) == whole[:-20]
    resumed = mcsgrammar("resume", str(folder), "--jobs", "1", "--test-problems", "0")
    assert (resumed.returncode, resumed.stderr.splitlines()[2]) == (
        0,
        status.stdout.splitlines()[0].replace("when it is resumed: ", ""),
    )
    assert journal_of(folder) == finished(made(tmp_path / "whole", domain))


# Looking.


def test_status(domain: Tiny, tmp_path: Path) -> None:
    domain.trouble("raise", 0)
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=1000)
    step(folder)
    step(folder)
    before = on_disk(folder)
    shown = mcsgrammar("status", str(folder), "--top", "2")
    assert shown.returncode == 0 and shown.stderr == ""
    assert shown.stdout.splitlines()[:3] == [
        "tiny.py:Tiny, 5 candidates, uniform: 14 of 1,000 pulls",
        "5 pulls failed and counted as reward 0; failures.jsonl says why",
        "rank  expression          pulls  mean reward  ± 95 %",
    ]
    assert len(shown.stdout.splitlines()) == 5
    document = json.loads(mcsgrammar("status", str(folder), "--json").stdout)
    leaders = document.pop("leaders")
    assert document == {
        "domain": "tiny.py:Tiny",
        "family": None,
        "against": None,
        "policy": "uniform",
        "candidates": 5,
        "pulls": 14,
        "pulls_in_all": 1000,
        "complete": False,
        "failed": 5,
        "accepted_domains": [],
        "speed": None,
    }
    assert [leader["rank"] for leader in leaders] == [1, 2, 3, 4, 5]
    assert leaders[0].keys() == {"rank", "arm", "expression_text", "pulls", "mean", "stderr", "best", "failed"}
    assert on_disk(folder) == before


def test_status_of_a_campaign_without_pulls(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    shown = mcsgrammar("status", str(folder))
    assert (shown.returncode, shown.stdout) == (0, "tiny.py:Tiny, 5 candidates, ucb1(c=0.1): 0 of 60 pulls\n")
    document = json.loads(mcsgrammar("status", str(folder), "--json").stdout)
    assert (document["pulls"], document["complete"], document["leaders"]) == (0, False, [])


def test_status_after_one_pull_each_has_no_interval(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=5)
    finished(folder)
    shown = mcsgrammar("status", str(folder)).stdout
    assert [line.split()[-1] for line in shown.splitlines()[2:]] == ["-"] * 5
    document = json.loads(mcsgrammar("status", str(folder), "--json").stdout)
    assert document["complete"] and all(leader["stderr"] is None for leader in document["leaders"])


def test_a_domain_that_fails_while_the_best_are_measured(tmp_path: Path) -> None:
    """What was found is shown, with what can be done."""
    (tmp_path / "half.py").write_text(
        """
from domains.protocol import Domain

class Half(Domain):
    horizon = 2
    def sample(self, random): return [random.below(10)]
    def actions(self, state): return [1, 2] if len(state) < 3 else []
    def play(self, state, action): state.append(action)
    def reward(self, state): return sum(state) / (state[0] - 3) / 20
"""
    )
    folder = tmp_path / "c"
    domain, size = f"{tmp_path / 'half.py'}:Half", ["--budget", "5", "--pulls", "40", "--test-problems", "20"]
    done = mcsgrammar("discover", domain, "--depth", "2", *size, "--jobs", "1", "--out", str(folder))
    assert done.returncode == 2
    assert "40 of 40 pulls" in done.stdout and "failed and counted as reward 0" in done.stdout
    first, second = done.stderr.splitlines()[-2:]
    assert first.startswith("mcsgrammar: ") and "Half.reward raised ZeroDivisionError" in first
    assert second == (
        f"the 40 pulls are kept, the best are not measured: mend the domain, then mcsgrammar resume {folder} "
        f"--accept-domain --test-problems 20; without measuring, mcsgrammar report {folder} --test-problems 0"
    )
    assert mcsgrammar("report", str(folder), "--test-problems", "0").returncode == 0


def test_ctrl_c_while_the_best_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign itself is done: its ranking is shown, and how to measure it later."""
    from click.testing import CliRunner

    from mcsgrammar.cli import campaigning
    from mcsgrammar.cli.discovering import command

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(campaigning, "_measure_best", interrupted)
    folder = tmp_path / "c"
    arguments = ["sudoku:2", "--depth", "2", "--budget", "5", "--pulls", "14", "--jobs", "1", "--out", str(folder)]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert done.return_value == 130
    assert done.stdout.endswith(
        f"the campaign is complete, its best are not measured; do so with: mcsgrammar resume {folder}\n"
    )
    assert read_standing(folder).pulls_done == 14


@pytest.mark.parametrize(
    ("workers", "trust", "said"),
    [
        ({"jobs": 2, "backend": "loky", "address": None}, False, ""),
        ({"jobs": 2, "backend": "threading", "address": None}, False, " --backend threading"),
        (
            {"jobs": 1, "backend": "dask", "address": "tcp://a b:1"},
            True,
            " --trust --backend dask --address 'tcp://a b:1'",
        ),
    ],
)
def test_what_is_to_be_typed_again(workers: dict[str, Any], trust: bool, said: str) -> None:
    assert _as_typed(WorkerOptions(workers, None, None), trust) == said
    assert _as_typed(WorkerOptions(workers, 3, 50), trust) == f"{said} --top 3 --test-problems 50"

"""`mcsgrammar evaluate` as it is typed."""

import csv
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mcsgrammar.cli import main
from mcsgrammar.cli.evaluating import _wanted
from mcsgrammar.language.named import GENERIC
from mcsgrammar.solving import solve
from tests.discovery.evaluation_toys import RAISES_ABOVE_80, write
from tests.language.command import ENVIRONMENT, MCSGRAMMAR


@dataclass
class Done:
    status: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process: what is compiled already need not be compiled again."""

    def run(*arguments: str) -> Done:
        monkeypatch.setattr("sys.argv", ["mcsgrammar", "evaluate", *arguments])
        with pytest.raises(SystemExit) as exit:
            main()
        out, err = capsys.readouterr()
        assert isinstance(exit.value.code, int)
        return Done(exit.value.code, out, err)

    return run


def test_a_table_of_all_generic_algorithms(evaluate: Command) -> None:
    done = evaluate("sudoku:2", "step(step(sim))", "--generic", "--budget", "5", "--problems", "20")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    heading = ["name", "search component", "rank", "score", "stderr", "95 % interval", "vs la(5)", "p", "p Holm", "d"]
    assert re.split(" {2,}", lines[0]) == heading
    assert {line.split()[0] for line in lines[1:16]} == {"Dis#1", *GENERIC}
    assert lines[16] == ""
    assert "20 runs of each, problems drawn from the test stream" in " ".join(done.out.split())
    assert "the best generic algorithm on 20 training problems" in done.out
    assert "The discovered algorithm is not better than la(5), the best generic" in done.out.rpartition("\n\n")[2]
    assert "\x1b" not in done.out


def test_json_repeats_what_solve_finds(evaluate: Command) -> None:
    arguments = ["sudoku:2", "step(step(sim))", "uct(1)", "--budget", "3", "--problems", "6", "--seed", "4", "--json"]
    done = evaluate(*arguments)
    assert (done.status, done.err) == (0, "")
    document = json.loads(done.out)
    assert [document[key] for key in ("domain", "budget", "problems", "split")] == ["sudoku:2", 3, 6, "test"]
    for row in document["rows"]:
        scores = [solve("sudoku:2", row["expression"], 3, problem=k, seed=4)[0].score for k in range(6)]
        assert row["mean"] == pytest.approx(sum(score or 0 for score in scores) / 6)
        assert (row["n"], row["unit"]) == (6, "filled cells")
    assert {row["name"] for row in document["rows"]} == {"Dis#1", "uct(1)"}
    assert document["reference"] == "uct(1)"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_jobs_change_nothing(evaluate: Command, jobs: str) -> None:
    done = evaluate("sudoku:2", "sim", "la(1)", "--budget", "2", "--problems", "15", "--jobs", jobs, "--json")
    means = {row["name"]: row["mean"] for row in json.loads(done.out)["rows"]}
    expected = [solve("sudoku:2", "la(1)", 2, problem=k)[0].score for k in range(15)]
    assert means["la(1)"] == pytest.approx(sum(score or 0 for score in expected) / 15)


def test_several_settings_are_columns(evaluate: Command) -> None:
    done = evaluate("sudoku:2", "sim", "--budgets", "2,5", "--on", "sudoku:3@4", "--problems", "5")
    assert done.status == 0
    assert done.out.splitlines()[0].split() == [
        "name",
        "search",
        "component",
        "rank",
        "sudoku:2@2",
        "sudoku:2@5",
        "sudoku:3@4",
    ]


def test_on_can_name_all_the_domains(evaluate: Command) -> None:
    done = evaluate("--on", "sudoku:2@3", "la(1)", "--on", "sudoku:2@4", "--on", "sudoku:2@3", "--problems", "5")
    assert done.status == 0
    assert done.out.splitlines()[0].split() == ["name", "search", "component", "rank", "@3", "@4"]


def test_on_without_a_budget_takes_the_one_of_the_command(evaluate: Command) -> None:
    done = evaluate("sudoku:2", "sim", "--budget", "3", "--on", "sudoku:3", "--problems", "5", "--json")
    assert [(row["domain"], row["budget"]) for row in json.loads(done.out)["rows"]] == [
        ("sudoku:2", 3),
        ("sudoku:3", 3),
    ]


def test_seconds_leave_out_uct(evaluate: Command) -> None:
    done = evaluate("sudoku:2", "--generic", "--seconds", "0.0002", "--problems", "2", "--json")
    assert done.status == 0
    assert done.err == (
        "note: uct(C) is left out; it needs a budget in evaluations to know its N\n"
        "note: budgets in CPU seconds make other results every time; with --budget they repeat\n"
    )
    document = json.loads(done.out)
    assert (document["budget"], document["seconds"]) == (None, 0.0002)
    assert {row["name"] for row in document["rows"]} == {name for name in GENERIC if not name.startswith("uct")}


@pytest.mark.parametrize("name", ["table.md", "table.csv", "table.json", "TABLE.MD"])
def test_files(evaluate: Command, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    done = evaluate("sudoku:2", "sim", "--budget", "2", "--problems", "3", "--out", str(out))
    assert done.status == 0
    assert done.out.endswith(f"\nsaved in {out}\n")
    text = out.read_text()
    match out.suffix.lower():
        case ".md":
            assert text.startswith("| name | search component | rank |")
        case ".csv":
            assert [row["name"] for row in csv.DictReader(text.splitlines())] == ["is"]
        case _:
            assert json.loads(text)["rows"][0]["name"] == "is"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_is_not_overwritten_unasked(evaluate: Command, tmp_path: Path) -> None:
    out = tmp_path / "notes"
    out.write_text("mine")
    arguments = ["sudoku:2", "sim", "--budget", "2", "--problems", "3", "--out", str(out), "--format", "csv"]
    done = evaluate(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"mcsgrammar: {out} exists; choose another name, or add --force to overwrite it\n"
    assert out.read_text() == "mine"
    assert evaluate(*arguments, "--force").status == 0
    assert out.read_text().startswith("domain,budget,")


HELP = " (see 'mcsgrammar evaluate --help')"
NOTHING = f"there is nothing to evaluate: name expressions, or add --from DIR or --generic{HELP}"
WRONG = [
    (["sudoku:2"], NOTHING),
    ([], f"say on which problems: name a DOMAIN, such as sudoku:4, or add --on DOMAIN@BUDGET{HELP}"),
    (["sudoku:2", "sim", "--budget", "1", "--budgets", "2"], f"give --budget or --budgets, one of the two{HELP}"),
    (
        ["sudoku:2", "sim", "--budgets", "1,x"],
        f"--budgets: 'x' is not a budget; it is a whole number of evaluations{HELP}",
    ),
    (["sudoku:2", "sim", "--budgets", ""], f"--budgets is empty; write a list such as 1000,10000{HELP}"),
    (["sudoku:2", "sim", "--on", "@5"], f"--on @5 names no domain; write DOMAIN@BUDGET, such as sudoku:5@1000{HELP}"),
    (["sudoku:2", "sim", "--budget", "0"], "an evaluation needs a budget of at least 1 evaluation"),
    (["sudoku:2", "sim", "--problems", "0"], "the number of problems cannot be 0; it is at least 1"),
    (["sudoku:2", "sim", "--jobs", "-1"], "the number of jobs cannot be -1; it is at least 1"),
    (["sudoku:2", "sim", "--format", "md"], f"--format says what the file of --out holds; add --out FILE{HELP}"),
    (
        ["sudoku:2", "sim", "--out", "table.xls"],
        f"--out table.xls: write a name that ends in .md, .csv or .json, or add --format md|csv|json{HELP}",
    ),
    (["sudoku:2", "sim", "--out", "no/such/table.md"], "there is no folder no/such to write table.md into"),
    (
        ["suduko:2", "sim"],
        "there is no domain 'suduko'; did you mean 'sudoku'? One of your own is path/to/file.py:ClassName",
    ),
    (
        ["sudoku:2", "uct(1)", "--seconds", "1"],
        "uct(1) needs a budget in evaluations to know its N; with a budget in seconds write uct(1, N)",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input(evaluate: Command, arguments: list[str], message: str) -> None:
    done = evaluate(*arguments)
    assert (done.status, done.out, done.err) == (2, "", f"mcsgrammar: {message}\n")


@pytest.mark.parametrize("on", [[], ["--on", "sudoku:2@3"]])
def test_a_mistake_in_an_expression_has_its_caret(evaluate: Command, on: list[str]) -> None:
    done = evaluate(*(on or ["sudoku:2"]), "step(sim", "--problems", "2")
    assert done.status == 2
    assert done.err.splitlines()[-1].strip() == "^"


def test_what_a_domain_does_wrong_is_said_with_the_place(evaluate: Command, tmp_path: Path) -> None:
    out = tmp_path / "table.md"
    done = evaluate(write(tmp_path, RAISES_ABOVE_80), "sim", "--budget", "2", "--problems", "50", "--out", str(out))
    assert (done.status, done.out) == (2, "")
    assert "sim on test problem " in done.err
    assert "Countdown.reward raised ValueError: no such sum" in done.err
    assert "Traceback" not in done.err
    assert not out.exists()


def test_the_best_of_a_campaign(evaluate: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = [("step(step(sim))", 0.99, 10), ("step(lookahead(sim))", 0.98, 20), ("step(sim)", 0.97, 10)]
    asked: list[Any] = []

    def top_of_campaign(folder: Path, k: int) -> list[Any]:
        asked.append((folder, k))
        return [SimpleNamespace(expression_text=text, mean=mean, pulls=pulls) for text, mean, pulls in trained[:k]]

    settings = SimpleNamespace(
        canonical_domain="sudoku:2", semantics="standard", budget=4, seconds=None, play=None, against=None
    )
    monkeypatch.setattr("discovery.campaign.ranking.top_of_campaign", top_of_campaign)
    monkeypatch.setattr("discovery.campaign.settings.read_settings", lambda folder: settings)
    done = evaluate(
        "sudoku:2", "step(sim)", "repeat(sim, 2)", "--from", "there", "--on", "sudoku:3@4", "--problems", "9", "--json"
    )
    assert asked == [(Path("there"), 10)]
    document = json.loads(done.out)
    here = {row["name"]: row for row in document["rows"] if row["domain"] == "sudoku:2"}
    assert set(here) == {"Dis#1", "la(1)", "Dis#3", "Dis#4"}
    assert {row["budget"] for row in here.values()} == {4}  # the campaign's
    assert (here["la(1)"]["alias"], here["la(1)"]["training_mean"]) == ("Dis#2", 0.98)
    assert here["Dis#4"]["training_mean"] is None
    first, second = document["settings"]
    tested = [here[name]["mean_reward"] for name in ("Dis#1", "la(1)", "Dis#3")]
    assert first["winners_curse"]["excess"] == pytest.approx(0.98 - sum(tested) / 3)
    assert second["winners_curse"] is None


def test_from_a_folder_that_is_no_campaign(evaluate: Command, tmp_path: Path) -> None:
    done = evaluate("sudoku:2", "--from", str(tmp_path))
    assert (done.status, done.err) == (2, f"mcsgrammar: {tmp_path} is no campaign: it has no settings.json\n")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, jobs: str) -> None:
    out = tmp_path / "table.md"
    arguments = ["sudoku:2", "sim", "--budget", "2000000", "--problems", "10000", "--jobs", jobs, "--out", str(out)]
    process = subprocess.Popen(
        [MCSGRAMMAR, "evaluate", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert " of 10,000 runs" in process.stderr.readline()  # it is under way
    os.killpg(process.pid, signal.SIGINT)
    output, complaints = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert complaints.splitlines()[-1] == "interrupted"
    assert "Traceback" not in complaints
    assert not list(tmp_path.iterdir())


def test_an_at_sign_in_a_path_is_no_budget() -> None:
    path = "/home/a@b/tour.py:Tour"
    on = (path, f"{path}@50", "sudoku:2@7", "tour@home.py:Tour:cities=5")
    found = [(one.domain, one.budget) for one in _wanted(None, None, None, None, on, None)]
    assert found == [(path, 1000), (path, 50), ("sudoku:2", 7), (on[3], 1000)]

"""Terminals wide and narrow, with and without colours, and pipes: what is written where."""

import io
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mcsgrammar as mg
from discovery.pace import WorkPace
from mcsgrammar.cli.campaign_display import CampaignDisplay
from mcsgrammar.cli.discovering import _folder_name
from mcsgrammar.cli.progress import ProgressLine, WorkProgress, about, per_second
from mcsgrammar.writing import write_text
from tests.language.command import run, shell
from tests.manners.terminal import needs_terminal, on_terminal

COLOUR = re.compile(r"\x1b\[[\d;]*(3\d|4\d|9\d)[\d;]*m")
CANDIDATES = ["sim", "step(sim)", "lookahead(sim)"]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaigns") / "small"
    mg.discover("sudoku:2", folder, budget=5, candidates=CANDIDATES, pulls=12, engine="reference")
    return folder


@pytest.fixture(scope="module")
def outputs(campaign: Path) -> list[tuple[str, ...]]:
    """A command of every kind that prints something for people."""
    folder = str(campaign)
    return [
        ("--help",),
        ("domains",),
        ("enumerate", "--by-depth"),
        ("show", "nmc(2)"),
        ("solve", "sudoku:2", "sim", "--budget", "5", "--engine", "reference"),
        ("status", folder),
        ("report", folder, "--test-problems", "0"),
        ("evaluate", "sudoku:2", "sim", "step(sim)", "--budget", "5", "--problems", "3", "--engine", "reference"),
        ("resume", folder, "--jobs", "1", "--test-problems", "0"),
        ("doctor", "--no-speed"),
        ("solve", "sudoku:2", "simm"),
    ]


def test_nothing_but_text_goes_into_pipes(outputs: list[tuple[str, ...]]) -> None:
    for arguments in outputs:
        done = run(*arguments)
        assert done.stdout or done.stderr
        for text in (done.stdout, done.stderr):
            assert "\x1b" not in text, arguments
            assert "\r" not in text, arguments


def test_progress_is_not_on_standard_output(campaign: Path) -> None:
    done = run("resume", str(campaign), "--jobs", "1", "--test-problems", "0")
    assert done.stderr == f"{campaign}: 12 pulls before, which is all\n"
    assert done.stdout.startswith("sudoku:2, 3 candidates, sampled-halving(each=4): 12 of 12 pulls\n")


@pytest.mark.skipif(shutil.which("bash") is None, reason="pipes are tested with bash")
@pytest.mark.parametrize("command", ["domains", "--help", "show 'nmc(5)'", "doctor --no-speed", "completion bash"])
def test_head_is_no_failure(command: str) -> None:
    done = shell(f"$mcsgrammar {command} | head -1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@needs_terminal
@pytest.mark.parametrize(("columns", "commands"), [(40, [["domains"], ["doctor", "--no-speed"]]), (52, [["--help"]])])
def test_help_and_lists_fit_the_terminal(columns: int, commands: list[list[str]]) -> None:
    """Help is click's, which needs 50 columns."""
    for arguments in commands:
        shown = on_terminal(*arguments, columns=columns, MCSGRAMMAR_CACHE="cache")
        assert shown.status == 0
        assert max(map(len, shown.lines)) <= columns, arguments


@needs_terminal
def test_notes_of_a_table_fit_a_narrow_terminal() -> None:
    shown = on_terminal(
        *("evaluate", "sudoku:2", "sim", "--budget", "5", "--problems", "3", "--engine", "reference"), columns=40
    )
    table, _, notes = shown.text.replace("\r\n", "\n").rpartition("\n\n")
    assert "score" in table
    assert max(map(len, notes.split("\n"))) <= 40


@needs_terminal
def test_sentences_of_a_report_fit_a_narrow_terminal(campaign: Path) -> None:
    shown = on_terminal("report", str(campaign), "--test-problems", "0", columns=40)
    head, _, _ = shown.text.replace("\r\n", "\n").partition("\nRanking on training problems\n")
    assert head.count("\n") > 5
    assert max(map(len, head.split("\n"))) <= 40
    assert head.replace("\n", " ").count("The campaign recommends") == 1


@needs_terminal
@pytest.mark.parametrize("columns", [30, 100])
def test_progress_is_taken_back_and_never_wraps(columns: int) -> None:
    shown = on_terminal(
        *("solve", "sudoku:3", "step(lookahead(sim))", "--seconds", "0.5", "--engine", "reference"), columns=columns
    )
    assert shown.status == 0
    progress = shown.text.rpartition("\r\x1b[K")[0].split("\r\x1b[K")
    assert any("%" in line and "evaluations" in line for line in progress)
    assert all(len(line) < columns for line in progress)


@needs_terminal
def test_a_dumb_terminal_gets_no_escape_codes(campaign: Path) -> None:
    for arguments in (
        ["solve", "sudoku:2", "sim", "--seconds", "0.3", "--engine", "reference"],
        ["resume", str(campaign), "--jobs", "1", "--test-problems", "0"],
    ):
        shown = on_terminal(*arguments, TERM="dumb")
        assert shown.status == 0
        assert "\x1b" not in shown.text


def test_progress_says_how_long_it_will_take() -> None:
    shown: list[str] = []
    line: Any = SimpleNamespace(due=lambda: True, show=shown.append)
    progress, times = WorkProgress(line, "pulls"), iter((0.0, 20.0, 21.0, 25.0, 30.0))
    progress.pace = WorkPace(clock=lambda: next(times))
    for done in (10, 12, 30, 40):
        progress.show(done, 100)
    assert shown == [
        " 10%  10 of 100 pulls",
        " 12%  12 of 100 pulls",  # two in a second may mean anything
        " 30%  30 of 100 pulls, 4 /s, about 20 s left",
        " 40%  40 of 100 pulls, 3 /s, about 20 s left",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.3, "a second"),
        (7.4, "7 s"),
        (52, "50 s"),
        (100, "2 min"),
        (3054, "50 min"),
        (5000, "85 min"),
        (7000, "2 h"),
        (100_000, "30 h"),
        (1_700_000, "20 days"),
        (1e9, "12,000 days"),
    ],
)
def test_estimates_are_round(seconds: float, text: str) -> None:
    assert about(seconds) == f"about {text}"


@pytest.mark.parametrize(
    ("rate", "text"), [(0.0, "0 /s"), (0.12, "8.33 s each"), (1.0, "1 /s"), (8330.0, "8.33 k/s"), (1.2e6, "1.2 M/s")]
)
def test_rates_below_one_a_second_are_seconds_each(rate: float, text: str) -> None:
    assert per_second(rate) == text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def displayed(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    """What a campaign under way shows on a terminal."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "40", **environment}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    leader = SimpleNamespace(expression_text="step(select(step(sim), 0.5))", pulls=30, mean=0.5, stderr=0.01)
    leader.half_width = 0.0196
    progress: Any = SimpleNamespace(
        pulls=30,
        pulls_in_all=100,
        per_second=10.0,
        seconds_left=7.0,
        pace=SimpleNamespace(is_known=True),
        leaders=lambda n: [leader],
        spending=lambda: "all",
    )
    with CampaignDisplay() as display:
        display.shown = 0.0
        display(progress)
    return terminal.getvalue()


def test_colours_of_a_campaign_and_none_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    assert COLOUR.search(displayed(monkeypatch))
    assert not COLOUR.search(displayed(monkeypatch, NO_COLOR="1"))


def test_campaign_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", displayed(monkeypatch, NO_COLOR="1"))
    assert "step(select" in plain
    assert re.search("^30%", plain.replace("\r", "\n"), re.MULTILINE)  # below the bar
    assert max(len(line) for line in plain.replace("\r", "\n").split("\n")) <= 40


def test_progress_line_leaves_a_terminal_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressLine():
        pass
    assert terminal.getvalue() == ""
    with ProgressLine() as line:
        line.show("half")
    assert terminal.getvalue() == "\r\x1b[Khalf\r\x1b[K"


NOT_ON_WINDOWS = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]$')


@pytest.mark.parametrize(
    ("domain", "candidates", "name"),
    [
        ("sudoku:4", "depth5", "sudoku-4-B100-depth5-"),
        ("tour.py:Tour:cities=8", "depth3", "tour.py-Tour-cities-8-B100-depth3-"),
        ("regression:length=11,set=train", 'my:list "2"', "regression-length-11-set-train-B100-my-list--2--"),
        ("x" * 400, "y" * 400, "x" * 60 + "-B100-" + "y" * 60 + "-"),
    ],
)
def test_default_folders_can_be_made_on_any_system(domain: str, candidates: str, name: str) -> None:
    settings = SimpleNamespace(
        canonical_domain=domain, budget=100, seconds=None, play=None, against=None, digest=lambda: "0123456789abcdef"
    )
    made = _folder_name(settings, candidates)
    assert made == f"{name}01234567"
    assert not NOT_ON_WINDOWS.search(made)


def test_files_have_the_same_line_ends_on_any_system(tmp_path: Path) -> None:
    write_text(tmp_path / "table.md", "one\ntwo\n")
    assert (tmp_path / "table.md").read_bytes() == b"one\ntwo\n"


def test_no_file_of_the_repository_is_forbidden_on_windows() -> None:
    root = Path(__file__).parent.parent.parent
    folders = ("docs", "domains", "mcsgrammar", "discovery", "tests", "results", "benchmarks", "experiments")
    names = [path.name for folder in folders for path in (root / folder).rglob("*")]
    assert [name for name in names if NOT_ON_WINDOWS.search(name)] == []

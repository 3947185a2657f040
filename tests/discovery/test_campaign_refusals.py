"""What campaigns refuse, in the words that a user reads; and a refusal writes nothing and loses nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discovery.campaign.running import run
from discovery.keeping.locking import FolderLock
from domains.errors import UserError
from mcsgrammar.cli import discovering
from mcsgrammar.language.errors import ExpressionError
from mcsgrammar.language.parsing import parse
from tests.discovery.campaigns import (
    JOURNAL,
    Tiny,
    finished,
    made,
    refused,
    step,
    tiny,
)
from tests.language.command import run as mcsgrammar


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


# What is asked for.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--depth 0", "the depth cannot be 0; it is a whole number from 1 to 64"),
        ("--pulls 0", "the number of pulls cannot be 0; it is a whole number from 1 to 2^63 - 1"),
        ("--pulls -1", "the number of pulls cannot be -1; it is a whole number from 1 to 2^63 - 1"),
        (f"--pulls {2**63}", f"the number of pulls cannot be {2**63}; it is a whole number from 1 to 2^63 - 1"),
        ("--pulls many", "Invalid value for '--pulls': 'many' is not a whole number such as 250 or 1e6"),
        ("--pulls-per-candidate 0", "--pulls-per-candidate cannot be 0; it is a number above 0"),
        ("--pulls-per-candidate nan", "--pulls-per-candidate cannot be nan; it is a number above 0"),
        ("--pulls-per-candidate inf", "--pulls-per-candidate cannot be inf; it is a number above 0"),
        ("--pulls-per-candidate 0.01", "the number of pulls cannot be 0; it is a whole number from 1 to 2^63 - 1"),
        ("--batch 0", "the batch cannot be 0; it is a whole number from 1 to 1,000,000"),
        ("--batch 1000001", "the batch cannot be 1000001; it is a whole number from 1 to 1,000,000"),
        ("--budget -1", "the budget cannot be -1; it is a whole number from 0 to 2^63 - 1"),
        ("--budget 5 --seconds 1", "give a budget in evaluations or in seconds, one of the two"),
        ("--policy ucb2", "there is no bandit policy 'ucb2'; did you mean 'ucb1'?"),
        ("--policy ucb1(c=-1)", "c of ucb1 cannot be -1; it takes a finite number of at least 0"),
        (
            "--policy halving --pulls 2",
            "halving pulls every candidate at least once: 4 candidates need 4 pulls or more; "
            "sampled-halving takes fewer",
        ),
        ("--jobs 0", "the number of jobs cannot be 0; it is at least 1"),
        ("--jobs two", "Invalid value for '--jobs': 'two' is not a whole number such as 250 or 1e6"),
        ("--timeout 0", "the timeout cannot be 0.0; it is a number of seconds above 0, 1,000,000,000 at most"),
        ("--timeout nan", "the timeout cannot be nan; it is a number of seconds above 0, 1,000,000,000 at most"),
        ("--for soon", "--for cannot be 'soon'; write a time such as 90s, 10m or 1h"),
        ("--for 0s", "--for cannot be '0s'; write a time such as 90s, 10m or 1h"),
        ("--for nan", "--for cannot be 'nan'; write a time such as 90s, 10m or 1h"),
        ("--for -1h", "--for cannot be '-1h'; write a time such as 90s, 10m or 1h"),
        (
            "--backend spark",
            "Invalid value for '--backend': 'spark' is not one of 'loky', 'threading', 'dask'.",
        ),
        (
            "--backend dask",
            "--backend dask needs --address, the scheduler's (tcp://host:8786), and only it does",
        ),
        (
            "--address tcp://host:8786",
            "--backend dask needs --address, the scheduler's (tcp://host:8786), and only it does",
        ),
        ("--top 0", "--top cannot be 0; it is at least 1"),
        ("--test-problems -1", "--test-problems cannot be -1; it is at least 0"),
        (
            "--engine compiled",
            "the compiled engine needs Numba kernels, and Tiny has none; "
            "give it a kernels() method (see CONTRIBUTING.md), or use --engine reference",
        ),
    ],
)
def test_wrong_options(options: str, message: str, domain: Tiny, tmp_path: Path) -> None:
    arguments = ["--depth", "2", "--repeat", "2", "--select", "0.5", "--out", str(tmp_path / "c"), *options.split()]
    assert refused(tmp_path, "discover", domain.name, *arguments) == message


BROKEN = {
    "syntax": ("class Broken:\n    def", "broken.py does not import: SyntaxError: {python}"),
    "raises": ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    "exits": ("raise SystemExit(3)", "broken.py does not import: SystemExit: 3"),
    "no class": ("x = 1", "broken.py has no class Broken; it has none"),
    "no horizon": (
        "class Broken:\n    pass",
        "Broken has horizon None; set it to the usual number of actions in a solution, a whole number of at least 1",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_domain_file_that_is_broken(what: str, tmp_path: Path) -> None:
    text, message = BROKEN[what]
    (tmp_path / "broken.py").write_text(text)
    said = refused(tmp_path, "discover", f"{tmp_path / 'broken.py'}:Broken", "--out", tmp_path / "c")
    assert said.startswith(message.partition("{")[0]) if "{" in message else message in said
    assert "\n" not in said


def test_a_domain_file_that_is_not_there(tmp_path: Path) -> None:
    said = refused(tmp_path, "discover", f"{tmp_path / 'none.py'}:Tiny", "--out", tmp_path / "c")
    assert said == "there is no file none.py"


# The file of candidates.


def with_candidates(domain: Tiny, tmp_path: Path, content: bytes) -> str:
    (tmp_path / "mine.txt").write_bytes(content)
    return refused(tmp_path, "discover", domain.name, "--candidates", tmp_path / "mine.txt", "--out", tmp_path / "c")


def test_candidates_without_end(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovering, "MOST_CHARACTERS", 10)
    assert with_candidates(domain, tmp_path, b"step(sim)\n#") == (
        "mine.txt is longer than a list of expressions may be, 10 characters"
    )


def test_line_17_is_wrong(domain: Tiny, tmp_path: Path) -> None:
    lines = ["# mine", "", *["sim"] * 14, "step(sim, 3)", "sim"]
    with pytest.raises(ExpressionError) as caught:
        parse("step(sim, 3)")
    message = f"line 17 of mine.txt: {caught.value}"
    assert message.endswith("\n  step(sim, 3)\n            ^")
    assert with_candidates(domain, tmp_path, "\n".join(lines).encode()) == message
    assert with_candidates(domain, tmp_path, "\r\n".join(lines).encode()) == message


def test_a_line_that_does_not_read(domain: Tiny, tmp_path: Path) -> None:
    said = with_candidates(domain, tmp_path, b"sim\nstep(sim\n")
    assert said.startswith("line 2 of mine.txt: ") and said.endswith("\n  step(sim\n          ^")


def test_no_text(domain: Tiny, tmp_path: Path) -> None:
    assert with_candidates(domain, tmp_path, b"sim\n\xff\xfe") == "mine.txt is not a text file (UTF-8)"


@pytest.mark.parametrize("content", [b"", b"\n  \n# nothing\n"])
def test_no_candidates(content: bytes, domain: Tiny, tmp_path: Path) -> None:
    assert with_candidates(domain, tmp_path, content) == (
        "there are no candidates; raise --depth, or name a file with expressions by --candidates"
    )


def test_no_file_of_candidates(domain: Tiny, tmp_path: Path) -> None:
    where = ("--out", tmp_path / "c", "--candidates")
    assert refused(tmp_path, "discover", domain.name, *where, tmp_path / "none.txt") == (
        "none.txt cannot be read: No such file or directory"
    )
    (tmp_path / "folder").mkdir()
    assert refused(tmp_path, "discover", domain.name, *where, tmp_path / "folder") == (
        "folder cannot be read: Is a directory"
    )


def test_candidates_that_cannot_be_run(domain: Tiny, tmp_path: Path) -> None:
    said = with_candidates(domain, tmp_path, b"step(repeat(select(sim, {0.1, 0.2}), 5))")
    assert said.startswith("line 1 of mine.txt: C of select is open, ")


def test_a_file_from_an_editor_that_marks_its_encoding(domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_bytes("sim\nstep(sim)\n".encode("utf-8-sig"))
    arguments = ["--candidates", str(tmp_path / "mine.txt"), "--out", str(tmp_path / "c"), "--pulls", "4"]
    done = mcsgrammar("discover", domain.name, *arguments, "--jobs", "1", "--test-problems", "0")
    assert done.returncode == 0, done.stderr


# The folder.

OPTIONS = ["--depth", "2", "--repeat", "2", "--select", "0.5", "--budget", "6", "--pulls", "20"]


def test_a_folder_with_something_else(domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "thesis.tex").write_text("my work")
    assert refused(tmp_path, "discover", domain.name, *OPTIONS, "--out", tmp_path / "c") == (
        "c holds something else (thesis.tex); choose an empty or new folder as --out"
    )


@pytest.mark.parametrize("name", ["candidates.txt", JOURNAL, "evaluation.md", "timings.csv"])
def test_a_folder_with_files_that_only_look_like_ours(name: str, domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / name).write_text("sim\n")
    assert refused(tmp_path, "discover", domain.name, *OPTIONS, "--out", tmp_path / "c") == (
        f"c holds something else ({name}); choose an empty or new folder as --out"
    )


def test_a_folder_that_is_a_file(domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "c").write_text("my work")
    assert refused(tmp_path, "discover", domain.name, *OPTIONS, "--out", tmp_path / "c") == (
        "c cannot be written: File exists"
    )
    assert refused(tmp_path, "discover", domain.name, *OPTIONS, "--out", tmp_path / "c" / "d") == (
        "c/d cannot be written: Not a directory"
    )


def test_other_settings(domain: Tiny, tmp_path: Path) -> None:
    step(made(tmp_path / "c", domain, ["sim"], pulls=20, batch=7))
    options: list[str | Path] = [
        "--pulls",
        "21",
        "--batch",
        "7",
        "--budget",
        "7",
        "--policy",
        "greedy(alpha=2)",
        "--seed",
        "5",
    ]
    (tmp_path / "mine.txt").write_text("sim\n")
    options += ["--candidates", tmp_path / "mine.txt", "--semantics", "maes2013", "--out", tmp_path / "c"]
    assert refused(tmp_path, "discover", domain.name, *options) == (
        "c holds a campaign with other settings; choose another --out, or resume it as it is\n"
        "  budget: 6, now 7\n"
        "  semantics: 'standard', now 'maes2013'\n"
        "  policy: 'ucb1(c=0.1)', now 'greedy(alpha=2)'\n"
        "  pulls: 20, now 21\n"
        "  seed: 0, now 5"
    )


def test_two_processes(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    hold = "import sys; from pathlib import Path; from discovery.keeping.locking import FolderLock\n"
    hold += "with FolderLock(Path(sys.argv[1])): print('held', flush=True); sys.stdin.readline()"
    first = subprocess.Popen(
        [sys.executable, "-c", hold, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    with first:
        assert first.stdout is not None and first.stdout.readline() == b"held\n"
        assert refused(tmp_path, "resume", folder) == (
            f"c: another process (pid {first.pid}) is working on this campaign; wait for it or stop it"
        )
        first.communicate(b"\n")
    finished(folder)


def test_the_same_process_twice(domain: Tiny, tmp_path: Path) -> None:
    folder = made(tmp_path / "c", domain)
    with FolderLock(folder), pytest.raises(UserError) as caught:
        run(folder)
    assert str(caught.value) == (
        f"{folder}: another process (pid {os.getpid()}) is working on this campaign; wait for it or stop it"
    )


# The same from the outside.


def test_a_refusal_of_the_command(domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "thesis.tex").write_text("my work")
    done = mcsgrammar("discover", domain.name, *OPTIONS, "--out", str(tmp_path / "c"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"mcsgrammar: {tmp_path}/c holds something else (thesis.tex); choose an empty or new folder as --out\n"
    )

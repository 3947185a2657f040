"""What campaigns refuse, in the words that a user reads; and a refusal writes nothing and loses nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from discovery.campaign import run
from discovery.journal_format import checksum, header_line
from discovery.locking import CampaignLock
from discovery.settings import read_settings, versions_now
from domains.errors import UserError
from mcsgrammar.errors import ExpressionError
from mcsgrammar.parsing import parse
from tests.discovery.campaigns import (
    CANDIDATES,
    JOURNAL,
    SETTINGS,
    TINY,
    Tiny,
    change_settings,
    finished,
    journal_of,
    made,
    on_disk,
    pulls_in,
    refusal,
    step,
    tiny,
)
from tests.language.command import ENVIRONMENT
from tests.language.command import run as mcsgrammar


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


def refused(folder: Path, *arguments: str | Path) -> str:
    """The complaint; the folder is as it was. Its name is left out."""
    before = on_disk(folder)
    message = refusal(*arguments)
    assert on_disk(folder) == before
    return message.replace(f"{folder}{os.sep}", "")


# What is asked for.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--depth 0", "the depth cannot be 0; it is a whole number from 1 to 64"),
        ("--pulls 0", "the number of pulls cannot be 0; it is a whole number from 1 to 2^63 - 1"),
        ("--pulls -1", "the number of pulls cannot be -1; it is a whole number from 1 to 2^63 - 1"),
        (f"--pulls {2**63}", f"the number of pulls cannot be {2**63}; it is a whole number from 1 to 2^63 - 1"),
        ("--pulls many", "Invalid value for '--pulls': 'many' is not a valid integer."),
        ("--pulls-per-candidate 0", "--pulls-per-candidate cannot be 0; it is a number above 0"),
        ("--pulls-per-candidate nan", "--pulls-per-candidate cannot be nan; it is a number above 0"),
        ("--pulls-per-candidate inf", "--pulls-per-candidate cannot be inf; it is a number above 0"),
        ("--pulls-per-candidate 0.01", "the number of pulls cannot be 0; it is a whole number from 1 to 2^63 - 1"),
        ("--batch 0", "the batch cannot be 0; it is a whole number from 1 to 1000000"),
        ("--batch 1000001", "the batch cannot be 1000001; it is a whole number from 1 to 1000000"),
        ("--budget -1", "the budget cannot be -1; it is a whole number from 0 to 2^63 - 1"),
        ("--budget 5 --seconds 1", "give a budget in evaluations or in seconds, one of the two"),
        ("--policy ucb2", "there is no bandit policy 'ucb2'; did you mean 'ucb1'?"),
        ("--policy ucb1(c=-1)", "c of ucb1 cannot be -1; it takes a finite number of at least 0"),
        (
            "--policy halving --pulls 2",
            "halving pulls every candidate at least once: 4 candidates need 4 pulls or more",
        ),
        ("--jobs 0", "the number of jobs cannot be 0; it is at least 1"),
        ("--jobs two", "Invalid value for '--jobs': 'two' is not a valid integer."),
        ("--timeout 0", "the timeout cannot be 0.0; it is a number of seconds above 0"),
        ("--timeout nan", "the timeout cannot be nan; it is a number of seconds above 0"),
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
    hold = "import sys; from pathlib import Path; from discovery.locking import CampaignLock\n"
    hold += "with CampaignLock(Path(sys.argv[1])): print('held', flush=True); sys.stdin.readline()"
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
    with CampaignLock(folder), pytest.raises(UserError) as caught:
        run(folder)
    assert str(caught.value) == (
        f"{folder}: another process (pid {os.getpid()}) is working on this campaign; wait for it or stop it"
    )


# A campaign that was changed.


@pytest.fixture
def begun(domain: Tiny, tmp_path: Path) -> Path:
    folder = made(tmp_path / "c", domain)
    step(folder)
    return folder


def test_no_campaign(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in ("resume", "status"):
        assert refused(tmp_path, command, tmp_path / "none") == "none is no campaign: it has no settings.json"
        assert refused(tmp_path, command, tmp_path / "file") == "file is no campaign: it is not a folder"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ('{"format": 1,', "Expecting property name enclosed in double quotes: line 1 column 14 (char 13)"),
        ("[]", "it has no format"),
        ("{}", "it has no format"),
        ('{"format": "1"}', "it has no format"),
        ('{"format": 1}', "the setting 'domain' is missing"),
        ("\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ],
)
def test_damaged_settings(text: str, wrong: str, begun: Path, tmp_path: Path) -> None:
    (begun / SETTINGS).write_bytes(text.encode("latin-1"))
    for command in ("resume", "status"):
        message = f"c/settings.json is damaged: {wrong}; restore it from a copy"
        assert refused(tmp_path, command, begun) == message


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"pulls": "many"}, """the setting 'pulls' cannot be "many\""""),
        ({"pulls": 1.5}, "the setting 'pulls' cannot be 1.5"),
        ({"batch": True}, "the setting 'batch' cannot be true"),
        ({"policy": None}, "the setting 'policy' cannot be null"),
        ({"versions": ["3.11"]}, """the setting 'versions' cannot be ["3.11"]"""),
        ({"accepted_versions": {}}, "the setting 'accepted_versions' cannot be {}"),
        ({"accepted_versions": [1]}, "the setting 'accepted_versions' cannot be [1]"),
        ({"workers": 3}, "it has a setting 'workers' that there is not"),
    ],
)
def test_settings_that_cannot_be(changes: dict[str, object], wrong: str, begun: Path, tmp_path: Path) -> None:
    change_settings(begun, **changes)
    assert refused(tmp_path, "resume", begun) == f"c/settings.json is damaged: {wrong}; restore it from a copy"


@pytest.mark.parametrize("changes", [{"pulls": 61}, {"seed": 1}, {"policy": "halving"}])
def test_settings_that_were_changed_by_hand(changes: dict[str, object], begun: Path, tmp_path: Path) -> None:
    change_settings(begun, **changes)
    message = "c: settings.json and journal.jsonl do not belong together; one of them was changed by hand"
    for command in ("resume", "status"):
        assert refused(tmp_path, command, begun) == message


def test_newer_formats(begun: Path, tmp_path: Path) -> None:
    newer = "was written by a newer mcsgrammar (format 2); this one reads format 1; upgrade"
    change_settings(begun, format=2, colour="blue")
    assert refused(tmp_path, "resume", begun) == f"c/settings.json {newer}"
    document = json.loads((begun / SETTINGS).read_text())
    document.pop("colour")
    (begun / SETTINGS).write_text(json.dumps(document | {"format": 1}))
    header = header_line(read_settings(begun).digest()).replace(b",1,", b",2,")[:-13]
    rest = journal_of(begun).split(b"\n", 1)[1]
    (begun / JOURNAL).write_bytes(header + checksum(header) + b"\n" + rest)
    for command in ("resume", "status"):
        assert refused(tmp_path, command, begun) == f"c/journal.jsonl: {newer.removeprefix('was ')}"


def test_a_damaged_journal(begun: Path, tmp_path: Path) -> None:
    step(begun)
    lines = journal_of(begun).splitlines(keepends=True)
    lines[2] = lines[2].replace(b"[1,", b"[2,")
    (begun / JOURNAL).write_bytes(b"".join(lines))
    assert refused(tmp_path, "resume", begun) == (
        "c/journal.jsonl, line 3: does not match its checksum; restore the file from a copy, "
        "or keep its first 1 lines only (the pulls behind them are then run again)"
    )


@pytest.mark.parametrize("content", [b"sim\n", b"", b"\xff", "\n".join(reversed(CANDIDATES)).encode()])
def test_candidates_that_were_changed(content: bytes, begun: Path, tmp_path: Path) -> None:
    (begun / "candidates.txt").write_bytes(content)
    for command in ("resume", "status"):
        assert refused(tmp_path, command, begun) == (
            "c/candidates.txt is not the list that this campaign began with; it was changed or damaged"
        )


def test_candidates_that_are_gone(begun: Path, tmp_path: Path) -> None:
    (begun / "candidates.txt").unlink()
    assert refused(tmp_path, "resume", begun) == "c/candidates.txt cannot be read: No such file or directory"


def test_a_domain_that_was_changed(begun: Path, tmp_path: Path) -> None:
    before = read_settings(begun).domain_source
    (tmp_path / "tiny.py").write_text(TINY + "\n# better\n")
    said = refused(tmp_path, "resume", begun)
    assert said.startswith(f"c: the domain has changed since the campaign began\n  domain_source: '{before}', now '")
    (tmp_path / "tiny.py").write_text(TINY)
    finished(begun)


def test_a_domain_that_is_gone(begun: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").unlink()
    assert refused(tmp_path, "resume", begun) == "there is no file tiny.py"


def test_other_versions(begun: Path, tmp_path: Path) -> None:
    now = versions_now()
    change_settings(begun, versions=now | {"numba": "0.1", "python": "2.7"})
    assert refused(tmp_path, "resume", begun, "--test-problems", "0") == (
        f"c was run with other versions (python 2.7, now {now['python']}; numba 0.1, now {now['numba']}), "
        "which may give other results; go on with --accept-versions, which is recorded"
    )
    before = on_disk(begun)
    (tmp_path / "tiny.py").write_text(TINY + "\n# better\n")
    refused(tmp_path, "resume", begun, "--accept-versions")  # for the domain, before versions are recorded
    (tmp_path / "tiny.py").write_text(TINY)
    assert on_disk(begun) == before
    assert step(begun, accept_versions=True).pulls_now == 7
    assert read_settings(begun).accepted_versions == (now,)
    assert read_settings(begun).versions["python"] == "2.7"
    finished(begun)  # accepted once for all


def test_wrong_ways_to_resume(begun: Path, tmp_path: Path) -> None:
    assert refused(tmp_path, "resume", begun, "--jobs", "0") == "the number of jobs cannot be 0; it is at least 1"
    assert refused(tmp_path, "status", begun, "--top", "0") == "--top cannot be 0; it is at least 1"


# The disk.

LIMITED = """
import resource, sys
from mcsgrammar.cli import main

limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
main()
"""


def discover_on_a_small_disk(limit: int, domain: Tiny, folder: Path) -> "subprocess.CompletedProcess[str]":
    arguments = ["discover", domain.name, *OPTIONS, "--pulls", "300", "--batch", "20", "--jobs", "1"]
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *arguments, "--test-problems", "0", "--out", str(folder)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )


def test_a_full_disk_keeps_what_was_finished(domain: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    full = discover_on_a_small_disk(2500, domain, folder)
    kept = len(pulls_in(folder))
    assert full.returncode == 1 and 0 < kept < 300 and kept % 20 == 0
    assert full.stderr.splitlines()[-1] == (
        f"mcsgrammar: {folder}/journal.jsonl cannot be written: File too large; "
        f"the {kept} pulls before are kept: resume the campaign when that is mended"
    )
    assert "Traceback" not in full.stderr
    again = discover_on_a_small_disk(10**9, domain, folder)
    assert again.returncode == 0 and "note:" in again.stderr.splitlines()[0]
    assert journal_of(folder) == finished_elsewhere(folder, tmp_path / "other")


def finished_elsewhere(folder: Path, other: Path) -> bytes:
    """The journal of the same campaign, run in one piece."""
    other.mkdir()
    for name in (SETTINGS, "candidates.txt"):
        (other / name).write_bytes((folder / name).read_bytes())
    return finished(other)


@pytest.mark.parametrize("limit", [0, 100])
def test_a_disk_that_is_full_from_the_start(limit: int, domain: Tiny, tmp_path: Path) -> None:
    full = discover_on_a_small_disk(limit, domain, tmp_path / "c")
    assert full.returncode == 2
    name = "candidates.txt" if limit == 0 else SETTINGS
    assert full.stderr.splitlines()[-1] == f"mcsgrammar: {tmp_path}/c/{name} cannot be written: File too large"
    assert "Traceback" not in full.stderr
    assert discover_on_a_small_disk(10**9, domain, tmp_path / "c").returncode == 0


@pytest.mark.parametrize("name", ["timings.csv", "failures.jsonl"])
def test_notes_that_cannot_be_written(name: str, domain: Tiny, begun: Path) -> None:
    domain.trouble("raise", 2)
    (begun / name).unlink(missing_ok=True)
    (begun / name).mkdir()
    before = journal_of(begun)
    with pytest.raises(UserError) as caught:
        run(begun)
    kept = len(pulls_in(begun))
    assert journal_of(begun).startswith(before)
    assert str(caught.value) == (
        f"{begun}/{name} cannot be written: Is a directory; "
        f"the {kept} pulls before are kept: resume the campaign when that is mended"
    )
    (begun / name).rmdir()
    finished(begun)


def test_a_folder_that_may_only_be_read(begun: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    begun.chmod(0o500)
    (begun / "lock").chmod(0o400)
    assert refused(tmp_path, "resume", begun) == "c/lock cannot be written: Permission denied"
    assert refused(tmp_path, "discover", "sudoku:2", "--out", begun / "d").startswith("c/d cannot be written: ")


# The same from the outside.


def test_a_refusal_of_the_command(domain: Tiny, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "thesis.tex").write_text("my work")
    done = mcsgrammar("discover", domain.name, *OPTIONS, "--out", str(tmp_path / "c"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"mcsgrammar: {tmp_path}/c holds something else (thesis.tex); choose an empty or new folder as --out\n"
    )

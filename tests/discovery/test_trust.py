"""Whose code is run, and when: that of a campaign's domain only as the campaign began with it, and not where it came
along in the campaign's folder; nothing that happens to lie in the working directory."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import mcsgrammar as mg
from discovery.campaign.running import run
from discovery.pool.parallel import in_workers
from discovery.report.report import make_report
from domains.registry import find_domain
from mcsgrammar.solving import solve
from tests.discovery.campaigns import TINY, change_settings, finished, made, refused, step, tiny

TELLS = """
from pathlib import Path
Path(__file__).with_name("was_run").touch()
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """One that has begun; its domain tells when it is run."""
    (tmp_path / "tiny.py").write_text(TELLS + TINY)
    folder = made(tmp_path / "c", f"{tmp_path / 'tiny.py'}:Tiny")
    step(folder)
    (tmp_path / "was_run").unlink()
    return folder


def test_a_changed_domain_is_refused_and_not_run(campaign: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(TELLS + TINY + "# another\n")
    for command in (["resume"], ["report", "--test-problems", "3"]):
        message = refused(tmp_path, *command, campaign)
        assert message.startswith("c: the domain has changed since the campaign began\n  domain_source: '")
    assert not (tmp_path / "was_run").exists()


@pytest.mark.parametrize("absolute", [True, False])
def test_code_that_came_along_is_not_run(
    absolute: bool, campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if its hash is what the settings say."""
    evil = (tmp_path / "tiny.py").rename(campaign / "tiny.py")
    monkeypatch.chdir(campaign)
    name = str(evil) if absolute else "tiny.py"
    change_settings(campaign, domain=f"{name}:Tiny")
    said = (
        f"brings the code of its domain along ({'c/tiny.py' if absolute else name}), which was not run; "
        "look at what is in it, and add --trust to run it"
    )
    assert refused(tmp_path, "resume", campaign) == f"c {said}"
    assert refused(tmp_path, "report", campaign, "--test-problems", "3") == (
        f"c {said}\n--test-problems 0 reports without running anything"
    )
    assert not (campaign / "was_run").exists()


def test_a_link_out_of_the_folder_and_back_came_along(campaign: Path, tmp_path: Path) -> None:
    (campaign / "evil.py").write_text(TELLS + TINY)
    (tmp_path / "innocent.py").symlink_to(campaign / "evil.py")
    change_settings(campaign, domain=f"{tmp_path / 'innocent.py'}:Tiny")
    assert "brings the code of its domain along" in refused(tmp_path, "resume", campaign)


def test_with_a_word_from_the_user_it_is_run(tmp_path: Path) -> None:
    folder = made(tmp_path / "c", tiny(tmp_path), pulls=14)
    (tmp_path / "tiny.py").rename(folder / "tiny.py")
    change_settings(folder, domain=f"{folder / 'tiny.py'}:Tiny")
    finished(folder, trust=True)
    report = make_report(folder, problems=2, jobs=1, trust=True)
    assert report.test is not None and report.test.problems == 2


def test_a_report_that_runs_nothing_imports_nothing(tmp_path: Path) -> None:
    """And knows the unit all the same."""
    file = tmp_path / "tiny.py"
    file.write_text(TELLS + TINY.replace("horizon = 4", 'horizon = 4\n    unit = "hits"'))
    folder = made(tmp_path / "c", f"{file}:Tiny")
    step(folder)
    (tmp_path / "was_run").unlink()
    report = make_report(folder, problems=0)
    assert (report.scale.unit, report.notes) == ("hits", ())
    assert not (tmp_path / "was_run").exists()


def test_a_domain_handed_over_as_an_object_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an absolute path: a relative one would be code that came along."""
    tiny(tmp_path)
    monkeypatch.chdir(tmp_path)
    mg.discover(find_domain("tiny.py:Tiny"), "c", budget=4, candidates=["sim"], pulls=2)
    monkeypatch.chdir("/")
    assert run(tmp_path / "c").ended == "complete"


# The working directory.


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory in which files are called like modules that Python imports as it starts."""
    for name in ("queue.py", "click.py", "subprocess.py"):
        (tmp_path / name).write_text("raise SystemExit('this is not the library')")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_imports_nothing_from_the_working_directory(trap: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "mcsgrammar", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.endswith(f", version {version('mcsgrammar')}\n")


def test_workers_import_nothing_from_the_working_directory(trap: Path) -> None:
    """In a worker the path is safe, and what a domain starts there is left as the user has it."""
    asked = "__import__('sys').flags.safe_path, __import__('os').environ.get('PYTHONSAFEPATH')"
    assert list(in_workers(eval, [asked, asked], jobs=2)) == [(True, os.environ.get("PYTHONSAFEPATH"))] * 2


def test_nor_does_what_cleans_up_after_them(trap: Path) -> None:
    program = (
        "import sys; sys.path.remove(''); from discovery.pool.parallel import in_workers; "
        "print(*in_workers(abs, [-1, 2], 2))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 2\n", "")


def test_workers_of_a_campaign_too(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Spy:
        def __init__(self, *how: Any) -> None:
            raise KeyError(os.environ.get("PYTHONSAFEPATH"))

    monkeypatch.setattr("discovery.campaign.running.Workers", Spy)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with pytest.raises(KeyError, match="mcsgrammar"):
        run(campaign)
    assert "PYTHONSAFEPATH" not in os.environ


# What lies beside a domain's file.


def test_a_sibling_does_not_take_the_place_of_the_library(tmp_path: Path) -> None:
    """Even one that is not imported yet."""
    (tmp_path / "sched.py").write_text("raise SystemExit")
    tiny(tmp_path)
    sys.modules.pop("sched", None)
    solve(f"{tmp_path / 'tiny.py'}:Tiny", "sim", 3)
    import sched

    assert sched.scheduler


def test_a_sibling_with_a_name_of_the_library_is_not_mistaken(tmp_path: Path) -> None:
    (tmp_path / "sched.py").write_text("MOVES = 3\n")
    (tmp_path / "tiny.py").write_text("from sched import MOVES\n" + TINY)
    import sched

    message = (
        f"{tmp_path / 'tiny.py'} imports sched, and {tmp_path / 'sched.py'} lies beside it, but Python knows another "
        f"module of that name ({Path(str(sched.__file__)).resolve()}); rename the one beside it"
    )
    assert refused(tmp_path, "solve", f"{tmp_path / 'tiny.py'}:Tiny", "sim") == message.replace(
        f"{tmp_path}{os.sep}", ""
    )


def test_siblings_of_the_same_name_are_each_domains_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trust_rules.py").write_text(f"NAME = '{name}'\n")
        (tmp_path / name / "tiny.py").write_text(
            TINY.replace("    horizon = 4", "    horizon = 4\n    unit = trust_rules.NAME").replace(
                "import json", "import json, trust_rules", 1
            )
        )
    assert [find_domain(f"{tmp_path / name / 'tiny.py'}:Tiny").unit for name in ("a", "b", "a")] == ["a", "b", "a"]

"""What `mcsgrammar doctor` finds, and what it says is to be done."""

import json
import os
import pickle
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

import numba
import pytest
from click.testing import CliRunner

from mcsgrammar.cli import doctoring, machine_cache
from mcsgrammar.cli.doctoring import Diagnosis
from mcsgrammar.engines.compiled.compiling import TEMPLATE, Scope
from tests.language.command import run

needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has neither owners nor modes like these")


def machine(cache: Path, name: str, text: str | None = None, compiled_by: str = "") -> Path:
    """A folder like that of a compiled machine."""
    folder = cache / name
    folder.mkdir(mode=0o700)
    (folder / "__pycache__").mkdir()
    (folder / f"{name}.py").write_bytes(TEMPLATE.read_bytes() if text is None else text.encode())
    if compiled_by:
        tag = f"py{sys.version_info.major}{sys.version_info.minor}"
        (folder / "__pycache__" / f"{name}.run_machine-1.{tag}.nbi").write_bytes(pickle.dumps(compiled_by))
    return folder


def report(*arguments: str, **environment: str) -> tuple[int, dict[str, Any]]:
    done = run("doctor", "--no-speed", "--json", *arguments, **environment)
    return done.returncode, json.loads(done.stdout)


def test_nothing_is_wrong(tmp_path: Path) -> None:
    status, document = report(MCSGRAMMAR_CACHE=str(tmp_path / "new"))
    assert (status, document["ok"], document["troubles"]) == (0, True, [])
    assert document["versions"]["mcsgrammar"] == version("mcsgrammar")
    assert set(document["versions"]) > {
        "python",
        "numpy",
        "numba",
        "llvmlite",
        "lark",
        "loky",
        "joblib",
        "scipy",
        "click",
        "rich",
    }
    assert set(document["extras"]) == {"cmaes", "dask", "gymnasium"}
    assert document["cache"] == {
        "folder": str(tmp_path / "new"),
        "usable": True,
        "machines": 0,
        "bytes": 0,
        "stale": 0,
        "deleted": 0,
    }
    assert document["speed"] is None
    assert document["terminal"]["is_terminal"] is False
    assert not (tmp_path / "new").exists()  # it only looks


def test_text_says_it_too(tmp_path: Path) -> None:
    done = run("doctor", "--no-speed", MCSGRAMMAR_CACHE=str(tmp_path), NO_COLOR="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nnothing is wrong\n")
    assert f"cache        {tmp_path}, can be written; compiled machines: 0, 0.0 MB\n" in done.stdout
    assert "output       no terminal, 100 columns, utf-8, NO_COLOR is set\n" in done.stdout


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    done = run("doctor", "--no-speed", MCSGRAMMAR_CACHE=str(file / "cache"))
    assert done.returncode == 1
    assert done.stdout.endswith(
        f"\nwrong: the cache folder {file / 'cache'} cannot be written, so every process compiles anew, which takes "
        "seconds\n   do: make it writable, or set MCSGRAMMAR_CACHE to a folder that is\n"
    )


def test_nothing_is_compiled_where_numba_is_switched_off(tmp_path: Path) -> None:
    status, document = report(MCSGRAMMAR_CACHE=str(tmp_path), NUMBA_DISABLE_JIT="1")
    assert status == 1
    assert document["troubles"] == [
        {"what": "NUMBA_DISABLE_JIT is set, so nothing is compiled and all is slow", "do": "unset NUMBA_DISABLE_JIT"}
    ]


def test_stale_machines_are_counted_and_cleaned(tmp_path: Path) -> None:
    kept = [
        machine(tmp_path, "mcsgrammar_machine_" + "0" * 16, compiled_by=numba.__version__),
        machine(tmp_path, "mcsgrammar_adaptive_" + "1" * 16),  # about to be compiled
        machine(tmp_path, "somebody_elses", "whatever this is"),
    ]
    stale = [
        machine(tmp_path, "mcsgrammar_machine_" + "2" * 16, "an earlier engine", numba.__version__),
        *(machine(tmp_path, f"mcsgrammar_{scope}_" + "3" * 16, compiled_by="0.1") for scope in get_args(Scope)),
    ]
    assert report(MCSGRAMMAR_CACHE=str(tmp_path))[1]["cache"]["stale"] == len(stale)
    status, document = report("--clean", MCSGRAMMAR_CACHE=str(tmp_path))
    assert status == 0
    assert (document["cache"]["machines"], document["cache"]["stale"], document["cache"]["deleted"]) == (
        2,
        0,
        len(stale),
    )
    assert all(folder.exists() for folder in kept)
    assert not any(folder.exists() for folder in stale)


def test_stale_machines_that_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(tmp_path, "mcsgrammar_machine_" + "2" * 16, "an earlier engine")
    monkeypatch.setattr(shutil, "rmtree", lambda *arguments, **settings: None)
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path))
    found = Diagnosis()
    doctoring._look_at_cache(found, clean=True)
    assert [(trouble.what, trouble.do) for trouble in found.troubles] == [
        ("stale machines that cannot be deleted: 1", f"delete them by hand in {tmp_path}")
    ]


def test_an_index_that_is_cut_off_is_stale(tmp_path: Path) -> None:
    folder = machine(tmp_path, "mcsgrammar_machine_" + "4" * 16, compiled_by=numba.__version__)
    (index,) = (folder / "__pycache__").iterdir()
    index.write_bytes(index.read_bytes()[:5])
    assert [one.stale for one in machine_cache.machines(tmp_path)] == [True]


class RunsCode:
    """What a pickle can do to whoever reads it."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> Any:
        return Path.touch, (self.proof,)


def with_a_trap(cache: Path, proof: Path) -> Path:
    folder = machine(cache, "mcsgrammar_machine_" + "5" * 16, compiled_by=numba.__version__)
    (index,) = (folder / "__pycache__").iterdir()
    index.write_bytes(pickle.dumps(RunsCode(proof)))
    return folder


@needs_modes
def test_nothing_is_read_from_a_cache_that_others_can_write_to(tmp_path: Path) -> None:
    cache, proof = tmp_path / "cache", tmp_path / "proof"
    cache.mkdir()
    with_a_trap(cache, proof)
    cache.chmod(0o777)
    status, document = report("--clean", MCSGRAMMAR_CACHE=str(cache))
    assert not proof.exists()
    assert (status, document["cache"]["usable"], document["cache"]["machines"]) == (1, False, 0)
    assert document["troubles"] == [
        {
            "what": f"the cache folder {cache} is not used, because others can write to it, so every process compiles "
            "anew",
            "do": f"make it yours alone (chmod go-w {cache}), or set MCSGRAMMAR_CACHE to a folder of your own",
        }
    ]


@needs_modes
def test_nothing_is_read_from_a_machine_that_others_can_write_to(tmp_path: Path) -> None:
    cache, proof = tmp_path / "cache", tmp_path / "proof"
    cache.mkdir(mode=0o700)
    folder = with_a_trap(cache, proof)
    folder.chmod(0o775)
    status, document = report(MCSGRAMMAR_CACHE=str(cache))
    assert not proof.exists()
    assert (status, document["cache"]["stale"]) == (1, 1)
    assert document["troubles"] == [
        {
            "what": f"{folder} is not used, because others can write to it",
            "do": "delete it: mcsgrammar doctor --clean",
        }
    ]
    status, document = report("--clean", MCSGRAMMAR_CACHE=str(cache))
    assert (status, document["troubles"], folder.exists()) == (0, [], False)


@pytest.mark.parametrize(
    ("requirement", "what", "do"),
    [
        (
            "lark>=99.1",
            f"lark {version('lark')} is too old; 99.1 or newer is needed",
            "pip install --upgrade 'lark>=99.1'",
        ),
        ("no-such-thing>=1.0", "no-such-thing is not installed", "pip install --upgrade 'no-such-thing>=1.0'"),
        ("no-such-thing", "no-such-thing is not installed", "pip install --upgrade 'no-such-thing'"),
    ],
)
def test_what_is_missing_or_too_old(requirement: str, what: str, do: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda name: [requirement, "pytest>=8; extra == 'test'"])
    found = Diagnosis()
    doctoring._look_at_versions(found)
    assert [(trouble.what, trouble.do) for trouble in found.troubles] == [(what, do)]


def test_what_does_not_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_library.py").write_text("raise OSError('no such library: libx.so')\n")
    (tmp_path / "broken_library-2.0.dist-info").mkdir()
    metadata = tmp_path / "broken_library-2.0.dist-info" / "METADATA"
    metadata.write_text("Metadata-Version: 2.1\nName: broken_library\nVersion: 2.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("importlib.metadata.requires", lambda name: ["broken_library>=2"])
    done = CliRunner().invoke(doctoring.command, ["--no-speed"], standalone_mode=False)
    assert done.return_value == 1
    assert "wrong: broken_library does not import: OSError: no such library: libx.so\n" in done.output
    assert "   do: pip install --upgrade 'broken_library>=2'\n" in done.output


def test_engine_that_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(domain: object) -> None:
        raise OSError("no such symbol\nand more")

    monkeypatch.setattr("mcsgrammar.engines.searching.compiled_engine", fail)
    found = Diagnosis()
    doctoring._measure_speed(found)
    assert found.speed is None
    assert [(trouble.what, trouble.do) for trouble in found.troubles] == [
        (
            "the compiled engine does not run: OSError: no such symbol",
            "pip install --upgrade --force-reinstall numba llvmlite; meanwhile use --engine reference",
        )
    ]


def test_speed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctoring, "SPEED_SECONDS", 0.01)
    done = CliRunner().invoke(doctoring.command, ["--json"], standalone_mode=False)
    document = json.loads(done.output)
    assert set(document["speed"]) == {"domain", "what", "compiled", "reference"}
    assert document["speed"]["compiled"] > 0
    assert document["speed"]["reference"] > 0

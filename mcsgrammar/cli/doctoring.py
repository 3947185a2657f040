"""`mcsgrammar doctor`."""

import os
import platform
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import click

from mcsgrammar.cli.output import echo_json, json_flag

SPEED_DOMAIN = "sudoku:4"
SPEED_SECONDS = 0.4
"""For each engine."""
EXTRAS = {
    "cmaes": ("tune", "the tuner cmaes"),
    "dask": ("cluster", "--backend dask"),
    "gymnasium": ("gym", "problems gym:NAME"),
}
"""What is not needed: the extra that installs it, and what it is for."""


@dataclass(frozen=True)
class Trouble:
    """Something that does not work."""

    what: str
    do: str


@dataclass
class Diagnosis:
    """All that was looked at; `--json` shows it as it is."""

    versions: dict[str, str | None] = field(default_factory=dict)
    extras: dict[str, str | None] = field(default_factory=dict)
    platform: dict[str, Any] = field(default_factory=dict)
    cache: dict[str, Any] = field(default_factory=dict)
    speed: dict[str, Any] | None = None
    terminal: dict[str, Any] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)


@click.command("doctor")
@click.option("--no-speed", is_flag=True, help="Measure nothing, compile nothing.")
@click.option("--clean", is_flag=True, help="Delete what is stale in the cache.")
@json_flag
def command(no_speed: bool, clean: bool, as_json: bool) -> int:
    """Say what is installed, whether the cache of compiled machines can be used, and how fast a random playout of
    sudoku:4 is, compiled and in plain Python. The first time, that compiles a machine, which takes a few seconds.

    Exit status 1 if something does not work; what to do about it is said.

    \b
    Examples:
      mcsgrammar doctor
      mcsgrammar doctor --no-speed --json
      mcsgrammar doctor --clean
    """
    found = Diagnosis()
    _look_at_versions(found)
    _look_at_platform(found)
    works = not found.troubles  # what is missing is said once, and nothing more can be asked of it
    if works:
        _look_at_cache(found, clean)
        if not no_speed:
            _measure_speed(found)
    _look_at_terminal(found)
    if as_json:
        document = {"ok": not found.troubles, **asdict(found)}
        echo_json(document)
    else:
        _print(found)
    return 1 if found.troubles else 0


def _look_at_versions(found: Diagnosis) -> None:
    """What is installed, and whether it is new enough and can be imported."""
    import importlib
    import re
    from importlib.metadata import PackageNotFoundError, requires, version

    found.versions = {"mcsgrammar": version("mcsgrammar"), "python": platform.python_version()}
    needed = [re.match(r"([\w.-]+)\s*(?:>=\s*([\d.]+))?", line) for line in requires("mcsgrammar") or ()]
    extra = [";" in line for line in requires("mcsgrammar") or ()]
    floors = {match[1]: match[2] for match, optional in zip(needed, extra, strict=True) if match and not optional}
    for name, floor in {**floors, "llvmlite": None}.items():
        again = f"pip install --upgrade '{name}{f'>={floor}' if floor else ''}'"
        try:
            found.versions[name] = installed = version(name)
            importlib.import_module(name)
        except PackageNotFoundError:
            found.versions[name] = None
            found.troubles.append(Trouble(f"{name} is not installed", again))
            continue
        except Exception as error:  # a broken installation may raise anything
            found.versions[name] = None
            first = (str(error).splitlines() or [""])[0][:100]
            found.troubles.append(Trouble(f"{name} does not import: {type(error).__name__}: {first}", again))
            continue
        if floor and _numbers(installed) < _numbers(floor):
            found.troubles.append(Trouble(f"{name} {installed} is too old; {floor} or newer is needed", again))
    for name in EXTRAS:
        try:
            found.extras[name] = version(name)
        except PackageNotFoundError:
            found.extras[name] = None


def _numbers(version: str) -> list[int]:
    import re

    return [int(number) for number in re.findall(r"\d+", version)[:3]]


def _look_at_platform(found: Diagnosis) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    found.platform = {"system": platform.system(), "machine": platform.machine(), "cores": cores}


def _look_at_cache(found: Diagnosis, clean: bool) -> None:
    from numba import config

    from mcsgrammar.cli.machine_cache import delete, is_writable, machines
    from mcsgrammar.engines.compiled.cache_trust import cache_folder, distrust, remedy

    folder = cache_folder()
    reason = distrust(folder)
    usable = reason is None and is_writable(folder)
    kept = machines(folder) if reason is None else []
    stale = [machine for machine in kept if machine.stale]
    deleted = delete(stale) if clean else 0
    found.cache = {
        "folder": str(folder),
        "usable": usable,
        "machines": len(kept) - deleted,
        "bytes": sum(machine.size for machine in kept if not (clean and machine.stale)),
        "stale": len(stale) - deleted,
        "deleted": deleted,
    }
    if reason is not None:
        what = f"the cache folder {folder} is not used, because {reason}, so every process compiles anew"
        found.troubles.append(Trouble(what, remedy(folder)))
    elif not usable:
        found.troubles.append(
            Trouble(
                f"the cache folder {folder} cannot be written, so every process compiles anew, which takes seconds",
                "make it writable, or set MCSGRAMMAR_CACHE to a folder that is",
            )
        )
    for machine in kept:
        if machine.distrust is not None and machine.folder.exists():
            what = f"{machine.folder} is not used, because {machine.distrust}"
            found.troubles.append(Trouble(what, "delete it: mcsgrammar doctor --clean"))
    if deleted < len(stale) and clean:
        found.troubles.append(
            Trouble(
                f"stale machines that cannot be deleted: {len(stale) - deleted}", f"delete them by hand in {folder}"
            )
        )
    if vars(config)["DISABLE_JIT"]:
        found.troubles.append(
            Trouble("NUMBA_DISABLE_JIT is set, so nothing is compiled and all is slow", "unset NUMBA_DISABLE_JIT")
        )


def _measure_speed(found: Diagnosis) -> None:
    """Playouts a CPU second, on both engines."""
    from domains.problems import problem
    from domains.registry import find_domain
    from mcsgrammar.cli.progress import ProgressLine
    from mcsgrammar.engines.searching import Limits, compiled_engine, search
    from mcsgrammar.language.expressions import Simulate

    domain = find_domain(SPEED_DOMAIN)
    initial = problem(domain, 0, "train")
    rates: dict[str, float] = {}
    try:
        with ProgressLine() as line:
            compiled = compiled_engine(domain)
            compiled.warm_up(compiled.ready(initial))
            for engine in ("compiled", "reference"):
                if line.live:
                    line.show(f"measuring the {engine} engine")
                limits = Limits(seconds=SPEED_SECONDS)
                result = search(domain, initial, Simulate(), 0, limits, engine=engine)
                if result.stop_reason == "interrupted":
                    raise KeyboardInterrupt
                rates[engine] = result.evaluations / max(result.seconds, 1e-9)
    except Exception as error:  # whatever it is, it is what the user came for
        first = (str(error).splitlines() or [""])[0][:100]
        found.troubles.append(
            Trouble(
                f"the compiled engine does not run: {type(error).__name__}: {first}",
                "pip install --upgrade --force-reinstall numba llvmlite; meanwhile use --engine reference",
            )
        )
        return
    found.speed = {"domain": SPEED_DOMAIN, "what": "playouts per CPU second", **rates}


def _look_at_terminal(found: Diagnosis) -> None:
    import shutil

    found.terminal = {
        "is_terminal": sys.stdout.isatty(),
        "columns": shutil.get_terminal_size().columns,
        "encoding": sys.stdout.encoding,
        "no_color": bool(os.environ.get("NO_COLOR")),
        "term": os.environ.get("TERM"),
    }


def _print(found: Diagnosis) -> None:
    from mcsgrammar.cli.output import folded
    from mcsgrammar.cli.progress import per_second

    rows: list[tuple[str, str]] = [(name, version or "missing") for name, version in found.versions.items()]
    for name, version in found.extras.items():
        extra, purpose = EXTRAS[name]
        rows.append((name, version or f"not installed, only for {purpose}: pip install 'mcsgrammar[{extra}]'"))
    rows.append(("platform", "{system} {machine}, {cores} cores for us".format(**found.platform)))
    if found.cache:
        rows.append(("cache", _about_cache(found.cache)))
    if found.speed is not None:
        fast, slow = found.speed["compiled"], found.speed["reference"]
        times = f"{fast / slow:,.0f} times" if slow else "-"
        rows.append(
            ("speed", f"{SPEED_DOMAIN}, playouts: {per_second(fast)} compiled, {per_second(slow)} in plain Python")
        )
        rows.append(("", f"{times} as fast; 'mcsgrammar bench' measures more"))
    colour = "NO_COLOR is set" if found.terminal["no_color"] else "NO_COLOR is not set"
    where = "a terminal" if found.terminal["is_terminal"] else "no terminal"
    rows.append(("output", f"{where}, {found.terminal['columns']} columns, {found.terminal['encoding']}, {colour}"))
    indent = " " * (max(len(name) for name, _ in rows) + 2)
    for name, text in rows:
        click.echo(folded(text, name.ljust(len(indent)), indent))
    click.echo()
    for trouble in found.troubles:
        click.echo(folded(trouble.what, "wrong: ", "       "))
        click.echo(folded(trouble.do, "   do: ", "       "))
    if not found.troubles:
        click.echo("nothing is wrong")


def _about_cache(cache: dict[str, Any]) -> str:
    size = f"{cache['bytes'] / 1e6:.1f} MB"
    usable = "can be written" if cache["usable"] else "cannot be used"
    stale = f", {cache['stale']} of them stale: --clean deletes them" if cache["stale"] else ""
    deleted = f", {cache['deleted']} stale ones deleted" if cache["deleted"] else ""
    return f"{Path(cache['folder'])}, {usable}; compiled machines: {cache['machines']}, {size}{stale}{deleted}"

"""`mcsgrammar bench`: what it prints, not how fast anything is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from domains.errors import UserError
from domains.problems import problem
from domains.protocol import Domain
from domains.registry import canonical_text, find_domain
from mcsgrammar import benching
from mcsgrammar.benching import EXPRESSIONS, OnStart, Speed
from mcsgrammar.cli.benching import command
from mcsgrammar.engines.searching import search

OWN_DOMAIN = """
class Coins:
    horizon = 4
    def sample(self, random): return [random.below(2)]
    def actions(self, state): return [0, 1] if len(state) < 5 else []
    def play(self, state, action): state.append(action)
    def reward(self, state): return sum(state) / 5
"""
KEYS = {"domain", "what", "per_second", "unit", "expression", "engine", "evaluations", "seconds"}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def rows_of(*arguments: str) -> list[dict[str, str | float]]:
    result = run(*arguments, "--seconds", "0.001", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert list(document) == ["rows"]
    rows: list[dict[str, str | float]] = document["rows"]
    for row in rows:
        assert set(row) == KEYS
        evaluations, seconds, rate = row["evaluations"], row["seconds"], row["per_second"]
        assert isinstance(evaluations, int) and isinstance(seconds, float) and isinstance(rate, float)
        assert evaluations >= 1 and seconds >= 0.0009 and rate == evaluations / seconds
    return rows


def error_of(*arguments: str) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, UserError)
    return str(result.exception)


@pytest.fixture
def own_domain(tmp_path: Path) -> str:
    path = tmp_path / "coins.py"
    path.write_text(OWN_DOMAIN, encoding="utf-8")
    return f"{path}:Coins"


def test_json_has_a_row_for_each_expression_and_one_for_the_reference_engine() -> None:
    rows = rows_of("regression")
    assert [row["what"] for row in rows] == [*EXPRESSIONS, "sim, reference engine"]
    assert {row["domain"] for row in rows} == {canonical_text(find_domain("regression"))}
    assert [row["engine"] for row in rows] == ["compiled"] * len(EXPRESSIONS) + ["reference"]
    assert [row["unit"] for row in rows] == ["playouts", *["evaluations"] * 4, "playouts"]


def test_compiled_rows_are_whole_runs() -> None:
    assert all(int(row["evaluations"]) % benching.BUDGET == 0 for row in rows_of("regression")[:-1])


def test_a_domain_without_kernels_runs_on_the_reference_engine_alone(own_domain: str) -> None:
    rows = rows_of(own_domain)
    assert [row["what"] for row in rows] == [f"{text}, reference engine" for text in EXPRESSIONS]
    assert {row["domain"] for row in rows} == {"coins.py:Coins"}


def test_the_reference_engine_plays_every_problem(monkeypatch: pytest.MonkeyPatch, own_domain: str) -> None:
    played = []

    def noted(domain: Domain, initial: object, *rest: Any, **options: Any) -> Any:
        played.append(initial)
        return search(domain, initial, *rest, **options)

    monkeypatch.setattr(benching, "search", noted)
    made = find_domain(own_domain)
    rows = list(benching.bench(made, 0.001))
    rounds, rest = divmod(len(played), benching.PROBLEMS)
    assert rounds >= len(rows) and rest == 0
    assert played == [problem(made, k, "train") for k in range(benching.PROBLEMS)] * rounds


def test_and_people_are_told_so(own_domain: str) -> None:
    lines = run(own_domain, "--seconds", "0.001").stdout.splitlines()
    assert lines[1:3] == ["", "coins.py:Coins"]
    assert lines[-1] == (
        "  it has no kernels, so only the reference engine runs it; with kernels it can be 100 times as fast"
    )


def test_the_table_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    def made_up(domain: Domain, seconds: float, on_start: OnStart) -> Iterator[Speed]:
        assert seconds == 0.5
        name = canonical_text(domain)
        yield Speed(name, "sim", "compiled", 10_000, 0.008)
        yield Speed(name, "step(step(lookahead(lookahead(sim))))", "compiled", 10_000, 0.02)
        yield Speed(name, "sim", "reference", 50, 0.1)

    monkeypatch.setattr(benching, "bench", made_up)
    monkeypatch.setattr(benching, "machine_description", lambda: "an abacus, Python 3, Numba 1")
    table = """
  sim                                    1.25 M playouts/s
  step(step(lookahead(lookahead(sim))))   500 k evaluations/s
  sim, reference engine                     500 playouts/s
"""
    regression = canonical_text(find_domain("regression"))
    result = run()
    assert result.stdout == (f"an abacus, Python 3, Numba 1\n\nsudoku:4{table}\n{regression}{table}\nmorpion:5T{table}")
    assert result.stderr == ""


def test_an_interrupted_bench_shows_no_half_measured_row(monkeypatch: pytest.MonkeyPatch, own_domain: str) -> None:
    def interrupted(domain: Domain, seconds: float, on_start: OnStart) -> Iterator[Speed]:
        yield Speed("coins", "sim", "reference", 50, 0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr(benching, "bench", interrupted)
    result = run(own_domain)
    assert (result.exit_code, result.stdout) == (1, "")


@pytest.mark.parametrize("seconds", ["0", "-1", "inf", "nan"])
def test_seconds_must_be_finite_and_above_0(seconds: str) -> None:
    assert error_of("regression", "--seconds", seconds) == (
        f"the seconds of a row cannot be {seconds}; they are a finite number above 0"
    )


@pytest.mark.parametrize("method", ["sample", "kernels"])
def test_what_a_domain_does_wrong_is_said(method: str, own_domain: str) -> None:
    path = Path(own_domain.removesuffix(":Coins"))
    path.write_text(
        OWN_DOMAIN + f"    def {method}(self, *arguments): raise ValueError('not today')\n", encoding="utf-8"
    )
    line = OWN_DOMAIN.count("\n") + 1
    assert error_of(own_domain) == f"Coins.{method} raised ValueError: not today (line {line} of {path})"


def test_rules_that_mislead_are_not_timed(own_domain: str) -> None:
    path = Path(own_domain.partition(":")[0])
    path.write_text(path.read_text() + "    def copy(self, state): return state\n")
    with pytest.raises(UserError, match="no search of Coins would mean anything: copy-shares"):
        CliRunner().invoke(command, [own_domain, "--seconds", "0.001"], catch_exceptions=False)


def test_unknown_domains_are_refused_before_anything_is_measured() -> None:
    assert error_of("sudoku:4", "sodoku") == (
        "there is no domain 'sodoku'; did you mean 'sudoku'? One of your own is path/to/file.py:ClassName"
    )


def test_the_machine_is_described() -> None:
    import platform

    import numba

    description = benching.machine_description()
    processor, python, compiler = description.rsplit(", ", 2)
    assert processor
    assert (python, compiler) == (f"Python {platform.python_version()}", f"Numba {numba.__version__}")

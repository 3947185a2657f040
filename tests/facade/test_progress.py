"""Progress in a notebook: one output of the cell that renews itself, and is empty in the end."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import mcsgrammar as mg
from mcsgrammar.facade import progress
from tests.facade.words import Words


class Notebook:
    """What IPython shows, as its `display` module is called."""

    def __init__(self) -> None:
        self.outputs: list[list[str]] = []

    def display(self, shown: str, display_id: bool) -> Any:
        assert display_id
        output = [shown]
        self.outputs.append(output)
        return SimpleNamespace(update=output.append)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    made = Notebook()
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    display.HTML, display.display = str, made.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress, "SHOWN_EVERY", 0.0)
    return made


def test_a_campaign_shows_its_leaders(notebook: Notebook, tmp_path: Any) -> None:
    mg.discover(Words(), tmp_path / "c", budget=2, candidates=["sim", "step(sim)"], pulls=20, batch=5)
    [output] = notebook.outputs
    assert "of 20 pulls" in output[0] and "<td>step(sim)</td>" in output[-2]
    assert output[-1] == ""


def test_a_comparison_shows_how_far_it_is(notebook: Notebook) -> None:
    mg.compare(Words(), ["sim", "step(sim)"], budgets=2, problems=3)
    [output] = notebook.outputs
    assert "of 6 runs" in output[0] and output[-1] == ""


def test_nothing_is_shown_where_nobody_looks_or_unasked(
    notebook: Notebook, tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mg.discover(Words(), tmp_path / "c", budget=2, candidates=["sim", "step(sim)"], pulls=20, progress=False)
    assert notebook.outputs == []
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)
    mg.compare(Words(), ["sim", "step(sim)"], budgets=2, problems=3, progress=False)
    assert notebook.outputs == []
    assert not progress.is_wanted(None) and progress.is_wanted(True)

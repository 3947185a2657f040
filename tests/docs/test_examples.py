"""The examples of the manual are run as `tests/documents.py` says, those of a page in turn and in one folder."""

import ast
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import FENCE, ROOT, blocks
from tests.documents import Document, assert_as_shown, run, run_process

EXAMPLE_PAGES = [
    *("arena.md", "files.md", "games.md", "gdl.md", "kernels.md", "language.md", "play.md", "python.md"),
    *("statistics.md", "vgdl.md"),
]


def steps(page: Path) -> list[tuple[str, str]]:
    """(command, output shown) and (Python code, '') in the order in which they stand."""
    found = []
    for _, kind, text in FENCE.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            found.append((text, ""))
        elif kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


@pytest.mark.parametrize("name", EXAMPLE_PAGES)
def test_examples_of_a_page(name: str, tmp_path: Path) -> None:
    document = Document(f"docs/{name}")
    document.write_files(tmp_path)
    named = [text for _, text in document.files()]
    for step, shown in steps(ROOT / "docs" / name):
        if step in named:
            continue
        if step.startswith("mcsgrammar "):
            assert_as_shown(run(step, tmp_path), shown)
        else:
            finished = run_process([sys.executable, "-c", step], tmp_path)
            assert finished.returncode == 0, finished.stderr
    if name == "files.md":
        assert_journal_begins_as_shown(tmp_path / "small" / "journal.jsonl")


def assert_journal_begins_as_shown(journal: Path) -> None:
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    excerpt = re.search(r"^```text\n(\[\"mcsgrammar journal\".*?)^```", page, re.MULTILINE | re.DOTALL)
    assert excerpt
    assert journal.read_text(encoding="utf-8").startswith(excerpt[1])


def test_all_pages_with_examples_are_run() -> None:
    on_their_own = {"tutorial.md", "notebook.md"}  # run by tests of their own
    pages = {page.name for page in (ROOT / "docs").glob("*.md") if steps(page)}
    assert pages - on_their_own == set(EXAMPLE_PAGES)


def test_the_notebook_runs_cell_by_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each cell knows what the ones before it made. What a cell ends in can be shown."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in blocks(ROOT / "docs" / "notebook.md", "python"):
        *body, last = ast.parse(cell).body
        exec(compile(ast.Module(body, []), "notebook.md", "exec"), names)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), "notebook.md", "eval"), names))
        else:
            exec(compile(ast.Module([last], []), "notebook.md", "exec"), names)
    tables = [result._repr_html_() for result in shown if hasattr(result, "_repr_html_")]
    assert len(tables) == 4  # a solution, a comparison, a campaign, a report
    assert [] in shown  # what check_domain found
    printed = capsys.readouterr().out
    assert "True True\n" in printed and '"""' in printed

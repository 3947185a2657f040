"""The generated pages are what the generator writes, so they cannot fall behind the program."""

import json
from dataclasses import fields
from pathlib import Path

import click
import pytest

import mcsgrammar
from discovery.campaign.settings import Settings
from docs.generate import FOLDER, PAGES
from mcsgrammar.cli import COMMANDS, cli
from mcsgrammar.enumeration.pruning import RULES
from mcsgrammar.language.named import NAMED
from mcsgrammar.language.policies import PLAYOUT_POLICIES, SELECTION_POLICIES
from mcsgrammar.language.tuners import TUNERS


@pytest.mark.parametrize("name", list(PAGES))
def test_page_is_what_the_generator_writes(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == PAGES[name](), f"docs/{name} is out of date; run: python -m docs.generate"


def test_language_page_has_everything() -> None:
    page = (FOLDER / "language.md").read_text(encoding="utf-8")
    for name in [*PLAYOUT_POLICIES, *SELECTION_POLICIES, *TUNERS]:
        assert f"\n### {name}\n" in page
    for name in [*NAMED, *(rule.name for rule in RULES)]:
        assert f"\n| `{name}" in page


def test_commands_page_has_every_command_and_option() -> None:
    page = (FOLDER / "commands.md").read_text(encoding="utf-8")
    context = click.Context(cli, info_name="mcsgrammar")
    for name in COMMANDS:
        described = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.opts[0] in described


def test_python_page_has_every_public_name() -> None:
    page = (FOLDER / "python.md").read_text(encoding="utf-8")
    for name in mcsgrammar.__all__:
        assert f"\n### {name}\n" in page or f"\n### mg.{name}\n" in page or f"\n| `mg.{name}` |" in page


def test_files_page_has_every_setting_and_column() -> None:
    page = (FOLDER / "files.md").read_text(encoding="utf-8")
    for setting in fields(Settings):
        assert f"`{setting.name}`" in page, f"docs/files.md does not say what the setting {setting.name} is"


def test_files_page_has_all_that_an_evaluation_says() -> None:
    from discovery.evaluation.comparison import compare, contestants
    from discovery.evaluation.evaluating import evaluate
    from discovery.evaluation.tables import document

    page = (FOLDER / "files.md").read_text(encoding="utf-8")
    field = contestants(["sim", "step(lookahead(sim))", "step(sim)"], False)
    measured = evaluate("sudoku:2", [c.expression for c in field], budgets=5, problems=3, engine="reference")
    written = json.loads(json.dumps(document([compare(measured, 0, field)])))
    for key in [*written, *written["rows"][0]]:
        assert f"`{key}`" in page, f"docs/files.md does not say what {key} is"


def test_shown_journal_lines_are_intact() -> None:
    from discovery.keeping.journal_format import is_intact

    page = Path(FOLDER / "files.md").read_text(encoding="utf-8")
    shown = [line for line in page.split("\n") if line.startswith("[") and line.endswith('"]')]
    assert len(shown) == 3
    assert all(is_intact(line.encode()) for line in shown)

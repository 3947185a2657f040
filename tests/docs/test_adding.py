# ruff: noqa: E501
"""What CONTRIBUTING says of adding things: a toy is added to a copy of the code, and the files it took are counted."""

import filecmp
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

PACKAGES = ("domains", "mcsgrammar", "discovery")
MOST_FILES = 7

COMPONENT = {
    "mcsgrammar/language/grammar.lark": [
        ("| tune | named", "| tune | twice | named"),
        ("named:     ITER", 'twice:     TWICE "(" component ")"\nnamed:     ITER'),
        ("TUNE.2:      ", "TWICE.2:     /twice\\b/\nTUNE.2:      "),
    ],
    "mcsgrammar/language/expressions.py": [
        (
            "@dataclass(frozen=True, repr=False)\nclass Tune(Nest):",
            '''@dataclass(frozen=True, repr=False)
class Twice(Nest):
    """The sub-component, two times from the same state."""

    name: ClassVar[str] = "twice"
    usage: ClassVar[str] = "twice(S)"
    example: ClassVar[str] = "twice(sim)"

    def in_words(self) -> str:
        return "two times from the same state"


@dataclass(frozen=True, repr=False)
class Tune(Nest):''',
        ),
        ("(Simulate, Repeat, Lookahead, Step, Select, Adapt, Tune)", "(Simulate, Repeat, Lookahead, Step, Select, Adapt, Tune, Twice)"),
    ],
    "mcsgrammar/engines/reference/interpreter.py": [
        ("Step, Tune\n", "Step, Tune, Twice\n"),
        ("            case _:\n                raise", "            case Twice():\n                self.twice(component, prefix, state)\n            case _:\n                raise"),
        (
            "    def lookahead(self",
            "    def twice(self, component: Twice, prefix: list[Any], state: Any) -> None:\n"
            "        for _ in range(2):\n"
            "            self.invoke(component.component, prefix, state)\n\n"
            "    def lookahead(self",
        ),
    ],
    "mcsgrammar/engines/compiled/layout.py": [
        ("SIMULATE, TUNE, ADAPT = range(7)", "SIMULATE, TUNE, ADAPT, TWICE = range(8)"),
        ("Step, Tune\n", "Step, Tune, Twice\n"),
        ("    Tune: TUNE,\n", "    Tune: TUNE,\n    Twice: TWICE,\n"),
    ],
    "mcsgrammar/engines/compiled/machine.py": [
        ("    TUNE,\n", "    TUNE,\n    TWICE,\n"),
        (
            "@njit_uncounted\ndef run_machine(",
            '''@njit_inline
def twice_goes_on(frames, frame):
    if frames.counter[frame] == 2:
        return FINISHED
    frames.counter[frame] += 1
    copy_state(frames.state, frame + 1, frame)
    frames.length[frame + 1] = frames.length[frame]
    return RUN


@njit_uncounted
def run_machine(''',
        ),
        ("        if op == REPEAT:\n", "        if op == TWICE:\n            outcome = twice_goes_on(frames, frame)\n        elif op == REPEAT:\n"),
    ],
    "mcsgrammar/exporting/pieces/components/twice.jinja": [
        (
            "",
            """{% block outline %}
2 times:
    {{ inside | indent }}
{% endblock %}
{% block method %}
def {{ level.method }}(self, prefix, state):
    best = NOTHING
    for _ in range(2):
        {{ below.compared("prefix", "state") | indent(8) }}
    return best
{% endblock %}
""",
        ),
    ],
    "mcsgrammar/enumeration/candidates.py": [
        ("Simulate, Step\n", "Simulate, Step, Twice\n"),
        ("        yield from (Step(sub)", "        yield from (Twice(sub) for sub in self._sub_level(depth - 1))\n        yield from (Step(sub)"),
        ("        others = 2 +", "        others = 3 +"),
    ],
}  # fmt: skip
"""By file: what is replaced, once, by what. A file that is not there is begun."""

TRIED = """
from domains.problems import problem
from mcsgrammar import ExpressionSyntaxError, candidates, domain, export, parse
from mcsgrammar.engines.searching import Limits, prepare, search

sudoku, limits = domain("sudoku:2"), Limits(300)
for text in ("twice(sim)", "step(twice(select(sim, 0.5)))", "lookahead(twice(step(sim)))"):
    expression = prepare(parse(text), sudoku, limits)
    assert str(expression) == text
    runs = [search(sudoku, problem(sudoku, 0), expression, 7, limits, engine=engine) for engine in ("reference", "compiled")]
    assert (runs[0].reward, runs[0].actions, runs[0].curve) == (runs[1].reward, runs[1].actions, runs[1].curve)
    written = {}
    exec(compile(export(text), "solver.py", "exec"), written)
    solved = written["solve"](sudoku, problem(sudoku, 0), budget=300, seed=7)
    assert (solved.reward, solved.actions) == (runs[0].reward, list(runs[0].actions))
twice = parse("twice(sim)")
assert repr(twice) == "parse('twice(sim)')" and twice.depth == 2 and twice.in_words()
listed = [str(one) for one in candidates(3)]
assert "twice(repeat(sim, 10))" in listed and len(listed) == len(set(listed)) == len(candidates(3))
try:
    parse("twise(sim)")
except ExpressionSyntaxError as error:
    print(error)
"""


def added(folder: Path, changes: dict[str, list[tuple[str, str]]]) -> list[str]:
    """Make the changes in a copy of the packages; the files that are then new or other than ours."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, replacements in changes.items():
        path = folder / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for old, new in replacements:
            assert text.count(old) >= 1, f"{name} has no {old!r}"
            text = text.replace(old, new, 1)
        path.write_text(text, encoding="utf-8")
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    return sorted(
        str(file)
        for file in files
        if not (ROOT / file).exists() or not filecmp.cmp(ROOT / file, folder / file, shallow=False)
    )


def named_in(section: str) -> set[str]:
    """The files that the numbered steps of a section of CONTRIBUTING begin with."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    steps = re.findall(r"^\d\. ((?:[^:]|:(?! ))*)", text, flags=re.MULTILINE)
    return {name for step in steps for name in re.findall(r"`((?:mcsgrammar|domains|discovery)/[\w./]+)`", step)}


@pytest.mark.slow
def test_a_component_takes_seven_files(tmp_path: Path) -> None:
    files = added(tmp_path, COMPONENT)
    assert {file.replace("twice", "NAME") for file in files} == named_in("Add a component")
    assert len(files) <= MOST_FILES
    done = subprocess.run([sys.executable, "-c", TRIED], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == "" and done.returncode == 0
    assert "did you mean 'twice'" in done.stdout


@pytest.mark.parametrize(
    ("section", "most"),
    [
        ("Add a component", 7),
        ("Add a playout policy or a selection policy", 3),
        ("Add a tuner", 3),
        ("Add a domain", 3),
        ("Add a bandit policy", 2),
        ("Add a command", 2),
    ],
)
def test_how_many_files_are_named(section: str, most: int) -> None:
    assert 0 < len(named_in(section)) <= most

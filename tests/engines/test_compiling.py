"""The cache of compiled machines: used where it may be, never where something has changed; and which engine runs."""

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache

from domains.errors import UserError
from domains.kernels import njit
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar import wording
from mcsgrammar.engines import searching
from mcsgrammar.engines.compiled import adaptation, compiling, learning_layout
from mcsgrammar.engines.compiled.cache_trust import cache_folder, distrust_machine
from mcsgrammar.engines.compiled.compiling import Scope
from mcsgrammar.engines.compiled.fingerprints import Unhashable, fingerprint
from mcsgrammar.engines.compiled.numba_cache import MachineCache
from mcsgrammar.engines.searching import choose_engine
from mcsgrammar.language.parsing import parse
from tests.engines.running import run
from tests.engines.toys import Errand, TreeGame

ROOT = Path(__file__).parents[2]

LADDER = '''\
"""Climb a ladder of five rungs, one or two at a time; what every rung is worth stands in files of its own."""

import numpy as np

import worths
from domains.kernels import Kernels, njit
from domains.protocol import Domain
from worths import WORTHS, valued

RUNGS = 5
LOWEST, STRIDE, LONGEST = 1, 1, 2


def reward_for(scale):
    @njit
    def reward(state, problem):
        total = 0.0
        for i in range(state[1]):
            total += WORTHS[state[2 + i]]
        return valued(total) * scale

    return reward


@njit
def actions(state, problem, out):
    n = min(LONGEST, RUNGS - state[0])
    for i in range(n):
        out[i] = LOWEST + STRIDE * i
    return n


@njit
def play(state, problem, action):
    state[0] += action
    state[2 + state[1]] = state[0]
    state[1] += 1


@njit
def is_final(state, problem):
    return state[0] == RUNGS


class Ladder(Domain):
    horizon = 5
    max_actions = 2

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        self.compiled = Kernels(actions, play, is_final, reward_for(scale))

    def sample(self, random):
        return []

    def actions(self, state):
        return [1, 2][: RUNGS - sum(state)]

    def play(self, state, action):
        state.append(action)

    def copy(self, state):
        return state[:]

    def reward(self, state):
        total = 0.0
        for i in range(len(state)):
            total += float(worths.WORTHS[sum(state[: i + 1])])
        return worths.valued.py_func(total) * self.scale

    def kernels(self):
        return self.compiled

    def encode(self, state):
        array = np.zeros(7, np.int64)
        for action in state:
            play(array, array, action)
        return np.zeros(1), array
'''

WORTHS = """\
import numpy as np

import helpers
from domains.kernels import njit

WORTHS = np.array([0.0, 0.01, 0.02, 0.04, 0.08, 0.16])


@njit
def valued(total):
    return helpers.halved(total)
"""

HELPERS = """\
from constants import DIVISOR
from domains.kernels import njit


@njit
def halved(total):
    return total / DIVISOR
"""

CONSTANTS = "DIVISOR = 2.0"

PROGRAM = """\
import json, sys
from domains.registry import find_domain
from mcsgrammar.engines.compiled import compiling
from mcsgrammar.engines.searching import Limits, compiled_engine, search
from mcsgrammar.language.parsing import parse

domain = find_domain(sys.argv[1])
what = {"name": compiling.fingerprint([domain.kernels()])}
if len(sys.argv) > 2:
    for engine in ("compiled", "reference"):
        result = search(domain, [], parse("step(repeat(select(sim, 0.5), 3))"), 5, Limits(40), "standard", engine)
        what[engine] = [result.reward, list(result.actions), result.curve, result.tree_nodes]
    run_machine = compiled_engine(domain)._machine("machine").run_machine
    what["hits"] = sum(run_machine.stats.cache_hits.values())
    what["misses"] = sum(run_machine.stats.cache_misses.values())
    what["file"] = compiled_engine(domain)._machine("machine").__file__
print(json.dumps(what))
"""


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    (tmp_path / "ladder.py").write_text(LADDER)
    (tmp_path / "worths.py").write_text(WORTHS)
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "constants.py").write_text(CONSTANTS)
    return tmp_path


def in_another_process(folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    own = {
        "MCSGRAMMAR_CACHE": str(folder / "cache"),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",  # an edit within a second would leave the old bytecode valid
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, *arguments],
        cwd=folder,
        env=os.environ | own | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def fingerprint_of(folder: Path, options: str = "", **environment: str) -> str:
    return str(in_another_process(folder, f"ladder.py:Ladder{options}", **environment)["name"])


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.mark.slow
def test_a_second_process_loads_what_the_first_compiled_until_something_changes(ladder: Path) -> None:
    first = in_another_process(ladder, "ladder.py:Ladder", "run")
    assert first["compiled"] == first["reference"]  # a user's domain, compiled
    assert (first["hits"], first["misses"]) == (0, 1)
    assert Path(first["file"]).is_relative_to(ladder / "cache")
    written = sorted((ladder / "cache").rglob("*"))

    second = in_another_process(ladder, "ladder.py:Ladder", "run", NUMBA_CACHE_DIR=str(ladder / "numbas"))
    assert second == first | {"hits": 1, "misses": 0}
    assert sorted((ladder / "cache").rglob("*")) == written and not (ladder / "numbas").exists()

    for damaged in ("nbi", "nbc"):  # as a power cut may leave them
        (file,) = (ladder / "cache").rglob(f"*.{damaged}")
        file.write_bytes(file.read_bytes()[: 0 if damaged == "nbi" else 1000])
        assert in_another_process(ladder, "ladder.py:Ladder", "run") == first
        assert in_another_process(ladder, "ladder.py:Ladder", "run") == second

    edit(ladder / "constants.py", "2.0", "4.0")
    third = in_another_process(ladder, "ladder.py:Ladder", "run")
    assert third["compiled"] == third["reference"]
    assert third["compiled"][0] == first["compiled"][0] / 2
    assert (third["hits"], third["misses"]) == (0, 1)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("ladder.py", "total = 0.0\n        for i in range(state", "total = 0.5\n        for i in range(state"),
        ("ladder.py", "RUNGS = 5", "RUNGS = 4"),
        ("worths.py", "0.16]", "0.17]"),
        ("worths.py", "helpers.halved(total)", "helpers.halved(total) + 1"),
        ("helpers.py", "total / DIVISOR", "total * DIVISOR"),
        ("constants.py", "2.0", "3.0"),
    ],
)
def test_an_edit_changes_the_fingerprint(file: str, old: str, new: str, ladder: Path) -> None:
    before = fingerprint_of(ladder)
    edit(ladder / file, old, new)
    assert fingerprint_of(ladder) != before


def test_a_closure_value_changes_the_fingerprint(ladder: Path) -> None:
    assert fingerprint_of(ladder, ":scale=2") != fingerprint_of(ladder, ":scale=3")


def test_the_fingerprint_is_stable_across_processes(ladder: Path) -> None:
    names = {fingerprint_of(ladder, PYTHONHASHSEED=seed) for seed in ("0", "1", "12345")}
    assert len(names) == 1
    assert fingerprint_of(ladder, ":scale=1.0") in names


def test_comments_and_python_methods_change_nothing_that_is_compiled(ladder: Path) -> None:
    before = fingerprint_of(ladder)
    edit(ladder / "ladder.py", "return state[:]", "return list(state)  # the same")
    assert fingerprint_of(ladder) == before


def test_a_cache_that_cannot_be_written_is_done_without(ladder: Path) -> None:
    # A folder below a file cannot be made, not even by root.
    (ladder / "file").write_text("")
    result = in_another_process(ladder, "ladder.py:Ladder", "run", MCSGRAMMAR_CACHE=str(ladder / "file" / "cache"))
    assert result["compiled"] == result["reference"]
    assert result["hits"] == 0
    assert Path(result["file"]).name == "machine.py"
    assert (ladder / "file").read_text() == ""


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mcsgrammar/engines/compiled/machine_select.py", "if depth == max_length:", "if depth > max_length:"),
        ("mcsgrammar/engines/compiled/roots_kernels.py", "TABLE_SIZE = 2**14", "TABLE_SIZE = 2**13"),
        ("mcsgrammar/engines/rules.py", "BOUND_2013 = 1e30", "BOUND_2013 = 1e40"),
        ("domains/kernels.py", "_31, _32, _11 = ", "_31, _11, _32 = "),
        ("domains/scratch.py", "view.meminfo = ", "view.nothing = "),
        ("domains/portable_math.py", "    f = mantissa - 1.0", "    f = mantissa - 2.0"),
    ],
)
def test_an_edit_of_ours_changes_the_fingerprint_of_all_machines(file: str, old: str, new: str, tmp_path: Path) -> None:
    before, after = template_fingerprints(file, old, new, tmp_path)
    assert changed(before, after)[:3] == ["machine", "learning", "adaptive"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mcsgrammar/engines/compiled/machine_weights.py", "if number < 0:", "if number < 1:"),
        ("mcsgrammar/engines/compiled/weights_kernels.py", "share = alpha / total", "share = total / alpha"),
        ("mcsgrammar/engines/compiled/learning_layout.py", "DIRECT = 2**16", "DIRECT = 2**15"),
        ("mcsgrammar/engines/compiled/means_kernels.py", "while slots[slot] != 0:", "while slots[slot] > 0:"),
        ("mcsgrammar/engines/rules.py", "HIGHEST_WEIGHT = 300.0", "HIGHEST_WEIGHT = 200.0"),
        ("domains/portable_math_kernels.py", "def exp(x: float)", "def exp(y: float)"),
        ("domains/lending.py", "array.meminfo, array.parent = ", "array.parent, array.meminfo = "),
    ],
)
def test_an_edit_of_what_adapt_needs_leaves_plain_machines_as_they_are(
    file: str, old: str, new: str, tmp_path: Path
) -> None:
    before, after = template_fingerprints(file, old, new, tmp_path)
    assert [scope for scope in changed(before, after) if "arena" not in scope] == ["learning", "adaptive"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mcsgrammar/engines/compiled/adaptive_layout.py", "KMIN, MOVE_DECAY", "MOVE_DECAY, KMIN"),
        ("mcsgrammar/engines/rules.py", "UNSEEN = 1.0", "UNSEEN = 0.5"),
        ("mcsgrammar/engines/compiled/amaf_kernels.py", "LAST_EPOCH = 2**31 - 2", "LAST_EPOCH = 5"),
        (
            "mcsgrammar/tuning/bandit_kernels.py",
            "highest, ties = value, np.int64(1)",
            "highest, ties = value, np.int64(2)",
        ),
        ("mcsgrammar/tuning/state.py", "BLOCK = 64", "BLOCK = 32"),
        ("mcsgrammar/tuning/state.py", '"kept", "updates"', '"updates", "kept"'),
        ("mcsgrammar/tuning/state_kernels.py", "array, place), generate", "place, array), generate"),
        (
            "mcsgrammar/language/tuners.py",
            "share: Value = parameter",
            "part: Value = parameter(Real(), 1.0)\n    share: Value = parameter",
        ),
        ("mcsgrammar/tuning/making.py", "FIRST_INVOCATIONS = 10", "FIRST_INVOCATIONS = 11"),
        ("domains/scratch.py", "builder.gep(whole.data, [first])", "whole.data"),
    ],
)
def test_an_edit_of_the_adaptive_parts_changes_that_of_adaptive_machines(
    file: str, old: str, new: str, tmp_path: Path
) -> None:
    before, after = template_fingerprints(file, old, new, tmp_path)
    assert "adaptive" in changed(before, after)


@pytest.mark.parametrize(
    ("file", "old", "new", "scopes"),
    [
        ("machine_arena.py", "numbers[STEPS] += 1", "numbers[STEPS] += 2", ["arena", "arena_tuning"]),
        ("machine_arena_moves.py", "depth += 1", "depth += 2", ["arena", "arena_tuning"]),
        ("tagged_kernels.py", "total / np.float64(met)", "total * np.float64(met)", ["arena", "arena_tuning"]),
        ("machine_select.py", "if depth == max_length:", "if depth > max_length:", ["machine", "learning", "adaptive"]),
        ("drawing_kernels.py", "+= sums[i] <= left", "+= sums[i] < left", ["adaptive", "arena", "arena_tuning"]),
    ],
)
def test_machines_of_the_arena_stand_apart(file: str, old: str, new: str, scopes: list[str], tmp_path: Path) -> None:
    before, after = template_fingerprints(f"mcsgrammar/engines/compiled/{file}", old, new, tmp_path)
    assert changed(before, after) == scopes


def changed(before: list[str], after: list[str]) -> list[str]:
    """The templates whose fingerprints differ."""
    return [scope for scope, old, new in zip(get_args(Scope), before, after, strict=True) if old != new]


def template_fingerprints(file: str, old: str, new: str, tmp_path: Path) -> tuple[list[str], list[str]]:
    """Those of all templates, before an edit and after it."""
    for package in ("mcsgrammar", "domains"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "from typing import get_args\n"
        "from mcsgrammar.engines.compiled.compiling import Scope, _template_fingerprint as f\n"
        "print(*map(f, get_args(Scope)))"
    )

    def template() -> list[str]:
        command = [sys.executable, "-B", "-c", program]
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=60
        ).stdout.split()

    before = template()
    edit(tmp_path / file, old, new)
    return before, template()


# Fingerprints in this process.


def two_kernels(first: dict[str, Any], second: dict[str, Any], source: str) -> tuple[str, str]:
    """The fingerprints of `kernel`, defined by the same source over two sets of globals."""
    names = []
    for values in (first, second):
        scope = dict(values, njit=njit, __name__="made_up")
        exec(source, scope)
        names.append(fingerprint([njit(scope["kernel"])]))
    return names[0], names[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 2),
        (1, 1.0),
        (0.0, -0.0),
        (1, True),
        ("1", b"1"),
        ((1, 2), (2, 1)),
        ((1, 2), [1, 2]),
        (((1,), 2), (1, (2,))),
        (np.array([1, 2]), np.array([1, 3])),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array([1, 2]), np.array([[1, 2]])),
        (np.array([1, 2], np.int32), np.array([1, 2], np.int64)),
        (np.float32(1), np.float64(1)),
        (frozenset("ab"), frozenset("ac")),
        (njit(lambda x: x + 1), njit(lambda x: x + 2)),
    ],
    ids=lambda value: "function" if callable(value) else str(sorted(value) if isinstance(value, frozenset) else value),
)
def test_the_values_of_globals_count(first: Any, second: Any) -> None:
    source = "def kernel(x):\n    return x + VALUE\n"
    one, other = two_kernels({"VALUE": first}, {"VALUE": second}, source)
    assert one != other
    one, other = two_kernels({"VALUE": first}, {"VALUE": first}, source)
    assert one == other


def test_globals_that_are_not_used_do_not_count() -> None:
    one, other = two_kernels({"VALUE": 1}, {"VALUE": 2}, "def kernel(x):\n    return x + 1\n")
    assert one == other


def test_what_inner_functions_use_counts() -> None:
    source = "def kernel(x):\n    def inner(y):\n        return y + VALUE\n    return inner(x)\n"
    one, other = two_kernels({"VALUE": 1}, {"VALUE": 2}, source)
    assert one != other


def test_defaults_count() -> None:
    source = "def kernel(x, y=VALUE):\n    return x + y\n"
    one, other = two_kernels({"VALUE": 1}, {"VALUE": 2}, source)
    assert one != other


def test_how_a_function_is_compiled_counts() -> None:
    def kernel(x: float) -> float:
        return x / 3

    flags: list[dict[str, Any]] = [{}, {"fastmath": True}, {"error_model": "numpy"}]
    assert len({fingerprint([numba.njit(**each)(kernel)]) for each in flags}) == 3


def test_what_has_no_stable_hash_is_refused() -> None:
    source = "def kernel(x):\n    return VALUE\n"
    with pytest.raises(Unhashable):
        two_kernels({"VALUE": object()}, {"VALUE": object()}, source)


def test_recursion_in_what_is_reached_ends() -> None:
    source = "def kernel(x):\n    return 1 if x < 1 else other(x - 1)\ndef other(x):\n    return kernel(x)\n"
    one, other = two_kernels({}, {}, source)
    assert one == other


def test_signatures_and_locals_count() -> None:
    def kernel(x: float) -> float:
        third = x / 3
        return third

    plain = fingerprint([numba.njit(kernel)])
    assert fingerprint([numba.njit(kernel, locals={"third": numba.float32})]) != plain
    assert fingerprint([numba.njit("float32(float32)")(kernel)]) != plain


def test_a_table_in_a_module_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "atlas").mkdir()
    (tmp_path / "atlas" / "__init__.py").write_text("")
    (tmp_path / "atlas" / "maps.py").write_text("import os\nTABLE = (float(os.environ['ATLAS']), 2.0)\n")
    names = []
    for number in ("1", "2"):
        monkeypatch.setenv("ATLAS", number)
        for name in ("atlas", "atlas.maps"):
            sys.modules.pop(name, None)
        scope: dict[str, Any] = {"__name__": "made_up"}
        exec("import atlas.maps\ndef kernel(x):\n    return x + atlas.maps.TABLE[0]\n", scope)
        names.append(fingerprint([njit(scope["kernel"])]))
    assert names[0] != names[1]


def test_the_cache_lies_where_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.setenv("MCSGRAMMAR_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == Path("/xdg/mcsgrammar")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for a user without a home folder
    assert cache_folder() == Path(tempfile.gettempdir(), "mcsgrammar")


def test_slices_are_constants_since_python_3_14() -> None:
    names = [fingerprint([slice(*each)]) for each in [(1, None, None), (None, 1, None), (1, None, 2), (1, None, None)]]
    assert len(set(names)) == 3 and names[0] == names[3]


# Whose the cache is.

needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has neither owners nor modes like these")
NAME = "mcsgrammar_machine_" + "0" * 16


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path / "deep" / "cache"))
    monkeypatch.setattr(wording, "_said", set())
    return tmp_path / "deep" / "cache"


@needs_modes
def test_what_is_made_in_the_cache_is_the_users_alone(cache: Path) -> None:
    before = os.umask(0)
    try:
        path = compiling._written(NAME, compiling.template_of("machine"))
    finally:
        os.umask(before)
    assert path == cache / NAME / f"{NAME}.py"
    assert [folder.stat().st_mode & 0o777 for folder in (cache.parent, cache, cache / NAME)] == [0o700] * 3
    assert compiling._written(NAME, compiling.template_of("machine")) == path


@needs_modes
@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_cache_that_others_can_write_to_is_not_used(
    mode: int, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiling._written(NAME, compiling.template_of("machine")) is not None
    cache.chmod(mode)
    assert [
        compiling._written(NAME, compiling.template_of("machine")),
        compiling._written(NAME, compiling.template_of("machine")),
    ] == [None, None]
    assert capsys.readouterr() == (
        "",
        f"note: the cache folder {cache} is not used, because others can write to it, so every process compiles anew; "
        f"make it yours alone (chmod go-w {cache}), or set MCSGRAMMAR_CACHE to a folder of your own\n",
    )


@needs_modes
def test_a_cache_of_another_user_is_not_used(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiling._written(NAME, compiling.template_of("machine")) is not None
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert compiling._written(NAME, compiling.template_of("machine")) is None
    assert "is not used, because it belongs to another user, so " in capsys.readouterr().err


@needs_modes
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda folder: folder.chmod(0o770), "others can write to it"),
        (lambda folder: (folder / "x").mkdir() or (folder / "x").chmod(0o777) or folder.chmod(0o755),
         "others can write to x in it"),
        (lambda folder: (folder / f"{NAME}.py").write_text("boom"), f"{NAME}.py in it is not a copy of the engine"),
        (lambda folder: folder.rename(folder.with_name("a")) and folder.symlink_to("a"), "it is a link"),
    ],
)  # fmt: skip
def test_a_machine_that_is_not_ours_alone_is_not_used(
    spoil: Callable[[Path], Any], reason: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiling._written(NAME, compiling.template_of("machine")) is not None
    spoil(cache / NAME)
    assert compiling._written(NAME, compiling.template_of("machine")) is None
    assert capsys.readouterr() == (
        "",
        f"note: {cache / NAME} is not used, because {reason}; delete it: mcsgrammar doctor --clean\n",
    )


@needs_modes
def test_a_machine_with_a_file_of_another_user_is_not_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiling._written(NAME, compiling.template_of("machine")) is not None
    (cache / NAME / "theirs").symlink_to("nowhere")
    assert distrust_machine(cache / NAME) is None
    user, owner = os.geteuid(), Path.lstat

    def lstat(path: Path) -> Any:
        found = owner(path)
        if path.name == "theirs":
            return os.stat_result((*found[:4], user + 1, *found[5:10]))
        return found

    monkeypatch.setattr(Path, "lstat", lstat)
    assert distrust_machine(cache / NAME) == "theirs in it belongs to another user"


# Which engine runs.


def test_auto_is_compiled_where_there_are_kernels() -> None:
    assert choose_engine(find_domain("sudoku:2"), "auto") == "compiled"
    assert choose_engine(find_domain("sudoku:2"), "reference") == "reference"


def test_auto_without_kernels_says_so_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "_said", set())
    results = [run(Errand(), [], "step(lookahead(sim))", 20, engine="auto") for _ in range(3)]
    assert capsys.readouterr() == (
        "",
        "note: Errand has no kernels, so it runs on the reference engine, which is slower\n",
    )
    assert results == [run(Errand(), [], "step(lookahead(sim))", 20, engine="reference")] * 3
    assert capsys.readouterr() == ("", "")


def test_compiled_without_kernels_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        run(Errand(), [], "sim", 20, engine="compiled")
    assert str(caught.value) == (
        "the compiled engine needs Numba kernels, and Errand has none; "
        "give it a kernels() method (see CONTRIBUTING.md), or use --engine reference"
    )


def test_a_domain_need_not_be_hashable() -> None:
    class Unhashed(TreeGame):
        __hash__ = None  # type: ignore[assignment]

    game = Unhashed({1: 0.5, 2: 0.25})
    assert run(game, game.sample(None), "lookahead(sim)", 2, engine="auto").reward == 0.5


def test_a_domain_that_is_gone_is_forgotten() -> None:
    import gc
    import weakref

    game = TreeGame({1: 0.5, 2: 0.25})
    run(game, game.sample(None), "sim", 2, engine="compiled")
    gone = weakref.ref(game)
    del game
    gc.collect()
    assert gone() is None


def test_machines_are_shared_by_domains_with_the_same_kernels() -> None:
    games: list[Domain] = [TreeGame({1: 0.5}), TreeGame({1: {2: 0.5}})]
    machines = {id(searching.compiled_engine(game)._machine("machine")) for game in games}
    assert len(machines) == 1


def test_the_expression_compiles_nothing() -> None:
    game = TreeGame({1: {1: 0.5}, 2: 0.25})
    initial = game.sample(None)
    run(game, initial, "sim", 2, engine="compiled")
    machine = searching.compiled_engine(game)._machine("machine").run_machine
    known = list(machine.signatures)
    for text in ("step(lookahead(sim))", "select(repeat(sim, 9), 0.3)", "step(step(step(select(sim, 0))))"):
        run(game, initial, parse(text), 20, engine="compiled", semantics="maes2013")
    assert list(machine.signatures) == known


def test_what_grows_tables_is_compiled_before_the_clock_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a budget in seconds, the first search whose tables grow would have little time left."""
    compiled = []
    refill = adaptation.refill

    def noted(*arguments: Any) -> None:
        refill(*arguments)
        compiled.append(tuple(map(numba.typeof, arguments)))

    monkeypatch.setattr(adaptation, "refill", noted)
    statistics = adaptation.Statistics(max_length=4, max_actions=3)
    assert len(compiled) == 1
    adaptation._with_room(statistics.history, 10 * len(statistics.history.key))
    assert len(compiled) == 2 and compiled[1] == compiled[0]


def test_what_grows_the_codes_is_compiled_before_the_clock_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    refill = learning_layout.refill

    def noted(*arguments: Any) -> None:
        refill(*arguments)
        compiled.append(tuple(map(numba.typeof, arguments)))

    monkeypatch.setattr(learning_layout, "refill", noted)
    learning = learning_layout.empty_learning(2, max_length=4, max_actions=3, features=0)
    assert len(compiled) == 1
    learning.counts[0, learning_layout.USED] = learning_layout.FIRST_CODES
    assert learning_layout.grown_learning(learning, 3) is not learning
    assert len(compiled) > 1 and set(compiled) == {compiled[0]}


def test_fields_of_an_array_are_part_of_it() -> None:
    one, other = (np.array([(1, 2)], dtype=[(first, "i8"), (second, "i8")]) for first, second in ("ab", "ba"))
    assert fingerprint([one]) == fingerprint([one.copy()]) != fingerprint([other])


def test_a_full_disk_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FunctionCache, "save_overload", full)
    monkeypatch.setattr(FunctionCache, "load_overload", full)
    cache = MachineCache.__new__(MachineCache)
    cache.save_overload(None, None)
    assert cache.load_overload(None, None) is None

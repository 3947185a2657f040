"""What only another process can tell of a domain: that it hangs, ends the process, writes where it must not, or does
something else in every process."""

import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domains.check import apart, checking
from domains.check.apart import Ended, run_apart
from domains.check.checking import STAGES, Finding, _left_out, check_domain
from domains.protocol import Domain
from domains.registry import find_domain
from tests.domains import compiled_mistakes
from tests.domains.mistaken_domains import State, Sum

AT_THE_END = "problem 0, after 3, 2, 2, 3"


class Leaving(Sum):
    """Ends the process."""

    def __init__(self, end: Callable[[], object]) -> None:
        self.end = end

    def identity(self) -> dict[str, Any]:
        return {}

    def reward(self, state: State) -> Any:
        return self.end()


def leave_in_silence() -> None:
    os._exit(0)


def be_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def loop() -> None:
    while True:
        pass


def one_finding(domain: Domain, seconds: float = 60.0) -> Finding:
    (finding,) = check_domain(domain, 1, 1, seconds=seconds)
    return finding


def test_a_domain_that_ends_the_process() -> None:
    assert one_finding(Leaving(leave_in_silence)) == Finding(
        "error",
        "dies",
        f"{AT_THE_END}: reward ended the process with the exit status 0, as os._exit does; raise an exception instead",
    )


@pytest.mark.skipif(os.name == "nt", reason="a process that is killed has an exit status there, and no signal")
def test_a_domain_that_is_killed() -> None:
    assert one_finding(Leaving(be_killed)) == Finding(
        "error", "dies", f"{AT_THE_END}: reward ended the process by the signal SIGKILL"
    )


def test_a_method_that_hangs_is_named() -> None:
    assert one_finding(Leaving(loop), seconds=2.0) == Finding(
        "error", "hangs", f"{AT_THE_END}: reward did not return within 2 seconds; is there a loop without end?"
    )


def test_what_was_found_before_is_kept() -> None:
    class Doubled(Leaving):
        def actions(self, state: State) -> Any:
            return [*super().actions(state), 1] if len(state[1]) < 4 else []

    class Late(Doubled):
        def draw(self, initial: State, actions: Any) -> str:
            os._exit(3)

    assert [finding.name for finding in check_domain(Late(lambda: 7), 1, 1)] == [
        "reward-range",
        "dies",
        "duplicate-actions",
    ]


class Slow(Sum):
    """Takes a while, but no call takes long."""

    horizon = 10**9

    def actions(self, state: State) -> list[int]:
        return [1, 2]


def test_a_check_that_takes_too_long() -> None:
    finding = one_finding(Slow(), seconds=0.5)
    assert (finding.kind, finding.name) == ("warning", "not-all-checked")
    assert re.sub(r"(problems .* twice, )?random playouts( \(after 0 of \d+\))?, ", "…", finding.message) == (
        "Slow: the check ended after 0.5 seconds, before it was through; left out: …drawings, what another process "
        "does; give it more time, or check fewer problems or a smaller version of the domain"
    )


def test_who_waits_hears_what_is_under_way() -> None:
    heard: list[str] = []
    check_domain(Slow(), 2, 3, seconds=0.5, on_progress=heard.append)
    assert heard[0] == "problems asked for twice"
    assert {*heard[1:]} <= {heard[0], "random playouts, 0 of 3 on each problem"}


def test_stages_in_words() -> None:
    heard: list[str] = []
    watch = checking._watching(5, 20, heard.append)
    kernels = {"stage": "kernels", "done": 7}
    for told, doing in (
        ([], "problem 0: sample"),
        ([{"stage": "random playouts", "done": 3}, {"finding": ["warning", "a", "b"], "about": ""}], "problem 1: play"),
        ([{"stage": "drawings", "done": 0}], "problem 0: draw"),
        ([kernels], "Sum: compiling kernels.play"),
        ([{"stage": "random playouts", "done": 19}, kernels], "problem 0, after 3: kernels.play"),
        ([kernels, {"stage": "what another process does", "done": 0}, {"traces": []}, ["complete", ""]], ""),
    ):
        watch(told, doing)
    assert heard == [
        "problems asked for twice",
        "random playouts, 3 of 20 on each problem",
        "drawings",
        "compiling kernels.play with bounds checks",
        "kernels beside the methods, 7 of 100 playouts",
        "what another process does",
    ]


def test_what_is_left_out_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage that is under way is named with how far it has come."""
    told: list[dict[str, Any]] = [{"stage": "random playouts", "done": done} for done in range(8)]
    monkeypatch.setattr(checking, "run_apart", lambda *of, **watch: Ended("time", told))
    (finding,) = check_domain(Sum(), 1, 20, seconds=30)
    assert finding.message == (
        "Sum: the check ended after 30 seconds, before it was through; left out: random playouts (after 7 of 20), "
        "drawings, what another process does; give it more time, or check fewer problems or a smaller version of the "
        "domain"
    )


def test_kernels_are_named_where_there_are_some() -> None:
    assert [_left_out(find_domain("frogs"), stage, 3, 20) for stage in STAGES] == [
        "problems asked for twice, random playouts, drawings, kernels, what another process does",
        "random playouts (after 3 of 20), drawings, kernels, what another process does",
        "drawings, kernels, what another process does",
        "kernels, what another process does",
        "what another process does",
    ]


class Hashing(Sum):
    """Another order in every process: the set's."""

    def actions(self, state: State) -> list[str]:
        return list({"one", "two", "three", "four", "five", "six"}) if len(state[1]) < 4 else []

    def play(self, state: State, action: str) -> None:
        state[1].append(len(action))


class Numbered(Sum):
    """Another problem in every process."""

    def sample(self, random: Any) -> State:
        return [os.getpid(), []]

    def reward(self, state: State) -> float:
        return 1 / state[0] + sum(state[1]) / 20


def test_an_order_that_depends_on_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    finding = one_finding(Hashing())
    assert (finding.kind, finding.name) == ("error", "process-dependent")
    assert finding.message.startswith("problem 0, initial state: actions is ['")
    assert finding.message.endswith("']; it must not depend on hash(), id(), the order of a set, or the time")


def test_a_reward_that_depends_on_the_process() -> None:
    finding = one_finding(Numbered())
    assert (finding.kind, finding.name) == ("error", "process-dependent")
    assert finding.message.startswith("problem 0, after 1, 2, 3, 2: reward is 0.40")
    assert finding.message.endswith("; it must not depend on hash(), id(), the order of a set, or the time")


class Locked(Sum):
    def __init__(self) -> None:
        self.lock = threading.Lock()

    def identity(self) -> dict[str, Any]:
        return {}

    def draw(self, initial: State, actions: Any) -> Any:
        return None


def test_a_domain_that_cannot_be_handed_over_is_checked_here() -> None:
    assert check_domain(Locked(), 1, 1) == [
        Finding("error", "drawing", "problem 0, initial state: draw returned None; return a text"),
        Finding(
            "warning",
            "not-all-checked",
            "Locked cannot be handed to another process (TypeError: cannot pickle '_thread.lock' object), so nothing "
            "was checked that takes one: whether it hangs, ends the process, writes outside an array, or depends on "
            "the process",
        ),
    ]


def test_a_domain_in_a_file_and_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("REWARD = 2.0\n")
    (tmp_path / "beside_another.py").write_text(
        "import sys\nfrom neighbour import REWARD\nfrom tests.domains.mistaken_domains import Sum\n"
        "class High(Sum):\n    def reward(self, state):\n        print('printed')\n        return REWARD\n"
    )
    domain = find_domain(f"{tmp_path / 'beside_another.py'}:High")
    assert [finding.name for finding in check_domain(domain, 1, 1)] == ["reward-range"]


def test_nothing_that_a_domain_prints_is_taken_for_a_finding(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    class Printing(Sum):
        def reward(self, state: State) -> Any:
            print("printed", flush=True)
            return super().reward(state)

    assert check_domain(Printing(), 1, 1) == []
    output = capfd.readouterr()
    assert output.out == ""
    assert "printed\n" in output.err


def test_an_error_of_the_check_itself_is_not_the_domains() -> None:
    with pytest.raises(RuntimeError, match=r"a check in another process failed\n(.|\n)*ZeroDivisionError"):
        run_apart(Sum(), "tests.domains.test_apart:broken_task", (), 60.0)


def broken_task(*_: object) -> float:
    return 1 / 0


# Compiled in the other process, with bounds checking.


def test_a_kernel_that_writes_outside_its_state() -> None:
    assert one_finding(compiled_mistakes.PastTheEnd()) == Finding(
        "error",
        "kernel-bounds",
        "problem 0, initial state: kernels.play reads or writes outside an array (state has 6 cells); mend it, or "
        "raise max_actions or max_length if that is what is too small",
    )


def test_compiling_and_checking_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path / "machines"))
    ended = run_apart(Sum(), "tests.domains.test_apart:tell_the_environment", (), 60.0)
    (environment,) = ended.told
    assert environment["NUMBA_BOUNDSCHECK"] == "1"
    for variable in ("NUMBA_CACHE_DIR", "MCSGRAMMAR_CACHE"):
        folder = Path(environment[variable])
        assert tmp_path not in folder.parents
        assert not folder.parent.exists()
    assert sys.path == ended.told[0]["path"]


def tell_the_environment(probe: object, tell: Callable[[Any], None]) -> None:
    tell({**os.environ, "path": sys.path})


def test_where_no_process_can_be_started_the_check_is_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    (finding,) = check_domain(Sum(), 1, 1)
    assert finding.name == "not-all-checked"
    assert finding.message.startswith("Sum cannot be handed to another process (FileNotFoundError: ")


# How an end is called.


def test_a_kernel_that_is_killed_is_named() -> None:
    ended = Ended("signal", [], "problem 0, after 1: kernels.play", why="SIGSEGV")
    assert ended.finding("Numbers", 60.0) == Finding(
        "error",
        "dies",
        "problem 0, after 1: kernels.play ended the process by the signal SIGSEGV; a kernel may use nothing outside "
        "its arrays",
    )


def test_an_import_that_ends_the_process() -> None:
    assert Ended("status", [], why="3").finding("Numbers", 60.0) == Finding(
        "error",
        "dies",
        "Numbers: its import ended the process with the exit status 3, as os._exit does; raise an exception instead",
    )


@pytest.mark.parametrize(
    ("doing", "taken", "name"),
    [
        ("problem 0, after 1: kernels.play", 31.0, "hangs"),
        ("problem 0, after 1: kernels.play", 29.0, "not-all-checked"),
        ("Numbers: compiling kernels.play", 59.0, "not-all-checked"),
    ],
)
def test_what_takes_most_of_the_time_hangs_unless_it_is_numba(doing: str, taken: float, name: str) -> None:
    finding = Ended("time", [], doing, taken).finding("Numbers", 60.0)
    assert finding is not None
    assert finding.name == name


def test_who_waits_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "SLOW", 0.0)
    monkeypatch.setattr(apart, "LOOKED_AFTER_EVERY", 0.01)
    said: list[str] = []
    ended = run_apart(
        Sum(), "tests.domains.test_apart:tell_the_environment", (), 60.0, on_slow=lambda: said.append("!")
    )
    assert ended.how == "complete"
    assert said == ["!"]

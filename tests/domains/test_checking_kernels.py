"""What `check_domain` says of kernels that do not do what the Python methods do. They are plain functions here: the
check calls them as it calls compiled ones, and nothing needs compiling."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from domains.check import probing
from domains.check.checking import Finding
from domains.kernels import Kernels, below
from domains.randomness import Random
from domains.registry import find_domain
from domains.sudoku import Sudoku
from tests.domains.mistaken_domains import State, Sum
from tests.domains.test_checking import findings

# SplitMix64 wraps around on purpose; only with NUMBA_DISABLE_JIT=1 is that NumPy's business, which warns.
pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
    pytest.mark.usefixtures("uncompiled_kernels"),
]


AGREE = "they must agree bit for bit, the order of actions included"


class WithKernels(Sum):
    """A sound domain whose state is the array [given, how many numbers, the numbers]."""

    max_actions = 3

    def __init__(self, **changes: Callable[..., Any]) -> None:
        self.changes = changes

    def identity(self) -> dict[str, Any]:
        return {}

    def kernels(self) -> Kernels:
        rules: dict[str, Any] = {
            "actions": actions,
            "play": play,
            "is_final": is_final,
            "reward": reward,
            "playout": playout,
        }
        return Kernels(**{**rules, **self.changes})

    def encode(self, state: State) -> Any:
        return np.zeros(1), np.array([state[0], len(state[1]), *state[1], *[0] * (4 - len(state[1]))])


def actions(state: Any, problem: Any, out: Any) -> int:
    if state[1] == 4:
        return 0
    out[:3] = 1, 2, 3
    return 3


def play(state: Any, problem: Any, action: Any) -> None:
    state[2 + state[1]] = action
    state[1] += 1


def is_final(state: Any, problem: Any) -> bool:
    return bool(state[1] == 4)


def reward(state: Any, problem: Any) -> float:
    return float(1 - (state[0] + state[2:].sum()) % 11 / 10)


def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
    while length < limit and state[1] < 4:
        sequence[length] = 1 + below(random, 3)
        play(state, problem, sequence[length])
        length += 1
    return length


def found(domain: WithKernels) -> Finding:
    """The one finding there is."""
    (finding,) = findings(domain)
    assert finding.kind == "error"
    return finding


def test_a_faster_way_to_other_problems_is_named() -> None:
    class Other(Sudoku):
        def sample_encoded(self, random: Random) -> tuple[np.ndarray, np.ndarray]:
            problem, state = super().sample_encoded(random)
            return problem, state[::-1].copy()

    assert [(found.name, found.message) for found in findings(Other(2))] == [
        (
            "sample-encoded",
            "problem 0: the state array of sample_encoded is not that of encode(sample(random)); make the same of the "
            "same draws, or leave sample_encoded out",
        )
    ]


def test_sound_kernels() -> None:
    assert findings(WithKernels()) == []


def test_kernels_without_a_playout() -> None:
    assert findings(WithKernels(playout=None)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["sudoku:3", "regression:length=5,set=robustness", "morpion:4T"])
def test_our_kernels(text: str) -> None:
    assert findings(find_domain(text), playouts=3) == []


def test_actions_in_another_order() -> None:
    def reversed_actions(state: Any, problem: Any, out: Any) -> int:
        count = actions(state, problem, out)
        out[:count] = out[:count][::-1].copy()
        return count

    assert found(WithKernels(actions=reversed_actions)) == Finding(
        "error",
        "kernel-actions",
        f"problem 0, initial state: kernels.actions gives [3, 2, 1], and actions gives [1, 2, 3]; {AGREE}",
    )


def test_another_end() -> None:
    def sooner(state: Any, problem: Any) -> bool:
        return bool(state[1] >= 3)

    finding = found(WithKernels(is_final=sooner))
    assert finding.name == "kernel-final"
    assert finding.message == (
        f"problem 0, after 2, 3, 2: kernels.is_final gives True, and is_final gives False; {AGREE}"
    )


def test_a_reward_that_differs_in_its_last_bit() -> None:
    def nearly(state: Any, problem: Any) -> float:
        return float(np.nextafter(reward(state, problem), 2.0))

    finding = found(WithKernels(reward=nearly))
    assert finding.name == "kernel-reward"
    assert finding.message == (
        "problem 0, after 2, 3, 2, 1: kernels.reward gives 0.5000000000000001, and reward gives 0.5; " + AGREE
    )


def test_another_state_after_an_action() -> None:
    def short(state: Any, problem: Any, action: Any) -> None:
        play(state, problem, action)
        if state[1] == 3:
            state[1] = 4

    finding = found(WithKernels(play=short))
    assert finding.name == "kernel-play"
    assert finding.message == (
        "problem 0, after 2, 3, 2: after kernels.play of the last action, is_final is not what it is after play"
    )


def test_a_playout_with_other_actions() -> None:
    def mirrored(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
        while length < limit and state[1] < 4:
            sequence[length] = 3 - below(random, 3)
            play(state, problem, sequence[length])
            length += 1
        return length

    finding = found(WithKernels(playout=mirrored))
    assert finding.name == "kernel-playout"
    assert finding.message == (
        "problem 0, after 2, 3, 2: kernels.playout with the seed 3748 and the limit 4 plays [3], and actions and play "
        "with the same draws give [1]; one draw an action, and no other"
    )


def test_a_playout_past_its_limit() -> None:
    def unlimited(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
        return playout(state, problem, random, sequence, length, 4)

    finding = found(WithKernels(playout=unlimited))
    assert finding.name == "kernel-playout"
    assert finding.message == (
        "problem 0, after 2, 3, 2: kernels.playout with the seed 9012 and the limit 3 plays [3], and actions and play "
        "with the same draws give []; one draw an action, and no other"
    )


def test_a_playout_that_draws_too_much() -> None:
    def wasteful(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
        length = playout(state, problem, random, sequence, length, limit)
        below(random, 2)
        return length

    finding = found(WithKernels(playout=wasteful))
    assert finding.name == "kernel-playout"
    assert finding.message == (
        "problem 0, after 2, 3, 2, 1: kernels.playout does not draw once for every action, forced ones included, "
        "and never else"
    )


def test_a_playout_that_leaves_another_state() -> None:
    def careless(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
        return playout(state.copy(), problem, random, sequence, length, limit)

    finding = found(WithKernels(playout=careless))
    assert finding.name == "kernel-playout"
    assert finding.message == (
        "problem 0, after 2, 3, 2, 1: kernels.playout leaves a state whose is_final is another one"
    )


def test_no_max_actions() -> None:
    domain = WithKernels()
    domain.max_actions = 0
    assert found(domain) == Finding(
        "error",
        "max-actions",
        "WithKernels has kernels but no max_actions; set it to the most actions that a state can have",
    )


def test_more_than_max_actions() -> None:
    domain = WithKernels()
    domain.max_actions = 2
    assert found(domain) == Finding(
        "error",
        "max-actions",
        "problem 0, initial state: there are 3 actions, more than max_actions, 2; "
        "raise it to the most that a state can have",
    )


def test_a_kernel_that_lists_more_than_max_actions() -> None:
    assert found(WithKernels(actions=lambda state, problem, out: 4)) == Finding(
        "error",
        "max-actions",
        "problem 0, initial state: kernels.actions returned 4, and max_actions is 3",
    )


def test_a_mistake_in_one_state_of_many() -> None:
    """Five problems and one walk on each do not lead there."""

    def forgetful(state: Any, problem: Any, out: Any) -> int:
        return 0 if state[2:5].tolist() == [1, 3, 3] and state[1] == 3 else actions(state, problem, out)

    (finding,) = findings(WithKernels(actions=forgetful, playout=None), 5, 20)  # type: ignore[arg-type]
    assert finding.name == "kernel-actions"
    assert (
        finding.message == f"problem 3, after 1, 3, 3: kernels.actions gives [], and actions gives [1, 2, 3]; {AGREE}"
    )


MEND = "mend it, or raise max_actions or max_length if that is what is too small"


def test_a_kernel_that_writes_past_its_state() -> None:
    def greedy(state: Any, problem: Any, action: Any) -> None:
        play(state, problem, action)
        state[6] = 0

    assert found(WithKernels(play=greedy)) == Finding(
        "error",
        "kernel-bounds",
        "problem 0, initial state: kernels.play reads or writes outside an array (state has 6 cells); " + MEND,
    )


@pytest.mark.parametrize("cell", [-64, -1, 6, 69])
def test_what_no_bounds_checking_sees_is_seen_in_the_spare_cells(cell: int) -> None:
    def sly(state: Any, problem: Any, action: Any) -> None:
        play(state, problem, action)
        around = np.lib.stride_tricks.as_strided(state[1:], (70,)) if cell > 0 else state[::-1]
        if cell > 0:
            around[cell - 1] = 0
        else:
            np.lib.stride_tricks.as_strided(around, (70,))[5 - cell] = 0

    assert found(WithKernels(play=sly)) == Finding(
        "error",
        "kernel-bounds",
        "problem 0, initial state: kernels.play writes outside an array (state has 6 cells); " + MEND,
    )


def test_a_kernel_that_lists_more_than_there_is_room_for() -> None:
    def generous(state: Any, problem: Any, out: Any) -> int:
        for i in range(4):
            out[i] = i + 1
        return 3 if state[1] < 4 else 0

    assert found(WithKernels(actions=generous)) == Finding(
        "error",
        "kernel-bounds",
        "problem 0, initial state: kernels.actions reads or writes outside an array (state has 6 cells, out has 3 "
        "cells); " + MEND,
    )


def test_a_playout_that_writes_past_its_sequence() -> None:
    def tireless(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
        length = playout(state, problem, random, sequence, length, limit)
        np.lib.stride_tricks.as_strided(sequence, (5,))[4] = 1
        return length

    finding = found(WithKernels(playout=tireless))
    assert finding.name == "kernel-bounds"
    assert finding.message == (
        "problem 0, after 2, 3, 2, 1: kernels.playout writes outside an array (state has 6 cells, sequence has 4 "
        "cells); " + MEND
    )


@pytest.mark.parametrize("length", [-1, 5])
def test_a_playout_of_an_impossible_length(length: int) -> None:
    finding = found(WithKernels(playout=lambda *arguments: length))
    assert finding.name == "kernel-playout"
    assert finding.message == (
        f"problem 0, after 2, 3, 2, 1: kernels.playout returned the length {length}; it is called with 4 actions "
        "played and the limit 4"
    )


def test_rewards_too_much_alike_are_said_though_the_check_could_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Flat(WithKernels):
        def reward(self, state: State) -> Any:
            return 0.5

    monkeypatch.setattr(probing, "MOST_STEPS", 600)
    domain = Flat(reward=lambda state, problem: 0.5)
    assert [finding.name for finding in findings(domain)] == ["small-span", "not-all-checked"]


class Square(WithKernels):
    def encode(self, state: State) -> Any:
        return np.zeros((1, 1)), np.zeros(6)


def test_arrays_of_another_shape() -> None:
    assert found(Square()) == Finding(
        "error",
        "encode",
        "problem 0, initial state: encode returned (array([[0.]]), array([0., 0., 0., 0., 0., 0.])); "
        "return (problem, state), two 1-D contiguous NumPy arrays",
    )


class Words(WithKernels):
    def actions(self, state: State) -> list[str]:
        return [str(number) for number in super().actions(state)]

    def play(self, state: State, action: str) -> None:
        state[1].append(int(action))


def test_actions_that_are_no_numbers() -> None:
    assert found(Words()) == Finding(
        "error",
        "action-not-int32",
        "problem 0, initial state: the action '1' is no whole number of 32 bits, as the kernels need",
    )


def test_a_kernel_that_raises() -> None:
    def failing(state: Any, problem: Any) -> float:
        raise ZeroDivisionError

    finding = found(WithKernels(reward=failing))
    assert finding.name == "exception"
    line = failing.__code__.co_firstlineno + 1
    assert finding.message == (
        f"problem 0, after 2, 3, 2, 1: kernels.reward raised ZeroDivisionError ({__file__}:{line})"
    )


def test_a_kernel_may_not_write_to_the_problem() -> None:
    def writing(state: Any, problem: Any, action: Any) -> None:
        problem[0] = 1
        play(state, problem, action)

    finding = found(WithKernels(play=writing))
    assert finding.name == "exception"
    line = writing.__code__.co_firstlineno + 1
    assert finding.message == (
        "problem 0, initial state: kernels.play raised ValueError: assignment destination is read-only "
        f"({__file__}:{line})"
    )


def test_kernels_that_cannot_be_made() -> None:
    class Without(WithKernels):
        def kernels(self) -> Kernels:
            raise ImportError("no rules.py")

    line = Without.kernels.__code__.co_firstlineno + 1
    assert found(Without()).message == f"Without: kernels raised ImportError: no rules.py ({__file__}:{line})"

"""What a domain can do wrong during a search, and what its author is told; what is our own fault stays a traceback."""

import math
import re
from typing import Any

import numpy as np
import pytest

from domains.errors import DomainError
from domains.protocol import Domain
from mcsgrammar.engines.compiled.driver import CompiledEngine
from mcsgrammar.engines.compiled.workspace import Workspace
from mcsgrammar.engines.reference.interpreter import ReferenceSearch
from mcsgrammar.engines.searching import EngineName, horizon_of
from mcsgrammar.solving import solve
from tests.engines import faulty
from tests.engines.faulty import Faulty
from tests.engines.running import ENGINES, run
from tests.engines.toys import KERNELS, TreeGame, corridor

COMPONENTS = ("sim", "step(sim)", "lookahead(sim)", "repeat(lookahead(step(sim)), 2)", "select(sim, 0.5)")
each_component = pytest.mark.parametrize("expression", COMPONENTS)
each_engine = pytest.mark.parametrize("engine", ENGINES)


NO_SUCH_MOVE = ValueError("no such move")


def fail(error: BaseException = NO_SUCH_MOVE) -> Any:
    raise error


PLACE = f"(line {fail.__code__.co_firstlineno + 1} of {fail.__code__.co_filename})"


class Sound(Domain):
    """Three coins in a row."""

    horizon = 3

    def sample(self, random: Any) -> list[int]:
        return []

    def actions(self, state: list[int]) -> list[int]:
        return [0, 1]

    def play(self, state: list[int], action: int) -> None:
        state.append(action)

    def copy(self, state: list[int]) -> list[int]:
        return state[:]

    def is_final(self, state: list[int]) -> bool:
        return len(state) == 3

    def reward(self, state: list[int]) -> float:
        return sum(state) / 3


def broken(**methods: Any) -> Domain:
    """The sound domain with some methods replaced, under the name Broken."""
    domain = type("Broken", (Sound,), methods)()
    assert isinstance(domain, Domain)
    return domain


def complaint(domain: Domain, initial: Any, expression: str, engine: EngineName = "reference") -> str:
    with pytest.raises(DomainError) as caught:
        run(domain, initial, expression, 50, engine=engine)
    return str(caught.value)


def test_the_sound_domain_is_sound() -> None:
    for expression in COMPONENTS:
        assert run(Sound(), [], expression, 50).reward == 1.0


def test_a_state_that_is_final_only_when_it_is_asked_again() -> None:
    """The third question is that of the playout inside the step, which has found that the state is not final."""
    asked = []

    def is_final(self: Sound, state: list[int]) -> bool:
        asked.append(state)
        return len(asked) == 3 or len(state) == 3

    assert complaint(broken(is_final=is_final), [], "step(sim)") == (
        "Broken has a state without legal actions that is not final; is_final must be true exactly where actions "
        "returns none"
    )


# Methods that raise: the reference engine calls them all.


@each_component
@pytest.mark.parametrize("method", ["actions", "play", "is_final", "reward", "copy"])
def test_a_method_that_raises(method: str, expression: str) -> None:
    domain = broken(**{method: lambda self, *arguments: fail()})
    assert complaint(domain, [], expression) == f"Broken.{method} raised ValueError: no such move {PLACE}"


def test_a_method_that_raises_late() -> None:
    domain = broken(play=lambda self, state, action: fail() if len(state) == 2 else state.append(action))
    assert complaint(domain, [], "select(step(sim), 0)") == f"Broken.play raised ValueError: no such move {PLACE}"


def test_an_exception_without_a_message() -> None:
    domain = broken(play=lambda self, state, action: fail(RuntimeError()))
    assert complaint(domain, [], "sim") == f"Broken.play raised RuntimeError {PLACE}"


def test_the_exception_itself_stays_attached() -> None:
    domain = broken(reward=lambda self, state: fail())
    with pytest.raises(DomainError) as caught:
        run(domain, [], "sim", 1)
    assert isinstance(caught.value.__cause__, ValueError)


def test_an_array_is_no_truth() -> None:
    with pytest.raises(DomainError, match=r"^Broken.is_final raised ValueError: The truth value of an array"):
        solve(broken(is_final=lambda self, state: np.array([True, False])), "sim", engine="reference")


def test_a_horizon_of_numpy_is_a_whole_number() -> None:
    assert horizon_of(broken(horizon=np.int64(7))) == 7


def test_a_domain_error_of_the_domain_is_passed_on() -> None:
    domain = broken(play=lambda self, state, action: fail(DomainError("the board is cracked")))
    assert complaint(domain, [], "sim") == "the board is cracked"


def test_a_sample_that_raises() -> None:
    with pytest.raises(DomainError) as caught:
        solve(broken(sample=lambda self, random: fail()), "sim", engine="reference")
    assert str(caught.value) == f"Broken.sample raised ValueError: no such move {PLACE}"


@pytest.mark.parametrize("horizon", [0, -1, 2.5, None])
def test_a_horizon_that_is_none(horizon: Any) -> None:
    with pytest.raises(DomainError) as caught:
        solve(broken(horizon=horizon), "uct(0.5)", engine="reference")
    assert str(caught.value) == (
        f"Broken has horizon {horizon!r}; set it to the usual number of actions in a solution, "
        "a whole number of at least 1"
    )


def test_actions_that_cannot_be_counted() -> None:
    domain = broken(actions=lambda self, state: iter([0, 1]))
    assert complaint(domain, [], "sim").startswith("Broken.actions ")


def test_actions_that_change_their_minds() -> None:
    calls = iter(range(1000))
    domain = broken(actions=lambda self, state: [next(calls) * 2, 1])
    assert complaint(domain, [], "lookahead(select(sim, 0.5))").startswith("Broken.actions ")


# What both engines see for themselves.


@each_component
@each_engine
@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf])
def test_a_reward_that_is_no_number(reward: float, expression: str, engine: EngineName) -> None:
    game = TreeGame({4: {5: reward}})
    initial = game.sample(None)
    assert complaint(game, initial, expression, engine) == (
        f"TreeGame.reward returned {reward} after the actions 4, 5; a reward is a finite number"
    )


@each_engine
def test_a_long_sequence_is_cut_in_the_message(engine: EngineName) -> None:
    for length, shown in [(12, ", ".join("1" * 12)), (13, ", ".join("1" * 12) + ", …")]:
        game = TreeGame(corridor(length, math.nan))
        initial = game.sample(None)
        assert complaint(game, initial, "step(sim)", engine) == (
            f"TreeGame.reward returned nan after the actions {shown}; a reward is a finite number"
        )


@each_component
@each_engine
def test_a_game_longer_than_declared(expression: str, engine: EngineName) -> None:
    game = TreeGame(corridor(4, 0.5), horizon=3)
    initial = game.sample(None)
    assert complaint(game, initial, expression, engine) == (
        "TreeGame goes on after 3 actions, the most it declares; raise its max_length, or make is_final true earlier"
    )


@each_engine
def test_max_length_is_the_bound_where_it_is_given(engine: EngineName) -> None:
    game = TreeGame(corridor(4, 0.5), horizon=2)
    game.max_length = 4
    assert run(game, game.sample(None), "step(select(sim, 1))", 20, engine=engine).reward == 0.5


NO_ACTIONS = (
    "TreeGame has a state without legal actions that is not final; "
    "is_final must be true exactly where actions returns none"
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "expression", ["sim", "lookahead(sim)", "lookahead(lookahead(sim))", "select(sim, 0.5)", "step(sim)"]
)
def test_no_actions_in_a_state_that_is_not_final(expression: str, engine: EngineName) -> None:
    game = TreeGame({1: {}}, horizon=3)
    assert complaint(game, game.sample(None), expression, engine) == NO_ACTIONS


# Kernels and their encoding.


class Encoded(Sound):
    max_actions = 2

    def kernels(self) -> Any:
        return KERNELS

    def encode(self, state: Any) -> Any:
        return np.zeros(1), np.zeros(1)


def encoded(**methods: Any) -> Domain:
    domain = type("Broken", (Encoded,), methods)()
    assert isinstance(domain, Domain)
    return domain


def test_an_encode_that_raises() -> None:
    domain = encoded(encode=lambda self, state: fail())
    assert complaint(domain, [], "sim", "compiled") == f"Broken.encode raised ValueError: no such move {PLACE}"


@pytest.mark.parametrize(
    ("arrays", "what"),
    [
        (([0.0], np.zeros(1)), "problem"),
        ((np.zeros(1), np.zeros((1, 1))), "state"),
        ((np.zeros(1), np.zeros(4)[::2]), "state"),
        ((np.zeros(1), np.float64(3)), "state"),
        ((np.zeros(1), np.array([None])), "state"),
    ],
)
def test_an_encode_that_returns_no_arrays(arrays: Any, what: str) -> None:
    domain = encoded(encode=lambda self, state: arrays)
    assert complaint(domain, [], "sim", "compiled") == f"Broken.encode must return 1-D arrays; its {what} is none"


@pytest.mark.parametrize("returned", [None, (np.zeros(1),)])
def test_an_encode_that_returns_no_pair(returned: Any) -> None:
    domain = encoded(encode=lambda self, state: returned)
    assert complaint(domain, [], "sim", "compiled").startswith("Broken.encode ")


def test_kernels_that_raise() -> None:
    domain = encoded(kernels=lambda self: fail())
    assert complaint(domain, [], "sim", "auto") == f"Broken.kernels raised ValueError: no such move {PLACE}"


def test_kernels_without_max_actions() -> None:
    assert complaint(encoded(max_actions=0), [], "sim", "compiled") == (
        "Broken has kernels but no max_actions; set it to the most actions a state can have"
    )


# Our own bugs are not the domain's.


def test_a_bug_in_the_reference_engine_is_shown_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReferenceSearch, "expand", lambda *arguments: fail(KeyError("ours")))
    with pytest.raises(KeyError, match="ours"):
        run(Sound(), [], "select(sim, 0.5)", 10)


def test_a_bug_in_the_compiled_engine_is_shown_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workspace, "result", lambda *arguments: fail(KeyError("ours")))
    game = TreeGame({1: 0.5})
    with pytest.raises(KeyError, match="ours"):
        run(game, game.sample(None), "sim", 10, engine="compiled")


def test_a_ctrl_c_inside_the_domain_is_no_error_of_it() -> None:
    calls = iter(range(1000))
    domain = broken(
        play=lambda self, state, action: fail(KeyboardInterrupt()) if next(calls) == 20 else state.append(action)
    )
    result = run(domain, [], "sim", 50)
    assert (result.stop_reason, result.evaluations) == ("interrupted", 6)


# Kernels that would take the process down, or change what does not belong to them.


def lying(tree: Any, count: int) -> Domain:
    """The game of a tree whose root claims another number of actions."""
    game = TreeGame(tree)
    problem, state = game.encode(game.sample(None))
    problem[state[0] + 2] = count
    game.encode = lambda _: (problem, state)  # type: ignore[method-assign]
    return game


WIDE = {action: {1: 0.5} for action in range(1, 10)}
TOO_MANY = (
    "the kernel actions of TreeGame listed 9 actions, more than its max_actions, 8; set max_actions to the most "
    "actions that a state can have"
)


@pytest.mark.parametrize("expression", [*COMPONENTS, "lookahead(select(sim, 0))", "sim(mast(eps=0.2))"])
def test_more_actions_than_declared(expression: str) -> None:
    game = TreeGame(WIDE)
    assert complaint(game, game.sample(None), expression, "compiled") == TOO_MANY


@pytest.mark.parametrize("expression", ["select(sim, 0.5)", "lookahead(select(sim, 0))", "step(sim)"])
def test_more_actions_than_declared_further_on(expression: str) -> None:
    game = TreeGame({1: {1: WIDE, 2: WIDE}, 2: {1: WIDE, 2: WIDE}})
    assert complaint(game, game.sample(None), expression, "compiled") == TOO_MANY


@pytest.mark.parametrize("expression", [*COMPONENTS, "sim(mast(eps=0.2))"])
def test_a_negative_number_of_actions(expression: str) -> None:
    game = lying({1: {1: 0.5}}, -3)
    assert complaint(game, game.sample(None), expression, "compiled") == (
        "the kernel actions of TreeGame returned -3; it must return how many actions it listed"
    )


@each_engine
def test_faulty_kernels_without_a_fault(engine: EngineName) -> None:
    game = Faulty()
    for expression in COMPONENTS:
        run(game, game.sample(None), expression, 60, engine=engine)


@each_engine
def test_actions_that_are_others_when_a_state_is_reached_again(engine: EngineName) -> None:
    game = Faulty(faulty.LISTS_OTHERS)
    message = complaint(game, game.sample(None), "lookahead(lookahead(select(sim, 0.5)))", engine)
    assert re.sub(r"list \d+ ", "list 5 ", message) == (  # which one it misses depends on how often it was asked
        "Faulty.actions does not list 5 when the state is reached again, as it did before; it must list the same "
        "actions in the same order every time"
    )


def written_outside(what: str, kernel: str) -> str:
    return (
        f"a kernel of Faulty, most likely {kernel}, wrote outside {what}; 'mcsgrammar check' looks for the place, and "
        "with NUMBA_BOUNDSCHECK=1 in the environment the kernel stops there"
    )


@pytest.mark.parametrize(
    ("fault", "at", "expression", "what", "kernel"),
    [
        (faulty.WRITES_STATE, 3, "sim", "its state", "play"),
        (faulty.WRITES_STATE, 3 + 63, "sim", "its state", "play"),
        (faulty.WRITES_STATE, -4, "sim", "its state", "play"),
        (faulty.WRITES_STATE, 3, "step(select(sim, 0))", "its state", "play"),
        (faulty.WRITES_CHOICES, 2, "lookahead(sim)", "the list of actions", "actions"),
        (faulty.WRITES_CHOICES, -3, "select(sim, 0)", "the list of actions", "actions"),
        (faulty.WRITES_SEQUENCE, 5, "sim", "the sequence", "playout"),
        (faulty.WRITES_SEQUENCE, -6, "sim", "the sequence", "playout"),
    ],
)
def test_a_kernel_that_writes_outside(fault: int, at: int, expression: str, what: str, kernel: str) -> None:
    game = Faulty(fault, at)
    assert complaint(game, game.sample(None), expression, "compiled") == written_outside(what, kernel)
    game.fault = faulty.SOUND  # and what it wrote is not held against a run that comes later
    assert run(game, game.sample(None), expression, 60, engine="compiled").evaluations == 60


@pytest.mark.parametrize("length", [6, 4096, -1, -(2**31), 2**40])
def test_a_playout_that_returns_no_length(length: int) -> None:
    game = Faulty(faulty.RETURNS_LENGTH, length)
    assert complaint(game, game.sample(None), "step(sim)", "compiled") == (
        f"the kernel playout of Faulty returned the length {length}; it must return how many actions lie in the "
        "sequence, which is no less than it was given and no more than its limit"
    )


def test_a_playout_that_returns_less_than_it_was_given() -> None:
    game = Faulty(faulty.RETURNS_LENGTH, 0)
    assert complaint(game, game.sample(None), "lookahead(sim)", "compiled").startswith(
        "the kernel playout of Faulty returned the length 0; "
    )


def test_states_that_are_final_at_one_time_and_not_at_another() -> None:
    game = Faulty(faulty.FLICKERS, 2)
    with pytest.raises(DomainError) as caught:
        run(game, game.sample(None), "step(select(sim, 0.5))", 200, engine="compiled", semantics="maes2013")
    assert str(caught.value) == NO_ACTIONS.replace("TreeGame", "Faulty")


def test_a_ctrl_c_during_compilation_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    game = TreeGame({1: 0.5})
    calls = iter([fail, CompiledEngine._call_machine])

    def interrupted_first(*arguments: Any) -> int:
        call = next(calls)
        return fail(KeyboardInterrupt()) if call is fail else call(*arguments)

    monkeypatch.setattr(CompiledEngine, "_call_machine", interrupted_first)
    with pytest.raises(KeyboardInterrupt):
        run(game, game.sample(None), "sim", 10, engine="compiled")

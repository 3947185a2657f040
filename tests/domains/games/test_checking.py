"""What `check_domain` says of little games with one mistake each."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from domains.check import checking
from domains.check.checking import Finding, check_domain, examine, joint_counts
from domains.check.game_kernels import walk_game_alone
from domains.check.games import probe_of
from domains.check.probing import Findings
from domains.check.processes import difference
from domains.errors import DomainError
from domains.games.tictactoe import TicTacToe
from domains.problems import problem
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.cli.checking import command
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.guarded import GuardedGame
from mcsgrammar.engines.arena.matching import Seat, play_match
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import Limits
from tests.domains.games import mistaken_games
from tests.domains.games.mistaken_games import MISTAKES, Nim, Pennies, WithKernels, actions, play

pytestmark = pytest.mark.usefixtures("uncompiled_kernels")
WARNINGS = {"action-names", "duplicate-actions", "small-span"}
AGREE = "they must agree bit for bit, the order of actions included"
LAST = "after kernels.play of the last action"


def findings(game: Domain, problems: int = 2, playouts: int = 5) -> list[Finding]:
    """What the checks find that need no other process."""
    found = Findings()
    examine(probe_of(game), found, problems, playouts)
    return found.all()


def said_of(**changes: Callable[..., Any] | int) -> str:
    """What is said of kernels with these changes: the name of the finding, and its message."""
    (finding,) = findings(WithKernels(**changes))
    assert finding.kind == "error"
    return f"{finding.name}: {finding.message}"


@pytest.mark.parametrize("cls", MISTAKES, ids=lambda cls: str(cls.__name__))
def test_every_mistake_is_named(cls: type[Domain]) -> None:
    name, _, message = " ".join((cls.__doc__ or "").split()).partition(": ")
    assert findings(cls()) == [Finding("warning" if name in WARNINGS else "error", name, message)]


@pytest.mark.parametrize("cls", [Nim, Pennies, WithKernels])
def test_nothing_is_wrong_with_sound_games(cls: type[Domain]) -> None:
    assert findings(cls(), 5, 20) == []


@pytest.mark.parametrize("name", ["tictactoe", "chinook"])
def test_nothing_is_wrong_with_ours(name: str) -> None:
    assert findings(find_domain(name)) == []


def test_two_processes_play_the_same_match() -> None:
    assert check_domain(Nim(), 1, 2) == []


def test_a_match_that_another_process_plays_otherwise() -> None:
    here = {"is_final": "False", "mover": "0", "actions_of for left": "[1, 2]", "played": "(2, -1)"}
    there = here | {"mover": "1"}
    finding = difference([[here, here]], [[here, there]])
    assert finding is not None and finding.message == (
        "problem 0, after (2, -1): mover is 0, and in another process 1; it must not depend on hash(), id(), the order "
        "of a set, or the time"
    )


def test_sequences_of_joint_moves_are_counted() -> None:
    assert joint_counts(Nim()) == [2, 4, 8, 11, 6, 1]
    assert joint_counts(Pennies()) == [4, 16]
    assert joint_counts(find_domain("chinook"), most=6_561) == [81, 6_561, 641_601]


def test_states_whose_joint_moves_are_counted_take_so_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    state = find_domain("tictactoe").encode(problem(find_domain("tictactoe"), 0))[1]
    monkeypatch.setattr(checking, "MOST_BYTES", 100 * state.nbytes)
    assert joint_counts(find_domain("tictactoe")) == [9, 72, 504]


def test_the_command_shows_the_counts() -> None:
    nim = f"{mistaken_games.__file__}:Nim"
    shown = CliRunner().invoke(command, [nim, "--problems", "1"])
    assert shown.exit_code == 0
    assert shown.output == (
        f"{nim}: nothing wrong found (1 problem, 20 playouts)\nsequences of 1, 2, 3, … joint moves: 2, 4, 8, 11, 6, 1\n"
    )
    document = json.loads(CliRunner().invoke(command, [nim, "--problems", "1", "--json"]).output)
    assert document["joint_moves"] == [2, 4, 8, 11, 6, 1]


def test_the_command_counts_nothing_where_something_is_wrong() -> None:
    shown = CliRunner().invoke(command, [f"{mistaken_games.__file__}:Single", "--problems", "1"])
    assert shown.exit_code == 1
    assert "joint moves" not in shown.output


def test_kernels_of_another_mover() -> None:
    message = f"kernel-mover: problem 0, initial state: kernels.mover gives 1, and mover gives 0; {AGREE}"
    assert said_of(mover=lambda state, problem: 1 - state[1] % 2) == message


def test_kernels_for_which_several_choose() -> None:
    message = f"kernel-mover: problem 0, initial state: kernels.mover gives None, and mover gives 0; {AGREE}"
    assert said_of(mover=lambda state, problem: -1) == message


def test_kernels_with_actions_in_another_order() -> None:
    def reversed_actions(state: Any, problem: Any, role: Any, out: Any) -> int:
        n = actions(state, problem, role, out)
        out[:n] = out[:n][::-1].copy()
        return n

    message = "kernel-actions: problem 0, initial state: kernels.actions gives [2, 1] for left, and actions_of gives"
    assert said_of(actions=reversed_actions) == f"{message} [1, 2]; {AGREE}"


def test_kernels_with_too_many_actions() -> None:
    message = "max-actions: problem 0, initial state: kernels.actions returned 3 for left, and max_actions is 2"
    assert said_of(actions=lambda state, problem, role, out: 3) == message


def test_kernels_that_play_otherwise() -> None:
    def play_for_the_other(state: Any, problem: Any, joint: Any) -> None:
        play(state, problem, joint)
        state[1] += 1

    message = f"kernel-play: problem 0, after (2, -1): {LAST}, mover is not what it is after play_all"
    assert said_of(play=play_for_the_other) == message


def test_kernels_with_another_end() -> None:
    message = f"kernel-final: problem 0, initial state: kernels.is_final gives True, and is_final gives False; {AGREE}"
    assert said_of(is_final=lambda state, problem: True) == message


def test_kernels_with_other_rewards() -> None:
    def half(state: Any, problem: Any, out: Any) -> None:
        out[:] = 0.5

    place = "problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1)"
    message = f"kernel-rewards: {place}: kernels.rewards gives (0.5, 0.5), and rewards gives (0.0, 1.0); {AGREE}"
    assert said_of(rewards=half) == message


def test_kernels_that_write_outside_an_array() -> None:
    def three(state: Any, problem: Any, out: Any) -> None:
        out.base[-1 - 63] = 0.0

    place = "problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1)"
    message = (
        f"kernel-bounds: {place}: kernels.rewards writes outside an array (state has 2 cells, out has 2 cells); mend "
        "it; out has a cell for each of the roles"
    )
    assert said_of(rewards=three) == message


def test_kernels_with_too_few_codes() -> None:
    message = (
        "codes: problem 0, initial state: the action 2 for left is not one of 0 to 1 or NOOP; "
        "GameKernels(…, codes=…) is one more than the largest"
    )
    assert said_of(codes=2) == message


def test_kernels_without_a_bound_on_actions() -> None:
    game = WithKernels()
    game.max_actions = 0
    (finding,) = findings(game)
    assert finding.message == (
        "WithKernels has kernels but no max_actions; set it to the most actions that a state can have"
    )
    game.max_actions = 1
    (finding,) = findings(game)
    assert finding.message == (
        "problem 0, initial state: there are 2 actions for left, more than max_actions, 1; raise it to the most that a "
        "state can have"
    )


def test_kernels_are_walked_alone() -> None:
    """What the compiled engine does not survive is told, and nothing else."""
    told: list[Any] = []
    walk_game_alone(probe_of(WithKernels()), told.append)
    assert told == []
    walk_game_alone(probe_of(WithKernels(rewards=lambda state, problem, out: 1 / 0)), told.append)
    assert told == []
    walk_game_alone(probe_of(WithKernels(actions=lambda state, problem, role, out: 3)), told.append)
    message = "problem 0, initial state: kernels.actions returned 3 for left, and max_actions is 2"
    assert told == [["error", "max-actions", message]]


class OfNumPy(TicTacToe):
    """As games are whose boards are arrays."""

    def mover(self, state: Any) -> Any:
        mover = super().mover(state)
        return mover if mover is None else np.int64(mover)

    def rewards(self, state: Any) -> Any:
        return np.array(super().rewards(state))


def test_numbers_and_arrays_of_numpy_are_numbers_and_tuples() -> None:
    assert [one.name for one in check_domain(OfNumPy(), 1, 5) if one.kind == "error"] == []
    game = OfNumPy()
    seats = [Seat(agent_of("select(sim, 0.4)", game), Limits(5)) for _ in range(2)]
    played = play_match(game, ReferenceArena(game), seats, 0, 0)
    assert sum(played.goals) == 1


def test_a_mover_that_is_no_whole_number() -> None:
    class Half(Nim):
        def mover(self, state: Any) -> Any:
            return float(super().mover(state))

        def play_all(self, state: Any, joint: Any) -> Any:
            return self.play(state, joint[state[1] % 2])

    (found,) = [one for one in check_domain(Half(), 1, 5) if one.kind == "error"]
    assert found.name == "mover" and "mover returned 0.0; return the role that alone has a choice" in found.message


def test_rewards_by_name_are_in_no_order() -> None:
    class Named(Nim):
        def rewards(self, state: Any) -> Any:
            return dict(enumerate(super().rewards(state)))

    (found,) = [one for one in check_domain(Named(), 1, 5) if one.kind == "error"]
    assert found.name == "rewards-count"
    with pytest.raises(DomainError, match=r"Named\.rewards returned \{0: 1\.0, 1: 0\.0\}; return a number for each"):
        GuardedGame(Named()).rewards([0, 1])

"""Any game of General Game Playing, by its rule sheet: `gdl:PATH`. With one role it is a problem, with several a game.

Glossary
    sheet      the rules of a game, in the Game Description Language (Love, Hinrichs, Haley, Schkufza and Genesereth,
               "General Game Playing: Game Description Language Specification", 2008)
    role       who plays; a problem has one, a game for several more
    fact       what can be true of a state, such as `cell 1 1 b`; a state is the facts that are true
    action     the number of a move in the list of all moves of the first role, then of the next one, each in order
    idle move  one that is a single word, such as `noop` or `wait`. A role that has no other waits: its action is NOOP
    goal       what a final state is worth by the rules, 0 to 100; the reward is a hundredth of it
    length     the most moves, or steps, that a game can have. Many sheets count steps and end at a number of them,
               which is found; of others nobody knows, and `length` says it (1 000 unless told)

Text becomes forms (`reading.py`), rules (`checking.py`), rules without functions (`forms.py`) and in parts
(`splitting.py`), ground rules by the joins of what can hold (`joins.py`, `grounding.py`), a network (`network.py`,
`bounding.py`), which is kept (`caching.py`). `reference.py` says in plain Python what it means, `stepping.py` says the
same sooner, from one state to the next, and `kernels.py` plays by it on the arrays of `layout.py`, in which moves have
effects (`effects.py`); `game_kernels.py` does with several roles.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import DomainError, UnknownDomain
from domains.games.drawing import caption_after
from domains.gdl.caching import load_game_once
from domains.gdl.drawing import drawn, picture
from domains.gdl.network import Network
from domains.gdl.reading import SheetError
from domains.gdl.reference import State
from domains.gdl.stepping import SteppingReferee
from domains.protocol import NOOP, Domain, replay, replay_all
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import GameKernels, Kernels

UNKNOWN_LENGTH = 1000
LONGEST = 1_000_000


class Gdl(Domain):
    """A game of General Game Playing, by the path of its rule sheet; one problem, or a game for several."""

    unit = "points"

    def __init__(self, path: Path, length: int | None = None) -> None:
        if length is not None and not 1 <= length <= LONGEST:
            raise UnknownDomain(f"gdl: length is {length}; it must be from 1 to {LONGEST}")
        self.path = Path(path)
        self.hash, self.network = load_game_once(self.path)
        self.roles = tuple(self.network.roles)
        for role, moves in zip(self.roles, self.network.moves, strict=True):
            if not moves:
                raise SheetError(f"{self.path.name}: {role} never has a legal move")
        bound = self.network.facts["longest"]
        self.length = length or bound or UNKNOWN_LENGTH
        self.horizon = self.max_length = self.length
        self.max_actions = max(map(len, self.network.moves))
        self.referee = SteppingReferee(self.network)
        self.names = all_moves(self.network)
        self._encoded: tuple[Any, Any] | None = None
        self._looked: tuple[State, tuple[bool, list[list[int]]]] | None = None
        self._drawn: tuple[State, list[Any], State] | None = None

    def identity(self) -> dict[str, Any]:
        return {"path": self.hash, "length": self.length}

    def too_long(self) -> str:
        return f"say how long a game can be: gdl:{self.path},length={min(LONGEST, 10 * self.length)}"

    def sample(self, random: Random) -> State:
        return self.referee.initial()

    def copy(self, state: State) -> State:
        return state

    def _look(self, state: State) -> tuple[bool, list[list[int]]]:
        """Whether the game is over, and the actions of each role."""
        looked = self._looked
        if looked is None or (looked[0] is not state and looked[0] != state):
            over, legal = self.referee.look(state)
            starts = self.referee.first_moves
            actions = [[start + move for move in own] for start, own in zip(starts, legal, strict=True)]
            for role, own in zip(self.roles, actions, strict=True):
                if not own and not over:
                    whom = "" if len(self.roles) == 1 else f" {role}"
                    raise DomainError(f"{self.path.name}: the rules leave{whom} no legal move before the game is over")
            looked = self._looked = state, (over, actions)
        return looked[1]

    def _waits(self, actions: Sequence[int]) -> bool:
        """Whether these are the actions of a role that has nothing to choose and nothing to do."""
        return len(self.roles) > 1 and len(actions) == 1 and is_idle(self.names[actions[0]])

    def is_final(self, state: State) -> bool:
        return self._look(state)[0]

    def mover(self, state: State) -> int | None:
        active = [role for role, own in enumerate(self._look(state)[1]) if not self._waits(own)]
        return active[0] if len(active) == 1 else None

    def actions_of(self, state: State, role: int) -> list[int]:
        over, actions = self._look(state)
        if over:
            return []
        return [NOOP] if self._waits(actions[role]) else actions[role][:]

    def play_all(self, state: State, joint: Sequence[int]) -> State:
        lone = self._look(state)[1] if NOOP in joint else [[]] * len(self.roles)
        moves = [
            (own[0] if action == NOOP else action) - start
            for start, own, action in zip(self.referee.first_moves, lone, joint, strict=True)
        ]
        return self.referee.following(state, moves)

    def rewards(self, state: State) -> tuple[float, ...]:
        return tuple(self._goal(role, goals) / 100.0 for role, goals in enumerate(self.referee.goals(state)))

    def _goal(self, role: int, goals: Sequence[int]) -> float:
        if len(goals) != 1 or goals[0] < 0:
            said = " and ".join(str(goal) if goal >= 0 else "what is no number from 0 to 100" for goal in goals)
            whose = "its goal" if len(self.roles) == 1 else f"the goal of {self.roles[role]}"
            raise DomainError(
                f"{self.path.name}: a game is over, and {whose} is {said or 'none'}; a sheet says one goal of each "
                "role for each final state"
            )
        return float(goals[0])

    # With one role.

    def actions(self, state: State) -> list[int]:
        return self.actions_of(state, 0)

    def play(self, state: State, action: int) -> State:
        return self.play_all(state, [action])

    def reward(self, state: State) -> float:
        return self.rewards(state)[0]

    def score(self, state: State) -> float:
        return self._goal(0, self.referee.goals(state)[0])

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    # For people.

    def action_name(self, state: State, action: int) -> str:
        return self.names[action]

    def facts(self, state: State) -> list[str]:
        """What is true, as a sheet has it."""
        return [name for name, holds in zip(self.network.bases, state, strict=True) if holds]

    def draw(self, initial: State, actions: Sequence[Any]) -> str:
        """What is true in the end; with one role the moves before it, otherwise whose turn it is behind it."""
        if len(self.roles) > 1:
            before = self._before_the_last(initial, actions)
            state = replay_all(self, before, actions[-1:], len(actions) - 1)
            return f"{drawn(self.facts(state))}\n{caption_after(self, before, actions)}"
        names = ", ".join(self.names[action] for action in actions)
        return f"{names or 'no moves'}\n\n{drawn(self.facts(replay(self, initial, actions)))}"

    def _before_the_last(self, initial: State, joints: Sequence[Any]) -> State:
        """The state in which the last joint move is played; found from the one before, where a match is drawn step by
        step."""
        state: State
        since, played, state = self._drawn or (initial, [], initial)
        earlier = list(joints[:-1])
        if since != initial or earlier[: len(played)] != played:
            played, state = [], initial
        state = replay_all(self, state, earlier[len(played) :], len(played))
        self._drawn = initial, earlier, state
        return state

    def svg(self, initial: State, actions: Sequence[Any]) -> str:
        return picture(self.draw(initial, actions), f"{self.path.stem}: {len(actions)} moves")

    # Compiled.

    def kernels(self) -> "Kernels | None":
        if len(self.roles) > 1:
            return None
        from domains.gdl.kernels import KERNELS

        return KERNELS

    def game_kernels(self) -> "GameKernels | None":
        if len(self.roles) == 1:
            return None
        from domains.gdl.game_kernels import kernels_for

        return kernels_for(len(self.names))

    def encode(self, state: State) -> "tuple[np.ndarray, np.ndarray]":
        from domains.gdl.layout import problem_array, state_array

        if self._encoded is None:
            problem = problem_array(self.network)
            first = state_array(self.referee, problem, self.referee.initial())
            if len(self.roles) > 1:
                from domains.gdl.game_kernels import with_idle_moves

                problem = with_idle_moves(problem, [is_idle(name) for name in self.names])
            self._encoded = problem, first
        problem, first = self._encoded
        initial = state == self.referee.initial()
        return problem, first.copy() if initial else state_array(self.referee, problem, state)


def all_moves(network: Network) -> list[str]:
    """What the actions are called."""
    return [name for moves in network.moves for name in moves]


def is_idle(name: str) -> bool:
    """Whether a move, if it is the only one, is no move: such as `noop`."""
    return " " not in name

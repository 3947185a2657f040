"""Any game of General Game Playing for one, by its rule sheet: `gdl:PATH`.

Glossary
    sheet      the rules of a game, in the Game Description Language (Love, Hinrichs, Haley, Schkufza and Genesereth,
               "General Game Playing: Game Description Language Specification", 2008)
    role       who plays; a problem has one, a game for several more
    fact       what can be true of a state, such as `cell 1 1 b`; a state is the facts that are true
    action     the number of a move in the list of all moves of the role, which are in order
    goal       what a final state is worth by the rules, 0 to 100; the reward is a hundredth of it
    length     the most moves that a game can have. Many sheets count steps and end at a number of them, which is
               found; of others nobody knows, and `length` says it (1 000 unless told)

Text becomes forms (`reading.py`), rules (`checking.py`), rules without functions (`forms.py`) and in parts
(`splitting.py`), ground rules by the joins of what can hold (`joins.py`, `grounding.py`), a network (`network.py`,
`bounding.py`), which is kept (`caching.py`). `reference.py` plays by it in plain Python, and `kernels.py` on the arrays
of `layout.py`, in which moves have effects (`effects.py`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import DomainError, UnknownDomain
from domains.gdl.caching import load_game
from domains.gdl.drawing import drawn, picture
from domains.gdl.reading import SheetError
from domains.gdl.reference import Referee, State
from domains.protocol import Domain, replay
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

UNKNOWN_LENGTH = 1000
LONGEST = 1_000_000


class Gdl(Domain):
    """A game of General Game Playing for one, by the path of its rule sheet; one problem."""

    unit = "points"

    def __init__(self, path: Path, length: int | None = None) -> None:
        if length is not None and not 1 <= length <= LONGEST:
            raise UnknownDomain(f"gdl: length is {length}; it must be from 1 to {LONGEST}")
        self.path = Path(path)
        self.hash, self.network = load_game(self.path)
        roles = self.network.roles
        if len(roles) != 1:
            names = f"{', '.join(roles[:-1])} and {roles[-1]}"
            raise SheetError(f"{self.path.name} has {len(roles)} roles, {names}; searches run problems with one role")
        if not self.network.moves[0]:
            raise SheetError(f"{self.path.name}: {roles[0]} never has a legal move")
        bound = self.network.facts["longest"]
        self.length = length or bound or UNKNOWN_LENGTH
        self.horizon = self.max_length = self.length
        self.max_actions = len(self.network.moves[0])
        self.referee = Referee(self.network)
        self._encoded: tuple[Any, Any] | None = None
        self._looked: tuple[State, tuple[bool, list[int]]] | None = None

    def identity(self) -> dict[str, Any]:
        return {"path": self.hash, "length": self.length}

    def too_long(self) -> str:
        return f"say how long a game can be: gdl:{self.path},length={min(LONGEST, 10 * self.length)}"

    def sample(self, random: Random) -> State:
        return self.referee.initial()

    def _look(self, state: State) -> tuple[bool, list[int]]:
        """Whether the game is over, and the legal moves."""
        if self._looked is None or self._looked[0] != state:
            over, legal = self.referee.look(state)
            self._looked = state, (over, legal[0])
        return self._looked[1]

    def actions(self, state: State) -> list[int]:
        over, legal = self._look(state)
        if not over and not legal:
            raise DomainError(f"{self.path.name}: the rules leave no legal move before the game is over")
        return [] if over else legal[:]

    def play(self, state: State, action: int) -> State:
        return self.referee.following(state, [action])

    def copy(self, state: State) -> State:
        return state

    def is_final(self, state: State) -> bool:
        return self._look(state)[0]

    def reward(self, state: State) -> float:
        return self.score(state) / 100.0

    def score(self, state: State) -> float:
        goals = self.referee.goals(state)[0]
        if len(goals) != 1 or goals[0] < 0:
            said = " and ".join(str(goal) if goal >= 0 else "what is no number from 0 to 100" for goal in goals)
            raise DomainError(
                f"{self.path.name}: a game is over, and its goal is {said or 'none'}; a sheet says one goal of each "
                "role for each final state"
            )
        return float(goals[0])

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    def action_name(self, state: State, action: int) -> str:
        return self.network.moves[0][action]

    def facts(self, state: State) -> list[str]:
        """What is true, as a sheet has it."""
        return [name for name, holds in zip(self.network.bases, state, strict=True) if holds]

    def draw(self, initial: State, actions: Sequence[int]) -> str:
        """The moves, and what is true in the end."""
        names = ", ".join(self.network.moves[0][action] for action in actions)
        return f"{names or 'no moves'}\n\n{drawn(self.facts(replay(self, initial, actions)))}"

    def svg(self, initial: State, actions: Sequence[int]) -> str:
        return picture(self.draw(initial, actions), f"{self.path.stem}: {len(actions)} moves")

    def kernels(self) -> "Kernels":
        from domains.gdl.kernels import KERNELS

        return KERNELS

    def encode(self, state: State) -> "tuple[np.ndarray, np.ndarray]":
        from domains.gdl.layout import problem_array, state_array

        if self._encoded is None:
            problem = problem_array(self.network)
            self._encoded = problem, state_array(self.referee, problem, self.referee.initial())
        problem, first = self._encoded
        initial = state == self.referee.initial()
        return problem, first.copy() if initial else state_array(self.referee, problem, state)

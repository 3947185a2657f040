"""Two little games that are sound, one in turns and one at the same time, and others with one mistake each.

A mistaken one has for its docstring what `check_domain` must say of it: the name of the finding, and the whole message.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from domains.kernels import GameKernels
from domains.protocol import NOOP, Domain
from domains.randomness import Random

State = list[int]

MISTAKES: list[type[Domain]] = []


def mistake(cls: type[Domain]) -> type[Domain]:
    MISTAKES.append(cls)
    return cls


class Nim(Domain):
    """Sound: six matches, of which each takes one or two; who takes the last one wins. A state is [left, taken]."""

    roles = ("left", "right")
    horizon = 4
    max_length = 6
    max_actions = 2

    def sample(self, random: Random) -> State:
        return [6, 0]

    def mover(self, state: State) -> Any:
        return state[1] % 2

    def actions(self, state: State) -> Sequence[Any]:
        return [taken for taken in (1, 2) if taken <= state[0]]

    def play(self, state: State, action: Any) -> Any:
        state[0] -= action
        state[1] += 1

    def rewards(self, state: State) -> Any:
        return (1.0, 0.0) if state[1] % 2 else (0.0, 1.0)


class Pennies(Domain):
    """Sound: both show heads or tails, twice; one wants them alike. A state is [steps, alike]."""

    roles = ("even", "odd")
    horizon = 2
    max_actions = 2

    def sample(self, random: Random) -> State:
        return [0, 0]

    def mover(self, state: State) -> int | None:
        return None

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        return [0, 1] if state[0] < 2 else []

    def play_all(self, state: State, joint: Sequence[Any]) -> None:
        state[0] += 1
        state[1] += joint[0] == joint[1]

    def rewards(self, state: State) -> tuple[float, ...]:
        return state[1] / 2, 1 - state[1] / 2


# What is declared.


@mistake
class Nameless(Nim):
    """roles: Nameless.roles is 'ab'; write a tuple of names, as in ("white", "black")"""

    roles = "ab"  # type: ignore[assignment]


@mistake
class Twins(Nim):
    """roles: Twins.roles has 'left' twice; give every role a name of its own"""

    roles = ("left", "left")


@mistake
class ForOne(Nim):
    """game-kernels: ForOne has several roles and hands over kernels(); those of a game are game_kernels()"""

    def kernels(self) -> Any:
        return "kernels"


# What is left out.


@mistake
class Moverless(Nim):
    """missing-method: Moverless has several roles but no mover(self, state); domains/protocol.py opens with
    an example of a whole domain
    """

    mover = Domain.mover


@mistake
class Rewardless(Nim):
    """missing-method: Rewardless has several roles but no rewards(self, state); domains/protocol.py opens
    with an example of a whole domain
    """

    rewards = Domain.rewards


@mistake
class Choiceless(Pennies):
    """missing-method: Choiceless has no actions_of(self, state, role); domains/protocol.py opens with an
    example of a whole domain
    """

    actions_of = Domain.actions_of


@mistake
class Unplayable(Pennies):
    """missing-method: Unplayable has no play_all(self, state, joint); domains/protocol.py opens with an
    example of a whole domain
    """

    play_all = Domain.play_all


# Who moves.


@mistake
class Third(Nim):
    """mover: problem 0, initial state: mover returned 2; return the role that alone has a choice, 0 for left,
    1 for right, or None if several have one
    """

    def mover(self, state: State) -> int:
        return 2

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        if role == state[1] % 2:
            return self.actions(state)
        return [NOOP] if self.actions(state) else []

    def play_all(self, state: State, joint: Sequence[Any]) -> None:
        self.play(state, max(joint))


@mistake
class BothChoose(Pennies):
    """others-choose: problem 0, initial state: mover says that even alone has a choice, but actions_of lists
    [0, 1] for odd; return [NOOP] for the others, or None as the mover
    """

    def mover(self, state: State) -> int:
        return 0

    def is_final(self, state: State) -> bool:
        return state[0] == 2


@mistake
class Undecided(Nim):
    """mover-varies: problem 0, initial state: called twice, mover gives 0, then 1"""

    asked = 0

    def mover(self, state: State) -> int:
        self.asked += 1
        return self.asked // 3 % 2

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        return [1] if state[0] else []

    def play_all(self, state: State, joint: Sequence[Any]) -> None:
        state[0] -= 1


# Actions.


@mistake
class Waiting(Pennies):
    """no-moves: problem 0, initial state: actions_of lists none for odd, but is_final is false; every role
    has an action until the game ends, NOOP if nothing else
    """

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        return [] if role else super().actions_of(state, role)

    def is_final(self, state: State) -> bool:
        return state[0] == 2


@mistake
class Afterwards(Nim):
    """final-with-moves: problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1): is_final is true, but actions_of
    lists [-1] for right; a final state must have no actions
    """

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        return super().actions_of(state, role) or [NOOP] * role


@mistake
class Twice(Pennies):
    """duplicate-actions: problem 0, initial state: actions_of lists 1 twice for odd; list every move once"""

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        return [*super().actions_of(state, role), *[1] * role] if state[0] < 2 else []


@mistake
class Shuffled(Pennies):
    """action-order: problem 0, initial state: called twice, actions_of lists the same moves in another order
    for even (from [0, 1] to [1, 0]); the order is part of the problem: sort them, or do not use a set
    """

    asked = 0

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        self.asked += role
        actions = super().actions_of(state, role)
        return actions[::-1] if self.asked % 2 else actions


@mistake
class Dwindling(Pennies):
    """actions-vary: problem 0, initial state: called twice, actions_of gives [1] for odd, then [0]"""

    asked = 0

    def actions_of(self, state: State, role: int) -> Sequence[Any]:
        self.asked += role
        return [self.asked % 2 * role] if state[0] < 2 else []


@mistake
class Iterated(Pennies):
    """actions-not-a-list: problem 0, initial state: actions_of returned {0, 1}, a set, which has no order of
    its own; return sorted(…)
    """

    def actions_of(self, state: State, role: int) -> Any:
        return set(super().actions_of(state, role))


@mistake
class Greedy(Nim):
    """looking-changes: problem 0, initial state: calling actions_of up to here changes actions_of for left
    from [1, 2] to [1]; looking at a state must not change it, nor anything it shares
    """

    def actions(self, state: State) -> Sequence[Any]:
        actions = super().actions(state)
        state[0] = min(state[0], 1)
        return actions


# Ends and rewards.


@mistake
class Long(Nim):
    """too-long: problem 1: not final after 4 actions, the most that Long declares; raise its max_length, or
    make is_final true earlier
    """

    max_length = 4


@mistake
class Lonely(Nim):
    """rewards-count: problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1): rewards returned (1.0,); return a
    number for each of left, right
    """

    def rewards(self, state: State) -> tuple[float]:
        return (1.0,)


@mistake
class Single(Nim):
    """rewards-count: problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1): rewards returned 0.5; return a
    number for each of left, right
    """

    def rewards(self, state: State) -> float:
        return 0.5


@mistake
class Hundred(Nim):
    """reward-range: problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1): rewards gives 100 to right; scale
    what the roles get so that all lies in [0, 1]
    """

    def rewards(self, state: State) -> tuple[float, float]:
        left, right = super().rewards(state)
        return left, 100 * right


@mistake
class Unfinished(Nim):
    """rewards-not-finite: problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1): rewards returned 'lost';
    return a finite number everywhere
    """

    def rewards(self, state: State) -> tuple[Any, ...]:
        return tuple("lost" if reward == 0 else reward for reward in super().rewards(state))


@mistake
class Vague(Nim):
    """reward-varies: problem 0, after (2, -1), (-1, 2), (1, -1), (-1, 1): called twice, rewards gives (0.0,
    0.03125), then (0.0, 0.015625)
    """

    asked = 0

    def rewards(self, state: State) -> tuple[float, float]:
        self.asked += 1
        return 0.0, 1 / 2**self.asked


@mistake
class Even(Nim):
    """small-span: Even: right gets 0 in all of 10 random matches; is that so, or does rewards mix up the
    roles?
    """

    def rewards(self, state: State) -> tuple[float, float]:
        return super().rewards(state)[0], 0.0


# Copies, names.


class Sharing(Nim):
    """copy-shares: problem 0, initial state: playing (1, -1), (-1, 1), (2, -1), (-1, 1), (1, -1) on a copy
    changes the original (is_final from False to True; mover from 0 to None; actions_of for left from [1, 2]
    to []; actions_of for right from [-1] to []; rewards from None to (1.0, 0.0)); copy the lists inside the
    state too, or leave out the method copy: the one you inherit copies all
    """

    def copy(self, state: State) -> State:
        return state


@mistake
class SameNames(Nim):
    """action-names: problem 0, initial state: 1 and 2 are both called 'take'; give every legal action a name
    of its own
    """

    def action_name(self, state: State, action: Any) -> str:
        return "take"


# Kernels: plain functions here, which the check calls as it calls compiled ones.


def mover(state: Any, problem: Any) -> int:
    return int(state[1] % 2)


def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    n = min(state[0], 2)
    out[:n] = (1, 2)[:n]
    return int(n)


def play(state: Any, problem: Any, joint: Any) -> None:
    state[0] -= joint[mover(state, problem)]
    state[1] += 1


def is_final(state: Any, problem: Any) -> bool:
    return bool(state[0] == 0)


def rewards(state: Any, problem: Any, out: Any) -> None:
    out[0] = state[1] % 2
    out[1] = 1 - out[0]


class WithKernels(Nim):
    """Sound."""

    def __init__(self, **changes: Callable[..., Any] | int) -> None:
        self.changes = changes

    def identity(self) -> dict[str, Any]:
        return {}

    def game_kernels(self) -> GameKernels:
        rules: dict[str, Any] = {
            "mover": mover,
            "actions": actions,
            "play": play,
            "is_final": is_final,
            "rewards": rewards,
            "codes": 3,
        }
        return GameKernels(**{**rules, **self.changes})

    def encode(self, state: State) -> Any:
        return np.zeros(1), np.array(state)

"""Little domains, a few of them sound and the others with one mistake each.

A mistaken one has for its docstring what `check_domain` must say of it: the name of the finding, and the whole message.
HERE in a message stands for the line of this file that says so.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from domains.kernels import Kernels
from domains.protocol import Domain
from domains.randomness import Random

State = list[Any]

MISTAKES: list[type[Domain]] = []


def mistake(cls: type[Domain]) -> type[Domain]:
    MISTAKES.append(cls)
    return cls


class Sum(Domain):
    """Sound: four numbers, best if they and the one given come to a multiple of 11. A state is [given, numbers]."""

    horizon = 4

    def sample(self, random: Random) -> State:
        return [random.below(11), []]

    def actions(self, state: State) -> Sequence[Any]:
        return [1, 2, 3] if len(state[1]) < 4 else []

    def play(self, state: State, action: Any) -> Any:
        state[1].append(action)

    def reward(self, state: State) -> Any:
        return 1 - (state[0] + sum(state[1])) % 11 / 10


class Tuples(Domain):
    """Sound, with states that never change: play returns the next one."""

    horizon = 4

    def sample(self, random: Random) -> tuple[int, ...]:
        return (random.below(11),)

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return (1, 2, 3) if len(state) < 5 else ()

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def copy(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return state

    def reward(self, state: tuple[int, ...]) -> float:
        return 1 - sum(state) % 11 / 10


class Cost(Tuples):
    """Sound, and smaller is better."""

    minimise = (0, 10)
    unit = "remainder"
    reward = Domain.reward

    def cost(self, state: tuple[int, ...]) -> float:
        return sum(state) % 11


@dataclass(frozen=True)
class Card:
    number: int


class Cards(Sum):
    """Sound, with objects for actions, new ones each time."""

    values_unfinished = True

    def actions(self, state: State) -> list[Card]:
        return [Card(number) for number in super().actions(state)]

    def play(self, state: State, action: Card) -> None:
        state[1].append(action.number)


class Arrays(Sum):
    """Sound, with NumPy in states and actions."""

    def actions(self, state: State) -> Any:
        return np.array(super().actions(state))

    def is_final(self, state: State) -> bool:
        return len(state[1]) == 4


# What is declared, and what is no state.


@mistake
class PlayRewards(Sum):
    """no-state: problem 0, initial state: PlayRewards.play returned 3, which is no state; it returns the one that
    follows, or nothing where it changed the one it was given
    """

    def play(self, state: State, action: Any) -> int:
        super().play(state, action)
        return 3


@mistake
class DictOfKernels(Sum):
    """kernels: DictOfKernels.kernels returned an object of dict; return domains.kernels.Kernels(…)"""

    max_actions = 3

    def kernels(self) -> Any:
        return {"play": self.play}


@mistake
class ClassOfKernels(Sum):
    """kernels: ClassOfKernels.kernels returned the class Kernels; return domains.kernels.Kernels(…)"""

    max_actions = 3

    def kernels(self) -> Any:
        return Kernels


@mistake
class UncompiledKernels(Sum):
    """kernels: UncompiledKernels.kernels hands over actions=<built-in function len>, which is not compiled; put @njit
    of domains.kernels there
    """

    max_actions = 3

    def kernels(self) -> Any:
        return Kernels(len, len, len, len)


@mistake
class NoHorizon(Sum):
    """horizon: NoHorizon.horizon is missing; set it to the usual number of actions in a solution, a whole number of
    at least 1
    """

    horizon = None  # type: ignore[assignment]


@mistake
class HalfHorizon(Sum):
    """horizon: HalfHorizon.horizon is 2.5; set it to the usual number of actions in a solution, a whole number of
    at least 1
    """

    horizon = 2.5  # type: ignore[assignment]


@mistake
class BadLength(Sum):
    """max-length: BadLength.max_length is -1; set it to the most actions a solution can have, or leave it out if
    that is the horizon
    """

    max_length = -1


@mistake
class BackwardRange(Sum):
    """reward-bounds: BackwardRange.reward_range is (1, 0); write two numbers, (lowest, highest)"""

    reward_range = (1, 0)


@mistake
class BackwardCost(Cost):
    """minimise-bounds: BackwardCost.minimise is (10, 0); write two finite numbers, (lowest cost, highest cost)"""

    minimise = (10, 0)


@mistake
class ForgottenOption(Sum):
    """options: ForgottenOption does not keep its option size, so that nothing tells problems with different size
    apart; set self.size in __init__, or give the options in identity()
    """

    def __init__(self, size: int = 3) -> None:
        self.doubled = 2 * size


@mistake
class Nameless(Sum):
    """options: Nameless goes by the name 'Nameless:<Thing at 0x7f>', another one in each run; use numbers, strings
    and paths as options, or give them in identity()
    """

    def __init__(self, thing: object = None) -> None:
        self.thing = Nameless.Thing()

    class Thing:
        def __repr__(self) -> str:
            return "<Thing at 0x7f>"


@mistake
class NoInstances(Sum):
    """instances: NoInstances lists no instances; is its folder empty, or is the pattern wrong?"""

    instances = ()


@mistake
class MissingInstance(Sum):
    """instances: MissingInstance: the instance no/such/file cannot be read: No such file or directory"""

    instances = (Path("no/such/file"),)


# What is played.


@mistake
class NoReward(Domain):
    """missing-method: NoReward has no reward(self, state); domains/protocol.py opens with an example of a whole
    domain
    """

    horizon = 4
    sample = Sum.sample
    actions = Sum.actions
    play = Sum.play


@mistake
class NoCost(NoReward):
    """missing-method: NoCost declares minimise but has no cost(self, state); domains/protocol.py opens with an
    example of a whole domain
    """

    minimise = (0, 1)


@mistake
class NoSample(Sum):
    """returns-nothing: problem 0: sample returned None; return a state"""

    def sample(self, random: Random) -> Any:
        random.below(11)


@mistake
class Drawn(Sum):
    """sample-varies: problem 0, after 3, 2, 2, 3: the second time this problem is asked for, it is another one
    (reward from 0.0 to 0.9); sample must draw from its argument alone, and return a new state each time
    """

    def __init__(self) -> None:
        self.drawn = itertools.count()

    def sample(self, random: Random) -> State:
        return [next(self.drawn), []]


@mistake
class SeldomDrawn(Sum):
    """sample-varies: problem 1, after 1, 1, 2, 1: the second time this problem is asked for, it is another one
    (reward from 0.5 to 0.19999999999999996); sample must draw from its argument alone, and return a new state each time
    """

    # Not yet when problems are asked for twice, but later.
    def __init__(self) -> None:
        self.drawn = itertools.count()

    def sample(self, random: Random) -> State:
        return [3 if next(self.drawn) % 40 == 39 else 0, []]


@mistake
class OneForAll(Sum):
    """sample-varies: problem 0, initial state: the second time this problem is asked for, it is another one
    (is_final from False to True; actions from [1, 2, 3] to []; reward from None to 0.8); sample must draw from its
    argument alone, and return a new state each time
    """

    def __init__(self) -> None:
        self.only: State = [3, []]

    def sample(self, random: Random) -> State:
        return self.only


@mistake
class Drifting(Sum):
    """play-varies: problem 0, after 3, 2, 2, 3: the same actions played twice from the same state end differently
    (reward from 0.4 to 0.8); what play does must depend on the state and the action alone
    """

    def __init__(self) -> None:
        self.played = itertools.count()

    def play(self, state: State, action: int) -> None:
        state[1].append(action * next(self.played))


@mistake
class SetOfActions(Sum):
    """actions-not-a-list: problem 0, initial state: actions returned {1, 2, 3}, a set, which has no
    order of its own; return sorted(…)
    """

    def actions(self, state: State) -> Any:
        return set(super().actions(state))


@mistake
class KeysForActions(Sum):
    """actions-not-a-list: problem 0, initial state: actions returned dict_keys([1, 2, 3]), a dict_keys; return
    list(…)
    """

    def actions(self, state: State) -> Any:
        return dict.fromkeys(super().actions(state)).keys()


@mistake
class ListsForActions(Sum):
    """action-unhashable: problem 0, initial state: the action [1] is a list, which has no hash; use numbers,
    strings, tuples or frozen dataclasses
    """

    def actions(self, state: State) -> list[Any]:
        return [[number] for number in super().actions(state)]


class Token:
    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"Token({self.number})"


@mistake
class Tokens(Sum):
    """action-unequal: problem 0, initial state: called twice, actions lists Token objects that are not equal to
    those before; make Token a frozen dataclass, or use numbers, strings or tuples
    """

    def actions(self, state: State) -> list[Token]:
        return [Token(number) for number in super().actions(state)]

    def play(self, state: State, action: Token) -> None:
        state[1].append(action.number)


@mistake
class Turning(Sum):
    """action-order: problem 0, initial state: called twice, actions lists the same moves in another order (from [3,
    2, 1] to [1, 2, 3]); the order is part of the problem: sort them, or do not use a set
    """

    def __init__(self) -> None:
        self.calls = itertools.count()

    def actions(self, state: State) -> list[int]:
        actions = list(super().actions(state))
        return actions[::-1] if next(self.calls) % 3 else actions


@mistake
class Wandering(Sum):
    """actions-vary: problem 0, initial state: called twice, actions gives [21], then [23]"""

    def __init__(self) -> None:
        self.calls = itertools.count()

    def actions(self, state: State) -> list[int]:
        return [next(self.calls)] if len(state[1]) < 4 else []


@mistake
class Ending(Sum):
    """final-varies: problem 0, initial state: called twice, is_final gives False, then True"""

    def __init__(self) -> None:
        self.calls = itertools.count()

    def is_final(self, state: State) -> bool:
        return next(self.calls) % 2 == 1 or len(state[1]) == 4


@mistake
class Counting(Sum):
    """reward-varies: problem 0, after 2, 3, 2, 1: called twice, reward gives 0.4, then 0.5"""

    def __init__(self) -> None:
        self.calls = itertools.count()

    def reward(self, state: State) -> Any:
        return next(self.calls) % 7 / 10


@mistake
class FinalWithMoves(Sum):
    """final-with-moves: problem 0, after 3, 3, 2: is_final is true, but actions lists [1, 2, 3]; a final state must
    have no actions
    """

    def is_final(self, state: State) -> bool:
        return len(state[1]) == 3


@mistake
class NoMoves(Sum):
    """no-moves: problem 0, after 2, 3, 2, 1: actions lists none, but is_final is false; is_final must be true where
    nothing can be played
    """

    horizon = 5

    def is_final(self, state: State) -> bool:
        return len(state[1]) == 5


@mistake
class TooLong(Sum):
    """too-long: problem 0: not final after 3 actions, the most that TooLong declares; raise its max_length, or make
    is_final true earlier
    """

    horizon = 3


@mistake
class NotANumber(Sum):
    """reward-not-finite: problem 0, after 3, 2, 2, 3: reward returned nan; return a finite number everywhere"""

    def reward(self, state: State) -> Any:
        return float("nan")


@mistake
class NotGiven(Sum):
    """reward-not-finite: problem 0, after 3, 2, 2, 3: reward returned None; return a finite number everywhere"""

    def reward(self, state: State) -> Any:
        state[0] + sum(state[1])


@mistake
class BeyondNumbers(Sum):
    """reward-not-finite: problem 0, after 3, 2, 2, 3: reward returned
    100000000000000000000000000000000000000000000000000000000000000000000000000000 …; return a finite number everywhere
    """

    def reward(self, state: State) -> Any:
        return 10**400


@mistake
class Points(Sum):
    """reward-range: problem 0, after 1, 1, 2, 2: the reward 1.5 is outside reward_range = (0, 1); scale the reward,
    or declare the range it has (the statistics of a search clip to [0, 1] all the same)
    """

    def reward(self, state: State) -> Any:
        return 1.5 if state[1][0] == 1 else 0.5


@mistake
class Expensive(Cost):
    """cost-range: problem 0, after 2, 3, 2, 1: the cost 7 is outside minimise = (0, 5); widen these bounds so that
    they hold every solution
    """

    minimise = (0, 5)


@mistake
class ExpensiveNever(Cost):
    """cost-not-finite: problem 0, after 3, 2, 2, 3: cost returned inf; return a finite number everywhere"""

    def cost(self, state: tuple[int, ...]) -> float:
        return float("inf")


# What should change nothing.


@mistake
class Popping(Sum):
    """looking-changes: problem 0, initial state: calling actions up to here changes actions from [1, 2] to [1];
    looking at a state must not change it, nor anything it shares
    """

    def sample(self, random: Random) -> State:
        return [random.below(11), [], [1, 2, 3]]

    def actions(self, state: State) -> list[int]:
        if len(state[2]) > 1:
            state[2].pop()
        return list(state[2]) if len(state[1]) < 4 else []


@mistake
class Sorting(Sum):
    """looking-changes: problem 0, initial state: calling is_final up to here changes actions from [3, 2, 1] to [1,
    2, 3]; looking at a state must not change it, nor anything it shares
    """

    def sample(self, random: Random) -> State:
        return [random.below(11), [], [3, 2, 1]]

    def is_final(self, state: State) -> bool:
        state[2].sort()
        return len(state[1]) == 4

    def actions(self, state: State) -> list[int]:
        return list(state[2]) if len(state[1]) < 4 else []


@mistake
class Valuing(Sum):
    """looking-changes: problem 0, after 2, 3, 2, 1: calling reward up to here changes reward from 1.0 to 0.0;
    looking at a state must not change it, nor anything it shares
    """

    values_unfinished = True

    def reward(self, state: State) -> Any:
        state[0] += 1
        return 0.5 if len(state[1]) < 4 else float(state[0] % 2)


@mistake
class Scoring(Sum):
    """looking-changes: problem 0, after 2, 3, 2, 1: calling score up to here changes reward from
    0.09999999999999998 to 0.0; looking at a state must not change it, nor anything it shares
    """

    def score(self, state: State) -> float:
        state[1].append(1)
        return 1.0


@mistake
class Naming(Sum):
    """looking-changes: problem 0, after 2, 3, 2, 1: calling action_name up to here changes reward from 1.0 to 0.6;
    looking at a state must not change it, nor anything it shares
    """

    def action_name(self, state: State, action: int) -> str:
        state[0] += 1
        return str(action)


@mistake
class Listing(Sum):
    """looking-changes: problem 0, after 2, 3, 2, 1: calling actions up to here changes reward from 0.7 to
    0.19999999999999996; looking at a state must not change it, nor anything it shares
    """

    def actions(self, state: State) -> Sequence[int]:
        state[0] += 1
        return super().actions(state)


@mistake
class SharedWhole(Sum):
    """copy-shares: problem 0, initial state: playing 3, 2, 3, 1 on a copy changes the original (is_final from False
    to True; actions from [1, 2, 3] to []; reward from None to 0.09999999999999998); copy the lists inside the state
    too, or leave out the method copy: the one you inherit copies all
    """

    def copy(self, state: State) -> State:
        return state


@mistake
class SharedList(Sum):
    """copy-shares: problem 0, initial state: playing 3, 2, 3, 1 on a copy changes the original (is_final from False
    to True; actions from [1, 2, 3] to []; reward from None to 0.5); copy the lists inside the state too, or leave
    out the method copy: the one you inherit copies all
    """

    def copy(self, state: State) -> State:
        return state[:]


@mistake
class SharedSecret(Sum):
    """copy-shares: problem 0, after 2, 3, 2, 1: playing on copies made on the way changes what the original comes
    to (reward from 0.19999999999999996 to 0.6); copy the lists inside the state too, or leave out the method copy:
    the one you inherit copies all
    """

    def sample(self, random: Random) -> State:
        return [random.below(11), [], []]

    def play(self, state: State, action: int) -> None:
        state[1].append(action)
        state[2].append(action)

    def copy(self, state: State) -> State:
        return [state[0], state[1][:], state[2]]

    def reward(self, state: State) -> Any:
        return 1 - (state[0] + sum(state[2])) % 11 / 10


@mistake
class SharedBackward(Sum):
    """copy-shares: problem 0, initial state: playing 2, 3, 2, 1 on the original changes a copy made before (is_final
    from False to True; actions from [1, 2, 3] to []; reward from None to 0.7); copy the lists inside the state too, or
    leave out the method copy: the one you inherit copies all
    """

    # Copies write to a list of their own, but their original goes on writing to the list they read.
    def sample(self, random: Random) -> State:
        return [random.below(11), [], True]

    def play(self, state: State, action: int) -> None:
        if state[2]:
            state[1].append(action)
        else:
            state[1:] = [[*state[1], action], True]

    def copy(self, state: State) -> State:
        return [state[0], state[1], False]


@mistake
class Forgetful(Sum):
    """copy-differs: problem 0, after 2, 3, 2, 1: a copy does not go on like its original: copied before every
    action, the same actions change reward from 0.4 to 0.9; copy must keep all that matters later
    """

    def sample(self, random: Random) -> State:
        return [random.below(11), [], [5]]

    def copy(self, state: State) -> State:
        return [state[0], state[1][:], []]

    def reward(self, state: State) -> Any:
        return 1 - (state[0] + sum(state[1] + state[2])) % 11 / 10


@mistake
class Shortening(Sum):
    """copy-differs: problem 0, after 1, 2: a copy is not like its original: it changes actions from [3] to [2]"""

    def copy(self, state: State) -> State:
        return [state[0], state[1][:1]]

    def actions(self, state: State) -> list[int]:
        return [len(state[1]) + 1] if len(state[1]) < 4 else []


@mistake
class CopyOfNothing(Sum):
    """returns-nothing: problem 0, initial state: copy returned None; return a state"""

    def copy(self, state: State) -> None:
        list(state)


# What raises.


@mistake
class Dividing(Sum):
    """exception: problem 0, after 3, 2, 2, 3: reward raised ZeroDivisionError: division by zero (HERE)"""

    def reward(self, state: State) -> Any:
        return 1 / (state[0] - state[0])  # HERE


@mistake
class Thrice(Sum):
    """exception: problem 1, after 1, 3, 3: play raised ValueError: three threes (HERE)"""

    def play(self, state: State, action: int) -> None:
        if state[1][-2:] == [3, 3]:
            raise ValueError("three\nthrees")  # HERE
        state[1].append(action)


@mistake
class Signature(Sum):
    """exception: problem 0, after 3, 2, 2, 3: reward raised TypeError: Signature.reward() takes 1 positional
    argument but 2 were given
    """

    def reward(self) -> float:  # type: ignore[override]
        return 0.5


@mistake
class Leaving(Sum):
    """exception: problem 0, initial state: is_final raised SystemExit (HERE)"""

    def is_final(self, state: State) -> bool:
        raise SystemExit  # HERE


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@mistake
class Speechless(Sum):
    """exception: problem 0, after 3, 2, 2, 3: reward raised Unspeakable: its text cannot be read (HERE)"""

    def reward(self, state: State) -> Any:
        raise Unspeakable  # HERE


@mistake
class Unnamed(Sum):
    """exception: Unnamed: identity raised AttributeError: 'Unnamed' object has no attribute 'size' (HERE)"""

    def identity(self) -> dict[str, Any]:
        return {"size": self.size}  # type: ignore[attr-defined]  # HERE


# What is shown, and warnings.


@mistake
class NoPicture(Sum):
    """exception: problem 0, initial state: draw raised IndexError: tuple index out of range (HERE)"""

    def draw(self, initial: State, actions: Sequence[int]) -> str:
        return "first " + str(actions[0])  # HERE


@mistake
class NoText(Sum):
    """drawing: problem 0, initial state: draw returned 0; return a text"""

    def draw(self, initial: State, actions: Sequence[int]) -> Any:
        return len(actions)


@mistake
class DrawnOn(Sum):
    """looking-changes: problem 0, after 2, 3, 2, 1: draw or svg changes the initial state (is_final from False to
    True; actions from [1, 2, 3] to []; reward from None to 0.9); play on a copy
    """

    def draw(self, initial: State, actions: Sequence[int]) -> str:
        for action in actions:
            self.play(initial, action)
        return ""


@mistake
class NoSvg(Sum):
    """exception: problem 0, initial state: svg raised RuntimeError (HERE)"""

    def svg(self, initial: State, actions: Sequence[int]) -> str:
        raise RuntimeError  # HERE


@mistake
class OpenSvg(Sum):
    """drawing: problem 0, initial state: svg returned no well-formed XML: mismatched tag: line 1, column 10"""

    def svg(self, initial: State, actions: Sequence[int]) -> str:
        return "<svg><g></svg>"


@mistake
class OtherSvg(Sum):
    """drawing: problem 0, initial state: svg returned an element <html>; return an SVG document, or None"""

    def svg(self, initial: State, actions: Sequence[int]) -> str:
        return "<html/>"


@mistake
class Doubled(Sum):
    """duplicate-actions: problem 0, initial state: actions lists 1 twice; list every move once"""

    def actions(self, state: State) -> list[int]:
        return 2 * list(super().actions(state))


@mistake
class Moves(Sum):
    """action-names: problem 0, initial state: 1 and 2 are both called 'move'; give every legal action a name of its
    own
    """

    def action_name(self, state: State, action: int) -> str:
        return "move"


@mistake
class AnotherScale(Sum):
    """score-of-reward: problem 0, after 2, 3, 2, 1: score_of_reward says -7 of the reward 0.1, and score says 0.1;
    tables show the one where solutions show the other. Return None where the reward alone does not say it
    """

    def score_of_reward(self, reward: float) -> float:
        return -7


@mistake
class GoalInWords(Sum):
    """reaches-goal: problem 0, after 2, 3, 2, 1: reaches_goal returned 'yes'; return True, False or None"""

    def reaches_goal(self, state: State) -> Any:
        return "yes"


@mistake
class OverBeforeItBegins(Sum):
    """nothing-to-play: OverBeforeItBegins: in no initial state is there an action to play (104 playouts); actions
    returns none
    """

    def actions(self, state: State) -> Any:
        return []


@mistake
class ForgottenReturn(Sum):
    """actions-not-a-list: problem 0, initial state: actions returned None, nothing; is a return missing?"""

    def actions(self, state: State) -> Any:
        _ = [1, 2, 3]


@mistake
class Flat(Sum):
    """small-span: Flat: the rewards of random playouts are too much alike: on no problem do they span 0.1 or more,
    clipped to [0, 1] as a search does; the widest go from 0.5 to 0.55 (104 playouts); scale the reward so that a
    poor solution is worth about 0 and a very good one about 1
    """

    def reward(self, state: State) -> Any:
        return 0.5 + (state[0] + sum(state[1])) % 11 / 200


@mistake
class Constant(Sum):
    """small-span: Constant: random playouts of the same problem all come to the same reward, such as 0.25 (104
    playouts); scale the reward so that a poor solution is worth about 0 and a very good one about 1
    """

    def reward(self, state: State) -> Any:
        return 0.25


@mistake
class Hundred(Sum):
    """small-span: Hundred: the rewards of random playouts are too much alike: on no problem do they span 0.1 or
    more, clipped to [0, 1] as a search does; the widest go from 10 to 30 (104 playouts); scale the reward so that a
    poor solution is worth about 0 and a very good one about 1
    """

    reward_range = (0, 100)

    def reward(self, state: State) -> Any:
        return float(10 * (1 + (state[0] + sum(state[1])) % 9))


@mistake
class Wide(Cost):
    """small-span: Wide: the rewards of random playouts are too much alike: on no problem do they span 0.1 or more,
    clipped to [0, 1] as a search does; the widest go from 0.89 to 0.91 (104 playouts); costs go from 900 to 1100,
    for which minimise = (500, 1300) would be better
    """

    minimise = (0, 10_000)

    def cost(self, state: tuple[int, ...]) -> float:
        return 900.0 + 20 * (sum(state) % 11)


@mistake
class CostsTheSame(Cost):
    """small-span: CostsTheSame: random playouts of the same problem all come to the same reward, such as 0.6 (104
    playouts); if better solutions exist, declare as minimise the cost of a very good one and of a poor one
    """

    def cost(self, state: tuple[int, ...]) -> float:
        return 4.0


# With more than one mistake, without an end, with instances, and what is no domain at all.


class Several(Sum):
    def actions(self, state: State) -> list[int]:
        return 2 * list(super().actions(state))

    def reward(self, state: State) -> Any:
        return 1.5

    def draw(self, initial: State, actions: Sequence[int]) -> Any:
        return None


class Endless(Sum):
    horizon = 10**12

    def actions(self, state: State) -> list[int]:
        return [1, 2]


class Folder(Sum):
    """Reads the number that is given from a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.instances = sorted(folder.iterdir())

    def load(self, path: Path) -> State:
        return [int(path.read_text()), []]  # HERE


class Nothing:
    def __repr__(self) -> str:
        return "nothing"


@mistake
class KeptInSelf(Sum):
    """sample-shares: problem 0, after 3, 2, 2, 3: asking for problem 1 changes what this state says (reward from 1.0 to
    0.30000000000000004); what a problem is must stand in its state, not in KeptInSelf or in what all its states share
    """

    def sample(self, random: Random) -> State:
        self.given = random.below(11)
        return [0, []]

    def reward(self, state: State) -> Any:
        return 1 - (self.given + sum(state[1])) % 11 / 10


@mistake
class Upwards(Cost):
    """reward-cost: Upwards: a solution that costs 2 has the reward 0.2, and one that costs 9 has 0.9: a search looks
    for a high reward, and so for a high cost; leave reward out, which minimise makes, or turn it round
    """

    def reward(self, state: tuple[int, ...]) -> float:
        return self.cost(state) / 10

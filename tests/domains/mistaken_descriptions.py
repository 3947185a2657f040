"""Little domains that say something of their actions, a sound one and others with one mistake each.

As in `tests.domains.mistaken_domains`, the docstring of a mistaken one is what `check_domain` must say of it.
"""

import itertools
from typing import Any

from domains.protocol import Domain
from tests.domains.mistaken_domains import State, Sum

MISTAKES: list[type[Domain]] = []


def mistake(cls: type[Domain]) -> type[Domain]:
    MISTAKES.append(cls)
    return cls


class Described(Sum):
    """Sound: learns about the number and its place, and is guided by two numbers."""

    features = ("share", "rest")

    def code(self, state: State, action: int) -> Any:
        return len(state[1]), action

    def feature(self, state: State, action: int) -> Any:
        return action / 3, (state[0] + sum(state[1]) + action) % 11 / 10


# The names.


@mistake
class OneName(Described):
    """features: OneName.features is 'share'; write a tuple of names, as in ("distance", "slack")"""

    features = "share"  # type: ignore[assignment]


@mistake
class Spaced(Described):
    """features: Spaced.features has 'so far'; a name is made of letters from a to z, digits and _, and does not begin
    with a digit
    """

    features = ("share", "so far")


@mistake
class Numbered(Described):
    """features: Numbered.features has 1; a name is made of letters from a to z, digits and _, and does not begin with
    a digit
    """

    features = ("share", 1)  # type: ignore[assignment]


@mistake
class Deep(Described):
    """features: Deep.features has 'depth'; that means something else in guided(…); find another name"""

    features = ("share", "depth")


@mistake
class CalledInfinite(Described):
    """features: CalledInfinite.features has 'inf'; that means something else in guided(…); find another name"""

    features = ("share", "inf")


@mistake
class CalledNoNumber(Described):
    """features: CalledNoNumber.features has 'nan'; that means something else in guided(…); find another name"""

    features = ("nan", "rest")


@mistake
class Same(Described):
    """features: Same.features has 'share' twice; give every feature a name of its own"""

    features = ("share", "share")


# The code.


@mistake
class ListForCode(Described):
    """code-unhashable: problem 0, initial state: the code [0, 1] of 1 is a list, which has no hash; use numbers,
    strings or tuples
    """

    def code(self, state: State, action: int) -> Any:
        return [len(state[1]), action]


@mistake
class RaisingCode(Described):
    """exception: problem 0, after 2: code raised ZeroDivisionError: integer division or modulo by zero"""

    def code(self, state: State, action: int) -> Any:
        return 1 // (1 - len(state[1])), action


@mistake
class CountingCode(Described):
    """code-varies: problem 0, initial state: called twice, code gives 0 for 1, then 3; it must depend on the state
    and the action alone, and be equal each time
    """

    def __init__(self) -> None:
        self.calls = itertools.count()

    def code(self, state: State, action: int) -> Any:
        return next(self.calls)


@mistake
class ObjectForCode(Described):
    """code-varies: problem 0, initial state: called twice, code gives Thing for 1, then Thing; it must depend on the
    state and the action alone, and be equal each time
    """

    def code(self, state: State, action: int) -> Any:
        return Thing()


class Thing:
    def __repr__(self) -> str:
        return "Thing"


@mistake
class WritingCode(Described):
    """looking-changes: problem 0, initial state: calling code changes actions from [1, 2, 3] to [1, 2, 3, 3]; looking
    at a state must not change it, nor anything it shares
    """

    def sample(self, random: Any) -> State:
        return [random.below(11), [], [1, 2, 3]]

    def actions(self, state: State) -> Any:
        return list(state[2]) if len(state[1]) < 4 else []

    def code(self, state: State, action: int) -> Any:
        if action == 3:
            state[2].append(3)
        return action


@mistake
class RememberingCode(Described):
    """looking-changes: problem 0, initial state: calling code changes what it gives for 1 from 1 to 4; looking at a
    state must not change it, nor anything it shares
    """

    def sample(self, random: Any) -> State:
        return [random.below(11), [], 0]

    def code(self, state: State, action: int) -> Any:
        state[2] += 1
        return state[2]


@mistake
class SecretlyWritingCode(Described):
    """looking-changes: problem 0, after 2, 3, 2, 1: calling code up to here changes reward from 0.9 to 0.5; looking
    at a state must not change it, nor anything it shares
    """

    def code(self, state: State, action: int) -> Any:
        state[0] += 1
        return action


@mistake
class NoCode(Described):
    """code-same: NoCode: code gives the same for all actions of a state (in 32 states with more than one), so that
    there is nothing to learn; return what tells them apart, or leave out the method code
    """

    def code(self, state: State, action: int) -> Any:
        len(state[1])


# The features.


@mistake
class NoFeature(Sum):
    """missing-method: NoFeature names features but has no feature(self, state, action); domains/protocol.py opens with
    an example of a whole domain
    """

    features = ("share",)


@mistake
class RaisingFeature(Described):
    """exception: problem 0, after 2: feature raised ZeroDivisionError: integer division or modulo by zero"""

    def feature(self, state: State, action: int) -> Any:
        return action / 3, 1 // (1 - len(state[1]))


@mistake
class NumberForFeature(Described):
    """feature-not-a-list: problem 0, initial state: feature returned 0.5 for 1, a float; return a list or a tuple"""

    def feature(self, state: State, action: int) -> Any:
        return 0.5


@mistake
class SetForFeature(Described):
    """feature-not-a-list: problem 0, initial state: feature returned {0} for 1, a set, which has no order of its own;
    return sorted(…)
    """

    def feature(self, state: State, action: int) -> Any:
        return {0}


@mistake
class OneTooMany(Described):
    """feature-count: problem 0, initial state: feature returned (0.3333333333333333, 0, 0) for 1, and features names
    share, rest; return a number for each of them, in this order
    """

    def feature(self, state: State, action: int) -> Any:
        return action / 3, 0, 0


@mistake
class Infinite(Described):
    """feature-not-finite: problem 0, initial state: feature gives inf for rest of 1; return finite numbers
    everywhere
    """

    def feature(self, state: State, action: int) -> Any:
        return action / 3, float("inf")


@mistake
class Text(Described):
    """feature-not-finite: problem 0, initial state: feature gives '1' for rest of 1; return finite numbers
    everywhere
    """

    def feature(self, state: State, action: int) -> Any:
        return action / 3, str(action)


@mistake
class CountingFeature(Described):
    """feature-varies: problem 0, initial state: called twice, feature gives (0.3333333333333333, 0.0) for 1, then
    (0.3333333333333333, 3.0); it must depend on the state and the action alone, and be equal each time
    """

    def __init__(self) -> None:
        self.calls = itertools.count()

    def feature(self, state: State, action: int) -> Any:
        return action / 3, next(self.calls)


@mistake
class WritingFeature(Described):
    """looking-changes: problem 0, after 2: calling feature changes is_final from False to True; actions from [1,
    2, 3] to []; reward from None to 0.6; looking at a state must not change it, nor anything it shares
    """

    def feature(self, state: State, action: int) -> Any:
        if len(state[1]) < 4:
            self.play(state, action)
        return action / 3, 0


@mistake
class SecretlyWritingFeature(Described):
    """looking-changes: problem 0, after 2, 3, 2, 1: calling feature up to here changes reward from
    0.19999999999999996 to 0.9; looking at a state must not change it, nor anything it shares
    """

    def feature(self, state: State, action: int) -> Any:
        state[0] += 1
        return action / 3, 0.1 * action


@mistake
class SameFeature(Described):
    """feature-same: SameFeature: feature gives the same for all actions of a state as rest (in 32 states with more than
    one); guided(…) goes by differences between actions, so let it say something of the action, or leave it out
    """

    def feature(self, state: State, action: int) -> Any:
        return action / 3, len(state[1]) / 4


@mistake
class HugeFeature(Described):
    """feature-huge: problem 0, initial state: feature gives -3000 for rest of 3; a weight of 1 makes an action e times
    as probable for each unit, so features are best of the size of one: divide by something that is fixed for a problem
    """

    def feature(self, state: State, action: int) -> Any:
        return action / 3, -3000.0 if action == 3 else 0.0

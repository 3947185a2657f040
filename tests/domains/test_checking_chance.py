"""What the check says of little domains in which chance has a say, most of them with one mistake."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from domains.check.checking import Finding, examine
from domains.check.probing import Findings, Probe
from domains.kernels import Kernels, below, njit
from domains.protocol import Domain, advance
from domains.randomness import Random

LAST = 4


class Walk(Domain):
    """Sound: four steps of 1 or 2, each doubled by chance; best is 8. A state is [steps, where]."""

    horizon = LAST
    stochastic = True

    def sample(self, random: Random) -> list[int]:
        return [0, 0]

    def actions(self, state: list[int]) -> Sequence[int]:
        return [] if self.is_final(state) else [1, 2]

    def is_final(self, state: list[int]) -> bool:
        return state[0] == LAST

    def play(self, state: list[int], action: int, random: Any) -> Any:  # type: ignore[override]
        state[0] += 1
        state[1] += action * (1 + random.below(2))

    def reward(self, state: list[int]) -> float:
        return 1 - abs(8 - state[1]) / 16


ELSEWHERE = Random(3)


class DrawsElsewhere(Walk):
    """play-varies: problem 0, after 2, 2, 1, 2: the same actions played twice from the same state end differently
    (reward from 0.875 to 0.9375); what play does must depend on the state and the action alone, and on what it draws
    from its argument random"""

    def play(self, state: list[int], action: int, random: Any) -> Any:
        super().play(state, action, ELSEWHERE)


class CarriesItsChance(Walk):
    """no-chance: CarriesItsChance is stochastic, and its play never drew from its argument random; leave stochastic
    out, or draw there: a generator in the state is copied with it, and a search on the copy foresees the future"""

    def sample(self, random: Random) -> Any:
        return [0, 0, Random(random.next())]

    def play(self, state: Any, action: int, random: Any) -> Any:
        super().play(state, action, state[2])


class ListsByLuck(Walk):
    """actions-differ: problem 0, after 1, 2: actions lists [1], and [1, 2] in the initial state; where chance has a say
    all unfinished states list the same actions in the same order, and what cannot be done changes nothing"""

    def actions(self, state: list[int]) -> Sequence[int]:
        return [1] if state[0] == 2 and state[1] > 2 else super().actions(state)


class TakesNoGenerator(Walk):
    """stochastic: TakesNoGenerator is stochastic, and its play takes no generator; write play(self, state, action,
    random), and draw from random alone"""

    def play(self, state: list[int], action: int) -> Any:  # type: ignore[override]
        state[0] += 1


class SaysNoChance(Walk):
    """stochastic: SaysNoChance.play takes three arguments; set stochastic = True if the third is what it draws chance
    from, else write play(self, state, action)"""

    stochastic = False


class SaysPerhaps(Walk):
    """stochastic: SaysPerhaps.stochastic is 'perhaps'; set it to True if chance has a say in where an action leads, or
    leave it out"""

    stochastic = "perhaps"  # type: ignore[assignment]


class ForTwo(Walk):
    """stochastic: ForTwo is stochastic and has several roles; no search plays such games"""

    roles = ("first", "second")


class DrawsNoText(Walk):
    """drawing: problem 0, initial state: draw returned 0; return a text"""

    def draw(self, initial: list[int], actions: Sequence[int], random: Random) -> Any:  # type: ignore[override]
        return len(actions)


class DrawnOn(Walk):
    """looking-changes: problem 0, after 2, 2: draw or svg changes the initial state (is_final from False to True;
    actions from [1, 2] to []; reward from None to 0.75); play on a copy"""

    def svg(self, initial: list[int], actions: Sequence[int], random: Random) -> Any:  # type: ignore[override]
        for action in actions + 2 * (1,) if actions else ():
            advance(self, initial, action, random)


@njit
def actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    out[0], out[1] = 1, 2
    return np.int64(0 if state[0] == LAST else 2)


@njit
def play(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    state[0] += 1
    state[1] += action * (1 + below(random, 2))


@njit
def play_with_waste(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    play(state, problem, action, random)
    below(random, 1)


@njit
def play_another_way(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    state[0] += 1
    state[1] += action * (2 - below(random, 2))


@njit
def is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    return bool(state[0] == LAST)


@njit
def reward(state: np.ndarray, problem: np.ndarray) -> float:
    return 1.0 - abs(8 - state[1]) / 16


@njit
def playout(
    state: np.ndarray, problem: np.ndarray, random: np.ndarray, sequence: np.ndarray, length: int, limit: int
) -> int:
    while state[0] < LAST and length < limit:
        sequence[length] = 1 + below(random, 2)
        play(state, problem, sequence[length], random)
        length += 1
    return length


class Compiled(Walk):
    """Sound, with kernels."""

    max_actions = 2

    def kernels(self) -> Kernels:
        return Kernels(actions, play, is_final, reward, playout)

    def encode(self, state: list[int]) -> Any:
        return np.zeros(1), np.array(state)


class CompiledWithWaste(Compiled):
    """kernel-chance: problem 0, initial state: kernels.play of 1 makes other draws than play; both must draw as often,
    in the same order"""

    def kernels(self) -> Kernels:
        return Kernels(actions, play_with_waste, is_final, reward)


class CompiledAnotherWay(Compiled):
    """kernel-play: problem 0, after 1, 2, 1, 1: after kernels.play of the last action, reward is not what it is after
    play"""

    def kernels(self) -> Kernels:
        return Kernels(actions, play_another_way, is_final, reward)


class EncodesTheStart(Compiled):
    """encode: problem 0, after 1, 2, 1: kernels.is_final says otherwise of what encode makes of this state than
    is_final; where chance has a say a search may start anywhere"""

    def encode(self, state: list[int]) -> Any:
        return np.zeros(1), np.array([state[0] + (state[0] == 3), state[1]])


MISTAKES = [
    DrawsElsewhere,
    CarriesItsChance,
    ListsByLuck,
    TakesNoGenerator,
    SaysNoChance,
    SaysPerhaps,
    ForTwo,
    DrawsNoText,
    DrawnOn,
    CompiledWithWaste,
    CompiledAnotherWay,
    EncodesTheStart,
]


def findings(domain: Domain) -> list[Finding]:
    found = Findings()
    examine(Probe(domain), found, 2, 4, 0)
    return found.all()


@pytest.mark.parametrize("cls", [Walk, Compiled])
def test_nothing_is_wrong_with_sound_domains(cls: type[Domain]) -> None:
    assert findings(cls()) == []


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("cls", MISTAKES, ids=lambda cls: str(cls.__name__))
def test_every_mistake_is_named(cls: type[Domain]) -> None:
    ELSEWHERE.seed(3)
    name, _, message = " ".join((cls.__doc__ or "").split()).partition(": ")
    kind = "warning" if name == "no-chance" else "error"
    assert [(f.kind, f.name, f.message) for f in findings(cls())] == [(kind, name, message)]

"""Gymnasium environments as problems: copies that do not foresee, actions, rewards, messages."""

import copy
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from domains.errors import DomainError, UnknownDomain, UserError
from domains.gym import Gym, choices
from domains.randomness import Random
from domains.registry import canonical_text, find_domain
from mcsgrammar import play, solve
from tests.discovery.test_games import run
from tests.domains.test_checking_chance import findings

FLIPS = 20


class Coins(gymnasium.Env[int, int]):
    """Say how a coin will fall; a part of the environment holds the generator, too."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.tossing_with = [self.np_random]
        self.tossed = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        fallen = int(self.tossing_with[0].integers(2))
        self.tossed += 1
        return fallen, float(fallen == action), self.tossed == FLIPS, False, {}


def fallen(domain: Gym, state: Any, random: Random) -> list[int]:
    coins = []
    while not domain.is_final(state):
        domain.play(state, 0, random)
        coins.append(state.seen)
    return coins


def test_a_copy_does_not_foresee_what_the_world_draws() -> None:
    # What would happen: a plain copy carries the generator on.
    world = Coins()
    world.reset(seed=1)
    foreseen = copy.deepcopy(world)
    assert [world.step(0)[0] for _ in range(FLIPS)] == [foreseen.step(0)[0] for _ in range(FLIPS)]

    domain = Gym(Coins(), scale=1.0)
    state = domain.sample(Random(1))
    copies = [domain.copy(state) for _ in range(8)]
    world_coins = fallen(domain, copies[0], Random(2))
    assert fallen(domain, copies[1], Random(2)) == world_coins  # the same chance, the same coins, whoever drew between
    others = [fallen(domain, other, Random(3 + k)) for k, other in enumerate(copies[2:])]
    assert len({tuple(coins) for coins in [world_coins, *others]}) == 7
    assert 0 < sum(world_coins) < FLIPS


class Slow(Coins):
    """Lets others have their turn in the midst of a step."""

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        time.sleep(0.001)
        return super().step(action)


def test_threads_do_not_draw_from_the_chance_of_others() -> None:
    domain = Gym(Slow(), scale=1.0)

    def episode(seed: int) -> list[int]:
        return fallen(domain, domain.sample(Random(seed)), Random(seed))

    alone = [episode(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(episode, range(8))) == alone


def test_nobody_wins_at_coins() -> None:
    """A search that foresaw them would win them all; 400 coins are within four standard errors of a half."""
    games = play(Gym(Coins(), scale=1.0), "select(sim, 0.1)", 30, games=20)
    assert abs(games.mean_score - FLIPS / 2) < 4 * (FLIPS / 4 / 20) ** 0.5


def test_chance_is_that_of_the_environment() -> None:
    """From the first cell of a frozen lake, to the right: three cells, each with probability 1/3."""
    lake, random = find_domain("gym:FrozenLake-v1"), Random(5)
    start = lake.sample(random)
    counts: dict[int, int] = {}
    for _ in range(3000):
        state = lake.copy(start)
        lake.play(state, 2, random)  # type: ignore[call-arg]
        counts[state.seen] = counts.get(state.seen, 0) + 1
    assert sorted(counts) == [0, 1, 4]
    assert all(abs(count - 1000) < 4 * (3000 * 2 / 9) ** 0.5 for count in counts.values())


@pytest.mark.parametrize(
    "name", ["FrozenLake-v1", "Blackjack-v1,scale=1", "CartPole-v1,scale=20", "Pendulum-v1,length=20"]
)
def test_check_finds_nothing(name: str) -> None:
    assert findings(find_domain(f"gym:{name}")) == []


def test_without_chance_there_is_a_solution() -> None:
    lake = "gym:FrozenLake-v1,is_slippery=no,chance=no"
    assert solve(lake, "uct(0.5)", budget=2000)[0].score == 1
    assert find_domain(lake).stochastic is False
    assert findings(find_domain(lake)) == []


def test_a_pole_is_balanced() -> None:
    games = play("gym:CartPole-v1,length=60", "select(sim(random(depth=15)), ucb1(c=0.5, norm=1))", 15, games=2)
    assert [game.record.score for game in games] == [60, 60]  # at random: some 20


def test_names_options_and_what_they_mean() -> None:
    lake = find_domain("gym:FrozenLake-v1,is_slippery=no,map_name=8x8,length=30")
    assert canonical_text(lake) == (
        "gym:environment=FrozenLake-v1,length=30,parts=3,scale=0.7,chance=True,is_slippery=no,map_name=8x8"
    )
    assert (lake.horizon, lake.max_actions, lake.stochastic) == (30, 4, True)
    pole = find_domain("gym:CartPole-v1")
    assert (pole.horizon, pole.max_actions) == (500, 2)
    start = pole.sample(Random(0))
    assert [pole.reward(pole.copy(start)), pole.score(start), pole.reaches_goal(start)] == [0.5, 0, False]
    start.paid = 475.0
    assert [pole.reward(start), pole.score(start), pole.reaches_goal(start)] == [0.75, 475, True]
    start.paid = -475.0
    assert pole.reward(start) == 0.25


def test_an_episode_is_drawn() -> None:
    lake = find_domain("gym:FrozenLake-v1,is_slippery=no,chance=no")
    assert lake.draw(lake.sample(Random(0)), [2, 1]).splitlines() == [
        "step  action         reward  observation",
        "   0                         0",
        "   1  2                   0  1",
        "   2  1                   0  5",
        "return 0",
    ]


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        (spaces.Discrete(3, start=-1), [-1, 0, 1]),
        (spaces.MultiDiscrete([2, 3]), [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]),
        (spaces.MultiBinary(2), [[0, 0], [0, 1], [1, 0], [1, 1]]),
        (spaces.Box(-2, 2, (1,)), [[-2], [0], [2]]),
        (
            spaces.Box(np.zeros((1, 2)), np.ones((1, 2)), dtype=np.float64),
            [[[a, b]] for a in (0, 0.5, 1) for b in (0, 0.5, 1)],
        ),
        (spaces.Tuple([spaces.Discrete(2), spaces.Discrete(2)]), [(0, 0), (0, 1), (1, 0), (1, 1)]),
        (spaces.Dict(a=spaces.Discrete(2), b=spaces.Discrete(1)), [{"a": 0, "b": 0}, {"a": 1, "b": 0}]),
    ],
)
def test_what_a_search_chooses_from(space: Any, expected: list[Any]) -> None:
    found = choices(space, 3)
    assert [action.tolist() if isinstance(action, np.ndarray) else action for action in found] == expected
    assert all(action in space for action in found)


class Uncopiable(Coins):
    def __init__(self) -> None:
        self.file = sys.stdout


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: choices(spaces.Box(0, np.inf, (1,)), 3), "gym: nobody can list the actions of Box(0.0, inf, (1,), "
         "float32); it needs a wrapper with an action space that ends"),
        (lambda: choices(spaces.MultiBinary(14), 3), "gym: MultiBinary(14) has more than 10000 actions in 3 parts a "
         "dimension; take fewer"),
        (lambda: find_domain("gym:CartPole-v1,parts=1"), "gym: parts is 1; it is a whole number of 2 or more"),
        (lambda: find_domain("gym:CartPole-v1,length=0"), "gym: length is 0; it is a whole number of 1 or more"),
        (lambda: find_domain("gym:CartPole-v1,scale=0"), "gym: scale is 0.0; it is a number above 0"),
        (lambda: find_domain("gym"), "gym needs the option environment: write gym:environment=…"),
    ],
)  # fmt: skip
def test_what_cannot_be(make: Any, message: str) -> None:
    with pytest.raises(UserError) as error:
        make()
    assert str(error.value) == message


def test_what_cannot_be_made_or_copied() -> None:
    with pytest.raises(UnknownDomain, match=r"^Gymnasium cannot make Nothing-v0: .*Nothing"):
        find_domain("gym:Nothing-v0")
    with pytest.raises(UnknownDomain, match=r"^Gymnasium cannot make CartPole-v1: .*wheels"):
        find_domain("gym:CartPole-v1,wheels=3")
    with pytest.raises(DomainError, match=r"cannot be copied, and a search plays on copies: .*a method __deepcopy__"):
        Gym(Uncopiable())


def test_without_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(UnknownDomain) as error:
        find_domain("gym:CartPole-v1")
    assert str(error.value) == (
        "gym:… needs Gymnasium: pip install 'mcsgrammar[gym]', and what the environment needs besides"
    )


def test_the_command() -> None:
    result = run("gym:FrozenLake-v1,is_slippery=no,length=9", "select(sim, 0.5)", "--budget", "20", "--games", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == (
        "gym:environment=FrozenLake-v1,length=9,parts=3,scale=0.7,chance=True,is_slippery=no: 2 games by "
        "step(select(sim, 0.5), visits), 20 evaluations a tick"
    )


class Overwriting(gymnasium.Env[int, Any]):
    """Has an action for itself."""

    action_space = spaces.MultiDiscrete([3])
    observation_space = spaces.Discrete(9)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        earned = float(action[0])
        action += 5
        return 0, earned, False, False, {}


def test_an_environment_may_do_what_it_likes_with_an_action() -> None:
    gymnasium.register("Overwriting-v0", Overwriting)
    domain = find_domain("gym:Overwriting-v0,length=3")
    for _ in range(2):
        state = domain.sample(Random(0))
        for _ in range(3):
            domain.play(state, 2, Random(1))  # type: ignore[call-arg]
        assert state.paid == 6.0


def test_parts_of_an_action_are_counted_before_they_are_listed() -> None:
    for space in (
        spaces.Tuple([spaces.Discrete(2), spaces.MultiBinary(60)]),
        spaces.Dict(a=spaces.Discrete(2), b=spaces.MultiBinary(60)),
    ):
        with pytest.raises(UserError, match=r"^gym: MultiBinary\(60\) has more than 10000 actions"):
            choices(space, 3)

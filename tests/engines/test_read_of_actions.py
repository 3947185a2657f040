"""What playouts read of actions and grams in the compiled engine, beside the definition: learnt, decayed, grown and
asked for in any order, by actions of any size."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domains.randomness import Random
from mcsgrammar.engines.compiled import frequent_kernels
from mcsgrammar.engines.compiled.adaptation import Statistics
from mcsgrammar.engines.compiled.adaptive_layout import (
    COLUMNS,
    DIRECT_ACTIONS,
    ENTRIES,
    LONGEST_GRAM,
    NUMBERS,
    P_GIBBS,
    P_GREEDY,
    SIMULATE_COLUMNS,
)
from mcsgrammar.engines.compiled.frequent_kernels import WIDTH, empty_frequent
from mcsgrammar.engines.compiled.gram_kernels import decay_grams, learn
from mcsgrammar.engines.compiled.means_kernels import empty_table
from mcsgrammar.engines.compiled.policy_kernels import advance_contexts, pick, read_contexts, ready_worths
from mcsgrammar.engines.guarding import Guarded
from mcsgrammar.engines.reference.means import Room
from mcsgrammar.engines.reference.playouts import Playouts
from mcsgrammar.language.policies import Mast, Nst, PlayoutPolicy
from tests.engines.toys import TreeGame, corridor

ACTIONS = [-(2**31), -1, 0, 1, 2, 3, DIRECT_ACTIONS - 1, DIRECT_ACTIONS, 2**31 - 1]
LONGEST_SEQUENCE = 12
FEW_ENTRIES = 16
MANY = list(range(40))
"""More actions than are gone through one by one."""
LARGE = list(range(WIDTH - 2, WIDTH + 98))
"""Most of them too large for tables of successors; more than a word has bits."""


class Compiled:
    """The tables of one run, as small as they may be at first, and the choice by them."""

    def __init__(self, policy: PlayoutPolicy, limit: int) -> None:
        self.statistics = Statistics(LONGEST_SEQUENCE, len(LARGE))
        self.statistics.grams = empty_table(FEW_ENTRIES)
        self.statistics.frequent = empty_frequent(FEW_ENTRIES)
        self.way = P_GIBBS if policy.way == "gibbs" else P_GREEDY
        self.limit, self.longest = limit, policy.longest_gram
        self.numbers = np.zeros(NUMBERS, np.int64)
        self.numbers[LONGEST_GRAM] = self.longest
        self.settings = np.zeros(COLUMNS)
        self.settings[SIMULATE_COLUMNS["n"]] = 1
        self.contexts = np.zeros(self.longest + 1, np.int64)

    def set(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if value is not None:
                self.settings[SIMULATE_COLUMNS[name]] = value

    def learn(self, sequence: list[int], reward: float) -> None:
        self.statistics.make_room(self.longest, 0)
        s, actions = self.statistics, np.array(sequence, np.int32)
        arguments = s.history, self.contexts, self.numbers, self.settings, actions, len(sequence), reward, self.limit
        learn(s.grams, s.direct, s.frequent, *arguments)

    def decay_all(self, factor: float) -> None:
        s = self.statistics
        decay_grams(s.grams, s.direct, s.frequent, factor)

    def choose(self, choices: list[int], sequence: list[int], ahead: int, seed: int) -> tuple[int, int, list[float]]:
        """A place, the generator's state after it, and what the actions are worth. Of the sequence so many actions are
        played after its contexts were read."""
        s, n, worths = self.statistics, int(self.settings[SIMULATE_COLUMNS["n"]]), np.zeros(len(choices))
        tables = s.grams, s.direct, s.frequent
        ready_worths(self.way, self.settings, *tables)
        begun = max(0, len(sequence) - ahead)
        read_contexts(*tables, np.array(sequence, np.int32), begun, n, self.contexts)
        if n > 1:
            for action in sequence[begun:]:
                advance_contexts(*tables, action, n, self.contexts)
        random = np.array([seed], np.uint64)
        options = np.array(choices, np.int32)
        place = pick(self.way, self.settings, *tables, self.contexts, options, len(choices), random, worths)
        return int(place), int(random[0]), worths.tolist()


def agree(policy: PlayoutPolicy, limit: int, deeds: list[tuple[Any, ...]], actions: list[int]) -> None:
    values = policy.parameters()
    definition = Playouts(Guarded(TreeGame(corridor(1, 0.5))), policy, values, Room(limit))
    compiled = Compiled(policy, limit)
    compiled.set(values)
    for seed, (deed, *about) in enumerate(deeds):
        if deed == "learn":
            definition.learn(*about)
            compiled.learn(*about)
        elif deed == "decay":
            definition.grams.decay_all(*about)
            compiled.decay_all(*about)
        elif deed == "set" and set(about[0]) <= set(values) and None not in [values[name] for name in about[0]]:
            values.update(about[0])
            compiled.set(about[0])
        sequence, ahead = about if deed == "ask" else ([], 0)
        random = Random(seed)
        place = definition.choose(None, actions, sequence, random)
        assert compiled.choose(actions, sequence, ahead, seed)[:2] == (place, random.state), (deed, about)
        if policy.way == "greedy":
            scores = [definition.score(action, sequence) for action in actions]
            assert compiled.choose(actions, sequence, ahead, seed)[2] == scores, (deed, about)
        assert compiled.numbers[ENTRIES] == definition.grams.room.entries


def deeds(actions: list[int]) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    few = st.lists(st.sampled_from(actions), max_size=LONGEST_SEQUENCE)
    rewards = st.sampled_from([0.0, 0.25, 0.5, 1.0, 0.3])
    change = st.sampled_from([{"kmin": 0}, {"kmin": 1}, {"kmin": 3}, {"n": 2}, {"n": 4}, {"tau": 0.01}, {"tau": 2.0}])
    return st.lists(
        st.one_of(
            st.tuples(st.just("learn"), few, rewards),
            st.tuples(st.just("learn"), few, rewards),
            st.tuples(st.just("ask"), few, st.integers(0, 3)),
            st.tuples(st.just("decay"), st.sampled_from([0.5, 0.9, 0.0])),
            st.tuples(st.just("set"), change),
        ),
        min_size=1,
        max_size=25,
    )


POLICIES = st.one_of(
    st.builds(Mast, tau=st.sampled_from([1e-300, 0.001, 0.1, 5.0]), sim_decay=st.sampled_from([1, 0.5, 0])),
    st.builds(Mast, eps=st.just(0), sim_decay=st.sampled_from([1, 0.5, 0])),
    st.builds(
        Nst,
        eps=st.just(0),
        n=st.just(4),
        kmin=st.sampled_from([0, 1, 2, 3]),
        sim_decay=st.sampled_from([1, 0.5, 0]),
        batch=st.sampled_from([2, 100]),
        batch_decay=st.sampled_from([1, 0.5]),
    ),
)
APART = [
    ("learn", [0], 0.5),
    ("learn", [1, 2], 0.5),
    ("learn", [3, 2], 0.0),
    ("ask", [1], 0),
    ("decay", 0.5),
    ("ask", [1], 0),
]
"""Q of 2 is another than its mean after 1, and that one counts no longer in the end."""
WORTHLESS = [("learn", [1, 2], 0.5), ("learn", [3, 2], 0.0), ("ask", [3], 0)]
"""The mean of 2 after 3 is 0, and counts."""
OFTENER = [("learn", [1, 2, 3, 2], 0.5), ("ask", [1], 0)]
"""The count of 2 underflows, and not that of 2 after 1: still it never occurred."""
AGAIN = [("learn", [1, 2, 3], 0.5), ("learn", [1, 2, 3], 0.25), ("ask", [1, 2], 1), ("decay", 0.0), ("ask", [1, 2], 0)]


@given(policy=POLICIES, limit=st.sampled_from([1000, 1000, 5, 20]), deeds=deeds(ACTIONS))
@example(policy=Nst(eps=0, n=4, kmin=2), limit=1000, deeds=AGAIN)
@example(policy=Nst(eps=0, n=4, kmin=1), limit=1000, deeds=APART)
@example(policy=Nst(eps=0, n=4, kmin=1, sim_decay=0.5), limit=1000, deeds=APART)
@example(policy=Nst(eps=0, n=4, kmin=0, sim_decay=1e-200), limit=1000, deeds=OFTENER)
@settings(max_examples=60, deadline=None)
def test_any_actions(policy: PlayoutPolicy, limit: int, deeds: list[tuple[Any, ...]]) -> None:
    agree(policy, limit, deeds, ACTIONS)


@given(policy=POLICIES, deeds=deeds(MANY))
@example(policy=Nst(eps=0, n=2, kmin=1), deeds=WORTHLESS)
@example(policy=Nst(eps=0, n=4, kmin=1), deeds=APART)
@example(policy=Nst(eps=0, n=4, kmin=2), deeds=AGAIN)
@settings(max_examples=30, deadline=None)
def test_many_actions(policy: PlayoutPolicy, deeds: list[tuple[Any, ...]]) -> None:
    agree(policy, 100_000, deeds, MANY)


@given(policy=POLICIES, deeds=deeds(LARGE[:6]))
@settings(max_examples=30, deadline=None)
def test_actions_in_tables_and_beyond(policy: PlayoutPolicy, deeds: list[tuple[Any, ...]]) -> None:
    agree(policy, 100_000, deeds, LARGE)


FEW = [1, 2, 3, 7]
OF_THREE = st.builds(
    Nst,
    eps=st.just(0),
    kmin=st.sampled_from([0, 1, 2, 3]),
    sim_decay=st.sampled_from([1, 0.5, 0]),
    batch_decay=st.just(1),
)

AFTER_OTHERS = [("learn", [1, 2, 3], 0.5), ("learn", [7, 2, 3], 0.0), ("ask", [1, 2], 0)]
"""The mean of 3 after 1 and 2 is another than after 2."""


@given(policy=OF_THREE, deeds=deeds(FEW))
@example(policy=Nst(eps=0, kmin=1), deeds=AGAIN)
@example(policy=Nst(eps=0, kmin=1), deeds=AFTER_OTHERS)
@example(policy=Nst(eps=0, kmin=1, sim_decay=0.5), deeds=APART)
@example(policy=Nst(eps=0, kmin=0, sim_decay=1e-200), deeds=OFTENER)
@settings(max_examples=30, deadline=None)
def test_few_actions_by_grams_of_three(policy: Nst, deeds: list[tuple[Any, ...]]) -> None:
    """All of them were met, so that they are read from tables in one go."""
    agree(policy, 1000, [("learn", FEW, 0.7), ("learn", FEW[::-1], 0.2), *deeds], FEW)


@pytest.mark.parametrize(
    ("learnt", "asked", "tables"),
    [
        (MANY, MANY, frequent_kernels.MOST_TABLES),
        (MANY, MANY, 3),
        (LARGE[:40], LARGE[:40], 3),
        (LARGE[:40], LARGE[:3], 3),
    ],
)
def test_grams_outgrow_their_tables(
    learnt: list[int], asked: list[int], tables: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More frequent grams than the small table has rows at first, and twice as many grams several times over; where few
    are asked for, too, after grams that have many successors."""
    monkeypatch.setattr(frequent_kernels, "MOST_TABLES", tables)
    random = Random(1)
    deeds: list[tuple[Any, ...]] = []
    for _ in range(400):
        sequence = [learnt[random.below(len(learnt))] for _ in range(LONGEST_SEQUENCE)]
        deeds += [("learn", sequence, random.uniform01())]
    deeds += [("ask", [first, second], 1) for first in learnt[:6] for second in learnt[:6]]
    for kmin in (1, 3):
        agree(Nst(eps=0, n=4, kmin=kmin), 1_000_000, deeds, asked)


def test_a_run_leaves_nothing_to_the_next() -> None:
    policy = Nst(eps=0, n=4, kmin=1)
    compiled = Compiled(policy, 1000)
    compiled.set(policy.parameters())
    before = compiled.choose(MANY, [1, 2], 0, 7)
    for sequence in ([1, 2, 3], [5, 1, 2, 4]):
        compiled.learn(sequence, 0.5)
    assert compiled.choose(MANY, [1, 2], 0, 7)[2] != before[2]
    compiled.statistics.clear()
    compiled.numbers[ENTRIES] = 0
    assert compiled.choose(MANY, [1, 2], 0, 7) == before
    compiled.learn([2, 1, 3], 0.5)  # the entries of [1] and [2] change places
    assert compiled.choose([3, 4], [2, 1], 0, 7)[2] == [0.5, 1.0]
    compiled.learn([3, 1, 2, 3], 0.25)
    definition = Playouts(Guarded(TreeGame(corridor(1, 0.5))), policy, policy.parameters(), Room(1000))
    definition.learn([2, 1, 3], 0.5)
    definition.learn([3, 1, 2, 3], 0.25)
    for sequence in ([1, 2], [3, 1], [3, 1, 2], [2, 1]):
        assert compiled.choose(MANY, sequence, 1, 7)[2] == [definition.score(action, sequence) for action in MANY]

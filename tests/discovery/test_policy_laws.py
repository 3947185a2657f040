"""Bandit policies: laws that hold for all of them, and their texts."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.bandits.policies import make_policy
from domains.errors import UserError
from domains.randomness import Random
from tests.discovery.policy_tools import ALL, Instance, instances, run, state, told, twins

# Laws.


@pytest.mark.parametrize("name", ALL)
@given(instances())
@settings(max_examples=30, deadline=None)
def test_ask_is_pure_and_a_shorter_batch_is_the_beginning_of_a_longer(name: str, instance: Instance) -> None:
    policy, _ = twins(name, instance)
    random = Random(3)
    for batch in (7, 1, 30):
        before = state(policy)
        longer = policy.ask(batch)
        assert policy.ask(batch // 2).tolist() == longer[: batch // 2].tolist()
        assert policy.ask(batch).tolist() == longer.tolist()
        assert state(policy) == before
        policy.tell(longer, np.array([random.uniform01() for _ in longer]))


@pytest.mark.parametrize("name", [*ALL, "sampled-halving(each=80)"])
@given(st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_telling_again_restores_the_state_however_it_is_split(name: str, seed: int) -> None:
    random = Random(seed)
    policy = make_policy(name, 13, 400, seed)
    arms: list[int] = []
    rewards: list[float] = []
    for _ in range(9):
        asked = policy.ask(17)
        results = [random.uniform01() for _ in asked]
        policy.tell(asked, np.array(results))
        arms += asked.tolist()
        rewards += results
    again = make_policy(name, 13, 400, seed)
    start = 0
    while start < len(arms):
        end = start + 1 + random.below(60)
        again.tell(np.array(arms[start:end]), np.array(rewards[start:end]))
        start = end
    assert state(again) == state(policy)
    assert again.ask(50).tolist() == policy.ask(50).tolist()


@pytest.mark.parametrize("name", ALL)
def test_results_told_to_a_copy_do_not_reach_the_original(name: str) -> None:
    policy = told(name, [0.1, 0.2, 0.3])
    before = state(policy)
    copied = copy.deepcopy(policy)
    copied.tell(copied.ask(5), np.ones(5))
    assert state(policy) == before


@pytest.mark.parametrize("name", ["ucb1", "greedy(alpha=0.2)", "halving", "sampled-halving"])
@given(st.permutations(range(12)))
@settings(max_examples=20, deadline=None)
def test_another_order_of_the_arms_permutes_the_choices(name: str, order: list[int]) -> None:
    rewards = [math.sqrt(arm + 1) / 4 for arm in range(12)]
    if "halving" in name:
        plain, permuted = told(name, rewards, pulls=100), told(name, [rewards[arm] for arm in order], pulls=100)
        plain.tell(plain.ask(24), np.array([rewards[arm] for arm in plain.ask(24).tolist()]))
        permuted.tell(permuted.ask(24), np.array([rewards[order[arm]] for arm in permuted.ask(24).tolist()]))
        assert sorted(order[arm] for arm in permuted.ask(6).tolist()) == sorted(plain.ask(6).tolist())
        return
    plain, permuted = told(name, rewards), told(name, [rewards[arm] for arm in order])
    assert [order[arm] for arm in permuted.ask(30).tolist()] == plain.ask(30).tolist()


@pytest.mark.parametrize("name", ["ucb1", "greedy", "halving", "sampled-halving"])
def test_arms_alike_are_pulled_in_the_order_of_enumeration(name: str) -> None:
    assert told(name, [0.5] * 20).ask(20).tolist() == list(range(20))


@pytest.mark.parametrize("text", ["ucb1(c=0.5)", "greedy(alpha=2)"])
def test_a_batch_of_one_is_the_plain_bandit(text: str) -> None:
    rewards = [0.3, 0.7, 0.55]
    chosen = run(make_policy(text, 3, 60, 1), lambda arm, n: rewards[arm], batch=1)
    counts, sums = [0, 0, 0], [0.0, 0.0, 0.0]
    for t, pick in enumerate(chosen):
        if t < 3:
            assert pick == t
        else:
            bonus = [0.5 * math.sqrt(math.log(t) / n) if text.startswith("ucb1") else 2 / n for n in counts]
            assert pick == max(range(3), key=lambda arm: sums[arm] / counts[arm] + bonus[arm])
        counts[pick] += 1
        sums[pick] += rewards[pick]


def test_a_large_batch_over_few_arms_does_not_become_uniform() -> None:
    asked = told("ucb1(c=0.1)", [0.2, 0.9, 0.3]).ask(256)
    assert np.bincount(asked, minlength=3).tolist()[1] > 200


# Text.


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" ucb1 ( c = 0.30 ) ", "ucb1(c=0.3)"),
        ("ucb1()", make_policy("ucb1", 2, 2, 0).text),
        ("greedy(alpha=5)", "greedy(alpha=5)"),
        ("greedy(alpha=1e-3)", "greedy(alpha=0.001)"),
        ("thompson(sigma=2)", "thompson(sigma=2)"),
        ("halving", "halving"),
        ("sampled-halving", "sampled-halving(each=4)"),
        ("sampled-halving(10)", "sampled-halving(each=10)"),
        ("uniform", "uniform"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert make_policy(text, 2, 2, 0).text == canonical
    assert make_policy(canonical, 2, 2, 0).text == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ucb", "there is no bandit policy 'ucb'; did you mean 'ucb1'?"),
        (
            "nonsense",
            "there is no bandit policy 'nonsense'; there are ucb1, greedy, thompson, halving, sampled-halving, uniform",
        ),
        ("", "'' is not a bandit policy; write one such as ucb1, ucb1(c=0.1) or halving"),
        ("ucb1(c=0.1", "'ucb1(c=0.1' is not a bandit policy; write one such as ucb1, ucb1(c=0.1) or halving"),
        ("ucb1(c=-1)", "c of ucb1 cannot be -1; it takes a finite number of at least 0"),
        ("ucb1(c=nan)", "c of ucb1 cannot be nan; it takes a finite number of at least 0"),
        ("ucb1(c=inf)", "c of ucb1 cannot be inf; it takes a finite number of at least 0"),
        ("ucb1(c=high)", "c of ucb1 cannot be high; it takes a finite number of at least 0"),
        ("ucb1(c=)", "c of ucb1 cannot be empty; it takes a finite number of at least 0"),
        ("thompson(sigma=0)", "sigma of thompson cannot be 0; it takes a finite number above 0"),
        ("sampled-halving(each=0)", "each of sampled-halving cannot be 0; it takes a whole number from 1 to 2^63 - 1"),
        (
            "sampled-halving(each=2.5)",
            "each of sampled-halving cannot be 2.5; it takes a whole number from 1 to 2^63 - 1",
        ),
        ("sampled_halving", "there is no bandit policy 'sampled_halving'; did you mean 'sampled-halving'?"),
        ("ucb1(d=1)", "ucb1 has no parameter 'd'; it has c"),
        ("uniform(c=1)", "uniform has no parameter 'c'; it has none"),
        ("ucb1(c=1, c=2)", "ucb1 is given c twice"),
        ("uniform(3)", "'3' in uniform(…) is not of the form name=value; uniform has no parameters"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        make_policy(text, 2, 2, 0)
    assert str(error.value) == message


def test_the_first_parameter_by_its_place() -> None:
    assert make_policy("ucb1(0.3)", 2, 2, 0).text == make_policy("ucb1(c=0.3)", 2, 2, 0).text
    with pytest.raises(UserError) as error:
        make_policy("ucb1(0.3, 0.4)", 2, 2, 0)
    default = make_policy("ucb1", 2, 2, 0).text
    assert str(error.value) == f"'0.4' in ucb1(…) is not of the form name=value; write {default}"


@pytest.mark.parametrize(
    ("arms", "pulls", "message"),
    [
        (0, 5, "there are no candidates to choose from"),
        (3, 0, "the number of pulls cannot be 0; it is at least 1"),
        (
            3,
            2,
            "halving pulls every candidate at least once: 3 candidates need 3 pulls or more; "
            "sampled-halving takes fewer",
        ),
    ],
)
def test_too_few_arms_or_pulls(arms: int, pulls: int, message: str) -> None:
    with pytest.raises(UserError) as error:
        make_policy("halving", arms, pulls, 0)
    assert str(error.value) == message


@pytest.mark.parametrize("name", ALL)
def test_what_cannot_be_told(name: str) -> None:
    policy = make_policy(name, 2, 4, 0)
    with pytest.raises(ValueError, match="one finite reward for each arm"):
        policy.tell(np.array([0]), np.array([math.nan]))
    with pytest.raises(ValueError, match="one finite reward for each arm"):
        policy.tell(np.array([0, 1]), np.array([1.0]))
    run(policy, lambda arm, n: 0.5)
    with pytest.raises(ValueError, match="told of 5 pulls, 4 in all were planned"):
        policy.tell(np.array([0]), np.array([0.5]))

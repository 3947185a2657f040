"""What the tests of the policies share."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from discovery.bandits.policies import POLICIES, Policy, make_policy
from tests.discovery.naive_policies import NaiveHalving, NaivePolicy, NaiveSampledHalving, greedy, thompson, ucb1

ALL = list(POLICIES)
PULLS = 1000


def told(text: str, rewards: list[float], pulls: int = PULLS, seed: int = 1) -> Policy:
    """A policy that knows one reward of each arm."""
    policy = make_policy(text, len(rewards), pulls, seed)
    policy.tell(np.arange(len(rewards)), np.array(rewards))
    return policy


def state(policy: Policy) -> dict[str, Any]:
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in vars(policy).items()}


def run(policy: Policy, reward: Any, batch: int = 16) -> list[int]:
    """All pulls of a campaign in which reward(arm, n) is the result of the n-th pull of an arm."""
    pulled: list[int] = []
    while len(asked := policy.ask(batch)):
        counts = policy.counts.copy()
        rewards = []
        for arm in asked.tolist():
            rewards.append(reward(arm, int(counts[arm])))
            counts[arm] += 1
        policy.tell(asked, np.array(rewards))
        pulled += asked.tolist()
    return pulled


Instance = dict[str, Any]


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    arms = draw(st.integers(1, 40))
    return {
        "arms": arms,
        "pulls": draw(st.integers(1, 150)),
        "batches": draw(st.lists(st.integers(1, 30), min_size=1, max_size=6)),
        "levels": draw(st.sampled_from([2, 3, 10, 10**6])),
        "seed": draw(st.integers(0, 2**64 - 1)),
        "parameter": draw(st.sampled_from([0.01, 0.1, 0.5, 1.0, 5.0])),
        "each": draw(st.integers(1, 12)),
    }


def twins(name: str, given: Instance) -> tuple[Policy, NaivePolicy]:
    arms, pulls, seed, parameter = (given[key] for key in ("arms", "pulls", "seed", "parameter"))
    naive = {
        "ucb1": ("c", ucb1(parameter)),
        "greedy": ("alpha", greedy(parameter)),
        "thompson": ("sigma", thompson(parameter, seed)),
    }
    if name == "halving":
        enough = max(arms, pulls)
        return make_policy(name, arms, enough, seed), NaiveHalving(lambda *_: 0.0, arms, enough)
    if name == "sampled-halving":
        each = given["each"]
        naive_twin = NaiveSampledHalving(lambda *_: 0.0, arms, pulls, each=each, seed=seed)
        return make_policy(f"{name}(each={each})", arms, pulls, seed), naive_twin
    if name == "uniform":
        return make_policy(name, arms, pulls, seed), NaivePolicy(lambda arm, t, n, mean: -n, arms, pulls)
    parameter_name, index = naive[name]
    return make_policy(f"{name}({parameter_name}={parameter})", arms, pulls, seed), NaivePolicy(index, arms, pulls)

"""The names of the bandit policies. Apart from the policies, because help imports nothing that takes time."""

SHOWN = ("ucb1(c)", "greedy(alpha)", "thompson(sigma)", "halving", "sampled-halving(each)", "uniform")
"""As help lists them, with a parameter that is worth setting. `discovery.bandits.policies` has a class for each."""
NAMES = tuple(shown.partition("(")[0] for shown in SHOWN)
DEFAULT_POLICY = "sampled-halving"
"""What the replays in `results/policies.md` choose."""

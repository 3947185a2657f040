"""What holds where nothing is said, in commands and in Python. Nothing is imported: help is shown at once."""

DEFAULT_BUDGET = 1000
"""Evaluations of a run, or simulations of an agent's search."""
BUDGET_OF_A_TICK = 200
"""Evaluations before every action of a game under chance."""
SECONDS_OF_A_PULL = 600.0
"""After so many a pull has failed."""
YARDSTICK = "select(sim, 0.4)"
"""The agent to play against."""
DEFAULT_MAX_NODES = 10_000_000
"""Nodes that the trees of one run may hold together: some 700 MB in the compiled engine, and more where they learn."""
PULLS_PER_CANDIDATE = 100
"""Of a campaign, on average."""
BATCH_OF_PULLS = 256
"""Pulls that a bandit is asked for together."""
GAMES_OF_A_MATCH = 200
"""So that a percentage is known to some ±7."""

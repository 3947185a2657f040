"""What holds where nothing is said, in commands and in Python. Nothing is imported: help is shown at once."""

DEFAULT_BUDGET = 1000
"""Evaluations of a run, or simulations of an agent's search."""
BUDGET_OF_A_TICK = 200
"""Evaluations before every action of a game under chance."""
SECONDS_OF_A_PULL = 600.0
"""After so many a pull has failed."""
YARDSTICK = "select(sim, 0.4)"
"""The agent to play against."""

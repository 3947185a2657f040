"""Small domains for tests of evaluations, as the text of files of one's own."""

from pathlib import Path

COUNTDOWN = """
class Countdown:
    horizon = 6
    unit = "points"

    def sample(self, random):
        return [random.below(100)]

    def actions(self, state):
        return [1, 2, 3] if len(state) < 6 else []

    def play(self, state, action):
        state.append(action)

    def reward(self, state):
        return sum(state) % 7 / 6
"""

WITH_A_SCORE_OF_ITS_OWN = (
    COUNTDOWN
    + """
    def score(self, state):
        return 1000 * (sum(state) % 7) + state[0]
"""
)

COSTS = COUNTDOWN.replace("def reward", "minimise = (2.0, 14.0)\n\n    def cost").replace("/ 6", "* 2 + 2")

RAISES_ABOVE_80 = COUNTDOWN.replace(
    "return sum", "if state[0] > 80:\n            raise ValueError('no such sum')\n        return sum"
)

INTERRUPTED = COUNTDOWN.replace("return sum", "raise KeyboardInterrupt\n        return sum")


def write(folder: Path, text: str = COUNTDOWN, name: str = "countdown") -> str:
    """A file with the domain in it; what to call it on the command line is returned."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    return f"{path}:Countdown"

"""A problem in plain Python on which everything takes no time."""

import mcsgrammar as mg


class Words(mg.Domain):
    """Four letters; the more of them are b, the better, and one letter is worth more than the others."""

    horizon = 4
    unit = "<b>"

    def sample(self, random: mg.Domain) -> list[int]:
        return [random.below(4)]  # type: ignore[attr-defined]

    def actions(self, state: list[int]) -> list[int]:
        return [0, 1] if len(state) < 5 else []

    def play(self, state: list[int], action: int) -> None:
        state.append(action)

    def reward(self, state: list[int]) -> float:
        return (sum(state[1:]) + state[1 + state[0]]) / 5

"""A combination with what is known of it."""

from mcsgrammar.tuning.space import Combination


class Tried:
    def __init__(self, combination: Combination) -> None:
        self.combination = combination
        self.visits = 0
        self.total = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.visits

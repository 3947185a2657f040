"""`lsi`: linear side information (Shleyfman, Komenda and Domshlak, *On Combinatorial Actions and CMABs with Linear Side
Information*, 2014), as used for tuning by Sironi, Liu and Winands (2020).

Three phases over the N combinations it will be asked for:

    generation   a share of N: in each pass every value of every parameter is tried once, the other parameters at
                 random; the reward counts for that value alone. Then k draws make the candidates: value after value is
                 drawn in proportion to its mean
    evaluation   the rest of N: sequential halving among the candidates, each of which has a turn in every round
    the winner   is used from then on, and nothing is learnt any more

From three parameters on k is 2000. Candidates are no more than there are combinations: with a score of these a few
hundred N are enough for a winner, with hundreds some 20 000. With thousands, the rest of N is too short for so many
candidates unless N is some 50 000: until then the search ends before there is a winner, with few thousand N in the
first round, so that no candidate is chosen twice.
"""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from domains.randomness import Random
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Tune
from mcsgrammar.language.tuners import LinearSideInformation
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Space
from mcsgrammar.tuning.tried import Tried

if TYPE_CHECKING:
    from mcsgrammar.tuning.state import TunerState

GENERATING, EVALUATING, DECIDED = range(3)
"""The phases, as its twin calls them."""

FEW_PARAMETERS = 2
DRAWS_FOR_FEW, DRAWS_FOR_MANY = 20, 2000


class LinearSideInformationTuner(OnlineTuner):
    settings_class = LinearSideInformation

    @classmethod
    def check(cls, space: Space, tune: Tune, budget_in_seconds: bool) -> None:
        if budget_in_seconds:
            raise InvalidExpression(
                "lsi must know how many combinations it can try, which a budget in seconds does not say; "
                "give a budget in evaluations, or use another tuner, such as ntbea"
            )

    @classmethod
    def twin_numbers(cls, settings: LinearSideInformation, space: Space) -> dict[str, int]:
        draws = draws_of(settings, len(space.sizes))
        return {"k": draws, "work_room": max(sum(space.sizes), min(draws, space.legal_count))}

    @classmethod
    def best_of_twin(cls, twin: "TunerState") -> int | None:
        if twin.phase == DECIDED:
            return int(twin.work_key[0])
        evaluated = [place for place in range(twin.count) if twin.work_visits[place]]
        if twin.phase == GENERATING or not evaluated:
            return None
        return int(twin.work_key[max(evaluated, key=lambda place: twin.work_total[place] / twin.work_visits[place])])

    def __init__(self, space: Space, random: Random, settings: LinearSideInformation) -> None:
        super().__init__(space, random, settings)
        assert isinstance(settings.share, float)
        self.share = settings.share
        self.draws = draws_of(settings, len(space.sizes))
        self.total: int | None = None
        self.pairs = [(number, value) for number, size in enumerate(space.sizes) for value in range(size)]
        self.visits = [0] * len(self.pairs)
        self.totals = [0.0] * len(self.pairs)
        self.passes = 0
        self.candidates: list[Tried] = []
        self.winner: Combination | None = None
        self._start_pass()

    def hint(self, total: int) -> None:
        self.total = total

    # Generation.

    def _start_pass(self) -> None:
        self.pass_ = [(pair, self.space.draw(self.random, fixed)) for pair, fixed in enumerate(self.pairs)]
        self.random.shuffle_from_end(self.pass_)
        self.place = 0

    def _wanted_passes(self) -> float:
        """How many there will be; for ever while the number of combinations is not known."""
        if self.total is None:
            return math.inf
        return max(1, self._generation_samples() // len(self.pairs))

    def _generation_samples(self) -> int:
        """N_g; the rest of N is N_e."""
        assert self.total is not None
        return math.floor(self.share * self.total)

    def _draw_candidates(self) -> list[Tried]:
        distinct = dict.fromkeys(self._draw_candidate() for _ in range(self.draws))
        return [Tried(combination) for combination in distinct]

    def _draw_candidate(self) -> Combination:
        chosen: list[int | None] = [None] * len(self.space.sizes)
        while None in chosen:
            number, value = self._draw_pair(chosen)
            chosen[number] = value
        return tuple(value for value in chosen if value is not None)

    def _draw_pair(self, chosen: list[int | None]) -> tuple[int, int]:
        """A parameter that has no value yet and a feasible value for it, in proportion to the means of the values; all
        alike if all means are 0. One draw: it falls into the share of a parameter, and there into that of a value."""
        means = self._means()
        feasible = {number: self.space.feasible(chosen, number) for number, has in enumerate(chosen) if has is None}
        shares = {number: sequential_sum(means[number][v] for v in values) for number, values in feasible.items()}
        total = sequential_sum(shares.values())
        if total == 0:
            pairs = [(number, value) for number, values in feasible.items() for value in values]
            return pairs[self.random.below(len(pairs))]
        left = self.random.uniform01() * total
        drawn = max(number for number, share in shares.items() if share > 0)  # where rounding leaves something over
        for number, share in shares.items():
            if left < share:
                drawn = number
                break
            left -= share
        for value in feasible[drawn]:
            left -= means[drawn][value]
            if left < 0:
                return drawn, value
        return drawn, max(value for value in feasible[drawn] if means[drawn][value] > 0)

    def _means(self) -> list[list[float]]:
        """By parameter and value."""
        means: list[list[float]] = [[] for _ in self.space.sizes]
        for (number, _), visits, total in zip(self.pairs, self.visits, self.totals, strict=True):
            means[number].append(total / visits)
        return means

    # Evaluation.

    def _start_evaluation(self) -> None:
        assert self.total is not None
        self.candidates = self._draw_candidates()
        self.rounds = (len(self.candidates) - 1).bit_length()  # ceil(log2)
        if self.rounds == 0:
            self.winner = self.candidates[0].combination
        else:
            self.samples_a_round = (self.total - self._generation_samples()) // self.rounds
            self._start_round()

    def _start_round(self) -> None:
        self.turns = max(1, self.samples_a_round // len(self.candidates))
        """how often every candidate is still evaluated in this round"""
        self._start_turn()

    def _start_turn(self) -> None:
        self.order = list(range(len(self.candidates)))
        self.random.shuffle_from_end(self.order)
        self.place = 0

    def _end_turn(self) -> None:
        self.turns -= 1
        if self.turns > 0:
            self._start_turn()
            return
        self.candidates.sort(key=lambda one: -one.mean)  # stable
        self.candidates = self.candidates[: (len(self.candidates) + 1) // 2]
        if len(self.candidates) > 1:
            self._start_round()
        else:
            self.winner = self.candidates[0].combination

    # Ask and tell.

    def choose(self) -> Combination:
        if self.winner is not None:
            return self.winner
        if self.candidates:
            return self.candidates[self.order[self.place]].combination
        return self.pass_[self.place][1]

    def learn(self, combination: Combination, reward: float) -> None:
        if self.winner is not None:
            return
        if self.candidates:
            candidate = self.candidates[self.order[self.place]]
            candidate.visits += 1
            candidate.total += reward
            self.place += 1
            if self.place == len(self.candidates):
                self._end_turn()
            return
        pair = self.pass_[self.place][0]
        self.visits[pair] += 1
        self.totals[pair] += reward
        self.place += 1
        if self.place == len(self.pass_):
            self.passes += 1
            if self.passes < self._wanted_passes():
                self._start_pass()
            else:
                self._start_evaluation()

    def best(self) -> Combination | None:
        """The winner; before there is one, the leading candidate; before there are candidates, the best mean."""
        if self.winner is not None:
            return self.winner
        evaluated = [candidate for candidate in self.candidates if candidate.visits]
        if evaluated:
            return max(evaluated, key=lambda one: one.mean).combination
        return super().best()


def sequential_sum(numbers: Iterable[float]) -> float:
    """One after the other (`sum` may do better, and differently)."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def draws_of(settings: LinearSideInformation, parameters: int) -> int:
    """The k that holds for this number of parameters."""
    if settings.k is not None:
        assert isinstance(settings.k, int)
        return settings.k
    return DRAWS_FOR_FEW if parameters <= FEW_PARAMETERS else DRAWS_FOR_MANY

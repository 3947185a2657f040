"""How long a campaign will take, told before it begins: a few runs are timed, which are no part of it.

pilot      short runs of some candidates, timed in a worker
forecast   what is planned, and how long it takes if all runs are like those of the pilot
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from discovery.campaign.settings import Settings
from mcsgrammar.language.named import GENERIC

TIMED = 32
"""Candidates in the pilot, if there is time for all of them."""
GOLDEN = 0.6180339887
ROUND_NUMBERS = (10, 20, 50, 100, 200, 500, 1000)
"""Of test problems."""


MEASURED, MEASURED_AGENTS = 10, 5
"""How many of the best; agents all play each other."""


def usual_top(settings: Settings) -> int:
    """How many of the best are measured where nobody says how many."""
    return MEASURED if settings.against is None else MEASURED_AGENTS


@dataclass(frozen=True)
class Forecast:
    """What is planned. `seconds_per_pull` is None where no run came to its end."""

    settings: Settings
    pulls: int
    """that are left"""
    jobs: int
    seconds_per_pull: float | None
    reach: int | None = None
    """how many of the candidates the policy comes to; None: all of them"""

    @property
    def tried(self) -> int:
        return self.settings.candidates if self.reach is None else self.reach

    def seconds(self, runs: int, budget_share: float = 1.0) -> float:
        """Until so many runs are done; each has this share of the campaign's budget."""
        assert self.seconds_per_pull is not None
        return runs * self.seconds_per_pull * budget_share / self.jobs

    @property
    def of_pulls(self) -> "Forecast":
        """The same for the pulls of a campaign, of which no more run at a time than are asked for together."""
        return replace(self, jobs=min(self.jobs, self.settings.batch))


OnStart = Callable[[Forecast], None]
"""Called with the forecast, before the first pull."""


def pilot(texts: Sequence[str]) -> list[str]:
    """Candidates from everywhere among all of them, as the first few of these are."""
    count = min(TIMED, len(texts))
    spread = sorted(range(count), key=lambda i: i * GOLDEN % 1)
    return [texts[(2 * i + 1) * len(texts) // (2 * count)] for i in spread]


def runs_to_measure(settings: Settings, problems: int, best: int) -> int:
    """How many runs it takes to measure the `best` of a campaign beside the generic algorithms. These run on as many
    training problems too, to choose the one to compare with. Over a family all run on each domain, with a choice more
    for each that is left out. Agents play blocks, each against every other one."""
    if settings.against is None:
        if settings.family is None:
            return problems * (best + 2 * len(GENERIC))
        domains = len(settings.family)
        return problems * domains * (best + min(domains, settings.candidates) + 2 * len(GENERIC))
    agents = best + len(settings.against.others(settings.budget, settings.seconds))
    return problems * agents * (agents - 1) // 2


def default_test_problems(settings: Settings, pulls: int, best: int) -> int:
    """So many that measuring takes no more runs than the campaign, but from 10 to 1 000; a round number."""
    fitting = max(ROUND_NUMBERS[0], pulls // runs_to_measure(settings, 1, best))
    return max(number for number in ROUND_NUMBERS if number <= fitting)


@dataclass(frozen=True)
class Smaller:
    """A campaign that is done in the time wanted."""

    depth: int | None
    budget_divisor: int
    pulls_per_candidate: int


BUDGET_DIVISORS = (1, 2, 5, 10, 20, 50, 100)
PULLS_PER_CANDIDATE = (50, 20, 10, 5)


def smaller(
    forecast: Forecast, candidates_by_depth: Sequence[tuple[int | None, int]], best: int, seconds: float
) -> Smaller | None:
    """The same with fewer pulls; if these are too few to tell candidates apart, with fewer candidates; a smaller
    budget, which is another question, comes last. `candidates_by_depth` has the number of candidates for each depth
    that may be taken, the largest first. None if nothing is small enough."""
    for divisor in BUDGET_DIVISORS:
        for depth, candidates in candidates_by_depth:
            for each in PULLS_PER_CANDIDATE:
                pulls = each * candidates
                tested = min(best, candidates)
                problems = default_test_problems(forecast.settings, pulls, best)
                measuring = runs_to_measure(forecast.settings, problems, tested)
                if forecast.of_pulls.seconds(pulls, 1 / divisor) + forecast.seconds(measuring, 1 / divisor) <= seconds:
                    return Smaller(depth, divisor, each)
    return None

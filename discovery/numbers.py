"""Numbers as a report shows them: as many decimals as mean something, and a dash for what there is not."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from discovery.documents import with_checksum
from domains.errors import DomainError
from domains.problems import has_own_instances
from domains.protocol import Domain
from mcsgrammar.engines.guarding import guarded

MISSING = "–"
TRIED_REWARDS = 64


@dataclass(frozen=True)
class Scale:
    """How rewards are shown: in the domain's unit where that is a straight line, else as they are."""

    unit: str = "reward"
    less_is_better: bool = False
    zero: float = 0.0
    per_reward: float = 1.0
    untold: str | None = None
    """the domain's own unit, where rewards do not tell the score"""

    def of(self, reward: float) -> float:
        return self.zero + self.per_reward * reward

    def width(self, spread: float) -> float:
        """A standard deviation, or half an interval."""
        return abs(self.per_reward) * spread

    @property
    def decimals(self) -> int:
        """So many that a hundredth of what rewards span has two digits."""
        return decimals_for([abs(self.per_reward) / 100])

    @property
    def direction(self) -> str:
        text = direction_text(self.less_is_better)
        return text if self.untold is None else f"{text}, whatever that is in {self.untold}"


def direction_text(less_is_better: bool | None) -> str:
    """Which scores are better; empty where the domain cannot say."""
    return "" if less_is_better is None else "less is better" if less_is_better else "more is better"


REWARDS = Scale()
POINTS_SCALE = Scale("% of the points", per_reward=100.0)
"""Of agents, against others."""


def scale_of(domain: Domain) -> Scale:
    """The scale of the domain's scores. A score that is no straight line of the reward has no mean that the mean reward
    would tell, so such domains keep their rewards. Scores in whole numbers may be rounded."""
    own_rewards = Scale(untold=None if str(domain.unit) == REWARDS.unit else str(domain.unit))
    rewards = [i / TRIED_REWARDS for i in range(TRIED_REWARDS + 1)]
    try:
        found = guarded(domain, "score_of_reward", lambda: [domain.score_of_reward(r) for r in rewards])
        scores = [math.nan if score is None else float(score) for score in found]
    except (DomainError, TypeError, ValueError):
        return own_rewards
    if not all(map(math.isfinite, scores)):
        return own_rewards
    zero, one = scores[0], scores[-1]
    tolerance = 0.5 if all(map(float.is_integer, scores)) else 1e-9 * max(1.0, abs(zero), abs(one))
    straight = [zero + (one - zero) * reward for reward in rewards]
    if one == zero or any(abs(a - b) > tolerance for a, b in zip(scores, straight, strict=True)):
        return own_rewards
    return Scale(str(domain.unit), one < zero, zero, one - zero)


def units_of(domain: Domain) -> dict[str, Any]:
    """What a report says of the domain without its code; a campaign keeps it in its settings."""
    return units_in(scale_of(domain), has_own_instances(domain))


def units_in(scale: Scale, own_instances: bool = False) -> dict[str, Any]:
    return with_checksum({**asdict(scale), "own_instances": own_instances})


def scale_in(units: dict[str, Any]) -> Scale:
    return Scale(**{field.name: units[field.name] for field in fields(Scale)})


def decimals_for(errors: Iterable[float | None]) -> int:
    """So many that the smallest error above 0 has two digits."""
    known = [error for error in errors if error is not None and math.isfinite(error) and error > 0]
    return min(8, max(0, 1 - math.floor(math.log10(min(known))))) if known else 4


def fixed(value: float | None, decimals: int) -> str:
    if value is None or not math.isfinite(value):
        return MISSING
    text = f"{value:.{decimals}f}" if abs(value) < 1e9 else f"{value:.4g}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(value: float | None, decimals: int) -> str:
    text = fixed(value, decimals)
    return text if text.startswith("-") or text == MISSING else f"+{text}"


def grouped(number: int) -> str:
    return f"{number:,}"


def interval(ends: tuple[float, float] | None, decimals: int) -> str:
    return MISSING if ends is None else f"{fixed(ends[0], decimals)} to {fixed(ends[1], decimals)}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def p_text(p: float | None) -> str:
    return MISSING if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def plural(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def decimals_of_largest(values: Iterable[float]) -> int:
    """So many that the largest has three digits."""
    largest = max((abs(value) for value in values), default=0.0)
    return min(8, max(0, 2 - math.floor(math.log10(largest)))) if largest > 0 else 2

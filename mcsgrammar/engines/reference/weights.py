"""What `adapt` learns, and what `guided` knows: how probable the playouts find an action.

    odds of a where n > 1 actions are legal    exp(w(code(a))) exp(b(a) - the highest b of the n)
    probability                                these divided by their sum

w is what the innermost `adapt` under way has learnt, 0 for a code that it never met and where there is none; b(a) is
the sum of weight × feature under `guided`, 0 under `random`.

Policy adaptation is Rosin's (*Nested Rollout Policy Adaptation for Monte Carlo Tree Search*, 2011); with features it is
Cazenave's (*Generalized Nested Rollout Policy Adaptation*, 2020). To learn from a sequence is to walk along it: where
n > 1 actions are legal, each loses alpha times its probability, and the one that was played gains alpha. Probabilities
are those of before the walk. All that is gained and lost is added up and then added to the weights, which are kept
between -300 and 300: so the odds stay finite without looking at the highest of them.

Actions are learnt about by their codes (`code` of the domain), so that the same weight can stand for many. A code that
is learnt about for the first time in a run takes up the room of a node (`--max-nodes`); one for which there is none
left is not learnt.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from domains.portable_math import exp
from domains.randomness import Random
from mcsgrammar.engines.guarding import Guarded, bad_feature, changed_its_mind
from mcsgrammar.engines.reference.means import Room
from mcsgrammar.engines.rules import HIGHEST_WEIGHT

Weights = dict[Any, float]
"""By code; those that are missing are 0."""


class Teaching:
    """The weights of the adapts under way, and what they learn from."""

    def __init__(self, domain: Guarded, room: Room, feature_weights: Mapping[str, float] | None) -> None:
        """`feature_weights` are those of `guided` as they are at any time, None for another policy."""
        self.domain = domain
        self.room = room
        self.feature_weights = feature_weights
        self.under_way: list[Weights] = []
        """from the outside in"""
        self.known: set[Any] = set()
        """the codes that were ever learnt about"""

    def forget(self) -> None:
        """As before anything was learnt."""
        self.under_way.clear()
        self.known.clear()

    @property
    def weighs(self) -> bool:
        """Whether actions may differ in their odds."""
        return bool(self.under_way) or self.feature_weights is not None

    def begin(self) -> None:
        self.under_way.append(dict(self.under_way[-1]) if self.under_way else {})

    def end(self) -> None:
        self.under_way.pop()

    def odds(self, state: Any, actions: Sequence[Any], codes: Sequence[Any] | None = None) -> list[float]:
        """Of each of the legal actions in `state`."""
        priors = self.priors(state, actions)
        if not self.under_way:
            return priors
        weights = self.under_way[-1]
        if codes is None:
            codes = [self.domain.code(state, action) for action in actions]
        return [exp(weights.get(code, 0.0)) * prior for code, prior in zip(codes, priors, strict=True)]

    def priors(self, state: Any, actions: Sequence[Any]) -> list[float]:
        """The part of the odds that nobody learnt."""
        if self.feature_weights is None:
            return [1.0] * len(actions)
        sums = [self.weighted_sum(state, action) for action in actions]
        highest = max(sums)
        return [exp(one - highest) for one in sums]

    def weighted_sum(self, state: Any, action: Any) -> float:
        assert self.feature_weights is not None
        total = 0.0
        for name, number in zip(self.domain.features, self.domain.feature(state, action), strict=True):
            if name in self.feature_weights:
                total += self.feature_weights[name] * number
        if not abs(total) < float("inf"):
            raise bad_feature(self.domain.domain)
        return total

    def learn(self, prefix: Sequence[Any], state: Any, sequence: Sequence[Any], alpha: float) -> None:
        """Learn from the actions of `sequence` that follow `prefix`, which leads to `state`."""
        weights, changes = self.under_way[-1], dict[Any, float]()
        state = self.domain.copy(state)
        for place in range(len(prefix), len(sequence)):
            played = sequence[place]
            actions = list(self.domain.actions(state))
            if played not in actions:
                raise changed_its_mind(self.domain.domain, played)
            if len(actions) > 1:
                codes = [self.domain.code(state, action) for action in actions]
                odds = self.odds(state, actions, codes)
                total = 0.0
                for one in odds:
                    total += one
                share = alpha / total
                for code, one in zip(codes, odds, strict=True):
                    self._meet(code)
                    changes[code] = changes.get(code, 0.0) - one * share
                changes[codes[actions.index(played)]] += alpha
            state = self.domain.play(state, played, sequence[:place])
        for code, change in changes.items():
            if code in self.known:
                moved = weights.get(code, 0.0) + change
                weights[code] = min(max(moved, -HIGHEST_WEIGHT), HIGHEST_WEIGHT)

    def _meet(self, code: Any) -> None:
        if code not in self.known and self.room.take_entry():
            self.known.add(code)


def draw_by_odds(odds: Sequence[float], random: Random) -> int:
    """A place drawn in proportion to the odds, one draw."""
    sums, total = [], 0.0
    for one in odds:
        total += one
        sums.append(total)
    left = random.uniform01() * total
    return next(place for place, one in enumerate(sums) if one > left)

"""The playout policies: how `simulate` draws its actions, and what they learn from every final state.

    random   every action alike
    mast     move-average sampling (Finnsson and Björnsson, *Simulation-Based Approach to General Game Playing*, 2008):
             by Q(a), the mean reward of the runs in which a occurred, a run counting as often as a occurs in it; 1
             while it occurred in none
               tau    Gibbs: P(a) is proportional to exp(Q(a) / tau)
               eps    greedy: with probability eps any action, else one with the highest Q
    nst      N-gram selection (Tak, Winands and Björnsson, *N-Grams and the Last-Good-Reply Policy Applied in General
             Game Playing*, 2012): greedy by T(a), the plain mean over the grams that a would complete: a alone, and the
             last 2, 3, … n actions, a included, where these occurred at least kmin times; 1 while a never occurred
    guided   by what the problem knows: P(a) is proportional to exp(the sum of weight × feature). Inside `adapt` it and
             `random` draw by what is learnt, too

Decay (Tak, Winands and Björnsson, *Decaying Simulation Strategies*, 2014) multiplies counts and keeps means:

    move_decay    all counts, when the outermost step commits an action
    batch_decay   all counts, after every `batch` final states
    sim_decay     the counts of the grams in a final state's sequence, after it is learnt, once an occurrence

Whatever the order, a final state is learnt first, then sim_decay, then batch_decay.

Glossary
    gram   some consecutive actions, as a tuple
"""

from collections.abc import Mapping, Sequence
from typing import Any

from domains.portable_math import exp
from domains.randomness import Random
from mcsgrammar.engines.guarding import Guarded
from mcsgrammar.engines.reference.means import Means, Room
from mcsgrammar.engines.reference.weights import Teaching, draw_by_odds
from mcsgrammar.engines.rules import LOWEST_ODDS, UNSEEN
from mcsgrammar.language.policies import Guided, Nst, PlayoutPolicy


class Playouts:
    """The statistics of one run, and the choice of actions by them."""

    def __init__(self, domain: Guarded, policy: PlayoutPolicy, settings: Mapping[str, Any], room: Room) -> None:
        """`settings` holds the policy's parameters as they are at any time."""
        self.policy = policy
        self.settings = settings
        self.grams = Means(room)
        self.longest = policy.longest_gram
        self.finals_since_decay = 0
        self.teaching = Teaching(domain, room, settings if isinstance(policy, Guided) else None)

    def choose(self, state: Any, actions: Sequence[Any], sequence: Sequence[Any], random: Random) -> int:
        """The place of the action drawn in `state`, which `sequence` leads to."""
        settings = self.settings
        if self.teaching.weighs:
            return draw_by_odds(self.teaching.odds(state, actions), random)
        if self.longest == 0:
            return random.below(len(actions))
        scores = [self.score(action, sequence) for action in actions]
        if self.policy.way == "gibbs":
            return draw_by_odds(gibbs_odds(scores, settings["tau"]), random)
        if random.uniform01() < settings["eps"]:
            return random.below(len(actions))
        highest = max(scores)
        ties = [place for place, score in enumerate(scores) if score == highest]
        return ties[random.below(len(ties))]

    def probabilities(self, state: Any, actions: Sequence[Any], sequence: Sequence[Any]) -> list[float]:
        """Of the legal actions, under a policy that gives each its own."""
        if self.policy.way == "gibbs":
            odds = gibbs_odds([self.score(action, sequence) for action in actions], self.settings["tau"])
        else:
            odds = self.teaching.odds(state, actions)
        total = 0.0
        for one in odds:
            total += one
        return [one / total for one in odds]

    def score(self, action: Any, sequence: Sequence[Any]) -> float:
        """Q or T."""
        if self.grams.count((action,)) == 0:
            return UNSEEN
        total, met = self.grams.mean((action,)), 1
        for length in range(2, self.settings["n"] + 1 if isinstance(self.policy, Nst) else 1):
            if length > len(sequence) + 1:
                break
            gram = (*sequence[len(sequence) - length + 1 :], action)
            count = self.grams.count(gram)
            if count > 0 and count >= self.settings["kmin"]:
                total += self.grams.mean(gram)
                met += 1
        return total / met

    def learn(self, sequence: Sequence[Any], reward: float) -> None:
        """A final state was reached by `sequence`; `reward` lies in [0, 1]."""
        if self.longest == 0:
            return
        for gram in self._grams_of(sequence):
            self.grams.add(gram, reward)
        if self.settings["sim_decay"] != 1:
            for gram in self._grams_of(sequence):
                self.grams.decay(gram, self.settings["sim_decay"])
        self.count_final()

    def count_final(self) -> None:
        """A final state was learnt: decay what decays after many."""
        self.finals_since_decay += 1
        if self.finals_since_decay >= self.settings["batch"]:
            self.finals_since_decay = 0
            if self.settings["batch_decay"] != 1:
                self.grams.decay_all(self.settings["batch_decay"])

    def _grams_of(self, sequence: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [gram for end in range(1, len(sequence) + 1) for gram in self.grams_ending(sequence, end)]

    def grams_ending(self, sequence: Sequence[Any], end: int) -> list[tuple[Any, ...]]:
        """Those whose last action is the one before the place `end`, the shortest first."""
        return [tuple(sequence[end - length : end]) for length in range(1, min(self.longest, end) + 1)]

    def committed(self) -> None:
        """The outermost step has committed an action."""
        if self.longest and self.settings["move_decay"] != 1:
            self.grams.decay_all(self.settings["move_decay"])


def gibbs_odds(scores: Sequence[float], tau: float) -> list[float]:
    """exp((score - 1) / tau): that of an action does not depend on the others, so that it need not be computed anew
    for every choice. Where these vanish, the highest as 1."""
    odds = [exp((score - UNSEEN) / tau) for score in scores]
    total = 0.0
    for one in odds:
        total += one
    if total < LOWEST_ODDS:
        highest = max(scores)
        odds = [exp((score - highest) / tau) for score in scores]
    return odds

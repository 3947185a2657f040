"""The selection policies: what a child of a node in the tree of `select` is worth.

    ucb1      Q + c sqrt(ln n(x) / n)      Auer, Cesa-Bianchi and Fischer (2002); Kocsis and Szepesvári (2006)
    grave     (1 - β) Q + β AMAF(s', a) + c sqrt(ln n(x) / n)
              Cazenave, *Generalized Rapid Action Value Estimation* (2015). s' is the nearest node on the way up that
              has at least `ref` visits, the local root if none has; ref = 0 is RAVE (Gelly and Silver, 2007)
                k      β = sqrt(k / (3 N + k)), N the visits of the node itself
                bias   β = m / (m + n + bias m n), m the count of AMAF(s', a)
    history   Q + c sqrt(ln n(x) / n) + H(a) w / ((1 - Q) n + 1)
              progressive history (Nijssen and Winands, *Enhancements for Multi-Player Monte-Carlo Tree Search*, 2010).
              H(a) is the mean reward of the runs in which a occurred, once for each occurrence; 1 while it occurred
              in none
    puct      Q + c P(a) sqrt(max(1, n(x))) / (1 + n)
              Rosin, *Multi-armed Bandits with Episode Context* (2011), as Silver et al. (2016) have it. P(a) is the
              probability that the playout policy gives the action now, among all that are legal

Q is the child's mean, n its visits, n(x) those of all children together.

    fpu   what an untried child is worth; inf: untried children come first, the playout policy chooses among them. To a
          finite one history adds H(a) w; and where there is an AMAF mean, that takes its place: AMAF + c sqrt(ln n(x))
    t     in a node with fewer visits the playout policy chooses
    norm  1: Q and AMAF count as (Q - lo) / (hi - lo), lo and hi the least and the greatest result that invocations
          handed to the node itself; as they are while these are alike. (So c need not know how far results lie apart:
          `Utils.normalise` of GVGAI's sampleMCTS. History is a mean over the whole run, and is not scaled. AMAF of a
          node above is scaled as Q is, and may lie far outside 0 to 1)
    vo    any child worth at least the highest value less vo may be chosen

The local root is the node at which the select was invoked: in a step, where the game stands after the moves committed.

AMAF(s, a), all moves as first: the mean result of the invocations of the select that passed s, from their local root
on, and whose best sequence has a after s; each invocation counts once. (Nodes above the local root are not what is
searched. Kept up to date, too, they would cost 25 000 updates an evaluation at the end of a game of Sudoku.)
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from domains.portable_math import log
from mcsgrammar.engines.reference.means import Means, Room
from mcsgrammar.engines.rules import LARGEST, UNSEEN
from mcsgrammar.language.policies import Grave, History, Puct, SelectionPolicy


class Arm(Protocol):
    """What is chosen among: the children of a node, or in a game the actions of a role."""

    action: Any
    visits: int

    @property
    def mean(self) -> float: ...


class Visited(Protocol):
    visits: int


SomeNode = TypeVar("SomeNode", bound=Visited)


class Node:
    """A state in the tree of a select, reached from its parent by `action`."""

    __slots__ = ("action", "amaf", "bottom", "children", "exhausted", "top", "total", "visits")

    def __init__(self, action: Any = None) -> None:
        self.action = action
        self.visits = 0
        self.total = 0.0
        self.top = -math.inf
        """the best result seen below"""
        self.bottom = math.inf
        """the least"""
        self.children: list[Node] = []
        self.exhausted = False
        """nothing is left to explore: the state is final, or all children are exhausted"""
        self.amaf: Means | None = None

    @property
    def mean(self) -> float:
        return self.total / self.visits

    def with_all_below(self) -> "list[Node]":
        nodes = [self]
        for node in nodes:
            nodes += node.children
        return nodes

    def all_moves_as_first(self, room: Room) -> Means:
        if self.amaf is None:
            self.amaf = Means(room)
        return self.amaf


class Scaled:
    """How far a result lies from the least towards the greatest at a node; without a node, as it is."""

    def __init__(self, node: Node | None = None) -> None:
        self.least, self.span = (node.bottom, node.top - node.bottom) if node and node.visits else (0.0, 0.0)

    def __call__(self, result: float) -> float:
        return (result - self.least) / self.span if self.span > 0 else result


def reference_node(ref: float, path: Sequence[SomeNode]) -> SomeNode:
    """Whose AMAF counts at the end of the path, which begins at the local root."""
    return next((node for node in reversed(path) if node.visits >= ref), path[0])


def values_of(
    policy: SelectionPolicy,
    settings: Mapping[str, Any],
    visits: int,
    arms: Sequence[Arm],
    scale: float,
    scaled: Scaled,
    amaf: Means | None,
    histories: Means,
    priors: Sequence[float] = (),
) -> list[float]:
    """What the arms of a node with so many visits are worth. `amaf` is that of the reference node; `priors` are the
    arms' probabilities, where the policy asks for them; `scale` is what its constant comes to, by `scale_of`;
    `scaled` tells how means count."""
    fpu = settings["fpu"]
    if isinstance(policy, Puct):
        return [puct_value(arm, scale, fpu, prior) for arm, prior in zip(arms, priors, strict=True)]
    if isinstance(policy, History):
        worths = [histories.mean(arm.action) if histories.count(arm.action) else UNSEEN for arm in arms]
        return [
            history_value(arm, scale, fpu, worth, settings["w"], scaled)
            for arm, worth in zip(arms, worths, strict=True)
        ]
    if isinstance(policy, Grave) and settings["k"] != 0:
        values = []
        for arm in arms:
            count = amaf.count(arm.action) if amaf else 0.0
            mean = amaf.mean(arm.action) if amaf and count else None
            if settings["k"] is not None:
                beta = beta_of_k(settings["k"], visits)
            else:
                beta = beta_of_bias(settings["bias"], count, arm.visits) if count else 0.0
            values.append(grave_value(arm, scale, fpu, beta, mean, scaled))
        return values
    return [ucb1_value(arm, scale, fpu, scaled) for arm in arms]


def scale_of(policy: SelectionPolicy, c: float, arms: Sequence[Arm]) -> float:
    """c sqrt(ln n(x)), for puct c sqrt(max(1, n(x))); kept finite. `arms` are all those of the node."""
    n = sum(arm.visits for arm in arms)
    if isinstance(policy, Puct):
        return min(c * math.sqrt(float(max(1, n))), LARGEST)
    return min(c * math.sqrt(log(float(n))), LARGEST) if n else 0.0


def puct_value(arm: Arm, scale: float, fpu: float, prior: float) -> float:
    return (arm.mean if arm.visits else fpu) + scale * prior / (1.0 + arm.visits)


def spread(visits: int) -> float:
    """1 / sqrt(n); what was not visited counts as visited once."""
    return 1 / math.sqrt(visits) if visits else 1.0


def ucb1_value(arm: Arm, scale: float, fpu: float, scaled: Scaled) -> float:
    return scaled(arm.mean) + scale * spread(arm.visits) if arm.visits else fpu


def beta_of_k(k: float, visits: int) -> float:
    if k == 0:
        return 0.0
    return 1.0 if k == math.inf else math.sqrt(k / (3.0 * visits + k))


def beta_of_bias(bias: float, amaf_count: float, visits: int) -> float:
    return amaf_count / (amaf_count + visits + bias * amaf_count * visits)


def grave_value(arm: Arm, scale: float, fpu: float, beta: float, amaf: float | None, scaled: Scaled) -> float:
    """`amaf` is AMAF(s', a), None while there is none."""
    if amaf is None:
        return ucb1_value(arm, scale, fpu, scaled)
    amaf = scaled(amaf)
    exploitation = (1.0 - beta) * scaled(arm.mean) + beta * amaf if arm.visits else amaf
    return exploitation + scale * spread(arm.visits)


def history_value(arm: Arm, scale: float, fpu: float, history: float, w: float, scaled: Scaled) -> float:
    if arm.visits == 0:
        return fpu + history * w
    mean = scaled(arm.mean)
    # Under maes2013 a mean may pass 1.
    bonus = history * w / (max(1.0 - mean, 0.0) * arm.visits + 1.0)
    return mean + scale * spread(arm.visits) + bonus

"""The selection policies: what a child of a node in the tree of `select` is worth.

    ucb1      Q + c sqrt(ln n(x) / n)      Auer, Cesa-Bianchi and Fischer (2002); Kocsis and Szepesvári (2006)
    grave     (1 - β) Q + β AMAF(s', a) + c sqrt(ln n(x) / n)
              Cazenave, *Generalized Rapid Action Value Estimation* (2015). s' is the nearest node on the way up that
              has at least `ref` visits, the local root if none has; ref = 0 is RAVE (Gelly and Silver, 2007)
                k      β = sqrt(k / (3 N + k)), N the visits of the node itself
                bias   β = m / (m + n + bias m n), m the count of AMAF(s', a)
    history   Q + c sqrt(ln n(x) / n) + H(a) w / ((1 - Q) n + 1)
              progressive history (Nijssen and Winands, *Enhancements for Multi-Player Monte-Carlo Tree Search*, 2010).
              H(a) is the mean reward of the runs in which a occurred; 1 while it occurred in none
    puct      Q + c P(a) sqrt(max(1, n(x))) / (1 + n)
              Rosin, *Multi-armed Bandits with Episode Context* (2011), as Silver et al. (2016) have it. P(a) is the
              probability that the playout policy gives the action now, among all that are legal

Q is the child's mean, n its visits, n(x) those of all children together.

    fpu   what an untried child is worth; inf: untried children come first, the playout policy chooses among them. To a
          finite one history adds H(a) w; and where there is an AMAF mean, that takes its place: AMAF + c sqrt(ln n(x))
    t     in a node with fewer visits the playout policy chooses
    norm  1: Q and AMAF count as (Q - lo) / (hi - lo), lo and hi the least and the greatest result that invocations
          handed to the node itself; as they are while these are alike. (So c need not know how far results lie apart:
          `Utils.normalise` of GVGAI's sampleMCTS. History is a mean over the whole run, and is not scaled)
    vo    any child worth at least the highest value less vo may be chosen

The local root is the node at which the select was invoked: in a step, where the game stands after the moves committed.

AMAF(s, a), all moves as first: the mean result of the invocations of the select that passed s, from their local root
on, and whose best sequence has a after s; each invocation counts once. (Nodes above the local root are not what is
searched. Kept up to date, too, they would cost 25 000 updates an evaluation at the end of a game of Sudoku.)
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from domains.portable_math import log
from mcsgrammar.engines.reference.means import Means, Room
from mcsgrammar.engines.rules import LARGEST, UNSEEN
from mcsgrammar.language.policies import Grave, History, Puct, SelectionPolicy


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

    def all_moves_as_first(self, room: Room) -> Means:
        if self.amaf is None:
            self.amaf = Means(room)
        return self.amaf


def values_of(
    policy: SelectionPolicy,
    settings: Mapping[str, Any],
    path: Sequence[Node],
    children: Sequence[Node],
    scale: float,
    histories: Means,
    priors: Sequence[float] = (),
) -> list[float]:
    """What the children of the last node of the path are worth; the path begins at the local root. `priors` are the
    children's probabilities, where the policy asks for them; `scale` is what the policy's constant comes to, by
    `scale_of`."""
    fpu = settings["fpu"]
    if isinstance(policy, Puct):
        return [puct_value(child, scale, fpu, prior) for child, prior in zip(children, priors, strict=True)]
    scaled = Scaled(path[-1]) if settings["norm"] else Scaled()
    if isinstance(policy, History):
        worths = [histories.mean(child.action) if histories.count(child.action) else UNSEEN for child in children]
        return [
            history_value(child, scale, fpu, worth, settings["w"], scaled)
            for child, worth in zip(children, worths, strict=True)
        ]
    if isinstance(policy, Grave) and settings["k"] != 0:
        reference = next((node for node in reversed(path) if node.visits >= settings["ref"]), path[0])
        values = []
        for child in children:
            count = reference.amaf.count(child.action) if reference.amaf else 0.0
            amaf = reference.amaf.mean(child.action) if reference.amaf and count else None
            if settings["k"] is not None:
                beta = beta_of_k(settings["k"], path[-1].visits)
            else:
                beta = beta_of_bias(settings["bias"], count, child.visits) if count else 0.0
            values.append(grave_value(child, scale, fpu, beta, amaf, scaled))
        return values
    return [ucb1_value(child, scale, fpu, scaled) for child in children]


class Scaled:
    """How far a result lies from the least towards the greatest at a node; without a node, as it is."""

    def __init__(self, node: Node | None = None) -> None:
        self.least, self.span = (node.bottom, node.top - node.bottom) if node and node.visits else (0.0, 0.0)

    def __call__(self, result: float) -> float:
        return (result - self.least) / self.span if self.span > 0 else result


def scale_of(policy: SelectionPolicy, c: float, node: Node) -> float:
    """c sqrt(ln n(x)), for puct c sqrt(max(1, n(x))); kept finite."""
    n = sum(child.visits for child in node.children)
    if isinstance(policy, Puct):
        return min(c * math.sqrt(float(max(1, n))), LARGEST)
    return min(c * math.sqrt(log(float(n))), LARGEST) if n else 0.0


def puct_value(child: Node, scale: float, fpu: float, prior: float) -> float:
    return (child.mean if child.visits else fpu) + scale * prior / (1.0 + child.visits)


def spread(visits: int) -> float:
    """1 / sqrt(n); what was not visited counts as visited once."""
    return 1 / math.sqrt(visits) if visits else 1.0


def ucb1_value(child: Node, scale: float, fpu: float, scaled: Scaled) -> float:
    return scaled(child.mean) + scale * spread(child.visits) if child.visits else fpu


def beta_of_k(k: float, visits: int) -> float:
    if k == 0:
        return 0.0
    return 1.0 if k == math.inf else math.sqrt(k / (3.0 * visits + k))


def beta_of_bias(bias: float, amaf_count: float, visits: int) -> float:
    return amaf_count / (amaf_count + visits + bias * amaf_count * visits)


def grave_value(child: Node, scale: float, fpu: float, beta: float, amaf: float | None, scaled: Scaled) -> float:
    """`amaf` is AMAF(s', a), None while there is none."""
    if amaf is None:
        return ucb1_value(child, scale, fpu, scaled)
    amaf = scaled(amaf)
    exploitation = (1.0 - beta) * scaled(child.mean) + beta * amaf if child.visits else amaf
    return exploitation + scale * spread(child.visits)


def history_value(child: Node, scale: float, fpu: float, history: float, w: float, scaled: Scaled) -> float:
    if child.visits == 0:
        return fpu + history * w
    mean = scaled(child.mean)
    # Under maes2013 a mean may pass 1.
    bonus = history * w / (max(1.0 - mean, 0.0) * child.visits + 1.0)
    return mean + scale * spread(child.visits) + bonus

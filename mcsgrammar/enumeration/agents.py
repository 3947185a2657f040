"""The agents among the candidates: `step(S, mean)` and `step(S, visits)` for all S that may play in a match."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from domains.protocol import Domain
from mcsgrammar.engines.arena.agents import RULES_OF_AGENTS, WHY_NOT, NoAgent, agent_of
from mcsgrammar.enumeration.candidates import Candidates, candidates
from mcsgrammar.enumeration.pruning import SPENT_INSIDE
from mcsgrammar.language.expressions import Component, Step

PLAYOUTS_OF_AGENTS = (
    "random",
    "mast(eps=0.4)",
    "mast(eps=0.4, move_decay=0.2)",
    "mast(tau=0.1)",
    "mast(tau=0.1, move_decay=0.4)",
    "nst(eps=0.2, kmin=7, move_decay=0.6)",
)
TREES_OF_AGENTS = (
    "0.2",
    "0.4",
    "0.7",
    "1",
    "ucb1(c=0.2, vo=0.01, fpu=1)",
    "ucb1(c=0.4, t=5)",
    "grave(c=0.2, ref=50, k=250)",
    "grave(c=0.2, vo=0.01, fpu=1, ref=50, k=250)",
    "history(c=0.4)",
)
REPETITIONS_OF_AGENTS = (5,)
CONSTANTS_OF_AGENTS = {
    "sim": ", ".join(PLAYOUTS_OF_AGENTS),
    "select": ", ".join(TREES_OF_AGENTS),
    "repeat": ", ".join(map(str, REPETITIONS_OF_AGENTS)),
}
"""What the candidates are made of where nobody says anything else: what the papers on general game playing use."""


@dataclass(frozen=True)
class AgentCandidates:
    agents: tuple[Step, ...]
    """each once, in the order of the enumeration"""
    expressions: int
    """how many S there were"""
    left_out: dict[str, int]
    """how many of them are no agents, by the names in `WHY_NOT` and of the rule for budgets"""

    def notes(self) -> list[str]:
        """What was left out, and why, in sentences."""
        reasons = {**WHY_NOT, SPENT_INSIDE.name: SPENT_INSIDE.reason}
        return [
            f"{count:,} of {self.expressions:,} expressions are left out by the rule {name}: {reasons[name]}"
            for name, count in self.left_out.items()
        ]


def agents_among(expressions: Iterable[Component], game: Domain, budget: int | None) -> AgentCandidates:
    """Those of the expressions that can be S, with both rules to commit by. `budget` is of a search, in simulations."""
    agents: dict[Step, None] = {}
    left_out: Counter[str] = Counter()
    everything = list(expressions)
    for expression in everything:
        try:
            inside = agent_of(expression, game).component
        except NoAgent as error:
            left_out[error.why] += 1
            continue
        if budget is not None and SPENT_INSIDE.applies(expression, budget):
            left_out[SPENT_INSIDE.name] += 1
        else:
            agents.update(dict.fromkeys(Step(inside, rule) for rule in RULES_OF_AGENTS))
    return AgentCandidates(tuple(agents), len(everything), dict(left_out))


def agents_up_to(depth: int, enumerated: Candidates, game: Domain, budget: int | None) -> AgentCandidates:
    """Those of an enumeration with no more than `depth` components, `step` among them."""
    inside = Candidates(max(1, depth - 1), enumerated.constants, enumerated.tuners)
    return agents_among(inside, game, budget)


def usual_agents(game: Domain, budget: int | None) -> AgentCandidates:
    """The candidates where nobody says anything else."""
    usual = candidates(5, REPETITIONS_OF_AGENTS, TREES_OF_AGENTS, PLAYOUTS_OF_AGENTS)
    return agents_up_to(usual.depth, usual, game, budget)

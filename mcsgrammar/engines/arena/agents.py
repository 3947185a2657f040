"""What may play in a match: search algorithms of the form `step(S, RULE)`.

The outermost `step` is the match itself: at every step of the game S searches from the state at hand, then RULE commits
an action. S is one `select` around `sim`, with `repeat` and `tune` where one likes. A text without `step` stands for
`step(TEXT, mean)`.
"""

import math
import re
from collections.abc import Sequence

from domains.protocol import Domain
from domains.registry import canonical_text
from mcsgrammar.language.components import require_closed
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import (
    Adapt,
    Component,
    Lookahead,
    Repeat,
    Select,
    Simulate,
    Step,
    Tune,
    Uct,
)
from mcsgrammar.language.named import NAMED
from mcsgrammar.language.parameters import Choice, value_text
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import EXPLORATION, Guided
from mcsgrammar.tuning.making import check_tune
from mcsgrammar.wording import shortened

USUAL_C = "0.5"
BY_BEST_SEQUENCE = ("la", "nmc", "rmc", "mcts", "uct", "metamcts")
"""The named algorithms that commit by it."""
RULES_OF_AGENTS = ("mean", "visits")

WHY_NOT = {
    "no-tree": "an agent is one select around sim, with repeat and tune; the others need not follow a best sequence",
    "norm": "the least and the greatest result at a node are not kept for each role",
    "guided": "games have no features of actions",
    "depth": "the playouts of an agent run to the end of the game",
    "open-repeat": "every role has a tuner of its own, and all of them would choose the one N",
}
"""What keeps expressions from being agents, by the names under which they are counted."""


class NoAgent(InvalidExpression):
    """What cannot play in a match, for the reason in `WHY_NOT` that goes by the name `why`."""

    def __init__(
        self, problem: str, text: str | None = None, span: tuple[int, int] | None = None, why: str = "no-tree"
    ) -> None:
        super().__init__(problem, text, span)
        self.why = why


def agent_of(given: str | Component, game: Domain) -> Step:
    """The agent that is meant; `InvalidExpression` if it cannot play in a match of this game."""
    if isinstance(given, str):
        _refuse_named(given)
        given = parse(given)
    expression = require_closed(given)
    if isinstance(expression, Uct):
        raise _by_best_sequence(str(expression), value_text(expression.c))
    if isinstance(expression, Step):
        _check_rule(expression, game)
        _check_shape(expression, list(expression.component.walk()), game)
        agent = expression
    else:
        _check_shape(expression, list(expression.walk()), game)
        agent = Step(expression, "mean")
    _check_parts(agent, game)
    return agent


def _refuse_named(text: str) -> None:
    written = re.fullmatch(r"\s*([a-z]+)\s*(?:\(\s*([^,(){}\[\]]*).*\))?\s*", text, re.DOTALL)
    if written is None or written[1] not in BY_BEST_SEQUENCE:
        return
    parse(text)  # what is wrong with it in itself comes first
    takes_c = NAMED[written[1]].arguments[0].kind is EXPLORATION
    raise _by_best_sequence(text.strip(), written[2].strip() if takes_c and written[2] else USUAL_C)


def _by_best_sequence(text: str, c: str) -> NoAgent:
    return NoAgent(f"{shortened(text)} commits by its best sequence; as an agent write select(sim, {c})")


def _check_rule(agent: Step, game: Domain) -> None:
    for rule in agent.commit_rules:
        if rule in RULES_OF_AGENTS:
            continue
        if len(game.roles) == 1:
            raise NoAgent(
                f"in a match step commits by a mean or by visits, not by '{rule}'; write step(…, mean) or "
                "step(…, visits)"
            )
        raise NoAgent(
            f"step commits by '{rule}' only where one role plays alone: the others need not follow its best sequence; "
            "write step(…, mean) or step(…, visits)"
        )


def _check_shape(whole: Component, parts: Sequence[Component], game: Domain) -> None:
    """One `select` around `sim`, and nothing else but `repeat` and `tune`."""
    reason = next((reason for part in parts if (reason := _why_not(part))), None)
    selects = sum(isinstance(part, Select) for part in parts)
    if reason is None and selects != 1:
        reason = f"{shortened(str(whole))} has {'no select' if selects == 0 else f'{selects} of them'}"
    if reason is None:
        return
    roles = f"{canonical_text(game)} has {len(game.roles)} roles; " if len(game.roles) > 1 else ""
    raise NoAgent(
        f"{roles}an agent is step(S, mean) with one select around sim inside S, and repeat and tune where you like; "
        f"{reason}"
    )


def _why_not(part: Component) -> str | None:
    """Why no agent has a part like this inside S; None if it may."""
    text = shortened(str(part))
    if isinstance(part, Lookahead):
        return f"{text} keeps the best of what it tries, which the other roles can refuse"
    if isinstance(part, Step | Uct):
        return f"{text} plays to the end alone; the step of an agent is the match itself, outside everything else"
    if isinstance(part, Adapt):
        return f"{text} learns from the best of what it tries, which the other roles can refuse"
    return None


def _check_parts(agent: Step, game: Domain) -> None:
    for part in agent.walk():
        if isinstance(part, Simulate):
            _check_playouts(part)
        if isinstance(part, Select):
            _check_means(part)
        if isinstance(part, Repeat) and part.own_open_parameters() and len(game.roles) > 1:
            raise NoAgent(
                f"every role has a tuner of its own, and the N of {shortened(str(part))} would be chosen by all of "
                "them; give it a fixed value",
                why="open-repeat",
            )
        if isinstance(part, Tune):
            check_tune(agent, part, budget_in_seconds=False)


def _check_means(select: Select) -> None:
    norm = select.policy.parameters().get("norm", 0)
    if any(norm.values) if isinstance(norm, Choice) else norm:
        raise NoAgent(
            f"{shortened(str(select.policy))} scales means by the least and the greatest result at a node, which are "
            "not kept for each role; leave norm out",
            why="norm",
        )


def _check_playouts(simulate: Simulate) -> None:
    if isinstance(simulate.policy, Guided):
        raise NoAgent(
            f"{shortened(str(simulate))} goes by features of actions, which games do not have; use random, mast or nst",
            why="guided",
        )
    depth = simulate.policy.parameters()["depth"]
    if any(value != math.inf for value in (depth.values if isinstance(depth, Choice) else (depth,))):
        raise NoAgent(
            f"{shortened(str(simulate))} cuts playouts off, and those of an agent run to the end of the game; leave "
            "depth out",
            why="depth",
        )

"""Expressions in words, for people who meet one for the first time."""

from mcsgrammar.language.expressions import Component, Lookahead, Repeat, Select, Simulate, Step, Tune, Uct
from mcsgrammar.language.parameters import Choice, value_text
from mcsgrammar.language.policies import RandomPlayout, Ucb1

COMMITTED = {
    "best": "the next action of the best sequence so far",
    "mean": "the action with the highest mean reward in the tree",
    "visits": "the action with the most visits in the tree",
    "max": "the action with the highest reward in the tree",
}
"""What `step` commits, by its commit rule."""


def explain(component: Component) -> str:
    """What the component does with the one inside it, in a few words."""
    match component:
        case Simulate(policy=RandomPlayout() as policy) if policy == RandomPlayout():
            return "one random playout to the end"
        case Simulate():
            return f"one playout to the end, its actions chosen by {component.policy}"
        case Repeat():
            return f"{value_text(component.count)} times from the same state"
        case Lookahead():
            return "once after each legal action, in random order"
        case Step(commit=Choice() as rules):
            return f"then commit an action by one of the rules {rules}, and again, until the end"
        case Step():
            return f"then commit {COMMITTED[str(component.commit)]}, and again, until the end"
        case Select(policy=Ucb1() as policy) if policy.is_only_c():
            return f"from a leaf of a growing tree, found by UCB1 with C = {value_text(policy.c)}"
        case Select():
            return f"from a leaf of a growing tree, found by {component.policy}"
        case Tune():
            names = ", ".join(f"{bound.name} in {bound.values}" for bound in component.bound)
            return f"with {names}, chosen each time by {component.tuner}"
        case Uct():
            return f"single-player UCT with C = {value_text(component.c)}"
        case _:
            return ""


def tree_lines(expression: Component) -> list[str]:
    """The components from the outside in, one a line, with what each does."""
    parts = list(expression.walk())
    names = [("" if i == 0 else "   " * (i - 1) + "└─ ") + part.name for i, part in enumerate(parts)]
    width = max(len(name) for name in names)
    return [f"{name:<{width}}   {explain(part)}".rstrip() for name, part in zip(names, parts, strict=True)]

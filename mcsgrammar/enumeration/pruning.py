"""Which expressions are not worth a candidate's place, as data: one rule a line, with its reason and examples."""

from collections.abc import Callable
from dataclasses import dataclass

from mcsgrammar.language.components import Component
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Adapt, Repeat, Select, Simulate, Step
from mcsgrammar.language.parameters import COUNT_LIMIT


@dataclass(frozen=True)
class PruningRule:
    """`applies` says whether the rule prunes an expression; `claim` is what a test shows on the engines."""

    name: str
    reason: str
    claim: str
    kept: str
    pruned: str
    applies: Callable[[Component], bool]


def starts_with_repeat(expression: Component) -> bool:
    return isinstance(expression, Repeat)


def has_directly_nested(kind: type[Component]) -> Callable[[Component], bool]:
    """Whether a component of this kind stands directly inside another of the same kind; `tune` keeps them apart."""

    def applies(expression: Component) -> bool:
        return any(
            isinstance(outer, kind) and any(isinstance(inner, kind) for inner in outer.children)
            for outer in expression.walk()
        )

    return applies


def is_nested_in_vain(component: Component) -> bool:
    """Whether a select around it would do nothing more than it does."""
    if not isinstance(component, Select):
        return False
    innermost = component.innermost
    return not isinstance(innermost, Simulate) or innermost.policy.to_the_end != ""


RULES: tuple[PruningRule, ...] = (
    PruningRule(
        name="repeat-at-root",
        reason="a run repeats its outermost component until the budget is spent anyway",
        claim="the same run as without it",
        kept="step(sim)",
        pruned="repeat(step(sim), 10)",
        applies=starts_with_repeat,
    ),
    PruningRule(
        name="select-in-select",
        reason="the inner select is called once for each leaf of the outer one, so it never meets a state again",
        claim="the same run as without the inner select, until a subtree is exhausted",
        kept="select(sim, 0.5)",
        pruned="select(select(sim, 1), 0.5)",
        applies=lambda expression: any(
            isinstance(outer, Select) and is_nested_in_vain(outer.component) for outer in expression.walk()
        ),
    ),
    PruningRule(
        name="repeat-in-repeat",
        reason="nested repeats are one repeat of their product, which becomes a constant of its own",
        claim="the same run as the collapsed expression",
        kept="step(repeat(sim, 10))",
        pruned="step(repeat(repeat(sim, 5), 2))",
        applies=has_directly_nested(Repeat),
    ),
)


@dataclass(frozen=True)
class BudgetRule:
    """A rule that depends on the evaluations that a run may spend."""

    name: str
    reason: str
    claim: str
    applies: Callable[[Component, int], bool]


def spends_inside(expression: Component, budget: int) -> bool:
    """Whether a component's first invocation of its sub-component takes all evaluations there are."""
    return any(
        isinstance(part, Repeat | Step | Select | Adapt) and (part.component.evaluations or 0) >= budget
        for part in expression.walk()
    )


SPENT_INSIDE = BudgetRule(
    name="spent-inside",
    reason="the sub-component alone spends the budget, so what stands around it adds nothing",
    claim="the same run as without that component",
    applies=spends_inside,
)


def collapse_repeats(expression: Component) -> Component:
    """The expression with nested repeats multiplied into one."""
    if not expression.children:
        return expression
    inner = collapse_repeats(expression.children[0])
    if (
        isinstance(expression, Repeat)
        and isinstance(inner, Repeat)
        and isinstance(expression.count, int)
        and isinstance(inner.count, int)
    ):
        return Repeat(inner.component, checked_product(expression.count, inner.count))
    return expression.around(inner)


def checked_product(first: int, second: int) -> int:
    if first * second >= COUNT_LIMIT:
        raise InvalidExpression(
            f"nested repeats multiply to {first} * {second}, which does not fit 64 bits; "
            "use smaller numbers of repetitions or a smaller depth"
        )
    return first * second

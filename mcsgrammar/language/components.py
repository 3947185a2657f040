"""What all components share; the components themselves are in `expressions.py`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parameters import Choice, Interval, OpenParameter, Value, shown
from mcsgrammar.wording import shown_object

DEPTH_LIMIT = 64
"""Expressions nest at most this deep."""

SUB_COMPONENT = "S"
"""What the sub-component is called among the arguments."""

ADVICE_LIMIT = 100
"""Longer expressions are not repeated in a message."""


@dataclass(frozen=True, repr=False)
class Component:
    """What all components share. Equality and hash are those of the fields."""

    name: ClassVar[str]
    argument: ClassVar[str] = ""
    """What its own argument is called, beside the sub-component; several stand apart by commas."""
    usage: ClassVar[str] = ""
    """How it is written, for the manual, as the next two."""
    example: ClassVar[str] = ""
    remarks: ClassVar[str] = ""
    """What the manual says of its arguments."""

    def __post_init__(self) -> None:
        for child in self.children:
            if not isinstance(child, Component):
                raise InvalidExpression(f"{self.name} needs a component inside, not {shown_object(child)}")
        if self.depth > DEPTH_LIMIT or self.size > 2 * DEPTH_LIMIT:
            raise InvalidExpression(f"the expression nests too deep; at most {DEPTH_LIMIT} components are allowed")

    @classmethod
    def read(cls, *parts: Any) -> "Component":
        """From what stands between the brackets; the sub-component may come before or after the argument."""
        return cls(*sorted(parts, key=lambda part: not isinstance(part, Component)))

    @property
    def children(self) -> "tuple[Component, ...]":
        """The sub-components: one, or none for `simulate`."""
        return ()

    def around(self, component: "Component") -> "Component":
        """The same component around another sub-component; itself where it has none."""
        return self

    @cached_property
    def depth(self) -> int:
        return 1 + max((child.depth for child in self.children), default=0)

    @cached_property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)

    @cached_property
    def text(self) -> str:
        arguments = ", ".join([*map(str, self.children), *self.written_arguments()])
        return f"{self.name}({arguments})" if arguments else self.name

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"parse({self.text!r})"

    def written_arguments(self) -> list[str]:
        """Those that follow the sub-component in the canonical text."""
        return []

    def in_words(self) -> str:
        """What it does with the component inside it, in a few words."""
        return ""

    @property
    def evaluations(self) -> int | None:
        """What every invocation costs, None where that differs from one to the next."""
        return None

    @property
    def is_plain(self) -> bool:
        """Whether it needs no statistics, no policy that learns and no tuner."""
        return not self.own_open_parameters()

    def settings(self) -> dict[str, Any]:
        """The parameters that a search reads anew whenever it needs them, because a tuner may have changed them."""
        return {}

    @property
    def settings_owner(self) -> str:
        """Whose parameters these are, as a tuner's report says it."""
        return self.name

    def own_open_parameters(self) -> list[OpenParameter]:
        """The open parameters of this component itself."""
        return []

    def own_if_open(self, value: Value) -> list[OpenParameter]:
        """The value of `argument` as an open parameter, if it is one."""
        return [OpenParameter(self.name, self.argument, value)] if isinstance(value, Choice | Interval) else []

    @property
    def innermost(self) -> "Component":
        """The component at the bottom of all nesting."""
        below: Component = self
        while below.children:
            below = below.children[0]
        return below

    @cached_property
    def unbound(self) -> tuple[OpenParameter, ...]:
        """The open parameters in here that no `tune` in here binds."""
        inner = [parameter for child in self.children for parameter in child.unbound]
        return (*self.own_open_parameters(), *inner)

    def walk(self) -> "Iterator[Component]":
        """This component and all inside it, from the outside in."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, repr=False)
class Nest(Component):
    """A component with one sub-component."""

    component: Component

    @property
    def children(self) -> tuple[Component, ...]:
        return (self.component,)

    def around(self, component: Component) -> Component:
        return replace(self, component=component)


def require_closed(expression: Component) -> Component:
    """The expression itself; `InvalidExpression` if it has an open parameter outside any `tune`."""
    if expression.unbound:
        raise not_closed(expression, expression.unbound[0])
    return expression


def not_closed(expression: Component, parameter: OpenParameter) -> InvalidExpression:
    """What to say of an open parameter outside any `tune`."""
    kinds = {type(unbound.values) for unbound in expression.unbound}
    if len(kinds) > 1:
        advice = "no tuner takes both lists and intervals, so write only lists {…, …} inside tune(…, ntbea)"
    else:
        tuner = "cmaes" if kinds == {Interval} else "ntbea"
        text = str(expression)
        advice = f"write tune({text}, {tuner})" if len(text) <= ADVICE_LIMIT else f"write tune(…, {tuner}) around it"
    return InvalidExpression(
        f"{parameter} is open, but no tune(…) around it chooses its value from {shown(parameter.values)}; "
        f"{advice}, or give it a fixed value"
    )

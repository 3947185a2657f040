"""Expressions in words, for people who meet one for the first time."""

from mcsgrammar.language.components import Component


def tree_lines(expression: Component) -> list[str]:
    """The components from the outside in, one a line, with what each does."""
    parts = list(expression.walk())
    names = [("" if i == 0 else "   " * (i - 1) + "└─ ") + part.name for i, part in enumerate(parts)]
    width = max(len(name) for name in names)
    return [f"{name:<{width}}   {part.in_words()}".rstrip() for name, part in zip(names, parts, strict=True)]

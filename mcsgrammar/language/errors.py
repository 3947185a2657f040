"""The stages at which something can be wrong with an expression. Each has its own error and says where and what to do.

Running out of budget is not among them: that is a *stop reason* of a run.
"""

from domains.errors import DomainError, UnknownDomain, UserError

__all__ = ["DomainError", "ExpressionError", "ExpressionSyntaxError", "InvalidExpression", "UnknownDomain", "UserError"]

CARET_WINDOW = 72
"""How much of a long line is shown around the caret."""
WHITE_SPACE = " \t\r\n\f"
"""What may stand between the words of an expression."""


class ExpressionError(UserError):
    """Something is wrong with an expression; `text` and `span` say where, when it was read from text."""

    def __init__(self, problem: str, text: str | None = None, span: tuple[int, int] | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.text = text
        self.span = span

    def __str__(self) -> str:
        if self.text is None or self.span is None:
            return self.problem
        return f"{self.problem}\n{caret(self.text, self.span)}"


class ExpressionSyntaxError(ExpressionError):
    """The text is not an expression of the language."""


class InvalidExpression(ExpressionError):
    """The text reads as an expression, but a value or a combination is not allowed.

    `argument` is the one at fault, by the name that its component, policy or named algorithm gives it; none, if it is
    the whole.
    """

    def __init__(
        self,
        problem: str,
        text: str | None = None,
        span: tuple[int, int] | None = None,
        argument: str | None = None,
    ) -> None:
        super().__init__(problem, text, span)
        self.argument = argument


def caret(text: str, span: tuple[int, int]) -> str:
    """The line of `text` that holds `span`, cut to a window, with carets under the span."""
    start, end = span
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : len(text) if line_end == -1 else line_end]
    column, width = start - line_start, max(1, end - start)
    left = max(0, column - CARET_WINDOW // 2)
    shown = line[left : left + CARET_WINDOW]
    before = "…" if left else ""
    after = "…" if left + CARET_WINDOW < len(line) else ""
    one_wide = "".join(c if c.isprintable() else " " if c in WHITE_SPACE else "?" for c in shown)
    carets = "^" * min(width, max(1, len(shown) - (column - left)))
    return f"  {before}{one_wide}{after}\n  {' ' * (len(before) + column - left)}{carets}"

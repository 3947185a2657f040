"""The text of a bandit policy, `name` or `name(parameter=value, …)`, and what is wrong with it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from domains.errors import UserError
from mcsgrammar.language.parameters import Count, Real, checked, number_text
from mcsgrammar.wording import suggestion

Parameters = Mapping[str, tuple[Real | Count, float]]
"""The parameters of a policy: the values each takes, and its default."""

SHOWN = 30
"""Characters of what was typed that a message repeats."""


def read_policy_text(text: str, known: Mapping[str, Parameters]) -> tuple[str, dict[str, Any]]:
    """The name of a known policy, and the values it is given, unchecked."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise UserError(f"'{text[:SHOWN]}' is not a bandit policy; write one such as ucb1, ucb1(c=0.1) or halving")
    policy, arguments = match[1], match[2] or ""
    if policy not in known:
        raise UserError(f"there is no bandit policy '{policy[:SHOWN]}'" + suggestion(policy, known))
    values: dict[str, Any] = {}
    for position, item in enumerate(arguments.split(",") if arguments.strip() else []):
        name, equals, value = (part.strip() for part in item.partition("="))
        if position == 0 and name and not equals and known[policy]:
            name, equals, value = next(iter(known[policy])), "=", name  # the first, by its place
        if not equals or not name:
            example = ", ".join(f"{key}={number_text(default)}" for key, (_, default) in known[policy].items())
            said = f"write {policy}({example})" if example else f"{policy} has no parameters"
            raise UserError(f"'{item.strip()[:SHOWN]}' in {policy}(…) is not of the form name=value; {said}")
        if name in values:
            raise UserError(f"{policy} is given {name[:SHOWN]} twice")
        values[name] = _number(value)
    return policy, values


def checked_values(policy: str, parameters: Parameters, given: Mapping[str, Any]) -> dict[str, float]:
    """All parameters of a policy, those not given at their defaults. Raises `UserError` with what is allowed."""
    values = {name: default for name, (_, default) in parameters.items()}
    for name, value in given.items():
        if name not in parameters:
            raise UserError(f"{policy} has no parameter '{name[:SHOWN]}'; it has {_listed(parameters)}")
        held: Any = checked(policy, name, parameters[name][0], value, may_be_open=False)
        values[name] = float(held)
    return values


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text or "empty"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"

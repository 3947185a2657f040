"""The same expression, typed by somebody else."""

import random

from mcsgrammar.language.expressions import Adapt, Component, Lookahead, Repeat, Select, Simulate, Step, Tune, Uct
from mcsgrammar.language.parameters import Choice, Interval, Parametrised, Value, parameters_of
from mcsgrammar.language.policies import Guided, Ucb1

GAPS = ("", "", " ", "  ", "\t", "\n", "\r\n ")


def respelled(expression: Component, rng: random.Random) -> str:
    """Another text of the expression: free white space, either order of arguments, long names, defaults written."""
    return "".join(rng.choice(GAPS) + token for token in [*_tokens(expression, rng), ""])


def _tokens(expression: Component, rng: random.Random) -> list[str]:
    match expression:
        case Simulate(policy=policy):
            named = rng.choice((["sim"], ["simulate"]))
            written = _policy_tokens(policy, rng)
            return named if written == ["random"] and rng.random() < 0.5 else [*named, "(", *written, ")"]
        case Uct():
            return ["uct", "(", *_value_tokens(expression.c, rng), ")"]
        case Repeat():
            return _call("repeat", expression, _value_tokens(expression.count, rng), rng)
        case Lookahead():
            return ["lookahead", "(", *_tokens(expression.component, rng), ")"]
        case Step():
            silent = expression.commit == "best" and rng.random() < 0.5
            return _call("step", expression, [] if silent else _value_tokens(expression.commit, rng), rng)
        case Select(policy=policy):
            brief = isinstance(policy, Ucb1) and policy.is_only_c() and rng.random() < 0.5
            silent = policy == Ucb1() and rng.random() < 0.5
            c = _value_tokens(policy.c, rng) if isinstance(policy, Ucb1) else []
            return _call("select", expression, [] if silent else c if brief else _policy_tokens(policy, rng), rng)
        case Adapt():
            silent = expression.alpha == 1.0 and rng.random() < 0.5
            alpha = [] if silent else [",", *_value_tokens(expression.alpha, rng)]
            return _call("adapt", expression, [*_value_tokens(expression.iterations, rng), *alpha], rng)
        case Tune():
            return _call("tune", expression, _policy_tokens(expression.tuner, rng), rng)
        case _:
            raise NotImplementedError(expression)


def _call(name: str, outer: Repeat | Step | Select | Adapt | Tune, beside: list[str], rng: random.Random) -> list[str]:
    arguments = [_tokens(outer.component, rng), *([beside] if beside else [])]
    rng.shuffle(arguments)
    return [name, "(", *_separated(arguments), ")"]


def _policy_tokens(policy: Parametrised, rng: random.Random) -> list[str]:
    weights = policy.weights if isinstance(policy, Guided) else ()
    arguments = [[name, "=", *_value_tokens(weight, rng)] for name, weight in weights]
    for f in parameters_of(policy):
        value = getattr(policy, f.name)
        if value is None or (value == f.default and rng.random() < 0.5):
            continue
        arguments.append([f.name.removesuffix("_"), "=", *_value_tokens(value, rng)])
    rng.shuffle(arguments)
    return [policy.name, "(", *_separated(arguments), ")"] if arguments else [policy.name]


def _value_tokens(value: Value, rng: random.Random) -> list[str]:
    match value:
        case Choice():
            return ["{", *_separated([_value_tokens(v, rng) for v in value.values]), "}"]
        case Interval():
            return ["[", *_value_tokens(value.low, rng), "..", *_value_tokens(value.high, rng), "]"]
        case str():
            return [value]
        case int():
            return [rng.choice((str(value), f"{value}.0", f"0{value}"))]
        case float():
            sign = "+" if value >= 0 else ""
            return [rng.choice((repr(value), f"{value:.17e}", sign + repr(value)))]


def _separated(arguments: list[list[str]]) -> list[str]:
    tokens: list[str] = []
    for argument in arguments:
        tokens += [",", *argument] if tokens else argument
    return tokens

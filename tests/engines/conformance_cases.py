"""The conformance suite: one file per domain, each case a search and what comes of it, bit for bit.

    python -m tests.engines.conformance_cases     computes all outcomes anew, with the reference engine

A changed outcome means that every result published so far changes its meaning. Regenerate only for a change of the
rules that is wanted, and say so.

    expression, seed, budget, semantics, max_nodes    what is run
    problem                                           on domain.sample(Random(problem))
    reward, curve                                     floats as float.hex() writes them
    actions, evaluations, stop_reason, tree_nodes, tree_full
    tunings                                           where there is a tune: what the tuner did
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from domains.protocol import Domain
from domains.randomness import Random
from domains.registry import find_domain
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.results import RunResult, Tuning
from mcsgrammar.engines.searching import EngineName, Limits, search
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse

FOLDER = Path(__file__).with_name("conformance")

DOMAINS = {
    "sudoku:2": 300,
    "sudoku:3": 200,
    "sudoku:4": 100,
    "regression:length=3": 300,
    "regression:length=11": 300,
    "regression:length=21,set=robustness": 100,
    "morpion:4D": 100,
    "morpion:5T": 50,
    "queens": 150,
    "samegame:width=5,height=6,colours=3": 100,
    "tsptw:cities=8": 150,
}
"""What the reference engine can evaluate in a quarter of a second or so."""

EXPRESSIONS = (
    ("sim", "standard", DEFAULT_MAX_NODES),
    ("step(repeat(sim, 3))", "standard", DEFAULT_MAX_NODES),
    ("step(lookahead(step(lookahead(sim))))", "standard", DEFAULT_MAX_NODES),
    ("lookahead(lookahead(repeat(sim, 2)))", "standard", DEFAULT_MAX_NODES),
    ("select(sim, 0.5)", "standard", DEFAULT_MAX_NODES),
    ("step(repeat(select(sim, 0.3), 10))", "maes2013", DEFAULT_MAX_NODES),
    ("lookahead(select(step(select(sim, 1)), 0))", "standard", 200),
    ("select(repeat(lookahead(sim), 2), 0)", "maes2013", 100),
)

ADAPTIVE_DOMAINS = ("sudoku:3", "regression:length=11", "queens")
INNER = "select(sim(mast(eps={0, 0.2, 0.4})), grave(c={0.1, 0.3}, ref={0, 5, inf}, k={0, 50}))"
ADAPTIVE_EXPRESSIONS = (
    ("step(repeat(select(sim(mast(tau=0.1)), grave(c=0.2, ref=5)), 20))", "standard", DEFAULT_MAX_NODES),
    ("step(repeat(select(sim(nst(kmin=2, move_decay=0.6)), history(fpu=1, vo=0.01)), 15), visits)", "standard", 3000),
    ("step(sim(nst(eps=0.1, n=2, kmin=1, batch_decay=0.9, batch=5, sim_decay=0.94)))", "standard", DEFAULT_MAX_NODES),
    ("select(sim, ucb1(c=0.3, t=4, fpu=0.7))", "maes2013", DEFAULT_MAX_NODES),
    *(
        (f"step(repeat(tune({INNER}, {tuner}), 10))", "standard", DEFAULT_MAX_NODES)
        for tuner in ("random", "mab", "nmc(b=2)", "local", "lsi", "ea(lambda=6, mu=3)", "ntbea")
    ),
    ("tune(step(repeat(select(sim, {0, 0.5}), {2, 5}), {best, mean, max}), ntbea)", "standard", DEFAULT_MAX_NODES),
    ("step(step(sim(nst(kmin=1, move_decay=0.6))))", "maes2013", DEFAULT_MAX_NODES),
)
"""The tuner cmaes is left out: its library may compute other last bits elsewhere."""

LEARNING_DOMAINS = (
    "sudoku:3",
    "regression:length=11",
    "morpion:5T",
    "samegame:width=5,height=6,colours=3",
    "tsptw:cities=8",
)
LEARNING_EXPRESSIONS = (
    ("adapt(adapt(sim, 5), 10)", "standard", DEFAULT_MAX_NODES),
    ("step(adapt(adapt(step(sim), 2, 0.5), 3, 2))", "maes2013", DEFAULT_MAX_NODES),
    ("adapt(select(repeat(adapt(sim, 4), 2), 0.5), 8)", "standard", 300),
    ("step(repeat(select(adapt(sim, 3), puct), 5), visits)", "standard", DEFAULT_MAX_NODES),
    ("adapt(select(sim, puct(c=0.5, fpu=1)), 20)", "standard", 200),
    ("select(sim(mast(tau=0.1)), puct(t=3))", "standard", DEFAULT_MAX_NODES),
    ("tune(adapt(adapt(sim, {2, 5}), 5, {0.5, 1, 2}), nmc)", "standard", DEFAULT_MAX_NODES),
)
GUIDED = {
    "samegame:width=5,height=6,colours=3": "guided(size=2, commonest=-1)",
    "tsptw:cities=8": "guided(distance=-4, late=-2, wait=-1)",
}
GUIDED_EXPRESSIONS = (
    ("step(sim({}))", "standard", DEFAULT_MAX_NODES),
    ("adapt(adapt(sim({}), 4), 6)", "standard", DEFAULT_MAX_NODES),
    ("select(adapt(sim({}), 5), puct(vo=0.02))", "standard", 150),
)


def cases(name: str, budget: int) -> Iterator[dict[str, Any]]:
    """Whatever is added stands after what was there: a case's number decides over its problem and its seed."""
    listed = EXPRESSIONS + (ADAPTIVE_EXPRESSIONS if name in ADAPTIVE_DOMAINS else ())
    listed += LEARNING_EXPRESSIONS if name in LEARNING_DOMAINS else ()
    if name in GUIDED:
        listed += tuple((expression.format(GUIDED[name]), *how) for expression, *how in GUIDED_EXPRESSIONS)
    for number, (expression, semantics, max_nodes) in enumerate(listed):
        yield {
            "expression": expression,
            "problem": number,
            "seed": 0x9E3779B97F4A7C15 * (number + 1) % 2**64,
            "budget": budget + number,
            "semantics": semantics,
            "max_nodes": max_nodes,
        }


def outcome_of(domain: Domain, expression: Component, case: dict[str, Any], engine: EngineName) -> dict[str, Any]:
    """What running a case comes to, as the files hold it."""
    result = search(
        domain,
        domain.sample(Random(case["problem"])),
        expression,
        case["seed"],
        Limits(case["budget"], max_nodes=case["max_nodes"]),
        case["semantics"],
        engine,
    )
    return as_json(result)


def as_json(result: RunResult) -> dict[str, Any]:
    assert result.reward is not None
    return {
        "reward": result.reward.hex(),
        "actions": list(result.actions),
        "evaluations": result.evaluations,
        "stop_reason": result.stop_reason,
        "tree_nodes": result.tree_nodes,
        "tree_full": result.tree_full,
        "curve": [[at, reward.hex()] for at, reward in result.curve],
    } | ({"tunings": [_tuning(tuning) for tuning in result.tunings]} if result.tunings else {})


def _tuning(tuning: Tuning) -> dict[str, Any]:
    used = [[[str(value) for value in values], times, mean.hex()] for values, times, mean in tuning.used[:3]]
    return {
        "choices": tuning.choices,
        "best": None if tuning.best is None else [str(value) for value in tuning.best],
        "combinations": len(tuning.used),
        "most_used": used,
    }


def file_of(name: str) -> Path:
    return FOLDER / (name.replace(":", "-").replace(",", "-").replace("=", "-") + ".json")


def regenerate() -> None:
    for name, budget in DOMAINS.items():
        domain = find_domain(name)
        rows = [
            case | {"outcome": outcome_of(domain, parse(case["expression"]), case, "reference")}
            for case in cases(name, budget)
        ]
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        text = f'{{"domain": {json.dumps(name)}, "cases": [\n{lines}\n]}}\n'
        file_of(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    regenerate()

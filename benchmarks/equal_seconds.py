"""What `tours.py` and `boards.py` share: searches on the same problems for equal CPU seconds, and the rows of a table.

All contenders play a problem in turn, then the next problem, so that whatever slows the machine down slows all of them.
Seconds are CPU seconds of the thread that searches; an expression that comes to its end before begins anew, and the
best of all counts.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from domains.protocol import Domain, replay
from mcsgrammar.cli.progress import ProgressLine
from mcsgrammar.engines.searching import Limits, compiled_engine, prepare, search
from mcsgrammar.language.parsing import parse

WARMING_UP = 0.05


@dataclass(frozen=True)
class Contender:
    """Whoever solves problems: `solve(number, initial, seconds)` is the final state, None if none was found."""

    name: str
    solve: Callable[[int, Any, float], Any]
    takes_time: bool = True
    """False: a rule, which is played once, whatever the seconds"""


def searching(domain: Domain, text: str, seed: int) -> Contender:
    expression = parse(text)

    def solve(number: int, initial: Any, seconds: float) -> Any:
        limits = Limits(seconds=seconds)
        prepared = prepare(expression, domain, limits)
        found = search(domain, initial, prepared, seed + number, limits, engine="compiled")
        if found.stop_reason == "interrupted":
            raise KeyboardInterrupt
        return replay(domain, initial, found.actions)

    return Contender(f"`{text}`", solve)


def played(
    domain: Domain, initials: Sequence[Any], contenders: Sequence[Contender], seconds: Sequence[float]
) -> list[list[list[Any]]]:
    """Final states by contender, seconds and problem."""
    compiled = compiled_engine(domain)
    compiled.warm_up(compiled.ready(initials[0]))
    ends: list[list[list[Any]]] = [[[] for _ in seconds] for _ in contenders]
    with ProgressLine() as line:
        for contender in contenders:
            contender.solve(0, initials[0], WARMING_UP)
        for number, initial in enumerate(initials):
            for contender, own in zip(contenders, ends, strict=True):
                line.show(f"problem {number + 1} of {len(initials)}: {contender.name}")
                for k, limit in enumerate(seconds):
                    again = k > 0 and not contender.takes_time
                    own[k].append(own[0][number] if again else contender.solve(number, initial, limit))
    return ends


def best_of_problems(scores: list[list[list[float]]], choose: Callable[..., float]) -> list[float]:
    """For each problem what the best of all came to, in any time; `choose` is min or max."""
    every = [column for own in scores for column in own]
    return [choose(results) for results in zip(*every, strict=True)]


def mean_and_error(values: Sequence[float], digits: int) -> str:
    if len(values) < 2:
        return f"{values[0]:.{digits}f}"
    return f"{statistics.fmean(values):.{digits}f} ± {statistics.stdev(values) / len(values) ** 0.5:.{digits}f}"

"""Which algorithm looks for long games, from which start.

Glossary
    attempt    a start of Morpion Solitaire, an algorithm, and what each of its runs may spend
    known      the longest game that anybody has published
    journal    results/records/ATTEMPT.jsonl: every run, as `mcsgrammar solve --journal` keeps them
    spent      CPU seconds of all runs so far, in their order
"""

from dataclasses import dataclass

HOUR_OF_TWO_CORES = 2 * 3600.0
MARKS = {
    "ten minutes": 600.0,
    "half an hour": 1800.0,
    "an hour": 3600.0,
    "an hour of two cores": HOUR_OF_TWO_CORES,
    "three hours of two cores": 3 * HOUR_OF_TWO_CORES,
}
"""After how many CPU seconds is looked at what there is."""


@dataclass(frozen=True)
class Attempt:
    """Runs of one algorithm."""

    name: str
    start: str
    expression: str
    budget: int
    known: int

    @property
    def domain(self) -> str:
        return f"morpion:{self.start}"


ATTEMPTS = {
    one.name: one
    for one in (
        Attempt("5T", "5T", "adapt(adapt(adapt(adapt(step(sim), 10), 10), 10), 100)", 20_000_000, 178),
        Attempt(
            "5T-longer", "5T", "adapt(adapt(adapt(adapt(adapt(step(sim), 10), 10), 10), 10), 100)", 200_000_000, 178
        ),
        Attempt("5D", "5D", "adapt(adapt(adapt(select(repeat(sim, 5), 0.5), 100), 100), 100)", 5_000_000, 82),
    )
}
"""On 5T what was made by hand after what campaigns by seconds find, and the same one level deeper, so that one run
takes as long as ten; on 5D what such a campaign found, one level deeper: see experiments/learning."""

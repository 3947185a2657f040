"""What is written down of a game that was played."""

from dataclasses import dataclass
from typing import Any

from domains.protocol import Domain
from domains.registry import canonical_text
from mcsgrammar.engines.results import Tuning


@dataclass(frozen=True)
class GameRecord:
    """A game as it went. `actions` and `seed` on the problem are all that it takes to see it again."""

    problem: int
    repetition: int
    seed: int
    """of the world"""
    actions: tuple[Any, ...]
    reward: float
    score: float
    reached_goal: bool | None
    evaluations: int
    seconds: float
    """of all searches together"""
    overruns: int = 0
    """ticks that took much longer than they might; only of games by the clock"""
    tuned: tuple[tuple[str, str], ...] = ()
    """what the tuners would choose in the end: parameters and values, as written"""

    @property
    def ticks(self) -> int:
        return len(self.actions)


def tuned(tunings: tuple[Tuning, ...]) -> tuple[tuple[str, str], ...]:
    """Parameters and what their tuners would choose, of those that were told anything."""
    return tuple(
        (name, f"{value:.4g}" if isinstance(value, float) else str(value))
        for tuning in tunings
        for name, value in zip(tuning.parameters, tuning.best or (), strict=False)
    )


def record_of(domain: Domain, record: GameRecord) -> dict[str, Any]:
    """A game in JSON: with `domain`, `problem`, `seed` and `actions` it can be seen again."""
    return {"domain": canonical_text(domain), **record_fields(record)}


def record_fields(record: GameRecord) -> dict[str, Any]:
    return {
        "problem": record.problem,
        "repetition": record.repetition,
        "seed": record.seed,
        "actions": list(record.actions),
        "reward": record.reward,
        "score": record.score,
        "reached_goal": record.reached_goal,
        "ticks": record.ticks,
        "evaluations": record.evaluations,
        "seconds": record.seconds,
        "overruns": record.overruns,
        "tuned": [list(pair) for pair in record.tuned],
    }


def read_record(document: dict[str, Any]) -> GameRecord:
    """A game from what `record_fields` made of it."""
    return GameRecord(
        problem=document["problem"],
        repetition=document["repetition"],
        seed=document["seed"],
        actions=tuple(document["actions"]),
        reward=document["reward"],
        score=document["score"],
        reached_goal=document["reached_goal"],
        evaluations=document["evaluations"],
        seconds=document["seconds"],
        overruns=document["overruns"],
        tuned=tuple((str(name), str(value)) for name, value in document["tuned"]),
    )

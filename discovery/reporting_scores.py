"""Scores on test problems as a report shows them: those that the campaign has kept, or new ones."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discovery.ranking import Ranked
from discovery.reporting_numbers import direction_text
from discovery.settings import Settings
from discovery.statistics import SIGNIFICANT

KEPT_FILE = "evaluation.json"


@dataclass(frozen=True)
class TestRow:
    """An algorithm on the test problems, in the domain's unit. What does not exist is None."""

    name: str
    alias: str | None
    expression: str
    runs_as: str
    generic: bool
    reference: bool
    rank: int
    mean: float
    stderr: float | None
    ci95: tuple[float, float] | None
    mean_reward: float
    difference: float | None
    p_vs_best_generic: float | None
    p_holm: float | None
    effect_size: float | None
    star: bool

    @property
    def label(self) -> str:
        return self.name if self.alias is None else f"{self.name} = {self.alias}"


@dataclass(frozen=True)
class TestScores:
    rows: tuple[TestRow, ...]
    """the best first"""
    problems: int
    about: str
    unit: str
    less_is_better: bool | None
    reference: str | None
    reference_is: str | None
    excess: tuple[float, float, float, float | None] | None
    """of the mean rewards of those selected: in training, in the test, the difference and its standard error"""
    kept: bool
    """whether the campaign measured them at its end"""

    def row_of(self, expression: str) -> TestRow | None:
        """The algorithm with this canonical text, or that runs as it."""
        rows = [row for row in self.rows if expression in (row.expression, row.runs_as)]
        return rows[0] if rows else None

    def disguised(self, row: TestRow) -> str | None:
        """The generic algorithm that a discovered one is within this budget: `uct(C)` gets its N from it."""
        twins = (one.name for one in self.rows if one.generic and one.runs_as == row.runs_as)
        return None if row.generic else next(twins, None)

    def label(self, row: TestRow) -> str:
        """What it is called in tables."""
        twin = self.disguised(row)
        return row.label if twin is None else f"{row.label} = {twin}"

    @property
    def discovered(self) -> list[TestRow]:
        return [row for row in self.rows if not row.generic]

    def better_than_reference(self, row: TestRow) -> bool:
        """Beyond what chance explains: by the paired test with Holm's correction."""
        reference = next(one for one in self.rows if one.reference)
        return row.p_holm is not None and row.p_holm < SIGNIFICANT and row.mean_reward > reference.mean_reward

    @property
    def direction(self) -> str:
        """Which scores are better; empty where the domain cannot say."""
        return direction_text(self.less_is_better)


def kept_scores(folder: Path, settings: Settings, best: Sequence[Ranked]) -> TestScores | None:
    """The evaluation in a campaign's folder, if it is one of this campaign and has its best."""
    try:
        content = json.loads((folder / KEPT_FILE).read_text(encoding="utf-8"))
        same = all(
            content[key] == value
            for key, value in {
                "domain": settings.canonical_domain,
                "budget": settings.budget,
                "seconds": settings.seconds,
                "semantics": settings.semantics,
                "seed": settings.seed,
                "split": "test",
            }.items()
        )
        trained = {row["expression"]: row["training_mean"] for row in content["rows"]}
        has_best = all(abs((trained.get(one.expression_text) or -1e9) - one.mean) < 1e-9 for one in best)
        return test_scores(content, kept=True) if same and has_best else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def test_scores(content: dict[str, Any], kept: bool) -> TestScores:
    """The scores in a document of `evaluate --json` with one setting."""
    rows = tuple(
        TestRow(
            name=str(row["name"]),
            alias=row["alias"],
            expression=str(row["expression"]),
            runs_as=str(row["runs_as"]),
            generic=bool(row["generic"]),
            reference=bool(row["reference"]),
            rank=int(row["rank"]),
            mean=float(row["mean"]),
            stderr=_number(row["stderr"]),
            ci95=None if row["ci95"] is None else (float(row["ci95"][0]), float(row["ci95"][1])),
            mean_reward=float(row["mean_reward"]),
            difference=_number(row["difference"]),
            p_vs_best_generic=_number(row["p_vs_best_generic"]),
            p_holm=_number(row["p_holm"]),
            effect_size=_number(row["effect_size"]),
            star=bool(row["star"]),
        )
        for row in content["rows"]
    )
    curse = content["winners_curse"]
    return TestScores(
        rows,
        int(content["problems"]),
        str(content["about"]),
        str(content["unit"]),
        content["less_is_better"],
        content["reference"],
        content["reference_is"],
        curse and (float(curse["training"]), float(curse["test"]), float(curse["excess"]), _number(curse["stderr"])),
        kept,
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)

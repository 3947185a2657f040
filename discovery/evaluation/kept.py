"""Scores on test problems as a report shows them: those that the campaign has kept, or new ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from shlex import quote
from typing import Any

from discovery.campaign.ranking import Ranked
from discovery.campaign.settings import Settings
from discovery.documents import has_checksum, read_document
from discovery.evaluation.family_scores import FamilyScores, family_scores_in
from discovery.keeping.folder import EVALUATION_FILES
from discovery.numbers import decimals_for, direction_text, plural
from discovery.statistics import SIGNIFICANT
from domains.errors import UserError

KEPT_FILE = EVALUATION_FILES["json"]


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
    difference_ci95: tuple[float, float] | None = None
    """which campaigns measured before it was kept do not have"""

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
    of_matches: bool = False
    """whether these are agents, and their scores points against others (`discovery.evaluation.round_robin`)"""
    family: FamilyScores | None = None
    """where the problems of these scores are domains, of which each row has its means"""

    @property
    def domains(self) -> FamilyScores:
        """Domain by domain, of a family."""
        assert self.family is not None
        return self.family

    @property
    def things(self) -> str:
        """What they were measured on, in words."""
        if self.family is not None:
            return plural(self.problems, "domain")
        return plural(self.problems, "test block" if self.of_matches else "test problem")

    @property
    def title(self) -> str:
        if self.family is not None:
            return "Scores over all domains"
        return "Points on test blocks" if self.of_matches else "Scores on test problems"

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
    def unit_and_direction(self) -> str:
        return f"{self.unit}, {self.direction}" if self.direction else self.unit

    @property
    def decimals(self) -> int:
        """Of all scores."""
        return decimals_for(row.stderr for row in self.rows)

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


@dataclass(frozen=True)
class Kept:
    """What `evaluation.json` in a campaign's folder holds."""

    content: dict[str, Any]
    scores: TestScores
    trained: dict[str, float]
    """the mean training reward of each that was selected"""
    has_checksum: bool

    @property
    def problems(self) -> int:
        """Test problems that each algorithm was run on; of a family, on each of its domains."""
        return self.scores.problems if self.scores.family is None else self.scores.family.problems


def read_kept(folder: Path) -> Kept | None:
    """What the campaign has measured at its end, if it has. Raises `UserError` if it was changed or damaged since."""
    path = folder / KEPT_FILE
    try:
        content = read_document(path.read_bytes())
        sound = has_checksum(content)
        trained = {str(row["expression"]): row["training_mean"] for row in content["rows"]}
        selected = {text: float(mean) for text, mean in trained.items() if mean is not None}
        scores = test_scores(content, kept=True)
        if not scores.rows or (scores.reference is not None and not any(row.reference for row in scores.rows)):
            raise LookupError
        return Kept(content, scores, selected, sound)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        why = error if isinstance(error, ValueError) else "it is no evaluation"
        raise UserError(
            f"{path} is damaged: {why}; delete it, and measure again with: mcsgrammar resume {quote(str(folder))}"
        ) from None


def kept_scores(folder: Path, settings: Settings, best: Sequence[Ranked]) -> tuple[TestScores | None, list[str]]:
    """The scores that the campaign has kept, if they are its own and have its best; and what to say of them."""
    kept = read_kept(folder)
    if kept is None:
        return None, []
    own = {
        "domain": settings.canonical_domain,
        "budget": settings.budget,
        "seconds": settings.seconds,
        "semantics": settings.semantics,
        "play": settings.play,
        "seed": settings.seed,
        "split": "test",
        "first_problem": 0,
    }
    for key, value in own.items():
        other = kept.content.get(key, 0 if key == "first_problem" else None)  # which older ones do not name
        if other != value:
            return None, [f"{KEPT_FILE} is left out: its {key} is {other}, the campaign's {value}"]
    missing = [one for one in best if not _is_in(kept.trained, one)]
    if missing:
        first = missing[0]
        return None, [
            f"{KEPT_FILE} is left out: it has not number {first.rank} of the ranking, {first.expression_text} with the "
            f"training mean {first.mean:.6g}"
        ]
    unknown = f"{KEPT_FILE} is of an older version and has no checksum; nobody can tell whether it was changed"
    return kept.scores, [] if kept.has_checksum else [unknown]


def how_many_kept(folder: Path, ranking: Sequence[Ranked]) -> int:
    """How many of the first of the ranking the campaign has measured."""
    kept = read_kept(folder)
    return 0 if kept is None else sum(1 for _ in takewhile(partial(_is_in, kept.trained), ranking))


def _is_in(trained: dict[str, float], one: Ranked) -> bool:
    return one.expression_text in trained and abs(trained[one.expression_text] - one.mean) < 1e-9


def refuse_to_replace_by_less(folder: Path, problems: int, top: int) -> None:
    """Raises `UserError` if measuring the `top` best on so many test problems would leave less than the folder has."""
    kept = read_kept(folder)
    if kept is None or (problems >= kept.problems and top >= len(kept.trained)):
        return
    there, of = kept.problems, len(kept.trained)
    raise UserError(
        f"{folder / KEPT_FILE} has the {of} best on {plural(there, 'test problem')}, more than the {top} best on "
        f"{problems:,} that would replace it; write --test-problems {max(problems, there)} --top {max(top, of)} or "
        "more, --test-problems 0 to measure nothing, or only look with: "
        f"mcsgrammar report {quote(str(folder))} --test-problems {problems} --top {top}"
    )


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
            ci95=_pair(row["ci95"]),
            mean_reward=float(row["mean_reward"]),
            difference=_number(row["difference"]),
            p_vs_best_generic=_number(row["p_vs_best_generic"]),
            p_holm=_number(row["p_holm"]),
            effect_size=_number(row["effect_size"]),
            star=bool(row["star"]),
            difference_ci95=_pair(row.get("difference_ci95")),
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
        family=family_scores_in(content["family"]) if "family" in content else None,
    )


def _pair(value: Any) -> tuple[float, float] | None:
    return None if value is None else (float(value[0]), float(value[1]))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)

"""From the pieces of the work folder to results/adaptive/*.csv, which is all that the rendering reads.

NAME.csv    a line for each question NAME, contest, domain, budget and label; what is not measured yet is left out
time.csv    an adaptive run beside plain ones in the same CPU time: the largest budget of the plain algorithm whose run
            takes no longer
chosen.csv  the fixed values that were chosen on training problems, with their mean rewards there
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discovery.evaluation.evaluating import less_is_better
from discovery.statistics import Floats, holm, paired_test, summary
from experiments.adaptive.questions import QUESTIONS, Algorithm, Contest, Question
from experiments.adaptive.running import FOLDER, Piece, pieces_in
from experiments.files import write_csv
from experiments.pieces import domain_of

COLUMNS = (
    "domain",
    "unit",
    "contest",
    "budget",
    "label",
    "expression",
    "runs",
    "mean",
    "stderr",
    "cpu_seconds",
    "baseline",
    "paired_runs",
    "gain",
    "low",
    "high",
    "p",
    "p_holm",
)
TIME = (
    "domain",
    "unit",
    "label",
    "budget",
    "cpu_seconds",
    "mean",
    "beside",
    "beside_budget",
    "beside_cpu_seconds",
    "beside_mean",
    "paired_runs",
    "gain",
    "low",
    "high",
    "p",
    "p_holm",
)
CHOSEN = ("domain", "opened", "budget", "settings", "training", "best", "best_reward", "worst", "worst_reward")
OF_RUNS = {
    "drawn": "a combination drawn for each problem, of ",
    "most used": "the combination that ntbea used most on the training problem of the same number, of ",
}


def write_tables(work: Path, results: Path, questions: Iterable[Question] = tuple(QUESTIONS.values())) -> None:
    """All of which anything is in the work folder; the others stay what they are."""
    folder = results / FOLDER
    for question in questions:
        _write_if_any(folder / f"{question.name}.csv", COLUMNS, list(_lines(question, work)))
        if question.name == "pays":
            _write_if_any(folder / "time.csv", TIME, list(_time(question, work)))
    _write_if_any(folder / "chosen.csv", CHOSEN, list(_chosen(work)))


def _write_if_any(path: Path, names: Sequence[str], lines: list[dict[str, Any]]) -> None:
    if lines or not path.exists():
        write_csv(path, names, lines)


class Sample:
    """The runs of one algorithm within one budget."""

    def __init__(self, piece: Piece, runs: np.ndarray, budget: int) -> None:
        place = piece.budgets.index(budget)
        self.scores: Floats = runs[1, place]
        self.sign = -1.0 if less_is_better(domain_of(piece.domain)) else 1.0
        self.seconds = seconds_at(runs[2], piece.budgets, place)


def seconds_at(seconds: np.ndarray, budgets: Sequence[int], place: int) -> float:
    """Mean CPU seconds; where a longer run has told what a budget finds, in proportion to that."""
    own = float(seconds[place].mean())
    return own if math.isfinite(own) else float(seconds[-1].mean()) * budgets[place] / budgets[-1]


def gains(own: Sample, other: Sample) -> Floats:
    """On each problem that both have met."""
    n = min(len(own.scores), len(other.scores))
    return own.sign * (own.scores[:n] - other.scores[:n])


def _lines(question: Question, work: Path) -> Iterator[dict[str, Any]]:
    for contest in question.contests:
        pieces = pieces_in(contest)
        measured = {piece: runs for piece in pieces if (runs := piece.read(work)).shape[2] > 1}
        baseline = next(piece for piece in pieces if piece.algorithm.label == contest.baseline)
        if baseline not in measured:
            continue
        for budget in contest.budgets:
            samples = {piece: Sample(piece, runs, budget) for piece, runs in measured.items()}
            compared = {
                piece: _compared(gains(sample, samples[baseline]))
                for piece, sample in samples.items()
                if piece != baseline
            }
            _corrected(compared.values())
            for piece, sample in samples.items():
                score = summary(sample.scores)
                yield {
                    "domain": contest.domain,
                    "unit": domain_of(contest.domain).unit,
                    "contest": contest.key,
                    "budget": budget,
                    "label": piece.algorithm.label,
                    "expression": _shown(piece.algorithm, contest, work),
                    "runs": score.n,
                    "mean": _short(score.mean),
                    "stderr": _short(score.stderr),
                    "cpu_seconds": f"{sample.seconds:.3g}",
                    "baseline": contest.baseline,
                    **compared.get(piece, {}),
                }


def _compared(differences: Floats) -> dict[str, Any]:
    one = summary(differences)
    p = float(paired_test(differences, np.zeros(len(differences))))
    return {
        "paired_runs": one.n,
        "gain": _short(one.mean),
        "low": _short(one.low),
        "high": _short(one.high),
        "p": p,
    }


def _corrected(lines: Iterable[dict[str, Any]]) -> None:
    """Holm's correction over the lines, and p as text."""
    lines = list(lines)
    if lines:
        for line, corrected in zip(lines, holm([line["p"] for line in lines]).tolist(), strict=True):
            line["p"], line["p_holm"] = f"{line['p']:.2g}", f"{corrected:.2g}"


def _shown(algorithm: Algorithm, contest: Contest, work: Path) -> str:
    if algorithm.family is None:
        return algorithm.expression
    if algorithm.way in OF_RUNS:
        return OF_RUNS[algorithm.way] + algorithm.expression
    which = "best" if algorithm.way == "best in training" else "worst"
    return next(
        str(one[which])
        for one in _choices(work)
        if one["domain"] == contest.domain and one["opened"] == algorithm.expression
    )


def _choices(work: Path) -> list[dict[str, Any]]:
    read = [json.loads(path.read_text("utf-8")) for path in (work / FOLDER / "chosen").glob("[!.]*.json")]
    return sorted(read, key=lambda one: (one["domain"], one["opened"], one["budget"]))


def _chosen(work: Path) -> Iterator[dict[str, Any]]:
    for one in _choices(work):
        rewards = {f"{which}_reward": _short(one["means"][one[which]]) for which in ("best", "worst")}
        yield {name: one[name] for name in CHOSEN if not name.endswith("_reward")} | rewards


def _time(question: Question, work: Path) -> Iterator[dict[str, Any]]:
    """`ntbea` and the papers' fixed values beside the plain algorithms; the budgets of a pair on a domain are
    one family for Holm's correction."""
    for domain in dict.fromkeys(contest.domain for contest in question.contests):
        found = {
            piece.algorithm.label: (piece, runs)
            for contest in question.contests
            if contest.domain == domain
            for piece in pieces_in(contest)
            if (runs := piece.read(work)).shape[2] > 1
        }
        for label in ("ntbea", "papers"):
            for beside in ("plain", "uct"):
                if label in found and beside in found:
                    lines = list(_in_the_same_time(*found[label], *found[beside]))
                    _corrected(lines)
                    yield from lines


def _in_the_same_time(own: Piece, runs: np.ndarray, other: Piece, others: np.ndarray) -> Iterator[dict[str, Any]]:
    besides = [Sample(other, others, budget) for budget in other.budgets]
    for budget in own.budgets:
        sample = Sample(own, runs, budget)
        place = max((i for i, one in enumerate(besides) if one.seconds <= sample.seconds), default=None)
        if place is not None:
            yield {
                "domain": own.domain,
                "unit": domain_of(own.domain).unit,
                "label": own.algorithm.label,
                "budget": budget,
                "cpu_seconds": f"{sample.seconds:.3g}",
                "mean": _short(float(sample.scores.mean())),
                "beside": other.algorithm.label,
                "beside_budget": other.budgets[place],
                "beside_cpu_seconds": f"{besides[place].seconds:.3g}",
                "beside_mean": _short(float(besides[place].scores.mean())),
                **_compared(gains(sample, besides[place])),
            }


def _short(value: float) -> str:
    return f"{value:.6g}"

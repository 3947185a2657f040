"""The whole at small scale: what a reader tries first."""

from collections.abc import Callable, Collection
from pathlib import Path

from experiments.campaigns import CAMPAIGNS, run_campaign
from experiments.columns import COLUMNS
from experiments.measuring import measure_tables
from experiments.rendering import render
from experiments.scales import SMALL, Scale
from experiments.summarising import summarise


def run_small(
    folder: Path,
    jobs: int,
    show: Callable[[str], None],
    scale: Scale = SMALL,
    campaigns: Collection[str] = tuple(CAMPAIGNS),
    columns: Collection[str] = tuple(COLUMNS),
) -> list[Path]:
    """Campaigns, measurements, what is kept of them, tables and pictures, in `folder`; the tables and pictures."""
    work, results = folder / "work", folder / "results"
    for number, name in enumerate(campaigns, 1):
        show(f"campaign {number} of {len(campaigns)}: {name}")
        run_campaign(CAMPAIGNS[name], work, scale, jobs)
    measure_tables(work, [COLUMNS[key] for key in columns], scale.problems, jobs, show)
    summarise(work, results)
    return render(results)

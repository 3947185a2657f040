"""What the commands of `python -m experiments` have in common: options, and the line that shows how far they are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from experiments.scales import SCALES

RESULTS = Path(__file__).parents[1] / "results"

work_option = click.option(
    "--work",
    type=click.Path(path_type=Path),
    default=Path("experiments-work"),
    show_default=True,
    metavar="DIR",
    help="Where campaigns and measurements grow.",
)
results_option = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=RESULTS,
    metavar="DIR",
    help="Where what is kept goes.  [default: results/ of this copy]",
)
results_of_size_option = click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where what is kept goes.  [default: results/ of this copy; of small, results/ in the work folder]",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), default=2, show_default=True, metavar="J", help="Processes."
)
scale_option = click.option(
    "--scale", type=click.Choice(list(SCALES)), default="full", show_default=True, help="How large everything is."
)


def folders_of_size(size: str, work: Path, results: Path | None) -> tuple[Path, Path]:
    """Where measurements grow and where what is kept goes: what is small does not touch what is kept of the rest."""
    if size != "small":
        return work, results or RESULTS
    return work / size, results or work / size / "results"


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Gives a function that shows the latest of the texts it is given, now and then."""
    from mcsgrammar.cli.progress import ProgressLine

    with ProgressLine() as line:

        def show(text: str) -> None:
            if line.due():
                line.show(text)

        yield show

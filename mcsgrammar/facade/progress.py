"""Progress from Python: on the terminal that of the command line, in a notebook an output that renews itself."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from mcsgrammar.cli.campaign_display import CampaignDisplay, interval_text
from mcsgrammar.cli.match_display import MatchDisplay
from mcsgrammar.cli.progress import ProgressLine, WorkProgress, duration
from mcsgrammar.display import as_html, html_table

if TYPE_CHECKING:
    from discovery.arena.running import MatchProgress
    from discovery.campaign.running import Progress

SHOWN_EVERY = 0.5
LEADERS = 5

OnWork = Callable[[int, int], None]
Display = TypeVar("Display")
Show = TypeVar("Show")


def _shell() -> Any:
    """IPython's, if this is its process."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def in_notebook() -> bool:
    return hasattr(_shell(), "kernel")


def is_wanted(progress: bool | None) -> bool:
    """None: where somebody is looking."""
    return progress if progress is not None else in_notebook() or sys.stderr.isatty()


def work_progress(progress: bool | None) -> "AbstractContextManager[OnWork | None]":
    """What to call with (runs done, runs in all)."""
    return _shown(progress, ProgressLine, lambda line: WorkProgress(line).show, lambda cell: WorkProgress(cell).show)


def campaign_progress(progress: bool | None) -> "AbstractContextManager[Callable[[Progress], None] | None]":
    """What to call with how far a campaign is."""
    return _shown(progress, CampaignDisplay, lambda display: display, lambda cell: cell.show_campaign)


def match_progress(progress: bool | None) -> "AbstractContextManager[Callable[[MatchProgress], None] | None]":
    """What to call with how far matches are."""
    return _shown(progress, MatchDisplay, lambda display: display, lambda cell: cell.show_matches)


@contextmanager
def _shown(
    progress: bool | None,
    on_terminal: Callable[[], AbstractContextManager[Display]],
    of_terminal: Callable[[Display], Show],
    of_cell: Callable[["NotebookOutput"], Show],
) -> Iterator[Show | None]:
    """What is called with progress, where somebody looks; None where nobody does."""
    if not is_wanted(progress):
        yield None
    elif in_notebook():
        with NotebookOutput() as cell:
            yield of_cell(cell)
    else:
        with on_terminal() as display:
            yield of_terminal(display)


class NotebookOutput(ProgressLine):
    """One output of a cell, renewed now and then, empty in the end."""

    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = None

    def __exit__(self, *error: object) -> None:
        if self.handle is not None:
            self._put("")

    def due(self) -> bool:
        return self.handle is None or time.monotonic() - self.shown >= SHOWN_EVERY

    def show(self, text: str) -> None:
        self._put(f"<pre>{as_html(text)}</pre>")

    def show_campaign(self, progress: "Progress") -> None:
        if not self.due():
            return
        done, left = f"{progress.pulls:,} of {progress.pulls_in_all:,} pulls", duration(progress.seconds_left)
        rows = [
            [one.expression_text, f"{one.pulls:,}", f"{one.mean:.4f}", interval_text(one)]
            for one in progress.leaders(LEADERS)
        ]
        self._put(html_table(f"{done}, {left} left", ["leaders", "pulls", "mean", "± 95 %"], rows))

    def show_matches(self, progress: "MatchProgress") -> None:
        if self.due():
            self.show(MatchDisplay().line(progress))

    def _put(self, html: str) -> None:
        shown = import_module("IPython.display")
        self.shown = time.monotonic()
        if self.handle is None:
            self.handle = shown.display(shown.HTML(html), display_id=True)
        else:
            self.handle.update(shown.HTML(html))

"""A campaign under way, on standard error: a live table on a terminal, a line now and then elsewhere."""

import sys
import time
from typing import TYPE_CHECKING, Any, Self

from mcsgrammar.cli.progress import FIRST_PLAIN_LINE_AFTER, PLAIN_LINE_EVERY, about, duration, is_live

if TYPE_CHECKING:
    from discovery.campaign.foretelling import Forecast
    from discovery.campaign.ranking import Ranked
    from discovery.campaign.running import Outcome, Progress
    from mcsgrammar.cli.foretelling import Foreteller

LEADERS = 5
REDRAW_SECONDS = 0.5


def interval_text(ranked: "Ranked") -> str:
    """Half of the 95 % interval, which one pull does not give."""
    return f"{ranked.half_width:.4f}" if ranked.pulls > 1 else "-"


class LiveDisplay:
    """Call it with the progress whenever there is any. A context manager, so that the terminal is left in order."""

    def __init__(self) -> None:
        self.terminal = is_live()
        self.shown = _first_line_soon()
        self.live: Any = None

    def picture(self, progress: Any) -> Any:
        """What a terminal shows."""
        raise NotImplementedError

    def line(self, progress: Any) -> str:
        """What is printed elsewhere."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        if self.terminal:
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
        return self

    def __exit__(self, *error: object) -> None:
        if self.live is not None:
            self.live.stop()

    def __call__(self, progress: Any) -> None:
        now = time.monotonic()
        if now - self.shown < (REDRAW_SECONDS if self.terminal else PLAIN_LINE_EVERY):
            return
        self.shown = now
        if self.live is not None:
            self.live.start()
            self.live.update(self.picture(progress), refresh=True)
        else:
            print(self.line(progress), file=sys.stderr, flush=True)


class CampaignDisplay(LiveDisplay):
    """Tell it what begins, which `foreteller` puts in words."""

    def __init__(self, foreteller: "Foreteller | None" = None) -> None:
        super().__init__()
        self.foreteller = foreteller
        self.forecast: Forecast | None = None

    def begin(self, forecast: "Forecast") -> None:
        if self.foreteller is not None:
            print(self.foreteller.line(forecast), file=sys.stderr, flush=True)
        if forecast.seconds_per_pull is not None:
            self.forecast = forecast
        self.shown = _first_line_soon()

    def line(self, progress: "Progress") -> str:
        leaders = [
            f"; leader {leader.expression_text} {leader.mean:.4f} ± {interval_text(leader)}"
            for leader in progress.leaders(1)
        ]
        return self._headline(progress) + "".join(leaders)

    def picture(self, progress: "Progress") -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        table.add_column("leaders", overflow="fold")
        for heading in ("pulls", "mean", "± 95 %"):
            table.add_column(heading, justify="right", no_wrap=True)
        for ranked in progress.leaders(LEADERS):
            table.add_row(ranked.expression_text, f"{ranked.pulls:,}", f"{ranked.mean:.4f}", interval_text(ranked))
        told: list[Any] = [bar_of(progress.pulls, progress.pulls_in_all), Text(self._headline(progress))]
        if table.row_count:  # nothing is known of the candidates before the first batch is whole
            told += [Text(progress.spending(), style="dim"), table]
        return Group(*told)

    def _headline(self, progress: "Progress") -> str:
        """How far it is; how fast, as soon as that is known; how long it will take, by that or by the forecast."""
        share = progress.pulls / progress.pulls_in_all
        text = f"{share:.0%}  {progress.pulls:,} of {progress.pulls_in_all:,} pulls"
        if progress.pace.is_known:
            return f"{text}, {rate_text(progress.per_second)}, {about(progress.seconds_left)} left"
        if self.forecast is not None:
            return f"{text}, {about(self.forecast.of_pulls.seconds(progress.pulls_in_all - progress.pulls))} left"
        return text


def bar_of(done: int, total: int) -> Any:
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    bar = Table.grid()  # a bar alone does not end its line
    bar.add_row(ProgressBar(total=total, completed=done, width=40))
    return bar


def _first_line_soon() -> float:
    """When a line would have to have been shown for the next to be shown after a while, not at once."""
    return time.monotonic() + FIRST_PLAIN_LINE_AFTER - PLAIN_LINE_EVERY


def rate_text(per_second: float) -> str:
    if per_second < 1:
        return f"{1 / max(per_second, 1e-9):.3g} s each"
    return f"{per_second:,.0f} a second" if per_second >= 10 else f"{per_second:.1f} a second"


def outcome_line(outcome: "Outcome") -> str:
    """What was done and what it cost."""
    kept = f"; {outcome.finished:,} of the batch under way are kept" if outcome.finished else ""
    if outcome.pulls_now == 0:
        now = "which is all" if outcome.ended == "complete" else "none now"
        return f"{outcome.pulls:,} pulls before, {now}{kept}"
    return (
        f"{outcome.pulls_now:,} pulls in {duration(outcome.seconds)} "
        f"({rate_text(outcome.pulls_now / max(outcome.seconds, 1e-9))}); {duration(outcome.cpu_seconds)} of CPU, "
        f"{outcome.overhead:.1%} of it outside the searches{kept}"
    )

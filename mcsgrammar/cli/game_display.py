"""Games as they are played, on standard error: on a terminal in one place, elsewhere one drawing after the other."""

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mcsgrammar.cli.progress import is_live

if TYPE_CHECKING:
    from mcsgrammar.playing import Play

SECONDS_A_TICK = 0.2
"""A drawing stays on a terminal for at least so long."""


class GameDisplay:
    """A context manager, so that the terminal is left in order."""

    def __init__(self, play: "Play") -> None:
        self.play = play
        self.live: Any = None

    def __enter__(self) -> "GameDisplay":
        if is_live():
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self.live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.live is not None:
            self.live.stop()

    def show(self, problem: int, seed: int, actions: Sequence[Any]) -> None:
        """To be told of every tick."""
        from mcsgrammar.wording import printable_lines

        drawing = printable_lines(self.play.drawn(problem, seed, actions))
        text = f"game on problem {problem}, tick {len(actions)}\n{drawing}"
        if self.live is None:
            print(f"{text}\n", file=sys.stderr, flush=True)
            return
        from rich.text import Text

        self.live.update(Text(text), refresh=True)
        time.sleep(SECONDS_A_TICK)

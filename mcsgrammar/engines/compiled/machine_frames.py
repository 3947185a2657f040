"""What the components have in common inside the machine: a part of the template that `machine.py` is the last of."""

from domains.kernels import Kernels, njit_inline
from mcsgrammar.engines.compiled.layout import (
    ADAPT,
    Frames,
)

KERNELS: Kernels  # placed here before this file runs, as is
LEARNS: bool
ADAPTIVE: bool
if LEARNS:
    import numpy as np

    from mcsgrammar.engines.compiled.learning_layout import FRESH, NEW, Learning


@njit_inline
def copy_state(state, into, slot):
    """Copy the state of one slot to another. A plain loop: slice assignment costs 8 % of Morpion playouts more."""
    for i in range(state.shape[2]):
        state[into, 0, i] = state[slot, 0, i]


if LEARNS:

    @njit_inline
    def tell_adapt(frames: Frames, learning: Learning, program, frame, reward, sequence, n, if_new) -> None:
        """An invocation inside an adapt returns: its best is the adapt's own if it is no worse. FRESH is `if_new` if it
        is another one."""
        if reward < frames.best[frame]:
            return
        other = frames.best_length[frame] != n or frames.best[frame] == -np.inf
        for i in range(n):
            other |= frames.best_sequence[frame, i] != sequence[i]
            frames.best_sequence[frame, i] = sequence[i]
        frames.best[frame] = reward
        frames.best_length[frame] = n
        if other:
            learning.counts[program.row[frame] + 1, FRESH] = if_new

    @njit_inline
    def room_of(learning: Learning, adaptive):
        """The count of what shares its room with nodes."""
        if ADAPTIVE:
            return adaptive.numbers
        return learning.room


@njit_inline
def fold(program, frames: Frames, own, frame: int) -> None:
    """Hand a frame's best to the frame around it."""
    outer = frame - 1
    if LEARNS and program.op[outer] == ADAPT:
        best, n = frames.best[frame], frames.best_length[frame]
        tell_adapt(frames, own.adapt, program, outer, best, frames.best_sequence[frame], n, NEW)
    elif frames.best[frame] > frames.best[outer]:
        frames.best[outer] = frames.best[frame]
        n = frames.best_length[frame]
        frames.best_length[outer] = n
        for i in range(n):
            frames.best_sequence[outer, i] = frames.best_sequence[frame, i]

"""While functions are compiled, garbage is looked for rarely; afterwards as before."""

import gc
from typing import Any

import numba.core.event
import pytest

from domains.kernels import njit


def test_the_threshold_is_raised_while_something_is_compiled_and_no_longer() -> None:
    seen = []

    class Watching(numba.core.event.Listener):
        def on_start(self, event: Any) -> None:
            seen.append(gc.get_threshold())

        def on_end(self, event: Any) -> None:
            seen.append(gc.get_threshold())

    @njit
    def inner(x):  # type: ignore[no-untyped-def]
        return x + 1

    @njit
    def outer(x):  # type: ignore[no-untyped-def]
        return inner(x) * 2

    @njit
    def wrong(x):  # type: ignore[no-untyped-def]
        return x.nothing

    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 9, 8)
        with numba.core.event.install_listener("numba:compile", Watching()):
            assert outer(3) == 8
        assert seen == [(200_000, 9, 8)] * 3 + [(700, 9, 8)]  # outer and inner begin, inner ends, outer has ended
        with pytest.raises(numba.core.errors.TypingError):
            wrong(3)
        assert gc.get_threshold() == (700, 9, 8)
        gc.set_threshold(0, 9, 8)  # somebody has switched it off
        assert njit(lambda x: x)(1) == 1 and gc.get_threshold() == (0, 9, 8)
    finally:
        gc.set_threshold(*before)

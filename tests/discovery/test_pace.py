"""How fast work goes, on a clock that is moved by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery.pace import WorkPace


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_was_done_before_it_is_first_told_counts_only_until_the_next_time() -> None:
    clock = Clock()
    pace = WorkPace(50, clock)
    assert (pace.per_second, pace.seconds_left(1000)) == (0.0, math.inf)
    clock.now += 20  # a machine is compiled
    pace.tell(60)
    assert (pace.per_second, pace.seconds_left(1000)) == (0.5, 1880.0)
    clock.now += 2
    pace.tell(260)
    assert (pace.per_second, pace.seconds_left(1000)) == (100.0, 7.4)
    clock.now += 2
    pace.tell(300)  # slower now: all the time since the first telling counts
    assert (pace.per_second, pace.seconds_left(1000)) == (60.0, pytest.approx(700 / 60))
    clock.now += 5
    assert pace.per_second == 60.0


def test_nothing_done_or_no_time_gone() -> None:
    clock = Clock()
    pace = WorkPace(clock=clock)
    for _ in range(3):
        pace.tell(0)
        assert (pace.per_second, pace.seconds_left(10)) == (0.0, math.inf)
        clock.now += 1


@given(st.lists(st.integers(1, 100), min_size=1, max_size=20))
def test_even_work_has_the_same_pace_however_it_is_told(steps: list[int]) -> None:
    clock = Clock()
    pace = WorkPace(clock=clock)
    done = 0
    for seconds in steps:
        clock.now += seconds
        done += 4 * seconds
        pace.tell(done)
        assert pace.per_second == pytest.approx(4)
        assert pace.seconds_left(done + 8) == pytest.approx(2)

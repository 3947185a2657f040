"""Functions that only compiled ones call."""

import numpy as np
import pytest

from domains.kernels import njit, njit_callee


@njit_callee
def _doubled(numbers: np.ndarray, i: int) -> int:
    return int(2 * numbers[i])


@njit_callee
def _doubled_twice(numbers: np.ndarray, i: int) -> int:
    return int(2 * _doubled(numbers, i))


@njit
def _sum(numbers: np.ndarray) -> int:
    total = 0
    for i in range(len(numbers)):
        total += _doubled_twice(numbers, i) + _doubled(numbers, i)
    return total


def test_compiled_functions_call_them_and_each_other() -> None:
    assert _sum(np.arange(5)) == 60


def test_they_are_not_called_from_python() -> None:
    """There is no machine code to jump to."""
    expected = "_doubled is compiled for compiled code alone; call it from there, its py_func, or decorate it with njit"
    for _ in range(2):  # before it is compiled for another function, and after
        with pytest.raises(TypeError) as error:
            _doubled(np.arange(5), 1)
        assert str(error.value) == expected
        assert _sum(np.arange(5)) == 60
    assert _doubled.py_func(np.arange(5), 1) == 2  # type: ignore[attr-defined]

"""Rules may make arrays, whoever compiled them, although the engine around them counts no references to its own."""

from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest

from domains.kernels import Kernels
from domains.knights import Knights
from domains.knights_kernels import KERNELS
from domains.problems import problem
from tests.engines.running import agreed

plain_actions, plain_play = KERNELS.actions, KERNELS.play


@numba.njit
def last(numbers: Any, n: int) -> Any:
    copied = np.empty(n, np.int64)
    for i in range(n):
        copied[i] = numbers[i]
    return copied[n - 1]


@numba.njit
def actions(state: Any, problem: Any, out: Any) -> Any:
    n = plain_actions(state, problem, out)
    if n > 0:
        out[n - 1] = last(out, n)
    return n


class Copying(Knights):
    def kernels(self) -> Kernels:
        return replace(KERNELS, actions=actions, playout=None)


@pytest.mark.slow
@pytest.mark.parametrize("expression", ["step(lookahead(sim))", "sim(mast(eps=0.4))"])
def test_by_the_compiler_itself(expression: str) -> None:
    domain = Copying()
    agreed(domain, problem(domain, 0), expression, 30, seed=1)

"""Machines that different processes compiled keep their own rules when one process loads them together.

Numba names compiled functions by a number that counts from 1 in each process; two machines of one domain class would
then hold different rules under the same symbols, and the first loaded would win (see `domains.kernels`).
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOLVE = "import mcsgrammar as mg; print(mg.solve({domain!r}, 'step(lookahead(sim))', budget=30, engine={engine!r}))"
BOTH = """
import mcsgrammar as mg
for domain in ("sudoku:3", "sudoku:2"):
    for k in range(5):
        run = lambda engine: mg.solve(domain, "step(lookahead(sim))", budget=30, problem=k, engine=engine)[0]
        assert run("compiled").actions == run("reference").actions, (domain, k)
print("equal")
"""


def run(program: str, cache: Path) -> str:
    environment = os.environ | {"MCSGRAMMAR_CACHE": str(cache)}
    finished = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.slow
def test_machines_compiled_in_different_processes_do_not_share_rules(tmp_path: Path) -> None:
    for domain in ("sudoku:2", "sudoku:3"):
        run(SOLVE.format(domain=domain, engine="compiled"), tmp_path)
    assert run(BOTH, tmp_path).strip() == "equal"

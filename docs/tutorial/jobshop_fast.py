"""The rules of jobshop.py as Numba functions: the same, compiled.

A state is one array: operations done of each job, when each job is free, when each machine is free. The problem is
another, which no action changes: the bounds of the makespan, the number of jobs, the longest operation, the work of the
longest job, where the operations of each job begin in this array, one more place where the last ones end, and then the
operations, machine and duration of each.
"""

from pathlib import Path
from typing import Any

import jobshop
import numpy as np

from domains.kernels import Kernels, njit

LO, HI, JOBS, LONGEST, LONGEST_JOB, BEGINS = range(6)
NEVER = 2**62


class JobShop(jobshop.JobShop):
    """The schedule of a job shop that is over soonest. PATH is a file, or a folder of *.txt."""

    def __init__(self, path: Path):
        super().__init__(path)
        self.max_actions = max(len(jobshop.read_jobs(file)) for file in self.instances)

    def kernels(self) -> Kernels:
        return KERNELS

    def encode(self, state: jobshop.Schedule) -> tuple[np.ndarray, np.ndarray]:
        operations = [number for job in state.jobs for operation in job for number in operation]
        begins = BEGINS + len(state.jobs) + 1 + np.cumsum([0, *(2 * len(job) for job in state.jobs)])
        scales = [len(state.jobs), self.longest, self.longest_job]
        problem = np.array([*self.minimise, *scales, *begins, *operations], np.int64)
        return problem, np.array(state.done + state.job_free + state.machine_free, np.int64)


@njit
def start_of(state: Any, problem: Any, job: int, place: int) -> Any:
    """When the operation of `job` at `place` can start."""
    jobs = problem[JOBS]
    return max(state[jobs + job], state[2 * jobs + problem[place]])


@njit
def actions(state: Any, problem: Any, out: Any) -> int:
    jobs, soonest, contested, count = problem[JOBS], NEVER, -1, 0
    for job in range(jobs):
        place = problem[BEGINS + job] + 2 * state[job]
        if place < problem[BEGINS + job + 1]:
            end = start_of(state, problem, job, place) + problem[place + 1]
            if end < soonest:
                soonest, contested = end, problem[place]
    for job in range(jobs):
        place = problem[BEGINS + job] + 2 * state[job]
        if (
            place < problem[BEGINS + job + 1]
            and problem[place] == contested
            and start_of(state, problem, job, place) < soonest
        ):
            out[count] = job
            count += 1
    return count


@njit
def play(state: Any, problem: Any, job: int) -> None:
    jobs, place = problem[JOBS], problem[BEGINS + job] + 2 * state[job]
    end = start_of(state, problem, job, place) + problem[place + 1]
    state[jobs + job] = state[2 * jobs + problem[place]] = end
    state[job] += 1


@njit
def is_final(state: Any, problem: Any) -> bool:
    jobs, done = problem[JOBS], 0
    for job in range(jobs):
        done += state[job]
    return bool(BEGINS + jobs + 1 + 2 * done == problem[BEGINS + jobs])


@njit
def reward(state: Any, problem: Any) -> float:
    jobs = problem[JOBS]
    makespan = state[jobs : 2 * jobs].max()
    return (problem[HI] - makespan) / (problem[HI] - problem[LO])


@njit
def feature(state: Any, problem: Any, job: int, out: Any) -> None:
    jobs, place, remaining = problem[JOBS], problem[BEGINS + job] + 2 * state[job], 0
    for duration in range(place + 1, problem[BEGINS + job + 1], 2):
        remaining += problem[duration]
    out[0] = problem[place + 1] / problem[LONGEST]
    out[1] = remaining / problem[LONGEST_JOB]
    out[2] = max(0, state[jobs + job] - state[2 * jobs + problem[place]]) / problem[LONGEST]


@njit
def code(state: Any, problem: Any, job: int) -> Any:
    return state[job] * problem[JOBS] + job


KERNELS = Kernels(actions=actions, play=play, is_final=is_final, reward=reward, code=code, feature=feature)

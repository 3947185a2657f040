"""Job-shop scheduling: a shop has machines, every job must visit some of them in an order of its own.

Glossary
    operation  one visit of a job to a machine, for a whole number of time units without a break
    schedule   a start for every operation; a machine holds one operation at a time, and so does a job
    makespan   when the last operation ends; shorter is better
    action     a job: its next operation is put on its machine, as early as both are free
    bound      no schedule is shorter than the longest job, nor than the work of the busiest machine

A problem is a text file as the OR-Library has them: a line with the number of jobs and of machines, then one line for
each job, of pairs MACHINE DURATION in the order in which the job needs them; machines are numbered from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from domains.svg import document
from mcsgrammar import Domain

Jobs = list[list[tuple[int, int]]]


@dataclass(slots=True)
class Schedule:
    """A state: the problem, how many operations of each job are done, and when jobs and machines are free."""

    jobs: Jobs
    done: list[int]
    job_free: list[int]
    machine_free: list[int]


class JobShop(Domain):
    """The schedule of a job shop that is over soonest. PATH is a file, or a folder of *.txt."""

    unit = "time"
    features = ("duration", "remaining", "wait")

    def __init__(self, path: Path):
        self.path = Path(path)
        self.instances = sorted(self.path.glob("*.txt")) if self.path.is_dir() else [self.path]
        if not self.instances:
            raise ValueError(f"there is no *.txt in {self.path}")
        shops = [read_jobs(file) for file in self.instances]
        self.horizon = max(sum(map(len, jobs)) for jobs in shops)
        self.minimise = min(map(bound, shops)), 3 * max(map(bound, shops))
        self.longest = max(duration for jobs in shops for job in jobs for _, duration in job)
        self.longest_job = max(sum(duration for _, duration in job) for jobs in shops for job in jobs)

    def load(self, path: Path) -> Schedule:
        jobs = read_jobs(path)
        return Schedule(jobs, [0] * len(jobs), [0] * len(jobs), [0] * machines(jobs))

    def actions(self, state: Schedule) -> list[int]:
        """The jobs that could start on the contested machine, the one which can end an operation first, before it does.

        Giffler and Thompson (1960): these lead to all active schedules, in which nothing can start earlier without
        delaying something else, and to no others; one of the shortest schedules is among them.
        """
        waiting = []
        for job, done in enumerate(state.done):
            if done < len(state.jobs[job]):
                machine, duration = state.jobs[job][done]
                start = max(state.job_free[job], state.machine_free[machine])
                waiting.append((start + duration, machine, start, job))
        if not waiting:
            return []
        soonest, contested, *_ = min(waiting, key=lambda operation: operation[0])
        return [job for _, machine, start, job in waiting if machine == contested and start < soonest]

    def play(self, state: Schedule, action: int) -> None:
        machine, duration = state.jobs[action][state.done[action]]
        end = max(state.job_free[action], state.machine_free[machine]) + duration
        state.job_free[action] = state.machine_free[machine] = end
        state.done[action] += 1

    def copy(self, state: Schedule) -> Schedule:
        return Schedule(state.jobs, state.done[:], state.job_free[:], state.machine_free[:])

    def cost(self, state: Schedule) -> int:
        return max(state.job_free)

    # What one knows of an action, for the searches that ask for it.

    def feature(self, state: Schedule, action: int) -> tuple[float, float, float]:
        """How long the next operation takes, how much work is left of its job, and how long its machine would wait."""
        left = state.jobs[action][state.done[action] :]
        machine, duration = left[0]
        remaining = sum(duration for _, duration in left)
        wait = max(0, state.job_free[action] - state.machine_free[machine])
        return duration / self.longest, remaining / self.longest_job, wait / self.longest

    def code(self, state: Schedule, action: int) -> int:
        """The operation, a number of its own for each: what is to be learnt is which one to start before others."""
        return state.done[action] * len(state.jobs) + action

    # Pictures, which a search does not need.

    def action_name(self, state: Schedule, action: int) -> str:
        return f"job {action} on machine {state.jobs[action][state.done[action]][0]}"

    def draw(self, initial: Schedule, actions: Sequence[int]) -> str:
        """A line for each machine: the job it is busy with, one character for every unit of time, or every few."""
        final, bars = self.planned(initial, actions)
        per_character = max(1, -(-self.cost(final) // 100))
        lines = [["."] * -(-self.cost(final) // per_character) for _ in final.machine_free]
        for job, machine, start, end in bars:
            for time in range(start // per_character, -(-end // per_character)):
                lines[machine][time] = "0123456789abcdefghijklmnopqrstuvwxyz"[job % 36]
        rows = [f"machine {machine:2}  {''.join(line)}" for machine, line in enumerate(lines)]
        scale = f"; a character is {per_character} units of time" if per_character > 1 else ""
        return "\n".join([*rows, summary(final) + scale])

    def svg(self, initial: Schedule, actions: Sequence[int]) -> str:
        """A Gantt chart: a row for each machine, a colour for each job."""
        final, bars = self.planned(initial, actions)
        width, row, left, top = 800, 30, 84, 34
        scale = width / max(1, self.cost(final))
        bottom = top + row * len(final.machine_free)
        body = [f'<text class="title" x="{left}" y="22">{summary(final)}</text>']
        for machine in range(len(final.machine_free)):
            body.append(f'<text class="name" x="{left - 8}" y="{top + row * machine + 20}">machine {machine}</text>')
        for job, machine, start, end in bars:
            x, y, length = left + start * scale, top + row * machine + 3, (end - start) * scale
            colour = f"hsl({job * 360 // len(final.jobs)} 60% 68%)"
            shape = f'x="{x:.1f}" y="{y}" width="{max(0.5, length - 1):.1f}" height="{row - 6}" rx="3"'
            hover = f"<title>job {job} on machine {machine}, from {start} to {end}</title>"
            body.append(f'<rect fill="{colour}" {shape}>{hover}</rect>')
            if length >= 14:
                body.append(f'<text class="job" x="{x + length / 2:.1f}" y="{y + 17}">{job}</text>')
        body.append(f'<path class="axis" d="M{left} {bottom + 3}H{left + width}"/>')
        between = next(d * 10**k for k in range(9) for d in (1, 2, 5) if self.cost(final) <= 8 * d * 10**k)
        for time in range(0, self.cost(final) + 1, between):
            body.append(f'<text class="time" x="{left + time * scale:.1f}" y="{bottom + 20}">{time}</text>')
        return document(left + width + 16, bottom + 30, f"Schedule: {summary(final)}", body, STYLE)

    def planned(self, initial: Schedule, actions: Sequence[int]) -> tuple[Schedule, list[tuple[int, int, int, int]]]:
        """The state after `actions`, and (job, machine, start, end) of each operation on the way."""
        state, bars = self.copy(initial), []
        for job in actions:
            machine, duration = state.jobs[job][state.done[job]]
            self.play(state, job)
            bars.append((job, machine, state.job_free[job] - duration, state.job_free[job]))
        return state, bars


STYLE = """
.name { text-anchor: end; font-size: 13px; } .title { font-size: 14px; } .axis { stroke: var(--faint); }
.job { text-anchor: middle; font-size: 12px; fill: #1f2430; } .time { text-anchor: middle; font-size: 11px; }
"""


def read_jobs(path: Path) -> Jobs:
    (jobs, _), *rows = [[int(word) for word in line.split()] for line in path.read_text().splitlines()]
    read = [list(zip(row[::2], row[1::2], strict=True)) for row in rows[:jobs]]
    if any(duration < 1 for job in read for _, duration in job):
        raise ValueError(f"{path} has an operation that takes no time; durations are whole numbers from 1 on")
    return read


def machines(jobs: Jobs) -> int:
    return 1 + max(machine for job in jobs for machine, _ in job)


def bound(jobs: Jobs) -> int:
    work = [0] * machines(jobs)
    for job in jobs:
        for machine, duration in job:
            work[machine] += duration
    return max(*work, *(sum(duration for _, duration in job) for job in jobs))


def summary(schedule: Schedule) -> str:
    return f"makespan {max(schedule.job_free)}, no schedule is shorter than {bound(schedule.jobs)}"

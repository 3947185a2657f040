"""How steady the machine is for campaigns by CPU seconds, and what scaling the seconds by its speed would mend.

    python benchmarks/steadiness.py sudoku:4 --seconds 0.01 --for 600 --rest 0.09

`sim` runs on one problem within the same seconds, again and again. Printed: where nine of ten speeds lie, how many
evaluations the first runs made, and the standard deviation of the speed's logarithm, as it is and less the median
of the last controls, if every so many runs were one; docs/statistics.md has some results; they differ each time.
"""

import argparse
import time

import numpy as np

from discovery.pool.pulls import run_pull
from domains.registry import find_domain
from mcsgrammar.engines.searching import Limits, prepare
from mcsgrammar.language.parsing import parse


def speeds(name: str, seconds: float, duration: float, rest: float) -> np.ndarray:
    """Evaluations a CPU second, run after run."""
    domain, limits = find_domain(name), Limits(seconds=seconds)
    expression = prepare(parse("sim"), domain, limits)
    found, until = [], time.monotonic() + duration
    while time.monotonic() < until:
        result = run_pull(domain, expression, 0, 0, limits)
        found.append(result.evaluations / result.seconds)
        time.sleep(rest)
    return np.array(found)


def calibrated(logs: np.ndarray, every: int, last: int) -> tuple[float, float]:
    """Standard deviation as it is, and less the median of the last controls; of the runs that have so many before."""
    controls = logs[::every]
    places = np.arange(every * (last - 1) + 1, len(logs))
    newest = (places - 1) // every
    estimates = np.array([np.median(controls[n - last + 1 : n + 1]) for n in newest])
    return float(logs[places].std()), float((logs[places] - estimates).std())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain")
    parser.add_argument("--seconds", type=float, default=0.01, help="of a run")
    parser.add_argument("--for", dest="duration", type=float, default=60.0, help="seconds in all")
    parser.add_argument("--rest", type=float, default=0.0, help="seconds between runs")
    arguments = parser.parse_args()
    found = speeds(arguments.domain, arguments.seconds, arguments.duration, arguments.rest)
    relative = found / np.median(found)
    low, high = np.quantile(relative, [0.05, 0.95]) - 1
    print(
        f"{len(found):,} runs, {np.median(found):,.0f} evaluations a CPU second; nine of ten {low:+.1%} to {high:+.1%}"
    )
    print("the first runs:", ", ".join(f"{one - 1:+.1%}" for one in relative[:5]))
    for every in (1, 3, 10, 30):
        for last in (1, 3, 9, 27):
            if every * last < len(found) / 2:
                plain, left = calibrated(np.log(relative), every, last)
                print(f"a control every {every:>2} runs, median of the last {last:>2}: {plain:.2%} -> {left:.2%}")


if __name__ == "__main__":
    main()

"""Instances of the travelling salesman problem with time windows, read from text files in two formats.

Glossary
    matrix     the format of López-Ibáñez and Blum: a line with the number of nodes, the depot included; a line for each
               node with the travel times from it to all nodes; a line for each node with its window, OPENS CLOSES. The
               depot is the first. What follows # is a comment
    list       the format of Solomon's problems, in which da Silva and Urrutia have those of Dumas, Gendreau and others:
               a line CUST NO. XCOORD. YCOORD. DEMAND READY DUE SERVICE, and below it a line of seven numbers for each
               node, the depot first; after the last node, a line that begins with 999 may say so. What stands above
               the first of these lines is not read, nor are lines that begin with !!
    row        a line that says something, with its number in the file

Most problems are published as both. A list leaves open how travel times are rounded. Here that is done so that the
matrix published for n20w20.001 of Dumas comes out of its list, the only one compared: distance and service, rounded
down to a whole number; then each way once, row by row, is replaced by the shortest over one other node if that is
shorter, as rounding can make it. A tour then costs 378 at least, as published; with all detours taken it would be 376.
Sets with fractions, such as those of Potvin and Bengio, are to be read as matrices.
"""

import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from domains.errors import UnknownDomain
from domains.saying import shown
from domains.text_files import lines_of
from domains.tsptw_problems import Customers, Place2D, Times

HEADER = re.compile(r"\s*cust(omer)?\.?\s*no", re.IGNORECASE)
COLUMNS = "CUST NO. XCOORD. YCOORD. DEMAND READY DUE SERVICE"
END_OF_LIST = 999.0

Row = tuple[int, str]


def instances_in(path: Path) -> list[Path]:
    """The file itself, or the files in a folder, but for hidden ones."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    if not files:
        raise UnknownDomain(f"tsptw: there is no file in the folder {path}; put instances there")
    return files


def read_customers(path: Path) -> Customers:
    """The problem in a file. Raises `UnknownDomain` that says what is wrong with it, and where."""
    lines = lines_of(path, "tsptw")
    header = next((number for number, line in enumerate(lines, 1) if HEADER.match(line)), 0)
    if header:
        return from_list(path, header, [row for row in rows_of(lines) if row[0] > header])
    return from_matrix(path, rows_of(lines))


def rows_of(lines: list[str]) -> list[Row]:
    """The lines without comments; those that say nothing are left out."""
    bare = ((number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1))
    return [(number, line) for number, line in bare if line and not line.startswith("!!")]


def from_matrix(path: Path, rows: list[Row]) -> Customers:
    if not rows:
        raise UnknownDomain(f"tsptw: {path} is empty; write an instance, as a matrix or under a line {COLUMNS}")
    line = rows[0][1]
    if not line.isdecimal():
        raise _wrong(path, rows[0], f"the number of nodes, or above the nodes a line {COLUMNS}")
    nodes = int(line)
    check_enough(path, nodes)
    if len(rows) < 1 + 2 * nodes:
        raise UnknownDomain(
            f"tsptw: {path} has {len(rows) - 1} lines below the number of nodes, {nodes}; there must be {2 * nodes}: "
            "the travel times from each node, then the window of each"
        )
    travel = []
    for row in rows[1 : nodes + 1]:
        times = numbers_in(row)
        if times is None or len(times) != nodes or min(times) < 0.0:
            raise _wrong(path, row, f"{nodes} travel times, none below 0")
        travel.append(times)
    windows = []
    for row in rows[nodes + 1 : 2 * nodes + 1]:
        window = numbers_in(row)
        if window is None or len(window) != 2:
            raise _wrong(path, row, "a window, OPENS CLOSES")
        check_window(path, row[0], *window)
        windows.append(window)
    if len(rows) > 1 + 2 * nodes:
        raise _wrong(path, rows[1 + 2 * nodes], f"nothing more, after the windows of {nodes} nodes")
    for node in range(nodes):
        travel[node][node] = 0.0
    opens, closes = zip(*windows, strict=True)
    return Customers(tuple(map(tuple, travel)), opens, closes)


def from_list(path: Path, header: int, rows: list[Row]) -> Customers:
    nodes: list[list[float]] = []
    for row in rows:
        numbers = numbers_in(row)
        if numbers is not None and numbers[0] == END_OF_LIST:
            break
        if numbers is None or len(numbers) != 7:
            raise _wrong(path, row, f"seven numbers, {COLUMNS}")
        check_window(path, row[0], *numbers[4:6])
        if numbers[6] < 0.0:
            raise UnknownDomain(f"tsptw: {path}, line {row[0]}: the service takes {numbers[6]:g}; it must be 0 or more")
        nodes.append(numbers)
    check_enough(path, len(nodes))
    _, xs, ys, _, opens, closes, services = zip(*nodes, strict=True)
    places = tuple(zip(xs, ys, strict=True))
    return Customers(rounded_times(places, services), opens, closes, places)


def rounded_times(places: Sequence[Place2D], services: Sequence[float]) -> Times:
    """The travel times of a list."""
    import numpy as np

    xs, ys = np.array(places, np.float64).T
    across, down = xs[:, None] - xs, ys[:, None] - ys
    times = np.floor(np.sqrt(across * across + down * down) + np.array(services, np.float64)[:, None])
    np.fill_diagonal(times, 0.0)
    for a in range(len(places)):
        for b in range(len(places)):
            times[a, b] = np.min(times[a] + times[:, b])
    return tuple(map(tuple, times.tolist()))


def numbers_in(row: Row) -> list[float] | None:
    """The numbers that a row consists of; None if it holds anything else."""
    try:
        numbers = [float(word) for word in row[1].split()]
    except ValueError:
        return None
    return numbers if all(map(isfinite, numbers)) else None


def check_enough(path: Path, nodes: int) -> None:
    if nodes < 2:
        raise UnknownDomain(f"tsptw: {path} has {nodes} nodes; there must be a depot and at least one customer")


def check_window(path: Path, number: int, opens: float, closes: float) -> None:
    if opens > closes:
        raise UnknownDomain(
            f"tsptw: {path}, line {number}: the window opens at {opens:g} and closes at {closes:g}; it must open first"
        )


def _wrong(path: Path, row: Row, expected: str) -> UnknownDomain:
    return UnknownDomain(f"tsptw: {path}, line {row[0]}: expected {expected}; found {shown(row[1])}")

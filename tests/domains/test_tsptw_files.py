"""Instances of the travelling salesman with time windows, read from files."""

from pathlib import Path

import pytest

from domains.errors import UnknownDomain
from domains.problems import problem
from domains.registry import canonical_text, content_hash, find_domain
from domains.tsptw import Tsptw
from domains.tsptw_files import read_customers
from tests.domains.test_checking import findings

MATRIX = """\
3
0 4 9.5
6 0 3   # from 1
7 2 99

2 24
10 12
# the last
0 13
# Sum of service times: 0
"""

LIST = """\
!! little   1.5 3
a line of its own

CUST NO.  XCOORD.   YCOORD.    DEMAND   [READY TIME]  [DUE DATE]   [SERVICE TIME]

    1      0.0        0.0       0.0        0.0          90.0          0.0
    2      1.0        1.0       0.0       10.0          20.0          3.0
    3      3.0        3.0       7.0        0.0          30.0          0.5
    4      6.0        0.0       0.0        0.0          40.0          0.0
  999      0.0        0.0       0.0        0.0           0.0          0.0
    5      this is not read
"""


def written(tmp_path: Path, text: str, name: str = "instance.txt") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_matrix(tmp_path: Path) -> None:
    customers = read_customers(written(tmp_path, MATRIX))
    assert customers.travel == ((0.0, 4.0, 9.5), (6.0, 0.0, 3.0), (7.0, 2.0, 0.0))
    assert (customers.opens, customers.closes) == ((2.0, 10.0, 0.0), (24.0, 12.0, 13.0))
    assert customers.places is None and customers.by_closing == (1, 2)


def test_a_list(tmp_path: Path) -> None:
    """Distances: 1.41 from 1 to 2, 4.24 from 1 to 3, 2.83 from 2 to 3, 5.10 from 2 to 4, 4.24 from 3 to 4. Rounded
    down, from 1 to 3 it is 3 over 2, and no longer 4; from 2 the service of 3 is added, from 3 that of 0.5."""
    customers = read_customers(written(tmp_path, LIST))
    assert customers.travel == ((0.0, 1.0, 4.0, 6.0), (4.0, 0.0, 5.0, 8.0), (4.0, 3.0, 0.0, 4.0), (6.0, 5.0, 4.0, 0.0))
    assert customers.opens == (0.0, 10.0, 0.0, 0.0) and customers.closes == (90.0, 20.0, 30.0, 40.0)
    assert customers.places == ((0.0, 0.0), (1.0, 1.0), (3.0, 3.0), (6.0, 0.0))


def row(number: int, x: float, y: float) -> str:
    return f"{number} {x} {y} 0 0 99 0\n"


def test_a_detour_that_rounding_made_shorter(tmp_path: Path) -> None:
    """Along a diagonal, a step of 1.41 counts 1 and two steps, 2.83, count 2; three, 4.24, count 4: over another node
    they are 3. Four, 5.66, count 5 and are 4 over the middle."""
    header = "CUST NO. XCOORD. YCOORD. DEMAND READY DUE SERVICE\n"
    file = written(tmp_path, header + "".join(row(i + 1, i, i) for i in range(5)))
    assert read_customers(file).travel[0] == (0.0, 1.0, 2.0, 3.0, 4.0)


def test_each_way_is_mended_once(tmp_path: Path) -> None:
    """As for the published matrices: row by row, with what is mended already, over one other node. All places are on a
    line; the steps count 1, 1, 1 and 2, and so 5 would be the shortest way from end to end."""
    xs = (0.0, 7.7, 1.9, 3.8, 5.6)
    file = written(tmp_path, "Customer No\n" + "".join(row(i, x, 0.0) for i, x in enumerate(xs)))
    travel = read_customers(file).travel
    # To the other end: 7 straight on, 1 + 5, 3 + 3, 5 + 2. Then 3 is mended to 1 + 1, and 5 to 2 + 1 with that.
    assert travel[0] == (0.0, 6.0, 1.0, 2.0, 3.0)
    # Back, still 5 + 1, 3 + 3 and 2 + 5; then 5 is mended to 3 + 1.
    assert travel[1] == (6.0, 0.0, 4.0, 3.0, 2.0)


def test_solomons_own_files(tmp_path: Path) -> None:
    """With a fleet above the list, and no line 999."""
    text = (
        "C101\n\nVEHICLE\nNUMBER  CAPACITY\n 25  200\n\nCUSTOMER\nCUST NO. XCOORD. …\n\n0 3 4 0 0 50 0\n1 0 0 9 5 6 2\n"
    )
    customers = read_customers(written(tmp_path, text))
    assert customers.travel == ((0.0, 5.0), (7.0, 0.0)) and customers.closes == (50.0, 6.0)


COLUMNS = "CUST NO. XCOORD. YCOORD. DEMAND READY DUE SERVICE"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f" is empty; write an instance, as a matrix or under a line {COLUMNS}"),
        ("# nothing\n\n", f" is empty; write an instance, as a matrix or under a line {COLUMNS}"),
        (
            "\nthree\n",
            f", line 2: expected the number of nodes, or above the nodes a line {COLUMNS}; found 'three'",
        ),
        (
            "3 nodes\n",
            f", line 1: expected the number of nodes, or above the nodes a line {COLUMNS}; found '3 nodes'",
        ),
        ("1\n0\n0 1\n", " has 1 nodes; there must be a depot and at least one customer"),
        (f"{COLUMNS}\n1 0 0 0 0 9 0\n", " has 1 nodes; there must be a depot and at least one customer"),
        (
            "2\n0 1\n1 0\n0 9\n",
            " has 3 lines below the number of nodes, 2; there must be 4: the travel times from each node, then the "
            "window of each",
        ),
        (
            MATRIX.replace("6 0 3", "6 0"),
            ", line 3: expected 3 travel times, none below 0; found '6 0'",
        ),
        (
            MATRIX.replace("6 0 3", "6 0 x"),
            ", line 3: expected 3 travel times, none below 0; found '6 0 x'",
        ),
        (
            MATRIX.replace("6 0 3", "6 0 -3"),
            ", line 3: expected 3 travel times, none below 0; found '6 0 -3'",
        ),
        (
            MATRIX.replace("6 0 3", "6 0 inf"),
            ", line 3: expected 3 travel times, none below 0; found '6 0 inf'",
        ),
        (MATRIX.replace("10 12", "10 12 14"), ", line 7: expected a window, OPENS CLOSES; found '10 12 14'"),
        (MATRIX.replace("10 12", "ten"), ", line 7: expected a window, OPENS CLOSES; found 'ten'"),
        (
            MATRIX.replace("10 12", "12.5 10"),
            ", line 7: the window opens at 12.5 and closes at 10; it must open first",
        ),
        (MATRIX + "0 1\n", ", line 11: expected nothing more, after the windows of 3 nodes; found '0 1'"),
        (
            LIST.replace("10.0          20.0 ", "10.0 "),
            f", line 7: expected seven numbers, {COLUMNS}; found '2 1.0 1.0 0.0 10.0 3.0'",
        ),
        (
            LIST.replace("  999 ", "  five "),
            f", line 10: expected seven numbers, {COLUMNS}; found 'five 0.0 0.0 0.0 0.0 0.0 0.0'",
        ),
        (
            LIST.replace("20.0 ", " 9.0 "),
            ", line 7: the window opens at 10 and closes at 9; it must open first",
        ),
        (LIST.replace("  0.5", " -0.5"), ", line 8: the service takes -0.5; it must be 0 or more"),
    ],
)
def test_what_is_wrong_with_a_file(text: str, message: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(UnknownDomain) as error:
        find_domain(f"tsptw:path={file}")
    assert str(error.value) == f"tsptw: {file}{message}"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    (tmp_path / "empty").mkdir()
    for name, message in {
        "picture": f"tsptw: {tmp_path}/picture is not a text file in UTF-8",
        "none.txt": f"tsptw: {tmp_path}/none.txt cannot be read: No such file or directory",
        "empty": f"tsptw: there is no file in the folder {tmp_path}/empty; put instances there",
    }.items():
        with pytest.raises(UnknownDomain) as error:
            find_domain(f"tsptw:path={tmp_path / name}")
        assert str(error.value) == message


def test_a_file_as_a_domain(tmp_path: Path) -> None:
    file = written(tmp_path, MATRIX)
    domain = find_domain(f"tsptw:path={file},penalty=10")
    assert isinstance(domain, Tsptw)
    assert canonical_text(domain) == f"tsptw:path={content_hash(file)},penalty=10,prune=True"
    assert (domain.horizon, domain.max_length, domain.max_actions) == (2, 2, 2)
    # Ways out of the nodes: 4 or 9.5, 3 or 6, 2 or 7; into them: 6 or 7, 2 or 4, 3 or 9.5.
    assert domain.minimise == (11.0, 51.0)  # 6 + 2 + 3, and 7 + 4 + 9.5 + 3 × 10, in whole numbers
    initial = problem(domain, 0)
    assert (initial.time, initial.left) == (2.0, [1, 2])
    assert domain.draw(initial, [1, 2]) == (
        "depot@2  1@6+4  2@13  depot@20\n"
        "5@30: customer 5 is reached at 30; +4: waits 4 until the window opens; !8: comes 8 too late\n"
        "cost 14: travel 14, nobody late"
    )
    assert {finding.name for finding in findings(domain, 1, 10)} == {"small-span"}  # there is one tour


def test_a_folder_as_a_domain(tmp_path: Path) -> None:
    """Instances may differ in size; hidden files are none."""
    written(tmp_path, MATRIX, "a.txt")
    written(tmp_path, LIST, "b.tw")
    written(tmp_path, "not an instance", ".hidden")
    domain = find_domain(f"tsptw:path={tmp_path}")
    assert domain.instances == [tmp_path / "a.txt", tmp_path / "b.tw"]
    assert domain.max_actions == 3
    # From the matrix 11, and from the list the longest ways, 6 + 8 + 4 + 6, or into the nodes 6 + 5 + 5 + 8.
    assert domain.minimise == (11.0, 424.0)
    assert {problem(domain, k, "both").customers.nodes for k in range(2)} == {3, 4}
    assert {finding.name for finding in findings(domain, 2, 10)} == {"small-span", "feature-same"}  # nobody is late


def test_options_of_random_problems_are_refused_with_a_path(tmp_path: Path) -> None:
    with pytest.raises(UnknownDomain) as error:
        Tsptw(cities=50, path=tmp_path)
    assert str(error.value) == "tsptw: cities and width are of random problems; with path leave them out"

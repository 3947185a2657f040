"""Boards of SameGame in files: what is read, and what is said of the rest."""

from pathlib import Path

import pytest

from domains.errors import UnknownDomain
from domains.problems import describe_problems, encoded_problem, problem
from domains.randomness import Random
from domains.registry import canonical_text, content_hash, find_domain
from domains.samegame import SameGame
from domains.samegame_files import read_boards

ONE = "123\n221\n"
COLUMNS = [[2, 1], [2, 2], [1, 3]]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        "1 2 3\n2 2 1",
        "1,2,3\n2,2,1,\n",
        "1, 2, 3\r\n2; 2; 1\r\n",
        "\n\n  1\t2 3  \n# a remark\n221 # the lower row\n\n\n",
        "012\n110\n",
        f"\ufeff{ONE}",
        "0 1 2\n1 1 0\n",
    ],
)
def test_one_board_however_it_is_written(text: str, tmp_path: Path) -> None:
    assert [board.columns for board in read_boards(written(tmp_path / "board.txt", text))] == [COLUMNS]


def test_the_first_board_is_counted_from_0_and_the_second_from_1(tmp_path: Path) -> None:
    boards = read_boards(written(tmp_path / "boards.txt", "08\n11\n \n19\n22\n"))
    assert [board.columns for board in boards] == [[[2, 1], [2, 9]], [[2, 1], [2, 9]]]


def test_a_file_with_one_board_is_the_one_problem(tmp_path: Path) -> None:
    domain = SameGame(path=written(tmp_path / "board.txt", ONE))
    assert (domain.width, domain.height, domain.colours, domain.max_actions) == (3, 2, 3, 3)
    assert [problem(domain, k).columns for k in range(3)] == [COLUMNS] * 3
    assert describe_problems(domain, "test") == "the one instance, in both splits; only the seeds are fresh"
    problem(domain, 0).columns[0].pop()
    assert problem(domain, 0).columns == COLUMNS


def test_each_file_of_a_folder_is_a_problem_on_a_board_with_room_for_all(tmp_path: Path) -> None:
    for number, text in enumerate(("1112\n", "2\n2\n2\n2\n3\n")):
        written(tmp_path / f"{number}.txt", text.replace("\n", "2\n") + ("11112\n" if number == 0 else ""))
    written(tmp_path / "notes.md", "no board")
    domain = SameGame(path=tmp_path)
    assert (domain.width, domain.height, domain.colours, domain.horizon) == (5, 5, 3, 7)
    boards = [problem(domain, k, "both").columns for k in range(2)]
    assert sorted(boards) == [[[1, 1], [1, 1], [1, 1], [1, 2], [2, 2]], [[3, 2, 2, 2, 2], [2, 2, 2, 2, 2]]]
    lengths = {len(encoded_problem(domain, k, "both")[1]) for k in range(2)}
    assert len(lengths) == 1


def test_boards_of_one_file_are_drawn(tmp_path: Path) -> None:
    domain = SameGame(path=written(tmp_path / "boards.txt", "11\n11\n\n12\n12\n\n112\n112\n"))
    assert (domain.instances, domain.width) == (None, 3)
    random = Random(1)
    drawn = [domain.sample(random) for _ in range(60)]
    assert {len(board.columns) * 10 + board.columns[1][0] for board in drawn} == {21, 22, 31}
    drawn[0].columns.clear()
    assert all(board.columns for board in domain.boards)


def test_boards_are_known_by_what_the_file_holds(tmp_path: Path) -> None:
    board = written(tmp_path / "board.txt", ONE)
    found = find_domain(f"samegame:path={board}")
    assert canonical_text(found) == canonical_text(SameGame(path=board)) == f"samegame:path={content_hash(board)}"
    moved = board.rename(tmp_path / "moved.txt")
    assert canonical_text(SameGame(path=moved)) == canonical_text(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 2 3\n1 2\n",
            "line 2 of FILE has 2 cells, and the row above it 3; all rows of a board are equally long, and between two "
            "boards there is a blank line",
        ),
        ("123\n1x3\n", "line 2 of FILE: 'x' is no colour; colours are numbers from 1 to 9, or from 0 to 8"),
        ("1 2\n-1 2\n", "line 2 of FILE: '-1' is no colour; colours are numbers from 1 to 9, or from 0 to 8"),
        ("1 2\n1 10\n", "line 2 of FILE: '10' is no colour; colours are numbers from 1 to 9, or from 0 to 8"),
        (
            "11\n22\n\n09\n11\n",
            "the board that ends in line 5 of FILE has the colours 0 and 9; number them from 1 to 9, or from 0 to 8",
        ),
        (
            "1\n2\n",
            "the board that ends in line 2 of FILE has 1 column; it may have 2 to 50, and a blank line ends a board",
        ),
        (
            "12\n" * 51,
            "the board that ends in line 51 of FILE has 51 rows; it may have 2 to 50, and a blank line ends a board",
        ),
        ("# nothing\n\n", "FILE has no board; write its rows as lines of colours, such as 1 2 2 5"),
    ],
)
def test_what_is_wrong_with_a_board(text: str, message: str, tmp_path: Path) -> None:
    file = written(tmp_path / "board.txt", text)
    with pytest.raises(UnknownDomain) as error:
        find_domain(f"samegame:path={file}")
    assert str(error.value) == message.replace("FILE", str(file))


def test_what_is_wrong_with_a_path(tmp_path: Path) -> None:
    def complaint(options: str) -> str:
        with pytest.raises(UnknownDomain) as error:
            find_domain(f"samegame:{options}")
        return str(error.value)

    folder = tmp_path / "boards"
    assert complaint(f"path={folder}") == f"samegame: {folder} cannot be read: No such file or directory"
    folder.mkdir()
    assert complaint(f"path={folder}") == (
        f"there is no *.txt in {folder}; each board is a file of its own there, such as board1.txt"
    )
    several = written(folder / "several.txt", "11\n11\n\n22\n22\n")
    assert complaint(f"path={folder}") == (
        f"{several} has 2 boards; in a folder each is a file of its own; or name this file alone"
    )
    assert complaint(f"path={several},width=4") == (
        f"samegame: what width, height and colours are, {several} says; leave them out"
    )
    several.write_bytes(b"\xff\xfe\x00")
    assert complaint(f"path={several}") == f"samegame: {several} is not a text file in UTF-8"

"""A naive SameGame: a grid of squares with gaps, where blocks fall one square at a time; and what its tests share."""

from domains.randomness import Random
from domains.samegame import SameGame
from domains.samegame_board import Board

Square = tuple[int, int]
"""Row from the top and column."""


class Twin:
    """What is on the squares, as written: the rows from the top down, a blank for nothing."""

    def __init__(self, rows: list[str]) -> None:
        self.rows, self.points = [list(row) for row in rows], 0

    def squares(self) -> list[Square]:
        """Column by column from the left, each from the bottom up."""
        return [(row, column) for column in range(len(self.rows[0])) for row in reversed(range(len(self.rows)))]

    def block(self, square: Square) -> set[Square]:
        """All that can be reached from a square without leaving its colour."""
        row, column = square
        colour, reached = self.rows[row][column], {square}
        while True:
            more = {
                (r, c)
                for r, c in self.squares()
                if self.rows[r][c] == colour and any(abs(r - y) + abs(c - x) == 1 for y, x in reached)
            }
            if more <= reached:
                return reached
            reached |= more

    def blocks(self) -> list[set[Square]]:
        """Those that may be removed, in the order of their first squares."""
        found: list[set[Square]] = []
        for row, column in self.squares():
            if self.rows[row][column] != " " and not any((row, column) in block for block in found):
                found.append(self.block((row, column)))
        return [block for block in found if len(block) >= 2]

    def actions(self) -> list[int]:
        order = self.squares()
        return sorted(min(order.index(square) for square in block) for block in self.blocks())

    def play(self, action: int) -> None:
        block = self.block(self.squares()[action])
        self.points += (len(block) - 2) ** 2
        for row, column in block:
            self.rows[row][column] = " "
        while self.one_falls() or self.one_column_moves():
            pass

    def one_falls(self) -> bool:
        for above, below in zip(self.rows, self.rows[1:], strict=False):
            for column, colour in enumerate(above):
                if colour != " " and below[column] == " ":
                    above[column], below[column] = " ", colour
                    return True
        return False

    def one_column_moves(self) -> bool:
        for column in range(len(self.rows[0]) - 1):
            if all(row[column] == " " for row in self.rows) and any(row[column + 1] != " " for row in self.rows):
                for row in self.rows:
                    row[column], row[column + 1] = row[column + 1], " "
                return True
        return False

    def score(self) -> int:
        left = "".join(colour for row in self.rows for colour in row if colour != " ")
        return self.points - sum((left.count(colour) - 2) ** 2 for colour in set(left)) if left else self.points + 1000


def rows_of(board: Board, domain: SameGame) -> list[str]:
    columns = ["".join(map(str, column)).ljust(domain.height) for column in board.columns]
    columns += [" " * domain.height] * (domain.width - len(columns))
    return ["".join(column[y] for column in columns) for y in reversed(range(domain.height))]


def board_of(*rows: str) -> Board:
    return Board([[int(row[x]) for row in reversed(rows) if row[x] != " "] for x in range(len(rows[0]))], 0)


def domain_for(*rows: str) -> SameGame:
    return SameGame(len(rows[0]), len(rows), max(2, *(int(colour) for row in rows for colour in row if colour != " ")))


def random_game(domain: SameGame, initial: Board, seed: int) -> list[int]:
    random, state = Random(seed), domain.copy(initial)
    played = []
    while actions := domain.actions(state):
        played.append(actions[random.below(len(actions))])
        domain.play(state, played[-1])
    return played


HOOKS = {
    "one arm above the other": (["1112", "2212", "1112"], [0, 1, 9]),
    "a comb open to the left": (["11112", "22212", "11112", "22212", "11112"], [0, 1, 3, 20]),
    "a comb open to the right": (["21111", "21222", "21111", "21222", "21111"], [0, 5, 11, 13]),
    "a spiral": (["1111111", "2222221", "1111121", "1222121", "1211121", "1222221", "1111111"], [0, 5]),
    "a ring": (["1111", "1221", "1221", "1111"], [0, 5]),
    "a lower arm that begins further right": (["1111", "2221", "2211", "2221"], [0, 3]),
    "arms of two colours": (["1111", "2221", "1111", "2221", "2222"], [0, 2, 3]),
}
"""Boards on which a group is more than a heap, and their actions."""

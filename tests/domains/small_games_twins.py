"""The six small games once more, from the whole sequence of actions each time and as simply as can be: naive twins.

Glossary
    legal    the legal actions after a sequence, in order
    points   the score after a sequence; of unfinished games only where they have one
"""

from collections.abc import Sequence
from itertools import combinations

ROWS = [".1435926.", "5.21.63.8", "93.872.15", "765.3.921", ".819.765.", "249.1.873", "62.781.49", "1.85.47.2"]
ROWS += [".5729318."]

PATHS = """7:3 14:41 21:332 28:3134 35:22234 42:441412 49:2121311 56:31431232 63:214443243 70:4334142334 77:41311423331
84:122213132423 91:4443433112114 100:11232443311424"""


class Twin:
    def legal(self, played: Sequence[int]) -> list[int]:
        raise NotImplementedError

    def points(self, played: Sequence[int]) -> float:
        raise NotImplementedError


class SudokuSimpleTwin(Twin):
    def legal(self, played: Sequence[int]) -> list[int]:
        filled = {action // 9 for action in played}
        return [i for i in range(729) if "".join(ROWS)[i // 9] == "." and i // 9 not in filled]

    def points(self, played: Sequence[int]) -> float:
        grid = [list(row) for row in ROWS]
        for action in played:
            grid[action // 81][action // 9 % 9] = str(action % 9 + 1)
        columns = [[grid[r][c] for r in range(9)] for c in range(9)]
        boxes = [[grid[r][c] for r in range(y, y + 3) for c in range(x, x + 3)] for y in (0, 3, 6) for x in (0, 3, 6)]
        complete = sum(sorted(unit) == list("123456789") for unit in [*grid, *columns, *boxes])
        return 100 if complete == 27 else 3 * complete


class StateSpaceTwin(Twin):
    def legal(self, played: Sequence[int]) -> list[int]:
        return [1, 2, 3, 4] if len(played) < 14 else []

    def points(self, played: Sequence[int]) -> float:
        values = {path: int(value) for value, path in (entry.split(":") for entry in PATHS.split())}
        for length in range(len(played), 0, -1):
            beginning = "".join(map(str, played[:length]))
            if beginning in values:
                return values[beginning]
        return 0


class QueensTwin(Twin):
    def legal(self, played: Sequence[int]) -> list[int]:
        return sorted(set(range(100)) - set(played)) if len(played) < 10 else []

    def points(self, played: Sequence[int]) -> float:
        sharing = set()
        for one, other in combinations(played, 2):
            down, right = one // 10 - other // 10, one % 10 - other % 10
            if down == 0 or right == 0 or down == right or down == -right:
                sharing |= {one, other}
        score = {0: 100, 2: 90, 3: 80, 4: 70, 5: 60, 6: 50, 7: 40}.get(len(sharing), 0)
        return score * len(played) / 10


class PancakesTwin(Twin):
    def legal(self, played: Sequence[int]) -> list[int]:
        return [1, 2, 3, 4, 5, 6, 7, 8] if len(played) < 40 and self.stack(played) != sorted(self.stack(())) else []

    def points(self, played: Sequence[int]) -> float:
        flips = len(played)
        if self.stack(played) != sorted(self.stack(())) or flips == 40:
            return 0
        if flips < 13:
            return {6: 90, 7: 85, 8: 80, 9: 75, 10: 70, 11: 65, 12: 60}.get(flips, 100)
        return 50 if flips < 20 else 45 if flips < 30 else 40

    def stack(self, played: Sequence[int]) -> list[int]:
        stack = [6, 1, 7, 5, 3, 8, 4, 2]
        for k in played:
            for i in range(k // 2):
                stack[i], stack[k - 1 - i] = stack[k - 1 - i], stack[i]
        return stack


class KnightsTwin(Twin):
    def over(self, played: Sequence[int]) -> bool:
        pairs = combinations(played, 2)
        return any({abs(a // 8 - b // 8), abs(a % 8 - b % 8)} == {1, 2} for a, b in pairs)

    def legal(self, played: Sequence[int]) -> list[int]:
        return [] if self.over(played) else sorted(set(range(64)) - set(played))

    def points(self, played: Sequence[int]) -> float:
        n = len(played) - 1 if self.over(played) else len(played)
        if n <= 10:
            return n
        return 2 * n - 10 if n <= 20 else 5 * n - 70 if n <= 30 else 90 if n == 31 else 100


class FrogsTwin(Twin):
    def animals(self, played: Sequence[int]) -> tuple[dict[tuple[int, int], str], tuple[int, int]]:
        """Where which animals are, and the empty place."""
        upper_left = {(row, column): "toad" for row in range(4) for column in range(4)}
        lower_right = {(row, column): "frog" for row in range(3, 7) for column in range(3, 7)}
        animals, empty = upper_left | lower_right, (3, 3)
        del animals[empty]
        for action in played:
            place = divmod(action, 7)
            animals[empty] = animals.pop(place)
            empty = place
        return animals, empty

    def legal(self, played: Sequence[int]) -> list[int]:
        if len(played) == 116:
            return []
        animals, (y, x) = self.animals(played)
        legal = []
        for row, column in sorted(animals):
            one_step = abs(row - y) + abs(column - x) == 1
            two_straight = {abs(row - y), abs(column - x)} == {0, 2}
            if one_step or (two_straight and ((row + y) // 2, (column + x) // 2) in animals):
                legal.append(row * 7 + column)
        return legal

    def points(self, played: Sequence[int]) -> float:
        animals, _ = self.animals(played)
        frogs = sum(animal == "frog" and max(place) <= 3 and place != (3, 3) for place, animal in animals.items())
        toads = sum(animal == "toad" and min(place) >= 3 and place != (3, 3) for place, animal in animals.items())
        return 100 * (frogs + toads) / 30


TWINS: dict[str, Twin] = {
    "sudoku_simple": SudokuSimpleTwin(),
    "statespace": StateSpaceTwin(),
    "queens": QueensTwin(),
    "pancakes": PancakesTwin(),
    "knights": KnightsTwin(),
    "frogs": FrogsTwin(),
}

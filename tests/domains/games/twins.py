"""The trickier games once more, as simply as can be, on sets and dictionaries of places: naive twins.

A twin is a start, the actions of a role in order, and what follows a joint move. A place is (column, row), from 0.
"""

from itertools import combinations

Place = tuple[int, int]

# Quad: the squares.


def is_square(four: tuple[Place, ...]) -> bool:
    """Four equal sides and two diagonals that are as long as a diagonal of a square is."""
    distances = sorted((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in combinations(four, 2))
    return distances[0] > 0 and distances[:4] == distances[:1] * 4 and distances[4:] == [2 * distances[0]] * 2


# Chinook.

Men = dict[Place, str]


def chinook_start() -> tuple[Men, int]:
    men = {(x, 0): "white" for x in range(8)} | {(x, 7): "black" for x in range(8)}
    return men | {(x, 1): "white" for x in range(1, 7)} | {(x, 6): "black" for x in range(1, 7)}, 0


def chinook_moves(men: Men, step: int, role: str) -> list[tuple[Place, Place, Place | None]]:
    """From, to, and the man that is taken. White begins on the cells like a1, black on the others."""
    up = 1 if role == "white" else -1
    parity = step % 2 if role == "white" else 1 - step % 2
    moves: list[tuple[Place, Place, Place | None]] = []
    for y in range(8):
        for x in range(8):
            if men.get((x, y)) != role or (x + y) % 2 != parity:
                continue
            for right in (1, -1):
                near = ((x + right) % 8, y + up)
                far = ((x + 2 * right) % 8, y + 2 * up)
                if near[1] in range(8) and near not in men:
                    moves.append(((x, y), near, None))
                if near in men and men[near] != role and far[1] in range(8) and far not in men:
                    moves.append(((x, y), far, near))
    return moves


def chinook_actions(state: tuple[Men, int], role: str) -> list[int]:
    men, step = state
    if chinook_over(state):
        return []
    return [*(64 * (a + 8 * b) + c + 8 * d for (a, b), (c, d), _ in chinook_moves(men, step, role)), -1]


def chinook_over(state: tuple[Men, int]) -> bool:
    return state[1] == 40 or 1.0 in chinook_rewards(state)


def chinook_rewards(state: tuple[Men, int]) -> tuple[float, float]:
    white = any(man == "white" and place[1] == 7 for place, man in state[0].items())
    black = any(man == "black" and place[1] == 0 for place, man in state[0].items())
    return float(white), float(black)


def chinook_play(state: tuple[Men, int], joint: tuple[int, ...]) -> tuple[Men, int]:
    men, step = state
    after = dict(men)
    for role, action in zip(("white", "black"), joint, strict=True):
        for (a, b), (c, d), taken in chinook_moves(men, step, role):
            if action == 64 * (a + 8 * b) + c + 8 * d:
                after[c, d] = after.pop((a, b))
                if taken is not None:
                    del after[taken]
    return after, step + 1


# Battle.

PAWNS = {
    "south": "21 71 32 42 52 62 12 17 23 24 25 26",
    "north": "28 78 37 47 57 67 82 87 73 74 75 76",
}
KINGS = {"south": "31 41 51 61 13 14 15 16", "north": "38 48 58 68 83 84 85 86"}
"""Columns and rows from 1."""

Army = dict[Place, str]
"""`pawn` or `king` by place."""
Battlefield = tuple[dict[str, Army], dict[str, int], int]
"""The armies, the captures and the steps."""


def battle_start() -> Battlefield:
    armies: dict[str, Army] = {}
    for role in ("north", "south"):
        kinds = {"pawn": PAWNS[role], "king": KINGS[role]}
        armies[role] = {
            (int(place[0]) - 1, int(place[1]) - 1): kind for kind, places in kinds.items() for place in places.split()
        }
    return armies, {"north": 0, "south": 0}, 0


def battle_actions(state: Battlefield, role: str) -> list[int]:
    armies, captures, step = state
    if step == 30 or 10 in captures.values() or not all(armies.values()):
        return []
    moves, defences = [], []
    for x, y in sorted(armies[role], key=lambda place: (place[1], place[0])):
        kind, cell = armies[role][x, y], x + 8 * y
        defences.append(65 * cell)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                goes = (dx, dy) != (0, 0) and (kind == "king" or 0 in (dx, dy))
                if goes and x + dx in range(8) and y + dy in range(8) and (x + dx, y + dy) not in armies[role]:
                    moves.append(64 * cell + x + dx + 8 * (y + dy))
    return moves + defences


def battle_play(state: Battlefield, joint: tuple[int, ...]) -> Battlefield:
    """Case by case, from the armies as they are before the step."""
    armies, captures, step = state
    after = {role: dict(army) for role, army in armies.items()}
    scores = dict(captures)
    froms, tos = {}, {}
    for role, action in zip(("north", "south"), joint, strict=True):
        start, end = divmod(action, 64)
        froms[role], tos[role] = (start % 8, start // 8), (end % 8, end // 8)
    for role, enemy in (("north", "south"), ("south", "north")):
        start, end = froms[role], tos[role]
        if start == end:
            continue
        kind = after[role].pop(start)
        enemy_defends, enemy_moves = froms[enemy] == tos[enemy], froms[enemy] != tos[enemy]
        if enemy_moves and tos[enemy] == end:
            pass  # both vanish
        elif enemy_defends and tos[enemy] == end:
            scores[enemy] += 1
        elif end in armies[enemy] and froms[enemy] != end:
            del after[enemy][end]
            scores[role] += 1
            after[role][end] = kind
        else:
            after[role][end] = kind
    return after, scores, step + 1


# Chinese checkers, on names of cells and the tables of edges.

Edges = tuple[dict[str, str], dict[str, str]]


def checkers_moves(occupied: set[str], edges: Edges, cell: str) -> list[str]:
    """In order; the first of several ways to a cell counts."""
    found = []
    for way in edges:
        if way.get(cell, cell) not in occupied:
            found.append(way[cell])
    for way in edges:
        for first in jump(occupied, way, cell):
            found.append(first)
            for second_way in edges:
                found += jump(occupied, second_way, first)
    return [name for i, name in enumerate(found) if name not in found[:i]]


def jump(occupied: set[str], way: dict[str, str], cell: str) -> list[str]:
    if cell in way and way[cell] in occupied and way[cell] in way and way[way[cell]] not in occupied:
        return [way[way[cell]]]
    return []

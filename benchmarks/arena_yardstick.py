"""Three plain programs, each for one game: UCT with MAST in the playouts. What `arena.py` is measured against.

Each knows its game and nothing else: two roles in turns, boards as words, no noop, no guards, no pause, arrays of a
fixed size. The algorithm is that of `select(sim(mast(eps=…)), c)` or, where tau is above 0, `sim(mast(tau=…))`: one
node a simulation, untried actions by the playout policy, a table for each role.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from domains.bits import trailing_zeros
from domains.games.connect5 import Connect5
from domains.games.tictactoe3d import TicTacToe3D
from domains.kernels import below, njit, uniform01

Program = Callable[[int, int, float, float, float], tuple[int, int]]
"""(simulations, seed, c, eps, tau) -> the steps of all simulations, and the best first action"""

ONE, ZERO, EIGHT = np.uint64(1), np.uint64(0), np.uint64(8)
SEVEN, NINE = np.uint64(7), np.uint64(9)


@njit
def draw(actions: Any, n: Any, scores: Any, odds: Any, eps: Any, tau: Any, random: Any) -> Any:
    """A place among the first n actions, by MAST."""
    if n == 1:
        return 0
    if tau > 0.0:
        total = 0.0
        for i in range(n):
            total += odds[actions[i]]
        left = uniform01(random) * total
        for i in range(n - 1):
            left -= odds[actions[i]]
            if left < 0.0:
                return i
        return n - 1
    if uniform01(random) < eps:
        return below(random, n)
    best, ties = -1.0, 0
    for i in range(n):
        score = scores[actions[i]]
        if score > best:
            best, ties = score, 1
        elif score == best:
            ties += 1
    number = below(random, ties)
    for i in range(n):
        if scores[actions[i]] == best:
            if number == 0:
                return i
            number -= 1
    return 0


@njit
def learn(actions: Any, length: Any, reward: Any, scores: Any, odds: Any, counts: Any, tau: Any) -> None:
    """Every action of a simulation, by role: `reward` is that of the first."""
    for t in range(length):
        role, action = t & 1, actions[t]
        count = counts[role, action] + 1.0
        counts[role, action] = count
        mean = 0.0 if count == 1.0 else scores[role, action]
        mean += ((reward if role == 0 else 1.0 - reward) - mean) / count
        scores[role, action] = mean
        if tau > 0.0:
            odds[role, action] = math.exp((mean - 1.0) / tau)


def program(codes: int, width: int, longest: int, start: Any, moves: Any, move: Any, play_out: Any) -> Program:
    """UCT around the three functions of a game: `moves(board, role, out)` -> n, `move(board, role, action)` -> whether
    that wins, and `play_out(board, t, actions, …)` -> length and who has won, 0, 1 or -1."""

    @njit
    def search(simulations: Any, seed: Any, c: Any, eps: Any, tau: Any) -> Any:
        random = np.array([seed], np.uint64)
        first, size = np.empty(simulations + 1, np.int64), np.empty(simulations + 1, np.int64)
        visits = np.empty(simulations + 1, np.int64)
        room = (simulations + 1) * width
        action, child, tried = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
        worth = np.empty(room)
        scores, odds, counts = np.ones((2, codes)), np.ones((2, codes)), np.zeros((2, codes))
        sequence, path, out = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(width, np.int32)
        places, board = np.empty(width, np.int64), start.copy()
        nodes, arms, steps = 0, 0, 0
        arm: Any
        node: Any
        for _ in range(simulations):
            board[:] = start
            t, node, winner = 0, 0, -2
            while node < nodes:
                role, n, begin = t & 1, size[node], first[node]
                if n == 0:  # a full board
                    winner = -1
                    break
                untried = 0
                for i in range(begin, begin + n):
                    if tried[i] == 0:
                        out[untried], places[untried] = action[i], i
                        untried += 1
                if untried > 0:
                    arm = places[draw(out, untried, scores[role], odds[role], eps, tau, random)]
                else:
                    scale, arm, best, ties = c * math.sqrt(math.log(visits[node])), begin, -1.0, 0
                    for i in range(begin, begin + n):
                        value = worth[i] / tried[i] + scale / math.sqrt(tried[i])
                        if value > best:
                            best, arm, ties = value, i, 1
                        elif value == best:
                            ties += 1
                            if below(random, ties) == 0:
                                arm = i
                sequence[t], path[t] = action[arm], arm
                visits[node] += 1
                won = move(board, role, action[arm])
                t += 1
                if won:
                    winner = role
                    break
                if child[arm] < 0:
                    child[arm] = nodes
                    node = nodes
                    break
                node = child[arm]
            chosen, length = t, t
            if winner == -2:
                n = moves(board, t & 1, out)
                first[node], size[node], visits[node] = arms, n, 0
                for i in range(n):
                    action[arms], child[arms], tried[arms], worth[arms] = out[i], -1, 0, 0.0
                    arms += 1
                nodes += 1
                length, winner = play_out(board, t, sequence, out, scores, odds, eps, tau, random)
            steps += length
            reward = 0.5 if winner < 0 else 1.0 - winner
            learn(sequence, length, reward, scores, odds, counts, tau)
            for d in range(chosen):
                tried[path[d]] += 1
                worth[path[d]] += reward if d & 1 == 0 else 1.0 - reward
        highest, best_action = -1.0, -1
        for i in range(first[0], first[0] + size[0]):
            if tried[i] > 0 and worth[i] / tried[i] > highest:
                highest, best_action = worth[i] / tried[i], action[i]
        return steps, best_action

    return search


def marking(cells: int, lines: tuple[tuple[int, ...], ...]) -> Program:
    """Who first marks a line of cells wins."""
    through = [[sum(1 << one for one in line) for line in lines if cell in line] for cell in range(cells)]
    begins = np.cumsum([0, *map(len, through)])
    masks = np.array([mask for own in through for mask in own], np.uint64)
    board_full = np.uint64(2**cells - 1)

    @njit
    def move(board: Any, role: Any, cell: Any) -> Any:
        own = board[role] | ONE << np.uint64(cell)
        board[role] = own
        won = False
        for i in range(begins[cell], begins[cell + 1]):
            won |= own & masks[i] == masks[i]
        return won

    @njit
    def moves(board: Any, role: Any, out: Any) -> Any:
        free, n = ~(board[0] | board[1]) & board_full, 0
        while free:
            out[n] = trailing_zeros(free)
            free &= free - ONE
            n += 1
        return n

    @njit
    def play_out(
        board: Any, t: Any, sequence: Any, out: Any, scores: Any, odds: Any, eps: Any, tau: Any, random: Any
    ) -> Any:
        n = moves(board, t & 1, out)
        while n > 0:
            role = t & 1
            place = draw(out, n, scores[role], odds[role], eps, tau, random)
            cell = out[place]
            n -= 1
            out[place] = out[n]
            sequence[t] = cell
            t += 1
            if move(board, role, cell):
                return t, role
        return t, -1

    return program(cells, cells, cells, np.zeros(2, np.uint64), moves, move, play_out)


def breakthrough() -> Program:
    """An action is the cell a piece leaves, times 3, and one of three ways."""
    not_left, not_right = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
    far = np.array([0xFF << 56, 0xFF], np.uint64)
    ahead = np.array([[8, 9, 7], [-8, -7, -9]])
    start = np.array([0xFFFF, 0xFFFF << 48], np.uint64)

    @njit
    def move(board: Any, role: Any, action: Any) -> Any:
        cell = action // 3
        target = ONE << np.uint64(cell + ahead[role, action - 3 * cell])
        board[role] ^= target | ONE << np.uint64(cell)
        board[1 - role] &= ~target
        return board[role] & far[role] != ZERO or board[1 - role] == ZERO

    @njit
    def moves(board: Any, role: Any, out: Any) -> Any:
        own, n = board[role], 0
        empty, open_to = ~(own | board[1 - role]), ~own
        if role == 0:
            ways = (own & empty >> EIGHT, own & not_right & open_to >> NINE, own & not_left & open_to >> SEVEN)
        else:
            ways = (own & empty << EIGHT, own & not_right & open_to << SEVEN, own & not_left & open_to << NINE)
        for way in range(3):
            pieces = ways[way]
            while pieces:
                out[n] = 3 * np.int64(trailing_zeros(pieces)) + way
                pieces &= pieces - ONE
                n += 1
        return n

    @njit
    def play_out(
        board: Any, t: Any, sequence: Any, out: Any, scores: Any, odds: Any, eps: Any, tau: Any, random: Any
    ) -> Any:
        while True:
            role = t & 1
            n = moves(board, role, out)
            action = out[draw(out, n, scores[role], odds[role], eps, tau, random)]
            sequence[t] = action
            t += 1
            if move(board, role, action):
                return t, role

    return program(192, 48, 177, start, moves, move, play_out)


PROGRAMS: dict[str, Callable[[], Program]] = {
    "tictactoe3d": lambda: marking(64, TicTacToe3D.lines),
    "connect5": lambda: marking(64, Connect5.lines),
    "breakthrough": breakthrough,
}

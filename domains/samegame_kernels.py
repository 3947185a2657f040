"""SameGame on bits, compiled; the rules in plain Python, and their terms, are in `domains/samegame.py`.

Glossary
    lane       the bits of one column, from the bottom cell on, and a bit above them that is never set; as many whole
               lanes as fit make a word, and WORDS of these a set of cells
    plane      colours are written in binary, an empty cell as 0: one set of cells for each of PLANES bits
    up, right  the cells that have the colour of the one above them; of the one to their right
    run        cells of one colour on top of each other, as many as there are; a group is runs side by side
    source     the lowest cell of a run with no cell of its colour to the left of any of its cells
    join       a run with two or more runs of its colour on its left, and so perhaps two sources in one group
    first      the cells with the lowest numbers of all groups: the actions

A state is one array of words: the planes, up, right, first, the number of cells of each colour, the points.

All groups are found at once, without following a single one: their first cells are sources, and almost always the
only ones. Joins can be counted; only groups with a join are followed.

Random playouts on 15 × 15 with five colours, in thousands per second on one core: 168 (`mcsgrammar bench samegame`); a
loop over `actions` and `play` instead of `playout` about two thirds of that, and less than half if, with a join, all
groups were followed. A plain C program, bytes and one group filled after the other, reaches 20.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.kernels import Kernels, below, njit, njit_inline
from domains.samegame import cell_codes
from domains.samegame_board import BONUS, POINTS_OF_1, Board
from domains.scratch import scratch

if TYPE_CHECKING:
    from domains.samegame import SameGame

NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class BoardLayout:
    """Where things lie in the state array of boards of one size."""

    def __init__(self, width: int, height: int, colours: int) -> None:
        self.lane = height + 1
        self.lanes = 64 // self.lane
        self.words = -(-width // self.lanes)
        self.planes = colours.bit_length()
        self.up = self.planes * self.words
        self.right = self.up + self.words
        self.first = self.right + self.words
        self.counts = self.first + self.words
        self.points = self.counts + colours
        self.length = self.points + 1

    def word_and_bit(self, x: int, y: int) -> tuple[int, int]:
        return x // self.lanes, 1 << (x % self.lanes * self.lane + y)


def encoded(domain: "SameGame", board: Board) -> np.ndarray:
    """The state array of `board`."""
    layout = BoardLayout(domain.width, domain.height, domain.colours)
    words = [0] * layout.length
    columns = board.columns
    for x, column in enumerate(columns):
        beside = columns[x + 1] if x + 1 < len(columns) else []
        for y, colour in enumerate(column):
            word, bit = layout.word_and_bit(x, y)
            for plane in range(layout.planes):
                if colour >> plane & 1:
                    words[plane * layout.words + word] |= bit
            if column[y + 1 : y + 2] == [colour]:
                words[layout.up + word] |= bit
            if beside[y : y + 1] == [colour]:
                words[layout.right + word] |= bit
            words[layout.counts + colour - 1] += 1
    for action in domain.actions(board):
        word, bit = layout.word_and_bit(*divmod(action, domain.height))
        words[layout.first + word] |= bit
    words[layout.points] = board.points
    return np.array(words, dtype=np.uint64)


@cache
def kernels_for(width: int, height: int, colours: int) -> Kernels:
    """The rules of SameGame on boards of this size; sizes and the table of codes are constants to the compiler.

    What is computed from the state is unsigned all through: Numba would turn a mixture with signed numbers into floats.
    """
    layout = BoardLayout(width, height, colours)
    WORDS, PLANES, COLOURS, LANES = layout.words, layout.planes, colours, layout.lanes
    UP, RIGHT, FIRST, COUNTS, POINTS = layout.up, layout.right, layout.first, layout.counts, layout.points
    LAST, GROUP, JOIN, TEMP = layout.words - 1, 0, layout.words, 2 * layout.words
    HEIGHT = height
    U_LANE, U_LANES, U_HEIGHT = (np.uint64(n) for n in (layout.lane, layout.lanes, height))
    TO_TOP_LANE = np.uint64((layout.lanes - 1) * layout.lane)
    TOP_LANE = np.uint64(((1 << layout.lane) - 1) << (layout.lanes - 1) * layout.lane)
    IN_USE = np.uint64((1 << layout.lanes * layout.lane) - 1)
    COLUMN = np.uint64((1 << height) - 1)
    BOTTOMS = np.uint64(sum(1 << lane * layout.lane for lane in range(layout.lanes)))
    STEPS = (height - 1).bit_length()
    CODES = np.array(cell_codes(width, height, colours), dtype=np.uint64).reshape(-1)
    CELLS = width * height
    CODES_BEFORE = _exclusive_ors_before(CODES.reshape(colours, CELLS))
    CELLS_BEFORE = np.uint64(CELLS + 1)

    @njit_inline
    def from_right(words: Any, at: int, word: int) -> Any:
        """A word of the set at `at`, every cell's place taken by the one to its right."""
        moved = words[at + word] >> U_LANE
        if word < LAST:
            moved |= (words[at + word + 1] << TO_TOP_LANE) & TOP_LANE
        return moved

    @njit_inline
    def from_left(words: Any, at: int, word: int) -> Any:
        moved = (words[at + word] << U_LANE) & IN_USE
        if word > 0:
            moved |= words[at + word - 1] >> TO_TOP_LANE
        return moved

    @njit
    def follow(state: Any, temp: Any, start: int, stop: int) -> int:
        """Let the set in `temp`, whose words lie from `start` to `stop`, grow until it has all cells of the groups that
        it touches; no cell of these is left of `start`. Returns the last word that has any."""
        grows = True
        while grows:
            change = _ZERO
            reach = min(stop + 1, LAST)
            for word in range(start, reach + 1):
                here = temp[GROUP + word]
                more = here | ((here & state[UP + word]) << _ONE) | ((here >> _ONE) & state[UP + word])
                more |= ((here & state[RIGHT + word]) << U_LANE) & IN_USE
                more |= from_right(temp, GROUP, word) & state[RIGHT + word]
                if word > 0:
                    more |= (temp[GROUP + word - 1] & state[RIGHT + word - 1]) >> TO_TOP_LANE
                change |= more ^ here
                temp[GROUP + word] = more
            if temp[GROUP + reach] != _ZERO:
                stop = reach
            grows = change != _ZERO
        return stop

    @njit
    def find_first(state: Any) -> None:
        """Fill in up, right and first, given the planes."""
        temp = scratch(TEMP).view(np.uint64)
        joins = _ZERO
        for word in range(WORDS):
            taken, differs_up, differs_right = _ZERO, _ZERO, _ZERO
            for plane in range(PLANES):
                here = state[plane * WORDS + word]
                taken |= here
                differs_up |= here ^ (here >> _ONE)
                differs_right |= here ^ from_right(state, plane * WORDS, word)
            state[UP + word] = taken & ~differs_up
            state[RIGHT + word] = taken & ~differs_right
        for word in range(WORDS):
            up, right = state[UP + word], state[RIGHT + word]
            below_it, left = up << _ONE, from_left(state, RIGHT, word)
            # Whether a cell of the run, from this one upwards, has its colour on the left.
            any_left, through = left, up
            for step in range(STEPS):
                any_left |= through & (any_left >> np.uint64(1 << step))
                through &= through >> np.uint64(1 << step)
            bottoms = (up | right | left) & ~below_it
            state[FIRST + word] = bottoms & ~any_left
            # Cells of one run whose left neighbours are of one run count once.
            joins += popcount(left & ~((left & up) << _ONE)) - popcount(bottoms & any_left)
        if joins != _ZERO:
            keep_first(state, temp)

    @njit
    def keep_first(state: Any, temp: Any) -> None:
        """Of several sources in a group, keep the first. Only groups with a join are followed, from there."""
        for word in range(WORDS):
            up = state[UP + word]
            left = from_left(state, RIGHT, word)
            starts = left & ~((left & up) << _ONE)
            below_it, through = (starts & up) << _ONE, up << _ONE
            for step in range(STEPS):
                below_it |= through & (below_it << np.uint64(1 << step))
                through &= through << np.uint64(1 << step)
            temp[JOIN + word] = starts & below_it
        for word in range(WORDS):
            while temp[JOIN + word] != _ZERO:
                for other in range(WORDS):
                    temp[GROUP + other] = _ZERO
                temp[GROUP + word] = temp[JOIN + word] & (_ZERO - temp[JOIN + word])
                stop = follow(state, temp, 0, word)
                found = False
                for other in range(stop + 1):
                    temp[JOIN + other] &= ~temp[GROUP + other]
                    sources = state[FIRST + other] & temp[GROUP + other]
                    state[FIRST + other] ^= sources if found else sources & (sources - _ONE)
                    found |= sources != _ZERO

    @njit_inline
    def cell_of(word: Any, bit: Any) -> Any:
        return (np.uint64(word) * U_LANES + bit // U_LANE) * U_HEIGHT + bit % U_LANE

    @njit_inline
    def colour_at(state: Any, word: int, bit: Any) -> Any:
        colour = _ZERO
        for plane in range(PLANES):
            colour |= ((state[plane * WORDS + word] >> bit) & _ONE) << np.uint64(plane)
        return colour

    @njit_inline
    def start_group(state: Any, temp: Any, word: int, bit: Any) -> Any:
        for other in range(WORDS):
            temp[GROUP + other] = _ZERO
        temp[GROUP + word] = _ONE << bit
        return follow(state, temp, word, word)

    @njit_inline
    def size_of(temp: Any, word: int, stop: int) -> Any:
        size = _ZERO
        for other in range(word, stop + 1):
            size += popcount(temp[GROUP + other])
        return size

    @njit
    def remove(state: Any, word: int, bit: Any) -> None:
        """Remove the group with this first cell."""
        temp = scratch(TEMP).view(np.uint64)
        stop = start_group(state, temp, word, bit)
        size = size_of(temp, word, stop)
        state[POINTS] += (size - np.uint64(2)) * (size - np.uint64(2))
        state[np.uint64(COUNTS - 1) + colour_at(state, word, bit)] -= size
        for other in range(stop, word - 1, -1):
            left = temp[GROUP + other]
            gaps = left & BOTTOMS
            while left != _ZERO:
                lowest = trailing_zeros(left)
                # The cell and what is above it in its lane.
                falling = (COLUMN << (lowest // U_LANE * U_LANE)) & ~((_ONE << lowest) - _ONE)
                left = (left & ~falling) | ((left >> _ONE) & falling)
                for plane in range(PLANES):
                    cells = state[plane * WORDS + other]
                    state[plane * WORDS + other] = (cells & ~falling) | ((cells >> _ONE) & falling)
            if gaps != _ZERO:
                close(state, other, gaps)
        find_first(state)

    @njit
    def close(state: Any, word: int, gaps: Any) -> None:
        """Close up the lanes of a word that are empty; `gaps` are the lowest cells of those that may be."""
        for plane in range(PLANES):
            gaps &= ~state[plane * WORDS + word]
        while gaps != _ZERO:
            kept = (gaps & (_ZERO - gaps)) - _ONE
            gaps = (gaps & (gaps - _ONE)) >> U_LANE
            for plane in range(PLANES):
                at = plane * WORDS
                state[at + word] = (state[at + word] & kept) | (from_right(state, at, word) & ~kept)
                for other in range(word + 1, WORDS):
                    state[at + other] = from_right(state, at, other)

    @njit
    def actions(state: Any, problem: Any, out: Any) -> int:
        count = 0
        for word in range(WORDS):
            first = state[FIRST + word]
            while first != _ZERO:
                out[count] = np.int32(cell_of(word, trailing_zeros(first)))
                first &= first - _ONE
                count += 1
        return count

    @njit_inline
    def word_of(action: Any) -> Any:
        return np.int64(action) // HEIGHT // LANES

    @njit_inline
    def bit_of(action: Any) -> Any:
        return np.uint64(action) // U_HEIGHT % U_LANES * U_LANE + np.uint64(action) % U_HEIGHT

    @njit
    def play(state: Any, problem: Any, action: Any) -> None:
        remove(state, word_of(action), bit_of(action))

    @njit
    def is_final(state: Any, problem: Any) -> bool:
        first = _ZERO
        for word in range(WORDS):
            first |= state[FIRST + word]
        return bool(first == _ZERO)

    @njit
    def reward(state: Any, problem: Any) -> float:
        points, left = np.int64(state[POINTS]), np.int64(0)
        for colour in range(COLOURS):
            count = np.int64(state[COUNTS + colour])
            left += count
            if count != 0:
                points -= (count - 2) * (count - 2)
        return (points + BONUS if left == 0 else points) / POINTS_OF_1

    @njit
    def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
        while length < limit:
            count = _ZERO
            for word in range(WORDS):
                count += popcount(state[FIRST + word])
            if count == _ZERO:
                break
            rank = np.uint64(below(random, np.int64(count)))
            word = 0
            while True:
                before = popcount(state[FIRST + word])
                if rank < before:
                    break
                rank -= before
                word += 1
            bit = nth_set_bit(state[FIRST + word], rank)
            sequence[length] = np.int32(cell_of(word, bit))
            length += 1
            remove(state, word, bit)
        return length

    @njit
    def code(state: Any, problem: Any, action: Any) -> Any:
        temp = scratch(TEMP).view(np.uint64)
        word, bit = word_of(action), bit_of(action)
        stop = start_group(state, temp, word, bit)
        base = (colour_at(state, word, bit) - _ONE) * np.uint64(CELLS)
        code = _ZERO
        for other in range(word, stop + 1):
            left = temp[GROUP + other]
            while left != _ZERO:
                code ^= CODES[base + cell_of(other, trailing_zeros(left))]
                left &= left - _ONE
        return np.int64(code)

    @njit_inline
    def root_of(part_of: Any, one: Any) -> Any:
        while part_of[one] != one:
            one = part_of[one]
        return one

    @njit
    def codes(state: Any, problem: Any, actions: Any, n: int, out: Any) -> None:
        """Runs are looked at from the left, and from the bottom up. Each takes the label of a run on its left, or one
        of its own; where there are two, one label becomes part of the other."""
        # By cell: set for those that have their colour on the right, and for the lowest of runs.
        label = scratch(CELLS).view(np.uint64)
        part_of, combined = scratch(CELLS).view(np.uint64), scratch(CELLS).view(np.uint64)
        labels = _ZERO
        for word in range(WORDS):
            up, right, left = state[UP + word], state[RIGHT + word], from_left(state, RIGHT, word)
            bottoms = (up | right | left) & ~(up << _ONE)
            while bottoms != _ZERO:
                bit = trailing_zeros(bottoms)
                bottoms &= bottoms - _ONE
                cell = cell_of(word, bit)
                more = trailing_zeros(~(up >> bit))
                run = (_TWO << more) - _ONE
                beside = (left >> bit) & run
                first = np.uint64(colour_at(state, word, bit) - _ONE) * CELLS_BEFORE + cell
                code = CODES_BEFORE[first + more + _ONE] ^ CODES_BEFORE[first]
                if beside == _ZERO:
                    own = labels
                    part_of[own], combined[own] = own, code
                    labels += _ONE
                else:
                    own = root_of(part_of, label[cell + trailing_zeros(beside) - U_HEIGHT])
                    combined[own] ^= code
                    beside &= beside - _ONE
                    while beside != _ZERO:
                        other = root_of(part_of, label[cell + trailing_zeros(beside) - U_HEIGHT])
                        beside &= beside - _ONE
                        if other != own:
                            part_of[other] = own
                            combined[own] ^= combined[other]
                label[cell] = own
                touching = (right >> bit) & run
                while touching != _ZERO:
                    label[cell + trailing_zeros(touching)] = own
                    touching &= touching - _ONE
        for i in range(n):
            out[i] = combined[root_of(part_of, label[np.uint64(actions[i])])]

    @njit
    def feature(state: Any, problem: Any, action: Any, out: Any) -> None:
        temp = scratch(TEMP).view(np.uint64)
        word, bit = word_of(action), bit_of(action)
        size = size_of(temp, word, start_group(state, temp, word, bit))
        colour = np.int64(colour_at(state, word, bit)) - 1
        commonest = 0
        for other in range(1, COLOURS):
            if state[COUNTS + other] > state[COUNTS + commonest]:
                commonest = other
        out[0] = 1.0 - 2.0 / np.float64(size)
        out[1] = 1.0 if commonest == colour and state[COUNTS + colour] != size else 0.0
        out[2] = np.float64(bit % U_LANE) / HEIGHT

    return Kernels(
        actions=actions,
        play=play,
        is_final=is_final,
        reward=reward,
        playout=playout,
        code=code,
        feature=feature,
        codes=codes,
    )


def _exclusive_ors_before(codes: np.ndarray) -> np.ndarray:
    """For each colour, the exclusive or of the codes of all cells before one, which gives that of a run at once."""
    before = np.zeros((codes.shape[0], codes.shape[1] + 1), np.uint64)
    before[:, 1:] = np.bitwise_xor.accumulate(codes, axis=1)
    return before.reshape(-1)

"""Knightthrough: breakthrough with knights, which only jump ahead, onto cells that are empty or the enemy's."""

from domains.games.drawing import Piece
from domains.games.through import ThroughGame, Way


class KnightThrough(ThroughGame):
    """A race of knights across a board of 8 by 8."""

    horizon = 34
    ways = tuple(Way(right, ahead, captures=True) for right, ahead in ((1, 2), (-1, 2), (2, 1), (-2, 1)))
    looks = (Piece("♘", "knight", "white"), Piece("♞", "knight", "black"))
    max_actions = 16 * len(ways)

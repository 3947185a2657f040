"""Breakthrough: pieces move one row ahead, straight onto empty cells, diagonally onto empty ones and the enemy's."""

from domains.games.drawing import Piece
from domains.games.through import ThroughGame, Way


class Breakthrough(ThroughGame):
    """A race of pawns across a board of 8 by 8."""

    horizon = 64
    ways = (Way(0, 1, captures=False), Way(1, 1, captures=True), Way(-1, 1, captures=True))
    looks = (Piece("○", "pawn", "white"), Piece("●", "pawn", "black"))
    max_actions = 16 * len(ways)

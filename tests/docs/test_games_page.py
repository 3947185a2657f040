"""The table of games in the manual is what the games say of themselves."""

from domains.randomness import Random
from domains.registry import GAMES, find_domain
from tests.docs.pages import ROOT
from tests.domains.games.test_counts import PERFT


def table() -> str:
    """One row a game."""
    rows = [["name", "roles", "who moves", "steps", "choices", "joint moves"], ["---"] * 6]
    for name in GAMES:
        game = find_domain(name)
        kind = "both at once" if game.mover(game.sample(Random(0))) is None else "in turns"
        counts = ", ".join(f"{count:,}".replace(",", " ") for count in PERFT[name][:3])
        steps = f"{game.horizon}, at most {game.max_length}"
        rows.append([f"`{name}`", ", ".join(game.roles), kind, steps, str(game.max_actions), counts])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def test_the_table_of_games() -> None:
    assert table() in (ROOT / "docs" / "games.md").read_text(encoding="utf-8")

"""A ground game played by its rules one by one: no network, nothing merged, nothing kept between states."""

from collections.abc import Iterable

from domains.gdl.graphs import components
from domains.gdl.grounding import Grounding
from domains.gdl.terms import Term


class NaiveGame:
    """States are sets of atoms (true …)."""

    def __init__(self, game: Grounding) -> None:
        self.game = game
        self.numbers = {atom: number for number, atom in enumerate(game.atoms)}
        self.groups = components([sorted({one >> 1 for body in own for one in body}) for own in game.bodies])

    def initial(self) -> set[Term]:
        return {self.game.atoms[number] for number in self.game.initial}

    def holding(self, state: Iterable[Term], moves: Iterable[Term] = ()) -> set[Term]:
        """All atoms that hold, where these (true …) and (does …) do."""
        known = {self.numbers[atom] for atom in (*state, *moves)}
        for group in self.groups:
            before = -1
            while before != len(known):
                before = len(known)
                for number in group:
                    if any(all((one >> 1 in known) != one & 1 for one in body) for body in self.game.bodies[number]):
                        known.add(number)
        return {self.game.atoms[number] for number in known}


def about(atoms: Iterable[Term], name: str) -> set[tuple[Term, ...]]:
    """The arguments of those with this name."""
    return {atom[1:] for atom in atoms if isinstance(atom, tuple) and atom[0] == name}

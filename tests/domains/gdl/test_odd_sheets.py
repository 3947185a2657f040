"""Sheets that are odd in ways nobody means: refused with the rule that is wrong, as soon as others, or run."""

from pathlib import Path

import pytest

from domains.errors import UserError
from domains.registry import find_domain
from mcsgrammar import solve

WALK = """
(init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal p (go ?m)) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?m)) (does p (go ?m)))
(<= terminal (true (at 3)))
(<= (goal p 100) (true (at 3)))
(<= (goal p 0) (not (true (at 3))))
"""
FACTS = "".join(f"(init (f{i} a)) (<= (next (f{i} a)) (true (f{i} a)))\n" for i in range(40))

REFUSED = {
    "chance by a rule": (
        f"(player p) (player random) (<= (role ?r) (player ?r)) (legal random roll) (goal random 0) {WALK}",
        "the role 'random' belongs to GDL-II (games with chance), which is not supported; leave it out",
    ),
    "a role that is a function": (
        f"(role p) (role (pl 1)) {WALK}",
        "a role is a word; here it is a function of others",
    ),
    "no role follows": (
        f"(<= (role ?r) (player ?r)) (<= (player p) (never p)) {WALK}",
        "no role follows from the rules",
    ),
    "a beginning that asks for moves": (
        "(role p) (legal p wait) (goal p 1) (<= (init (may ?m)) (legal p ?m)) (<= (next (may ?m)) (true (may ?m))) "
        "(<= terminal (true (may wait)))",
        "'legal' is asked in states, and 'init' is the same in all games",
    ),
    "conditions that fit anything": (
        f"(role p) {FACTS} (<= (any ?a ?b ?c ?d) (true ?a) (true ?b) (true ?c) (true ?d)) "
        f"(<= terminal (any ?a ?b ?c ?d)) {WALK}",
        "this rule stands for over 100,000 rules about words alone; give it fewer conditions that fit anything, or "
        "fewer distinct",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_with_its_rule(what: str, tmp_path: Path) -> None:
    sheet, message = REFUSED[what]
    (tmp_path / "odd.kif").write_text(sheet)
    with pytest.raises(UserError) as error:
        find_domain(f"gdl:{tmp_path / 'odd.kif'}").sample(None)  # type: ignore[arg-type]
    assert message in str(error.value) and "^" in str(error.value)


@pytest.mark.parametrize("more", ["(legal (f p) stay)", f"(big {'9' * 5000}) (big {'8' * 5000})"])
def test_what_changes_nothing(more: str, tmp_path: Path) -> None:
    """A move of nobody's, and numbers that Python would not make of their digits."""
    scores = []
    for name, sheet in (("plain", WALK), ("more", WALK + more)):
        (tmp_path / f"{name}.kif").write_text("(role p) " + sheet)
        scores.append(solve(f"gdl:{tmp_path / name}.kif", "sim", 5).best.score)
    assert scores == [100.0, 100.0]

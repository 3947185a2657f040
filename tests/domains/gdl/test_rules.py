"""What the language demands of rules: the whole text of every complaint, and what is allowed."""

import pytest

from domains.gdl.checking import check_sheet
from domains.gdl.reading import SheetError, read_text
from domains.gdl.terms import Kind, Rule, text_of
from tests.domains.gdl.games import SMALL

WRONG = {
    "(=> (a) (b))": "a rule is written (<= HEAD CONDITION …), the other way round | =>",
    "(<=)": "a rule has a head: (<= HEAD CONDITION …) | (<=)",
    "(<= (true a) b)": "'true' cannot be the head of a rule: what is true follows from init and next | (true a)",
    "(does p a)": "'does' cannot be the head of a rule: the players decide what they do | (does p a)",
    "(<= (distinct a b))": (
        "'distinct' cannot be the head of a rule: whether terms are distinct is a matter of how they are written "
        "| (distinct a b)"
    ),
    "(<= (not a))": "'not' cannot be the head of a rule: a head is one statement | (not a)",
    "(role random)": (
        "the role 'random' belongs to GDL-II (games with chance), which is not supported; leave it out | (role random)"
    ),
    "(<= (sees p a) (role p))": (
        "'sees' belongs to GDL-II (imperfect information), which is not supported; leave it out | (sees p a)"
    ),
    "(goal p 101)": "a goal is a whole number from 0 to 100, not 101 | (goal p 101)",
    "(goal p win)": "a goal is a whole number from 0 to 100, not win | (goal p win)",
    "(<= a (not b c))": "'not' stands before one condition; here are 2 | (not b c)",
    "(<= a (or))": "'or' has no conditions | (or)",
    "(<= a (init b))": (
        "'init' cannot be a condition: what holds in the beginning is asked by (true …) in the first state | (init b)"
    ),
    "(<= a (next b))": (
        "'next' cannot be a condition: what comes next is known only when it has come, by (true …) | (next b)"
    ),
    "(<= a (base b))": "'base' cannot be a condition: it only says which facts there are | (base b)",
    "(<= a (input p b))": "'input' cannot be a condition: it only says which moves there are | (input p b)",
    "(<= a (?r b))": "?r is a variable, where the name of a relation is expected | (?r b)",
    "(<= a (b (?f c)))": "?f is a variable, where the name of a function is expected | ?f",
    "(<= a (<= b c))": "a rule cannot stand inside another; is a parenthesis missing before it? | (<= b c)",
    "(<= a (true b c))": "'true' has 1 argument; here are 2 | (true b c)",
    "(<= (terminal a) b)": "'terminal' has no arguments; here are 1 | (terminal a)",
    "(legal p)": "'legal' has 2 arguments; here are 1 | (legal p)",
    "(<= a ())": "() is empty, where a statement is expected | ()",
    "(a ())": "() is empty, where a term is expected | ()",
    "(<= a ((b) c))": "a statement begins with a word, not with a parenthesis | (b)",
    "(a ?x)": "?x is in no positive condition of this rule, so its values are not known here | (a ?x)",
    "(<= (a ?x) (not (b ?x)))": (
        "?x is in no positive condition of this rule, so its values are not known here | (b ?x)"
    ),
    "(<= a (distinct ?x 1))": (
        "?x is in no positive condition of this rule, so its values are not known here | (distinct ?x 1)"
    ),
    "(succ 3)": "'succ' has 2 arguments elsewhere; here are 1 | (succ 3)",
    "(<= (goal p 50) (does p (go 1)))": (
        "'does' depends on the moves, and 'goal' must be known before anybody moves | (does p (go 1))"
    ),
    "(<= moved (does p (go ?n)))\n(<= terminal moved)": (
        "'moved' depends on the moves, and 'terminal' must be known before anybody moves | moved)"
    ),
    "(<= (init (at 1)) (true (at 0)))": (
        "'true' depends on the state, and 'init' is the same in all games | (true (at 0))"
    ),
}


@pytest.mark.parametrize("added", WRONG)
def test_what_is_wrong(added: str) -> None:
    what, _, at = WRONG[added].partition(" | ")
    with pytest.raises(SheetError) as error:
        check_sheet(read_text(SMALL + added, "x.kif"))
    first, line, carets = str(error.value).split("\n")
    assert first.partition(": ")[2] == what
    start = carets.index("^")
    assert line[start:].startswith(at)
    assert carets == " " * start + "^" * len(at.removesuffix(")") if at == "moved)" else at)
    assert (
        first.partition(": ")[0]
        == f"x.kif:{SMALL.count(chr(10)) + added[: added.rfind(line.strip())].count(chr(10)) + 1}:{start - 1}"
    )


def test_inside_not_is_the_place_of_what_is_not() -> None:
    with pytest.raises(SheetError) as error:
        check_sheet(read_text(SMALL + "(<= (a ?x) (not (b ?x)))", "x.kif"))
    assert str(error.value).endswith("\n  (<= (a ?x) (not (b ?x)))\n                  ^^^^^^")


@pytest.mark.parametrize("missing", ["role", "legal", "next", "goal", "terminal"])
def test_what_every_game_has(missing: str) -> None:
    text = "\n".join(line for line in SMALL.splitlines() if missing not in line.partition(")")[0])
    with pytest.raises(SheetError) as error:
        check_sheet(read_text(text, "x.kif"))
    how = {
        "role": "(role NAME)",
        "legal": "(<= (legal ROLE MOVE) …)",
        "next": "(<= (next FACT) …)",
        "goal": "(<= (goal ROLE NUMBER) …)",
        "terminal": "(<= terminal …)",
    }
    assert str(error.value) == f"x.kif: no rule is about '{missing}', and a game has one; write {how[missing]}"


def test_warnings() -> None:
    text = SMALL.replace("(init (at 0))", "") + "(<= (goal p 10) (suc 1 2) (other))"
    assert check_sheet(read_text(text, "x.kif")).warnings == (
        "nothing holds in the beginning: there is no 'init'",
        "line 10: no rule is about 'suc'; did you mean 'succ'?",
        "line 10: no rule is about 'other'; it never holds",
    )
    assert check_sheet(read_text(SMALL, "x.kif")).warnings == ()


def written(rule: Rule) -> str:
    signs = {Kind.HOLDS: "", Kind.FAILS: "~", Kind.DISTINCT: ""}
    return " ".join([text_of(rule.head), "<-", *[signs[one.kind] + text_of(one.atom) for one in rule.body]])


def rules_about_x(text: str) -> list[str]:
    rules = check_sheet(read_text(SMALL + text, "x.kif")).rules
    return [written(rule) for rule in rules if rule.head[0] == "x"]


def test_or_not_and_equations_are_written_out() -> None:
    assert rules_about_x("(<= x (or a (and b c)) (not (or d (not e))))") == [
        "(x) <- (a) ~(d) (e)",
        "(x) <- (b) (c) ~(d) (e)",
    ]
    assert rules_about_x("(<= x (not (and a b)))") == ["(x) <- ~(a)", "(x) <- ~(b)"]
    assert rules_about_x("(<= (x ?a) (y ?a ?b) (not (distinct ?b (f 1))))") == ["(x ?a) <- (y ?a (f 1))"]
    assert rules_about_x("(<= (x ?a) (y ?b) (not (distinct ?a ?b)))") in (["(x ?b) <- (y ?b)"], ["(x ?a) <- (y ?a)"])
    assert rules_about_x("(<= x (not (distinct a b)))") == []
    assert rules_about_x("(<= x (y ?b) (not (distinct ?b (f ?b))))") == []


def test_too_many_cases() -> None:
    with pytest.raises(SheetError) as error:
        rules_about_x(f"(<= x {'(or a b) ' * 13})")
    assert str(error.value).splitlines()[0] == (
        "x.kif:10:1: without 'or' this is over 4096 rules; write it as several relations"
    )

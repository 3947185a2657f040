"""What can be true and by which rules: known counts, rules in parts, and the limits with their messages."""

from itertools import product

import pytest

import domains.gdl.grounding
from domains.gdl.bounding import longest_game
from domains.gdl.checking import check_sheet
from domains.gdl.forms import changing, flat_rules
from domains.gdl.graphs import components
from domains.gdl.grounding import Grounding, ground
from domains.gdl.network import FALSE, TRUE, Network, build_network, waiting_moves
from domains.gdl.reading import SheetError, read_text
from domains.gdl.reference import Referee, State
from domains.gdl.splitting import split_rules
from domains.gdl.terms import is_goal
from tests.domains.gdl.games import NAMES, SMALL, grounded, grounding_of, network, text_of


def sequences(referee: Referee, state: State, steps: int) -> int:
    """How many sequences of so many moves there are."""
    over, legal = referee.look(state)
    if steps == 0 or over:
        return int(steps == 0)
    return sum(sequences(referee, referee.following(state, joint), steps - 1) for joint in product(*legal))


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("tictactoe", (9, 72, 504, 3024)),
        ("connect_four", (7, 49, 343)),
        ("breakthrough", (13, 156, 1924)),
        ("duel", (9, 81, 567)),
        ("hanoi", (2, 6, 16, 46)),
    ],
)
def test_sequences_of_moves(name: str, counts: tuple[int, ...]) -> None:
    referee = Referee(network(name))
    assert tuple(sequences(referee, referee.initial(), i + 1) for i in range(len(counts))) == counts


def literals(game: Grounding, atom: object) -> set[frozenset[str]]:
    """The bodies of an atom, written out."""

    def spoken(one: int) -> str:
        return ("~" if one & 1 else "") + str(game.atoms[one >> 1])

    bodies = game.bodies[game.atoms.index(atom)]  # type: ignore[arg-type]
    return {frozenset(map(spoken, body)) for body in bodies}


def test_only_what_is_dynamic_is_left_of_bodies() -> None:
    game = grounding_of(SMALL)
    assert game.roles == ["p"]
    assert literals(game, ("next", ("at", "2"))) == {frozenset({"('does', 'p', ('go', '2'))"})}
    assert literals(game, ("legal", "p", ("go", "2"))) == {frozenset({"('true', ('at', '1'))"})}
    assert literals(game, ("goal", "p", "0")) == {frozenset({"~('true', ('at', '3'))"})}
    assert {atom for atom in game.atoms if atom[0] == "true"} == {("true", ("at", str(n))) for n in range(4)}
    assert [game.atoms[number] for number in game.initial] == [("true", ("at", "0"))]


def test_what_nobody_asks_for_is_left_out() -> None:
    more = "(<= (pair ?x ?y) (succ ?x ?a) (succ ?y ?b)) (base (at 9)) (input p (go 9))"
    assert grounding_of(SMALL + more).atoms == grounding_of(SMALL).atoms


def test_a_variable_may_stand_for_a_function() -> None:
    game = grounded("eight")
    assert {pattern[0] for pattern in (atom[1] for atom in game.atoms if atom[0] == "moving")} == {"cell", "time"}
    text = SMALL + "(<= (next ?f) (true ?f) (distinct ?f (at 0)) (distinct ?f (at 1)) (distinct ?f (at 2)))"
    kept = [atom for atom in grounding_of(text).atoms if atom[0] == "next"]
    assert sorted(atom[1][1] for atom in kept) == ["1", "2", "3"]


def test_names_that_are_no_roles_have_no_moves() -> None:
    game = grounding_of(SMALL + "(legal q (go 1))")
    assert [atom for atom in game.atoms if atom[0] == "does" and atom[1] == "q"] == []


def test_parts_share_and_keep_what_holds() -> None:
    text = SMALL + (
        "(<= (goal p 40) (true (at ?a)) (succ ?a ?b) (not (true (at ?b))) (true (at ?c)) (succ ?c 3) (distinct ?c 0))"
        "(<= (legal p wait) (true (at ?y)) (succ ?y ?z) (not (true (at ?z))))"
    )
    rules = flat_rules(check_sheet(read_text(text, "x.kif")))
    split = split_rules(rules, changing(rules))
    parts = [rule for rule in split if rule.head[0][0].startswith("part")]
    assert sorted((len(rule.positive), len(rule.negative), len(rule.distinct)) for rule in parts) == [
        (2, 0, 1),
        (2, 1, 0),
    ]
    wait = next(rule for rule in rules if rule.head[0] == ("legal", None, None) and "wait" in rule.head[1])
    assert wait in split  # one part by itself is the rule


@pytest.mark.parametrize("name", NAMES)
def test_variables_taken_out_one_by_one_change_nothing(name: str) -> None:
    rules = check_sheet(read_text(text_of(name), "x.kif"))
    plain, smaller = (
        domains.gdl.grounding._Grounder(rules, flat_rules(rules), one_by_one).ground() for one_by_one in (False, True)
    )
    some, others = Referee(build_network(plain)), Referee(build_network(smaller))
    assert some.network.roles == others.network.roles == plain.roles
    assert some.network.bases == others.network.bases and some.network.moves == others.network.moves
    state = some.initial()
    for step in range(12):
        assert some.look(state) == others.look(state) and some.goals(state) == others.goals(state)
        over, legal = some.look(state)
        if over:
            break
        joint = [moves[step % len(moves)] for moves in legal]
        assert some.following(state, joint) == others.following(state, joint)
        state = some.following(state, joint)


def test_a_part_does_not_become_its_own_condition() -> None:
    """What asks for somebody else with less: taking variables out needs what is known of the first."""
    text = (
        "(role a) (role b) (role c) (init (has a 1)) (init (has b 3)) (init (has c 1)) (lt 1 3) (lt 1 2) (lt 2 3)"
        "(<= (legal ?r stay) (role ?r)) (<= (next (has ?r ?n)) (true (has ?r ?n)))"
        "(<= (beaten ?r) (true (has ?r ?n)) (true (has ?s ?m)) (distinct ?r ?s) (lt ?m ?n))"
        "(<= terminal (beaten b)) (<= (goal ?r 0) (beaten ?r)) (<= (goal ?r 100) (role ?r) (not (beaten ?r)))"
    )
    for one_by_one in (False, True):
        rules = check_sheet(read_text(text, "x.kif"))
        referee = Referee(build_network(domains.gdl.grounding._Grounder(rules, flat_rules(rules), one_by_one).ground()))
        assert referee.goals(referee.initial()) == [[100], [0], [100]]


def test_components() -> None:
    assert [sorted(group) for group in components([[1], [2], [0], [1, 4], []])] == [[0, 1, 2], [4], [3]]
    assert [sorted(group) for group in components([[], [1, 0], [3], [2, 1]])] == [[0], [1], [2, 3]]


# What is bounded.


def complaint(text: str) -> list[str]:
    with pytest.raises(SheetError) as error:
        build_network(ground(check_sheet(read_text(text, "x.kif"))))
    return str(error.value).split("\n")


DIGITS = " ".join(f"(digit {i})" for i in range(10))
EXPLODING = (
    SMALL + DIGITS + "\n(<= (code ?a ?b ?c ?d ?e ?f ?g)"
    " (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (digit ?g))\n"
    "(<= (legal p (dial ?a ?b ?c ?d ?e ?f ?g)) (code ?a ?b ?c ?d ?e ?f ?g))"
)


def test_too_many_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains.gdl.grounding, "MOST_STATEMENTS", 20_000)
    first, line, carets = complaint(EXPLODING)
    assert first == (
        "x.kif:11:1: more than 20,000 statements can hold; most of it comes of this rule for 'code'; give it fewer "
        "variables, or let what it is about be done in several steps"
    )
    assert line.startswith("  (<= (code ?a ?b") and carets.startswith("  ^^^^")


def test_too_many_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains.gdl.grounding, "MOST_INSTANCES", 100)
    first, *_ = complaint(SMALL + DIGITS + "\n(<= (legal p (dial ?a ?b ?c)) (digit ?a) (digit ?b) (digit ?c))")
    assert first == (
        "x.kif:11:1: rules have more than 100 instances; most of it comes of this rule for 'legal'; give it fewer "
        "variables, or let what it is about be done in several steps"
    )


def test_too_much_time_inside_one_join(monkeypatch: pytest.MonkeyPatch) -> None:
    """A join that finds nothing is noticed, too."""
    monkeypatch.setattr(domains.gdl.grounding, "MOST_SECONDS", 0.0)
    monkeypatch.setattr(domains.gdl.grounding, "flat_rules", lambda rules, clock: flat_rules(rules))
    looks = "(digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (distinct ?a ?a)"
    first, *_ = complaint(SMALL + DIGITS + f"\n(<= (legal p dial) {looks})")
    assert first.partition(": ")[2].startswith("grounding takes more than 0 s; most of it comes of this rule for '")


def test_too_much_time_before_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains.gdl.grounding, "MOST_SECONDS", 0.0)
    first, line, _ = complaint(SMALL)
    assert first == (
        "x.kif:5:1: grounding takes more than 0 s; it had come to this rule; give it fewer variables, or let what it "
        "is about be done in several steps"
    )
    assert line == "  (<= (legal p (go ?m)) (true (at ?n)) (succ ?n ?m))"


def test_conditions_that_fit_little_are_looked_at_first() -> None:
    """By the order of the text it would be 40 ** 3 looks."""
    facts = "".join(f"(init (fact{i} a))" for i in range(40))
    text = (
        f"{SMALL}{facts}(k (fact1 a) (fact2 a) (fact3 a))(<= (next (at 0)) (true ?a) (true ?b) (true ?c) (k ?a ?b ?c))"
    )
    looks: list[object] = []
    flat_rules(check_sheet(read_text(text, "x.kif")), looks.append)
    assert 0 < len(looks) < 1_000


def test_in_whatever_order_they_are_looked_at_what_comes_of_it_stands_in_that_of_the_text() -> None:
    text = f"{SMALL}(init (f 1 2))(init (g 1))(<= (legal p (say ?a ?b)) (true ?a) (few ?b))(few (h 1))(few 1)"
    heads = [rule.head for rule in flat_rules(check_sheet(read_text(text, "x.kif"))) if "?b" in str(rule.head[1])]
    first = ("at", None), ("f", None, None), ("g", None)
    assert [pattern[2][1] for pattern, _ in heads] == [one for one in first for _ in range(2)]
    assert [pattern[2][2] for pattern, _ in heads] == [("h", None), None] * 3


def test_the_parts_of_a_variable_are_no_variable_of_the_sheet() -> None:
    """`?m` is (pair 1 2), whose parts have names of their own."""
    more = "(init (seen (pair 1 2)))(num 1)(num 2)(num 3)(<= (legal p (say ?m.1)) (true (seen ?m)) (num ?m.1))"
    network = build_network(ground(check_sheet(read_text(SMALL + more, "x.kif"))))
    assert {f"say {n}" for n in (1, 2, 3)} <= set(network.moves[0])


def test_a_rule_with_more_conditions_than_can_be_nested() -> None:
    conditions = " ".join(f"(succ ?x{i} ?x{i + 1})" for i in range(110))
    first, line, _ = complaint(f"{SMALL}(<= (next (at ?x0)) {conditions})")
    assert first == (
        "x.kif:10:1: this rule has too many conditions to be compiled; let some of them be a relation of its own"
    )
    assert line.startswith("  (<= (next (at ?x0)) (succ ?x0 ?x1)")


def test_terms_without_end() -> None:
    first, line, carets = complaint(SMALL + "(<= (legal p (more ?m)) (legal p ?m))")
    assert first == "x.kif:10:1: this rule nests terms over 12 deep, and nothing says where it ends; add what does"
    assert (line, carets) == ("  (<= (legal p (more ?m)) (legal p ?m))", "  " + "^" * 37)


def test_too_many_kinds_of_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domains.gdl.forms.MOST_PATTERNS", 5)
    first, line, _ = complaint(SMALL)
    assert first == (
        "x.kif:8:1: there are over 5 kinds of statements, most of them by rules for 'goal', as this is; let terms be "
        "nested in fewer ways"
    )
    assert line == "  (<= (goal p 100) (true (at 3)))"


def test_negation_in_a_cycle_that_depends_on_nothing() -> None:
    first, line, carets = complaint(SMALL + "(<= a (not b)) (<= b (not a)) (<= (legal p stay) a)")
    assert first.partition(": ")[2] in (
        "'a' depends on 'b' failing here, and 'b' on 'a'; break the cycle",
        "'b' depends on 'a' failing here, and 'a' on 'b'; break the cycle",
    )
    assert line[carets.index("^")] in "ab"


def test_negation_in_a_ground_cycle() -> None:
    text = SMALL + "(<= (a ?n) (true (at ?n)) (not (b ?n))) (<= (b ?n) (true (at ?n)) (not (a ?n))) (<= terminal (a 0))"
    first, _, carets = complaint(text)
    assert "failing here, and" in first and carets.count("^") == len("(b ?n)")


def test_negation_in_a_cycle_through_a_part_of_a_rule() -> None:
    text = (
        SMALL
        + "(<= c (true (at 0)) (true (at ?n)) (succ ?n ?m) (not (d ?m))) (<= (d ?m) (true (at ?m)) c) (<= terminal c)"
    )
    first, line, carets = complaint(text)
    assert first == "x.kif:10:54: 'c' depends on 'd' failing here, and 'd' on 'c'; break the cycle"
    assert line[carets.index("^") :].startswith("(d ?m)")


def test_negation_stratified_by_values_alone_is_allowed() -> None:
    text = SMALL.replace("(<= (goal p 0) (not (true (at 3))))", "(<= (goal p 0) (role p) (not (goal p 100)))")
    referee = Referee(build_network(grounding_of(text)))
    assert referee.goals(referee.initial()) == [[0]]


# The network.


def test_bases_that_never_change_are_no_inputs() -> None:
    text = SMALL + "(init (wall 2)) (<= (next (wall ?n)) (true (wall ?n))) (<= (legal p rest) (true (wall 2)))"
    built = build_network(grounding_of(text))
    assert built.legal[built.moves[0].index("rest")] == TRUE
    assert built.bases[-1] == "wall 2" and built.initial[-1]


def test_most_of_the_moves_are_none_of_the_others() -> None:
    moves = " ".join(f"(item {i})" for i in range(9))
    text = (
        SMALL
        + moves
        + (
            "(<= (legal p (take ?i)) (item ?i)) (<= (next lit) (does p (take ?i)) (distinct ?i 4))"
            "(<= (next dim) (does p (take ?i))) (<= (next dim) (does p (go ?n)))"
        )
    )
    built = build_network(grounding_of(text))
    lit, dim = (built.following[built.bases.index(name)] for name in ("lit", "dim"))
    assert dim == TRUE
    assert lit & 1 == 0 and sorted(map(built.name_of, built.nodes[(lit >> 1) - built.first_node])) == [
        "~p: go 1",
        "~p: go 2",
        "~p: go 3",
        "~p: take 4",
    ]


def test_a_goal_that_is_no_number() -> None:
    built = build_network(grounding_of(SMALL + "(value 200) (<= (goal p ?v) (value ?v) (true (at 2)))"))
    assert sorted(value for _, value, _ in built.goals) == [-1, 0, 100]


def test_a_game_without_end_has_no_bound() -> None:
    assert longest_game(network("tictactoe"), 1000) == 0
    assert longest_game(network("hanoi"), 1000) == 10
    assert longest_game(network("hanoi"), 9) == 0
    assert longest_game(network("duel"), 1000) == 3
    over = build_network(grounding_of(SMALL + "(<= terminal (true (at 0)))"))
    assert longest_game(over, 1000) == 0 and over.terminal not in (TRUE, FALSE)


def changed(name: str, *replacements: tuple[str, str]) -> Network:
    text = text_of(name)
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return build_network(grounding_of(text))


def test_where_roles_take_turns_waiting_is_not_having_the_turn() -> None:
    for name, base, wait in (
        ("tictactoe", "turn", "wait"),
        ("connect_four", "turn", "noop"),
        ("breakthrough", "control", "noop"),
    ):
        built = network(name)
        waits = waiting_moves(built)
        moves = [move for own in built.moves for move in own]
        assert [moves[move] for move in waits] == [wait, wait]
        assert [built.name_of(signal) for signal in waits.values()] == [f"~{base} {role}" for role in built.roles]
    assert waiting_moves(network("duel")) == waiting_moves(network("hanoi")) == {}


@pytest.mark.parametrize(
    "replacement",
    [
        ("(init (turn x))", "(init (turn x)) (init (turn o))"),  # both at first
        ("(init (turn x))", ""),  # nobody
        (
            "(<= (next (turn ?p)) (true (turn ?q)) (other ?q ?p))",
            "(<= (next (turn x)) (true (turn ?q)))",
        ),  # only x then
        ("(role ?p) (not (true (turn ?p))))", "(role ?p))"),  # who has the turn may wait
        (
            "(<= (legal ?p wait)",
            "(<= (legal ?p sleep) (role ?p) (not (true (turn ?p))))\n(<= (legal ?p wait)",
        ),  # two ways
    ],
)
def test_what_is_no_taking_turns(replacement: tuple[str, str]) -> None:
    assert waiting_moves(changed("tictactoe", replacement)) == {}


def test_a_turn_that_few_moves_need_is_none() -> None:
    assert network("bridge").turns == [TRUE]
    built = network("tictactoe")
    assert [built.name_of(signal) for signal in built.turns] == ["turn x", "turn o"]
    assert built.needs_turn == [False, *[True] * 9] * 2


@pytest.mark.parametrize(
    "value, whole", [("100", True), ("0100", True), ("101", False), ("9" * 5000, False), ("x", False)]
)
def test_goals_are_whole_numbers(value: str, whole: bool) -> None:
    assert is_goal(value) == whole

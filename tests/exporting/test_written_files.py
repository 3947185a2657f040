"""What exported files hold, and what not."""

import ast
import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from domains.registry import find_domain
from domains.sudoku import Sudoku
from mcsgrammar.engines.searching import Limits, SemanticsName, search
from mcsgrammar.exporting.standalone import export, outline
from mcsgrammar.language.expressions import Simulate, Step
from mcsgrammar.language.parsing import parse
from tests.engines.toys import Errand, TreeGame, grown
from tests.exporting.solvers import BOTH, CUT, CUT_ODDS, MORE, ODDS, PLAIN, POLICIES, SHALLOW, class_body, imported


def test_the_loops_are_those_of_the_expression() -> None:
    text = export("step(lookahead(repeat(sim, 10)))")
    assert class_body(text, "run", "play") == dedent(
        '''
        def run(self):
            """The algorithm: `step` from the initial state, again and again."""
            while self.problem.is_final(self.initial_state):  # there is nothing to choose
                self.evaluate([], self.initial_state)
            while True:
                self.step([], self.initial_state)

        def step(self, prefix, state):
            """Play to the end; before each action, `lookahead`."""
            best = NOTHING
            state = self.problem.copy(state)
            while not self.problem.is_final(state):
                best = better(best, self.lookahead(prefix, state))
                action = best.actions[len(prefix)]  # as in the best sequence so far
                state = self.play(state, action)
                prefix = [*prefix, action]
            return best

        def lookahead(self, prefix, state):
            """`simulate` 10 times after each legal action, in random order."""
            best = NOTHING
            actions = list(self.problem.actions(state))
            self.random.shuffle(actions)
            for action in actions:
                longer = [*prefix, action]
                following = self.play(self.problem.copy(state), action)
                if self.problem.is_final(following):
                    best = better(best, self.evaluate(longer, following))
                else:
                    for _ in range(10):
                        best = better(best, self.simulate(longer, following))
            return best

        def simulate(self, prefix, state):
            """A playout: random actions until the state is final."""
            actions, state = list(prefix), self.problem.copy(state)
            while not self.problem.is_final(state):
                action = self.random.choice(self.problem.actions(state))
                state = self.play(state, action)
                actions.append(action)
            return self.evaluate(actions, state)

        '''
    ).lstrip("\n")


def test_policies_are_written_out() -> None:
    text = export("step(select(sim(mast(eps=0.4, move_decay=0.6)), ucb1(c=0.3, fpu=1)), visits)")
    assert class_body(text, "step", "select") == dedent(
        '''
        def step(self, prefix, state):
            """Play to the end; before each action, `select`."""
            best = NOTHING
            state = self.problem.copy(state)
            while not self.problem.is_final(state):
                latest = self.select(prefix, state)
                best = better(best, latest)
                favourite = self.favourite_by_visits(self.tree, prefix)
                if favourite is None:  # none is known: as in the best sequence just found
                    action = latest.actions[len(prefix)]
                else:
                    action = favourite.action
                state = self.play(state, action)
                prefix = [*prefix, action]
                self.learnt.decay_all(0.6)  # an action is played for good
            return best

        '''
    ).lstrip("\n")
    assert class_body(text, "choose", "grow") == dedent(
        '''
        def choose(self, path):
            """The most promising one; ties at random.

            Promising is a high mean reward, or few visits (UCB1):
            mean + c * sqrt(log(visits of all children) / visits).
            Exhausted children, with nothing left to explore, are left out.
            """
            node = path[-1]
            children = [child for child in node.children if not child.exhausted]
            c = 0.3
            visits = sum(child.visits for child in node.children)
            scale = c * math.sqrt(log(max(visits, 1)))
            values = []
            for child in children:
                if child.visits == 0:
                    values.append(1.0)
                    continue
                mean = child.total / child.visits
                values.append(mean + scale * (1 / math.sqrt(child.visits)))
            highest = max(values)
            ties = [child for child, value in zip(children, values) if value == highest]
            return self.random.choice(ties)

        '''
    ).lstrip("\n")


def test_under_maes2013_a_step_plays_on_where_a_move_is_forced() -> None:
    text = export("step(select(sim(mast(move_decay=0.6)), 0.5))", semantics="maes2013")
    assert class_body(text, "step", "select") == dedent(
        '''
        def step(self, prefix, state):
            """Play to the end; before each action, `select`."""
            best = NOTHING
            state = self.problem.copy(state)
            while not self.problem.is_final(state):
                best = better(best, self.select(prefix, state))
                action = best.actions[len(prefix)]  # as in the best sequence so far
                state = self.play(state, action)
                prefix = [*prefix, action]
                self.learnt.decay_all(0.6)  # an action is played for good
                while not self.problem.is_final(state):
                    actions = self.problem.actions(state)
                    if len(actions) > 1:
                        break
                    state = self.play(state, actions[0])  # it must follow: no search
                    prefix = [*prefix, actions[0]]
                    self.learnt.decay_all(0.6)  # an action is played for good
            return best

        '''
    ).lstrip("\n")


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("lookahead(sim)", ""),
        ("step(sim)", "an action that is played brings along those that must follow, without a search."),
        (
            "select(sim, 0)",
            "C holds where a walk down the tree begins and 0.5 below it, and the tree learns rewards as they are.",
        ),
    ],
)
def test_the_file_says_which_rules_of_2013_it_follows(expression: str, said: str) -> None:
    opening = " ".join(export(expression, semantics="maes2013").partition("Again and again")[0].split())
    assert opening.partition("(maes2013): ")[2] == said
    assert "maes2013" not in export(expression)


@pytest.mark.parametrize(
    ("expression", "lines"),
    [
        ("sim(random(depth=5))", ["play random actions to the end, 5 at most"]),
        ("sim(mast)", ["play actions that did well, to the end", "tell the actions the reward"]),
        (
            "sim(nst(depth=5))",
            ["play actions that did well after the last few, to the end, 5 at most", "tell the actions the reward"],
        ),
        (
            "step(select(sim, grave(c=0.2)), mean)",
            [
                "until the end is reached:",
                "    from the leaf of a growing tree that grave(c=0.2) leads to:",
                "        play random actions to the end",
                "        tell the tree the best reward of that",
                "    play the action with the highest mean reward in the tree",
            ],
        ),
    ],
)
def test_policies_in_words(expression: str, lines: list[str]) -> None:
    assert outline(parse(expression)).splitlines() == lines
    unfinished = "(asked of unfinished states, too, where a playout is cut off)"
    assert (unfinished in export(expression)) == ("depth" in expression)


def test_a_select_has_its_constant_and_its_tree() -> None:
    text = export("select(step(select(sim, 0.3)), 25)")
    assert "path, actions, state = self.descend(self.tree_2, 25.0, prefix, state)\n" in text
    assert "path, actions, state = self.descend(self.tree_1, 0.3, prefix, state)\n" in text
    one_constant = export("step(select(step(select(sim, 0.3)), 0.3))")
    assert "path, actions, state = self.descend(self.tree_2, prefix, state)\n" in one_constant
    assert "scale = 0.3 * math.sqrt(log(visits))\n" in one_constant


OPENING = '''
"""uct(0.5): a Monte-Carlo search algorithm.

That is step(repeat(select(sim, 0.5), 4)), where N is max(1, round(B / T)) for a budget
of B = 1000 evaluations and the horizon T = 256 of sudoku:4.

By the rules of the program of 2013 (maes2013): C holds where a walk down the tree
begins and 0.5 below it, and the tree learns rewards as they are; an action that is
played brings along those that must follow, without a search.

Again and again from the initial state, until the budget is spent:

    until the end is reached:
        4 times:
            from the leaf of a growing tree that UCB1 with C = 0.5 leads to:
                play random actions to the end
                tell the tree the best reward of that
        play the next action of the best sequence so far

The answer is the best sequence of all.

How to use it:

    from uct import solve

    best = solve(problem, initial_state, budget=1000, seed=0)
    print(best.reward, best.actions)

A problem is any object with these five methods:

    actions(state)       the legal actions, always in the same order
    play(state, action)  changes the state, or leaves it alone and returns the next one
    copy(state)          a state that can be changed without changing this one
    is_final(state)      whether there is nothing left to play
    reward(state)        what a final state is worth, a number; more is better

A class that derives from mcsgrammar.Domain inherits some of them. To stand alone, it needs
these, as far as it has none of its own:

    from copy import deepcopy  # above the class

    def copy(self, state):
        return deepcopy(state)

    def is_final(self, state):
        return not self.actions(state)

    def reward(self, state):  # of a class with minimise and cost
        lowest, highest = self.minimise
        return (highest - self.cost(state)) / (highest - lowest)

With mcsgrammar installed, for example on sudoku:4:

    import mcsgrammar
    from domains.problems import problem
    from uct import solve

    domain = mcsgrammar.domain("sudoku:4")
    initial_state = problem(domain, 0)
    best = solve(domain, initial_state, budget=1000, seed=0)
    print(domain.draw(initial_state, best.actions))

The file needs Python 3.9 or newer and nothing else. It draws the random numbers that
mcsgrammar draws: the same problem, budget and seed of the run, the same result.

Written by mcsgrammar VERSION:

    mcsgrammar export 'uct(0.5)' --domain sudoku:4 --budget 1000 --semantics maes2013 -o uct.py
"""
'''.lstrip("\n")


def test_the_file_says_what_it_is() -> None:
    text = export("uct(0.5)", "sudoku:4", budget=1000, semantics="maes2013", module="uct")
    assert text.startswith(OPENING.replace("VERSION", version("mcsgrammar")))


@pytest.mark.parametrize(
    ("given", "domain", "budget", "title", "command"),
    [
        (" step( sim )", None, None, "step(sim)", "'step(sim)' -o solver.py"),
        ("is", None, None, "is", "is -o solver.py"),
        ("la(2)", None, 50, "la(2)", "'la(2)' --budget 50 -o solver.py"),
        (Step(Simulate()), Errand(), None, "step(sim)", "'step(sim)' -o solver.py"),
        ("uct(0)", Sudoku(2), 80, "uct(0)", "'uct(0)' --domain sudoku:2 --budget 80 -o solver.py"),
        ("uct(0)", Errand(), 80, "uct(0)", "'step(repeat(select(sim, 0), 20))' --budget 80 -o solver.py"),
    ],
)
def test_the_file_says_where_it_comes_from(
    given: Any, domain: Any, budget: int | None, title: str, command: str
) -> None:
    text = export(given, domain, budget=budget)
    assert text.startswith(f'"""{title}: a Monte-Carlo search algorithm.\n')
    assert text.partition("\n    mcsgrammar export ")[2].partition("\n")[0] == command


def test_a_budget_is_the_default_of_the_file() -> None:
    domain = TreeGame(grown(1, 4))
    for budget, expected in ((None, 1000), (0, 0), (12_345, 12_345)):
        solve = imported(export("sim", budget=budget))["solve"]
        assert solve(domain, domain.sample(None)).evaluations == expected


def names_of(text: str) -> tuple[list[str], set[str]]:
    """What a file defines, `solve` aside, and what it uses."""
    tree = ast.parse(text, feature_version=(3, 9))
    nodes = list(ast.walk(tree))
    defined = [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    defined += [target.attr for node in nodes if isinstance(node, ast.Assign) for target in node.targets
                if isinstance(target, ast.Attribute)]  # fmt: skip
    used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    used |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
    return [name for name in defined if name not in ("solve", "__init__")], used


EVERYTHING = [*SHALLOW, *map(parse, (*MORE, *POLICIES, *CUT, *ODDS, *CUT_ODDS))]


@pytest.mark.parametrize("semantics", BOTH)
def test_there_is_nothing_that_is_not_needed(semantics: SemanticsName) -> None:
    for expression in EVERYTHING:
        defined, used = names_of(export(expression, semantics=semantics))
        assert [name for name in defined if name not in used] == [], expression


@pytest.mark.parametrize(
    ("expression", "absent"),
    [
        ("step(repeat(sim, 5))", ("Node", "log", "shuffle", "max_nodes", "tree_full")),
        ("step(select(sim, 0))", ("log", "shuffle", "replay")),
        ("step(repeat(select(sim, 0.5), 4), visits)", ("Means", "exp", "uniform", "amaf", "top")),
        ("sim(mast(eps=0.2))", ("Node", "log", "exp", "shuffle", "decay", "decay_all", "count")),
        ("select(sim(mast(tau=0.1)), history(c=0))", ("log", "amaf", "worth", "decay_all")),
        ("lookahead(select(sim, 0.5))", ()),
    ],
)
def test_pieces_come_with_the_components_that_need_them(expression: str, absent: tuple[str, ...]) -> None:
    defined, used = names_of(export(expression))
    pieces = {"Node", "log", "shuffle", "replay", "max_nodes", "tree_full"}
    assert (pieces & {*defined, *used}).isdisjoint(absent)
    if not absent:
        assert pieces <= {*defined, *used}


RUFF = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")


@pytest.mark.skipif(RUFF is None, reason="ruff is not installed")
@pytest.mark.parametrize("command", [["check"], ["format", "--check"]])
def test_files_are_well_written(command: list[str], tmp_path: Path) -> None:
    for number, expression in enumerate(EVERYTHING):
        for semantics in BOTH:
            (tmp_path / f"{semantics}_{number}.py").write_text(export(expression, semantics=semantics))
    assert RUFF is not None
    done = subprocess.run(
        [RUFF, *command, "--isolated", "--no-cache", "--target-version", "py39", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such file names")
def test_a_domain_with_a_hostile_name(tmp_path: Path) -> None:
    folder = tmp_path / 'a"""b\\new\nline'
    folder.mkdir()
    (folder / "plain.py").write_text(PLAIN)
    domain = f"{folder / 'plain.py'}:Plain"
    text = export("uct(1)", domain, budget=12)
    docstring = ast.get_docstring(ast.parse(text), clean=False)
    assert docstring is not None
    shown = domain.replace("\n", "\\n")
    assert f" T = 6 of {shown}." in docstring.replace("\n", " ")
    example = docstring.partition("domain = mcsgrammar.domain(")[2].partition(")\n")[0]
    assert ast.literal_eval(example) == domain
    assert imported(text)["solve"](find_domain(domain), "").evaluations == 12


# On its own.

ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from plain import Plain
from solver import solve
result = solve(Plain(), "", 150, seed=4)
foreign = sorted(name for name in sys.modules if name.partition(".")[0] in ("mcsgrammar", "domains", "numpy"))
print(json.dumps([result.reward, result.actions, result.evaluations, foreign]))
"""


@pytest.mark.parametrize("expression", ["uct(0.5, 5)", "step(lookahead(repeat(select(lookahead(sim), 0.3), 2)))"])
def test_it_runs_on_five_methods_without_any_package(expression: str, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    (tmp_path / "solver.py").write_text(export(expression))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-W", "error", "-c", ALONE, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    domain = find_domain(f"{tmp_path / 'plain.py'}:Plain")
    expected = search(domain, "", parse(expression), 4, Limits(150), engine="reference")
    assert json.loads(done.stdout) == [expected.reward, list(expected.actions), 150, []]


TOUR = """
class Tour{base}:
    minimise = (0.0, 9.0)
    horizon = 4

    def sample(self, random):
        return [0]

    def actions(self, state):
        return [place for place in range(5) if place not in state]

    def play(self, state, action):
        state.append(action)

    def cost(self, state):
        return sum(abs(a - b) for a, b in zip(state, state[1:])) / 3
"""


def test_a_domain_stands_alone_with_the_methods_that_the_file_lists(tmp_path: Path) -> None:
    """Taken away from mcsgrammar, it has no `copy`, `is_final` and `reward` any more."""
    text = export("nmc(2)")
    needed, methods = text[text.index("    from copy import") : text.index("The file needs")].split("\n", 1)
    alone = imported(needed.strip() + TOUR.format(base="") + methods)["Tour"]()
    found = imported(text)["solve"](alone, [0], budget=60, seed=4)
    (tmp_path / "tour.py").write_text("from mcsgrammar import Domain\n" + TOUR.format(base="(Domain)"))
    domain = find_domain(f"{tmp_path / 'tour.py'}:Tour")
    expected = search(domain, [0], parse("nmc(2)"), 4, Limits(60), engine="reference")
    assert (found.reward, tuple(found.actions)) == (expected.reward, expected.actions)

"""What holds of players whatever they play."""

import math
from typing import Any

import pytest

from domains.games.tictactoe import TicTacToe
from domains.randomness import Random, seed_of
from domains.registry import find_domain
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.reference import ReferencePlayer
from mcsgrammar.engines.arena.trees import Trail, reachable
from mcsgrammar.engines.reference.interpreter import BudgetSpent, Component, ReferenceSearch, Step
from mcsgrammar.engines.searching import Limits, SearchTask
from mcsgrammar.language.parsing import parse
from tests.engines.arena.toys import Rounds, TurnedRound, match, reference_player

# One role: the match is a run.


class Watched(ReferenceSearch):
    """Notes what is committed, and every final state with its sequence."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.committed: list[Any] = []
        self.ends: list[tuple[Any, ...]] = []

    def yield_(self, sequence: list[Any], final: Any) -> None:
        self.ends.append(tuple(sequence))
        super().yield_(sequence, final)

    def committed_by_statistic(self, component: Step, rule: str, prefix: list[Any]) -> Any:
        self.committed.append(super().committed_by_statistic(component, rule, prefix))
        return self.committed[-1]

    def invoke(self, component: Component, prefix: list[Any], state: Any) -> None:
        if self.evaluations == STEPS * BUDGET and isinstance(component, Step):
            raise BudgetSpent
        super().invoke(component, prefix, state)


class WatchedPlayer(ReferencePlayer):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.played: list[Any] = []
        self.ends: list[tuple[Any, ...]] = []

    def yield_(self, trail: Trail, final: Any) -> None:
        self.ends.append((*self.played, *(joint[0] for joint in trail.joints)))
        super().yield_(trail, final)

    def advance(self, joint: tuple[Any, ...]) -> None:
        self.played.append(joint[0])
        super().advance(joint)


STEPS, BUDGET = 6, 25


@pytest.mark.parametrize("problem", ["sudoku:3", "regression", "morpion", "tsptw"])
@pytest.mark.parametrize(
    ("policy", "rule"), [("0.5", "visits"), ("0", "mean"), ("ucb1(c=0.3, vo=0.1, t=3, fpu=0.8)", "visits")]
)
def test_with_one_role_a_match_is_a_run_of_step(problem: str, policy: str, rule: str) -> None:
    domain = find_domain(problem)
    initial = domain.sample(Random(3))
    budget = STEPS * BUDGET

    def stop(evaluations: int) -> None:
        if evaluations == budget:
            raise BudgetSpent

    run = parse(f"step(repeat(select(sim, {policy}), {BUDGET}), {rule})")
    one = Watched(domain, initial, SearchTask(run, 7, evaluations=budget), stop)
    one.run()
    agent = agent_of(f"step(select(sim, {policy}), {rule})", domain)
    other = WatchedPlayer(domain, initial, agent, 0, 7, Limits(BUDGET))
    while len(other.played) < STEPS and not domain.is_final(other.state):
        other.search(Limits(BUDGET))
        other.advance((other.commit(),))
    played = len(other.played)
    assert played >= 2
    assert other.ends == one.ends[: played * BUDGET]
    assert other.played[: STEPS - 1] == one.committed[:played]


# Two roles that take turns: plain Monte-Carlo tree search.


def plain_search(board: list[int], budget: int, c: float, random: Random) -> dict[tuple[int, ...], tuple[int, float]]:
    """How often every sequence of cells was followed in a tree, and what whoever played its last got in all. Typed from
    the textbook, for tic-tac-toe alone."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    tree: set[tuple[int, ...]] = set()
    visits: dict[tuple[int, ...], int] = {}
    wins: dict[tuple[int, ...], float] = {}

    def line(cells: list[int]) -> int:
        return next((cells[a] for a, b, d in lines if cells[a] == cells[b] == cells[d] != -1), -1)

    for _ in range(budget):
        cells, played, known = list(board), (), () in tree
        if not known:
            tree.add(())
        path: list[tuple[int, ...]] = []
        while line(cells) == -1 and -1 in cells:
            free = [cell for cell in range(9) if cells[cell] == -1]
            if known:
                untried = [cell for cell in free if (*played, cell) not in visits]
                if untried:
                    best = untried
                else:
                    n = sum(visits[*played, cell] for cell in free)
                    values = {
                        cell: wins[*played, cell] / visits[*played, cell]
                        + c * math.sqrt(math.log(n)) / math.sqrt(visits[*played, cell])
                        for cell in free
                    }
                    best = [cell for cell in free if values[cell] >= max(values.values()) - 1e-12]
                cell = best[random.below(len(best))] if len(free) > 1 else best[0]
            else:
                cell = free[random.below(len(free))] if len(free) > 1 else free[0]
            cells[cell] = (9 - cells.count(-1)) % 2
            played = (*played, cell)
            if known:
                path.append(played)
                known = played in tree
                if not known:
                    tree.add(played)
        winner = line(cells)
        for sequence in path:
            mover = (9 - board.count(-1) + len(sequence) - 1) % 2
            visits[sequence] = visits.get(sequence, 0) + 1
            wins[sequence] = wins.get(sequence, 0.0) + (0.5 if winner == -1 else float(winner == mover))
    return {sequence: (n, wins[sequence]) for sequence, n in visits.items()}


@pytest.mark.parametrize("board", [[-1] * 9, [0, 1, -1, -1, 0, -1, -1, -1, 1], [1, 0, 0, 0, 1, 1, -1, -1, -1]])
@pytest.mark.parametrize("seed", range(3))
def test_turns_are_searched_as_in_the_textbook(board: list[int], seed: int) -> None:
    game, budget = TicTacToe(), 300
    player = ReferencePlayer(game, board, agent_of("select(sim, 0.7)", game), 0, seed, Limits(budget))
    player.search(Limits(budget))
    expected = plain_search(board, budget, 0.7, Random(seed))
    found = {}
    assert player.root is not None
    nodes: list[tuple[tuple[int, ...], Any, list[int]]] = [((), player.root, board)]
    for sequence, node, cells in nodes:
        mover = (9 - cells.count(-1)) % 2
        for arm in node.arms[mover]:
            if arm.visits:
                found[*sequence, arm.action] = arm.visits, arm.total
        for joint, child in node.children.items():
            following = list(cells)
            following[joint[mover]] = mover
            nodes.append(((*sequence, joint[mover]), child, following))
    assert {s: one for s, one in found.items() if 9 - board.count(-1) + len(s) < 9} == {
        s: one for s, one in expected.items() if 9 - board.count(-1) + len(s) < 9
    }  # the last cell is forced: it has no arm


# Simultaneous moves.


PENNIES = Rounds([(2, 2)], lambda joints: (1.0, 0.0) if joints[0][0] == joints[0][1] else (0.0, 1.0))


def average(agent: str, seed: int, budget: int) -> float:
    """What the role gets on average that wants both pennies to show the same."""
    player = reference_player(PENNIES, agent, seed=seed)
    player.search(Limits(budget))
    assert player.root is not None
    first, second = ([(arm.visits, arm.total) for arm in arms] for arms in player.root.arms)
    assert sum(visits for visits, _ in first) == sum(visits for visits, _ in second) == budget - 1
    assert sum(total for _, total in first + second) == budget - 1
    return sum(total for _, total in first) / (budget - 1)


def test_matching_pennies_averages_a_half() -> None:
    # One search alone may go round in a circle that favours one of them: UCB1 is no random strategy.
    searches = [average("select(sim, 0.5)", seed, 101) for seed in range(200)]
    assert sum(searches) / len(searches) == pytest.approx(0.5, abs=0.05)
    assert min(searches) < 0.4 and max(searches) > 0.6
    assert average("select(sim, ucb1(c=0.5, vo=0.2))", 1, 4001) == pytest.approx(0.5, abs=0.03)


def test_a_dominant_action_is_found_by_both() -> None:
    # (With pays as of the prisoners' dilemma they may fall in step and take cooperation for the better.)
    alone = Rounds([(2, 2)], lambda joints: (0.2 + 0.6 * joints[0][0], 0.1 + 0.2 * joints[0][1]))
    player = reference_player(alone, "step(select(sim, 0.3), visits)")
    player.search(Limits(400))
    assert player.root is not None
    assert player.commit() == 1
    assert max(player.root.arms[1], key=lambda arm: arm.visits).action == 1


# Whole matches.


@pytest.mark.parametrize("agent", ["select(sim, 0.5)", "select(sim(mast(eps=0.4, move_decay=0.4)), grave(c=0.2))"])
def test_an_agent_against_itself_holds_a_half(agent: str) -> None:
    game, points = TicTacToe(), []
    for block in range(20):
        for seating in range(2):  # as many wins for the one as for the other
            players = [
                reference_player(game, agent, role, seed_of("seat", block, seating, role), 20) for role in range(2)
            ]
            points.append(match(game, players, 20)[1][seating])
    assert sum(points) / len(points) == pytest.approx(0.5, abs=0.15)
    assert len(set(points)) > 1


AGENTS = (
    "select(sim, 0.5)",
    "step(select(sim(mast(eps=0.4, move_decay=0.2)), ucb1(c=0.2, vo=0.01, fpu=1)), visits)",
    "select(repeat(sim(nst(move_decay=0.6, sim_decay=0.9)), 2), history(c=0.4, w=2, t=4))",
    "select(sim(mast(tau=0.1, batch_decay=0.8, batch=7)), grave(c=0.2, ref=10, bias=0.01))",
    "repeat(select(sim(mast(tau=0.2)), puct(c=1)), 3)",
)


@pytest.mark.parametrize("agent", AGENTS)
def test_roles_that_take_turns_can_be_relabelled(agent: str) -> None:
    game = TicTacToe()
    joints, rewards = match(game, [reference_player(game, agent, role, role, 60) for role in range(2)], 60)
    turned = TurnedRound(game)
    others, other_rewards = match(turned, [reference_player(turned, agent, 1 - r, r, 60) for r in (1, 0)], 60)
    assert [joint[::-1] for joint in others] == joints
    assert other_rewards[::-1] == rewards


@pytest.mark.parametrize("agent", AGENTS)
def test_a_player_counts_what_its_tree_and_tables_hold(agent: str) -> None:
    game = TicTacToe()
    players = [reference_player(game, agent, role, 5 + role, 50) for role in range(2)]
    state: Any = game.sample(Random(1))
    while not game.is_final(state):
        for player in players:
            searched = player.search(Limits(50))
            assert searched.simulations == 50 and not searched.tree_full
            nodes = reachable(player.root)
            assert searched.tree_nodes == sum(node.size for node in nodes) > 0
            tables = [playouts.grams for playouts in player.playouts] + player.histories
            tables += [amaf for node in nodes for amaf in node.amaf or ()]
            assert player.room.entries == sum(len(table.entries) for table in tables)
        joint = tuple(player.commit() for player in players)
        for player in players:
            player.advance(joint)
        state = players[0].state


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("max_nodes", [1, 8, 9, 40, 100])
def test_a_player_keeps_within_its_room(agent: str, max_nodes: int) -> None:
    game = TicTacToe()
    player = reference_player(game, agent, 0, 5, max_nodes=max_nodes)
    full = False
    for _ in range(3):
        searched = player.search(Limits(100))
        full |= searched.tree_full
        assert player.room.nodes + player.room.entries <= max_nodes
        action = player.commit()
        mover = game.mover(player.state)
        player.advance((action, -1) if mover == 0 else (-1, game.actions(player.state)[0]))
    assert full

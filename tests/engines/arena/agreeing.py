"""A match by both engines of the arena, which must be the same, bit for bit: what players commit, and all they know."""

from collections import Counter

from domains.protocol import Domain, advance_all
from domains.randomness import Random
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.compiled import CompiledArena, CompiledPlayer
from mcsgrammar.engines.arena.reference import ReferenceArena, ReferencePlayer
from mcsgrammar.engines.arena.trees import JointNode
from mcsgrammar.engines.compiled import arena_layout as layout
from mcsgrammar.engines.compiled.means_kernels import ENTRIES, MeansTable
from mcsgrammar.engines.reference.means import Means
from mcsgrammar.engines.searching import Limits

MUCH = 10_000_000


def tagged(table: MeansTable, of_node: int = 0) -> dict[int, tuple[float, float]]:
    """The entries of a table by tags, of those whose keys begin with a node's number."""
    used = int(table.used[0])
    keyed = zip(table.key[:used].tolist(), table.numbers[:used].tolist(), strict=True)
    return {key & 0xFFFFFFFF: tuple(numbers) for key, numbers in keyed if key >> 32 == of_node}


def by_tag(means: list[Means], codes: int) -> dict[int, tuple[float, float]]:
    """`codes` are those of the game's actions, and NOOP."""
    return {
        role * codes + int(action) + 1: (count, mean)  # type: ignore[call-overload]
        for role, table in enumerate(means)
        for action, (count, mean) in table.entries.items()
    }


def codes_of(player: CompiledPlayer) -> int:
    return int(player.known.numbers[layout.CODES])


def grams_of(player: CompiledPlayer) -> dict[int, dict[tuple[int, ...], tuple[float, float]]]:
    """By role, as the reference engine has them."""
    codes, grams = codes_of(player), player.known.grams
    found: dict[int, dict[tuple[int, ...], tuple[float, float]]] = {role: {} for role in range(player.roles)}
    spelt: list[tuple[int, ...]] = [()]
    for entry in range(int(grams.used[0])):
        parent, tag = divmod(int(grams.key[entry]), 2**32)
        spelt.append((*spelt[parent], tag % codes - 1))
        found[tag // codes][spelt[-1]] = tuple(grams.numbers[entry].tolist())
    return found


def same_tree(player: CompiledPlayer, node: int, other: JointNode | None) -> None:
    """That below a node, with its AMAF."""
    if other is None:
        assert node == -1
        return
    tree, roles = player.tree, player.roles
    row = tree.nodes[node]
    assert row[layout.VISITS] == other.visits
    assert tagged(player.known.amaf, node) == by_tag(other.amaf or [], codes_of(player)), node
    arm = int(row[layout.FIRST_ARM])
    for role in range(roles):
        if other.is_forced(role):
            assert row[layout.COUNTS + role] == 0
            assert row[layout.COUNTS + roles + role] == other.arms[role][0].action
            continue
        n = int(row[layout.COUNTS + role])
        arms = [tree.arms[i, :2].tolist() for i in range(arm, arm + n)]
        totals = tree.worths[arm : arm + n, layout.TOTAL].tolist()
        here = [(*one, total if one[1] else 0.0) for one, total in zip(arms, totals, strict=True)]
        assert here == [(one.action, one.visits, one.total) for one in other.arms[role]]
        arm += n
    for joint, child in other.children.items():
        place = 0
        for role in range(roles):
            if not other.is_forced(role):
                place = place * len(other.arms[role]) + [one.action for one in other.arms[role]].index(joint[role])
        keys = tree.key[: int(player.known.numbers[layout.NODES])].tolist()
        same_tree(player, keys.index(node << 32 | place), child)


def same(player: CompiledPlayer, other: ReferencePlayer) -> None:
    assert int(player.scratch.random[0]) == other.random.state
    assert player.tunings() == other.tunings()
    assert player.known.numbers[ENTRIES] == other.room.entries
    assert player.known.numbers[layout.SIZE] == other.room.nodes
    for role, grams in grams_of(player).items():
        assert grams == {gram: tuple(numbers) for gram, numbers in other.playouts[role].grams.entries.items()}
    assert tagged(player.known.history) == by_tag(other.histories, codes_of(player))
    same_tree(player, int(player.known.numbers[layout.ROOT]), other.root)


def agreed_on(
    game: Domain, arena: CompiledArena, text: str, seed: int, budget: int, steps: int = 3, max_nodes: int = MUCH
) -> Counter[str]:
    """Play a match by both engines, and say what of it was out of the ordinary."""
    limits, reference = Limits(budget, max_nodes=max_nodes), ReferenceArena(game)
    agent, state, met = agent_of(text, game), game.sample(Random(seed)), Counter[str]()
    players = [arena.player(arena.ready(state), agent, r, seed + r, limits) for r in range(len(game.roles))]
    others = [reference.player(state, agent, r, seed + r, limits) for r in range(len(game.roles))]
    while not game.is_final(state) and steps:
        searched = [player.search(limits) for player in players]
        of_others = [player.search(limits) for player in others]
        for one, other in zip(searched, of_others, strict=True):
            assert (one.simulations, one.tree_nodes, one.tree_full) == (
                other.simulations,
                other.tree_nodes,
                other.tree_full,
            )
            assert one.simulations == budget
            met["full"] += one.tree_full
        for player, its_twin in zip(players, others, strict=True):
            same(player, its_twin)
        joint = tuple(player.commit() for player in players)
        assert joint == tuple(player.commit() for player in others)
        for each in (*players, *others):
            each.advance(joint)
        for player, its_twin in zip(players, others, strict=True):
            same(player, its_twin)
        state = advance_all(game, state, joint)
        steps -= 1
        met["step"] += 1
    return met

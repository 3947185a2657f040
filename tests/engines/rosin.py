"""Nested rollout policy adaptation as Rosin (2011) writes it, figure by figure, with the draws of this house.

His figures say what a level does; ours are the order of additions, `>` and `>=`, and that a forced move costs a draw.
"""

from typing import Any

from domains.portable_math import exp
from domains.protocol import Domain, replay
from domains.randomness import Random

Policy = dict[Any, float]
Found = tuple[float, list[Any]]


class Rosin:
    def __init__(self, domain: Domain, root: Any, seed: int, iterations: int, alpha: float) -> None:
        self.domain, self.root, self.random = domain, root, Random(seed)
        self.iterations, self.alpha = iterations, alpha
        self.evaluated: list[float] = []

    def nrpa(self, level: int, policy: Policy) -> Found:
        if level == 0:
            return self.playout(policy)
        best_score, best_sequence = float("-inf"), list[Any]()
        for iteration in range(self.iterations):
            result, new = self.nrpa(level - 1, dict(policy))
            if result >= best_score:
                best_score, best_sequence = result, new
            if iteration < self.iterations - 1:  # what is learnt after the last is never used
                policy = self.adapt(policy, best_sequence)
        return best_score, best_sequence

    def playout(self, policy: Policy) -> Found:
        node, sequence = replay(self.domain, self.root, ()), list[Any]()
        while not self.domain.is_final(node):
            moves = list(self.domain.actions(node))
            z = 0.0
            for move in moves:
                z += exp(policy.get(self.domain.code(node, move), 0.0))
            choice = self.random.uniform01() * z
            passed, i = 0.0, 0
            while True:
                passed += exp(policy.get(self.domain.code(node, moves[i]), 0.0))
                if choice < passed:
                    break
                i += 1
            sequence.append(moves[i])
            node = replay(self.domain, self.root, sequence)
        score = self.domain.reward(node)
        self.evaluated.append(score)
        return score, sequence

    def adapt(self, policy: Policy, sequence: list[Any]) -> Policy:
        """`changed` is Rosin's pol', so far as it differs from pol."""
        node, changed = replay(self.domain, self.root, ()), Policy()
        for length, played in enumerate(sequence, 1):
            moves = list(self.domain.actions(node))
            if len(moves) > 1:
                z = 0.0
                for move in moves:
                    z += exp(policy.get(self.domain.code(node, move), 0.0))
                for move in moves:
                    code = self.domain.code(node, move)
                    changed[code] = changed.get(code, 0.0) - exp(policy.get(code, 0.0)) * (self.alpha / z)
                changed[self.domain.code(node, played)] += self.alpha
            node = replay(self.domain, self.root, sequence[:length])
        return policy | {c: min(max(policy.get(c, 0.0) + d, -300.0), 300.0) for c, d in changed.items()}

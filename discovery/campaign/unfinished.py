"""The finished pulls of a campaign's batch that is not (`discovery.keeping.unfinished`).

[17,0,0.4375,0.0021,null,"59b98232"]                  a pull: arm, t, reward, CPU seconds, why it failed
[3,0,0.0,0.0001,"Tour.reward raised …","82d7d3a5"]
"""

from typing import Any

from discovery.keeping.unfinished import KeptBeside
from discovery.pool.pulls import PullResult

WORTH_KEEPING = 0.5
"""Seconds of work at the most, on the workers' clocks, that `kill -9` may cost. Where whole batches take less, nothing
is ever written, and so it costs nothing."""

Pull = tuple[int, int]
"""Arm and t."""
KINDS = [[int, int, float, float, kind] for kind in (str, type(None))]
"""What a line holds."""


class Unfinished(KeptBeside[Pull, PullResult]):
    """The finished pulls of the batch under way of a campaign."""

    format = "mcsgrammar unfinished"
    begun_anew = "a batch is begun anew"

    @property
    def worth_keeping(self) -> float:
        return WORTH_KEEPING

    def fields(self, key: Pull, result: PullResult) -> list[Any]:
        return [*key, result.reward, result.seconds, result.failed]

    def read(self, fields: list[Any]) -> tuple[Pull, PullResult]:
        if [type(field) for field in fields] not in KINDS:
            raise ValueError("it is damaged")
        arm, t, reward, seconds, failed = fields
        return (arm, t), PullResult(reward, failed, 0, seconds)

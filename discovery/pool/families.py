"""The pulls of a campaign over a family: pull t of a candidate is on problem t // n of member t % n of its n domains.

The run and its seed are those of pull t // n of a campaign over that member alone with the same seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discovery.pool.chunks import CampaignWorld, PullSetup, seconds_of_runs
from discovery.pool.losses import is_built_in
from discovery.pool.pulls import PullResult, Runners
from domains.protocol import Domain
from domains.registry import canonical_text


@dataclass(frozen=True)
class FamilySetup:
    """What every pull has in common."""

    token: str
    members: tuple[PullSetup, ...]

    @property
    def domain(self) -> str | Domain:
        """The one that is to be mended if something is wrong: the first that somebody wrote."""
        domains = [member.domain for member in self.members]
        return next((domain for domain in domains if not is_built_in(domain)), domains[0])

    @property
    def stopped(self) -> str:
        return self.members[0].stopped

    def world(self) -> "FamilyWorld":
        return FamilyWorld(self.members)

    def spoken(self, text: str, t: int) -> str:
        k, place = divmod(t, len(self.members))
        domain = self.members[place].domain
        return (
            f"{self.members[place].spoken(text, k)} of {domain if isinstance(domain, str) else canonical_text(domain)}"
        )

    def seconds_of_pulls(self, world: Any, texts: Sequence[str]) -> float | None:
        return seconds_of_runs(self.members[0], world, texts)


class FamilyWorld:
    """What a worker keeps between pulls: that of each member. All are made at once: a worker that grows later looks to
    loky as if it were leaking."""

    def __init__(self, members: Sequence[PullSetup]) -> None:
        runners = Runners(len(members))
        self.worlds = [CampaignWorld(member, runners) for member in members]

    def pull(self, text: str, t: int) -> PullResult:
        k, place = divmod(t, len(self.worlds))
        return self.worlds[place].pull(text, k)

    def seconds_of_pull(self, text: str, t: int, budget: int) -> float | None:
        k, place = divmod(t, len(self.worlds))
        return self.worlds[place].seconds_of_pull(text, k, budget)

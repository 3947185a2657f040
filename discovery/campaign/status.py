"""How far a campaign is and who leads, as `mcsgrammar status --json` writes it and `mcsgrammar.status` gives it."""

from dataclasses import asdict
from typing import Any

from discovery.campaign.ranking import Standing
from discovery.documents import finite


def status_of(standing: Standing, top: int) -> dict[str, Any]:
    document: dict[str, Any] = finite(
        {
            "domain": standing.settings.canonical_domain,
            "family": [asdict(member) for member in standing.settings.family or ()] or None,
            "against": standing.settings.pool_labels or None,
            "policy": standing.settings.policy,
            "candidates": standing.settings.candidates,
            "pulls": standing.pulls_done,
            "pulls_in_all": standing.settings.pulls,
            "complete": standing.pulls_done >= standing.settings.pulls,
            "failed": int(standing.statistics.failures.sum()),
            "accepted_domains": [asdict(changed) for changed in standing.settings.accepted_domains],
            "speed": None if standing.speed is None else asdict(standing.speed),
            "leaders": [asdict(ranked) for ranked in standing.ranking(top)],
        }
    )
    return document

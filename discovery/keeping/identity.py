"""What settings call the domain of their work, or the domains of a family: as typed, by its canonical text, and by the
hash of its file.
"""

from collections.abc import Sequence

from domains.protocol import Domain
from domains.registry import canonical_text, typed_text
from domains.sources import source_hash

BETWEEN = " + "
NO_SOURCE = "-"


def joint_typed(domains: Sequence[Domain]) -> str:
    return BETWEEN.join(map(typed_text, domains))


def joint_text(domains: Sequence[Domain]) -> str:
    """The canonical texts; of one domain its own."""
    return BETWEEN.join(map(canonical_text, domains))


def joint_source(domains: Sequence[Domain]) -> str | None:
    """The hashes of the members' files; of one domain its own. None where none has a file."""
    return joined_sources([source_hash(domain) for domain in domains])


def joined_sources(sources: Sequence[str | None]) -> str | None:
    return BETWEEN.join(source or NO_SOURCE for source in sources) if any(sources) else None


def sources_in(joint: str | None, members: int) -> list[str | None]:
    """The hash of each member's file; unknown where somebody has changed how many there are."""
    sources = [] if joint is None else [None if source == NO_SOURCE else source for source in joint.split(BETWEEN)]
    return sources if len(sources) == members else [None] * members

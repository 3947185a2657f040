"""A family: the domains of a campaign that looks for one algorithm for all of them.

Glossary
    family    the domains, in the order they were named
    member    one of them
    joint     of all members in one text: what a campaign over one domain says of that one

Problem t of a campaign over n domains is problem t // n of member t % n: so pulls, batches and the journal are those of
any campaign, and a pull's number says which member it was on.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from shlex import quote

from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text, domain_of, refuse_namesakes, typed_text

FEWEST = 2
FOLDERS = re.compile(r"[^:=,]*[/\\]")
ALL_BUT_THE_LAST_FOLDER = re.compile(r"[^:=,]*[/\\](?=[^:=,/\\]*[/\\])")
SHOWN = 4
"""Members in the name of a family."""


@dataclass(frozen=True)
class Member:
    """A domain of a family. Where it is found is no part of what it is."""

    domain: str = field(compare=False)
    """as it was typed"""
    canonical_domain: str


def refuse_other_pulls(against: object, play: object) -> None:
    """Raises `UserError` for what makes pulls something else than runs."""
    for name, value in (("against", against), ("play", play)):
        if value is not None:
            raise UserError(f"a family is searched by runs of one role; {name} is for one domain alone, leave it out")


def family_of(given: Sequence[Domain | str]) -> list[Domain]:
    """The domains of a family, checked. Raises `UserError`."""
    found = [domain_of(one) for one in given]
    if len(found) < FEWEST:
        alone = f": mcsgrammar discover {quote(typed_text(found[0]))}" if found else ""
        raise UserError(f"a family has two domains or more; add another by --on, or name the one without it{alone}")
    refuse_namesakes(found)
    seen: dict[str, Domain] = {}
    for domain in found:
        name = canonical_text(domain)
        if name in seen:
            raise UserError(
                f"{typed_text(domain)} is the same domain as {typed_text(seen[name])}; name each member of a family "
                "once, or it counts twice"
            )
        seen[name] = domain
        if len(domain.roles) > 1:
            raise UserError(
                f"{typed_text(domain)} has {len(domain.roles)} roles, and the members of a family have one; agents for "
                f"it are found alone: mcsgrammar discover {quote(typed_text(domain))} --against 'select(sim, 0.4)'"
            )
        if domain.stochastic:
            raise UserError(
                f"{name} is stochastic, so it would have to be played, and a family is not; leave it out, or find its "
                f"algorithm alone: mcsgrammar discover {quote(typed_text(domain))} --play"
            )
    return found


def labels_of(members: Sequence[Member]) -> list[str]:
    """What members are called in tables: as they were typed, without the folders of their files as far as these do not
    tell them apart."""
    for leave_out in (FOLDERS, ALL_BUT_THE_LAST_FOLDER):
        labels = [leave_out.sub("", member.domain).replace(":path=", ":") for member in members]
        if len(set(labels)) == len(labels):
            return labels
    return [member.canonical_domain for member in members]


def family_name(members: Sequence[Member]) -> str:
    """All of them, or the first few."""
    labels = labels_of(members)
    more = ", …" if len(labels) > SHOWN else ""
    return f"{len(labels)} domains: {', '.join(labels[:SHOWN])}{more}"

"""The beginning of a campaign: its settings and candidates, checked before anything is run, and its folder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from discovery.arena.agents import Opposition
from discovery.bandits.policies import SampledHalving, make_policy
from discovery.campaign.family import Member, family_of, refuse_other_pulls
from discovery.campaign.settings import (
    Settings,
    candidates_digest,
    candidates_text,
    read_settings,
    write_candidates,
    write_settings,
)
from discovery.keeping.beginning import begin_folder
from discovery.keeping.folder import CANDIDATES_FILE
from discovery.keeping.identity import joint_source, joint_text, joint_typed
from discovery.keeping.locking import ON_CAMPAIGN, FolderLock
from discovery.keeping.settings import refuse_differences, versions_now
from discovery.numbers import POINTS_SCALE, REWARDS, scale_of, units_in, units_of
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text, domain_of, typed_text
from mcsgrammar.arguments import check_choice, whole
from mcsgrammar.defaults import BATCH_OF_PULLS, YARDSTICK
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.compiled.vetting import vet
from mcsgrammar.engines.searching import (
    ENGINES,
    SEMANTICS,
    EngineName,
    Limits,
    SemanticsName,
    choose_engine,
)
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Component
from mcsgrammar.playing import TREES, Trees, prepared

LARGEST_BATCH = 1_000_000


def plan(
    domain: Domain | str | Sequence[Domain | str],
    candidates: Sequence[Component],
    *,
    limits: Limits,
    policy: str,
    pulls: int,
    batch: int = BATCH_OF_PULLS,
    seed: int = 0,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    against: Opposition | None = None,
    play: Trees | None = None,
) -> tuple[Settings, list[str]]:
    """The settings and the candidates' texts of a campaign, all checked before anything is run. In a game the
    candidates are agents, `against` others. Several domains are a family, whose pulls go round its members."""
    is_family = not isinstance(domain, Domain | str) and isinstance(domain, Sequence)
    if is_family:
        refuse_other_pulls(against, play)
    domains = family_of(domain) if is_family else [domain_of(domain)]  # type: ignore[arg-type]
    found = domains[0]
    check_choice("the semantics", semantics, SEMANTICS)
    check_choice("the engine", engine, ENGINES)
    if against is None:
        _refuse_games(found)
    elif play is not None:
        raise UserError("agents that play against others are searched anew at every step as it is; leave --play out")
    elif semantics != "standard":
        raise UserError(f"agents play by the standard semantics, and {semantics} is of the paper's; leave it out")
    for one in domains:
        if engine == "compiled":  # which says so if there is none
            _ = choose_engine(one, engine) if against is None else arena_of(one, engine)
        vet(one, engine)
    if against is None:
        texts = _distinct(candidates, domains, limits, play)
    else:
        texts = list(dict.fromkeys(str(agent_of(candidate, found)) for candidate in candidates))
    if not texts:
        raise UserError("there are no candidates; raise --depth, or name a file with expressions by --candidates")
    if limits.evaluations == 0:
        raise UserError("with a budget of 0 there is nothing to compare; give --budget at least 1")
    pulls = whole("the number of pulls", pulls, 1)
    batch = whole("the batch", batch, 1, LARGEST_BATCH)
    seed = whole("the seed", seed)
    if play is not None:
        check_choice("what becomes of trees", play, TREES)
    settings = Settings(
        domain=joint_typed(domains),
        canonical_domain=joint_text(domains),
        domain_source=joint_source(domains),
        candidates=len(texts),
        candidates_digest=candidates_digest(texts),
        budget=limits.evaluations,
        seconds=limits.seconds,
        semantics=semantics,
        engine=engine,
        max_nodes=limits.max_nodes,
        policy=make_policy(_policy(policy, len(domains)), len(texts), pulls, seed).text,
        pulls=pulls,
        batch=batch,
        seed=seed,
        versions=versions_now(),
        units=_units(domains, against),
        against=against,
        play=play,
        family=tuple(Member(typed_text(one), canonical_text(one)) for one in domains) if is_family else None,
    )
    return settings, texts


def _policy(text: str, domains: int) -> str:
    """By default a candidate that is tried has as many pulls on each domain of a family as on one that is alone."""
    if domains == 1 or text.strip() != SampledHalving.name:
        return text
    each = SampledHalving.parameters["each"][1]
    return f"{SampledHalving.name}(each={int(each) * domains})"


def _units(domains: Sequence[Domain], against: Opposition | None) -> dict[str, Any]:
    """What reports know of the domain. A family has a unit if all members have the same one."""
    if against is not None:
        return units_in(POINTS_SCALE)
    if len(domains) == 1:
        return units_of(domains[0])
    scales = {scale_of(domain) for domain in domains}
    shared = scales.pop()
    return units_in(REWARDS if scales or shared.untold is not None else shared)


def _refuse_games(domain: Domain) -> None:
    if len(domain.roles) > 1:
        name = typed_text(domain)
        raise UserError(
            f"{name} has {len(domain.roles)} roles, so candidates need somebody to play against: mcsgrammar discover "
            f"{quote(name)} --against '{YARDSTICK}'"
        )


def _distinct(
    candidates: Sequence[Component], domains: Sequence[Domain], limits: Limits, play: Trees | None
) -> list[str]:
    """The candidates' texts, each once by the texts that name the runs, which for uct(C) say its N."""
    distinct: dict[tuple[str, ...], str] = {}
    for candidate in candidates:
        runs = tuple(str(_prepared(candidate, domain, limits, play, len(domains) > 1)) for domain in domains)
        distinct.setdefault(runs, str(candidate))
    return list(distinct.values())


def _prepared(candidate: Component, domain: Domain, limits: Limits, play: Trees | None, in_family: bool) -> Component:
    """What does not suit a domain is said with its name where there are others."""
    try:
        return prepared(candidate, domain, limits, play)
    except InvalidExpression as error:
        if not in_family:
            raise
        why = f"{candidate} cannot run on {typed_text(domain)}, and candidates run on all of a family: {error.problem}"
        raise InvalidExpression(why) from None


def create(folder: Path, settings: Settings, texts: Sequence[str]) -> None:
    """Make the campaign's folder, or find it made: with the same settings it is taken up where it stands.

    A folder that holds anything else is left as it is.
    """

    def write() -> None:
        write_candidates(folder, texts)
        write_settings(folder, settings)  # last: a folder with settings is a campaign

    begun = {CANDIDATES_FILE: candidates_text(texts).encode()}
    begin_folder(folder, begun, lambda: _take_up(folder, settings), write, ON_CAMPAIGN)


def _take_up(folder: Path, settings: Settings) -> None:
    there = read_settings(folder)
    refuse_differences(folder, there, settings, "a campaign")
    if there.typed_domains != settings.typed_domains:  # the same file at another place
        with FolderLock(folder):
            write_settings(folder, replace(there, domain=settings.domain, family=settings.family))

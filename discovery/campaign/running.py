"""A campaign: a bandit spends a number of pulls on candidate algorithms, and everything it learns is in its journal.

Glossary
    arm         a candidate algorithm, by its number in the list of candidates
    pull        one run of an arm; the t-th pull of any arm runs on the t-th training problem of the campaign. With
                `play` it is a game there, which draws the same chance for all arms as long as they do the same. Among
                several roles it is the t-th block of matches against another agent (`discovery.arena.pulling`). Over
                several domains training problems are those of each in turn (`discovery.pool.families`)
    batch       pulls that are asked for together; its size is a setting, the number of workers is not
    told        the policy has been given a batch's rewards; a resumed campaign is told its whole journal first
"""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from discovery.arena.playing import chosen_engine
from discovery.arena.pulling import AgainstSetup
from discovery.campaign.foretelling import OnStart
from discovery.campaign.journal import Contents, Journal
from discovery.campaign.loop import Loop, OnBatch, Outcome, Progress
from discovery.campaign.planning import create, plan
from discovery.campaign.ranking import check_digest
from discovery.campaign.settings import Settings, read_candidates, read_settings, write_settings
from discovery.campaign.unfinished import Unfinished
from discovery.keeping.domain import check_before_import, check_domain, found_domains
from discovery.keeping.folder import JOURNAL_FILE, has_journal
from discovery.keeping.identity import joint_source, joint_text
from discovery.keeping.locking import FolderLock
from discovery.keeping.settings import check_versions, versions_now
from discovery.pool.chunks import Setup
from discovery.pool.families import FamilySetup
from discovery.pool.processes import workers_start_safely
from discovery.pool.workers import Backend, CampaignStopped, PullSetup, Workers, check_workers
from domains.protocol import Domain
from mcsgrammar.defaults import SECONDS_OF_A_PULL
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.searching import Limits

__all__ = ["CampaignStopped", "OnBatch", "Outcome", "Progress", "create", "plan", "run"]


def run(
    folder: Path,
    *,
    jobs: int = 1,
    backend: Backend | str = "loky",
    address: str | None = None,
    timeout: float = SECONDS_OF_A_PULL,
    stop_after: float | None = None,
    accept_versions: bool = False,
    accept_domain: bool = False,
    trust: bool = False,
    domain: Domain | Sequence[Domain] | None = None,
    on_start: OnStart | None = None,
    on_batch: OnBatch | None = None,
    on_progress: OnBatch | None = None,
) -> Outcome:
    """Run the campaign in `folder` on from where its journal ends, until its pulls are spent.

    `stop_after` is in seconds of wall clock: the batch under way is finished first. Ctrl-C stops at once; pulls that
    are finished are kept beside the journal until their batch is whole (`discovery.campaign.unfinished`). The journal
    is the same, byte for byte, however often it is stopped and however many workers there are. `backend` may also be
    one that was registered with joblib (`docs/workers.md`). `trust`: whether to run code that lies in the folder.
    `accept_versions`, `accept_domain`: go on although they have changed; that is recorded in the settings.

    `on_start` is told before the first pull what is left to do and how long it will take; for that, a few runs are
    timed that count for nothing. `on_progress` is called as soon as the first pull is finished, then some hundred times
    a second at the most, while pulls finish; `on_batch` only when a batch is in the journal.

    If all of the first batch fails, `CampaignStopped` says why; then nothing is journalled, and `failures.jsonl` has
    all reasons. Of other failed pulls the journal says that they failed.
    """
    check_workers(jobs, backend, address, timeout)
    read_settings(folder)  # only a campaign is locked
    with FolderLock(folder):
        settings = read_settings(folder)
        accepted = replace(settings, accepted_versions=check_versions(folder, settings, accept_versions))
        texts = read_candidates(folder, settings)
        if domain is None:
            check_before_import(folder, settings, trust=trust, accept_change=accept_domain)
        found = found_domains(settings, domain)
        changed = check_domain(folder, settings, found, accept_change=accept_domain)
        own = "" if domain is None else uuid.uuid4().hex  # another object may be called the same
        setup = _setup(settings, found, settings.typed_domains if domain is None else found, own)
        journal, contents = _open_journal(folder, settings)
        with journal:
            if changed is not None:
                changed = replace(changed, pulls=journal.pulls)
                accepted = replace(accepted, accepted_domains=(*accepted.accepted_domains, changed))
            if accepted != settings:
                write_settings(folder, accepted)
            with workers_start_safely(), Workers(setup, jobs, backend, address, timeout) as workers:
                unfinished = Unfinished(folder, [versions_now(), joint_text(found), joint_source(found)])
                loop = Loop(folder, settings, texts, workers, journal, contents, unfinished)
                loop.on_start, loop.on_batch, loop.on_progress = on_start, on_batch, on_progress
                return loop.run(stop_after)


def _setup(settings: Settings, found: Sequence[Domain], sent: Sequence[Domain | str], own: str) -> Setup:
    """What a pull is: a run of one expression, on one of the domains in turn if there are several, or a block of
    matches against another agent. The domains are `sent` to workers by their names where they have some; else `own`
    tells them from others."""
    token = f"{settings.digest()} {joint_source(found)} {own}"
    limits = Limits(settings.budget, settings.seconds, settings.max_nodes)
    if settings.against is not None:
        engine = chosen_engine(found[0], settings.engine)
        return AgainstSetup(token, sent[0], settings.seed, limits, settings.against, engine)
    setups = [
        PullSetup(
            token,
            one_sent,
            settings.seed,
            limits,
            settings.semantics,
            vetted_engine(one, settings.engine),
            settings.play,
        )
        for one, one_sent in zip(found, sent, strict=True)
    ]
    return setups[0] if settings.family is None else FamilySetup(token, tuple(setups))


def _open_journal(folder: Path, settings: Settings) -> tuple[Journal, Contents]:
    path = folder / JOURNAL_FILE
    if not has_journal(folder):
        Journal.create(path, settings.digest()).close()
    journal, contents = Journal.open(path)
    check_digest(folder, settings, contents)
    return journal, contents

"""Campaigns from Python: started, looked at, reported."""

import math
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import Any, overload

from discovery.arena.agents import Opposition, oppose
from discovery.arena.blocks import PointsRule
from discovery.arena.keeping import holds_matches
from discovery.arena.remarks import remarks_on_pulls
from discovery.bandits.names import DEFAULT_POLICY
from discovery.campaign.family import refuse_other_pulls
from discovery.campaign.foretelling import usual_top
from discovery.campaign.ranking import Ranked, Standing, read_standing, top_of_campaign
from discovery.campaign.running import OnBatch, create, plan, run
from discovery.campaign.status import status_of
from discovery.evaluation.families import keep_family, measure_family
from discovery.evaluation.kept import TestRow, kept_scores, refuse_to_replace_by_less
from discovery.evaluation.measuring import best_of_campaign, keep_evaluation, measure_selected
from discovery.evaluation.round_robin import is_worth_playing, kept_round_robin, play_round_robin
from discovery.keeping.locking import FolderLock
from discovery.pool.workers import Backend, check_workers
from discovery.report.writers import Report, as_csv, as_html, as_markdown, make_report
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import domain_of
from domains.saying import shown
from mcsgrammar.arguments import at_least, real
from mcsgrammar.defaults import BATCH_OF_PULLS, DEFAULT_BUDGET, DEFAULT_MAX_NODES, PULLS_PER_CANDIDATE
from mcsgrammar.display import data_frame, html_table, number
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.matching import Think
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName
from mcsgrammar.enumeration.agents import agents_up_to, usual_agents
from mcsgrammar.enumeration.candidates import Candidates
from mcsgrammar.facade.progress import campaign_progress, match_progress, work_progress
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse, parse_all
from mcsgrammar.playing import Trees
from mcsgrammar.wording import note
from mcsgrammar.writing import check_writable, write_text

SHOWN = 10
"""Leaders in a notebook."""


@dataclass(frozen=True, repr=False, eq=False)
class Campaign(Standing, Sequence[Ranked]):
    """A campaign as its folder showed it when it was read. As a sequence: the candidates that were pulled, the best
    first."""

    folder: Path

    @property
    def best(self) -> Component:
        """The expression that the campaign recommends."""
        return parse(top_of_campaign(self.folder, 1)[0].expression_text)

    @property
    def complete(self) -> bool:
        return self.pulls_done >= self.settings.pulls

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Ranked]:
        return iter(self.ranking())

    @overload
    def __getitem__(self, place: int) -> Ranked: ...
    @overload
    def __getitem__(self, place: slice) -> list[Ranked]: ...
    def __getitem__(self, place: int | slice) -> Ranked | list[Ranked]:
        return self.ranking()[place]

    @property
    def tested(self) -> list[TestRow]:
        """The best and the generic algorithms on test problems, the best first; empty if the campaign has not measured
        them. Of agents, their points against the pool on test blocks."""
        if self.settings.against is not None:
            robin, _ = kept_round_robin(self.folder, self.settings, self, 1)
            kept = None if robin is None else robin.scores(kept=True)
        else:
            kept, _ = kept_scores(self.folder, self.settings, self[:1])
        return [] if kept is None else list(kept.rows)

    def to_dataframe(self) -> Any:
        """A `pandas.DataFrame`, one line for each candidate that was pulled; needs pandas."""
        return data_frame([asdict(one) for one in self])

    def __repr__(self) -> str:
        leader = f"; best {self[0].expression_text}" if len(self) and not self[0].all_failed else ""
        return f"<Campaign {self.folder}: {self._state}{leader}>"

    def _repr_html_(self) -> str:
        rows = [
            [str(one.rank), one.expression_text, f"{one.pulls:,}", number(one.mean), number(one.half_width)]
            for one in self[:SHOWN]
        ]
        caption = f"{self.folder}: {self._state}"
        return html_table(caption, ["rank", "expression", "pulls", "mean reward", "± 95 %"], rows)

    @property
    def _state(self) -> str:
        return f"{self.settings.subject}, {self.pulls_done:,} of {self.settings.pulls:,} pulls"


def load(folder: Path | str) -> Campaign:
    """The campaign in a folder, read without touching it; it may be running."""
    path = _of_campaign(folder)
    return Campaign(**vars(read_standing(path)), folder=path)


def status(folder: Path | str, top: int = 10) -> dict[str, Any]:
    """How far the campaign in a folder is, and its `top` leaders: what `mcsgrammar status --json` prints."""
    return status_of(read_standing(_of_campaign(folder)), at_least(1, "top", top))


def _of_campaign(folder: Path | str) -> Path:
    path = Path(folder)
    if holds_matches(path):
        raise UserError(
            f"{path} holds matches, not a campaign; mg.match or mg.tournament with the same arguments and "
            f"out='{path}' gives them, and mcsgrammar status {quote(str(path))} shows them"
        )
    return path


def discover(
    domain: Domain | str | None = None,
    out: Path | str | None = None,
    *,
    on: Sequence[Domain | str] | None = None,
    budget: int | None = None,
    seconds: float | None = None,
    candidates: Component | str | Iterable[Component | str] | None = None,
    policy: str = DEFAULT_POLICY,
    pulls: int | None = None,
    pulls_per_candidate: float = PULLS_PER_CANDIDATE,
    batch: int = BATCH_OF_PULLS,
    seed: int = 0,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
    jobs: int = 1,
    backend: Backend = "loky",
    address: str | None = None,
    on_batch: OnBatch | None = None,
    test_problems: int = 0,
    top: int | None = None,
    progress: bool | None = None,
    against: Component | str | Sequence[Component | str] | None = None,
    start: int = 1,
    think: Think = "always",
    points: PointsRule = "agents",
    play: Trees | None = None,
) -> Campaign:
    """Run a campaign in the folder `out`, or go on with the one that is there, and return how it stands. Without `out`
    it is kept in a new temporary folder, which is said.

    `candidates` are expressions or their texts; the 3 155 of the paper if none are given. A domain handed over as an
    object must be importable by the workers if there are more than one, or defined in the notebook. When it is
    complete, its `top` best (10) are measured on `test_problems` beside the generic algorithms, and the tables kept in
    the folder; with 0, as it is unless told, they are not, while the command measures them. After a Ctrl-C, the
    campaign so far is returned. `progress`: None shows it in a notebook and on a terminal.

    In a game the candidates are agents, which play `against` others: a run is a block of matches, every seating once,
    against one of these in turn, 'AGENT@500' with a budget of its own. `start`, `think` and `points` are as for
    `match`. In the end the `top` best (5), those they were against and plain UCT play `test_problems` blocks against
    each other.

    With `play`, "new" or "kept" as trees are to be, a pull is a whole game, and the budget that of the search before
    every action.

    `on`, instead of a domain, names several: the campaign looks for one algorithm for all of them, and in the end it is
    told what a choice is worth on a domain that it was not made on.
    """
    if (domain is None) == (on is None):
        raise UserError("give a domain, or several by on=[…], one of the two")
    if on is not None:
        on = [on] if isinstance(on, str) else list(on)
        refuse_other_pulls(against, play)
    domains = domain if domain is not None else on or []
    test_problems = at_least(0, "test_problems", test_problems)
    if pulls is None and not 0 < real(pulls_per_candidate) < math.inf:
        raise UserError(f"pulls_per_candidate cannot be {shown(pulls_per_candidate)}; it is a number above 0")
    top = None if top is None else at_least(1, "top", top)
    check_workers(jobs, backend, address)
    limits = Limits(DEFAULT_BUDGET if budget is None and seconds is None else budget, seconds, max_nodes)
    opposition: Opposition | None = None
    expressions: Sequence[Component]
    if against is None or domain is None:
        expressions = parse_all(Candidates() if candidates is None else candidates)
    else:
        game, pool = domain_of(domain), [against] if isinstance(against, str | Component) else list(against)
        opposition = oppose(game, pool, limits, start=start, think=think, points=points)
        expressions = _agents(candidates, game, limits.evaluations)
        for sentence in remarks_on_pulls(opposition.pool, limits.evaluations, limits.seconds, game):
            note(sentence)
    settings, texts = plan(
        domains,
        expressions,
        limits=limits,
        policy=policy,
        pulls=pulls if pulls is not None else round(pulls_per_candidate * len(expressions)),
        batch=batch,
        seed=seed,
        semantics=semantics,
        engine=engine,
        against=opposition,
        play=play,
    )
    top = top or usual_top(settings)
    folder = Path(out) if out is not None else _temporary_folder()
    create(folder, settings, texts)
    if test_problems and opposition is None:
        refuse_to_replace_by_less(folder, test_problems, top)
    given = [domain] if domain is not None else on or []
    own = [domain_of(one) for one in given] if any(isinstance(one, Domain) for one in given) else None
    with campaign_progress(progress) as display:
        run(folder, jobs=jobs, backend=backend, address=address, domain=own, on_batch=on_batch, on_progress=display)
    campaign = load(folder)
    if test_problems and campaign.complete:
        _measure(campaign, top, test_problems, jobs, progress, own)
    return campaign


def _measure(
    campaign: Campaign, top: int, test_problems: int, jobs: int, progress: bool | None, own: list[Domain] | None
) -> None:
    """The end of a campaign, kept in its folder. `own`: its domains, where workers cannot find them by their names."""
    folder, settings = campaign.folder, campaign.settings
    if settings.against is not None:
        with match_progress(progress) as on_matches:
            best = top_of_campaign(folder, top)
            how: dict[str, Any] = {"given": own[0] if own else None, "jobs": jobs, "on_progress": on_matches}
            if is_worth_playing(settings, best):
                game = own[0] if own else domain_of(settings.domain)
                play_round_robin(folder, settings, best, top, test_problems, game, **how)
        return
    with work_progress(progress) as on_work, FolderLock(folder):
        refuse_to_replace_by_less(folder, test_problems, top)  # another process may have measured meanwhile
        if settings.family is not None:
            best = top_of_campaign(folder, top)
            keep_family(folder, measure_family(campaign, best, test_problems, jobs, on_work, own))
        else:
            selection = best_of_campaign(folder, top)
            columns = measure_selected(selection, settings, test_problems, jobs, on_work, own[0] if own else None)
            keep_evaluation(folder, columns)


def _agents(
    candidates: Component | str | Iterable[Component | str] | None, game: Domain, budget: int | None
) -> Sequence[Component]:
    """Those of an enumeration, with a note of what was left out; of a list all, or it is said which is none."""
    if candidates is None or isinstance(candidates, Candidates):
        if candidates is None:
            found = usual_agents(game, budget)
        else:
            found = agents_up_to(candidates.depth, candidates, game, budget)
        for sentence in found.notes():
            note(sentence)
        return found.agents
    agents = []
    for place, given in enumerate(parse_all(candidates), 1):
        try:
            agents.append(agent_of(given, game))
        except InvalidExpression as error:
            raise InvalidExpression(f"candidate {place}: {error.problem}", error.text, error.span) from None
    return agents


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="mcsgrammar-"))
    print(f"the campaign is kept in {folder}; name a folder (out=…) to keep it for good", file=sys.stderr)
    return folder


def report(
    folder: Path | str,
    *,
    html: Path | str | None = None,
    md: Path | str | None = None,
    csv: Path | str | None = None,
    top: int | None = None,
    test_problems: int | None = None,
    domain: Domain | Sequence[Domain] | None = None,
    trust: bool = False,
    jobs: int | None = None,
    force: bool = False,
    progress: bool | None = None,
) -> Report:
    """What `mcsgrammar report` shows of the campaign in a folder, and writes into the files that are named: `print` it,
    or let a notebook show the page.

    Test scores are those that the campaign has kept; else, or if `test_problems` is given, they are measured on that
    many (200 if None, none if 0). A `domain` that no name finds, such as one defined in a notebook, has to be handed
    over for that, and for the curves and pictures of `html` and `md`; of a family all its domains, in their order.
    `trust` runs code that lies in the folder. Files are not overwritten without `force`.
    """
    named = [(html, as_html), (md, as_markdown), (csv, as_csv)]
    files = [(Path(path), write) for path, write in named if path is not None]
    for path, _ in files:
        check_writable(path, force)
    if len({path.resolve() for path, _ in files}) < len(files):
        raise UserError("two of the files are the same; give each its own name")
    with work_progress(progress) as on_work:
        made = make_report(
            Path(folder),
            top=top,
            problems=test_problems,
            curves=html is not None or md is not None,
            jobs=jobs,
            on_progress=on_work,
            domain=domain,
            trust=trust,
        )
    for sentence in made.notes:
        note(sentence)
    for path, text in [(path, write(made)) for path, write in files]:  # all of them, before any is on disk
        write_text(path, text)
    return made

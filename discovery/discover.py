"""A whole discovery in one call, from Python: what `mcsgrammar discover` does before it measures."""

from collections.abc import Iterable
from pathlib import Path

from discovery.campaign import OnBatch, create, plan, run
from discovery.policies import DEFAULT_POLICY
from discovery.ranking import Standing, read_standing
from discovery.workers import Backend
from domains.protocol import Domain
from mcsgrammar.enumeration import Candidates
from mcsgrammar.expressions import Component
from mcsgrammar.parsing import parse
from mcsgrammar.searching import DEFAULT_MAX_NODES, EngineName, Limits, SemanticsName


def discover(
    domain: Domain | str,
    out: Path | str,
    *,
    budget: int | None = None,
    seconds: float | None = None,
    candidates: Iterable[Component | str] | None = None,
    policy: str = DEFAULT_POLICY,
    pulls: int | None = None,
    pulls_per_candidate: float = 100,
    batch: int = 256,
    seed: int = 0,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
    jobs: int = 1,
    backend: Backend = "loky",
    address: str | None = None,
    on_batch: OnBatch | None = None,
    on_progress: OnBatch | None = None,
) -> Standing:
    """Run a campaign in the folder `out`, or go on with the one that is there, and return how it stands.

    `candidates` are expressions or their texts; the 3 155 of the paper if none are given. A domain handed over as an
    object must be importable by the workers if there are more than one.
    """
    listed = Candidates() if candidates is None else candidates
    expressions = [parse(c) if isinstance(c, str) else c for c in listed]
    limits = Limits(1000 if budget is None and seconds is None else budget, seconds, max_nodes)
    settings, texts = plan(
        domain,
        expressions,
        limits=limits,
        policy=policy,
        pulls=pulls if pulls is not None else round(pulls_per_candidate * len(expressions)),
        batch=batch,
        seed=seed,
        semantics=semantics,
        engine=engine,
    )
    folder = Path(out)
    create(folder, settings, texts)
    own = domain if isinstance(domain, Domain) else None
    run(folder, jobs=jobs, backend=backend, address=address, domain=own, on_batch=on_batch, on_progress=on_progress)
    return read_standing(folder)

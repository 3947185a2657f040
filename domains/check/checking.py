"""What is wrong with a domain of one's own: `check_domain` finds the usual mistakes and names them.

A state is compared by what it does, never with `==`: the same actions from the same problem must end the same way,
whatever is looked at, copied or played on a copy in between.

The checks come in stages, each of which relies on those before. Where a finding would make the following ones
misleading, they are left out: mend it, and check again.

They are made in a process of their own (`domains/check/apart.py`), as a domain may hang or end the process; and in a
second one, as what a domain does may depend on the process.
"""

import itertools
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

from domains.check.apart import COMPILING, Tell, Watch, run_apart
from domains.check.chance import check_draws, check_stochastic
from domains.check.describing import check_feature_names, check_telling_apart
from domains.check.games import check_roles, is_game, probe_of
from domains.check.probing import Broken, Finding, Findings, Misled, OutOfSteps, Probe
from domains.check.processes import difference, traces
from domains.check.results import check_drawing, check_reward_of_cost, check_span
from domains.check.rules import Seen, check_sampling, check_walks
from domains.errors import UserError
from domains.problems import problem
from domains.protocol import Domain, advance_all
from domains.randomness import Random, seed_of
from domains.registry import canonical_text, find_domain, not_kept, option_help
from domains.saying import are_numbers, no_seconds, shown, wrong_minimise

__all__ = ["Finding", "check_domain", "joint_counts"]


SECONDS = 60.0
"""What a check may take."""
MOST_BYTES = 2**28
"""Of states whose joint moves are counted; one of a large rule sheet has half a million."""
SAMPLING, PLAYOUTS, DRAWING, KERNELS, OTHER_PROCESS = STAGES = (
    "problems asked for twice",
    "random playouts",
    "drawings",
    "kernels",
    "what another process does",
)
"""What takes time, in its order."""
Begin = Callable[[str, int], None]
"""Hears of a stage that begins, or of so many playouts that are through in it."""
FIRST_PROCESS, SECOND_PROCESS = "domains.check.checking:examine_apart", "domains.check.checking:trace_apart"


def check_domain(
    domain: Domain | str,
    problems: int = 5,
    playouts: int = 20,
    seed: int = 0,
    seconds: float = SECONDS,
    on_progress: Callable[[str], None] | None = None,
) -> list[Finding]:
    """What is wrong with `domain`, or the one of that name, as far as `playouts` random playouts on each of its first
    `problems` test problems tell; nothing for a sound one. Raises nothing, but `UnknownDomain` for a name that is no
    domain's, whatever the domain does, and ends, after so many `seconds` at the latest; the same seed, the same
    findings, if there is time. `on_progress` hears many times a second what is under way, in words.
    """
    if isinstance(domain, str):
        domain = find_domain(domain)
    if not isinstance(domain, Domain):
        return [_not_a_domain(domain)]
    if problems < 1 or playouts < 1:
        raise UserError(f"{problems} problems and {playouts} playouts check nothing; one of each at least")
    if wrong := no_seconds(seconds):
        raise UserError(f"the time of a check {wrong}")
    started, name = time.monotonic(), type(domain).__name__
    found = Findings()
    watch = None if on_progress is None else _watching(problems, playouts, on_progress)
    ended = run_apart(domain, FIRST_PROCESS, (problems, playouts, seed), seconds, watch=watch)
    if ended.how == "unsent":
        found.warn(
            "not-all-checked",
            f"{name} cannot be handed to another process ({ended.why}), so nothing was checked that takes one: whether "
            "it hangs, ends the process, writes outside an array, or depends on the process",
        )
        examine(probe_of(domain), found, problems, playouts, seed)
        return found.all()
    first, reached = None, _reached(ended.told)
    for told in ended.told:
        if "finding" in told:
            found.add(Finding(*told["finding"]), told["about"])
        elif "traces" in told:
            first = told["traces"]
    if first is not None and ended.how == "complete":
        left = max(1.0, seconds - (time.monotonic() - started))
        hash_seed, reached = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2", (OTHER_PROCESS, 0)
        if on_progress is not None:
            on_progress(OTHER_PROCESS)
        ended = run_apart(domain, SECOND_PROCESS, (problems, seed), left, hash_seed)
        if ended.how == "complete" and (finding := difference(first, ended.told[0]["traces"])):
            found.add(finding)
    if (finding := ended.finding(name, seconds, _left_out(domain, *reached, playouts))) is not None:
        found.add(finding)
    return found.all()


def _reached(told: Sequence[Any]) -> tuple[str, int]:
    """The stage that was told of last, and how many playouts were through in it."""
    stages = [(line["stage"], line["done"]) for line in told if isinstance(line, dict) and "stage" in line]
    return stages[-1] if stages else (SAMPLING, 0)


def _watching(problems: int, playouts: int, say: Callable[[str], None]) -> Watch:
    def watch(told: list[Any], doing: str) -> None:
        stage, done = _reached(told)
        if stage == PLAYOUTS:
            stage += f", {done} of {playouts} on each problem"
        elif stage == KERNELS and COMPILING in doing:
            stage = f"compiling {doing.partition(COMPILING)[2]} with bounds checks"
        elif stage == KERNELS:
            stage += f" beside the methods, {done} of {problems * playouts} playouts"
        say(stage)

    return watch


def _left_out(domain: Domain, stage: str, done: int, playouts: int) -> str:
    """What is not through when time is up in a stage, after so many of the playouts on each problem."""
    left = list(STAGES[STAGES.index(stage) :])
    cls, none = type(domain), (Domain.kernels, Domain.game_kernels)
    if KERNELS in left and (cls.kernels, cls.game_kernels) == none:
        left.remove(KERNELS)
    if stage == PLAYOUTS:
        left[0] += f" (after {done} of {playouts})"
    return ", ".join(left)


def joint_counts(game: Domain, most: int = 10_000) -> list[int]:
    """How many sequences of 1, 2, 3, … joint moves a sound game has on its first problem, as far as that takes no more
    than so many states at a time, and MOST_BYTES of compiled ones; to be compared with what others have counted."""
    first: Any
    actions_of: Callable[..., Sequence[Any]]
    played: Callable[..., Any]
    if game.game_kernels() is None:
        first, actions_of, played = problem(game, 0), game.actions_of, partial(_played, game)
    else:
        from domains.check.game_kernels import compiled_rules

        first, actions_of, played = compiled_rules(game, problem(game, 0))
        most = min(most, MOST_BYTES // first.nbytes)
    states, counts = [first], []
    while True:
        lists = [[actions_of(state, role) for role in range(len(game.roles))] for state in states]
        count = sum(math.prod(map(len, actions)) for actions in lists)
        counts += [count] * (count > 0)
        if not 0 < count <= most:
            return counts
        states = [
            played(state, joint)
            for state, actions in zip(states, lists, strict=True)
            for joint in itertools.product(*actions)
        ]


def _played(game: Domain, state: Any, joint: tuple[Any, ...]) -> Any:
    return advance_all(game, game.copy(state), joint)


def examine_apart(probe: Probe, tell: Tell, problems: int, playouts: int, seed: int) -> None:
    """What the first process does: all checks, and if nothing is wrong, what a second one must come to, too."""

    def tell_finding(finding: Finding, about: str) -> None:
        tell({"finding": [finding.kind, finding.name, finding.message], "about": about})

    def begin(stage: str, done: int) -> None:
        tell({"stage": stage, "done": done})

    found = Findings(tell_finding)
    examine(probe, found, problems, playouts, seed, begin)
    if not found.errors():
        begin(OTHER_PROCESS, 0)
        trace_apart(probe, tell, problems, seed)


def trace_apart(probe: Probe, tell: Tell, problems: int, seed: int) -> None:
    """What the second process does."""
    tell({"traces": traces(probe, problems, Random(seed_of("check again", seed)))})


def examine(
    probe: Probe,
    found: Findings,
    problems: int = 5,
    playouts: int = 20,
    seed: int = 0,
    begin: Begin = lambda stage, done: None,
) -> None:
    """All checks that one process can make, in this one."""
    random, seen = Random(seed_of("check", seed)), Seen()
    for check in DECLARATIONS:
        with found.noting():
            check(probe)
    if found.errors():
        return
    try:
        with found.noting():
            check_sampling(probe, problems, random)
        if not found.errors():
            check_walks(probe, found, seen, problems, playouts, random, partial(begin, PLAYOUTS))
            begin(DRAWING, 0)
            check_telling_apart(probe, found, seen.described)
            check_draws(probe, found)
            check_drawing(probe, found, seen)
            begin(KERNELS, 0)
            check_reward_of_cost(probe, found, seen)
            _check_kernels(probe, found, seen, random, partial(begin, KERNELS))
            with found.noting():
                check_span(probe, found, seen, random)
    except Misled:
        pass
    except OutOfSteps:
        check_span(probe, found, seen)
        found.warn(
            "not-all-checked",
            f"{probe.name}: the check ended after playing {probe.most_steps} actions, before it was through; "
            "if its solutions never end, mend is_final, else check fewer problems or a smaller version of the domain",
        )


def _not_a_domain(thing: Any) -> Finding:
    if isinstance(thing, type):
        message = f"{thing.__name__} is a class; check one of its instances, as in check_domain({thing.__name__}())"
    else:
        name = type(thing).__name__
        message = f"{shown(thing)} is no Domain; write class {name}(Domain), with Domain from domains.protocol"
    return Finding("error", "not-a-domain", message)


def _check_kernels(probe: Probe, found: Findings, seen: Seen, random: Random, through: Callable[[int], None]) -> None:
    """What is imported here imports numba."""
    cls = type(probe.domain)
    if is_game(probe.domain) and cls.game_kernels is not Domain.game_kernels:
        from domains.check.game_kernels import check_game_kernels

        with found.noting():
            check_game_kernels(probe, seen.walks)
    elif cls.kernels is not Domain.kernels:
        from domains.check.kernels import check_kernels

        with found.noting():
            check_kernels(probe, seen.walks, random, through)


# What a domain declares.


def check_horizon(probe: Probe) -> None:
    horizon = probe.guard(probe.name, "horizon", getattr, probe.domain, "horizon", None)
    if not _is_whole(horizon) or horizon < 1:
        what = "is missing" if horizon is None else f"is {shown(horizon)}"
        raise Broken(
            "horizon",
            f"{probe.name}.horizon {what}; set it to the usual number of actions in a solution, "
            "a whole number of at least 1",
        )


def check_max_length(probe: Probe) -> None:
    max_length = probe.guard(probe.name, "max_length", getattr, probe.domain, "max_length")
    if not _is_whole(max_length) or max_length < 0:
        raise Broken(
            "max-length",
            f"{probe.name}.max_length is {shown(max_length)}; set it to the most actions a solution can have, "
            "or leave it out if that is the horizon",
        )


def check_reward_bounds(probe: Probe) -> None:
    bounds = probe.guard(probe.name, "reward_range", getattr, probe.domain, "reward_range")
    if not are_numbers(bounds):
        raise Broken(
            "reward-bounds",
            f"{probe.name}.reward_range is {shown(bounds)}; write two numbers, (lowest, highest)",
        )


def check_minimise_bounds(probe: Probe) -> None:
    bounds = probe.guard(probe.name, "minimise", getattr, probe.domain, "minimise")
    if wrong := wrong_minimise(probe.name, bounds):
        raise Broken("minimise-bounds", wrong)


def check_options(probe: Probe) -> None:
    """The canonical text must tell apart what the constructor's options tell apart."""
    identity = probe.ask(probe.name, "identity")
    if identity is None:
        for name in option_help(type(probe.domain)):
            if not hasattr(probe.domain, name):
                raise Broken("options", not_kept(probe.name, name))
    text = probe.guard(probe.name, "identity", canonical_text, probe.domain)
    if " at 0x" in text:
        raise Broken(
            "options",
            f"{probe.name} goes by the name {shown(text)}, another one in each run; "
            "use numbers, strings and paths as options, or give them in identity()",
        )


def check_instances(probe: Probe) -> None:
    """A domain with instances must have some, and all must be readable."""
    instances = probe.guard(probe.name, "instances", getattr, probe.domain, "instances")
    if instances is None:
        return
    lots = instances.values() if isinstance(instances, Mapping) else [instances]
    files = probe.guard(probe.name, "instances", lambda: [Path(file) for lot in lots for file in lot])
    if not files:
        raise Broken("instances", f"{probe.name} lists no instances; is its folder empty, or is the pattern wrong?")
    for file in files:
        try:
            with file.open("rb"):
                pass
        except OSError as error:
            raise Broken("instances", f"{probe.name}: the instance {file} cannot be read: {error.strerror}") from None


DECLARATIONS: tuple[Callable[[Probe], None], ...] = (
    check_roles,
    check_horizon,
    check_max_length,
    check_reward_bounds,
    check_minimise_bounds,
    check_options,
    check_instances,
    check_feature_names,
    check_stochastic,
)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)

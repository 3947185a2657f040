"""Records: the rewards of all pulls of all arms, so that policies can be compared without searching again.

    FILE.npy            rewards[arm, t], float64
    FILE.json           what was recorded: domain, budget, seed, expressions, …
    FILE.seconds.npy    CPU seconds of each arm's searches, if they were kept

The first two have the same bytes for any number of jobs. The rewards are written last, so that where they are, all is.
A recorded pull is the pull of a campaign with the same domain, budget, semantics and seed (`discovery.pool.pulls`), a
run or a whole game.
"""

import dataclasses
import hashlib
import io
import json
import math
import tokenize
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from discovery.documents import has_checksum, read_document, with_checksum
from discovery.pool.parallel import in_workers
from discovery.pool.pulls import run_pull
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text, find_domain
from mcsgrammar.arguments import at_least, whole
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse, read_expression
from mcsgrammar.playing import TREES, Trees, prepared
from mcsgrammar.wording import shown_object
from mcsgrammar.writing import write_file

FORMAT = 1
CHUNKS_PER_JOB = 32

OnProgress = Callable[[int, int], None]
"""Called now and then with (pulls done, pulls in all)."""


@dataclass(frozen=True)
class Record:
    rewards: np.ndarray
    """reward[arm, t] of pull t of an arm, on training problem t"""
    domain: str
    """canonical text"""
    budget: int
    semantics: SemanticsName
    max_nodes: int
    seed: int
    expressions: tuple[str, ...]
    failed: int = 0
    """how many pulls failed, which counts as reward 0"""
    first_failure: str | None = None
    play: Trees | None = None
    """what becomes of trees between actions, where a pull is a whole game; the budget is then that of a tick"""
    seconds: np.ndarray | None = dataclasses.field(default=None, compare=False)
    """CPU time of each arm's searches together"""
    has_checksum: bool = dataclasses.field(default=True, compare=False)
    """whether it was compared with what was recorded; older versions have written none"""

    @property
    def arms(self) -> int:
        return int(self.rewards.shape[0])

    @property
    def columns(self) -> int:
        return int(self.rewards.shape[1])

    @property
    def title(self) -> str:
        """What was run."""
        if self.play is None:
            return f"{self.domain}, budget {self.budget}"
        trees = "" if self.play == "new" else ", trees kept"
        return f"{self.domain}, whole games, {self.budget} evaluations a tick{trees}"


@dataclass(frozen=True)
class RecordTask:
    """What a worker is handed: some arms, and all that their pulls depend on."""

    domain: str
    expressions: tuple[str, ...]
    columns: int
    seed: int
    limits: Limits
    semantics: SemanticsName
    engine: EngineName
    play: Trees | None


def record(
    domain_text: str,
    budget: int,
    expressions: Sequence[str | Component],
    pulls_per_arm: int,
    seed: int = 0,
    jobs: int = 1,
    out: Path | str | None = None,
    on_progress: OnProgress | None = None,
    *,
    engine: EngineName = "auto",
    semantics: SemanticsName = "standard",
    max_nodes: int | None = None,
    play: Trees | None = None,
) -> Record:
    """Pull each of the expressions `pulls_per_arm` times; save the record to `out` if given. With `play` a pull is a
    game; expressions that then differ in their outermost step alone are one."""
    limits = Limits(budget) if max_nodes is None else Limits(budget, max_nodes=max_nodes)
    domain = find_domain(domain_text)
    vetted_engine(domain, engine)  # says what is wrong with it before the work starts
    read = map(read_expression, expressions)
    texts = tuple(str(prepared(expression, domain, limits, play)) for expression in read)
    texts = texts if play is None else tuple(dict.fromkeys(texts))
    for what, number in (("budget", budget), ("number of pulls", pulls_per_arm), ("number of jobs", jobs)):
        at_least(1, f"the {what}", number)
    seed = whole("the seed", seed)
    if not texts:
        raise UserError("there are no candidates to record")
    paths = None if out is None else record_paths(out)
    size = max(1, -(-len(texts) // (jobs * CHUNKS_PER_JOB)))
    tasks = [
        RecordTask(domain_text, texts[start : start + size], pulls_per_arm, seed, limits, semantics, engine, play)
        for start in range(0, len(texts), size)
    ]
    chunks = []
    with closing(in_workers(record_chunk, tasks, jobs)) as outcomes:
        for chunk in outcomes:
            chunks.append(chunk)
            if on_progress is not None:
                done = sum(len(rewards) for rewards, *_ in chunks)
                on_progress(done * pulls_per_arm, len(texts) * pulls_per_arm)
    made = Record(
        rewards=np.concatenate([rewards for rewards, *_ in chunks]),
        domain=canonical_text(domain),
        budget=budget,
        semantics=semantics,
        max_nodes=limits.max_nodes,
        seed=seed,
        expressions=texts,
        failed=sum(len(failures) for *_, failures in chunks),
        first_failure=next((failures[0] for *_, failures in chunks if failures), None),
        play=play,
        seconds=np.concatenate([seconds for _, seconds, _ in chunks]),
    )
    if paths is not None:
        save(made, paths)
    return made


def record_chunk(task: RecordTask) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Rewards and seconds of a task's arms, and what failed. One problem after the other, each for all arms."""
    domain = _domain(task.domain)
    expressions = [parse(text) for text in task.expressions]
    rewards = np.empty((len(expressions), task.columns))
    seconds = np.zeros(len(expressions))
    failures = []
    for t in range(task.columns):
        for arm, expression in enumerate(expressions):
            result = run_pull(domain, expression, t, task.seed, task.limits, task.semantics, task.engine, task.play)
            rewards[arm, t] = result.reward
            seconds[arm] += result.seconds
            if result.failed is not None:
                failures.append(f"{expression} on problem {t}: {result.failed}")
    return rewards, seconds, failures


@cache
def _domain(text: str) -> Domain:
    """One object per process, so that what is compiled and sampled is kept from task to task."""
    return find_domain(text)


@dataclass(frozen=True)
class RecordPaths:
    rewards: Path
    settings: Path
    seconds: Path


def record_paths(path: Path | str) -> RecordPaths:
    """The files of a record, which may be named by any of them or without a suffix."""
    path = Path(path)
    name = path.name
    for suffix in (".seconds.npy", ".npy", ".json"):
        name = name.removesuffix(suffix)
    if name in ("", ".."):
        raise UserError(f"'{path}' names no record; write a file's name such as sudoku4")
    return RecordPaths(*(path.with_name(name + suffix) for suffix in (".npy", ".json", ".seconds.npy")))


def save(made: Record, paths: RecordPaths) -> None:
    """Write the files, each whole or not at all."""
    rewards = npy_bytes(made.rewards)
    settings: dict[str, Any] = {
        "format": FORMAT,
        "domain": made.domain,
        "budget": made.budget,
        "semantics": made.semantics,
        "max_nodes": made.max_nodes,
        "seed": made.seed,
        "arms": made.arms,
        "pulls_per_arm": made.columns,
        "failed": made.failed,
        "first_failure": made.first_failure,
        "expressions": list(made.expressions),
        "rewards_hash": _hash(rewards),
        **({} if made.play is None else {"play": made.play}),
    }
    paths.rewards.unlink(missing_ok=True)
    if made.seconds is not None:
        write_file(paths.seconds, npy_bytes(made.seconds))
    write_file(paths.settings, (json.dumps(with_checksum(settings), indent=1, ensure_ascii=False) + "\n").encode())
    write_file(paths.rewards, rewards)


def load(path: Path | str) -> Record:
    """The record saved at `path`. Raises `UserError` with what is wrong with it."""
    paths = record_paths(path)
    if not paths.rewards.is_file() or not paths.settings.is_file():
        missing = next(p for p in (paths.settings, paths.rewards) if not p.is_file())
        raise UserError(f"there is no record {path}: {missing} is missing; 'mcsgrammar record' makes one")
    try:
        settings = read_document(paths.settings.read_bytes())
        if not isinstance(settings, dict) or type(settings.get("format")) is not int:
            raise ValueError(f"{paths.settings.name} has no format")
        if settings["format"] > FORMAT:
            raise UserError(f"{paths.settings} has format {settings['format']}; this version reads up to {FORMAT}")
        sound = has_checksum(settings)
        _check_settings(settings)
        if sound and settings["rewards_hash"] != _hash(paths.rewards.read_bytes()):
            raise ValueError(
                f"{paths.rewards.name} is not what was recorded; its hash in {paths.settings.name} differs"
            )
        arms, columns = settings["arms"], settings["pulls_per_arm"]
        return Record(
            rewards=_array(paths.rewards, (arms, columns)),
            seconds=_array(paths.seconds, (arms,)) if paths.seconds.is_file() else None,
            expressions=tuple(settings["expressions"]),
            has_checksum=sound,
            **{key: settings[key] for key in ("domain", "budget", "semantics", "max_nodes", "seed")},
            **{key: settings[key] for key in ("failed", "first_failure")},
            play=settings.get("play"),
        )
    except KeyError as error:
        raise UserError(f"{path} is not a record: {paths.settings.name} has no {error}") from None
    except (OSError, ValueError, EOFError, TypeError, OverflowError, MemoryError) as error:
        raise UserError(f"{path} is not a record: {str(error) or 'it is too large'}") from error


KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("format", "budget", "max_nodes", "seed", "arms", "pulls_per_arm", "failed"), (int,)),
    **dict.fromkeys(("domain", "semantics"), (str,)),
    "first_failure": (str, type(None)),
    "expressions": (list,),
}
"""What each setting is in the file."""


def _check_settings(settings: dict[str, Any]) -> None:
    """Raises `ValueError` with what is wrong."""
    for key, kinds in KINDS.items():
        if not isinstance(settings[key], kinds) or isinstance(settings[key], bool):
            raise ValueError(f"'{key}' cannot be {json.dumps(settings[key])[:60]}")
    if settings.get("play") not in (None, *TREES):
        raise ValueError(f"'play' cannot be {json.dumps(settings['play'])[:60]}")
    if len(settings["expressions"]) != settings["arms"]:
        raise ValueError(f"it has {settings['arms']} arms and {len(settings['expressions'])} expressions")
    for text in (settings["domain"], *settings["expressions"]):
        if not isinstance(text, str) or not text.isprintable():
            raise ValueError(f"{shown_object(text)} is no text that can be shown")


def _array(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers in a file, which is compared with the shape before memory is taken. Raises `ValueError`."""
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        try:
            held, by_columns, dtype = read_header(file)
        except tokenize.TokenError as error:  # what NumPy has no word for since Python 3.12
            raise ValueError(f"Cannot parse header: {error.args[0]}") from None
        size = path.stat().st_size - file.tell()
        if dtype != np.float64 or held != shape or by_columns or size != 8 * math.prod(shape):
            raise ValueError(f"{path.name} does not fit {record_paths(path).settings.name}")
        array = np.fromfile(file, np.float64).reshape(shape)
    if not np.isfinite(array).all():
        raise ValueError(f"{path.name} has values that are no numbers")
    return array


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def npy_bytes(array: np.ndarray) -> bytes:
    """What `np.save` writes."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()

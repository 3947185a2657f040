"""Which problem is number k: the streams of training and test problems of a domain."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from domains.errors import DomainError
from domains.protocol import Domain
from domains.randomness import Random, seed_of
from domains.registry import canonical_text, content_hash

if TYPE_CHECKING:
    import numpy as np

Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = ("train", "test")


def problem(domain: Domain, k: int, split: Split = "test", stream: int = 0) -> Any:
    """The initial state of problem `k`. `stream` is a campaign's seed for training problems, 0 for test problems."""
    file = instance_of(domain, k, split)
    if file is not None:
        return domain.load(file)
    return domain.sample(_random_for(domain, k, split, stream))


def encoded_problem(domain: Domain, k: int, split: Split = "test", stream: int = 0) -> "tuple[np.ndarray, np.ndarray]":
    """The same as the arrays of the compiled engine."""
    if domain.instances is not None:
        return domain.encode(problem(domain, k, split, stream))
    return domain.sample_encoded(_random_for(domain, k, split, stream))


def instance_of(domain: Domain, k: int, split: Split = "test") -> Path | None:
    """The file that problem `k` is; None where problems are drawn."""
    if domain.instances is None:
        return None
    files = instances_of(domain, split)
    return files[k % len(files)]


def _random_for(domain: Domain, k: int, split: Split, stream: int) -> Random:
    return Random(seed_of("problem", canonical_text(domain), split, stream, k))


def instances_of(domain: Domain, split: Split) -> list[Path]:
    """The files of one split, in the order of their hashes; all files where one of the splits would be empty."""
    hashed = _hashed_instances(domain)
    if not hashed:
        raise DomainError(f"{type(domain).__name__} lists no instances; is its folder empty?")
    chosen = [file for digest, file in hashed if _is_test(digest) == (split == "test")]
    return chosen if 0 < len(chosen) < len(hashed) else [file for _, file in hashed]


def _hashed_instances(domain: Domain) -> list[tuple[str, Path]]:
    """Every instance with its hash, hashed once for a domain: a campaign asks for thousands of problems."""
    files = tuple(Path(file) for file in domain.instances or ())
    known: tuple[tuple[Path, ...], list[tuple[str, Path]]] | None = vars(domain).get(_HASHED)
    if known is None or known[0] != files:
        known = files, sorted((content_hash(file), file) for file in files)
        vars(domain)[_HASHED] = known
    return known[1]


_HASHED = "_hashed_instances"


def _is_test(digest: str) -> bool:
    return int(digest[0], 16) % 2 == 1


def has_own_instances(domain: Domain) -> bool:
    """Whether training and test problems are different files, of which one lot may be easier than the other."""
    return domain.instances is not None and len(instances_of(domain, "test")) < len(domain.instances)


def describe_problems(domain: Domain, split: Split) -> str:
    """A sentence for tables: what makes the problems of this split different from those of the other."""
    if domain.instances is None:
        return f"problems drawn from the {split} stream"
    files = instances_of(domain, split)
    if len(domain.instances) == 1:
        return "the one instance, in both splits; only the seeds are fresh"
    if not has_own_instances(domain):
        return f"all {len(files)} instances in both splits; only the seeds are fresh"
    return f"{len(files)} of {len(domain.instances)} instances, split by the hash of the file"

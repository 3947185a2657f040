"""Which problem is number k: the streams of training and test problems of a domain."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from domains.errors import DomainError, UserError
from domains.protocol import Domain
from domains.randomness import Random, seed_of
from domains.registry import canonical_text, content_hash

if TYPE_CHECKING:
    import numpy as np

Split = Literal["train", "test", "both"]
SPLITS: tuple[Split, ...] = ("train", "test", "both")
"""Both together are for domains with instances, which may be too few to measure on a part of them only."""


def problem(domain: Domain, k: int, split: Split = "test", stream: int = 0) -> Any:
    """The initial state of problem `k`. `stream` is a campaign's seed for training problems, 0 for test problems."""
    file = instance_of(domain, k, split, stream)
    if file is not None:
        return domain.load(file)
    return domain.sample(_random_for(domain, k, split, stream))


def stream_of(split: Split, seed: int) -> int:
    """That of the problems of runs with this seed: training problems are a campaign's own, test problems are all's."""
    return seed if split == "train" else 0


def encoded_problem(domain: Domain, k: int, split: Split = "test", stream: int = 0) -> "tuple[np.ndarray, np.ndarray]":
    """The same as the arrays of the compiled engine."""
    if domain.instances is not None:
        return domain.encode(problem(domain, k, split, stream))
    return domain.sample_encoded(_random_for(domain, k, split, stream))


def instance_of(domain: Domain, k: int, split: Split = "test", stream: int = 0) -> Path | None:
    """The file that problem `k` is; None where problems are drawn. Every file is used before any is used again: those
    of one folder in the order of their hashes, those of a folder for each split in an order of its own each time."""
    if domain.instances is None:
        return None
    files = instances_of(domain, split)
    times, place = divmod(k, len(files))
    if not isinstance(domain.instances, Mapping):
        return files[place]
    orders: dict[tuple[str, int, int], list[int]] = vars(domain).setdefault("_orders", {})
    key = (split, stream, times)
    if key not in orders:
        order = list(range(len(files)))
        Random(seed_of("instances", canonical_text(domain), split, stream, times)).shuffle_from_end(order)
        orders.clear()  # only the last one is likely to be asked for again
        orders[key] = order
    return files[orders[key][place]]


def check_split(domain: Domain, split: Split) -> None:
    """Raises `UserError` for a split that the domain does not have."""
    if split == "both" and domain.instances is None:
        raise UserError(f"{canonical_text(domain)} draws its problems; --split both is for domains with instances")


def _random_for(domain: Domain, k: int, split: Split, stream: int) -> Random:
    return Random(seed_of("problem", canonical_text(domain), split, stream, k))


def instances_of(domain: Domain, split: Split) -> list[Path]:
    """The files of one split, in the order of their hashes; all files where one of the splits would be empty."""
    return [file for _, file in _hashed_of(domain, split)]


def _hashed_of(domain: Domain, split: Split) -> list[tuple[str, Path]]:
    hashed = _hashed_instances(domain)
    if isinstance(domain.instances, Mapping):
        for name in ("train", "test"):
            if not hashed.get(name):
                raise DomainError(f"{type(domain).__name__} lists no instances for '{name}'; is that folder empty?")
        return hashed[split] if split != "both" else [*hashed["train"], *hashed["test"]]
    every = hashed["both"]
    if not every:
        raise DomainError(f"{type(domain).__name__} lists no instances; is its folder empty?")
    chosen = [one for one in every if split == "both" or _is_test(one[0]) == (split == "test")]
    return chosen or every


def _hashed_instances(domain: Domain) -> dict[str, list[tuple[str, Path]]]:
    """Every instance with its hash, hashed once for a domain: a campaign asks for thousands of problems."""
    listed = domain.instances if isinstance(domain.instances, Mapping) else {"both": domain.instances or ()}
    files = {name: tuple(map(Path, paths)) for name, paths in listed.items()}
    known: tuple[dict[str, tuple[Path, ...]], dict[str, list[tuple[str, Path]]]] | None = vars(domain).get(_HASHED)
    if known is None or known[0] != files:
        known = files, {name: sorted((content_hash(file), file) for file in paths) for name, paths in files.items()}
        vars(domain)[_HASHED] = known
    return known[1]


_HASHED = "_hashed_instances"


def _is_test(digest: str) -> bool:
    return int(digest[0], 16) % 2 == 1


def has_own_instances(domain: Domain) -> bool:
    """Whether training and test problems are different files, of which one lot may be easier than the other."""
    return domain.instances is not None and instances_of(domain, "test") != instances_of(domain, "train")


def describe_problems(domain: Domain, split: Split) -> str:
    """A sentence for tables: what makes the problems of this split different from those of the other."""
    if domain.instances is None:
        return f"problems drawn from the {split} stream"
    train, test = (_hashed_of(domain, name) for name in ("train", "test"))
    own = has_own_instances(domain)
    if split == "both" and own:
        return f"all {len(train) + len(test)} instances, {len(train)} for training and {len(test)} for test"
    if isinstance(domain.instances, Mapping):
        here, others = (test, "training") if split == "test" else (train, "test")
        other = {digest for digest, _ in (train if split == "test" else test)}
        shared = sum(digest in other for digest, _ in here)
        also = f", of which {shared} {'is' if shared == 1 else 'are'} for {others} too" if shared else ""
        return f"{len(here)} instances for {'test' if split == 'test' else 'training'}{also}"
    if len(test) == 1 and not own:
        return "the one instance, in both splits; only the seeds are fresh"
    if not own:
        return f"all {len(test)} instances in both splits; only the seeds are fresh"
    return (
        f"{len(test if split == 'test' else train)} of {len(domain.instances)} instances, split by the hash of the file"
    )

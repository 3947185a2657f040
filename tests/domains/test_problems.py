"""Which problem is number k: streams of training and test problems, and folders of instances."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from domains.errors import DomainError
from domains.problems import SPLITS, Split, describe_problems, has_own_instances, instance_of, instances_of, problem
from domains.protocol import Domain
from domains.randomness import Random, seed_of
from domains.registry import find_domain

SUDOKU = find_domain("sudoku:3")


def numbers(k: int, split: Split = "test", stream: int = 0, domain: Domain = SUDOKU) -> list[int]:
    grid = problem(domain, k, split, stream)
    return list(grid.numbers)


def test_the_same_k_the_same_problem() -> None:
    assert numbers(3) == numbers(3)
    assert numbers(3, "train", 7) == numbers(3, "train", 7)


def test_problems_training_and_test_and_streams_all_differ() -> None:
    streams: list[tuple[Split, int]] = [("test", 0), ("train", 0), ("train", 1), ("train", 2)]
    grids = [tuple(numbers(k, split, stream)) for k in range(3) for split, stream in streams]
    assert len(set(grids)) == len(grids)


def test_domains_with_other_options_have_other_seeds() -> None:
    drawn = []
    for text in ("sudoku:2", "sudoku:3"):

        class Spied(type(find_domain(text))):  # type: ignore[misc]
            def sample(self, random: Random) -> None:
                drawn.append(random.state)

        domain = Spied(int(text[-1]))
        domain.registered_name = "sudoku"
        problem(domain, 0)
    assert drawn == [seed_of("problem", text, "test", 0, 0) for text in ("sudoku:2", "sudoku:3")]


@pytest.mark.parametrize(("split", "stream", "k"), [("test", 0, 0), ("train", 5, 3)])
def test_the_seed_of_a_problem_is_fixed_for_good(split: Split, stream: int, k: int) -> None:
    text = f'["mcsg1","problem","sudoku:3","{split}",{stream},{k}]'
    seed = int.from_bytes(blake2b(text.encode()).digest()[:8], "little")
    assert numbers(k, split, stream) == SUDOKU.sample(Random(seed)).numbers


class Words(Domain):
    """Its problems are files that hold a word."""

    horizon = 1

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.instances: Any = sorted(folder.iterdir())

    def load(self, path: Path) -> str:
        return path.read_text()


def words_in(folder: Path, *words: str) -> Words:
    folder.mkdir(exist_ok=True)
    for number, word in enumerate(words):
        (folder / f"{number:03}.txt").write_text(word)
    return Words(folder)


MANY = [f"word {number}" for number in range(40)]


def loaded(domain: Domain, split: Split, count: int) -> list[str]:
    return [problem(domain, k, split) for k in range(count)]


def test_instances_are_split_by_their_hash(tmp_path: Path) -> None:
    domain = words_in(tmp_path, *MANY)
    train, test = instances_of(domain, "train"), instances_of(domain, "test")
    assert not set(train) & set(test)
    assert sorted([*train, *test]) == domain.instances
    assert 10 <= len(train) <= 30
    assert loaded(domain, "train", len(train)) == [file.read_text() for file in train]


def test_instances_come_again_after_the_last(tmp_path: Path) -> None:
    domain = words_in(tmp_path, *MANY)
    count = len(instances_of(domain, "test"))
    assert loaded(domain, "test", 2 * count) == 2 * loaded(domain, "test", count)


def test_the_split_goes_by_what_is_in_a_file_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = words_in(tmp_path / "a", *MANY), words_in(tmp_path / "b", *reversed(MANY))
    for split in SPLITS:
        count = len(instances_of(first, split))
        assert loaded(first, split, count) == loaded(second, split, count)


def test_more_instances_do_not_move_those_there_are(tmp_path: Path) -> None:
    domain = words_in(tmp_path, *MANY)
    train = set(instances_of(domain, "train"))
    (tmp_path / "another.txt").write_text("another word")
    assert train <= set(instances_of(Words(tmp_path), "train"))


def test_a_single_instance_is_in_both_splits(tmp_path: Path) -> None:
    domain = words_in(tmp_path, "alone")
    assert loaded(domain, "train", 2) == loaded(domain, "test", 2) == ["alone", "alone"]
    assert describe_problems(domain, "test") == "the one instance, in both splits; only the seeds are fresh"


@pytest.mark.parametrize("words", [["a", "b"], ["a", "b", "c"], ["x", "y"], ["same", "same"]])
def test_both_splits_of_a_tiny_folder_have_something(words: list[str], tmp_path: Path) -> None:
    domain = words_in(tmp_path, *words)
    train, test = instances_of(domain, "train"), instances_of(domain, "test")
    assert train and test
    assert (sorted([*train, *test]) == domain.instances) or (sorted(train) == sorted(test) == domain.instances)


class Apart(Words):
    """Files for training and for test are named apart."""

    def __init__(self, folder: Path, train: int, test: int) -> None:
        self.folder = folder
        self.instances = {
            name: [written_file(folder / name / f"{i}.txt", f"{name} {i}") for i in range(count)]
            for name, count in (("train", train), ("test", test))
        }


def written_file(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_folders_for_training_and_for_test(tmp_path: Path) -> None:
    """Every file is met before any is met again, each time in another order, another one in each campaign."""
    domain = Apart(tmp_path, 7, 5)
    assert has_own_instances(domain)
    orders = []
    for split, count in (("train", 7), ("test", 5), ("both", 12)):
        for stream in (0, 1):
            words = [problem(domain, k, split, stream) for k in range(3 * count)]  # type: ignore[arg-type]
            passes = [words[start : start + count] for start in range(0, 3 * count, count)]
            assert all(len(set(one)) == count for one in passes)
            assert all(word.split()[0] in ("train", "test") if split == "both" else split in word for word in words)
            orders += passes
    assert len({tuple(order) for order in orders}) == len(orders)
    assert instance_of(domain, 3, "train", 1) != instance_of(domain, 3, "train", 2) or instance_of(
        domain, 4, "train", 1
    ) != instance_of(domain, 4, "train", 2)


def test_what_tables_say_of_folders_apart(tmp_path: Path) -> None:
    domain = Apart(tmp_path, 7, 5)
    assert describe_problems(domain, "train") == "7 instances for training"
    assert describe_problems(domain, "test") == "5 instances for test"
    assert describe_problems(domain, "both") == "all 12 instances, 7 for training and 5 for test"
    (tmp_path / "test" / "0.txt").write_text("train 0")
    assert describe_problems(Apart2(tmp_path), "test") == "5 instances for test, of which 1 is for training too"
    assert describe_problems(Apart2(tmp_path), "train") == "7 instances for training, of which 1 is for test too"


class Apart2(Words):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.instances = {name: sorted((folder / name).iterdir()) for name in ("train", "test")}


@pytest.mark.parametrize(("counts", "empty"), [((0, 5), "train"), ((5, 0), "test")])
def test_a_folder_apart_that_is_empty(counts: tuple[int, int], empty: str, tmp_path: Path) -> None:
    with pytest.raises(DomainError) as error:
        problem(Apart(tmp_path, *counts), 0)
    assert str(error.value) == f"Apart lists no instances for '{empty}'; is that folder empty?"


def test_both_splits_of_one_folder(tmp_path: Path) -> None:
    domain = words_in(tmp_path, *MANY)
    assert sorted(loaded(domain, "both", 40)) == sorted(MANY)
    train, test = (len(instances_of(domain, split)) for split in ("train", "test"))
    assert describe_problems(domain, "both") == f"all 40 instances, {train} for training and {test} for test"


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(DomainError) as error:
        problem(Words(tmp_path), 0)
    assert str(error.value) == "Words lists no instances; is its folder empty?"


def test_what_tables_say_of_problems(tmp_path: Path) -> None:
    assert describe_problems(SUDOKU, "train") == "problems drawn from the train stream"
    domain = words_in(tmp_path, *MANY)
    count = len(instances_of(domain, "test"))
    assert describe_problems(domain, "test") == f"{count} of 40 instances, split by the hash of the file"
    alike = words_in(tmp_path / "alike", "word 2", "word 4")
    assert describe_problems(alike, "test") == "all 2 instances in both splits; only the seeds are fresh"


def test_which_domains_test_on_other_files(tmp_path: Path) -> None:
    assert not has_own_instances(SUDOKU)
    assert not has_own_instances(words_in(tmp_path / "one", "alone"))
    assert has_own_instances(words_in(tmp_path / "many", *MANY))


def test_the_file_that_is_loaded_is_the_one_that_is_named(tmp_path: Path) -> None:
    domain = words_in(tmp_path, *MANY)
    assert instance_of(SUDOKU, 3) is None
    for split in SPLITS:
        for k in (0, 1, 39, 40):
            file = instance_of(domain, k, split)
            assert file is not None and file.read_text() == problem(domain, k, split)

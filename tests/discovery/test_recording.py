"""Pulls, records of all pulls, and policies replayed over a record."""

import json
import math
import os
import re
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from discovery.bandits.names import NAMES
from discovery.bandits.policies import make_policy
from discovery.bandits.recording import Record, load, npy_bytes, record, record_paths, save
from discovery.bandits.replaying import looks, regret_of, replay, rewards_of
from discovery.documents import with_checksum
from discovery.pool import pulls
from discovery.pool.pulls import run_pull
from domains.errors import UserError
from domains.problems import problem
from domains.randomness import Random, seed_of
from domains.registry import find_domain
from mcsgrammar.cli.recording import command as record_command
from mcsgrammar.cli.replaying import command as replay_command
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import EngineName, Limits, search
from mcsgrammar.language.parsing import parse

EXPRESSIONS = ["sim", "step(sim)", "lookahead(sim)", "step(repeat(select(sim, 0.5), 10))"]

TOY = '''
from domains.protocol import Domain


class Digits(Domain):
    """Three digits, worth their sum; a problem that starts with 4 cannot be drawn to the end."""

    horizon = 3

    def sample(self, random):
        return [random.below(5)]

    def actions(self, state):
        return [0, 1, 2] if len(state) <= 3 else []

    def play(self, state, action):
        state.append(action)

    def reward(self, state):
        if state[0] == 4:
            raise ArithmeticError("four")
        return sum(state) / 10
'''


@pytest.fixture
def toy(tmp_path: Path) -> str:
    file = tmp_path / "toy.py"
    file.write_text(textwrap.dedent(TOY), encoding="utf-8")
    return f"{file}:Digits"


def table(rewards: list[list[float]]) -> Record:
    names = tuple(f"arm {number}" for number in range(len(rewards)))
    return Record(np.array(rewards), "toy", 10, "standard", 100, 0, names)


# Pulls.


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_pull_is_the_search_on_its_training_problem_with_its_own_seed(engine: EngineName) -> None:
    domain, limits = find_domain("sudoku:2"), Limits(20)
    for text in EXPRESSIONS:
        for t in (0, 3):
            own_seed = seed_of("pull", 7, "sudoku:2", "standard", text, t)
            expected = search(domain, problem(domain, t, "train", 7), parse(text), own_seed, limits)
            got = run_pull(domain, parse(text), t, 7, limits, "standard", engine)
            assert (got.reward, got.failed, got.evaluations) == (expected.reward, None, 20)


def test_pulls_do_not_depend_on_what_was_pulled_before() -> None:
    limits = Limits(30)
    wanted = [(t, parse(text)) for t in range(4) for text in EXPRESSIONS]

    def rewards(order: list[int]) -> dict[int, float]:
        domain = find_domain("sudoku:2")
        return {i: run_pull(domain, wanted[i][1], wanted[i][0], 1, limits).reward for i in order}

    assert rewards(list(range(16))) == rewards([*range(15, -1, -1), 3, 3])


def test_problems_are_kept_and_the_oldest_forgotten(monkeypatch: pytest.MonkeyPatch, toy: str) -> None:
    monkeypatch.setattr(pulls, "KEPT_PROBLEMS", 2)
    domain = find_domain(toy)
    runner = pulls._runner(domain, "reference")
    first = runner.problem(0, 5)
    runner.problem(1, 5)
    assert runner.problem(0, 5) is first
    runner.problem(2, 5)
    assert list(runner._problems) == [(5, 0), (5, 2)]
    assert pulls._runner(domain, "reference") is runner


def test_few_domains_are_kept(toy: str) -> None:
    domains = [find_domain(toy) for _ in range(pulls.KEPT_RUNNERS + 3)]
    for domain in domains:
        assert pulls._runner(domain, "reference").domain is domain
    assert len(pulls._runners) == pulls.KEPT_RUNNERS


def test_a_search_does_not_change_a_kept_problem(toy: str) -> None:
    domain = find_domain(toy)
    runner = pulls._runner(domain, "reference")
    before = list(runner.problem(0, 5))
    run_pull(domain, parse("step(select(sim, 0.5))"), 0, 5, Limits(10), "standard", "reference")
    assert runner.problem(0, 5) == before


def test_what_the_domain_does_wrong_makes_a_failed_pull(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    domain = find_domain(toy)
    failing = next(t for t in range(100) if problem(domain, t, "train", 0) == [4])
    result = run_pull(domain, parse("sim"), failing, 0, Limits(10))
    assert (result.reward, result.evaluations) == (0.0, 0)
    assert result.failed == "Digits.reward raised ArithmeticError: four (line 21 of " + toy.rpartition(":")[0] + ")"


def test_a_pull_without_budget_fails() -> None:
    result = run_pull(find_domain("sudoku:2"), parse("sim"), 0, 0, Limits(0))
    assert (result.reward, result.failed) == (0.0, "nothing was evaluated: the budget is 0")


def test_an_interrupted_search_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = RunResult(0.5, (), 3, "interrupted", (), 0, False, 0.1)
    monkeypatch.setattr(pulls.Runner, "run", lambda *_: cut)
    with pytest.raises(KeyboardInterrupt):
        run_pull(find_domain("sudoku:2"), parse("sim"), 0, 0, Limits(10))


# Records.


def test_a_record_holds_the_pulls_of_a_campaign() -> None:
    made = record("sudoku:2", 20, EXPRESSIONS, 5, seed=3)
    domain = find_domain("sudoku:2")
    rewards = [[run_pull(domain, parse(text), t, 3, Limits(20)).reward for t in range(5)] for text in EXPRESSIONS]
    assert made.rewards.tolist() == rewards
    assert (made.domain, made.budget, made.seed, made.expressions) == ("sudoku:2", 20, 3, tuple(EXPRESSIONS))
    assert (made.failed, made.arms, made.columns) == (0, 4, 5)


def test_any_number_of_jobs_writes_the_same_bytes(tmp_path: Path, toy: str) -> None:
    calls: list[tuple[int, int]] = []
    record("sudoku:2", 20, EXPRESSIONS, 6, jobs=1, out=tmp_path / "one")
    record("sudoku:2", 20, EXPRESSIONS, 6, jobs=2, out=tmp_path / "two", on_progress=lambda *c: calls.append(c))
    for suffix in (".npy", ".json"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    assert calls[-1] == (24, 24)
    assert sorted(os.listdir(tmp_path)) == sorted(
        ["toy.py", *(f"{name}{suffix}" for name in ("one", "two") for suffix in (".npy", ".json", ".seconds.npy"))]
    )


def test_failed_pulls_are_counted(tmp_path: Path, toy: str) -> None:
    made = record(toy, 5, ["sim", "step(sim)"], 20, out=tmp_path / "toy")
    domain = find_domain(toy)
    failing = [t for t in range(20) if problem(domain, t, "train", 0) == [4]]
    assert made.failed == 2 * len(failing) > 0
    assert made.rewards[:, failing].tolist() == [[0.0] * len(failing)] * 2
    assert made.first_failure is not None
    assert made.first_failure.startswith(f"sim on problem {failing[0]}: Digits.reward raised ArithmeticError: four")
    assert load(tmp_path / "toy").failed == made.failed


def test_a_saved_record_is_read_again(tmp_path: Path) -> None:
    made = record("sudoku:2", 10, EXPRESSIONS[:2], 3, out=tmp_path / "r.npy")
    for name in ("r", "r.npy", "r.json", "r.seconds.npy"):
        again = load(tmp_path / name)
        assert again.rewards.tolist() == made.rewards.tolist()
        assert (again.expressions, again.budget, again.max_nodes) == (made.expressions, 10, made.max_nodes)


def test_a_pull_may_be_a_game(tmp_path: Path) -> None:
    name, chosen, searched = "cliff:steps=3", ["sim", "step(sim)", "select(sim, 0.5)"], Limits(4)
    made = record(name, 4, chosen, 3, seed=5, out=tmp_path / "r", engine="reference", play="kept")
    assert made.expressions == ("step(sim)", "step(select(sim, 0.5), visits)"), "two are one"
    domain = find_domain(name)
    assert made.rewards.tolist() == [
        [run_pull(domain, parse(text), t, 5, searched, "standard", "reference", "kept").reward for t in range(3)]
        for text in made.expressions
    ]
    again = load(tmp_path / "r")
    assert again.rewards.tolist() == made.rewards.tolist() and again.play == "kept"
    assert again.seconds is not None and made.seconds is not None and again.seconds.tolist() == made.seconds.tolist()
    assert {**vars(again), "rewards": 0, "seconds": 0} == {**vars(made), "rewards": 0, "seconds": 0}
    assert made.title == f"{made.domain}, whole games, 4 evaluations a tick, trees kept"
    assert replace(made, play="new").title == f"{made.domain}, whole games, 4 evaluations a tick"
    record("sudoku:2", 10, EXPRESSIONS[:1], 2, out=tmp_path / "r")
    assert "play" not in json.loads((tmp_path / "r.json").read_text()) and load(tmp_path / "r").play is None


def test_games_are_recorded_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("sim\nselect(sim, 0.5)\n")
    command = ["cliff:steps=3", "--candidates", str(tmp_path / "mine.txt"), "--pulls-per-candidate", "2"]
    command += ["--engine", "reference", "--out", str(tmp_path / "r")]
    done = CliRunner().invoke(record_command, [*command, "--play", "4"], catch_exceptions=False)
    title = "cliff:width=6,height=4,slip=0.2,steps=3, whole games, 4 evaluations a tick: 2 candidates × 2 "
    assert done.exit_code == 0 and done.stdout.startswith(f"{title}pulls, ")
    done = CliRunner().invoke(replay_command, [str(tmp_path / "r"), "--policy", "uniform"], catch_exceptions=False)
    assert done.stdout.startswith(f"{title}recorded pulls; ")
    CliRunner().invoke(record_command, [*command, "--play", "--force", "--tree", "kept"], catch_exceptions=False)
    assert (load(tmp_path / "r").budget, load(tmp_path / "r").play) == (200, "kept")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sudoku:2", 10, [], 3), "there are no candidates to record"),
        (("sudoku:2", 0, ["sim"], 3), "the budget cannot be 0; it is at least 1"),
        (("sudoku:2", 10, ["sim"], 0), "the number of pulls cannot be 0; it is at least 1"),
        (("sudoku:2", 10, ["sim"], 3, 0, 0), "the number of jobs cannot be 0; it is at least 1"),
    ],
)
def test_what_cannot_be_recorded(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(UserError) as error:
        record(*arguments)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_files_that_are_no_record(tmp_path: Path) -> None:
    def complaint() -> str:
        with pytest.raises(UserError) as error:
            load(tmp_path / "r")
        return str(error.value).replace(f"{tmp_path}{os.sep}", "")

    assert complaint() == "there is no record r: r.json is missing; 'mcsgrammar record' makes one"
    save(table([[0.5, 0.25]]), record_paths(tmp_path / "r"))
    settings = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    (tmp_path / "r.json").write_text(json.dumps(settings | {"arms": 2}), encoding="utf-8")
    assert complaint() == "r is not a record: it does not match its checksum"
    (tmp_path / "r.json").write_text(json.dumps(settings | {"format": 2}), encoding="utf-8")
    assert complaint() == "r.json has format 2; this version reads up to 1"
    (tmp_path / "r.json").write_text("{", encoding="utf-8")
    assert complaint().startswith("r is not a record: Expecting property name")


def changed(folder: Path, **changes: object) -> Path:
    """A record with settings that somebody has changed, who knows of the checksum."""
    paths = record_paths(folder / "r")
    save(table([[0.5, 0.25]]), paths)
    settings = {key: value for key, value in json.loads(paths.settings.read_text()).items() if key not in changes}
    given = {key: value for key, value in changes.items() if value is not None}
    paths.settings.write_text(json.dumps(with_checksum({**settings, **given})))
    return folder / "r"


def wrong(path: Path) -> str:
    with pytest.raises(UserError) as error:
        load(path)
    return str(error.value).removeprefix(f"{path} is not a record: ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arms": 2}, "it has 2 arms and 1 expressions"),
        ({"pulls_per_arm": 3}, "r.npy does not fit r.json"),
        ({"pulls_per_arm": 10**30}, "r.npy does not fit r.json"),
        ({"budget": "much"}, """'budget' cannot be "much\""""),
        ({"seed": True}, "'seed' cannot be true"),
        ({"play": "trees"}, """'play' cannot be "trees\""""),
        ({"play": []}, "'play' cannot be []"),
        ({"failed": None}, "r.json has no 'failed'"),
        ({"format": None}, "r.json has no format"),
        ({"expressions": [7]}, "7 is no text that can be shown"),
        ({"expressions": ["sim\x1b[2J"]}, "'sim\\x1b[2J' is no text that can be shown"),
        ({"rewards_hash": "00"}, "r.npy is not what was recorded; its hash in r.json differs"),
    ],
)
def test_settings_of_a_record_that_cannot_be(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    assert wrong(changed(tmp_path, **changes)) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "its brackets are nested too deep"),
        ("[]", "r.json has no format"),
        ('{"format": 1, "seed": Infinity}', "Infinity is no number of JSON"),
    ],
    ids=["deep", "list", "infinity"],
)
def test_what_is_no_settings_of_a_record(text: str, message: str, tmp_path: Path) -> None:
    path = changed(tmp_path)
    record_paths(path).settings.write_text(text)
    assert wrong(path) == message


def header(shape: str) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy_bytes(np.array([[0.5, math.nan]])), "r.npy has values that are no numbers"),
        (npy_bytes(np.array([[0.5, math.inf]])), "r.npy has values that are no numbers"),
        (npy_bytes(np.array([[1, 2]])), "r.npy does not fit r.json"),
        (header("(1, 2)") + bytes(15), "r.npy does not fit r.json"),
        (header(f"({2**62}, {2**62})") + bytes(16), "r.npy does not fit r.json"),
        (header("(" * 200 + ")" * 200), "Cannot parse header"),
        (b"", "EOF: reading magic string, expected 8 bytes got 0"),
        (b"PK\x03\x04", "EOF: reading magic string, expected 8 bytes got 4"),
    ],
    ids=["nan", "inf", "whole", "short", "huge", "deep", "empty", "zip"],
)
@pytest.mark.parametrize("older", [True, False])
def test_numbers_of_a_record_that_cannot_be(older: bool, content: bytes, message: str, tmp_path: Path) -> None:
    """An older record has no checksum that would tell; nothing takes memory for what is not there."""
    path = changed(tmp_path)
    paths = record_paths(path)
    paths.rewards.write_bytes(content)
    if older:
        settings = json.loads(paths.settings.read_text())
        paths.settings.write_text(json.dumps({key: settings[key] for key in settings if key != "checksum"}))
        assert wrong(path).startswith(message)
    else:
        assert wrong(path) == "r.npy is not what was recorded; its hash in r.json differs"


def test_flipped_bits_of_a_record_are_noticed(tmp_path: Path) -> None:
    path, random = changed(tmp_path), Random(2)
    paths, sound = record_paths(path), load(path)
    for file in (paths.rewards, paths.settings):
        content = file.read_bytes()
        for _ in range(60):
            flipped = bytearray(content)
            flipped[random.below(len(flipped))] ^= 1 << random.below(8)
            file.write_bytes(flipped)
            try:
                found = load(path)
                assert found.rewards.tolist() == sound.rewards.tolist() or not found.has_checksum
                assert replace(found, rewards=sound.rewards) == sound or not found.has_checksum
            except UserError:
                pass
        file.write_bytes(content)


def test_an_older_record_is_read_with_a_note(tmp_path: Path) -> None:
    path = changed(tmp_path)
    paths = record_paths(path)
    settings = json.loads(paths.settings.read_text())
    paths.settings.write_text(json.dumps({k: v for k, v in settings.items() if k not in ("checksum", "rewards_hash")}))
    done = CliRunner().invoke(
        replay_command, [str(path), "--policy", "uniform", "--pulls", "4"], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "note: this record is of an older version and has no checksum, so it was not checked"
    ]


# Replays.


def test_rewards_come_in_the_order_of_each_arms_pulls_and_start_over() -> None:
    outcomes = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    asked = np.array([0, 1, 0, 0, 1])
    assert rewards_of(asked, np.array([1, 2]), outcomes).tolist() == [2.0, 6.0, 3.0, 1.0, 4.0]


def test_regret_by_hand() -> None:
    policy = make_policy("uniform", 12, 99, 0)
    policy.tell(np.arange(11), np.array([0.5, 0.9, 0.9] + [0.1] * 8))
    truth = np.array([0.7, 0.6, 0.8, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.2, 0.4])
    # Ranked 1, 2, 0, 3 … 9; the ten best are 2, 0, 1, 11 and six of 0.3.
    first, ten = regret_of(policy, truth, truth)
    assert first == pytest.approx(0.2)
    assert ten == pytest.approx((0.4 - 0.3) / 10)


def test_regret_by_hand_where_others_judge() -> None:
    policy = make_policy("uniform", 3, 99, 0)
    policy.tell(np.arange(2), np.array([0.5, 0.9]))
    # Ranked 1, 0; the two best of what was replayed are 2 and 0.
    first, ten = regret_of(policy, np.array([0.7, 0.6, 0.2]), np.array([0.5, 0.4, 0.8]))
    assert first == pytest.approx(0.2 - 0.6)
    assert ten == pytest.approx((0.2 + 0.7) / 2 - (0.7 + 0.6) / 2)


def test_looks() -> None:
    assert looks(7, 100) == [7, 14, 35, 70, 100]
    assert looks(7, 100, [0.01, 0.5, 3]) == [4, 21, 100]


def test_uniform_by_hand() -> None:
    rows = replay(table([[0.2, 0.4], [0.3, 0.3], [0.5, 0.0]]), "uniform", 6, batch=4, repetitions=400, at=[3, 6])
    assert [(row.policy, row.pulls) for row in rows] == [("uniform", 3), ("uniform", 6)]
    # Means 0.3, 0.3, 0.25. After one column: the third is first or the first is, so the regret is 0.05 or 0.
    assert rows[0].regret == pytest.approx(0.025, abs=4 * rows[0].regret_error)
    assert rows[0].regret_error == pytest.approx(0.025 / math.sqrt(400), rel=0.1)
    assert rows[1].regret == pytest.approx(0, abs=1e-12)
    assert rows[1].regret_error == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_looking_does_not_disturb_a_replay(name: str) -> None:
    made = table([[((arm * 7 + t * 5) % 11) / 10 for t in range(6)] for arm in range(5)])
    alone = replay(made, name, 60, batch=8, repetitions=3, at=[60])
    assert replay(made, name, 60, batch=8, repetitions=3, at=[5, 13, 29, 60])[-1] == alone[0]
    assert replay(made, name, 60, batch=8, repetitions=3, at=[60]) == alone


def test_what_is_held_out_judges_and_is_not_replayed() -> None:
    # Whichever column is replayed, the arm that is best there is the worse one in the other.
    rows = replay(table([[1.0, 0.0], [0.0, 1.0]]), "uniform", 40, repetitions=30, at=[2, 40], hold_out=True)
    assert [(row.regret, row.regret_error, row.top_regret) for row in rows] == [(0.0, 0.0, 0.0)] * 2
    # Of three columns two are replayed. After one pull each the first is ranked first if its 1 comes first; after two,
    # or if the 1 is held out, it is the best of what was replayed as well, or else the second is.
    made = table([[1.0, 0.0, 0.0], [0.25, 0.25, 0.25]])
    early, late = replay(made, "uniform", 4, repetitions=3000, at=[2, 4], hold_out=True)
    # 1 first: the first is ranked first and best, regret 0. 1 second: the second is ranked first, the first is best and
    # the third column judges: 0 - 0.25. 1 held out: the second is ranked first and best.
    assert early.regret == pytest.approx(-0.25 / 3, abs=0.02)
    assert (late.regret, late.regret_error) == (0.0, 0.0)


def test_nothing_can_be_held_out_of_one_pull() -> None:
    with pytest.raises(UserError) as error:
        replay(table([[0.1], [0.2]]), "uniform", 2, hold_out=True)
    assert str(error.value) == "of one pull per candidate nothing can be held out; record two or more"


def test_policies_are_looked_at_where_they_have_enough_pulls() -> None:
    made = table([[arm / 10, arm / 20] for arm in range(6)])
    assert [row.pulls for row in replay(made, "halving", 12, repetitions=2, at=[3, 6, 12])] == [6, 12]
    assert replay(made, "halving", 5, repetitions=2, at=[3]) == []
    assert [row.pulls for row in replay(made, "sampled-halving", 5, repetitions=2, at=[1, 3, 5])] == [1, 3, 5]


def test_two_repetitions_err_by_half_of_what_they_differ() -> None:
    made = table([[((arm * 7 + t * 5) % 11) / 10 for t in range(6)] for arm in range(5)])
    for seed in range(5):
        (first,), (both,) = (replay(made, "uniform", 5, repetitions=n, seed=seed, at=[5]) for n in (1, 2))
        second = 2 * both.regret - first.regret
        assert both.regret_error == pytest.approx(abs(first.regret - second) / 2)


def test_one_repetition_has_no_standard_error() -> None:
    assert math.isnan(replay(table([[0.1], [0.2]]), "uniform", 2, repetitions=1)[0].regret_error)


# The commands.


def test_record_and_replay_commands(tmp_path: Path) -> None:
    out = str(tmp_path / "r")
    arguments = ["sudoku:2", "--budget", "10", "--depth", "2", "--pulls-per-candidate", "4", "--out", out]
    runner = CliRunner()
    done = runner.invoke(record_command, arguments, catch_exceptions=False)
    assert done.stdout.startswith("sudoku:2, budget 10: 7 candidates × 4 pulls, ")
    assert done.stdout.endswith(f"record: {out}.npy and {out}.json\n")
    once = runner.invoke(record_command, ["sudoku:2", "--depth", "1", "--pulls-per-candidate", "1", "--out", f"{out}1"])
    assert re.search(r"\n  \d\.\d{4}  sim\n", once.stdout)  # one pull says nothing of its error
    with pytest.raises(UserError, match=r"r\.npy exists; choose another name, or add --force to overwrite it"):
        runner.invoke(record_command, arguments, catch_exceptions=False)
    assert runner.invoke(record_command, [*arguments, "--force"], catch_exceptions=False).exit_code == 0

    shown = runner.invoke(replay_command, [out, "--at", "1,4", "--repetitions", "2"], catch_exceptions=False)
    lines = shown.stdout.splitlines()
    assert lines[0] == "sudoku:2, budget 10: 7 candidates × 4 recorded pulls; 2 repetitions, batches of 256"
    assert [line.split()[0] for line in lines[5:11]] == [make_policy(name, 7, 7, 0).text for name in NAMES]
    arguments = [out, "--policy", "halving", "--policy", "uniform", "--pulls", "10", "--repetitions", "1", "--json"]
    document = json.loads(runner.invoke(replay_command, arguments, catch_exceptions=False).stdout)
    assert [(row["policy"], row["pulls"]) for row in document["rows"]] == [
        (policy, number) for policy in ("halving", "uniform") for number in (7, 10)
    ]
    assert document["rows"][0]["regret_stderr"] is None
    with pytest.raises(UserError) as error:
        runner.invoke(replay_command, [out, "--at", "1,x"], catch_exceptions=False)
    assert str(error.value) == "--at: 'x' is not a number above 0; write a list such as 10,25,50"
    for words, number in ((["--pulls", "0"], "0"), (["--pulls", "-5"], "-5"), (["--at", "0.001"], "0")):
        with pytest.raises(UserError) as error:
            runner.invoke(replay_command, [out, *words], catch_exceptions=False)
        assert str(error.value) == f"the number of pulls cannot be {number}; it is at least 1"
    few = runner.invoke(replay_command, [out, "--policy", "halving", "--pulls", "3"], catch_exceptions=False)
    assert few.exit_code == 0 and "halving" not in few.stdout.partition("simple regret")[2]


def test_replay_command_by_pulls_in_all(tmp_path: Path) -> None:
    save(table([[0.25, 0.5, 0.5, 0.75], [0.5, 0.5, 0.25, 0.25], [0.0, 0.25, 0.0, 0.0]]), record_paths(tmp_path / "r"))
    arguments = [str(tmp_path / "r"), "--policy", "halving", "--policy", "sampled-halving", "--at-pulls", "2,1200"]
    runner = CliRunner()
    done = runner.invoke(replay_command, [*arguments, "--hold-out", "--repetitions", "4"], catch_exceptions=False)
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "toy, budget 10: 3 candidates × 4 recorded pulls; 4 repetitions, batches of 256; "
        "half of the pulls are held out and judge"
    )
    assert lines[4].split() == ["pulls", "in", "all", "2", "1,200"]
    assert lines[5].split()[:2] == ["halving", "—"]
    assert lines[6].split()[0] == "sampled-halving(each=4)" and "—" not in lines[6]
    document = json.loads(runner.invoke(replay_command, [*arguments, "--hold-out", "--json"]).stdout)
    assert document["hold_out"] is True
    for wrong_arguments, message in (
        (["--at", "1"], "give --at or --at-pulls, one of the two"),
        (["--at-pulls", "x"], "--at-pulls: 'x' is not a number above 0; write a list such as 10,25,50"),
    ):
        with pytest.raises(UserError) as error:
            runner.invoke(
                replay_command, [*arguments[:-2], "--at-pulls", "1", *wrong_arguments], catch_exceptions=False
            )
        assert str(error.value) == message

"""What `check_domain` says of codes and features, and of kernels that give others."""

import re
from typing import Any

import numpy as np
import pytest

from domains.check.checking import Finding
from domains.check.kernels import walk_alone
from domains.check.probing import Probe
from domains.check.processes import difference, traces
from domains.protocol import Domain
from domains.randomness import Random
from tests.domains.mistaken_descriptions import MISTAKES, Described
from tests.domains.mistaken_domains import State
from tests.domains.test_checking import findings
from tests.domains.test_checking_kernels import WithKernels

pytestmark = pytest.mark.usefixtures("uncompiled_kernels")
LINE = re.compile(r" \(\S+\.py:\d+\)$")
WARNINGS = {"code-same", "feature-huge", "feature-same"}


@pytest.mark.parametrize("cls", MISTAKES, ids=lambda cls: str(cls.__name__))
def test_every_mistake_is_named(cls: type[Domain]) -> None:
    name, _, message = " ".join((cls.__doc__ or "").split()).partition(": ")
    found = [Finding(f.kind, f.name, LINE.sub("", f.message)) for f in findings(cls())]
    assert found == [Finding("warning" if name in WARNINGS else "error", name, message)]


def test_a_sound_description() -> None:
    assert findings(Described()) == []


# Kernels.


class WithBoth(WithKernels):
    """The same, with kernels."""

    features: tuple[str, ...] = ("share", "rest")

    def __init__(self, **changes: Any) -> None:
        super().__init__(**{"code": code, "feature": feature, **changes})

    def code(self, state: State, action: int) -> Any:
        return 10 * len(state[1]) + action

    def feature(self, state: State, action: int) -> Any:
        return action / 3, (state[0] + sum(state[1]) + action) % 11 / 10


def code(state: Any, problem: Any, action: Any) -> int:
    return int(10 * state[1] + action)


def feature(state: Any, problem: Any, action: Any, out: Any) -> None:
    out[0] = action / 3
    out[1] = (state[0] + state[2:].sum() + action) % 11 / 10


def found(domain: Domain) -> Finding:
    """The one finding there is."""
    (finding,) = findings(domain)
    assert finding.kind == "error"
    return finding


def test_sound_kernels() -> None:
    assert findings(WithBoth()) == []


def test_kernels_without_a_code_learn_about_the_action() -> None:
    class Plain(WithBoth):
        def code(self, state: State, action: int) -> Any:
            return action

    assert findings(Plain(code=None)) == []
    assert found(WithBoth(code=None)) == Finding(
        "error",
        "kernel-code",
        "problem 0, after 2: code gives 11 for 1, but the kernels have no code, so that the compiled engine would "
        "learn about the action 1 instead; hand over Kernels(…, code=…)",
    )


@pytest.mark.parametrize(("given", "text"), [("one", "'one'"), (2**63, "9223372036854775808"), (1.0, "1.0")])
def test_a_code_that_is_no_whole_number_of_64_bits(given: Any, text: str) -> None:
    class Wordy(WithBoth):
        def code(self, state: State, action: int) -> Any:
            return given if action == 1 else action

    assert found(Wordy()) == Finding(
        "error",
        "code-not-int64",
        f"problem 0, initial state: the code {text} of 1 is no whole number of 64 bits, as the kernels need",
    )


@pytest.mark.parametrize(("given", "text"), [(7, "7"), (2.0, "2.0")])
def test_another_code(given: Any, text: str) -> None:
    assert found(
        WithBoth(code=lambda state, problem, action: given if action == 2 else code(state, problem, action))
    ) == (
        Finding(
            "error",
            "kernel-code",
            f"problem 0, initial state: kernels.code gives {text} for 2, and code gives 2; they must agree, and be "
            "whole numbers of 64 bits",
        )
    )


def test_a_kernel_for_a_code_that_python_does_not_have() -> None:
    class Plain(WithKernels):
        pass

    assert found(Plain(code=code)).message == (
        "problem 0, after 2: kernels.code gives 11 for 1, and code gives 1; they must agree, and be whole numbers of "
        "64 bits"
    )


def codes(state: Any, problem: Any, actions: Any, n: int, out: Any) -> None:
    for i in range(n):
        out[i] = code(state, problem, actions[i])


def test_sound_codes() -> None:
    assert findings(WithBoth(codes=codes)) == []


def test_all_codes_but_not_that_of_one() -> None:
    assert found(WithKernels(codes=codes)) == Finding(
        "error",
        "kernel-codes",
        "WithKernels has kernels.codes but no kernels.code, which says what it must write; hand over "
        "Kernels(…, code=…)",
    )


def test_other_codes_for_all() -> None:
    def shifted(state: Any, problem: Any, actions: Any, n: int, out: Any) -> None:
        codes(state, problem, actions, n, out)
        out[n - 1] += n == 3

    assert found(WithBoth(codes=shifted)) == Finding(
        "error",
        "kernel-codes",
        "problem 0, initial state: kernels.codes gives 4 for 3 in the list [1, 2, 3], and kernels.code gives 3; they "
        "must agree (-1 is also what stands in a cell that it does not write)",
    )


def test_codes_by_the_order_of_the_list() -> None:
    def in_order(state: Any, problem: Any, actions: Any, n: int, out: Any) -> None:
        for i in range(n):
            out[i] = code(state, problem, i + 1)

    assert found(WithBoth(codes=in_order)) == Finding(
        "error",
        "kernel-codes",
        "problem 0, initial state: kernels.codes gives 1 for 3 in the list [3, 2, 1], and kernels.code gives 3; they "
        "must agree (-1 is also what stands in a cell that it does not write)",
    )


def test_codes_in_place_of_the_actions() -> None:
    def careless(state: Any, problem: Any, actions: Any, n: int, out: Any) -> None:
        codes(state, problem, actions, n, out)
        actions[0] = 0

    assert found(WithBoth(codes=careless)) == Finding(
        "error",
        "kernel-codes",
        "problem 0, initial state: kernels.codes changes the list of actions; it must write to `out` alone",
    )


def test_codes_past_the_end() -> None:
    def greedy(state: Any, problem: Any, actions: Any, n: int, out: Any) -> None:
        codes(state, problem, actions, n, out)
        out[3] = 0

    message = (
        "problem 0, initial state: kernels.codes reads or writes outside an array (state has 6 cells, out has 3 "
        "cells); mend it, or raise max_actions or max_length if that is what is too small"
    )
    assert found(WithBoth(codes=greedy)) == Finding("error", "kernel-bounds", message)
    told: list[Any] = []
    walk_alone(Probe(WithBoth(codes=greedy)), told.append)
    assert told == [["error", "kernel-bounds", message]]


def test_features_that_kernels_do_not_have() -> None:
    assert found(WithBoth(feature=None)) == Finding(
        "error",
        "kernel-feature",
        "WithBoth names features, but its kernels have no feature; hand over Kernels(…, feature=…)",
    )


def test_a_feature_that_differs_in_its_last_bit() -> None:
    def nearly(state: Any, problem: Any, action: Any, out: Any) -> None:
        feature(state, problem, action, out)
        if action == 2:
            out[0] = np.nextafter(out[0], 1.0)

    assert found(WithBoth(feature=nearly)) == Finding(
        "error",
        "kernel-feature",
        "problem 0, initial state: kernels.feature gives 0.6666666666666667 for share of 2, and feature gives "
        "0.6666666666666666; they must agree bit for bit",
    )


def test_a_feature_that_is_not_written() -> None:
    def forgetful(state: Any, problem: Any, action: Any, out: Any) -> None:
        out[0] = action / 3

    assert found(WithBoth(feature=forgetful)).message == (
        "problem 0, initial state: kernels.feature gives nan for rest of 1, and feature gives 0.0; they must agree bit "
        "for bit (nan is also what stands in a cell that it does not write)"
    )


def test_a_feature_past_the_end() -> None:
    def generous(state: Any, problem: Any, action: Any, out: Any) -> None:
        feature(state, problem, action, out)
        out[2] = 0.0

    def sly(state: Any, problem: Any, action: Any, out: Any) -> None:
        feature(state, problem, action, out)
        np.lib.stride_tricks.as_strided(out, (3,))[2] = 0.0

    for kernel, does in ((generous, "reads or writes"), (sly, "writes")):
        assert found(WithBoth(feature=kernel)) == Finding(
            "error",
            "kernel-bounds",
            f"problem 0, initial state: kernels.feature {does} outside an array (state has 6 cells, out has 2 cells); "
            "mend it; out has a cell for each of the features",
        )


def test_kernels_that_change_the_state() -> None:
    def writing_code(state: Any, problem: Any, action: Any) -> int:
        state[2 + state[1]] = 9  # which play writes anyhow
        if action == 3 and state[1] == 2:
            state[2] = 1 + state[2] % 3
        return code(state, problem, action)

    def writing_feature(state: Any, problem: Any, action: Any, out: Any) -> None:
        feature(state, problem, action, out)
        state[0] += action == 3 and state[1] == 3  # where no feature is asked for any more

    for name, kernel in (("code", writing_code), ("feature", writing_feature)):
        found_ = found(WithBoth(**{name: kernel}))
        assert found_.name == f"kernel-{name}"
        assert found_.message == (
            f"problem 0, after 2, 3, 2, 1: kernels.{name}, called on the way, changes what reward gives; it must leave "
            "the state as it is, but for cells that nothing else reads"
        )


def test_working_memory_in_the_state() -> None:
    def untidy(state: Any, problem: Any, action: Any) -> int:
        state[2 + state[1]] = 9  # which play writes anyhow
        return code(state, problem, action)

    def featured(state: Any, problem: Any, action: Any, out: Any) -> None:
        state[2 + state[1]] = 0
        feature(state, problem, action, out)

    assert findings(WithBoth(code=untidy, feature=featured)) == []


# In another process.


@pytest.mark.parametrize("method", ["code", "feature"])
def test_what_depends_on_the_process(method: str) -> None:
    class Elsewhere(Described):
        process = 0

        def code(self, state: State, action: int) -> Any:
            return action + self.process * (method == "code")

        def feature(self, state: State, action: int) -> Any:
            return action / 4, self.process * (method == "feature") / 2

    here = traces(Probe(Elsewhere()), 1, Random(0))
    Elsewhere.process = 1
    there = traces(Probe(Elsewhere()), 1, Random(0))
    said = {"code": ("[1, 2, 3]", "[2, 3, 4]"), "feature": ("[[0.25, 0.0], [0.5, 0.0], [0.75, 0.0]]",) * 2}[method]
    assert difference(here, there) == Finding(
        "error",
        "process-dependent",
        f"problem 0, initial state: {method} is {said[0]}, and in another process {said[1].replace('0.0', '0.5')}; it "
        "must not depend on hash(), id(), the order of a set, or the time",
    )


# Before the first search.


def test_kernels_that_play_alone_describe_their_actions() -> None:
    def greedy(state: Any, problem: Any, action: Any, out: Any) -> None:
        out[2] = 0.0

    def far(state: Any, problem: Any, action: Any) -> int:
        return int(state[100])

    told: list[Any] = []
    walk_alone(Probe(WithBoth(feature=greedy)), told.append)
    walk_alone(Probe(WithBoth(code=far)), told.append)
    assert told == [
        [
            "error",
            "kernel-bounds",
            "problem 0, initial state: kernels.feature reads or writes outside an array (state has 6 cells, out has 2 "
            "cells); mend it; out has a cell for each of the features",
        ],
        [
            "error",
            "kernel-bounds",
            "problem 0, initial state: kernels.code reads or writes outside an array (state has 6 cells); mend it, or "
            "raise max_actions or max_length if that is what is too small",
        ],
    ]

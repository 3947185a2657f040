"""The arrays of the compiled engine that only adaptive expressions need: policies and statistics.

Glossary
    settings   the values that the parameters of every frame have now, a row a frame
    code       the number of a gram's entry + 1; 0 is the empty gram, -1 one that was not met
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mcsgrammar.engines.compiled.frequent_kernels import Frequent
from mcsgrammar.engines.compiled.layout import STEP, Program
from mcsgrammar.engines.compiled.means_kernels import MeansTable, empty_table
from mcsgrammar.engines.compiled.waiting_layout import Waiting
from mcsgrammar.engines.rules import FOR_EVER, committing_select, cutting_select, first_settings
from mcsgrammar.language.expressions import COMMIT_RULES, Adapt, Component, Repeat, Select, Simulate, Step, Tune
from mcsgrammar.language.parameters import Choice, Interval, Parametrised, Value, parameters_of, written_name
from mcsgrammar.language.policies import PLAYOUT_POLICIES, SELECTION_POLICIES, Grave, Guided, History, Puct, Ucb1
from mcsgrammar.tuning.space import Space, space_of
from mcsgrammar.tuning.state import REPETITIONS_COLUMN


def columns_of(policies: Iterable[type[Parametrised]]) -> dict[str, int]:
    """A column for every parameter that one of the policies has."""
    names = [written_name(f) for policy in policies for f in parameters_of(policy)]
    return {name: column for column, name in enumerate(dict.fromkeys(names))}


WAYS = list(dict.fromkeys(way for policy in PLAYOUT_POLICIES.values() for way in policy.ways))
P_RANDOM, P_GIBBS, P_GREEDY, P_GUIDED = (WAYS.index(way) for way in ("random", "gibbs", "greedy", "guided"))
"""How a playout policy draws; mast(eps) is nst with n = 1."""
SELECTORS = list(SELECTION_POLICIES.values())
UCB1, GRAVE, HISTORY, PUCT = (SELECTORS.index(policy) for policy in (Ucb1, Grave, History, Puct))
RULES = {rule: number for number, rule in enumerate(COMMIT_RULES)}
BEST, MEAN, VISITS, MAX = (RULES[rule] for rule in ("best", "mean", "visits", "max"))

# Columns of the settings, for select, simulate, step and adapt.
SELECT_COLUMNS = columns_of(SELECTORS)
C, VO, T, FPU_COLUMN, REF, K, BIAS, W, NORM = (
    SELECT_COLUMNS[name] for name in ("c", "vo", "t", "fpu", "ref", "k", "bias", "w", "norm")
)
SIMULATE_COLUMNS = columns_of(PLAYOUT_POLICIES.values())
TAU, EPS, N_GRAM, KMIN, MOVE_DECAY, BATCH_DECAY, BATCH, SIM_DECAY, DEPTH = (
    SIMULATE_COLUMNS[name]
    for name in ("tau", "eps", "n", "kmin", "move_decay", "batch_decay", "batch", "sim_decay", "depth")
)
RULE = ALPHA = 0
COLUMNS = max(len(SELECT_COLUMNS), len(SIMULATE_COLUMNS))
FIRST_FEATURE = COLUMNS
"""The weights of guided follow, one for each feature of the domain."""
(
    ENTRIES,
    NO_ROOM,
    OUTERMOST_STEP,
    CUT_SELECT,
    LONGEST_GRAM,
    KEEPS_HISTORY,
    FINALS_SINCE_DECAY,
    NEED,
    EPOCH,
    KEEPS_LEAST,
    MAY_WAIT,
    SLACK,
    UNTRIED_ARE,
) = range(13)
"""Places in `Adaptive.numbers`, which begins as `room` does in `means_kernels.py`. MAY_WAIT: whether results may wait
to be added to AMAF; SLACK: more room than is taken before the machine looks again whether they may."""
NUMBERS = 13
LEAF = 2**40
"""Added to the number of a node; UNTRIED_ARE is LEAF while nodes that were not visited have no children, else 0. (The
last search of a game may be cut off before it visits what it has added.)"""
TOP, BOTTOM = range(2)
"""Columns of `Adaptive.top`."""

POLICY, COMMIT_SELECT, TUNER, LEAST_REF = range(4)
"""Columns of `Adaptive.frames`: the policy of a simulate or select, the frame of the select at whose root a step
commits, where in `Adaptive.tuners` that of a tune begins, and the visits without which AMAF of a node that is not the
local root is never read."""
FRAME_COLUMNS = 4

FIRST_ENTRIES = 4096
DIRECT_ACTIONS = 2**22
"""Actions below this are found by their numbers. As large as the codes of Morpion Solitaire ask for: memory that nobody
touches is not there, and a list by action is touched where actions occur."""


class Direct(NamedTuple):
    """By action, for those below DIRECT_ACTIONS: what the gram of that action alone has in `grams`."""

    worth: np.ndarray
    """the bits of its score or, under Gibbs sampling, its odds, less those of 1; so 0 while it did not occur"""
    entry: np.ndarray
    """its entry + 1; 0: none"""
    met: np.ndarray
    """scratch, by legal action: how many grams it completes"""
    places: np.ndarray
    """scratch: places of legal actions"""
    ahead: np.ndarray
    """scratch, by place in a sequence: where the grams of two and of three actions that end there are looked for"""
    tau: np.ndarray
    """a single number: that for which `worth` holds odds, 0 if it holds scores"""


class Adaptive(NamedTuple):
    settings: np.ndarray
    frames: np.ndarray
    numbers: np.ndarray
    top: np.ndarray
    """by node: the best result seen below, and where `KEEPS_LEAST` is 1 the least"""
    grams: MeansTable
    direct: Direct
    frequent: Frequent
    history: MeansTable
    amaf: MeansTable
    waiting: Waiting
    contexts: np.ndarray
    """the codes of the last 0, 1, 2, … actions"""
    worths: np.ndarray
    last: np.ndarray
    """by place in a sequence: whether its action does not occur later"""
    seen: np.ndarray
    tuners: np.ndarray
    """all that they know, see `tuning/state.py`"""


@dataclass(frozen=True)
class AdaptiveProgram:
    """An adaptive expression, lowered: what does not change from run to run."""

    program: Program
    settings: np.ndarray
    frames: np.ndarray
    numbers: np.ndarray
    parts: tuple[Component, ...]
    tunes: tuple[Tune, ...]
    tune_frames: tuple[int, ...]
    spaces: tuple[Space, ...]
    features: tuple[str, ...]
    evaluations: tuple[int | None, ...]
    """of an invocation of each tune, where they are fixed"""


def lower_adaptive(expression: Component, program: Program, features: tuple[str, ...]) -> AdaptiveProgram:
    """`features` are those of the domain."""
    parts = list(expression.walk())
    frames = len(parts) + 1
    settings = np.zeros((frames, COLUMNS + len(features)))
    about = np.zeros((frames, FRAME_COLUMNS), np.int64)
    tunes = [(frame, part) for frame, part in enumerate(parts, 1) if isinstance(part, Tune)]
    for frame, part in enumerate(parts, 1):
        values = first_settings(part)
        match part:
            case Select():
                about[frame, POLICY] = SELECTORS.index(type(part.policy))
                _fill(settings[frame], values, SELECT_COLUMNS)
                if values.get("bias") is not None:
                    settings[frame, K] = -1
                if isinstance(part.policy, Grave):
                    about[frame, LEAST_REF] = math.ceil(min(_least(part.policy.ref), FOR_EVER / 2))
            case Simulate():
                about[frame, POLICY] = WAYS.index(part.policy.way)
                settings[frame, N_GRAM] = 1
                _fill(settings[frame], values, simulate_columns(part, features))
            case Repeat():
                pass  # its N is a whole number, and in the program
            case Adapt():
                settings[frame, ALPHA] = values["alpha"]
            case _:
                settings[frame, : len(values)] = [RULES.get(value, value) for value in values.values()]
        if isinstance(part, Step):
            about[frame, COMMIT_SELECT] = frame_of(parts, committing_select(part))
    simulate = parts[-1]
    assert isinstance(simulate, Simulate)
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[OUTERMOST_STEP] = next((frame for frame, op in enumerate(program.op) if op == STEP), -1)
    numbers[CUT_SELECT] = frame_of(parts, cutting_select(parts))
    numbers[LONGEST_GRAM] = simulate.policy.longest_gram
    numbers[KEEPS_LEAST] = any(isinstance(part, Select) and part.settings().get("norm", 0) != 0 for part in parts)
    numbers[KEEPS_HISTORY] = any(isinstance(part, Select) and isinstance(part.policy, History) for part in parts)
    return AdaptiveProgram(
        program,
        settings,
        about,
        numbers,
        tuple(parts),
        tuple(tune for _, tune in tunes),
        tuple(frame for frame, _ in tunes),
        tuple(space_of(expression, tune) for _, tune in tunes),
        features,
        tuple(tune.component.evaluations for _, tune in tunes),
    )


def frame_of(parts: list[Component], part: Component | None) -> int:
    """The frame that runs a part, -1 for none."""
    return next((frame for frame, other in enumerate(parts, 1) if other is part), -1)


def _fill(row: np.ndarray, values: dict[str, Any], columns: dict[str, int]) -> None:
    for name, value in values.items():
        if value is not None:
            row[columns[name]] = value


def _least(value: Value) -> float:
    """That a parameter can have."""
    if isinstance(value, Choice):
        return float(min(value.values))
    return float(value.low if isinstance(value, Interval) else value)


def simulate_columns(simulate: Simulate, features: tuple[str, ...]) -> dict[str, int]:
    """Where the parameters of a playout policy stand."""
    if not isinstance(simulate.policy, Guided):
        return SIMULATE_COLUMNS
    return {"depth": DEPTH} | {name: FIRST_FEATURE + number for number, name in enumerate(features)}


def column_of(part: Component, name: str, features: tuple[str, ...]) -> tuple[int, dict[str, int]]:
    """Where the value of an open parameter goes, and what words stand for."""
    match part:
        case Repeat():
            return REPETITIONS_COLUMN, {}
        case Adapt():
            return (REPETITIONS_COLUMN if name == "N" else ALPHA), {}
        case Select():
            return SELECT_COLUMNS[name], {}
        case Simulate():
            return simulate_columns(part, features)[name], {}
        case _:
            return list(part.settings()).index(name), RULES


def new_direct(max_actions: int, max_length: int) -> Direct:
    return Direct(
        worth=np.zeros(DIRECT_ACTIONS, np.int64),
        entry=np.zeros(DIRECT_ACTIONS, np.int32),
        met=np.empty(max_actions),
        places=np.empty(max_actions + 1, np.int64),
        ahead=np.empty((2, max_length), np.int64),
        tau=np.zeros(1),
    )


def new_statistics() -> tuple[MeansTable, MeansTable, MeansTable]:
    """Grams, history and AMAF."""
    return empty_table(FIRST_ENTRIES), empty_table(FIRST_ENTRIES), empty_table(FIRST_ENTRIES)

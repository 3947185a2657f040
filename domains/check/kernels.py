"""The check for kernels: compiled rules must agree with the Python methods in everything."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from domains.check.apart import CRASHES
from domains.check.chance import check_later_encoding
from domains.check.describing import bits_of, code_of, described_by, features_of
from domains.check.handed_over import check_sample_encoded, kernels_of
from domains.check.probing import Broken, Look, OutOfSteps, Place, Probe, Said
from domains.randomness import Random, seed_of
from domains.saying import shown

SPARE = 64
"""Cells before and after every array that a kernel is given, to see what it writes there."""
UNTOUCHED = 0xA5
"""The byte that they are filled with."""
INT32 = range(-(2**31), 2**31)
INT64 = range(-(2**63), 2**63)
PLAYOUTS = 3
"""On a problem's first walk; one on the others."""
MOST_SEEDS = 10_000
GIVEN = {
    "actions": {"out": "out"},
    "playout": {"sequence": "sequence"},
    "feature": {"out": "numbers"},
    "rewards": {"out": "numbers"},
    "codes": {"out": "codes"},
}
"""The arrays of ours that a kernel is given beside the state, by the names of its arguments."""


def check_kernels(probe: Probe, ends: list[Place], random: Random, through: Callable[[int], None]) -> None:
    """All along the walks to `ends`, of which `through` hears, and in random playouts from there and on the way."""
    kernels = kernels_of(probe)
    if kernels is None:
        return
    check_max_actions(probe)
    if probe.domain.features and kernels.feature is None:
        raise Broken(
            "kernel-feature",
            f"{probe.name} names features, but its kernels have no feature; hand over Kernels(…, feature=…)",
        )
    compiled, walked = Compiled(probe, kernels), set()
    # Draws wrap around, of which NumPy warns where Numba is switched off.
    with np.errstate(over="ignore"):
        for number, end in enumerate(ends):
            through(number)
            if end.problem not in walked:
                check_sample_encoded(probe, end.problem)
            _check_walk(compiled, end)
            if probe.domain.stochastic:
                check_later_encoding(compiled, end, disagreement)
            for _ in range(PLAYOUTS if end.problem not in walked else 1):
                start = end.before(random.below(end.length + 1))
                for limit in (probe.domain.length_bound, (start.length + end.length) // 2):
                    _check_playout(compiled, start, limit, random.below(MOST_SEEDS))
            walked.add(end.problem)


def check_max_actions(probe: Probe) -> None:
    if probe.domain.max_actions < 1:
        raise Broken(
            "max-actions",
            f"{probe.name} has kernels but no max_actions; set it to the most actions that a state can have",
        )


class SpareArray:
    """An array between spare cells."""

    def __init__(self, length: int, dtype: Any) -> None:
        self._whole = np.frombuffer(
            bytearray([UNTOUCHED]) * ((length + 2 * SPARE) * np.dtype(dtype).itemsize), np.dtype(dtype)
        )
        self.array = self._whole[SPARE : SPARE + length]
        self.array[:] = 0
        self._untouched = bytes([UNTOUCHED]) * (SPARE * self.array.itemsize)

    def overrun(self) -> bool:
        """Whether something was written to the spare cells."""
        end = SPARE + len(self.array)
        return not self._whole[:SPARE].tobytes() == self._whole[end:].tobytes() == self._untouched


class Compiled:
    """The kernels of a domain behind the same guard as its methods, on arrays with spare cells around them."""

    play_method = "play"

    def __init__(self, probe: Probe, kernels: Any) -> None:
        self.probe = probe
        self.kernels = kernels
        self._met: set[str] = set()
        self.arrays = {
            "out": SpareArray(probe.domain.max_actions, np.int32),
            "numbers": SpareArray(len(probe.domain.features), np.float64),
            "codes": SpareArray(probe.domain.max_actions, np.int64),
        }
        self.out, self.numbers = self.arrays["out"].array, self.arrays["numbers"].array

    def encode(self, place: Place, state: Any) -> tuple[np.ndarray, np.ndarray]:
        given = self.probe.ask(place, "encode", state)
        if not isinstance(given, tuple) or len(given) != 2 or not all(map(_is_flat, given)):
            raise Broken(
                "encode",
                f"{place}: encode returned {shown(given)}; return (problem, state), two 1-D contiguous NumPy arrays",
            )
        problem, encoded = given
        problem.setflags(write=False)
        self.arrays["state"] = SpareArray(len(encoded), encoded.dtype)
        self.arrays["state"].array[:] = encoded
        return problem, self.arrays["state"].array

    def call(self, place: Place, kernel: str, *arguments: Any) -> Any:
        """What the kernel returns, if it kept within its arrays."""
        function = getattr(self.kernels, kernel)
        if kernel not in self._met:
            self._met.add(kernel)
            if hasattr(function, "compile"):
                types = tuple(map(numba.typeof, arguments))
                self.probe.guard(self.probe.name, f"compiling kernels.{kernel}", function.compile, types)
        try:
            returned = self.probe.guard(place, f"kernels.{kernel}", function, *arguments)
        except Broken as broken:
            if isinstance(broken.__cause__, IndexError):
                raise self._out_of_bounds(place, kernel, "reads or writes") from broken
            raise
        if any(array.overrun() for array in self.arrays.values()):
            raise self._out_of_bounds(place, kernel, "writes")
        return returned

    def _out_of_bounds(self, place: Place, kernel: str, does: str) -> Broken:
        arrays = {"state": "state"} | GIVEN.get(kernel, {})
        sizes = ", ".join(f"{name} has {len(self.arrays[array].array)} cells" for name, array in arrays.items())
        where = f"{place}: kernels.{kernel} {does} outside an array ({sizes}); mend it"
        if kernel in ("feature", "rewards"):
            each = "features" if kernel == "feature" else "roles"
            return Broken("kernel-bounds", f"{where}; out has a cell for each of the {each}")
        return Broken("kernel-bounds", f"{where}, or raise max_actions or max_length if that is what is too small")

    def python_look(self, place: Place, state: Any) -> Look:
        """What the methods say, if kernels can say the same."""
        look = self.probe.look(place, state)
        for _, who, actions in look.lists():
            if len(actions) > self.probe.domain.max_actions:
                raise Broken(
                    "max-actions",
                    f"{place}: there are {len(actions)} actions{who}, more than max_actions, "
                    f"{self.probe.domain.max_actions}; raise it to the most that a state can have",
                )
            for action in actions:
                if not isinstance(action, (int, np.integer)) or action not in INT32:
                    raise Broken(
                        "action-not-int32",
                        f"{place}: the action {shown(action)} is no whole number of 32 bits, as the kernels need",
                    )
        return look

    def look(self, place: Place, state: np.ndarray, problem: np.ndarray, like: Look) -> Look:
        """What the kernels say; the reward only where the Python state has one."""
        final = bool(self.call(place, "is_final", state, problem))
        actions = self.actions(place, state, problem)
        reward = None if like.reward is None else float(self.call(place, "reward", state, problem))
        return Look(final, actions, reward)

    def actions(self, place: Place, state: np.ndarray, problem: np.ndarray) -> list[int]:
        count = int(self.call(place, "actions", state, problem, self.out))
        if not 0 <= count <= self.probe.domain.max_actions:
            raise Broken(
                "max-actions",
                f"{place}: kernels.actions returned {count}, and max_actions is {self.probe.domain.max_actions}",
            )
        listed: list[int] = self.out[:count].tolist()
        return listed

    def play(self, place: Place, state: np.ndarray, problem: np.ndarray, action: int) -> int:
        """Returns the state of the generator afterwards, where chance has a say."""
        words = np.array([self.probe.chance(place).state], np.uint64)
        self.call(place, "play", state, problem, np.int32(action), *[words] * self.probe.domain.stochastic)
        return int(words[0])

    def code(self, place: Place, state: np.ndarray, problem: np.ndarray, action: int) -> Any:
        return self.call(place, "code", state, problem, np.int32(action))

    def codes(self, place: Place, state: np.ndarray, problem: np.ndarray, actions: list[int]) -> list[int]:
        codes, listed = self.arrays["codes"].array, self.out[: len(actions)]
        listed[:], codes[:] = actions, -1
        self.call(place, "codes", state, problem, self.out, np.int64(len(actions)), codes)
        if listed.tolist() != actions:
            raise Broken(
                "kernel-codes", f"{place}: kernels.codes changes the list of actions; it must write to `out` alone"
            )
        given: list[int] = codes[: len(actions)].tolist()
        return given

    def features(self, place: Place, state: np.ndarray, problem: np.ndarray, action: int) -> list[float]:
        self.numbers[:] = np.nan
        self.call(place, "feature", state, problem, np.int32(action), self.numbers)
        numbers: list[float] = self.numbers.tolist()
        return numbers

    def describing(self) -> tuple[str, ...]:
        """The kernels that say something of actions."""
        features = self.kernels.feature is not None and len(self.probe.domain.features) > 0
        by_code = [kernel for kernel in ("code", "codes") if getattr(self.kernels, kernel) is not None]
        return (*by_code, *("feature",) * features)

    def playout(
        self, start: Place, state: np.ndarray, problem: np.ndarray, seed: int, limit: int
    ) -> tuple[list[int], int]:
        """The actions, those up to `start` among them, and the state of the generator afterwards."""
        words, done = np.array([seed], np.uint64), start.length
        self.arrays["sequence"] = SpareArray(self.probe.domain.length_bound, np.int32)
        sequence = self.arrays["sequence"].array
        sequence[:done] = start.actions
        length = int(self.call(start, "playout", state, problem, words, sequence, done, limit))
        if not done <= length <= len(sequence):
            raise Broken(
                "kernel-playout",
                f"{start}: kernels.playout returned the length {length}; it is called with {done} actions played and "
                f"the limit {limit}",
            )
        return sequence[:length].tolist(), int(words[0])


def _is_flat(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.ndim == 1 and array.flags.c_contiguous and not array.dtype.hasobject


def _check_walk(compiled: Compiled, end: Place) -> None:
    """State by state along one walk, then what is said of the actions of each."""
    check_walk_with(compiled, end, ())
    described = {*described_by(compiled.probe), *compiled.describing()}
    for kernel in sorted(described):
        try:
            check_walk_with(compiled, end, (kernel,))
        except LeftBehind as left:
            raise Broken(
                f"kernel-{kernel}",
                f"{left.place}: kernels.{kernel}, called on the way, changes what {left.method} gives; it must leave "
                "the state as it is, but for cells that nothing else reads",
            ) from left


class LeftBehind(Broken):
    """After `play`, a kernel answers otherwise than its method."""

    def __init__(self, place: Place, said: Said, play: str) -> None:
        self.place, self.method = place, said.method
        super().__init__(
            "kernel-play",
            f"{place}: after kernels.play of the last action, {said.method}{said.who} is not what it is after {play}",
        )


def check_walk_with(compiled: Compiled, end: Place, described: tuple[str, ...]) -> None:
    probe = compiled.probe
    state = probe.initial(end.problem)
    problem, encoded = compiled.encode(end.before(0), state)
    for place, action in [*end.steps(), (end, None)]:
        look = compiled.python_look(place, state)
        if differing := disagreement(look, compiled.look(place, encoded, problem, look)):
            problem, fresh = compiled.encode(place, state)
            differing_at_once = disagreement(look, compiled.look(place, fresh, problem, look))
            if place.length and differing_at_once is None:
                raise LeftBehind(place, differing[0], compiled.play_method)
            raise _differs(place, *(differing_at_once or differing))
        if "codes" in described:
            _check_codes(compiled, place, encoded, problem, [int(acted) for acted in look.actions])
        for acted in look.actions:
            if "code" in described:
                _check_code(compiled, place, state, encoded, problem, acted)
            if "feature" in described:
                _check_features(compiled, place, state, encoded, problem, acted)
        if action is not None:
            chance = probe.chance(place)
            state = probe.play(place, state, action, chance)
            if compiled.play(place, encoded, problem, action) != chance.state:
                raise Broken(
                    "kernel-chance",
                    f"{place}: kernels.play of {action} makes other draws than play; both must draw as often, in the "
                    "same order",
                )


def _check_code(compiled: Compiled, place: Place, state: Any, encoded: Any, problem: Any, action: int) -> None:
    expected = code_of(compiled.probe, place, state, action)
    if not isinstance(expected, (int, np.integer)) or expected not in INT64:
        raise Broken(
            "code-not-int64",
            f"{place}: the code {shown(expected)} of {action} is no whole number of 64 bits, as the kernels need",
        )
    if compiled.kernels.code is None:
        if expected != action:
            raise Broken(
                "kernel-code",
                f"{place}: code gives {expected} for {action}, but the kernels have no code, so that the compiled "
                f"engine would learn about the action {action} instead; hand over Kernels(…, code=…)",
            )
        return
    given = compiled.code(place, encoded, problem, action)
    if not isinstance(given, (int, np.integer)) or given != expected:
        raise Broken(
            "kernel-code",
            f"{place}: kernels.code gives {given} for {action}, and code gives {expected}; they must agree, and be "
            "whole numbers of 64 bits",
        )


def _check_codes(compiled: Compiled, place: Place, encoded: Any, problem: Any, actions: list[int]) -> None:
    """All at once, and in another order, against one by one."""
    if compiled.kernels.code is None:
        raise Broken(
            "kernel-codes",
            f"{compiled.probe.name} has kernels.codes but no kernels.code, which says what it must write; hand over "
            "Kernels(…, code=…)",
        )
    for listed in (actions, actions[::-1]):
        given = compiled.codes(place, encoded, problem, listed)
        for action, code in zip(listed, given, strict=True):
            due = compiled.code(place, encoded, problem, action)
            if code != due:
                raise Broken(
                    "kernel-codes",
                    f"{place}: kernels.codes gives {code} for {action} in the list {shown(listed)}, and kernels.code "
                    f"gives {due}; they must agree (-1 is also what stands in a cell that it does not write)",
                )


def _check_features(compiled: Compiled, place: Place, state: Any, encoded: Any, problem: Any, action: int) -> None:
    expected = features_of(compiled.probe, place, state, action)
    given = compiled.features(place, encoded, problem, action)
    for name, number, due in zip(compiled.probe.domain.features, given, expected, strict=True):
        if bits_of([number]) != bits_of([due]):
            unwritten = " (nan is also what stands in a cell that it does not write)" if np.isnan(number) else ""
            raise Broken(
                "kernel-feature",
                f"{place}: kernels.feature gives {number} for {name} of {action}, and feature gives {due}; they must "
                f"agree bit for bit{unwritten}",
            )


def _differs(place: Place, python: Said, kernel: Said) -> Broken:
    method, who, value = python
    name = method.removesuffix("_of")
    return Broken(
        f"kernel-{name.removeprefix('is_')}",
        f"{place}: kernels.{name} gives {shown(kernel.value)}{who}, and {method} gives {shown(value)}; "
        "they must agree bit for bit, the order of actions included",
    )


def disagreement(python: Look, kernel: Look) -> tuple[Said, Said] | None:
    """The first that is said differently."""
    pairs = zip(python.said(), kernel.said(), strict=True)
    return next(((one, other) for one, other in pairs if _bits(one.value) != _bits(other.value)), None)


def _bits(value: Any) -> Any:
    """Floats by their bits, and other things as they are."""
    numbers = value if isinstance(value, tuple) else (value,)
    return bits_of(numbers) if all(isinstance(number, float) for number in numbers) else value


def _check_playout(compiled: Compiled, start: Place, limit: int, seed: int) -> None:
    """The fused playout against the loop over the Python methods, draw for draw."""
    if compiled.kernels.playout is None:
        return
    probe, done = compiled.probe, start.length
    state = probe.at(start)
    problem, encoded = compiled.encode(start, state)
    random, place = Random(seed), start
    while place.length < limit and not probe.is_final(place, state):
        actions = probe.actions(place, state)
        action = actions[random.below(len(actions))]
        state = probe.play(place, state, action, random)
        place = place.after(action)
    (played, drawn), expected = compiled.playout(start, encoded, problem, seed, limit), list(place.actions)
    if played != expected:
        raise Broken(
            "kernel-playout",
            f"{start}: kernels.playout with the seed {seed} and the limit {limit} plays {shown(played[done:])}, and "
            f"actions and play with the same draws give {shown(expected[done:])}; one draw an action, and no other",
        )
    if drawn != random.state:
        raise Broken(
            "kernel-playout",
            f"{start}: kernels.playout does not draw once for every action, forced ones included, and never else",
        )
    look = probe.look(place, state)
    if differing := disagreement(look, compiled.look(place, encoded, problem, look)):
        method = differing[0].method
        raise Broken("kernel-playout", f"{place}: kernels.playout leaves a state whose {method} is another one")


ALONE_PROBLEMS = 3
ALONE_WALKS = 20


def walk_alone(probe: Probe, tell: Callable[[Any], None]) -> None:
    """Play with the kernels alone, and tell of what the compiled engine does not survive; what else is wrong, it says
    itself, or `check` does."""
    kernels = probe.domain.kernels()
    random = Random(seed_of("vet"))
    if kernels is None or probe.domain.max_actions < 1:
        return
    compiled = Compiled(probe, kernels)
    tell_crashes(tell, lambda place: _walk_alone(compiled, place, random))


def tell_crashes(tell: Callable[[Any], None], walk: Callable[[Place], None]) -> None:
    """Walk from the first problems, again and again, until something breaks."""
    try:
        with np.errstate(over="ignore"):
            for k in [*range(ALONE_PROBLEMS)] * ALONE_WALKS:
                walk(Place(k))
    except (Broken, OutOfSteps) as broken:
        if isinstance(broken, Broken) and broken.finding.name in CRASHES:
            tell([broken.finding.kind, broken.finding.name, broken.finding.message])


def _walk_alone(compiled: Compiled, place: Place, random: Random) -> None:
    probe = compiled.probe
    problem, state = compiled.encode(place, probe.initial(place.problem))
    bound = probe.domain.length_bound
    cut = random.below(bound + 1)
    while True:
        final = bool(compiled.call(place, "is_final", state, problem))
        actions = compiled.actions(place, state, problem)
        if final or not actions or place.length >= bound:
            break
        if place.length == cut and compiled.kernels.playout is not None:
            for action in compiled.playout(place, state, problem, random.below(MOST_SEEDS), bound)[0][cut:]:
                place = place.after(action)
            break
        action = actions[random.below(len(actions))]
        described = compiled.describing()
        if "codes" in described:
            compiled.codes(place, state, problem, actions)
        if "code" in described:
            compiled.code(place, state, problem, action)
        if "feature" in described:
            compiled.features(place, state, problem, action)
        compiled.play(place, state, problem, action)
        place = place.after(action)
    compiled.call(place, "reward", state, problem)

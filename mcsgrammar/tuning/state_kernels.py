"""What compiled functions have a tuner as: an address, whose attributes are its numbers and lists.

    tuner = tuner_at(array, place)

What a function is handed costs the compiler more time than what it does (an array is seven values to it): with a
NamedTuple of all lists, tuners took twice as long to compile. Lists count no references, as those of `domains.scratch`.
"""

from typing import Any

from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
)

from domains.scratch import INTERPRETED, array_over, arrayobj
from mcsgrammar.tuning.state import LISTS, NUMBERS, PLACES, TunerState

COMPILED = {int: types.int64, float: types.float64}


class CompiledState(types.Opaque):
    """The type of a tuner, and what `state.py` declares: so a machine's fingerprint covers that."""

    def __init__(self, numbers: dict[str, Any], lists: dict[str, Any], places: dict[str, int]) -> None:
        super().__init__("TunerState")
        self.numbers, self.lists, self.places = numbers, lists, places


register_model(CompiledState)(models.OpaqueModel)


def _tuner_at(typing_context: Any, array: Any, place: Any) -> Any:
    state = CompiledState(NUMBERS, LISTS, PLACES)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = arrayobj.make_array(array)(context, builder, arguments[0])
        address = builder.gep(whole.data, [context.cast(builder, arguments[1], place, types.intp)])
        return builder.bitcast(address, context.get_value_type(state))

    return state(array, place), generate


@infer_getattr
class Attributes(AttributeTemplate):
    """Which there are, and their types."""

    key = CompiledState

    def generic_resolve(self, state: Any, name: str) -> Any:
        if name in state.numbers:
            return COMPILED[state.numbers[name]]
        return types.Array(COMPILED[state.lists[name][0]], 1, "C") if name in state.lists else None


@lower_getattr_generic(CompiledState)
def _read(context: Any, builder: Any, state: Any, tuner: Any, name: str) -> Any:
    if name in state.numbers:
        return builder.load(_number(context, builder, state, tuner, name))
    kind, room = state.lists[name]
    first, length = (builder.load(_number(context, builder, state, tuner, each, int)) for each in (name, room))
    array = types.Array(COMPILED[kind], 1, "C")
    return array_over(context, builder, array, _address(context, builder, tuner, kind, first), length)


@lower_setattr_generic(CompiledState)
def _write(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    tuner, value = arguments
    builder.store(value, _number(context, builder, signature.args[0], tuner, name))


def _number(context: Any, builder: Any, state: Any, tuner: Any, name: str, kind: Any = None) -> Any:
    """Where a number lies, or the place at which a list begins."""
    place = context.get_constant(types.intp, state.places[name])
    return _address(context, builder, tuner, kind or state.numbers[name], place)


def _address(context: Any, builder: Any, tuner: Any, kind: Any, place: Any) -> Any:
    return builder.gep(builder.bitcast(tuner, context.get_value_type(types.CPointer(COMPILED[kind]))), [place])


def _tuner_at_interpreted(array: Any, place: int) -> TunerState:
    return TunerState(array[place:])


tuner_at: Any = _tuner_at_interpreted if INTERPRETED else intrinsic(_tuner_at)

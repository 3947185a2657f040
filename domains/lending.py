"""Tuples of arrays, lent to compiled functions: one address is handed over instead of all they consist of.

    tree = lent(tree)      in a function that others are called from; they read its fields as they do those of the tuple

An array is seven values, and a function that is handed five tuples of them writes 500 numbers to the stack before it
begins: 50 ns a call, and the compiler has as many to look after. Fields are read where they are asked for. They count
no references, as `scratch.unowned` has it: whoever lends must outlive who borrows. What is in the arrays may change
meanwhile; which arrays they are may not.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

from domains.scratch import INTERPRETED, arrayobj, no_owner


class Lent(types.Type):
    """The type of a named tuple that is lent."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        super().__init__(f"Lent({whole})")

    def type_of(self, name: str) -> Any:
        """None for what is no field."""
        if name not in self.whole.fields:
            return None
        kind = self.whole.types[self.whole.fields.index(name)]
        return Lent(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@register_model(Lent)
class LentModel(models.PointerModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        self._pointee_model = manager.lookup(kind.whole)
        self._pointee_be_type = self._pointee_model.get_value_type()
        models.PrimitiveModel.__init__(self, manager, kind, self._pointee_be_type.as_pointer())


@infer_getattr
class Fields(AttributeTemplate):
    key = Lent

    def generic_resolve(self, lent: Any, name: str) -> Any:
        return lent.type_of(name)


@lower_getattr_generic(Lent)
def _read(context: Any, builder: Any, lent: Any, address: Any, name: str) -> Any:
    place, kind = lent.whole.fields.index(name), lent.type_of(name)
    field = _member(builder, address, place)
    if isinstance(kind, Lent):
        return field
    if not isinstance(kind, types.Array):
        return _constant_load(builder, field)
    array = arrayobj.make_array(kind)(context, builder)
    array.meminfo, array.parent = context.get_constant_null(no_owner), context.get_constant_null(types.pyobject)
    for number, member in enumerate(array._datamodel._fields):
        if member not in ("meminfo", "parent"):
            setattr(array, member, _constant_load(builder, _member(builder, field, number)))
    return array._getvalue()


def _member(builder: Any, address: Any, place: int) -> Any:
    word = ir.IntType(32)
    return builder.gep(address, [ir.Constant(word, 0), ir.Constant(word, place)], inbounds=True)


def _constant_load(builder: Any, address: Any) -> Any:
    loaded = builder.load(address)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _lent(typing_context: Any, whole: Any) -> Any:
    kind = Lent(whole)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (value,) = arguments
        with builder.goto_entry_block():
            memory = builder.alloca(value.type)
        builder.store(value, memory)
        # The compiler takes what is lent for constant, so it must not see the store: it could put a read before it.
        hidden = ir.FunctionType(memory.type, [memory.type])
        return builder.asm(hidden, "", "=r,0,~{memory}", [memory], side_effect=True)

    return kind(whole), generate


def _lent_interpreted(whole: Any) -> Any:
    return whole


lent: Any = _lent_interpreted if INTERPRETED else intrinsic(_lent)

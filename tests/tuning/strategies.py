"""Hypothesis strategies for spaces."""

from hypothesis import strategies as st

from mcsgrammar.tuning.space import Parameter, Space


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """One to five parameters of one to four values; some pairs are a k with a zero and its ref."""
    parameters: list[Parameter] = []
    for number in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            size = draw(st.integers(2, 4))
            off = draw(st.integers(0, size - 1))
            place = len(parameters)
            parameters.append(Parameter(number, "k", "grave", values=tuple(range(size))))
            ref = tuple(range(draw(st.integers(1, 4))))
            parameters.append(Parameter(number, "ref", "grave", values=ref, master=place, off=off))
        else:
            parameters.append(Parameter(number, "c", "ucb1", values=tuple(range(draw(st.integers(1, 4))))))
    return Space(parameters)

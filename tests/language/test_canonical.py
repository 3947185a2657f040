"""What is typed, and the canonical text it stands for: written by hand, from the design and the papers."""

import pytest

from mcsgrammar import parse
from mcsgrammar.language.named import GENERIC

COMPONENTS = {
    "sim": "sim",
    "simulate": "sim",
    "simulate(random)": "sim",
    "repeat(10, sim)": "repeat(sim, 10)",
    "repeat(sim,10)": "repeat(sim, 10)",
    "lookahead( simulate )": "lookahead(sim)",
    "step(sim)": "step(sim)",
    "step(sim, best)": "step(sim)",
    "step(best, sim)": "step(sim)",
    "step(visits, repeat(10, select(0.3, sim)))": "step(repeat(select(sim, 0.3), 10), visits)",
    "step(select(sim, 0.5), mean)": "step(select(sim, 0.5), mean)",
    "step(tune(select(sim, {0, 1}), mab), max)": "step(tune(select(sim, {0, 1}), mab), max)",
    "select(sim)": "select(sim, 0.5)",
    "select(0.5, sim)": "select(sim, 0.5)",
    "\n step (\r\n\trepeat( select( sim ,0.5 ),\f10 ))  ": "step(repeat(select(sim, 0.5), 10))",
    "step(repeat(2, repeat(5, sim)))": "step(repeat(repeat(sim, 5), 2))",
    "adapt(sim,100)": "adapt(sim, 100)",
    "adapt(100, simulate)": "adapt(sim, 100)",
    "adapt(sim, 1e2, 1.0)": "adapt(sim, 100)",
    "adapt(007, 1, sim)": "adapt(sim, 7)",
    "adapt(10, .50, adapt(sim, 1))": "adapt(adapt(sim, 1), 10, 0.5)",
    "adapt( step( sim ) ,5, 1000 )": "adapt(step(sim), 5, 1000)",
    "adapt(sim, 2, 5e-324)": "adapt(sim, 2, 5e-324)",
    "adapt(uct(0.5), 3)": "adapt(uct(0.5), 3)",
    "step(select(adapt(sim, 10), 0.3), max)": "step(select(adapt(sim, 10), 0.3), max)",
}

NUMBERS = {
    "select(sim, 0)": "select(sim, 0)",
    "select(sim, -0.0)": "select(sim, 0)",
    "select(sim, 1.0)": "select(sim, 1)",
    "select(sim, +1)": "select(sim, 1)",
    "select(sim, 0.50)": "select(sim, 0.5)",
    "select(sim, .5)": "select(sim, 0.5)",
    "select(sim, 5.)": "select(sim, 5)",
    "select(sim, 00.5)": "select(sim, 0.5)",
    "select(sim, 1e3)": "select(sim, 1000)",
    "select(sim, 1E+3)": "select(sim, 1000)",
    "select(sim, 123456.789e3)": "select(sim, 123456789)",
    "select(sim, 1e-7)": "select(sim, 1e-7)",
    "select(sim, 0.00000015)": "select(sim, 1.5e-7)",
    "select(sim, 0.0001)": "select(sim, 0.0001)",
    "select(sim, 100000000000000000000)": "select(sim, 1e20)",
    "select(sim, 123456789012345680000)": "select(sim, 1.2345678901234568e20)",
    "select(sim, 0.30000000000000004)": "select(sim, 0.30000000000000004)",
    "select(sim, 0.1000000000000000055)": "select(sim, 0.1)",
    "select(sim, 1e-400)": "select(sim, 0)",
    "select(sim, 1.7976931348623157e308)": "select(sim, 1.7976931348623157e308)",
    "select(sim, 5e-324)": "select(sim, 5e-324)",
    "repeat(sim, 1e3)": "repeat(sim, 1000)",
    "repeat(sim, 10.0)": "repeat(sim, 10)",
    "repeat(sim, 2.5e1)": "repeat(sim, 25)",
    "repeat(sim, 007)": "repeat(sim, 7)",
    "repeat(sim, 1000000)": "repeat(sim, 1000000)",
    "repeat(sim, 9007199254740993)": "repeat(sim, 9007199254740993)",
    "repeat(sim, 9223372036854775807)": "repeat(sim, 9223372036854775807)",
}

POLICIES = {
    "sim(random(depth=inf))": "sim",
    "sim(random(depth=5))": "sim(random(depth=5))",
    "sim(mast)": "sim(mast(eps=0.4))",
    "sim(mast(eps=0.4))": "sim(mast(eps=0.4))",
    "simulate ( mast ( tau = 0.10 ) )": "sim(mast(tau=0.1))",
    "sim(mast(batch=50, eps=.4, depth=inf))": "sim(mast(eps=0.4))",
    "sim(mast(depth=7, sim_decay=.94, batch=10, batch_decay=.9, move_decay=.4, eps=0))": (
        "sim(mast(eps=0, move_decay=0.4, batch_decay=0.9, batch=10, sim_decay=0.94, depth=7))"
    ),
    "sim(nst)": "sim(nst)",
    "sim(nst(eps=0.2, n=3, kmin=7))": "sim(nst)",
    "sim(nst(kmin=0, n=2))": "sim(nst(n=2, kmin=0))",
    "sim(nst(depth=9, sim_decay=0, batch=1, batch_decay=0, move_decay=.6, kmin=1, n=1, eps=1))": (
        "sim(nst(eps=1, n=1, kmin=1, move_decay=0.6, batch_decay=0, batch=1, sim_decay=0, depth=9))"
    ),
    "select(sim, ucb1)": "select(sim, 0.5)",
    "select(sim, ucb1(c=0.5))": "select(sim, 0.5)",
    "select(ucb1(c=1.0), sim)": "select(sim, 1)",
    "select(sim, ucb1(0.1))": "select(sim, 0.1)",
    "select(sim, ucb1(0.1, fpu=1))": "select(sim, ucb1(c=0.1, fpu=1))",
    "select(sim, grave(0.2, ref=5))": "select(sim, grave(c=0.2, ref=5))",
    "sim(nst(0.1))": "sim(nst(eps=0.1))",
    "sim(random(5))": "sim(random(depth=5))",
    "tune(select(sim, ucb1({0, 1})), ntbea(7))": "tune(select(sim, {0, 1}), ntbea(x=7))",
    "select(sim, ucb1(fpu=inf, t=0, vo=0, c=0.2))": "select(sim, 0.2)",
    "select(sim, ucb1(norm=1, c=1.4))": "select(sim, ucb1(c=1.4, norm=1))",
    "select(sim, grave(norm=1, k=0))": "select(sim, grave(k=0, norm=1))",
    "tune(select(sim, history(norm={1, 0}, w=2)), ntbea)": "tune(select(sim, history(w=2, norm={1, 0})), ntbea)",
    "select(sim, ucb1(fpu=-1, t=inf, vo=0.01, c=0.5))": "select(sim, ucb1(vo=0.01, t=inf, fpu=-1))",
    "select(sim, grave)": "select(sim, grave)",
    "select(sim, grave(c=0.2, ref=50, k=250))": "select(sim, grave(c=0.2))",
    "select(sim, grave(k=inf, ref=inf, fpu=1))": "select(sim, grave(fpu=1, ref=inf, k=inf))",
    "select(sim, grave(ref=0))": "select(sim, grave(ref=0))",
    "select(sim, grave(bias=1e-7, t=5, vo=.01))": "select(sim, grave(vo=0.01, t=5, bias=1e-7))",
    "select(sim, history(c=0.6, w=1))": "select(sim, history(c=0.6))",
    "select(sim, history(w=0.0, fpu=1))": "select(sim, history(fpu=1, w=0))",
    "select(sim, puct)": "select(sim, puct)",
    "select(puct(1), sim)": "select(sim, puct)",
    "select(sim, puct(c=1.0, fpu=0))": "select(sim, puct)",
    "select(sim, puct(0.5, fpu=inf))": "select(sim, puct(c=0.5, fpu=inf))",
    "select(sim(mast(tau=0.1)), puct(fpu=-1, t=5, vo=.01, c=2))": (
        "select(sim(mast(tau=0.1)), puct(c=2, vo=0.01, t=5, fpu=-1))"
    ),
    "sim(guided(distance=-4))": "sim(guided(distance=-4))",
    "simulate(guided( slack = -.50 , distance = -4.0 ))": "sim(guided(distance=-4, slack=-0.5))",
    "sim(guided(depth=5, x=1, depths=2))": "sim(guided(depths=2, x=1, depth=5))",
    "sim(guided(depth=inf, x=-0.0))": "sim(guided(x=0))",
    "sim(guided(B=1, a=2, _=3))": "sim(guided(B=1, _=3, a=2))",
    "sim(guided(best=1, max=2, step=3, sim=4, nmc=5, guided=6, eps=7))": (
        "sim(guided(best=1, eps=7, guided=6, max=2, nmc=5, sim=4, step=3))"
    ),
    "sim(guided(x=-1e6, y=1e6, z=1e-320))": "sim(guided(x=-1000000, y=1000000, z=1e-320))",
    "adapt(10, sim(guided(x=1)))": "adapt(sim(guided(x=1)), 10)",
    "select(adapt(sim, 10), puct)": "select(adapt(sim, 10), puct)",
}

NAMED = {
    "is": "sim",
    "step(is)": "step(sim)",
    "la(1)": "step(lookahead(sim))",
    "la(2)": "step(lookahead(lookahead(sim)))",
    "nmc(0)": "sim",
    "nmc(1)": "step(lookahead(sim))",
    "nmc(2.0)": "step(lookahead(step(lookahead(sim))))",
    "nmc(3)": "step(lookahead(step(lookahead(step(lookahead(sim))))))",
    "mcts(0.3, 7)": "step(repeat(select(sim, 0.3), 7))",
    "uct(0.5, 100)": "step(repeat(select(sim, 0.5), 100))",
    "uct( 0.50 )": "uct(0.5)",
    "rmc(10, 20)": "step(repeat(step(repeat(sim, 20)), 10))",
    "metamcts(0.5, 10, 20)": "step(repeat(select(step(repeat(select(sim, 0.5), 20)), 0.5), 10))",
    "nrpa(1, 100)": "adapt(sim, 100)",
    "nrpa(2, 100)": "adapt(adapt(sim, 100), 100)",
    "nrpa(2, 100, 0.5)": "adapt(adapt(sim, 100, 0.5), 100, 0.5)",
    "nrpa(3.0, 1e1, 1)": "adapt(adapt(adapt(sim, 10), 10), 10)",
    "step(nrpa(1, 5))": "step(adapt(sim, 5))",
    "tune(nrpa(2, {9, 20}, {1, 2}), ntbea)": "tune(adapt(adapt(sim, {9, 20}, {1, 2}), {9, 20}, {1, 2}), ntbea)",
    "repeat(3, nmc(1))": "repeat(step(lookahead(sim)), 3)",
    "tune(mcts({0, 1}, {10, 20}), ntbea)": "tune(step(repeat(select(sim, {0, 1}), {10, 20})), ntbea)",
    "tune(uct({0, 1}), ntbea)": "tune(uct({0, 1}), ntbea)",
}

TUNERS = {
    "tune(ntbea, select({0.1, 0.2}, sim))": "tune(select(sim, {0.1, 0.2}), ntbea)",
    "tune(select(sim, {.10,1e3}), ntbea(x=5, c=0.2))": "tune(select(sim, {0.1, 1000}), ntbea)",
    "tune(select(sim, {1, 0}), mab)": "tune(select(sim, {1, 0}), mab)",
    "tune(select(sim, {1}), random(b=1))": "tune(select(sim, {1}), random)",
    "tune(select(sim, {0, 1}), ntbea(b=3, c=0.7, x=10))": "tune(select(sim, {0, 1}), ntbea(x=10, c=0.7, b=3))",
    "tune(select(sim, {0, 1}), local)": "tune(select(sim, {0, 1}), nmc(eps0=1))",
    "tune(select(sim, {0, 1}), nmc(eps0=1))": "tune(select(sim, {0, 1}), nmc(eps0=1))",
    "tune(select(sim, {0, 1}), local(c_g=0.7, c_l=0.7))": "tune(select(sim, {0, 1}), nmc(eps0=1, c_l=0.7, c_g=0.7))",
    "tune(select(sim, {0, 1}), nmc(eps0=0.75))": "tune(select(sim, {0, 1}), nmc)",
    "tune(select(sim, {0, 1}), lsi(k=20, share=0.5))": "tune(select(sim, {0, 1}), lsi(share=0.5, k=20))",
    "tune(select(sim, {0, 1}), ea(mu=3, lambda=10))": "tune(select(sim, {0, 1}), ea(lambda=10, mu=3))",
    "tune(select(sim, {0, 1}), mab(fpu=inf, c=0.2))": "tune(select(sim, {0, 1}), mab(c=0.2, fpu=inf))",
    "tune(select(sim, [-0.0 .. 1.0]), cmaes(alpha=1))": "tune(select(sim, [0..1]), cmaes)",
    "tune(select(sim, [.5...75]), cmaes(sigma0=.5))": "tune(select(sim, [0.5..0.75]), cmaes(sigma0=0.5))",
    "tune(sim(mast(eps=[0..1])), cmaes)": "tune(sim(mast(eps=[0..1])), cmaes)",
    "tune(sim(random(depth={5, inf})), mab)": "tune(sim(random(depth={5, inf})), mab)",
    "tune(ntbea, adapt({2, 5.0}, {1.0, .5}, sim))": "tune(adapt(sim, {2, 5}, {1, 0.5}), ntbea)",
    "tune(adapt(sim, 5, {1}), mab)": "tune(adapt(sim, 5, {1}), mab)",
    "tune(adapt(sim, 5, [.5..1]), cmaes)": "tune(adapt(sim, 5, [0.5..1]), cmaes)",
    "tune(select(sim(guided(x=[-4 .. 0], y=2)), puct(c=[0..5])), cmaes)": (
        "tune(select(sim(guided(x=[-4..0], y=2)), puct(c=[0..5])), cmaes)"
    ),
    "tune(sim(guided(y={-1, 1}, x=2)), mab)": "tune(sim(guided(x=2, y={-1, 1})), mab)",
    "tune(repeat(sim, {2, 5.0}), mab)": "tune(repeat(sim, {2, 5}), mab)",
    "tune(step({best,max}, select(sim)), mab)": "tune(step(select(sim, 0.5), {best, max}), mab)",
    "tune(repeat(tune(select(sim,{0,1}),mab),{2,4}),ea)": "tune(repeat(tune(select(sim, {0, 1}), mab), {2, 4}), ea)",
    "step(repeat(tune(select(sim(mast(eps={0,0.2,0.4})),grave(c={0.1,0.2},ref={0,50,inf})),ntbea),100))": (
        "step(repeat(tune(select(sim(mast(eps={0, 0.2, 0.4})), grave(c={0.1, 0.2}, ref={0, 50, inf})), ntbea), 100))"
    ),
}

DECAY_AND_DEPTH = "move_decay=1, batch_decay=1, batch=50, sim_decay=1, depth=inf"
IN_THE_TREE = "c=0.5, vo=0, t=0, fpu=inf"
DEFAULTS = {
    f"sim(mast(eps=0.4, {DECAY_AND_DEPTH}))": "sim(mast(eps=0.4))",
    f"sim(nst(eps=0.2, n=3, kmin=7, {DECAY_AND_DEPTH}))": "sim(nst)",
    f"select(sim, ucb1({IN_THE_TREE}, norm=0))": "select(sim, 0.5)",
    f"select(sim, grave({IN_THE_TREE}, ref=50, k=250, norm=0))": "select(sim, grave)",
    f"select(sim, history({IN_THE_TREE}, w=1, norm=0))": "select(sim, history)",
    "select(sim, puct(c=1, vo=0, t=0, fpu=0))": "select(sim, puct)",
    "sim(guided(x=1, depth=inf))": "sim(guided(x=1))",
    "adapt(sim, 10, 1)": "adapt(sim, 10)",
    "tune(repeat(sim, {1}), random(b=1))": "tune(repeat(sim, {1}), random)",
    "tune(repeat(sim, {1}), mab(c=0.7, fpu=1, b=1))": "tune(repeat(sim, {1}), mab)",
    "tune(repeat(sim, {1}), nmc(eps0=0.75, c_l=1, c_g=1, b=1))": "tune(repeat(sim, {1}), nmc)",
    "tune(repeat(sim, {1}), lsi(share=0.75, b=1))": "tune(repeat(sim, {1}), lsi)",
    "tune(repeat(sim, {1}), ea(lambda=50, mu=25, p_cross=0.5, b=1))": "tune(repeat(sim, {1}), ea)",
    "tune(repeat(sim, {1}), ntbea(x=5, c=0.2, b=1))": "tune(repeat(sim, {1}), ntbea)",
    "tune(uct([0..1]), cmaes(alpha=1, sigma0=0.3, b=1))": "tune(uct([0..1]), cmaes)",
}
"""What is meant when nothing is said."""


@pytest.mark.parametrize(("typed", "canonical"), (COMPONENTS | NUMBERS | POLICIES | NAMED | TUNERS | DEFAULTS).items())
def test_canonical_text(typed: str, canonical: str) -> None:
    assert str(parse(typed)) == canonical
    assert str(parse(canonical)) == canonical
    assert parse(typed) == parse(canonical)


@pytest.mark.parametrize(
    ("text", "depth", "size"),
    [
        ("sim(mast(eps=0.4))", 1, 1),
        ("repeat(repeat(sim, 5), 2)", 3, 3),
        ("nmc(3)", 7, 7),
        ("la(5)", 7, 7),
        ("uct(0.5)", 4, 4),
        ("uct(0.5, 100)", 4, 4),
        ("lookahead(uct(0.5))", 5, 5),
        ("rmc(10, 20)", 5, 5),
        ("metamcts(0.5, 10, 20)", 7, 7),
        ("tune(select(sim, {0, 1}), mab)", 2, 3),
        ("tune(repeat(tune(select(sim, {0, 1}), mab), {2, 4}), mab)", 3, 5),
        ("nmc(31)", 63, 63),
        ("la(62)", 64, 64),
        ("nrpa(3, 5)", 4, 4),
        ("nrpa(63, 5)", 64, 64),
        ("tune(adapt(sim, 10, {1, 2}), mab)", 2, 3),
    ],
)
def test_depth_and_size(text: str, depth: int, size: int) -> None:
    """`tune` has no depth of its own but is counted in the size."""
    assert (parse(text).depth, parse(text).size) == (depth, size)


def test_the_generic_algorithms_are_those_of_the_paper() -> None:
    assert list(GENERIC) == [
        *("is", "la(1)", "la(2)", "la(3)", "la(4)", "la(5)", "nmc(2)", "nmc(3)", "nmc(4)", "nmc(5)"),
        *("uct(0)", "uct(0.3)", "uct(0.5)", "uct(1)"),
    ]
    assert len({parse(name) for name in GENERIC}) == len(GENERIC)

"""Do the published tables come out? A small check with fixed seeds; the large one is benchmarks/paper.py.

A difference of LIMIT = 4 standard errors or more is an error. The standard error of a difference is that of
`benchmarks/paper.py`: our sampling error, theirs, and the rounding of the printed value. If the published values are the
true means of what we run, a comparison fails by chance with probability 6.3e-5, and one of the 13 here with 8e-4, once,
when the seeds are chosen; they are fixed, so the outcome is the same each time.

What it can see: a mean that is off by more than about five standard errors of ours, which come to about 1.1 % for Morpion,
9 % for Sudoku and 20 to 30 % for regression. Each algorithm is here for the mistake that it shows:

    is                     the domains and their random playouts
    la(1)                  step must commit to the best sequence of its whole invocation
    la(4), la(5)           lookahead in random order: the budget ends inside, so that a fixed order tries one corner
    nmc(3)                 both of it, nested
    uct(0) on regression   what is exhausted must not be descended into again. By the rules of the paper's program, which
                           is where its value comes from
    uct(1)                 select
    Dis#1                  the best that was discovered
"""

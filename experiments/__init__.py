"""The experiments behind `results/`: what was run, measured and drawn, by commands that anyone can repeat.

Not part of the installed package: it stands above everything else and nothing imports it.
`python -m experiments --help` lists the commands.

Glossary
    campaign     one discovery with fixed settings; `campaigns.CAMPAIGNS` is the list of all of them
    problem      what a campaign is about: `sudoku4`, `regression` or `morpion5T`
    column       a column of a table of the paper: a domain and a budget that algorithms are measured on
    field        the algorithms in a column: generic ones, the paper's ten, and the top tens of our campaigns
    piece        the scores of one algorithm in one column under one set of rules, on test problems 0, 1, 2, …
    work folder  where campaigns and pieces grow; large, not kept in the repository
    results      what is small enough to keep, made from the work folder by `summarise`; `render` makes the rest of it
    scale        how large everything is: `FULL`, the paper's sizes, or `SMALL`, minutes
    apart        a difference from a published value in standard errors, see `published`

The way of the data: campaigns ──▶ work/NAME ──summarise──▶ results/campaigns/NAME ─┐
                     tables    ──▶ work/tables ─summarise─▶ results/measurements.csv ┴─render──▶ tables, pictures
"""

"""results/papers.md from all that is stored in results/. Nothing is run."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from experiments.files import write
from experiments.markdown import NOT_YET, table_lines
from experiments.papers.claims import Claim, Evidence, Finding, Paper, Verdict
from experiments.papers.decay import TAK
from experiments.papers.discovery import MAES
from experiments.papers.tuning import GGP
from experiments.papers.video import ANALYSIS, GVGP

NAME = "papers.md"
PAPERS = (MAES, TAK, GGP, GVGP, ANALYSIS)
MARKS: dict[Verdict, str] = {
    "holds": "**holds**",
    "holds in part": "holds in part",
    "open": "open",
    "does not hold": "**does not hold**",
    NOT_YET: NOT_YET,
}
OPENING = """
Five papers are what this program was made from. Each table here has the main claims of one of them, where it makes
them, what was measured of them, and whether they hold.

**How to read this.** Verdicts are worked out from the stored tables whenever this page is made
(`python -m experiments render`). What a claim comes to are cases: a game, an algorithm, one half of a sentence. A claim
*holds* if all cases that were measured bear it out; it *does not hold* if half of them speak against it and fewer bear
it out, or some speak against it and none bears it out; it is *open* if none does either; *in part* is what lies
between. A case is decided by a difference beyond chance: its 95 % interval leaves 0 out, or it is 3 standard errors;
that something *is no worse* is borne out where a loss of more than 5 points of 100 is ruled out. *So far*: some of the
cases are not measured yet. *By few runs*: intervals are wide, and a difference that is not shown may be there all the
same. *With one player*, *on other games*, *with two parameters*: not measured on what the paper has, but on that. A
figure such as +1.2 [0.4, 2.0] is a difference with its 95 % interval, above 0 where it is better; ± in tables of agents
is half of a 95 % interval, elsewhere a standard error.
"""


def render_papers(results: Path) -> Path:
    """Write it: every command that changes what it is made from does."""
    path = results / NAME
    write(path, papers_text(results))
    return path


def papers_text(results: Path) -> str:
    evidence = Evidence(results)
    found = {paper.key: [claim.finding(evidence) for claim in paper.claims] for paper in PAPERS}
    lines = ["# What of the five papers holds", *OPENING.splitlines(), ""]
    verdicts = get_args(Verdict)
    rows = []
    for paper in PAPERS:
        counts = Counter(_verdict(finding) for finding in found[paper.key])
        rows.append([f"[{paper.by}](#{_anchor(paper.by)})", *(str(counts[one]) for one in verdicts)])
    total = Counter(_verdict(finding) for findings in found.values() for finding in findings)
    rows.append(["all", *(str(total[one]) for one in verdicts)])
    lines += [*table_lines(["", *verdicts], rows), ""]
    for paper in PAPERS:
        lines += [f"## {paper.by}", "", f"*{paper.title}*", "", *_claims(paper, found[paper.key]), ""]
    return "\n".join(lines).rstrip() + "\n"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _claims(paper: Paper, findings: Sequence[Finding | None]) -> Iterator[str]:
    rows = [
        [claim.place, claim.says, _said(finding), _measured(claim, finding)]
        for claim, finding in zip(paper.claims, findings, strict=True)
    ]
    yield from table_lines(["where", "the paper says", "verdict", "what was measured"], rows)


def _verdict(finding: Finding | None) -> Verdict:
    return NOT_YET if finding is None else finding.verdict


def _said(finding: Finding | None) -> str:
    limits = f" {finding.limits}" if finding is not None and finding.limits else ""
    return MARKS[_verdict(finding)] + limits


def _measured(claim: Claim, finding: Finding | None) -> str:
    if claim.judge is None:
        return f"{claim.why_not[0].upper()}{claim.why_not[1:]}."
    link = f"[{claim.page.partition('#')[0]}]({claim.page})"
    return f"{finding.text} {link}" if finding is not None else f"To come: {link}"

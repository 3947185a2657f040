"""A report as one page of HTML that needs nothing else: no network, and no script but for searching the candidates.

What it says stands in `page.html`, which asks for tables and charts. Whatever is put in there is escaped.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from discovery import numbers
from discovery.arena.tables import cross_legend
from discovery.evaluation import family_tables
from discovery.evaluation.family_tables import LEFT_OUT
from discovery.numbers import fixed, grouped, percent, plural, signed
from discovery.report import charts, page_tables, spending_charts
from discovery.report.matches import robin_names, robin_table
from discovery.report.report import Report
from discovery.report.tables import common_about, settings_table, speed_about, speed_table
from discovery.tables import Code, Heading
from mcsgrammar.display import as_html as escaped

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
NOT_TESTED = {False: "Scores on test problems", True: "Points on test blocks"}
"""By whether agents play."""


def as_html(report: Report) -> str:
    pairs = page_tables.training_pairs(report)
    settings = report.settings
    of_agents = settings.against is not None
    has_runs = settings.play is None and settings.against is None and settings.family is None
    timed = settings.budget is None and report.test is not None and has_runs
    sections = (
        ("tests", report.test.title if report.test else NOT_TESTED[of_agents], report.ranking or report.test),
        ("left-out", LEFT_OUT, report.test and report.test.family and report.test.family.left_out),
        ("robin", "Everybody against everybody", report.robin and report.robin.standings),
        ("curves", "Score against evaluations", report.curves or timed),
        ("training", "Training against test scores", len(pairs) > 1),
        ("components", "Which components help, and where", report.structure),
        ("spending", "How the bandit spent its pulls", report.spending),
        ("solutions", "The best solutions", report.drawings),
        ("matches", "Matches of the recommended agent", report.matches),
        ("ranking", "All candidates", report.ranking),
        ("repeat", "Settings, and how to repeat it", True),
    )
    titles = {name: title for name, title, is_there in sections if is_there}
    files = {name: (HERE / f"report.{name}").read_text(encoding="utf-8") for name in ("css", "js")}
    page = _environment().get_template("page.html").render(report=report, pairs=pairs, titles=titles, **files)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only who wants a page waits for it
    from markupsafe import Markup

    def shown(value: Any) -> Markup:
        """Text that HTML shows as it is; of an expression, code which may be broken behind a bracket."""
        if isinstance(value, Markup):
            return value
        text = escaped(str(value))
        return Markup(f"<code>{text.replace('(', '(<wbr>')}</code>" if isinstance(value, Code) else text)

    def sentence(text: str) -> Markup:
        """With code between backticks."""
        parts = enumerate(text.split("`"))
        less = Markup("&nbsp;&lt;&nbsp;")
        return Markup("").join(shown(Code(part)) if i % 2 else shown(part).replace(" &lt; ", less) for i, part in parts)

    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=shown,
    )
    filters = (fixed, grouped, percent, plural, signed, common_about, minus, classes, svg_data, sentence)
    environment.filters |= {"code": Code, **{one.__name__: one for one in filters}}
    environment.globals |= {"tables": page_tables, "settings_table": settings_table, "charts": charts}
    environment.globals |= {"robin_table": robin_table, "robin_names": robin_names, "cross_legend": cross_legend}
    environment.globals |= {"speed_table": speed_table, "speed_about": speed_about, "families": family_tables}
    environment.globals |= {"spending_charts": spending_charts, "numbers": numbers}
    return environment


def minus(cell: str) -> str:
    """A number with a minus that is as wide as a plus."""
    return cell.replace("-", "−") if cell[:1] == "-" and " " not in cell else cell


def classes(heading: Heading) -> str | None:
    names = [name for name, is_so in (("n", heading.number), ("aux", heading.minor)) if is_so]
    return " ".join(names) or None


def svg_data(svg: str) -> str:
    """The address of a picture that is in it."""
    data = quote(svg.encode("utf-8", "backslashreplace"), safe=" /:;=,()'!*-_.~@?+[]{}|^`$")
    return f"data:image/svg+xml,{data}"

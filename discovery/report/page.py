"""A report as one page of HTML that needs nothing else: no network, and no script but for searching the candidates."""

from discovery.numbers import plural
from discovery.report.campaign_sections import candidates, components, spending
from discovery.report.markup import PageSection, code, e, section, table
from discovery.report.report import Report
from discovery.report.style import CSS
from discovery.report.tables import settings_rows
from discovery.report.test_sections import anytime_curves, solutions, tests, training_and_test

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def as_html(report: Report) -> str:
    sections = [
        tests(report),
        anytime_curves(report),
        training_and_test(report),
        components(report),
        spending(report),
        solutions(report),
        candidates(report),
        repeat(report),
    ]
    present = [(name, title, body) for name, title, body in sections if body]
    links = "".join(f'<li><a href="#{name}">{e(title)}</a></li>' for name, title, _ in present)
    state = e(report.state)
    title = e(f"{report.title}: campaign report")
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="mcsgrammar report">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{CSS}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>{e(report.title)}</h1>
<p class="state">{state if report.complete else f"<strong>{state}</strong>"}. {failures(report)}</p>
<div class="findings">
{findings(report)}
</div>
<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
<main id="content">
{"".join(section(*parts) for parts in present)}
</main>
</body>
</html>
"""
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def findings(report: Report) -> str:
    sentences = []
    for sentence in report.findings:
        parts = sentence.split("`")
        sentences.append(
            "".join(
                code(part) if i % 2 else e(part).replace(" &lt; ", "&nbsp;&lt;&nbsp;") for i, part in enumerate(parts)
            )
        )
    return "\n".join(f"<p>{sentence}</p>" for sentence in sentences)


def failures(report: Report) -> str:
    if not report.failed:
        return ""
    return f"{plural(report.failed, 'pull')} failed and counted as reward 0; failures.jsonl in its folder says why."


def repeat(report: Report) -> PageSection:
    rows = [("", [e(name), e(value)]) for name, value in settings_rows(report)]
    commands = "\n".join(
        f'<p>{e(what)}:</p>\n<pre class="command"><code>{_command(command)}</code></pre>'
        for what, command in report.commands
    )
    settings = table("All that decides what the campaign's journal says", [("setting", ""), ("value", "")], rows)
    return "repeat", "Settings, and how to repeat it", f"{commands}\n{settings}"


def _command(text: str) -> str:
    """A command, which may be broken between words but not inside an option."""
    return " ".join(
        f'<span class="nowrap">{e(word)}</span>' if word[:2] == "--" else e(word) for word in text.split(" ")
    )

"""The room's door: the report of a campaign, and all that it can be written as."""

from discovery.report.page import as_html
from discovery.report.report import Report, make_report
from discovery.report.text import as_csv, as_json_text, as_markdown, as_text

__all__ = ["Report", "as_csv", "as_html", "as_json_text", "as_markdown", "as_text", "make_report"]

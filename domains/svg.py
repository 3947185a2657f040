"""The frame of every picture: one standalone SVG document, readable on light and dark pages."""

from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --paper: #ffffff; --faint: #c9ced8; --given: #e8ebf1;
  --found: #0b62a8; --mark: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --paper: #14171d; --faint: #454b57; --given: #262b35;
  --found: #6cb6ff; --mark: #ff9a5c; } }
text { font-family: system-ui, sans-serif; fill: var(--ink); }
.paper { fill: var(--paper); }
"""


def document(width: float, height: float, title: str, body: list[str], style: str = "") -> str:
    """An SVG document of the given size. `style` is CSS on top of the colours --ink, --paper, --faint, --given,
    --found and --mark; `title` is what a screen reader says."""
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}{style}</style>",
            f'<rect class="paper" width="{width:g}" height="{height:g}"/>',
            *body,
            "</svg>",
            "",
        ]
    )

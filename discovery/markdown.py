"""Text of others in Markdown, so that it shows as it is."""


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    escaped = "".join("\\" + c if c in "\\`*_[]|~#" else c for c in " ".join(text.split()))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text: str) -> str:
    """Code that may stand in a table."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}".replace("|", "\\|")


def sentence(text: str) -> str:
    """A sentence with code between backticks."""
    return "".join(code(part) if i % 2 else _plain_inside(part) for i, part in enumerate(text.split("`")))


def fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


def _plain_inside(part: str) -> str:
    stripped = part.strip(" ")
    if not stripped:
        return part
    return part[: len(part) - len(part.lstrip(" "))] + plain(stripped) + part[len(part.rstrip(" ")) :]

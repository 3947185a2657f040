"""Write the pages of the manual that say what the program itself says:

    python -m docs.generate

language.md comes from the grammar and the classes of the language, commands.md from the commands' own help, python.md
from the facade's docstrings and signatures. A test compares the files with what is written here.
"""

from collections.abc import Callable
from pathlib import Path

from docs.commands_page import commands_page
from docs.language_page import language_page
from docs.python_page import python_page

FOLDER = Path(__file__).parent

PAGES: dict[str, Callable[[], str]] = {
    "language.md": language_page,
    "commands.md": commands_page,
    "python.md": python_page,
}


def main() -> None:
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8", newline="\n")
        print(FOLDER / name)


if __name__ == "__main__":
    main()

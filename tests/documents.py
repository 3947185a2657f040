"""Documents that are run: what a page shows in blocks is done, and must come out as shown.

console   commands after `$ `, run by the installed command; the output below one is compared where there is any: a
          line `…` stands for any lines, and what a clock said is not compared
python    a script, unless it opens with `# name.py`: then it is that file, or an excerpt where the file exists
toml      an excerpt of the file that its first line names
kif       a file that opens with its name, `; name.kif`
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMAND = Path(sys.executable).with_name("mcsgrammar")
FAILURE = re.compile(r"^error: ", re.MULTILINE)
NAMED = re.compile(r"[#;] (\w+\.\w+)\n")
CLOCK = re.compile(r" [\d.e+-]+ s CPU| +[\d.,]+( [kM])?( playouts| evaluations)?/s")
Finished = subprocess.CompletedProcess[str]


class Document:
    """A Markdown page of ours."""

    def __init__(self, name: str) -> None:
        self.path = ROOT / name
        self.text = self.path.read_text(encoding="utf-8")
        self._blocks = re.findall(r"^```(\w+)\n(.*?)^```$", self.text, re.MULTILINE | re.DOTALL)

    def blocks(self, kind: str) -> list[str]:
        return [text for language, text in self._blocks if language == kind]

    def console_lines(self) -> list[tuple[str, str]]:
        """Each command after a prompt, with the output shown below it."""
        commands = []
        for block in self.blocks("console"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                line, _, output = part.partition("\n")
                commands.append((line, output))
        return commands

    def scripts(self) -> list[str]:
        """The Python blocks that are not files."""
        return [text for text in self.blocks("python") if not NAMED.match(text)]

    def files(self) -> list[tuple[str, str]]:
        """(name, text) of the blocks that open with the name of a file."""
        texts = [text for kind in ("python", "toml", "kif") for text in self.blocks(kind)]
        return [(named[1], text) for text in texts if (named := NAMED.match(text))]

    def write_files(self, folder: Path) -> None:
        """Save the files that the blocks hold, all but those that are in the folder already."""
        for name, text in self.files():
            if not (folder / name).exists():
                (folder / name).write_text(text, encoding="utf-8")

    def broken_links(self) -> list[str]:
        """What the page links to that is not there, files and headings."""
        links = re.findall(r"\]\(([^)#:]+)(?:#([^)]+))?\)", self.text)
        assert links
        broken = []
        for target, anchor in links:
            path = self.path.parent / target
            if not path.exists() or (anchor and anchor not in _headings(path)):
                broken.append(f"{target}#{anchor}" if anchor else target)
        return broken


def _headings(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).strip().replace(" ", "-")
        for line in lines
        if line.startswith("#")
    ]


def run(line: str, folder: Path) -> Finished:
    """A line of a console block, in `folder`."""
    words = shlex.split(line)
    if words[0] == "cat":
        shown = "".join((folder / name).read_text(encoding="utf-8") for name in words[1:])
        return subprocess.CompletedProcess(words, 0, shown, "")
    assert words[0] == "mcsgrammar"
    return run_process([str(COMMAND), *words[1:]], folder)


def run_process(words: list[str], folder: Path) -> Finished:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def assert_as_shown(finished: Finished, output: str) -> None:
    """The command did what the page says: it failed only where errors are shown, and printed what is shown."""
    assert finished.returncode == (1 if FAILURE.search(output) else 0), finished.stdout + finished.stderr
    assert finished.stdout, f"{finished.args} printed nothing"
    if not output:
        return
    shown, printed = (CLOCK.sub("(clock)", text) for text in (output, finished.stdout))
    pattern = "".join(r"(?:.*\n)*?" if line == "…" else re.escape(line) + r"\n" for line in shown.splitlines())
    if not re.fullmatch(pattern, printed):
        assert printed == shown  # which says where they differ


def excerpts(text: str) -> list[str]:
    """The pieces of a file that a block shows: what is between its first line and lines `# …`."""
    pieces = re.split(r"^ *# …\n", text.partition("\n")[2], flags=re.MULTILINE)
    return [piece.strip("\n") for piece in pieces if piece.strip()]

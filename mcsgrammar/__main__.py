"""`python -m mcsgrammar` is the command."""

import sys
from pathlib import Path

if not sys.flags.safe_path and Path(__file__).parent.parent != Path(sys.path[0]).resolve():
    del sys.path[0]  # the working directory, where a file may be called like a module of the library

from mcsgrammar.cli import main

main()

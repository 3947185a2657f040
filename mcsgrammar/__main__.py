"""`python -m mcsgrammar` is the command."""

from mcsgrammar.cli import main

main()

"""`python -m experiments`."""

import sys

from domains.errors import UserError
from experiments.cli import main

try:
    main()
except UserError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(2)

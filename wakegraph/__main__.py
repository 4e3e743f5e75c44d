"""`python -m wakegraph` is the command line too."""

import sys

from wakegraph.cli import main

if __name__ == "__main__":
    sys.exit(main())

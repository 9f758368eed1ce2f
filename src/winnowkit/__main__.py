"""``python -m winnowkit`` is the command line."""

import sys

from winnowkit.cli import main

if __name__ == "__main__":
    sys.exit(main())

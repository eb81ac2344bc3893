"""`python -m rageval`, also installed as `rageval`."""

from __future__ import annotations

import sys

from rageval.door import enter


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(enter(sys.argv[1:]))


if __name__ == "__main__":
    main()

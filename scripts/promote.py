"""The promotion: python scripts/promote.py [overrides of `rageval promote`]."""

import sys

from rageval.door import enter

if __name__ == "__main__":
    sys.exit(enter(["promote", *sys.argv[1:]]))

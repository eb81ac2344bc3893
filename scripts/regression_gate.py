"""The regression gate: python scripts/regression_gate.py [overrides of `rageval gate`]."""

import sys

from rageval.door import enter

if __name__ == "__main__":
    sys.exit(enter(["gate", *sys.argv[1:]]))

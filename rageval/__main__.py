"""`python -m rageval`, also installed as `rageval`."""

from __future__ import annotations

import sys
from pathlib import Path

from rageval.cli.main import end_on_sigterm, run_command


def main() -> None:
    """Run the command line and leave with its exit code.

    A user's classes are looked for in the working directory: Python does so after `python -m`, but
    not for an installed script, and both ways in are the same.
    """
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    end_on_sigterm()
    sys.exit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()

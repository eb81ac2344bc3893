"""Fuzz every reader and the command line: `cd tests && python -m fuzzing --cases 100000`.

`--engine atheris` lets coverage guide the damage instead (extra: fuzz). The table that is printed
is the one in docs/robustness.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from fuzzing.run import TARGETS_AND_CLI, fuzz, guided


def main() -> int:
    """Run, print a table, and return how many targets failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="in all, shared by the targets")
    parser.add_argument("--target", choices=TARGETS_AND_CLI, help="one of them alone")
    parser.add_argument("--engine", choices=("hypothesis", "atheris"), default="hypothesis")
    parser.add_argument("--markdown", type=Path, help="write the table there")
    given = parser.parse_args()
    names = [given.target] if given.target else list(TARGETS_AND_CLI)
    if given.engine == "atheris":
        guided(names[0] if given.target else "golden.yaml", given.cases)
    rows, failed = [], 0
    for name in names:
        begun = time.process_time()
        found = fuzz(name, max(1, given.cases // len(names)))
        failed += found.failure is not None
        seconds = time.process_time() - begun
        rows.append(
            f"| {name} | {found.cases:,} | {found.read:,} | {found.refused:,} | {seconds:.0f} |"
        )
        print(rows[-1], flush=True)
        if found.failure:
            print(found.failure, file=sys.stderr)
    if given.markdown:
        columns = ["reader", "cases", "read", "refused with a sentence", "processor seconds"]
        head = [f"| {' | '.join(columns)} |", "| :-- | --: | --: | --: | --: |"]
        given.markdown.write_text("\n".join([*head, *rows]) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())

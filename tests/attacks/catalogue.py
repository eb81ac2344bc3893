"""Every attack, in the order of docs/attacks.md; `python -m attacks.catalogue` prints that page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module

from attacks.attack import Attack

# Of this package, in the order of the page.
MODULES: tuple[str, ...] = (
    "identity", "digests", "seals", "naming", "limits", "set_changes", "promotion", "heldout",
    "ties",
)  # fmt: skip

_HEAD = """\
# Attacks on the verdict

Each row is an attempt to get a wrong verdict without a warning, and the answer to it. One command
tries them all, through the command line and a real tracking store:

```bash
pytest tests/test_attacks.py
```

A test compares this page with the attacks. `…` stands for what varies.
"""


def attacks() -> list[Attack]:
    """Return every attack of every module, in the order in which they are written."""
    modules = [import_module(f"attacks.{name}") for name in MODULES]
    return [found for m in modules for found in vars(m).values() if isinstance(found, Attack)]


def page() -> str:
    """Return the text of docs/attacks.md."""
    return "\n".join([_HEAD, *_tables(attacks())])


def _tables(found: list[Attack]) -> Iterator[str]:
    topic = ""
    for one in found:
        if one.topic != topic:
            topic = one.topic
            yield f"\n## {topic}\n\n| tried | exit | answer |\n|---|---|---|"
        yield f"| {_cell(one.tries)} | {one.code} | {_cell(one.sentence)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(page())

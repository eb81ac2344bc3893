"""What every golden format is: something that loads a golden set."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Protocol

import yaml

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.text import read_text
from rageval.golden.question import GoldenSet
from rageval.schema.names import set_fault, set_name_of


class GoldenSource(Protocol):
    """Reads questions and labels from where they are kept."""

    def load(self, corpus: Corpus) -> GoldenSet:
        """Return the golden set for a corpus; all faults of it are raised as one InputError."""
        ...


def name_from(path: Path) -> str:
    """Return a set's name from that of its file or folder, whether relative or not.

    Examples
    --------
    >>> name_from(Path("data/My Set.json")), name_from(Path("data/../v1.2"))
    ('my_set', 'v1')
    """
    found = path.resolve()
    return set_name_of(found.name if found.is_dir() else found.stem)


def stated_name(path: Path) -> str | None:
    """Return the name in the `set:` line of a golden file in our own format, None without one.

    What is wrong with the file is for its reader to say.

    Examples
    --------
    >>> stated_name(Path("no such file.yaml")) is None
    True
    """
    try:
        text = read_text(path)
    except InputError:
        return None
    if path.suffix in (".yaml", ".yml"):
        found = re.search(r"^set[ \t]*:.*$", text, re.MULTILINE)
        row = found[0] if found else ""
    elif path.suffix == ".jsonl":
        row = text.lstrip().partition("\n")[0]
    else:
        row = text if path.suffix == ".json" else ""
    name = _value_of_set(row, path.suffix)
    return name if name is not None and set_fault(name) is None else None


def _value_of_set(text: str, suffix: str) -> str | None:
    try:
        whole = yaml.safe_load(text) if suffix in (".yaml", ".yml") else json.loads(text or "null")
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    name = whole.get("set") if isinstance(whole, dict) else None
    return name if isinstance(name, str) else None

"""Writing what is exported."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rageval.errors import InputError


def write_text(path: Path, text: str) -> None:
    """Write a file, and the folders above it.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error}") from error


def write_json(path: Path, content: object) -> None:
    """Write a JSON file, indented."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

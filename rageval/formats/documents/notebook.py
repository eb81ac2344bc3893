"""Jupyter notebooks as Markdown: text cells as they are, code cells as code; no output."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rageval.errors import InputError
from rageval.files.nodes import load_json


def markdown_of(text: str, path: Path) -> str:
    """Return the cells of a notebook, a blank line between them.

    Raises
    ------
    InputError
        If it is no notebook.
    """
    found = load_json(text, path)
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list):
        raise InputError(f"{path}: no notebook: it has no list of cells")
    parts = [part for cell in cells for part in _parts(cell) if part.strip()]
    return "\n\n".join(parts) + "\n" if parts else ""


def _parts(cell: Any) -> Iterator[str]:  # noqa: ANN401  any JSON value
    if not isinstance(cell, dict):
        return
    source = cell.get("source", "")
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    if cell.get("cell_type") == "markdown":
        yield text
    elif cell.get("cell_type") == "code" and text.strip():
        yield f"```\n{text}\n```"

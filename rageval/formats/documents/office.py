"""Word, PowerPoint and Excel files as Markdown, by markitdown."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from rageval.errors import InputError


def markdown_of(path: Path) -> str:
    """Return a file's text as Markdown.

    Raises
    ------
    InputError
        If it cannot be read, or markitdown is not installed.
    """
    try:
        markitdown = import_module("markitdown")
    except ImportError:
        raise InputError(
            f'{path}: reading {path.suffix} needs markitdown: pip install "rageval[office]"'
        ) from None
    faults = (markitdown.MarkItDownException, OSError, ValueError, KeyError)
    try:
        return str(markitdown.MarkItDown().convert_local(str(path)).text_content)
    except faults as error:
        told = " ".join(str(error).split())[:200]
        raise InputError(f"{path}: cannot be read as {path.suffix}: {told}") from error

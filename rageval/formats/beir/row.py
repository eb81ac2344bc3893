"""The names that BEIR collections are found with, and the files that they lie in."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from rageval.errors import InputError

_ID = ("_id", "id", "docid", "doc_id", "document_id", "query_id", "qid", "pid")
_TEXT = ("text", "contents", "passage", "body", "query", "question")


def named(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a row under BEIR's own names: `id` for `_id` will do, and a whole number for text.

    Examples
    --------
    >>> named({"docid": 7, "contents": "x"})
    {'docid': 7, 'contents': 'x', '_id': '7', 'text': 'x'}
    """
    found = dict(fields)
    for wanted, names in (("_id", _ID), ("text", _TEXT)):
        if wanted not in found:
            other = next((name for name in names if name in found), None)
            if other is not None:
                found[wanted] = found[other]
    if isinstance(found.get("_id"), int) and not isinstance(found["_id"], bool):
        found["_id"] = str(found["_id"])
    return found


def opened(path: str) -> Path:
    """Return a path, or the folder that a .zip file holds.

    Raises
    ------
    InputError
        If nothing is there, or the file is no zip file.
    """
    found = Path(path)
    if not found.exists():
        raise InputError(f"{path}: there is no such file or folder")
    if found.suffix.lower() != ".zip":
        return found
    return _unpacked(str(found.resolve()), found.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _unpacked(path: str, changed: int) -> Path:
    """Unpack a file once for each state of it; what was unpacked goes when the program ends."""
    target = Path(tempfile.mkdtemp(prefix="rageval-zip-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    try:
        with zipfile.ZipFile(path) as packed:
            packed.extractall(target)
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise InputError(f"{path}: cannot be read as zip: {error}") from error
    inside = [item for item in target.iterdir() if not item.name.startswith(("__MACOSX", "."))]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else target

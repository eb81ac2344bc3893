"""Files as exact text: nothing is translated, and a missing file is a sentence."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from contextlib import suppress
from pathlib import Path

from rageval.errors import InputError
from rageval.files.limits import MB, require_regular, unpacked_limit

_BOM = b"\xef\xbb\xbf"


def read_bytes(path: Path) -> bytes:
    """Return a file's content without a byte order mark; a name that ends in .gz is unpacked.

    Raises
    ------
    InputError
        If the file is missing, unreadable, not a regular file, larger than the limits allow, or
        not the gzip file that its name says.
    """
    try:
        require_regular(path)
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = _unpacked(content, path)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    return content.removeprefix(_BOM)


def _unpacked(packed: bytes, path: Path) -> bytes:
    """Unpack a gzip file, as far as the limits allow."""
    most = unpacked_limit(len(packed))
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InputError(
            f"{path}: unpacks to more than {most / MB:,.0f} MB from {len(packed) / MB:,.1f} "
            "(limits.unpacked_mb, limits.unpacked_ratio)"
        )
    return content


def read_text(path: Path) -> str:
    """Return a file's text, newlines untouched and without a byte order mark.

    Raises
    ------
    InputError
        If the file cannot be read or is not UTF-8.
    """
    content = read_bytes(path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8 ({error.reason}); save it as UTF-8") from error


def replace_text(path: Path, text: str) -> None:
    """Replace a file in one step, so that it is never half written.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")  # two programs have two drafts
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise InputError(f"{path}: cannot be written: {error}") from error


def folder(path: str) -> Path:
    """Return the path of a folder that exists.

    Raises
    ------
    InputError
        If there is no such folder.
    """
    found = Path(path)
    if not found.is_dir():
        what = "is not a folder" if found.exists() else "there is no such folder"
        raise InputError(f"{path}: {what}")
    return found

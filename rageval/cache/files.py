"""Arrays in files: written whole, mapped into memory, and taken only if they are what was written.

A file is an ordinary uncompressed .npz whose arrays begin where a processor likes to read them, so
that they need not be loaded: several processes that map one file hold it once. It says what it
holds, with the sha256 of its content, which is worked out again through the map when it is opened.
Nothing in it is a pickled object.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import time
import tokenize
import uuid
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
_OWN = "rageval.content"  # the array by which a file says what it holds
_ABANDONED = 3600  # seconds after which a half-written file is nobody's
_MAPPED = 2**16  # bytes from which an array stays in its file
_ALIGNED = 64  # bytes
_PADDING = 0x4642  # the kind of extra field that is nothing but padding
_LOCAL = struct.Struct("<4s22xHH")  # of a zip's local header: magic, length of name and extra
# What numpy and zipfile raise on files that are damaged or not ours.
_DAMAGE = (
    OSError, ValueError, EOFError, KeyError, TypeError, RuntimeError, OverflowError, MemoryError,
    SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip


@dataclass(frozen=True)
class Folder:
    """A folder of arrays by name that several processes may share; the least lately used go first.

    Each file is written under another name and then renamed; none is ever changed, so a map stays
    what it was when it was opened, even of a file that was removed meanwhile.
    """

    place: Path
    limit: int  # bytes

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin so."""
        return sorted(file.stem for file in self.place.glob(f"{prefix}*.npz"))

    def read(self, name: str) -> Arrays | None:
        """Return the arrays of a name; None if there are none, or what is there is damaged."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                found = taken(name, file, path)
        except OSError:
            return None
        if found is None:
            return None
        with contextlib.suppress(OSError):  # a folder that others fill may be read and no more
            os.utime(path)
        return found

    def write(self, name: str, arrays: Arrays) -> None:
        """Keep arrays; a full or read-only disk costs time, not the evaluation."""
        part = self.place / f"{uuid.uuid4().hex}.part"
        with contextlib.suppress(OSError):
            self.place.mkdir(parents=True, exist_ok=True)
            try:
                with part.open("wb") as file:
                    put(name, file, arrays)
                part.replace(self._path(name))
            finally:
                part.unlink(missing_ok=True)
            self._evict()

    def remove(self, name: str) -> None:
        """Remove what is kept under a name, if there is anything."""
        with contextlib.suppress(OSError):
            self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.place / f"{name}.npz"

    def _evict(self) -> None:
        """Delete the least lately used files over the limit, and what dead processes left."""
        old = time.time() - _ABANDONED
        for part in self.place.glob("*.part"):
            if part.stat().st_mtime < old:
                part.unlink(missing_ok=True)
        files = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in self.place.glob("*.npz"))
        total = sum(size for _, size, _ in files)
        for _, size, file in files:
            if total <= self.limit:
                return
            file.unlink(missing_ok=True)
            total -= size


def taken(name: str, file: BinaryIO, path: Path | None = None) -> Arrays | None:
    """Return what a file holds under a name, large arrays mapped if it lies at a path.

    None if it is damaged or holds something else.
    """
    try:
        found = dict(_arrays(file, path))
        if found.pop(_OWN).item() != _signed(name, found):
            return None
    except _DAMAGE:
        return None
    return found


def put(name: str, file: BinaryIO, arrays: Arrays) -> None:
    """Write arrays to a file that says what it holds."""
    whole = {_OWN: np.array(_signed(name, arrays)), **arrays}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for key, array in whole.items():
            info = zipfile.ZipInfo(f"{key}.npy")
            info.file_size = array.nbytes
            begins = archive.start_dir + _LOCAL.size + len(info.filename) + 4
            room = -begins % _ALIGNED
            info.extra = struct.pack("<HH", _PADDING, room) + bytes(room)
            with archive.open(info, "w") as inner:
                np.lib.format.write_array(inner, array, allow_pickle=False)


def _arrays(file: BinaryIO, path: Path | None) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of a file by name; large ones are mapped, not loaded, if it has a path."""
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_STORED:
                raise ValueError("compressed")
            file.seek(info.header_offset)
            _, name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
            file.seek(info.header_offset + _LOCAL.size + name + extra)
            yield info.filename.removesuffix(".npy"), _array(path, file)


def _array(path: Path | None, file: BinaryIO) -> NDArray[Any]:
    """Return the array that begins where an open file stands."""
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise ValueError("a form that is not written here")
    shape, fortran, kind = np.lib.format.read_array_header_1_0(file)
    if kind.hasobject:
        raise ValueError("pickled objects")
    order, size = "F" if fortran else "C", kind.itemsize * int(np.prod(shape, dtype=np.int64))
    if path is not None and size >= _MAPPED:
        held: NDArray[Any] = np.memmap(path, kind, "r", file.tell(), shape, order)  # type: ignore[call-overload]  # either order
    else:
        held = np.frombuffer(file.read(size), kind).reshape(shape, order=order)  # type: ignore[call-overload]  # either order
    return held


def _signed(name: str, arrays: Arrays) -> str:
    """Return the name of a result with the digest of its content."""
    return f"{name} {content_digest(arrays)}"


def content_digest(arrays: Arrays) -> str:
    """Return the sha256 of arrays with their names, types and shapes."""
    total = hashlib.sha256()
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        total.update(f"{key} {array.dtype.str} {array.shape} ".encode())
        if array.size:
            total.update(array.reshape(-1).view(np.uint8).data)
    return total.hexdigest()

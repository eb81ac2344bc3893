"""Where stages keep their results: in memory, and on disk if there is a folder."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import struct
import threading
import time
import uuid
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rageval.chunking.chunks import Chunks
from rageval.corpus.document import Corpus
from rageval.fields import Count, Name, Record
from rageval.stages.size import held

T = TypeVar("T")
Arrays = Mapping[str, NDArray[Any]]
_OWN = "rageval.content"  # the array by which a file says what it holds
_ABANDONED = 3600  # seconds after which a half-written file is nobody's
# What numpy and zipfile raise on files that are damaged or not ours.
_DAMAGE = (
    OSError, ValueError, EOFError, KeyError, TypeError, RuntimeError, OverflowError, MemoryError,
    SyntaxError, BadZipFile, zlib.error, struct.error,
)  # fmt: skip


class CacheConfig(Record):
    """Which results are kept."""

    kind: Literal["memory", "disk", "off"]
    dir: Name  # of kind disk
    memory_mb: Count
    disk_mb: Count


class Stages:
    """Results by stage and digest; the least lately used go first when there are too many.

    Only arrays go to disk, as .npz files without pickled objects, each written whole under another
    name and then renamed, so that several processes may share a folder. A file that cannot be read,
    or that holds something else than its name says, is computed anew.
    """

    def __init__(self, config: CacheConfig) -> None:
        self.config = config
        self.hits: Counter[str] = Counter()  # stage → results that were there
        self.misses: Counter[str] = Counter()  # stage → results that were computed
        self._kept: OrderedDict[str, tuple[Any, int]] = OrderedDict()  # key → result, bytes
        self._size = 0
        self._lock = threading.Lock()

    def value(self, stage: str, key: str, compute: Callable[[], T]) -> T:
        """Return a result that is kept in memory alone."""
        name = f"{stage}-{key}"
        found = self._find(name)
        if found is not None:
            self.hits[stage] += 1
            kept: T = found
            return kept
        self.misses[stage] += 1
        result = compute()
        self._keep(name, result)
        return result

    def arrays(self, stage: str, key: str, compute: Callable[[], Arrays | None]) -> Arrays | None:
        """Return arrays by name, from memory or disk, or computed and kept in both.

        What computes to None is not kept.
        """
        name = f"{stage}-{key}"
        found = self._find(name)
        if found is None:
            found = self._read(name)
            if found is not None:
                self._keep(name, found)
        if found is not None:
            self.hits[stage] += 1
            kept: Arrays = found
            return kept
        self.misses[stage] += 1
        result = compute()
        if result is not None:
            self._keep(name, result)
            self._write(name, result)
        return result

    def _find(self, name: str) -> Any | None:  # noqa: ANN401  whatever was kept
        with self._lock:
            if name not in self._kept:
                return None
            self._kept.move_to_end(name)
            return self._kept[name][0]

    def _keep(self, name: str, result: object) -> None:
        if self.config.kind == "off":
            return
        size = held(result, (Stages, Chunks, Corpus))
        with self._lock:
            self._size += size - self._kept.pop(name, (None, 0))[1]
            self._kept[name] = (result, size)
            while self._size > self.config.memory_mb * 2**20 and len(self._kept) > 1:
                self._size -= self._kept.popitem(last=False)[1][1]

    def _path(self, name: str) -> Path:
        return Path(self.config.dir) / f"{name}.npz"

    def _read(self, name: str) -> Arrays | None:
        if self.config.kind != "disk":
            return None
        path = self._path(name)
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
                found = {key: file[key] for key in file.files}
            if str(found.pop(_OWN)) != _signed(name, found):
                return None
        except _DAMAGE:
            return None
        with contextlib.suppress(OSError):  # a folder that others fill may be read and no more
            os.utime(path)
        return found

    def _write(self, name: str, result: Arrays) -> None:
        """Keep arrays on disk; a full or read-only disk costs time, not the evaluation."""
        if self.config.kind != "disk":
            return
        content = io.BytesIO()
        named: dict[str, Any] = {_OWN: np.array(_signed(name, result)), **result}
        np.savez(content, **named)
        folder = Path(self.config.dir)
        part = folder / f"{uuid.uuid4().hex}.part"
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(content.getbuffer())
                part.replace(self._path(name))
            finally:
                part.unlink(missing_ok=True)
            self._evict(folder)

    def _evict(self, folder: Path) -> None:
        """Delete the least lately used files over the limit, and what dead processes left."""
        old = time.time() - _ABANDONED
        for part in folder.glob("*.part"):
            if part.stat().st_mtime < old:
                part.unlink(missing_ok=True)
        files = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in folder.glob("*.npz"))
        total = sum(size for _, size, _ in files)
        for _, size, file in files:
            if total <= self.config.disk_mb * 2**20:
                return
            file.unlink(missing_ok=True)
            total -= size


def _signed(name: str, arrays: Arrays) -> str:
    """Return the name of a result with the digest of its content."""
    total = hashlib.sha256()
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        total.update(f"{key} {array.dtype.str} {array.shape} ".encode())
        total.update(array.tobytes())
    return f"{name} {total.hexdigest()}"

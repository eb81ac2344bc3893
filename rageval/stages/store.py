"""Where stages keep their results: in memory, and on disk if there is a folder."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rageval.fields import Count, Name, Record

T = TypeVar("T")
Arrays = Mapping[str, NDArray[Any]]


class CacheConfig(Record):
    """Which results are kept."""

    kind: Literal["memory", "disk", "off"]
    dir: Name  # of kind disk
    memory_mb: Count
    disk_mb: Count


class Stages:
    """Results by stage and digest; the least lately used go first when there are too many.

    Only arrays go to disk, as .npz files without pickled objects, each written whole under another
    name and then renamed, so that several processes may share a folder. A file that cannot be read
    is computed anew.
    """

    def __init__(self, config: CacheConfig) -> None:
        self.config = config
        self.hits: Counter[str] = Counter()  # stage → results that were there
        self.misses: Counter[str] = Counter()  # stage → results that were computed
        self._kept: OrderedDict[str, tuple[Any, int]] = OrderedDict()  # key → result, bytes
        self._size = 0
        self._lock = threading.Lock()

    def value(self, stage: str, key: str, compute: Callable[[], T], size: int = 0) -> T:
        """Return a result that is kept in memory alone; `size` is what it counts for, in bytes."""
        name = f"{stage}-{key}"
        found = self._find(name)
        if found is not None:
            self.hits[stage] += 1
            kept: T = found
            return kept
        self.misses[stage] += 1
        result = compute()
        self._keep(name, result, size)
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
                self._keep(name, found, _bytes(found))
        if found is not None:
            self.hits[stage] += 1
            kept: Arrays = found
            return kept
        self.misses[stage] += 1
        result = compute()
        if result is not None:
            self._keep(name, result, _bytes(result))
            self._write(name, result)
        return result

    def _find(self, name: str) -> Any | None:  # noqa: ANN401  whatever was kept
        with self._lock:
            if name not in self._kept:
                return None
            self._kept.move_to_end(name)
            return self._kept[name][0]

    def _keep(self, name: str, result: object, size: int) -> None:
        if self.config.kind == "off":
            return
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
            with np.load(path, allow_pickle=False) as file:
                found = {key: file[key] for key in file.files}
            os.utime(path)
        except (OSError, ValueError, EOFError, BadZipFile, KeyError):
            return None
        return found

    def _write(self, name: str, result: Arrays) -> None:
        """Keep arrays on disk; a full or read-only disk costs time, not the evaluation."""
        if self.config.kind != "disk":
            return
        with contextlib.suppress(OSError):
            folder = Path(self.config.dir)
            folder.mkdir(parents=True, exist_ok=True)
            content = io.BytesIO()
            np.savez(content, allow_pickle=False, **dict(result))
            with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
                file.write(content.getbuffer())
            Path(file.name).replace(self._path(name))
            self._evict(folder)

    def _evict(self, folder: Path) -> None:
        files = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in folder.glob("*.npz"))
        total = sum(size for _, size, _ in files)
        for _, size, file in files:
            if total <= self.config.disk_mb * 2**20:
                return
            file.unlink(missing_ok=True)
            total -= size


def _bytes(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())

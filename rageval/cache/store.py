"""The cache: results by stage and digest, in memory and on disk if there is a folder."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from rageval.cache.files import Arrays, Folder, content_digest
from rageval.cache.remote import Remote
from rageval.cache.size import held
from rageval.chunking.chunks import Chunks
from rageval.corpus.document import Corpus
from rageval.schema.fields import Count, Name, Record

T = TypeVar("T")


class CacheConfig(Record):
    """Which results are kept."""

    kind: Literal["memory", "disk", "off"]
    dir: Name  # of kind disk: a folder, or a URL that fsspec reads and writes
    memory_mb: Count
    disk_mb: Count


def _shelf(config: CacheConfig) -> Folder | Remote:
    scheme, mark, rest = config.dir.partition("://")
    if mark and scheme not in {"file", "local"}:
        return Remote.at(config.dir)
    return Folder(Path(rest if mark else config.dir), config.disk_mb * 2**20)


class Cache:
    """Results by stage and digest; the least lately used go first when there are too many.

    Only arrays go to disk (see `rageval.cache.files`). A file that cannot be read, or that holds
    something else than its name says, is computed again.
    """

    def __init__(self, config: CacheConfig) -> None:
        self.config = config
        self.hits: Counter[str] = Counter()  # stage → results that were there
        self.misses: Counter[str] = Counter()  # stage → results that were computed
        self.seconds: defaultdict[str, float] = defaultdict(float)  # stage → its own computing
        self.folder = _shelf(config) if config.kind == "disk" else None
        self._kept: OrderedDict[str, tuple[Any, int]] = OrderedDict()  # key → result, bytes
        self._size = 0
        self._lock = threading.Lock()

    def get_or_compute(self, stage: str, key: str, compute: Callable[[], T]) -> T:
        """Return a result that is kept in memory alone."""
        name = f"{stage}-{key}"
        found = self._find(name)
        if found is not None:
            self.hits[stage] += 1
            kept: T = found
            return kept
        result = self._computed(stage, compute)
        self._keep(name, result)
        return result

    def memoize(self, name: str, key: str, compute: Callable[[], T], stage: str = "") -> T:
        """Memoize a cheap value in memory without counting it as a stage of its own.

        With a `stage` it is made from the results of that one, and counts as one of them that was
        there; when it is made, the stage itself counts.
        """
        place = f"{name}-{key}"
        found = self._find(place)
        if found is not None:
            if stage:
                self.hits[stage] += 1
            kept: T = found
            return kept
        result = compute()
        self._keep(place, result)
        return result

    def get_or_compute_arrays(
        self, stage: str, key: str, compute: Callable[[], Arrays | None]
    ) -> Arrays | None:
        """Return arrays by name, from memory or disk, or computed and kept in both.

        What computes to None is not kept.
        """
        name = f"{stage}-{key}"
        found = self._find(name)
        if found is None and self.folder is not None:
            found = self.folder.read(name)
            if found is not None:
                self._keep(name, found)
        if found is not None:
            self.hits[stage] += 1
            kept: Arrays = found
            return kept
        result = self._computed(stage, compute)
        if result is not None:
            self._keep(name, result)
            if self.folder is not None:
                self.folder.write(name, result)
        return result

    def get_packs(self, stage: str, key: str) -> list[Arrays]:
        """Return the sets of arrays that were kept under one key, by whatever process."""
        name = f"{stage}-{key}"
        held: dict[str, Arrays] = dict(self._find(name) or {})
        if self.folder is not None:
            for file in self.folder.names(f"{name}-"):
                found = held.get(file) or self.folder.read(file)
                if found is not None:
                    held[file] = found
        self._keep(name, held)
        return list(held.values())

    def put_packs(self, stage: str, key: str, packs: Sequence[Arrays]) -> None:
        """Keep sets of arrays in place of all that were kept under that key."""
        name = f"{stage}-{key}"
        before = set(self._find(name) or {})
        held = {f"{name}-{content_digest(pack)[:16]}": pack for pack in packs}
        self._keep(name, held)
        if self.folder is not None:
            for file in set(held) - before:
                self.folder.write(file, held[file])
            for file in before - set(held):  # they were put together
                self.folder.remove(file)

    def count(self, stage: str, hits: int, misses: int) -> None:
        """Note what a caller found by itself."""
        self.hits[stage] += hits
        self.misses[stage] += misses

    def _computed(self, stage: str, compute: Callable[[], T]) -> T:
        """Compute, and note what that took without the stages that were computed for it."""
        self.misses[stage] += 1
        begun, before = time.perf_counter(), sum(self.seconds.values())
        result = compute()
        inside = sum(self.seconds.values()) - before
        self.seconds[stage] += time.perf_counter() - begun - inside
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
        size = held(result, (Cache, Chunks, Corpus))
        with self._lock:
            self._size += size - self._kept.pop(name, (None, 0))[1]
            self._kept[name] = (result, size)
            while self._size > self.config.memory_mb * 2**20 and len(self._kept) > 1:
                self._size -= self._kept.popitem(last=False)[1][1]

"""Results that a store did not take, kept on disk until `sync` delivers them.

Each lies in a folder of its own that appears whole or not at all. It names the run that it is for,
and is taken away when that run is FINISHED; delivering it twice changes nothing.
"""

from __future__ import annotations

import json
import re
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from filelock import FileLock

from rageval.errors import InputError
from rageval.escaping.redaction import redacted_bytes, without_accounts
from rageval.tracking.run import Dataset, Record
from rageval.tracking.store import Location

SCHEMA = 1
_OLD = 3600  # seconds after which nobody is still writing a result
_FACTS, _FILES = "entry.json", "files"


@dataclass(frozen=True)
class Entry:
    """A result that waits."""

    key: str  # unlike that of any other
    store: str  # where it goes, without credentials
    experiment: str  # name
    run: str  # id of the run that was begun for it
    name: str  # of the run
    parent: str  # id of the run of its sweep; empty = none
    started: int  # milliseconds
    ended: int
    record: Record


@dataclass(frozen=True)
class Waiting:
    """A folder of the outbox, read or not."""

    folder: Path
    entry: Entry | None
    fault: str = ""  # why it could not be read


def address_of(location: Location) -> str:
    """Return what a store is known by in an outbox; one that lies beside it may move with it."""
    if location.file is None or location.outbox is None:
        return location.shown
    root = location.outbox.parent
    inside = location.file.is_relative_to(root)
    return str(location.file.relative_to(root) if inside else location.file)


def put(outbox: Path, entry: Entry) -> Path:
    """Keep a result on disk and return its folder.

    Raises
    ------
    OSError
        If it cannot be written; nothing of it is left then.
    """
    when = time.strftime("%Y%m%d-%H%M%S", time.gmtime(entry.ended / 1000))
    folder = outbox / f"{when}-{entry.key}"
    aside = outbox / f".{folder.name}.new"
    try:
        for path, content in entry.record.files.items():
            target = aside / _FILES / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(redacted_bytes(content))
        aside.mkdir(parents=True, exist_ok=True)
        (aside / _FACTS).write_text(_written(entry), encoding="utf-8")
        aside.replace(folder)
    except OSError:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return folder


def new_key() -> str:
    """Return a name for a result."""
    return uuid.uuid4().hex


def _written(entry: Entry) -> str:
    record = entry.record
    facts = {
        "schema": SCHEMA,
        **{key: getattr(entry, key) for key in _PLAIN},
        "params": {key: without_accounts(value) for key, value in record.params.items()},
        "metrics": dict(record.metrics),
        "tags": {key: without_accounts(value) for key, value in record.tags.items()},
        "datasets": [asdict(dataset) for dataset in record.datasets],
        "tables": list(record.tables),
    }
    return json.dumps(facts, ensure_ascii=False, indent=1, default=dict)


_PLAIN = ("key", "store", "experiment", "run", "name", "parent", "started", "ended")


def folders(outbox: Path | None) -> list[Path]:
    """Return the results that wait, the oldest first."""
    if outbox is None or not outbox.is_dir():
        return []
    return sorted(path for path in outbox.iterdir() if (path / _FACTS).is_file())


def waiting(outbox: Path) -> Iterator[Waiting]:
    """Read the results that wait, the oldest first."""
    for folder in folders(outbox):
        try:
            yield Waiting(folder, _read(folder))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
            yield Waiting(folder, None, f"cannot be read: {type(fault).__name__}: {fault}")


def _read(folder: Path) -> Entry:
    facts: dict[str, Any] = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
    if facts["schema"] != SCHEMA:
        raise ValueError(f"written by a newer version of rageval (schema {facts['schema']})")
    if not re.fullmatch(r"[0-9a-f]{32}", facts["key"]):
        raise ValueError(f"{facts['key']!r} is no name of a result")
    record = Record(
        params=_texts(facts["params"]),
        metrics={str(key): float(value) for key, value in facts["metrics"].items()},
        tags=_texts(facts["tags"]),
        datasets=[Dataset(**dataset) for dataset in facts["datasets"]],
        files=_files(folder / _FILES),
        tables=[str(name) for name in facts["tables"]],
    )
    plain = {key: str(facts[key]) for key in _PLAIN[:-2]}
    return Entry(**plain, started=int(facts["started"]), ended=int(facts["ended"]), record=record)


def _texts(found: Mapping[str, object]) -> dict[str, str]:
    return {str(key): str(value) for key, value in found.items()}


def _files(folder: Path) -> dict[str, bytes]:
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {PurePosixPath(path.relative_to(folder)).as_posix(): path.read_bytes() for path in found}


@contextmanager
def alone(outbox: Path) -> Iterator[None]:
    """Let one program at a time deliver.

    Raises
    ------
    InputError
        If the outbox cannot be written.
    """
    try:
        lock = FileLock(outbox / ".lock")
        lock.acquire()
    except OSError as fault:
        raise InputError(f"{outbox} cannot be written: {fault.strerror or fault}") from fault
    try:
        yield
    finally:
        lock.release()


def remove(waiting: Waiting) -> None:
    """Take a delivered result out of the outbox."""
    done = waiting.folder.with_name(f".{waiting.folder.name}.done")
    waiting.folder.replace(done)
    shutil.rmtree(done, ignore_errors=True)


def sweep_up(outbox: Path) -> None:
    """Take away what an interrupted program left: halves of results, and delivered ones."""
    halves = (left for left in outbox.glob(".*.new") if time.time() - left.stat().st_mtime > _OLD)
    for left in [*halves, *outbox.glob(".*.done")]:
        shutil.rmtree(left, ignore_errors=True)

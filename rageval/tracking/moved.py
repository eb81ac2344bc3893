"""A store that we keep ourselves, in a folder that was moved, renamed or copied.

MLflow writes down where artifacts lie as absolute paths. Once the folder is somewhere else, they
lead to where it was: to nothing, or into the folder that it was copied from.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rageval.errors import UnreachableError
from rageval.schema.names import folder_of

ARTIFACTS = "artifacts"  # the folder beside the database
_BACKUP = ".before-move"  # what the name of the database's copy ends with
# Where MLflow keeps paths: table, column, and which of its rows hold one.
_PLACES = (
    ("experiments", "artifact_location", ""),
    ("runs", "artifact_uri", ""),
    ("model_versions", "source", ""),
    ("model_versions", "storage_location", ""),
    ("logged_models", "artifact_location", ""),
    ("trace_tags", "value", "key = 'mlflow.artifactLocation'"),
)
_FOLDERS = ("runs", "logged_models")  # tables whose paths are those of whole folders of artifacts


@dataclass(frozen=True, slots=True)
class _Row:
    table: str
    column: str
    number: int  # rowid
    before: str
    after: str


def follow(file: Path) -> str:
    """Let the paths in a database lead to where it lies now, and return what was done in words.

    Empty if it lies where it lay. The caller holds the lock of the store. Artifacts that are left
    in the old place alone are copied, so that nothing of a copy is written or read there.

    Raises
    ------
    UnreachableError
        If it was moved and its paths cannot be rewritten.
    """
    here = file.parent
    try:
        with closing(sqlite3.connect(file)) as base:
            told = [_rewritten(base, file, old) for old in _former(base, here, file.name)]
    except (sqlite3.Error, OSError) as fault:
        raise UnreachableError(
            f"the tracking store in {here} was moved there, and the paths of its artifacts cannot "
            f"be rewritten: {fault}; let {file} and its folder be written to"
        ) from fault
    return "; ".join(told)


def _former(base: sqlite3.Connection, here: Path, database: str) -> Iterator[str]:
    """Yield the roots, as they are written, that experiments of ours were made below."""
    seen = {here.as_uri(), str(here)}
    if not _has(base, "experiments", "artifact_location"):
        return
    for name, place in base.execute("SELECT name, artifact_location FROM experiments").fetchall():
        root, _, folder = (place or "").rpartition(f"/{ARTIFACTS}/")
        if not root or unquote(folder) != folder_of(name) or root in seen:
            continue  # not one that we made
        seen.add(root)
        old = _path(root)
        if old != here and _left(old, here, unquote(folder), database):
            yield root


def _left(old: Path, here: Path, folder: str, database: str) -> bool:
    """Say whether a store was moved or copied from there, and does not keep its artifacts there."""
    moved = (here / ARTIFACTS / folder).exists() or not (old / ARTIFACTS / folder).exists()
    return moved or (old / database).exists()


def _rewritten(base: sqlite3.Connection, file: Path, root: str) -> str:
    here, old = file.parent, _path(root)
    rows = list(_rows(base, root, here))
    _back_up(base, file)
    for row in rows:
        if row.table in _FOLDERS:
            _fetch(_path(row.before), _path(row.after))
    with base:
        for row in rows:
            base.execute(
                f"UPDATE {row.table} SET {row.column} = ? WHERE rowid = ?",
                (row.after, row.number),
            )
    number = sum(1 for row in rows if row.table == "runs")
    runs = f"{number} run" + ("" if number == 1 else "s")
    how = "copied" if (old / file.name).exists() else "moved"
    return (
        f"this store was {how} from {old}: the paths of its {runs} lead to {here} now (the "
        f"database as it was: {file.name}{_BACKUP})"
    )


def _rows(base: sqlite3.Connection, root: str, here: Path) -> Iterator[_Row]:
    forms = {f"{root}/": f"{here.as_uri()}/", f"{_path(root)}/": f"{here}/"}
    for table, column, condition in _PLACES:
        if not _has(base, table, column):
            continue
        where = f"WHERE {condition}" if condition else ""
        query = f"SELECT rowid, {column} FROM {table} {where}"
        for number, before in base.execute(query).fetchall():
            for old, new in forms.items():
                if (before or "").startswith(old):
                    after = new + before.removeprefix(old)
                    yield _Row(table, column, number, before, after)
                    break


def _has(base: sqlite3.Connection, table: str, column: str) -> bool:
    return column in {row[1] for row in base.execute(f"PRAGMA table_info({table})")}


def _back_up(base: sqlite3.Connection, file: Path) -> None:
    aside = file.with_name(f".{file.name}{_BACKUP}.new")
    aside.unlink(missing_ok=True)
    with closing(sqlite3.connect(aside)) as copy:
        base.backup(copy)
    aside.replace(file.with_name(f"{file.name}{_BACKUP}"))


def _fetch(old: Path, new: Path) -> None:
    """Copy a folder that is in the old place alone; a copy is there whole or not at all."""
    if new.exists() or not old.is_dir():
        return
    aside = new.with_name(f".{new.name}.{os.getpid()}.new")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(old, aside)
    aside.replace(new)


def _path(place: str) -> Path:
    """Return the path that a file's URI, or a plain path, names."""
    parts = urlsplit(place)
    return Path(unquote(parts.path)) if parts.scheme == "file" else Path(place)

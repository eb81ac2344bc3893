"""The database of a store that we keep ourselves: made aside, and put in place whole."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

_ENDS = ("-journal", "-wal", "-shm")  # of the files that sqlite keeps beside a database
_BOOKKEEPING = ("alembic_version", "workspaces")  # tables that MLflow fills while it makes them


def address(file: Path) -> str:
    """Return the address of a database as SQLAlchemy reads it, whatever its folders are called."""
    plain = f"sqlite:///{file}"
    if not re.search(r"[%?]", str(file)):
        return plain
    from sqlalchemy.engine import make_url

    # Versions before 2.1 take the name of the file as it is. With its driver named MLflow does not
    # make the folders of an address that it has not decoded.
    quoted = str(file).replace("%", "%25").replace("?", "%3F")
    forms = (plain, f"sqlite+pysqlite:///{quoted}")
    return next((form for form in forms if make_url(form).database == str(file)), plain)


def prepare(file: Path, root: Path) -> None:
    """Make the database if it is not there, and again if making it was interrupted.

    It is made under another name and renamed when it is complete, so a program that is killed
    meanwhile leaves nothing that looks like a store. The caller holds the lock of the store;
    `root` is where MLflow may keep what has no place of its own.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    if file.exists() and not _half_made(file):
        return
    for left in file.parent.glob(f".{file.name}.*.new*"):
        left.unlink(missing_ok=True)
    aside = file.with_name(f".{file.name}.{os.getpid()}.new")
    _make(aside, root)
    for end in _ENDS:  # of what a killed program left
        Path(f"{file}{end}").unlink(missing_ok=True)
    aside.replace(file)


def _make(file: Path, root: Path) -> None:
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    kind: Any = SqlAlchemyStore  # untyped
    store = kind(address(file), root.as_uri())
    store.engine.dispose()


def _half_made(file: Path) -> bool:
    """Say whether a database is what an interrupted program left: MLflow's, and without a row.

    A complete one has an experiment at least. What is no database, or somebody else's, is not ours
    to make again.
    """
    try:
        with closing(sqlite3.connect(file)) as base:
            names = [name for (name,) in base.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )]  # fmt: skip
            if not names:
                return True
            if "experiments" in names and _filled(base, "experiments"):
                return False
            return "experiments" in names and not any(
                _filled(base, name) for name in names if name not in _BOOKKEEPING
            )
    except sqlite3.Error:
        return False


def _filled(base: sqlite3.Connection, table: str) -> bool:
    name = table.replace('"', '""')
    return base.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone() is not None

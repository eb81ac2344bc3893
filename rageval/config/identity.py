"""Which golden set a dataset holds, and whose lock is whose.

docs/decisions/set-identity.md says why an identity is derived the way it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from rageval.config.places import shipped
from rageval.config.settings import DatasetConfig
from rageval.errors import InputError
from rageval.evaluation.provenance.working_copy import git
from rageval.golden.identity import SetIdentity
from rageval.golden.question import GoldenSet
from rageval.schema.fingerprint import digest, sketch, text_digest
from rageval.split.lock import LOCK, Lock, read_lock
from rageval.split.split import Assignment, Owner

_DIGITS = 16  # hexadecimal, of an identity


def identify(config: DatasetConfig, golden: GoldenSet, assignment: Assignment) -> SetIdentity:
    """Return the identity of a golden set: what its lock says, or will say when it is written."""
    where = location(config)
    texts = sorted(text_digest(question.text) for question in golden)
    known = Lock() if assignment.lock is None else read_lock(Path(assignment.lock))
    new = digest([where, texts])[:_DIGITS]
    fresh = assignment.lock is not None and not known.sides
    return SetIdentity(
        name=config.name,
        id=known.identity or (new if fresh else ""),
        location=where,
        questions=sketch(texts),
        held_out=sketch(assignment.held_out),
    )


def sample_set() -> SetIdentity:
    """Return the shipped sample, whose held-out questions are known wherever rageval is."""
    path = shipped("examples") / "handbook" / LOCK
    lock = read_lock(path)
    return SetIdentity("handbook", lock.identity, str(path), (), tuple(sorted(lock.held_out)))


def owner(config: DatasetConfig, found: SetIdentity) -> Owner:
    """Return what a lock that is written now says of the set it belongs to."""
    new = digest([found.location, list(found.questions)])[:_DIGITS]
    path = _path(config)
    return Owner(found.id or new, path.name if path else "")


def location(config: DatasetConfig) -> str:
    """Return where a set lives: its path in its git repository, or else an absolute path."""
    path = _path(config)
    if path is None:
        return str(config.golden["_target_"])
    place, inside = _repository(str(path.parent))
    return f"{place} {inside}{path.name}" if place else str(path)


@lru_cache(maxsize=64)
def _repository(folder: str) -> tuple[str, str]:
    """Return the address of a folder's repository and the folder's path in it, or two blanks."""
    here = Path(folder)
    remote = git(here, "config", "--get", "remote.origin.url")
    return _address(remote), git(here, "rev-parse", "--show-prefix")


def _address(remote: str) -> str:
    """Return a repository's address without protocol, user and ending.

    Examples
    --------
    >>> _address("git@example.org:team/docs.git"), _address("https://t:x@example.org/team/docs")
    ('example.org/team/docs', 'example.org/team/docs')
    """
    bare = re.sub(r"^\w+://", "", remote)
    bare = re.sub(r"^[^/@]*@", "", bare).removesuffix(".git")
    return re.sub(r"^([^/:]+):(?!\d+/)", r"\1/", bare)


def _path(config: DatasetConfig) -> Path | None:
    """Return the file or folder that holds the questions, None for a class of the user's own."""
    named = config.golden.get("path") or config.golden.get("topics")
    return Path(os.path.abspath(str(named))) if named else None  # noqa: PTH100  links stay


def require_own_lock(config: DatasetConfig, golden: GoldenSet) -> None:
    """Make sure that a locked set is split by its own lock; another shows what it holds out.

    Raises
    ------
    InputError
        If the set's own lock lies beside it and another one or none is configured, or if the one
        that is configured belongs to another set.
    """
    path = _path(config)
    if path is None:
        return
    ids = [question.id for question in golden]
    texts = [text_digest(question.text) for question in golden]
    named = config.split.get("lock")
    used = Path(str(named)) if named and config.split.get("holdout") is not False else None
    for lock in _locks_beside(path):
        known = read_lock(lock)
        if used is not None and used.exists() and used.samefile(lock):
            continue
        if known.belongs_to(path.name, ids, texts):
            raise InputError(
                f"dataset.split: {lock} locks this set; another lock, or none, would show "
                f"questions that it holds out; use it: dataset.split.lock={lock}"
            )
    known = Lock() if used is None else read_lock(used)
    if known.file and not known.belongs_to(path.name, ids, texts):
        raise InputError(
            f"dataset.split.lock: {used} belongs to {known.file}, not to {path.name}; give this "
            f"set a lock of its own: dataset.split.lock={path.stem}.{LOCK}"
        )


def _locks_beside(path: Path) -> Iterator[Path]:
    """Yield the locks in a set's folder, and in that of the file that a link leads to."""
    folders = dict.fromkeys([path.parent, path.resolve().parent])
    for folder in folders:
        yield from sorted(folder.glob(f"*{LOCK}"))

"""Links in a corpus's folder: those that leave it, and folders that are links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rageval.errors import InputError

# `inside`: none that leaves the folder is read; `follow`: all are, and linked folders too.
Links = Literal["inside", "follow"]
_LISTED = 5  # folders in a note


def require_inside(file: Path, root: Path, links: Links) -> None:
    """Make sure that a file may be read as a part of a corpus's folder.

    Raises
    ------
    InputError
        If it is a link that leads nowhere, or out of the folder and none is to be followed: there
        it may hold anything.
    """
    if file.is_symlink() and not file.exists():
        raise InputError(f"{file}: the link leads nowhere")
    if links != "follow" and not file.resolve().is_relative_to(root.resolve()):
        raise InputError(
            f"{file}: is a link to {file.resolve()}, outside of the corpus's folder; "
            "dataset.corpus.links=follow reads it all the same"
        )


def folders(root: Path, links: Links) -> list[Path]:
    """Return the folders that are read: the root, and linked ones where they are followed."""
    return [root, *(_linked(root) if links == "follow" else ())]


def matching(root: Path, pattern: str, links: Links) -> set[Path]:
    """Return the files and folders that match a glob pattern, also in linked folders that are read.

    Raises
    ------
    InputError
        If the pattern is empty, absolute, or otherwise none.
    """
    if Path(pattern).is_absolute():
        raise InputError(
            f"{root}: the pattern {pattern!r} is not allowed: it must be relative to the folder"
        )
    try:
        return {file for inside in folders(root, links) for file in inside.glob(pattern)}
    except ValueError as error:
        raise InputError(f"{root}: the pattern {pattern!r} is not allowed: {error}") from error


def unread(root: Path, links: Links) -> Iterator[str]:
    """Yield a note of the linked folders that are not read."""
    linked = [path.relative_to(root).as_posix() for path in _linked(root)]
    if linked and links != "follow":
        named = ", ".join(linked[:_LISTED]) + (", …" if len(linked) > _LISTED else "")
        yield (
            f"not read, as they are linked folders: {named} ({len(linked)} in all); "
            "dataset.corpus.links=follow reads them"
        )


def _linked(root: Path) -> Iterator[Path]:
    """Yield the folders below a folder that are links, also within each other; none twice."""
    known, left = {root.resolve()}, [root]
    while left:
        inside = left.pop()
        for path in sorted(inside.rglob("*")):
            if path.is_symlink() and path.is_dir() and path.resolve() not in known:
                known.add(path.resolve())
                left.append(path)
                yield path

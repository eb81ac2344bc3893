"""Which document a path or a name of another tool means."""

from __future__ import annotations

from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.errors import InputError


def document_of(source: str, corpus: Corpus) -> str:
    """Return the document that a path or name means: its id, or its name without suffix.

    Raises
    ------
    InputError
        If it means none or several.
    """
    path = Path(source)
    for name in (source, path.with_suffix("").as_posix()):
        if name in corpus.number:
            return name
    wanted = {path.name, path.stem}
    found = [name for name in corpus.number if {Path(name).name, Path(name).stem} & wanted]
    if len(found) == 1:
        return found[0]
    told = (
        f"{len(found)} documents are named so: {', '.join(found[:5])}" if found else "there is none"
    )
    raise InputError(f"the source {source!r} names no document of the corpus: {told}")

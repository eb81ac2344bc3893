"""An earlier or another state of a golden set, to hold the present one against."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

from rageval.config.build import build
from rageval.config.settings import Node
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.golden.question import GoldenSet

_WHERE = "check.against"


def other_state(golden: Node, against: str, corpus: Corpus) -> GoldenSet:
    """Return the golden set as another file or folder has it, or as it was at a git revision.

    Raises
    ------
    InputError
        If `against` is neither, or what stands there is no golden set.
    """
    path = golden.get("path")
    if not isinstance(path, str):
        raise InputError(f"{_WHERE}: {golden['_target_']} has no path to look up another state of")
    if Path(against).exists():
        return _built(golden, Path(against), corpus)
    with tempfile.TemporaryDirectory() as folder:
        return _built(golden, _checked_out(Path(path), against, Path(folder)), corpus)


def _built(golden: Node, path: Path, corpus: Corpus) -> GoldenSet:
    loaded: GoldenSet = build({**golden, "path": str(path)}, _WHERE).load(corpus)
    return loaded


def _checked_out(path: Path, revision: str, folder: Path) -> Path:
    """Write a file or folder as it was at a revision below another folder and return its place."""
    if revision.startswith("-"):
        raise InputError(f"{_WHERE}: {revision!r} is neither a file nor a git revision")
    command = ["git", "archive", "--format=tar", revision, "--", path.name]
    try:
        done = subprocess.run(command, cwd=path.resolve().parent, capture_output=True, check=False)
    except OSError as error:
        raise InputError(f"{_WHERE}: {revision!r} is no file, and git says: {error}") from error
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = told[-1] if told else "nothing"
        raise InputError(f"{_WHERE}: {revision!r} is no file, and git says: {why}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / path.name

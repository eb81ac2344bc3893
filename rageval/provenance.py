"""What a result rests on: two fingerprints, and the state of the working copy.

`benchmark` names what was asked and how it was scored; only results of one benchmark are compared.
`variant` names the retrieval that was measured.
"""

from __future__ import annotations

import hashlib
import inspect
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rageval import __version__
from rageval.corpus.document import Corpus
from rageval.fingerprint import digest
from rageval.golden.access import Access
from rageval.golden.question import GoldenSet
from rageval.measures.catalogue import Cutoffs
from rageval.window import Window

SCORING = 2  # raised whenever a measure's value may change for the same rankings and labels


@dataclass(frozen=True, slots=True)
class Judging:
    """How labels are held against chunks and rankings."""

    cutoffs: Cutoffs
    min_overlap: float


def benchmark(corpus: Corpus, scored: GoldenSet, access: Access, judging: Judging) -> str:
    """Return the fingerprint of what retrieval is held against (64 hex digits).

    `scored` holds the questions of the split that is scored, and no others.
    """
    askers = sorted({question.asker for question in scored if question.asker is not None})
    return digest(
        {
            "corpus": corpus.digest,
            "labels": scored.digest,
            "cutoffs": judging.cutoffs.model_dump(mode="json"),
            "min_overlap": judging.min_overlap,
            "groups": {asker: sorted(access.groups(asker)) for asker in askers},
            "scoring": SCORING,
        }
    )


@dataclass(frozen=True, slots=True)
class Variant:
    """What names a retrieval: fingerprints of the whole and of two parts (64 hex digits each)."""

    whole: str  # configuration, version of the package, source of a user's classes
    chunking: str  # how documents are cut
    sources: str  # files that define a user's classes

    @classmethod
    def of(cls, nodes: Mapping[str, Mapping[str, Any]], window: Window) -> Variant:
        """Return the fingerprints of components as configured, `chunking` among them.

        How many questions a retriever is asked at a time does not count.
        """
        sources = {target: _source(target) for target in sorted(set(_foreign(nodes)))}
        chunking = nodes["chunking"]
        own = list(_foreign(chunking))
        return cls(
            whole=digest(
                {
                    "nodes": {name: _without_concurrency(node) for name, node in nodes.items()},
                    "window": window.model_dump(mode="json"),
                    "version": __version__,
                    "sources": sources,
                }
            ),
            chunking=digest([dict(chunking), [sources[name] for name in own]]),
            sources=digest(sources),
        )


def _without_concurrency(node: Any) -> Any:  # noqa: ANN401  any JSON value
    if isinstance(node, Mapping):
        return {k: _without_concurrency(v) for k, v in node.items() if k != "concurrency"}
    if isinstance(node, list | tuple):
        return [_without_concurrency(value) for value in node]
    return node


def _foreign(node: Any) -> Iterator[str]:  # noqa: ANN401  any JSON value
    """Yield the classes named anywhere below a node that are not ours."""
    if isinstance(node, Mapping):
        target = node.get("_target_")
        if isinstance(target, str) and not target.startswith("rageval."):
            yield target
        for value in node.values():
            yield from _foreign(value)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for value in node:
            yield from _foreign(value)


def _source(target: str) -> str:
    """Return the digest of the file that defines a class; empty for what has no source."""
    try:
        file = inspect.getsourcefile(import_module(target.rpartition(".")[0]))
    except (ImportError, TypeError):
        return ""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """The git state of a folder."""

    commit: str  # empty outside a repository
    dirty: bool

    @classmethod
    def of(cls, folder: Path) -> WorkingCopy:
        """Look at the repository around a folder."""
        commit = _git(folder, "rev-parse", "HEAD")
        return cls(commit, bool(commit and _git(folder, "status", "--porcelain")))


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=10
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

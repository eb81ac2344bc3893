"""Seals: the digests of what a run wrote, kept with it, so that a reader sees what was altered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping

from rageval.schema.fingerprint import digest

SEALS = "rageval.seals"  # the tag that holds them
_METRICS = "metrics"  # the name of the seal of all metrics
_PAGES = (".html", ".png", ".md")  # made from what is sealed
_LATER = "production/"  # metrics that `mine` adds to a run begin so


def seal(files: Mapping[str, bytes], metrics: Mapping[str, float]) -> str:
    """Return the seals of a run's files and metrics, as the text of its tag."""
    sealed = {
        path: hashlib.sha256(content).hexdigest()
        for path, content in files.items()
        if not path.endswith(_PAGES)
    }
    return json.dumps({**sealed, _METRICS: _of_metrics(metrics)}, sort_keys=True)


def broken(tag: str, files: Mapping[str, bytes], metrics: Mapping[str, float]) -> Iterator[str]:
    """Yield what is not as it was sealed: a file by its name, `metrics`, or the seals' own tag."""
    try:
        seals = dict(json.loads(tag))
    except (ValueError, TypeError):
        yield f"tag {SEALS}"
        return
    for path, content in files.items():
        if seals.get(path) != hashlib.sha256(content).hexdigest():
            yield path
    if seals.get(_METRICS) != _of_metrics(metrics):
        yield _METRICS


def whole(tag: str, path: str, content: bytes) -> bool:
    """Say whether one file is as it was sealed."""
    try:
        return bool(json.loads(tag)[path] == hashlib.sha256(content).hexdigest())
    except (ValueError, TypeError, KeyError):
        return False


def _of_metrics(metrics: Mapping[str, float]) -> str:
    own = {key: float(value) for key, value in metrics.items() if not key.startswith(_LATER)}
    return digest(sorted([key, value] for key, value in own.items()))

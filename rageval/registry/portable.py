"""A baseline as one file, for a team without a tracking server: committed beside the code."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from rageval.comparison.consistency import inconsistency
from rageval.comparison.result import newer, result
from rageval.errors import NoVerdictError
from rageval.files.limits import require_regular
from rageval.registry.baseline import Baseline
from rageval.schema.fingerprint import digest
from rageval.tracking.reading import Kept

_SCHEMA = 2  # 1: without the provenance, as version 0.1.0 wrote it
_OURS = "rageval."
_KEYS = {"run", "version", "tags", "config", "questions"}


def portable(kept: Kept, version: str) -> str:
    """Return the file's text: fingerprints, configuration, per-question results, and their hash."""
    content = {
        "schema": _SCHEMA,
        "run": kept.run,
        "version": version,
        "tags": {name: value for name, value in kept.tags.items() if name.startswith(_OURS)},
        "config": kept.config,
        "questions": json.loads(kept.table),
        "provenance": dict(kept.facts),
    }
    return json.dumps({**content, "sha256": digest(content)}, ensure_ascii=False, indent=1) + "\n"


def read_portable(path: Path) -> Baseline:
    """Return the baseline that a file holds.

    Raises
    ------
    NoVerdictError
        If the file is missing, no baseline, or altered since it was written.
    """
    content = _content(path)
    stated = content.pop("sha256", None)
    schema = content.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise NoVerdictError(f"{path}: schema {schema!r} is not a number from 1 to {_SCHEMA}")
    if schema > _SCHEMA:
        raise newer(str(path), schema, _SCHEMA, content.get("tags") or {})
    if stated != digest(content) or not set(content) >= _KEYS:
        raise NoVerdictError(f"{path}: it was altered since it was exported (its hash differs)")
    table = json.dumps(content["questions"]).encode()
    kept = Kept(
        run=content["run"],
        result=result(content["run"], content["tags"], content["questions"]),
        tags=content["tags"],
        artifacts="",
        experiment="",
        digest=hashlib.sha256(table).hexdigest(),
        config=content["config"],
        table=table,
        facts=content.get("provenance") or {},
    )
    fault = inconsistency(kept.result, kept.facts.get("benchmark", {}), {})
    if fault:
        raise NoVerdictError(f"{path} contradicts itself: {fault}; export it again")
    return Baseline(str(path), content["version"], kept)


def _content(path: Path) -> dict[str, Any]:
    try:
        require_regular(path)
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NoVerdictError(f"gate.baseline: {path}: there is no such file") from None
    except (OSError, ValueError) as fault:
        raise NoVerdictError(f"gate.baseline: {path}: cannot be read as JSON: {fault}") from fault
    if not isinstance(content, dict):
        raise NoVerdictError(f"gate.baseline: {path}: is no baseline, a JSON object is needed")
    return content

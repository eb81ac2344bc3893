"""Reading runs back: the newest candidate, and what a run kept."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rageval.comparison.consistency import inconsistency
from rageval.comparison.result import SCHEMA, Result, newer, result
from rageval.errors import NoVerdictError
from rageval.schema.names import PAGE_DATA
from rageval.tracking.faults import TrackingError, first_line, tracking_error
from rageval.tracking.seals import SEALS, broken, whole
from rageval.tracking.search import runs
from rageval.tracking.store import Store

QUESTIONS, DOCUMENTS, CONFIG = "questions.json", "documents.json", "config.yaml"
PROVENANCE = "provenance.json"
PAGE = "report.html"
GATED_AT = "rageval.gated_at"  # the tag of a run that says when it was last judged
PROMOTED = "rageval.promoted"  # the tag of a run that became the champion: its version
STRIPPED = "rageval.questions"  # the tag of a run that holds no questions any more
# The kinds of runs, as tagged. Only a single one is taken as a candidate without being named.
SINGLE, CELL, RESCORE = "single", "cell", "rescore"
TRIAL = "trial"  # a run of drafts that nobody confirmed yet: looked at, and never a candidate


@dataclass(frozen=True)
class Kept:
    """A run as the store has it."""

    run: str  # id
    result: Result
    tags: Mapping[str, str]
    artifacts: str  # URI
    experiment: str  # id
    digest: str  # sha256 of the table of questions
    config: str  # YAML
    table: bytes  # JSON
    facts: Mapping[str, Any]  # what its fingerprints stand for; empty in runs of version 0.1.0

    @property
    def sealed(self) -> bool:
        """Say whether it holds the digests of what it wrote, as every run since 0.2.0 does."""
        return bool(self.facts)

    @property
    def libraries(self) -> Mapping[str, str]:
        """Return the libraries that computed it, with their versions; empty if not known."""
        found: Mapping[str, str] = self.facts.get("variant", {}).get("environment", {})
        return found

    @property
    def config_digest(self) -> str:
        """Return the sha256 of the configuration."""
        return hashlib.sha256(self.config.encode()).hexdigest()


def newest(store: Store, dataset: str) -> str:
    """Return the id of the newest finished single run of a set's dev side.

    Raises
    ------
    NoVerdictError
        If the experiment has none.
    """
    found = newest_runs(store, dataset, 1)
    if not found:
        raise NoVerdictError(
            f"experiment {store.name} of {store.location.shown} has no finished run of the set "
            f"{dataset} to judge; make one: python -m rageval +retriever=…, or name another set by "
            "dataset=…"
        )
    return found[0]


def newest_runs(store: Store, dataset: str, number: int) -> list[str]:
    """Return the ids of the newest finished single runs of a set's dev side."""
    found = store.client.search_runs(
        [store.experiment],
        filter_string=(
            "attributes.status = 'FINISHED' and tags.`rageval.split` = 'dev' "
            f"and tags.`rageval.kind` = '{SINGLE}' and tags.`rageval.set` = '{dataset}'"
        ),
        order_by=["attributes.start_time DESC"],
        max_results=number,
    )
    return [str(run.info.run_id) for run in found]


def last_judged(store: Store, dataset: str) -> str | None:
    """Return the id of the run of a set that a gate judged last; None if none was judged.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    judged = f"tags.`{GATED_AT}` LIKE '%' and tags.`rageval.set` = '{dataset}'"
    found = runs(store, judged)
    last = max(found, key=lambda run: str(run.data.tags[GATED_AT]), default=None)
    return None if last is None else str(last.info.run_id)


def finished(store: Store, kind: str, benchmark: str, variant: str) -> str | None:
    """Return the id of a finished run of that kind, benchmark and variant, if there is one."""
    found = store.client.search_runs(
        [store.experiment],
        filter_string=(
            f"attributes.status = 'FINISHED' and tags.`rageval.kind` = '{kind}' and "
            f"tags.`rageval.benchmark` = '{benchmark}' and tags.`rageval.variant` = '{variant}'"
        ),
        order_by=["attributes.start_time DESC"],
        max_results=1,
    )
    return str(found[0].info.run_id) if found else None


def fetch(store: Store, run: str) -> Kept:
    """Return what a run kept.

    Raises
    ------
    NoVerdictError
        If the run is missing, deleted, not finished or of a newer form, its table is missing or
        unreadable, or what it holds was altered or contradicts itself.
    UnreachableError
        If the store does not answer.
    """
    found = found_run(store, run)
    if found.info.lifecycle_stage != "active":
        raise NoVerdictError(f"run {run} was deleted; restore it with `mlflow runs restore`")
    if found.info.status != "FINISHED":
        raise NoVerdictError(f"run {run} is {found.info.status}, only a FINISHED one counts")
    if STRIPPED in found.data.tags:
        raise NoVerdictError(
            f"run {run}: its questions were taken out by prune.what=text, only its values are left"
        )
    tags = dict(found.data.tags)
    content, config = artifact(store, run, QUESTIONS), artifact(store, run, CONFIG)
    facts = _facts(store, run, tags)
    if facts:
        files = {QUESTIONS: content, CONFIG: config, PROVENANCE: artifact(store, run, PROVENANCE)}
        _require_unbroken(run, tags.get(SEALS, ""), files, dict(found.data.metrics))
    kept = result(run, tags, _json(run, QUESTIONS, content))
    if not facts and any(row.labelled for row in kept.rows.values()):
        raise _altered(run, [f"tag {SEALS}"])
    fault = inconsistency(kept, facts.get("benchmark", {}), dict(found.data.metrics))
    if fault:
        raise NoVerdictError(f"run {run} contradicts itself: {fault}; make a new run")
    return Kept(
        run=run,
        result=kept,
        tags=tags,
        artifacts=str(found.info.artifact_uri),
        experiment=str(found.info.experiment_id),
        digest=hashlib.sha256(content).hexdigest(),
        config=_text(run, config),
        table=content,
        facts=facts,
    )


def _facts(store: Store, run: str, tags: Mapping[str, str]) -> Mapping[str, Any]:
    """Return what a run's fingerprints stand for; empty for a run of version 0.1.0.

    Raises
    ------
    NoVerdictError
        If the run is of a newer form than this version reads, or its file is missing or unreadable.
    """
    schema = tags.get("rageval.schema", "")
    if not schema and SEALS not in tags:
        return {}
    if schema.isdigit() and int(schema) > SCHEMA:
        raise newer(f"run {run}", int(schema), SCHEMA, tags)
    found = _json(run, PROVENANCE, artifact(store, run, PROVENANCE))
    if not isinstance(found, dict) or not isinstance(found.get("benchmark"), dict):
        raise NoVerdictError(f"run {run}: its {PROVENANCE} does not name a benchmark")
    return found


def _require_unbroken(
    run: str, tag: str, files: Mapping[str, bytes], metrics: Mapping[str, float]
) -> None:
    altered = list(broken(tag, files, metrics))
    if altered:
        raise _altered(run, altered)


def _altered(run: str, what: Sequence[str]) -> NoVerdictError:
    return NoVerdictError(
        f"run {run} was altered after it was written: its seals do not fit {', '.join(what)}; "
        "make a new run"
    )


def sealed_file(store: Store, run: str, path: str) -> bytes:
    """Return a file of a run, if it is as the run wrote it.

    Raises
    ------
    NoVerdictError
        If it is not there, or was altered.
    """
    content = artifact(store, run, path)
    if not whole(found_run(store, run).data.tags.get(SEALS, ""), path, content):
        raise _altered(run, [path])
    return content


def _json(run: str, name: str, content: bytes) -> Any:  # noqa: ANN401  any JSON value
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as fault:
        raise NoVerdictError(f"run {run}: {name} is no JSON: {fault}") from fault


def _text(run: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as fault:
        raise NoVerdictError(f"run {run}: its {CONFIG} cannot be read: {fault}") from fault


def found_run(store: Store, run: str) -> Any:  # noqa: ANN401  an mlflow Run
    """Return a run as the store has it.

    Raises
    ------
    NoVerdictError
        If it is not there.
    UnreachableError
        If the store does not answer.
    """
    from mlflow.exceptions import MlflowException

    try:
        return store.client.get_run(run)
    except MlflowException as fault:
        if fault.error_code == "RESOURCE_DOES_NOT_EXIST":
            raise NoVerdictError(f"run {run} is not in {store.location.shown}") from fault
        raise unreachable(store, fault) from fault


def artifact(store: Store, run: str, path: str) -> bytes:
    """Return one file that a run kept.

    Raises
    ------
    NoVerdictError
        If it is not there.
    UnreachableError
        If the store does not answer.
    """
    from mlflow.exceptions import MlflowException

    with tempfile.TemporaryDirectory() as folder:
        try:
            return Path(store.client.download_artifacts(run, path, folder)).read_bytes()
        except (MlflowException, OSError) as fault:
            first = first_line(fault)
            found_run(store, run)  # a store that is gone has no artifacts either, and says so
            raise NoVerdictError(f"run {run}: its artifact {path} is not there: {first}") from fault


def page_of(store: Store, run: str) -> dict[str, bytes]:
    """Return the page of a run or sweep: "" is the page, other names are data beside it.

    Raises
    ------
    NoVerdictError
        If it is not there.
    UnreachableError
        If the store does not answer.
    """
    page = artifact(store, run, PAGE)
    beside = re.findall(rf'<script src="({PAGE_DATA}/\d+\.js)">', page.decode("utf-8", "replace"))
    return {"": page, **{path: artifact(store, run, path) for path in beside}}


def unreachable(store: Store, fault: Exception) -> TrackingError:
    """Return the error for a store that stopped answering, or refuses what it was asked."""
    return tracking_error(store.location.shown, fault)

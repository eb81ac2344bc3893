"""Reading runs back: the newest candidate, and what a run kept."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rageval.comparison.result import Result, result
from rageval.errors import NoVerdictError, UnreachableError
from rageval.tracking.client import gone
from rageval.tracking.store import Store

QUESTIONS, DOCUMENTS, CONFIG = "questions.json", "documents.json", "config.yaml"
STRIPPED = "rageval.questions"  # the tag of a run that holds no questions any more
# The kinds of runs, as tagged. Only a single one is taken as a candidate without being named.
SINGLE, CELL, RESCORE = "single", "cell", "rescore"


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
    found = store.client.search_runs(
        [store.experiment],
        filter_string=(
            "attributes.status = 'FINISHED' and tags.`rageval.split` = 'dev' "
            f"and tags.`rageval.kind` = '{SINGLE}' and tags.`rageval.set` = '{dataset}'"
        ),
        order_by=["attributes.start_time DESC"],
        max_results=1,
    )
    if not found:
        raise NoVerdictError(
            f"experiment {store.name} of {store.location.shown} has no finished run of the set "
            f"{dataset} to judge; make one: python -m rageval +retriever=…, or name another set by "
            "dataset=…"
        )
    return str(found[0].info.run_id)


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
        If the run is missing, deleted or not finished, or its table is missing or unreadable.
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
    content = artifact(store, run, QUESTIONS)
    try:
        table = json.loads(content)
    except (ValueError, RecursionError) as fault:
        raise NoVerdictError(f"run {run}: {QUESTIONS} is no JSON: {fault}") from fault
    tags = dict(found.data.tags)
    digest = hashlib.sha256(content).hexdigest()
    return Kept(
        run=run,
        result=result(run, tags, table),
        tags=tags,
        artifacts=str(found.info.artifact_uri),
        experiment=str(found.info.experiment_id),
        digest=digest,
        config=_text(run, artifact(store, run, CONFIG)),
        table=content,
    )


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
            first = str(fault).strip().splitlines()[0]
            found_run(store, run)  # a store that is gone has no artifacts either, and says so
            raise NoVerdictError(f"run {run}: its artifact {path} is not there: {first}") from fault


def unreachable(store: Store, fault: Exception) -> UnreachableError:
    """Return the error for a store that stopped answering."""
    return gone(store.location.shown, fault)

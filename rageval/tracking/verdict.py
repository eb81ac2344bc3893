"""A verdict or a comparison, kept with the run that it is about."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from rageval.comparison.changes import Comparison
from rageval.comparison.paired import Paired
from rageval.escaping.redaction import redacted
from rageval.gate.verdict import Verdict
from rageval.report import certainty
from rageval.report import comparison as words
from rageval.report.comparison_page import comparison_page
from rageval.report.junit import junit
from rageval.report.markdown import verdict_page
from rageval.report.tables import Table
from rageval.tracking.reading import GATED_AT, unreachable
from rageval.tracking.store import Store

GATE = "gate"  # the folder of a verdict among a run's artifacts
_TABLES = ("/questions.json", "/subsets.json", "/statistics.json")


def files_of(verdict: Verdict) -> dict[str, str]:
    """Return a verdict as files for machines and people: name → content."""
    return {
        "verdict.json": json.dumps(words.as_json(verdict), ensure_ascii=False, indent=2) + "\n",
        "verdict.md": verdict_page(verdict),
        "junit.xml": junit(verdict),
    }


def keep_verdict(store: Store, run: str, verdict: Verdict) -> None:
    """Write the verdict to its candidate's run: files under gate/, and a tag.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    files = {f"{GATE}/{name}": content for name, content in files_of(verdict).items()}
    if verdict.comparison is not None:
        files |= _tables(GATE, verdict.comparison)
    _write(store, run, files)
    mark(store, run, "rageval.gate", verdict.outcome.value)
    mark(store, run, GATED_AT, datetime.now(UTC).isoformat())


def keep_comparison(
    store: Store, run: str, comparison: Comparison, found: dict[str, Paired]
) -> None:
    """Write a comparison to the later run: tables and pages under compare/.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    folder = f"compare/{comparison.before.run}"
    pages = {
        f"{folder}/statistics.json": _json(certainty.table(found)),
        f"{folder}/comparison.md": certainty.page(comparison, found),
        **{
            f"{folder}/{path or 'comparison.html'}": content.decode()
            for path, content in comparison_page([(comparison, found)]).items()
        },
    }
    _write(store, run, _tables(folder, comparison) | pages)


def _tables(folder: str, comparison: Comparison) -> dict[str, str]:
    tables = {"questions": words.questions(comparison), "subsets": words.subsets(comparison)}
    return {f"{folder}/{name}.json": _json(table) for name, table in tables.items()}


def _json(table: Table) -> str:
    return json.dumps(table.as_json(), ensure_ascii=False, allow_nan=False)


def _write(store: Store, run: str, files: dict[str, str]) -> None:
    from mlflow.exceptions import MlflowException

    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(redacted(content), encoding="utf-8")
        try:
            store.client.log_artifacts(run, folder)
            _announce(store, run, [path for path in files if path.endswith(_TABLES)])
        except (MlflowException, OSError) as fault:
            raise unreachable(store, fault) from fault


def _announce(store: Store, run: str, tables: list[str]) -> None:
    """Add tables to those that MLflow's evaluation view offers for the run."""
    name = "mlflow.loggedArtifacts"
    listed = json.loads(store.client.get_run(run).data.tags.get(name, "[]"))
    new = [{"path": path, "type": "table"} for path in tables]
    kept = [entry for entry in listed if entry not in new]
    store.client.set_tag(run, name, json.dumps([*kept, *new]))


def mark(store: Store, run: str, key: str, value: str) -> None:
    """Set a tag of a run.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    from mlflow.exceptions import MlflowException

    try:
        store.client.set_tag(run, key, value)
    except MlflowException as fault:
        raise unreachable(store, fault) from fault

"""A verdict or a comparison, kept with the run that it is about."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from rageval.comparison.changes import Comparison
from rageval.comparison.paired import Paired
from rageval.comparison.table import Table
from rageval.gate.verdict import Verdict
from rageval.report import certainty
from rageval.report import comparison as words
from rageval.report.comparison_page import comparison_page
from rageval.report.junit import junit
from rageval.report.markdown import verdict_page
from rageval.tracking.reading import GATED_AT
from rageval.tracking.run import add_files, mark
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
    add_files(store, run, files, _listed(files))
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
    files = _tables(folder, comparison) | pages
    add_files(store, run, files, _listed(files))


def _tables(folder: str, comparison: Comparison) -> dict[str, str]:
    tables = {"questions": words.questions(comparison), "subsets": words.subsets(comparison)}
    return {f"{folder}/{name}.json": _json(table) for name, table in tables.items()}


def _json(table: Table) -> str:
    return json.dumps(table.as_json(), ensure_ascii=False, allow_nan=False)


def _listed(files: dict[str, str]) -> list[str]:
    """Return which files MLflow's evaluation view offers as tables."""
    return [path for path in files if path.endswith(_TABLES)]

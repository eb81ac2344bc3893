"""What an evaluation leaves in MLflow: the layout of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from rageval.comparison.result import SCHEMA
from rageval.comparison.table import Table
from rageval.escaping.redaction import redacted_bytes
from rageval.evaluation.subsets import ALL
from rageval.report import markdown, tables, trec
from rageval.report.outcome import Outcome
from rageval.report.run_page import run_page
from rageval.report.summary import window_characters
from rageval.schema.names import metric_key
from rageval.tracking.reading import CELL, CONFIG, DOCUMENTS, PAGE, PROVENANCE, SINGLE
from rageval.tracking.run import Dataset, Record
from rageval.tracking.seals import SEALS, seal
from rageval.version import __version__


def record(outcome: Outcome, pictures: bool = False) -> Record:
    """Return everything that is written to the run; `pictures` are drawn only if asked for."""
    found = _tables(outcome)
    files = {path: _json(table) for path, table in found.items()} | _files(outcome)
    if pictures and outcome.kind != CELL:
        files |= _pictures(outcome)
    files = {path: redacted_bytes(content) for path, content in files.items()}  # before the seal
    metrics = {key: float(value) for key, value in _metrics(outcome)}
    return Record(
        params=outcome.params,
        metrics=metrics,
        tags={**tags(outcome), SEALS: seal(files, metrics)},
        datasets=_datasets(outcome),
        files=files,
        tables=list(found),
    )


def aggregates(outcome: Outcome, experiment_words: str) -> Record:
    """Return what is written of a held-out check: overall values, and no question."""
    whole = metric_key(ALL, "")
    kept = {key: value for key, value in _metrics(outcome) if key.startswith(whole)}
    found = tags(outcome) | {"mlflow.note.content": experiment_words}
    return Record(outcome.params, kept, found, datasets=(), files={})


def _metrics(outcome: Outcome) -> Iterator[tuple[str, float]]:
    evaluation = outcome.evaluation
    for subset, row in evaluation.subsets.items():
        for name, summary in row.items():
            if summary.value is not None:
                yield metric_key(subset, name), summary.value
        yield metric_key(subset, "n"), evaluation.sizes[subset]  # MLflow's plots open on the first
    for name, found in evaluation.undecided.items():
        yield metric_key("ties", f"{name}_questions"), int(found.rows.sum())
        for word, values in (
            ("expected", found.expected),
            ("low", found.low),
            ("high", found.high),
        ):
            yield metric_key("ties", f"{name}_{word}"), values.mean() or 0.0
    yield metric_key(ALL, "window_characters"), window_characters(evaluation)
    yield metric_key(ALL, "errors"), evaluation.errors
    yield metric_key(ALL, "leaks"), evaluation.leaks
    yield from _measured_beside(outcome)


def _measured_beside(outcome: Outcome) -> Iterator[tuple[str, float]]:
    """Yield what is measured beside the answers: noise, use of services, latency."""
    if outcome.repeats:
        deviations = {name: outcome.repeats.deviation(name) for name in outcome.repeats.values}
        yield from (
            (metric_key("noise", f"{name}_sd"), value)
            for name, value in deviations.items()
            if not math.isnan(value)
        )
    for name, used in outcome.usage.items():
        yield metric_key("usage", name), used
    if outcome.latency:
        yield "latency/p50_ms", outcome.latency.percentile(50)
        yield "latency/p95_ms", outcome.latency.percentile(95)


def tags(outcome: Outcome) -> dict[str, str]:
    """Return what a run is found by: fingerprints, set, split, the state of the working copy."""
    header = outcome.header
    facts = {
        "rageval.version": __version__,
        "rageval.set": header.dataset,
        "rageval.set_id": header.set_id,
        "rageval.set_location": header.location,
        "rageval.split": header.split,
        "rageval.retrieval": header.retrieval,
        "rageval.benchmark": header.benchmark,
        "rageval.variant": header.variant.whole,
        "rageval.configuration": header.variant.configuration,
        "rageval.inputs": header.variant.inputs,
        "rageval.environment": header.variant.environment,
        "rageval.chunking": header.variant.chunking,
        "rageval.schema": str(SCHEMA),
        "rageval.kind": outcome.kind,
        "rageval.command": outcome.command,
        "rageval.git_dirty": str(header.dirty).lower() if header.commit else "",
        "mlflow.source.git.commit": header.commit,
        "mlflow.note.content": markdown.overview(header, outcome.sheet, outcome.notes),
    }
    return {key: value for key, value in facts.items() if value}


def _datasets(outcome: Outcome) -> list[Dataset]:
    header = outcome.header
    sizes = {
        "corpus": {"documents": header.documents, "chunks": header.chunks},
        "questions": {"questions": len(outcome.evaluation.questions)},
    }
    return [
        Dataset(
            name=f"{header.dataset} {part}",
            digest=outcome.digests[part],
            source=outcome.sources[part],
            context=part,
            profile=sizes[part],
        )
        for part in sizes
    ]


_LISTED = 50_000  # documents of a corpus whose list is kept with each run


def _tables(outcome: Outcome) -> dict[str, Table]:
    found = {
        "questions.json": tables.questions(outcome.evaluation),
        "subsets.json": tables.subsets(outcome.evaluation),
    }
    corpus = outcome.evaluation.chunks.corpus
    if outcome.kind == SINGLE and len(corpus) <= _LISTED:
        found[DOCUMENTS] = tables.documents(corpus, outcome.header.documents)
    if outcome.evaluation.retrieved.unlocated:
        found["unmatched.json"] = tables.unmatched(outcome.evaluation)
    if outcome.repeats:
        found["repeats.json"] = tables.repeats(outcome.evaluation, outcome.repeats)
    if outcome.latency:
        found["latency.json"] = tables.latency(outcome.evaluation, outcome.latency)
    return found


def _files(outcome: Outcome) -> dict[str, bytes]:
    evaluation, header = outcome.evaluation, outcome.header
    files = {
        CONFIG: outcome.config.encode(),
        PROVENANCE: _provenance(outcome),
        "trec/run.txt": trec.run(evaluation, header.variant.whole[:10]).encode(),
        "trec/qrels.txt": trec.qrels(evaluation).encode(),
    }
    if evaluation.retrieved.errors:
        files["errors.txt"] = "\n\n".join(_failures(outcome)).encode()
    # The cells of a sweep are many: their pictures and pages are those of the sweep.
    return files if outcome.kind == CELL else {**files, **_pages(outcome)}


def _failures(outcome: Outcome) -> Iterator[str]:
    """Yield each question on which the retriever failed, with the whole traceback."""
    for row, failure in sorted(outcome.evaluation.retrieved.errors.items()):
        name = outcome.evaluation.questions[row].id
        yield f"{name}: {failure.sentence}\n{failure.trace}".rstrip()


def _provenance(outcome: Outcome) -> bytes:
    """Return what the fingerprints stand for, so that a reader can say what became different."""
    header = outcome.header
    facts = {
        "schema": SCHEMA,
        "rageval": __version__,
        "benchmark": dict(header.benchmark_facts),
        "variant": header.variant.facts,
        "held_out": list(header.held_out),
    }
    return json.dumps(facts, ensure_ascii=False, indent=1).encode()


def _pages(outcome: Outcome) -> dict[str, bytes]:
    return {path or PAGE: content for path, content in run_page(outcome).items()}


def _pictures(outcome: Outcome) -> dict[str, bytes]:
    from rageval.report import plots  # importing matplotlib takes half a second

    first = outcome.sheet.columns[0]
    picture = plots.subsets(outcome.evaluation, first.name, first.heading)
    return {
        "plots/target_ranks.png": plots.target_ranks(outcome.evaluation),
        **({f"plots/{first.name}.png": picture} if picture else {}),
    }


def _json(table: Table) -> bytes:
    return json.dumps(table.as_json(), ensure_ascii=False, allow_nan=False).encode()

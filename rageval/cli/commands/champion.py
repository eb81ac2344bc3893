"""Where a set stands in the tracking store: its run, its champion, and what moved in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console

from rageval.config.commands import MineConfig
from rageval.config.loading import Dataset
from rageval.errors import NoVerdictError
from rageval.experiment.workflow import require_tracking
from rageval.mining.drift import drift
from rageval.mining.growth import Turnover, turnover
from rageval.mining.production import Production, metrics
from rageval.registry.baseline import Baseline, baseline
from rageval.registry.references import LATEST, run_of
from rageval.report.plots import timeline
from rageval.tracking.reading import DOCUMENTS, RESCORE, Kept, artifact, fetch, finished
from rageval.tracking.run import add
from rageval.tracking.search import runs
from rageval.tracking.store import Store

_GAP = "production/gap"


@dataclass(frozen=True)
class Standing:
    """A run of a set, and its champion if there is one."""

    store: Store  # of the run's experiment
    run: Kept
    champion: Baseline | None

    def moved(self, dataset: Dataset) -> Iterator[str]:
        """Yield what became of labels, corpus and retrieval since the champion was promoted."""
        if self.champion is None:
            return
        then = self.champion.kept
        yield from _documents(self.store, then, dataset)
        known = finished(self.store, RESCORE, self.run.result.benchmark, then.result.variant)
        rerun = None if known is None else fetch(self.store, known).result
        yield from drift(then.result, rerun, self.run.result)


def standing(config: MineConfig, target: Console) -> Standing | None:
    """Return where the set stands; None, and a note, if nothing was run yet or tracking is off.

    Raises
    ------
    NoVerdictError
        If a run is named that is not there.
    """
    if not config.tracking.enabled:
        return None
    try:
        store = require_tracking(config.tracking, target)
        run = fetch(store, run_of(store, config.registry, config.dataset.name, config.run))
        champion = baseline(store, config.registry, config.dataset.name)
    except NoVerdictError as fault:
        if config.run != LATEST:
            raise
        target.print(f"note: {fault}")
        return None
    return Standing(store.at(run.experiment), run, champion)


def _documents(store: Store, then: Kept, dataset: Dataset) -> Iterator[str]:
    try:
        table = json.loads(artifact(store, then.run, DOCUMENTS))
        before = {str(name): str(text) for name, text, *_ in table["data"]}
    except (NoVerdictError, ValueError, KeyError, TypeError):
        yield "corpus turnover is not known: the champion's run kept no list of documents"
        return
    found = turnover(before, dataset.corpus.digests)
    yield _told(found) if found else "the corpus is the same, document for document"


def _told(found: Turnover) -> str:
    gone = len(found.removed) + len(found.changed)
    return (
        f"documents: {len(found.added)} added, {len(found.changed)} changed, "
        f"{len(found.removed)} removed; {gone / found.before:.0%} of the {found.before} before are "
        "no longer the same"
    )


def log_production(found: Standing, seen: Production) -> Iterator[str]:
    """Log what is known of production to the run, with the gap over time, and say so.

    Raises
    ------
    UnreachableError
        If the store does not answer.
    """
    values = metrics(seen)
    if not values:
        return
    earlier = [
        (str(run.info.run_name), run.data.metrics[_GAP])
        for run in reversed(runs(found.store, f"metrics.`{_GAP}` > -2"))
        if run.info.run_id != found.run.run
    ]
    files: dict[str, bytes] = {}
    if _GAP in values:
        over_time = [*earlier, (found.run.result.name, values[_GAP])]
        files["plots/production_gap.png"] = timeline(over_time, "dev − production recall")
    add(found.store, found.run.run, values, files)
    yield f"logged to run {found.run.run}: {', '.join(values)}"

"""`compare`: two runs, paired by question. It shows what it can and gives no verdict."""

from __future__ import annotations

from collections.abc import Iterator

from omegaconf import DictConfig

from rageval.comparison.changes import Comparison, compare
from rageval.comparison.paired import headlines
from rageval.config.commands import CompareConfig
from rageval.config.next_command import next_command
from rageval.config.reading import read_part
from rageval.experiment.verdicts import keep_comparison
from rageval.experiment.workflow import require_tracking
from rageval.registry.references import run_of
from rageval.report import certainty, console
from rageval.report import comparison as words
from rageval.report.answer import answer
from rageval.report.data import comparison_facts
from rageval.tracking.addresses import compare_page, opening
from rageval.tracking.reading import fetch


def run(composed: DictConfig) -> int:
    """Compare two runs, keep the comparison with the later one, and return the exit code."""
    config = read_part(composed, CompareConfig)
    target = console.console()
    store = require_tracking(config.tracking, target)
    before, after = (
        fetch(store, run_of(store, config.registry, config.dataset.name, reference)).result
        for reference in (config.run, config.with_run)
    )
    found = compare(before, after)
    for note in _notes(found):
        target.print(f"note: {note}")
    console.show_comparison(target, found)
    target.print()
    console.show_table(target, words.subsets(found))
    sure = headlines(found)
    target.print()
    console.show_table(target, certainty.short(found, sure))
    for line in certainty.lines(sure):
        target.print(line)
    keep_comparison(store, after.run, found, sure)
    answer(f"{found.net:+d}", **comparison_facts(found, sure))
    target.print()
    target.print(f"kept as tables and pages below compare/{before.run} of run {after.run}")
    both = compare_page(store, [before.run, after.run])
    console.say(target, f"in MLflow: {opening(store, both)}")
    gate = next_command("gate", f"gate.run={after.run}", dataset=after.dataset)
    console.say(target, f"next: {gate}   for a verdict")
    return 0


def _notes(found: Comparison) -> Iterator[str]:
    """Yield why the two are less comparable than they look."""
    if found.before.run == found.after.run:
        yield "both are the same run"
    if found.before.benchmark != found.after.benchmark:
        yield (
            "the benchmarks differ (corpus, labels, cutoffs or rights): only questions with equal "
            "labels are paired, and the corpus may have changed"
        )
    if found.before.chunking != found.after.chunking:
        yield "the chunkings differ: precision and completeness do not compare"

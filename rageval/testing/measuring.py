"""Measuring a golden set for tests: no store, no output, one measurement for equal settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from yaml import YAMLError

from rageval.cli.main import without_plus
from rageval.comparison.changes import Change, Turn, compare
from rageval.comparison.result import Result, Row, result
from rageval.config.launch import take_names
from rageval.config.places import shipped
from rageval.config.reading import plain
from rageval.config.refusals import explained
from rageval.config.resolvers import register, set_name
from rageval.evaluation.evaluation import Evaluation
from rageval.experiment.plan import Plan
from rageval.experiment.record import tags
from rageval.experiment.workflow import measure as measured_by
from rageval.gate.decision import decide
from rageval.gate.thresholds import GateThresholds
from rageval.registry.portable import read_portable
from rageval.report.tables import questions
from rageval.tracking.reading import SINGLE

_PASSAGES, _CHARACTERS = 6, 300  # shown of what came back for a question that failed
_CONFIG_DIR = "--config-dir="


@dataclass(frozen=True)
class Measurement:
    """What a golden set came to, beside a baseline if there is one."""

    result: Result
    evaluation: Evaluation
    thresholds: GateThresholds
    trial: bool  # all questions are drafts
    baseline: Result | None = None

    @cached_property
    def _changes(self) -> dict[str, Change]:
        if self.baseline is None:
            return {}
        return {c.after.id: c for c in compare(self.baseline, self.result).changes}

    def state_of(self, name: str) -> str:
        """Return why a question fails; empty if it does not."""
        row, change = self.result.rows[name], self._changes.get(name)
        if row.failed or row.leaks:
            return "the retriever failed" if row.failed else "documents leaked to the asker"
        if change is not None and change.turn is Turn.REGRESSED:
            return "regressed against the baseline"
        if row.found:
            return ""
        return "missed" if change is None else "missed in the baseline, too"

    def diagnosis_of(self, name: str) -> str:
        """Return why a question went as it did."""
        return self.result.rows[name].diagnosis

    def told(self, name: str, state: str) -> str:
        """Return what to say of a question that failed, with the passages that came back."""
        row = self.result.rows[name]
        return "\n".join([f"{state}: {row.text}", *_labels(row), "came back:", *self._came(name)])

    def _came(self, name: str) -> Iterator[str]:
        place = list(self.result.rows).index(name)
        chunks = self.evaluation.chunks
        found = [n for n in self.evaluation.retrieved.window[place].tolist() if n >= 0]
        for rank, number in enumerate(found[:_PASSAGES], start=1):
            document = chunks.corpus[int(chunks.document[number])].id
            yield f"  {rank}. {document}: {' '.join(chunks.text(number).split())[:_CHARACTERS]}"
        if not found:
            yield "  nothing"

    def broken_limits(self) -> list[str]:
        """Return a sentence for each limit that was not kept."""
        verdict = decide(self.result, self.baseline, self.thresholds)
        return [f"{c.subset} {c.measure or c.rule.value}: {c.sentence}" for c in verdict.failures]


def _labels(row: Row) -> Iterator[str]:
    yield row.diagnosis
    if row.labelled is not None and row.labelled.targets:
        yield f"expected: {', '.join(row.labelled.targets)}"
    if row.labelled is not None and row.labelled.asker:
        yield f"asked by: {row.labelled.asker}"


def measure_file(golden: Path, settings: Sequence[str], baseline: Path | None) -> Measurement:
    """Measure the golden set in a file.

    A configuration that `rageval init` wrote beside it is used; else the documents are those in the
    folder `docs` beside it, unless the settings say otherwise. The retriever is bm25 unless named.

    Raises
    ------
    RagevalError
        If the configuration, the data or the baseline is refused.
    """
    given = {word.lstrip("+").partition("=")[0] for word in settings}
    words = list(settings)
    if "retriever" not in given:
        words.append("retriever=bm25")
    if "dataset" not in given:
        words += _dataset(golden, given)
    found = measure(words)
    if baseline is None:
        return found
    return replace(found, baseline=read_portable(baseline).kept.result)


def _dataset(golden: Path, given: set[str]) -> list[str]:
    own = golden.parent / "conf" / "dataset" / f"{set_name(str(golden))}.yaml"
    if own.is_file():
        words = [f"{_CONFIG_DIR}{golden.parent / 'conf'}", f"dataset={own.stem}"]
        limits = (golden.parent / "conf" / "threshold" / own.name).is_file()
        return [*words, f"threshold={own.stem}"] if limits and "threshold" not in given else words
    words = ["dataset=markdown", f"dataset.questions={golden}"]
    return words if "dataset.path" in given else [*words, f"dataset.path={golden.parent / 'docs'}"]


def measure(settings: Sequence[str]) -> Measurement:
    """Measure what settings describe, as on the command line; equal ones once in this process.

    Raises
    ------
    RagevalError
        If the configuration or the data is refused.
    """
    return _measured(tuple(settings))


@lru_cache(maxsize=16)
def _measured(settings: tuple[str, ...]) -> Measurement:
    plan = Plan.of(plain(_composed(settings)), lambda parts: "pytest", SINGLE)
    outcome = measured_by(plan, Console(quiet=True))
    kept = result("pytest", tags(outcome), questions(outcome.evaluation).as_json())
    return Measurement(kept, outcome.evaluation, plan.config.threshold, plan.dataset.trial)


def _composed(settings: Sequence[str]) -> DictConfig:
    register()
    take_names()
    own = [Path(w[len(_CONFIG_DIR) :]).resolve() for w in settings if w.startswith(_CONFIG_DIR)]
    words = [without_plus(w) for w in settings if not w.startswith(_CONFIG_DIR)]
    places = ",".join(f"file://{place}" for place in own)
    words += [f"hydra.searchpath=[{places}]"] if own else []
    words += ["tracking=off", "latency.sample=0"]
    try:
        with initialize_config_dir(str(shipped("conf").resolve()), version_base="1.3"):
            return compose("config", words)
    except (HydraException, OmegaConfBaseException, YAMLError) as fault:
        raise explained(fault) from fault

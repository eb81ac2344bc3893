"""The configuration of an evaluation: typed, checked, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from rageval.evaluation.latency import LatencyConfig
from rageval.fields import Count, Flag, Name, Natural, Number, Record, SetIdentifier, Share
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import GateThresholds
from rageval.measures.catalogue import Cutoffs, catalogue
from rageval.mining.queue import QueueConfig
from rageval.questionlog.columns import Columns
from rageval.retention import PruneConfig
from rageval.stages.store import CacheConfig
from rageval.tracking.settings import HoldoutConfig, RegistryConfig, TrackingConfig
from rageval.window import Window


def _has_target(node: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(node.get("_target_"), str):
        raise ValueError("must name a class by _target_")
    return node


Node = Annotated[Mapping[str, Any], AfterValidator(_has_target)]  # a component, still as data


Reason = Annotated[Name, Field(max_length=1000)]  # longer tags are cut by some registries

# A version is a number on the command line, and so are some run ids.
Reference = Annotated[Name, BeforeValidator(lambda v: str(v) if isinstance(v, int) else v)]


class SourceConfig(Record):
    """A corpus and who may ask: the part of a dataset that production needs."""

    corpus: Node
    access: Node
    languages: tuple[str, ...]
    # What the nodes are made from in datasets that ask for little more than a path.
    path: Name | None = None
    askers: Name | None = None


class DatasetConfig(SourceConfig):
    """A corpus with its golden set, and who may ask."""

    name: SetIdentifier
    golden: Node
    split: Node
    questions: Name | None = None
    qrels: Name | None = None


class SetName(Record):
    """The set that a gate is about; the rest of its dataset comes from the runs themselves."""

    name: SetIdentifier


class WindowConfig(Record):
    """The window as configured; see `rageval.window`."""

    k: Count
    min_score: Number | None
    per_document: Count | None
    depth: Count | None  # None = 4 × the largest of k and the cutoffs

    def settled(self, cutoffs: Cutoffs) -> Window:
        """Return the window with its depth decided."""
        depth = self.depth or 4 * max(self.k, cutoffs.deepest)
        return Window(
            k=self.k, min_score=self.min_score, per_document=self.per_document, depth=depth
        )


class JudgingConfig(Record):
    """When a chunk supports evidence; see `rageval.judging.qrels`."""

    min_overlap: Annotated[Share, Field(gt=0)]


class OutputConfig(Record):
    """What is printed."""

    questions: Literal["worst", "all", "none"]
    rows: Natural


class RunConfig(Record):
    """How the run introduces itself."""

    name: Name | None
    notes: str | None


class CheckOptions(Record):
    """What a check looks for beside faults, and where it writes what it found."""

    near: Annotated[Share, Field(gt=0)] | None  # share of words of near duplicates; None = off
    against: Name | None  # a git revision or a file
    json_path: Name | None = Field(alias="json")


class SweepConfig(Record):
    """How the cells of a sweep are run."""

    resume: Flag  # a cell that is finished already is not run again
    on_error: Literal["continue", "stop"]
    dry_run: Flag  # list the cells and what they share, run none
    objective: Name | None  # measure that cells are ranked by; None = the deepest hit rate


class CheckConfig(Record):
    """Everything that a check is told."""

    dataset: DatasetConfig
    export: Node
    check: CheckOptions
    secrets: Mapping[str, Any] = {}


class PipelineConfig(Record):
    """Everything that decides which window a question gets."""

    dataset: SourceConfig
    chunking: Node
    analyser: Node
    encoder: Node
    retriever: Node
    rewriting: Node
    window: WindowConfig
    measures: Cutoffs  # they decide the default depth
    secrets: Mapping[str, Any] = {}

    @model_validator(mode="after")
    def _deep_enough(self) -> Self:
        if self.window.depth is not None and self.window.depth < self.window.k:
            raise ValueError(
                f"window.depth ({self.window.depth}) must not be below window.k ({self.window.k})"
            )
        return self

    @property
    def settled_window(self) -> Window:
        """Return the window with its depth decided."""
        return self.window.settled(self.measures)


class EvaluationConfig(PipelineConfig):
    """Everything that an evaluation is told."""

    dataset: DatasetConfig
    judging: JudgingConfig
    threshold: GateThresholds
    latency: LatencyConfig
    tracking: TrackingConfig
    cache: CacheConfig
    sweep: SweepConfig
    output: OutputConfig
    run: RunConfig
    gate: GateConfig
    registry: RegistryConfig
    register_run: Flag = Field(alias="register")  # the name is taken by pydantic

    @model_validator(mode="after")
    def _known_measures(self) -> Self:
        known = [measure.name for measure in catalogue(self.measures)]
        self.threshold.require_known(known)
        ranking = [m.name for m in catalogue(self.measures) if not m.lower_is_better]
        if self.sweep.objective is not None and self.sweep.objective not in ranking:
            raise ValueError(
                f"sweep.objective: no measure to be high; known: {', '.join(ranking)}, got "
                f"{self.sweep.objective!r}"
            )
        return self

    @property
    def objective(self) -> str:
        """Return the measure that the cells of a sweep are ranked by."""
        return self.sweep.objective or f"hit_rate_at_{self.measures.hit_at[-1]}"


class JudgingVerbConfig(Record):
    """What every verb that judges a run is told."""

    dataset: SetName
    threshold: GateThresholds
    tracking: TrackingConfig
    gate: GateConfig
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}


class GateVerbConfig(JudgingVerbConfig):
    """Everything that a gate is told."""

    suggest: Flag
    suggest_to: Name
    allow_lower: Flag


class RollbackConfig(JudgingVerbConfig):
    """Everything that a rollback is told."""

    reason: Reason | None


class PromoteConfig(RollbackConfig):
    """Everything that a promotion is told."""

    holdout: HoldoutConfig
    force: Flag


class HoldoutVerbConfig(Record):
    """Everything that a scoring of held-out questions is told."""

    dataset: SetName
    tracking: TrackingConfig
    registry: RegistryConfig
    holdout: HoldoutConfig
    run: Reference  # whose retrieval is scored: latest, a run id, a version or an alias
    reason: Reason | None  # None is refused unless only the ledger is shown
    ledger: Flag  # list what was scored, score nothing
    secrets: Mapping[str, Any] = {}


class CompareConfig(Record):
    """Everything that a comparison is told."""

    dataset: SetName
    tracking: TrackingConfig
    registry: RegistryConfig
    run: Reference  # before: latest, a run id, a version or an alias
    with_run: Reference = Field(alias="with")  # after
    secrets: Mapping[str, Any] = {}


class ReportConfig(Record):
    """Everything that a report is told."""

    dataset: SetName
    tracking: TrackingConfig
    registry: RegistryConfig
    run: Reference
    format: Literal["html", "markdown", "junit", "json", "baseline"]
    output: Name | None  # None = report.html, verdict.md, junit.xml, verdict.json, baseline.json
    open: Flag  # show the page in a browser, from a terminal
    secrets: Mapping[str, Any] = {}


class PruneVerbConfig(Record):
    """Everything that a pruning is told."""

    dataset: SetName
    tracking: TrackingConfig
    prune: PruneConfig


class LogConfig(Record):
    """A question log; the rest is what its source is made from."""

    source: Node
    path: Name | None = None
    url: Name | None = None
    table: Name | None = None
    query: Name | None = None


class PoolConfig(Record):
    """Which retrievers suggest what may answer a candidate."""

    k: Natural  # passages of each; 0 = nothing is suggested
    retrievers: Mapping[str, Node]


class MineConfig(Record):
    """Everything that mining a question log is told."""

    dataset: DatasetConfig
    log: LogConfig | None = None  # None = none was chosen
    columns: Columns
    masking: Node
    queue: QueueConfig
    sample: Natural  # questions that are drawn by chance, to stand for the log
    seed: Natural  # of the draw
    pool: PoolConfig
    chunking: Node
    analyser: Node
    encoder: Node
    rewriting: Node
    candidates: Name  # file that cases to be judged are added to
    review: Flag  # read no log; show a page to judge the candidates in
    port: Annotated[Natural, Field(le=65535)]  # of the page; 0 = any that is free
    open: Flag  # show the page in a browser, from a terminal
    merge: Flag  # read no log; add the judged candidates to the golden set
    run: Reference  # whose dev values production is held against
    tracking: TrackingConfig
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}

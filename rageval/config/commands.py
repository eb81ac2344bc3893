"""What each command is told, beside `evaluate`: typed, checked, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from rageval.cache.store import CacheConfig
from rageval.config.settings import DatasetConfig, Node, OutputFormat
from rageval.files.limits import Limits
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import GateThresholds
from rageval.measures.catalogue import Cutoffs, catalogue
from rageval.mining.questionlog.columns import Columns
from rageval.mining.queue import QueueConfig
from rageval.schema.fields import (
    Count,
    Flag,
    Name,
    Natural,
    Record,
    Reference,
    SetIdentifier,
    Share,
)
from rageval.tracking.retention import PruneConfig
from rageval.tracking.settings import HoldoutConfig, RegistryConfig, TrackingConfig

Reason = Annotated[Name, Field(max_length=1000)]  # longer tags are cut by some registries


class SetName(Record):
    """The set that a gate is about; the rest of its dataset comes from the runs themselves."""

    partial: ClassVar[bool] = True
    name: SetIdentifier


class IdsConfig(Record):
    """Documents that are known by their ids alone."""

    version: Reference | None  # stands in for the digest of their texts


class FormatConfig(Record):
    """What is printed."""

    format: OutputFormat = "text"


class ScoredSet(Record):
    """The judgements that a run file is scored against."""

    name: SetIdentifier
    corpus: IdsConfig
    relevant_from: int  # the least grade of a document that is expected


class ScoreConfig(Record):
    """Everything that scoring a run file is told."""

    run: Name
    qrels: Name
    measures: Annotated[tuple[str, ...], Field(min_length=1)]
    per_query: Flag  # print each query's values, too
    name: Name | None
    notes: str | None
    dataset: ScoredSet
    threshold: GateThresholds
    tracking: TrackingConfig
    cache: CacheConfig
    gate: GateConfig
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()

    @model_validator(mode="after")
    def _known_measures(self) -> Self:
        cutoffs = Cutoffs(standard=self.measures)
        self.threshold.require_known([measure.name for measure in catalogue(cutoffs)])
        return self


class CheckOptions(Record):
    """What a check looks for beside faults, and where it writes what it found."""

    near: Annotated[Share, Field(gt=0)] | None  # share of words of near duplicates; None = off
    against: Name | None  # a git revision or a file
    json_path: Name | None = Field(alias="json")
    store: Flag = False  # look at the tracking store instead of a dataset


class StoreCheckConfig(Record):
    """Everything that a check of the tracking store is told."""

    dataset: SetName
    export: Node
    check: CheckOptions
    secrets: Mapping[str, Any] = {}
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()
    tracking: TrackingConfig
    registry: RegistryConfig


class CheckConfig(Record):
    """Everything that a check is told."""

    dataset: DatasetConfig
    export: Node
    check: CheckOptions
    tracking: TrackingConfig
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()


class JudgingCommandConfig(Record):
    """What every command that judges a run is told."""

    dataset: SetName
    threshold: GateThresholds
    tracking: TrackingConfig
    gate: GateConfig
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()

    @model_validator(mode="after")
    def _known_measures(self) -> Self:
        self.threshold.require_known([measure.name for measure in catalogue(Cutoffs())])
        return self


class GateCommandConfig(JudgingCommandConfig):
    """Everything that a gate is told."""

    suggest: Flag
    suggest_to: Name
    allow_lower: Flag


class RollbackConfig(JudgingCommandConfig):
    """Everything that a rollback is told."""

    reason: Reason | None


class PromoteConfig(RollbackConfig):
    """Everything that a promotion is told."""

    run: Reference | None  # None = what the last gate judged; best = of the last sweep
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
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()


class CompareConfig(Record):
    """Everything that a comparison is told."""

    dataset: SetName
    tracking: TrackingConfig
    registry: RegistryConfig
    run: Reference  # before: latest, a run id, a version or an alias
    with_run: Reference = Field(alias="with")  # after
    secrets: Mapping[str, Any] = {}
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()


class ReportConfig(Record):
    """Everything that a report is told."""

    dataset: SetName
    tracking: TrackingConfig
    registry: RegistryConfig
    run: Reference
    format: Literal["html", "markdown", "junit", "json", "baseline"]
    with_run: Reference | None = Field(default=None, alias="with")  # compared with; None = one run
    output: Name | None  # None = a name for the format, such as report.html; - = standard output
    open: Flag  # show the page in a browser, from a terminal
    secrets: Mapping[str, Any] = {}
    limits: Limits = Limits()


class InitConfig(Record):
    """Everything that the start of a project is told."""

    path: Name | None  # the folder of documents; None is refused
    name: SetIdentifier | None  # None = after the folder
    questions: Count  # to draft
    languages: tuple[Name, ...]
    with_retriever: Name  # that the workflow measures
    output: FormatConfig = FormatConfig()


class CompletionConfig(Record):
    """Everything that the script of a shell is told."""

    shell: Literal["bash", "zsh", "fish"] | None  # None is refused with the choices
    output: FormatConfig = FormatConfig()


class PruneVerbConfig(Record):
    """Everything that a pruning is told."""

    dataset: SetName
    tracking: TrackingConfig
    prune: PruneConfig
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()


class SyncConfig(Record):
    """Everything that a delivery is told."""

    dataset: SetName
    tracking: TrackingConfig
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()


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
    limits: Limits = Limits()
    output: FormatConfig = FormatConfig()

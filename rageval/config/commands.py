"""What each command is given, beside `evaluate`: typed, checked, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from rageval.cache.store import CacheConfig
from rageval.config.settings import DatasetConfig, Node, OutputFormat
from rageval.files.limits import Limits
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import GateThresholds
from rageval.measures.catalogue import Cutoffs, StandardNames, catalogue
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


class CommandConfig(Record):
    """What every command that reads the tracking store is given."""

    tracking: TrackingConfig
    limits: Limits = Limits()


class SetCommandConfig(CommandConfig):
    """What a command is given that is about the runs of one set."""

    dataset: SetName


class RegistryCommandConfig(SetCommandConfig):
    """What a command is given that can name a run by an alias of the registry."""

    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}


class PrintingConfig(Record):
    """How a command prints what it found; `report` writes a file instead."""

    output: FormatConfig = FormatConfig()


class ScoreConfig(CommandConfig, PrintingConfig):
    """Everything that scoring a run file is given."""

    run: Name
    qrels: Name
    measures: Annotated[StandardNames, Field(min_length=1)]
    per_query: Flag  # print each query's values, too
    name: Name | None
    notes: str | None
    dataset: ScoredSet
    threshold: GateThresholds
    cache: CacheConfig
    gate: GateConfig
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}

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


class StoreCheckConfig(RegistryCommandConfig, PrintingConfig):
    """Everything that a check of the tracking store is given."""

    export: Node
    check: CheckOptions


class CheckConfig(CommandConfig, PrintingConfig):
    """Everything that a check is given."""

    dataset: DatasetConfig
    export: Node
    check: CheckOptions
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}


class JudgingCommandConfig(RegistryCommandConfig, PrintingConfig):
    """What every command that judges a run is given."""

    threshold: GateThresholds
    gate: GateConfig

    @model_validator(mode="after")
    def _known_measures(self) -> Self:
        self.threshold.require_known([measure.name for measure in catalogue(Cutoffs())])
        return self


class GateCommandConfig(JudgingCommandConfig):
    """Everything that a gate is given."""

    suggest: Flag
    suggest_to: Name
    allow_lower: Flag


class PowerConfig(RegistryCommandConfig, PrintingConfig):
    """Everything that a simulation of the gate is given."""

    threshold: GateThresholds
    run: Reference  # champion, latest, a run id, a version or an alias
    found: Share | None  # instead of a run: the share of questions that is found
    churn: Share | None  # None = estimated from pairs of runs
    runs: Annotated[int, Field(strict=True, ge=2, le=100)]  # newest, that churn is estimated from
    draws: Annotated[int, Field(strict=True, ge=100, le=100_000)]
    seed: Natural


class PowerOfSetConfig(CommandConfig, PrintingConfig):
    """Everything that a simulation is given where nothing was measured yet."""

    dataset: DatasetConfig
    threshold: GateThresholds
    registry: RegistryConfig
    run: Reference
    found: Share
    churn: Share | None
    runs: Natural
    draws: Annotated[int, Field(strict=True, ge=100, le=100_000)]
    seed: Natural
    secrets: Mapping[str, Any] = {}


class RollbackConfig(JudgingCommandConfig):
    """Everything that a rollback is given."""

    reason: Reason | None


class PromoteConfig(RollbackConfig):
    """Everything that a promotion is given."""

    run: Reference | None  # None = what the last gate judged; best = of the last sweep
    holdout: HoldoutConfig
    force: Flag


class HoldoutCommandConfig(RegistryCommandConfig, PrintingConfig):
    """Everything that a scoring of held-out questions is given."""

    holdout: HoldoutConfig
    run: Reference  # whose retrieval is scored: latest, a run id, a version or an alias
    reason: Reason | None  # None is refused unless only the ledger is shown
    ledger: Flag  # list what was scored, score nothing


class CompareConfig(RegistryCommandConfig, PrintingConfig):
    """Everything that a comparison is given."""

    run: Reference  # before: latest, a run id, a version or an alias
    with_run: Reference = Field(alias="with")  # after


class ReportConfig(RegistryCommandConfig):
    """Everything that a report is given."""

    run: Reference
    format: Literal["html", "markdown", "junit", "json", "baseline"]
    with_run: Reference | None = Field(default=None, alias="with")  # compared with; None = one run
    output: Name | None  # None = a name for the format, such as report.html; - = standard output
    open: Flag  # show the page in a browser, from a terminal


class InitConfig(Record):
    """Everything that the start of a project is told."""

    path: Name | None  # the folder of documents; None is refused
    name: SetIdentifier | None  # None = after the folder
    questions: Count  # to draft
    languages: tuple[Name, ...]
    with_retriever: Name  # that the workflow measures
    output: FormatConfig = FormatConfig()


class CompletionConfig(Record):
    """Everything that the script of a shell is given."""

    shell: Literal["bash", "zsh", "fish"] | None  # None is refused with the choices
    output: FormatConfig = FormatConfig()


class PruneCommandConfig(SetCommandConfig, PrintingConfig):
    """Everything that a pruning is given."""

    prune: PruneConfig


class SyncConfig(SetCommandConfig, PrintingConfig):
    """Everything that a delivery is given."""


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


class MineConfig(CommandConfig, PrintingConfig):
    """Everything that mining a question log is given."""

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
    registry: RegistryConfig
    secrets: Mapping[str, Any] = {}

"""The configuration of an evaluation: typed, checked, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from rageval.cache.store import CacheConfig
from rageval.evaluation.latency import LatencyConfig
from rageval.evaluation.noise import NoiseConfig
from rageval.files.limits import Limits
from rageval.formats.mapped.mapping import GoldenMapping
from rageval.gate.settings import GateConfig
from rageval.gate.thresholds import GateThresholds
from rageval.judging.quotes import Quoting
from rageval.measures.catalogue import Cutoffs, catalogue
from rageval.retrieval.window import Window, default_depth
from rageval.schema.fields import Count, Flag, Name, Natural, Number, Record, SetIdentifier, Share
from rageval.tracking.settings import RegistryConfig, TrackingConfig


def _has_target(node: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(node.get("_target_"), str):
        raise ValueError("must name a class by _target_")
    return node


Node = Annotated[Mapping[str, Any], AfterValidator(_has_target)]  # a component, still as data


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
    dangling: Literal["refuse", "drop"] | None = None  # judgements of what is not there
    quotes: Quoting = "space"  # how quotes of the labels match
    exclude_self: Flag = False  # leave out the document whose id is the question's
    mapping: GoldenMapping | None = None  # where a file of any shape has what

    @model_validator(mode="after")
    def _mapping_is_read(self) -> Self:
        if self.mapping is not None and "mapping" not in self.golden:
            raise ValueError("a mapping is read by dataset=mapped alone")
        return self


class WindowConfig(Record):
    """The window as configured; see `rageval.retrieval.window`."""

    k: Count
    min_score: Number | None
    per_document: Count | None
    depth: Count | None  # None = 4 × the largest of k and the cutoffs

    def settled(self, cutoffs: Cutoffs) -> Window:
        """Return the window with its depth decided."""
        depth = self.depth or default_depth(self.k, cutoffs.deepest)
        return Window(
            k=self.k, min_score=self.min_score, per_document=self.per_document, depth=depth
        )


class JudgingConfig(Record):
    """When a chunk supports evidence; see `rageval.judging.qrels`."""

    min_overlap: Annotated[Share, Field(gt=0)]


OutputFormat = Literal["text", "json", "quiet"]


class OutputConfig(Record):
    """What is printed."""

    questions: Literal["worst", "all", "none"]
    rows: Natural
    format: OutputFormat = "text"
    passages: Flag = True  # a run's page shows the text of what came back


class RunConfig(Record):
    """How the run introduces itself."""

    name: Name | None
    notes: str | None


class VariantConfig(Record):
    """The user's own name for what no digest can cover."""

    tag: Name | None = None  # of a remote index, for instance: another tag is another retrieval


class IndexConfig(Record):
    """Where the index of an engine comes from."""

    build: Flag = False  # True: build it from our chunks; False: measure the one that exists


class SweepConfig(Record):
    """How the cells of a sweep are run."""

    resume: Flag  # a cell that is finished already is not run again
    on_error: Literal["continue", "stop"]
    dry_run: Flag  # list the cells and what they share, run none
    objective: Name | None  # measure that cells are ranked by; None = the deepest hit rate


class PipelineConfig(Record):
    """Everything that decides which window a question gets."""

    dataset: SourceConfig
    chunking: Node
    analyser: Node
    encoder: Node
    retriever: Node
    rewriting: Node
    window: WindowConfig
    variant: VariantConfig = VariantConfig()
    index: IndexConfig = IndexConfig()  # read by the retrievers that ask an engine
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
    """Everything that an evaluation is given."""

    dataset: DatasetConfig
    judging: JudgingConfig
    threshold: GateThresholds
    latency: LatencyConfig
    noise: NoiseConfig = NoiseConfig()
    repeats: Count = 1  # times that the retrieval is indexed and asked; the first is scored
    tracking: TrackingConfig
    cache: CacheConfig
    sweep: SweepConfig
    output: OutputConfig
    run: RunConfig
    gate: GateConfig
    registry: RegistryConfig
    limits: Limits = Limits()
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
        return self.sweep.objective or self.measures.hits[-1]

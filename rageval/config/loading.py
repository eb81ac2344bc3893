"""From a dataset's configuration to its corpus, its questions and their evidence, all checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from rageval.config.build import build, build_parts
from rageval.config.identity import identify, owner, require_own_lock
from rageval.config.next_command import next_command
from rageval.config.reading import NO_SET
from rageval.config.settings import DatasetConfig, PipelineConfig
from rageval.corpus.document import Corpus
from rageval.errors import InputError, ProposalError
from rageval.golden.access import Access
from rageval.golden.faulty import FaultyQuestionsError
from rageval.golden.identity import SetIdentity
from rageval.golden.question import GoldenSet, Question
from rageval.judging.grouping import group_keys
from rageval.judging.labelled import labelled
from rageval.judging.resolution import Evidence
from rageval.retrieval.pipeline import Pipeline
from rageval.split.split import DEV, HOLDOUT, Assignment


@dataclass(frozen=True)
class Side:
    """The questions of one side of the split, with their evidence."""

    golden: GoldenSet
    evidence: tuple[Evidence, ...]  # one a question


@dataclass(frozen=True)
class Dataset:
    """A corpus with its golden set: both sides of the split."""

    corpus: Corpus
    golden: GoldenSet
    evidence: tuple[Evidence, ...]  # one a question of `golden`
    access: Access
    assignment: Assignment
    identity: SetIdentity

    @cached_property
    def dev(self) -> Side:
        """Return the side that evaluations, sweeps and gates see.

        Raises
        ------
        InputError
            If no question is on it.
        """
        found = self._side(DEV)
        if len(found.golden) == 0:
            raise InputError(f"{self.golden.name}: no question is on the dev side of the split")
        return found

    @cached_property
    def holdout(self) -> Side:
        """Return the side that only a held-out check sees; it may be empty."""
        return self._side(HOLDOUT)

    @property
    def trial(self) -> bool:
        """Say whether nobody confirmed any question yet."""
        return all(question.draft for question in self.golden)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was left out or looks wrong, as sentences."""
        return (*self.corpus.notes, *self.golden.notes, *self.assignment.notes)

    def _side(self, name: str) -> Side:
        pairs = [
            (question, found)
            for question, found in zip(self.golden, self.evidence, strict=True)
            if self.assignment.sides[question.id] == name
        ]
        questions = tuple(question for question, _ in pairs)
        return Side(GoldenSet(self.golden.name, questions), tuple(found for _, found in pairs))


def load(config: DatasetConfig, added: tuple[Question, ...] = ()) -> Dataset:
    """Load a dataset and hold its labels against its corpus; nothing is written.

    `added` are questions that are to join its golden set.

    Raises
    ------
    InputError
        With every fault of the corpus, the rights and the golden set. Where single questions are
        faulty, the others are held against the corpus all the same, so that one round shows all.
    """
    access, corpus = _sources(config)
    golden, faults = _golden(config, corpus)
    golden = replace(golden, questions=(*golden.questions, *added))
    if faults:
        with _gathering(faults):
            labelled(golden=golden, corpus=corpus, access=access, quotes=config.quotes)
        raise InputError.of(faults)
    require_own_lock(config, golden)
    labels = labelled(corpus, golden, access, config.quotes, config.languages)
    golden, evidence = labels.golden, tuple(labels.evidence)
    split = build(config.split, "dataset.split")
    assignment: Assignment = split.assign(golden, group_keys(golden, evidence, corpus))
    identity = identify(config, golden, assignment)
    assignment = replace(assignment, owner=owner(config, identity))
    return Dataset(corpus, golden, evidence, access, assignment, identity)


def _sources(config: DatasetConfig) -> tuple[Access, Corpus]:
    """Return who may see what, and the documents; the faults of both are raised together."""
    faults: list[str] = []
    with _gathering(faults):
        access: Access = build(config.access, "dataset.access")
    with _gathering(faults):
        corpus: Corpus = build(config.corpus, "dataset.corpus").load().in_tie_order()
    if faults:
        raise InputError.of(faults)
    return access, corpus


@contextmanager
def _gathering(faults: list[str]) -> Iterator[None]:
    """Add the lines of a fault to others, so that work goes on with what else may be wrong."""
    try:
        yield
    except InputError as fault:
        faults += str(fault).splitlines()


def _golden(config: DatasetConfig, corpus: Corpus) -> tuple[GoldenSet, list[str]]:
    """Return the questions that are well formed, and the faults of the others."""
    try:
        found: GoldenSet = build(config.golden, "dataset.golden").load(corpus)
    except ProposalError as fault:
        raise InputError(f"{fault}:\n  {next_command('check', *fault.words)}") from fault
    except FaultyQuestionsError as fault:
        return fault.sound, str(fault).splitlines()
    except InputError as fault:
        path = config.golden.get("path")
        if path is None or Path(str(path)).exists():
            raise
        raise InputError(f"{fault}; {NO_SET}") from fault
    return found, []


def open_pipeline(
    config: PipelineConfig, accept: Callable[[Corpus], None] = lambda _: None
) -> Pipeline:
    """Load the corpus alone and index it, for production; `accept` may refuse the corpus before.

    Raises
    ------
    InputError
        If the corpus or a component is refused.
    UnreachableError
        If the retriever's backend cannot be reached.
    """
    parts = build_parts(config, build(config.dataset.access, "dataset.access"))
    corpus: Corpus = build(config.dataset.corpus, "dataset.corpus").load()
    accept(corpus)
    return Pipeline.build(corpus.in_tie_order(), parts, lambda _: None)

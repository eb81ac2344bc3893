"""Documents and labelled questions from files or from memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.files.errors import ErrorCollector
from rageval.files.nodes import compose_json
from rageval.formats.canonical.golden import GoldenFile, read_golden
from rageval.formats.documents.folder import DocumentFolder
from rageval.golden.access import Access, AccessFile, PublicOnly
from rageval.golden.question import GoldenSet, Question
from rageval.golden.source import GoldenSource
from rageval.judging.grouping import group_keys
from rageval.judging.labelled import Labelled, labelled
from rageval.judging.quotes import Quoting
from rageval.schema.fingerprint import text_digest
from rageval.split.lock import LOCK, read_lock
from rageval.split.split import DEV, Split

_MEMORY = Path("questions")  # what messages call questions that are in no file


@runtime_checkable
class DocumentSource(Protocol):
    """Reads documents from where they are kept, such as `formats.beir.corpus.BeirCorpus`."""

    def load(self) -> Corpus:
        """Return the documents; all faults are raised as one InputError."""
        ...


@dataclass(frozen=True, eq=False)
class Dataset:
    """Documents and labelled questions, held against each other.

    Parameters
    ----------
    labels
        Corpus, questions and their evidence.
    held_out
        How many questions a lock beside the golden file holds out; they are not in `labels`.
    """

    labels: Labelled
    held_out: int = 0

    @property
    def name(self) -> str:
        """Return the name of the golden set."""
        return self.labels.golden.name

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return the questions that are scored."""
        return self.labels.golden.questions

    @property
    def documents(self) -> tuple[Document, ...]:
        """Return the documents, in the order that decides ties."""
        return tuple(self.labels.corpus)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was left out or looks wrong, as sentences."""
        kept = (f"{self.held_out} questions are held out and not scored",) if self.held_out else ()
        return (*self.labels.notes, *kept)

    def __len__(self) -> int:
        """Return the number of questions that are scored."""
        return len(self.questions)

    def __repr__(self) -> str:
        held = f", {self.held_out} held out" if self.held_out else ""
        documents = len(self.labels.corpus)
        return f"<Dataset {self.name}: {len(self)} questions{held}, {documents} documents>"


def load_dataset(
    documents: str | Path | Mapping[str, str] | Iterable[Document] | DocumentSource,
    questions: str | Path | Sequence[Mapping[str, Any]] | GoldenSource,
    *,
    name: str | None = None,
    askers: str | Path | Access | None = None,
    quotes: Quoting = "space",
    languages: Sequence[str] = ("english",),
) -> Dataset:
    r"""Load documents and labelled questions, and hold the labels against the documents.

    Parameters
    ----------
    documents
        A folder of Markdown and other pages, a mapping of document ids to texts, documents, or any
        corpus format (an object with `load()`).
    questions
        A golden file of rageval's own format (.yaml, .json, .jsonl, .csv), its rows as mappings, or
        any golden format (an object with `load(corpus)`). Questions that a split lock beside the
        file holds out are left out, so that nobody tunes retrieval on them.
    name
        The set's name; None takes that of the file, or `questions`.
    askers
        A file that says which groups each asker belongs to; None = public documents only.
    quotes
        How quotes of labels match: "exact", up to white space ("space"), or up to case and Markdown
        marks ("loose").
    languages
        What the questions are written in; a warning in `notes` says if they look otherwise.

    Raises
    ------
    InputError
        With every fault of the first part that has any: documents, questions, both together.

    Examples
    --------
    >>> data = load_dataset(
    ...     {"leave": "# Leave\\nStaff get 25 days.", "travel": "# Travel\\nBook by rail."},
    ...     [{"id": "q1", "question": "How many days off?", "expected": ["leave"]}],
    ... )
    >>> data
    <Dataset questions: 1 questions, 2 documents>
    """
    access = _access(askers)
    corpus = _corpus(documents).in_tie_order()
    golden = _golden(questions, corpus)
    if name is not None:
        golden = replace(golden, name=name)
    found = labelled(corpus, golden, access, quotes, languages)
    return _without_held_out(found, questions)


def _access(askers: str | Path | Access | None) -> Access:
    if askers is None:
        return PublicOnly()
    return AccessFile(str(askers)) if isinstance(askers, str | Path) else askers


def _corpus(
    documents: str | Path | Mapping[str, str] | Iterable[Document] | DocumentSource,
) -> Corpus:
    if isinstance(documents, str | Path):
        return DocumentFolder(str(documents)).load()
    if isinstance(documents, DocumentSource):
        return documents.load()
    if isinstance(documents, Mapping):
        documents = [Document(name, text) for name, text in documents.items()]
    found = tuple(documents)
    wrong = next((one for one in found if not isinstance(one, Document)), None)
    if wrong is not None:
        raise InputError(f"documents: a document is a rageval.Document, got {wrong!r}")
    if not found:
        raise InputError("documents: there are none")
    return Corpus(found, "documents")


def _golden(
    questions: str | Path | Sequence[Mapping[str, Any]] | GoldenSource, corpus: Corpus
) -> GoldenSet:
    if isinstance(questions, str | Path):
        return GoldenFile(str(questions)).load(corpus)
    if not isinstance(questions, Sequence):
        return questions.load(corpus)
    try:
        rows = [json.dumps(row, ensure_ascii=False) for row in questions]
    except (TypeError, ValueError) as fault:
        raise InputError(f"questions: a row is a mapping of plain values: {fault}") from fault
    # A row a line, so that a message names the row as it names the line of a file.
    text = '{"set": "questions", "questions": [\n' + ",\n".join(rows) + "]}"
    faults = ErrorCollector()
    golden = read_golden(compose_json(text, _MEMORY, first_line=0), _MEMORY, faults)
    faults.raise_if_any()
    return golden


def _without_held_out(found: Labelled, questions: object) -> Dataset:
    """Leave out the questions that a lock beside the golden file holds out."""
    lock = _lock(found, questions)
    if lock is None:
        return Dataset(found)
    keys = group_keys(found.golden, found.evidence, found.corpus)
    sides = Split(lock=str(lock)).assign(found.golden, keys).sides
    dev = found.only(lambda question: sides[question.id] == DEV)
    return Dataset(dev, len(found.golden) - len(dev.golden))


def _lock(found: Labelled, questions: object) -> Path | None:
    """Return the lock of a golden file that lies beside it."""
    if not isinstance(questions, str | Path):
        return None
    path = Path(questions)
    ids = [question.id for question in found.golden]
    texts = [text_digest(question.text) for question in found.golden]
    for lock in sorted(path.parent.glob(f"*{LOCK}")):
        if read_lock(lock).belongs_to(path.name, ids, texts):
            return lock
    return None

"""A golden set against its corpus and its askers."""

from __future__ import annotations

from collections.abc import Iterator

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.errors import near_names
from rageval.golden.access import Access
from rageval.golden.question import Answerable, GoldenSet, Question
from rageval.judging.quotes import Quoting
from rageval.judging.resolution import Evidence, fault_of, look_up


def check(
    golden: GoldenSet, corpus: Corpus, access: Access, quoting: Quoting = "exact"
) -> tuple[Evidence, ...]:
    """Make sure that all the labels of a set can be judged, and return each question's evidence.

    Raises
    ------
    InputError
        If a question names a document that the corpus lacks, an asker that nobody knows, a heading,
        quote or span that its document lacks, or if it is denied to somebody who may see what is
        forbidden; the message has a line for each.
    """
    evidence, lost = look_up(golden, corpus, quoting)
    faults = [*_documents(golden, corpus), *_access(golden, corpus, access), *lost]
    if faults:
        raise InputError.of(faults)
    return evidence


def _documents(golden: GoldenSet, corpus: Corpus) -> Iterator[str]:
    """Yield the documents that are named outside of references, which `look_up` finds."""
    lost = [
        (question, label, name)
        for question in golden
        for label, names in _named(question)
        for name in names
        if name not in corpus.number
    ]
    near = near_names((name for _, _, name in lost), corpus.number)
    for question, label, name in lost:
        yield fault_of(
            question, f"{label} names {name!r}, the corpus has no such document{near[name]}"
        )


def _named(question: Question) -> Iterator[tuple[str, tuple[str, ...]]]:
    if question.supporting:  # else the expected documents are the references
        yield "expected", question.expected
    yield "forbidden", question.forbidden
    yield "grades", tuple(question.grades)


def _access(golden: GoldenSet, corpus: Corpus, access: Access) -> Iterator[str]:
    own = _asker_fault(None, access)  # nobody in particular is always known
    if own:
        yield from own.splitlines()
        return
    yield from _askers(golden, access)
    if not any(document.groups for document in corpus):
        return  # the corpus does not say who may see what, so nothing it says is contradicted
    for question in golden:
        if question.answerable is Answerable.DENIED and not _asker_fault(question.asker, access):
            yield from _seen(question, corpus, access)


def _seen(question: Question, corpus: Corpus, access: Access) -> Iterator[str]:
    """Yield a contradiction: what is denied to the asker is not, so no retriever can pass."""
    groups = access.groups(question.asker)
    found = (corpus.find(name) for name in question.forbidden)
    seen = [document.id for document in found if document and document.visible_to(groups)]
    if seen:
        who = f"the asker {question.asker!r}" if question.asker else "everybody"
        yield fault_of(question, f"answerable is denied, but {who} may see {', '.join(seen)}")


def _askers(golden: GoldenSet, access: Access) -> Iterator[str]:
    sentences: dict[str | None, str | None] = {}
    for question in golden:
        if question.asker not in sentences:
            sentences[question.asker] = _asker_fault(question.asker, access)
        sentence = sentences[question.asker]
        if sentence:
            yield fault_of(question, sentence)


def _asker_fault(asker: str | None, access: Access) -> str | None:
    try:
        access.groups(asker)
    except InputError as error:
        return str(error)
    return None

"""What of a golden set a format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.golden.question import Answerable, GoldenSet, Question

_VALUES: dict[str, Callable[[Question], object]] = {
    "form": lambda q: q.form,
    "hard_class": lambda q: q.hard_class,
    "tags": lambda q: q.tags,
    "asker": lambda q: q.asker,
    "history": lambda q: q.history,
    "places in documents": lambda q: any(
        str(ref) != ref.document for need in q.supporting for ref in need
    ),
    "that all evidence is needed": lambda q: len(q.requirements) > 1,
    "the choice between evidence": lambda q: any(len(need) > 1 for need in q.requirements),
    "expected beside supporting": lambda q: q.expected and q.supporting,
    "distractors": lambda q: q.distractors,
    "grades": lambda q: q.grades,
    "group": lambda q: q.group,
    "split": lambda q: q.split,
    "source": lambda q: q.source,
    "added": lambda q: q.added,
    "gist": lambda q: q.gist,
    "notes": lambda q: q.notes,
}


@dataclass(frozen=True)
class Capacity:
    """What a format can hold beside id, text and documents."""

    fields: frozenset[str] = frozenset()  # of the names above
    answerable: frozenset[Answerable] = frozenset({Answerable.YES})

    def kept(self, golden: GoldenSet) -> list[Question]:
        """Return the questions that the format can hold.

        Raises
        ------
        InputError
            If there is none.
        """
        found = [question for question in golden if question.answerable in self.answerable]
        if not found:
            raise InputError(f"{golden.name}: the format can hold none of its questions")
        return found

    def losses(self, golden: GoldenSet) -> Iterator[str]:
        """Yield a sentence for each thing that is lost, with its number of questions."""
        kept = self.kept(golden)
        for value in Answerable:
            out = [question.id for question in golden if question.answerable is value]
            if out and value not in self.answerable:
                yield f"left out, answerable: {value.value}: {_named(out)}"
        for name, of in _VALUES.items():
            lost = [question.id for question in kept if of(question)]
            if lost and name not in self.fields:
                yield f"not kept, {name}: {_named(lost)}"


def _named(ids: list[str]) -> str:
    shown = ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
    return f"{len(ids)} question{'s' if len(ids) > 1 else ''} ({shown})"


def group_losses(corpus: Corpus) -> Iterator[str]:
    """Yield what a format without groups loses of the documents."""
    restricted = sum(1 for document in corpus if document.groups)
    if restricted:
        yield f"not kept, who may see a document: {restricted} documents, everybody may see them"

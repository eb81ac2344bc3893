"""A golden set together with what its labels mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rageval.corpus.document import Corpus
from rageval.golden.access import Access
from rageval.golden.question import GoldenSet, Question
from rageval.judging.check import check
from rageval.judging.quotes import Quoting, quoted_loosely
from rageval.judging.resolution import Evidence
from rageval.schema.languages import misfit


@dataclass(frozen=True)
class Labelled:
    """A golden set with what its labels mean."""

    golden: GoldenSet
    evidence: Sequence[Evidence]  # one a question
    corpus: Corpus
    access: Access

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was left out or looks wrong, as sentences."""
        return (*self.corpus.notes, *self.golden.notes)

    def only(self, wanted: Callable[[Question], bool]) -> Labelled:
        """Return the same with some of the questions."""
        pairs = [
            (question, found)
            for question, found in zip(self.golden, self.evidence, strict=True)
            if wanted(question)
        ]
        golden = replace(self.golden, questions=tuple(question for question, _ in pairs))
        return replace(self, golden=golden, evidence=tuple(found for _, found in pairs))


def labelled(
    corpus: Corpus,
    golden: GoldenSet,
    access: Access,
    quotes: Quoting = "exact",
    languages: Sequence[str] = (),
) -> Labelled:
    """Hold a golden set against its corpus; what looks wrong is added to its notes.

    Drafts are left out, unless all questions are: then they stay, for a trial.

    Raises
    ------
    InputError
        If a label cannot be judged (see `rageval.judging.check`).
    """
    golden, evidence = _confirmed(golden, check(golden, corpus, access, quotes))
    notes = (*_loose_quotes(golden, corpus, quotes), *_misfit(golden, languages))
    return Labelled(replace(golden, notes=(*golden.notes, *notes)), evidence, corpus, access)


def _confirmed(
    golden: GoldenSet, evidence: tuple[Evidence, ...]
) -> tuple[GoldenSet, tuple[Evidence, ...]]:
    """Leave drafts out, and say so; where all are drafts, they stay, for a trial."""
    drafts = sum(question.draft for question in golden)
    if not drafts:
        return golden, evidence
    if drafts == len(golden):
        note = (
            f"all {drafts} questions are drafts: this is a trial, and no run of it is a candidate; "
            "read each question, mend it, and delete its line `draft: true`"
        )
        return replace(golden, notes=(*golden.notes, note)), evidence
    pairs = [(q, found) for q, found in zip(golden, evidence, strict=True) if not q.draft]
    note = f"drafts left out until they are confirmed (draft: true): {drafts}"
    questions = tuple(question for question, _ in pairs)
    confirmed = replace(golden, questions=questions, notes=(*golden.notes, note))
    return confirmed, tuple(found for _, found in pairs)


def _loose_quotes(golden: GoldenSet, corpus: Corpus, quotes: Quoting) -> Iterator[str]:
    """Say how many quotes the corpus holds, but not character for character."""
    loose = 0 if quotes == "exact" else quoted_loosely(golden, corpus)
    if loose:
        found = "1 quote is" if loose == 1 else f"{loose} quotes are"
        how = "white space" if quotes == "space" else "white space, case and Markdown marks"
        yield f"{found} in the corpus up to {how} only; dataset.quotes=exact refuses that"


def _misfit(golden: GoldenSet, languages: Sequence[str]) -> Iterator[str]:
    """Say if the questions look like another language than those that are set."""
    if languages:
        warning = misfit((question.text for question in golden), languages)
        yield from [warning] if warning else []

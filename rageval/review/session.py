"""The candidates of a file as they are judged; every judgement is written at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rageval.chunking.sections import sections
from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.golden.access import Access
from rageval.golden.question import GoldenSet
from rageval.judging.check import check
from rageval.mining.cases import Case, Cases, unjudged
from rageval.mining.judged import read_case
from rageval.mining.pool import Suggestion, comments, current, pool_path, read_pool
from rageval.review.decision import Decision
from rageval.review.passages import passages

Search = Callable[[str, str | None], list[Suggestion]]  # words, asker → what is found


@dataclass(frozen=True)
class Session:
    """What a page shows and what it may change."""

    path: Path  # of the candidates
    name: str  # of the set
    corpus: Corpus
    access: Access
    search: Search

    def overview(self) -> list[dict[str, Any]]:
        """Return every case in short: id, question, whether it is judged."""
        return [
            {"id": case["id"], "question": case["question"], "judged": not unjudged(case)}
            for case in self._cases().cases
        ]

    def case(self, name: str) -> dict[str, Any]:
        """Return a case as it stands with what was suggested for it.

        Raises
        ------
        InputError
            If there is no such case.
        """
        case = self._case(name)
        pool = current(read_pool(pool_path(self.path)).get(name, ()), self.corpus)
        return {"case": _shown(case), "suggestions": [self._place(one) for one in pool]}

    def found(self, words: str, name: str) -> list[dict[str, Any]]:
        """Return what the pool finds for other words, as the asker of a case may see it."""
        asker = self._case(name).get("asker")
        return [self._place(one) for one in self.search(words, asker)]

    def document(self, name: str) -> dict[str, Any]:
        """Return a document cut into passages that can be chosen.

        Raises
        ------
        InputError
            If the corpus has no such document.
        """
        found = self._document(name)
        return {
            "document": name,
            "passages": [
                {"start": start, "end": end, "text": found.text[start:end]}
                for start, end in passages(found.text)
            ],
        }

    def decide(self, name: str, decision: Decision) -> None:
        """Check a judgement as every label is checked, and write it.

        Raises
        ------
        InputError
            With all that is wrong with it; nothing is written then.
        """
        cases = self._cases()
        self._case(name)
        changed = tuple(
            decision.applied(case) if case["id"] == name else case for case in cases.cases
        )
        if decision.answer != "todo":
            question = read_case(next(case for case in changed if case["id"] == name), self.path)
            check(GoldenSet(self.name, (question,)), self.corpus, self.access)
        told = comments(read_pool(pool_path(self.path)))
        Cases(self.path, self.name, changed).write(told)

    def _cases(self) -> Cases:
        """Read the file again: somebody may be editing it by hand."""
        return Cases.read(self.path, self.name)

    def _case(self, name: str) -> Case:
        for case in self._cases().cases:
            if case["id"] == name:
                return case
        raise InputError(f"{self.path}: there is no case {name!r}")

    def _document(self, name: str) -> Document:
        found = self.corpus.find(name)
        if found is None:
            raise InputError(f"{name}: the corpus has no such document")
        return found

    def _place(self, one: Suggestion) -> dict[str, Any]:
        """Return a passage with what names it: a heading that means just it, or its characters.

        Who found it is not shown: it is to be judged, not its finder.
        """
        heading = one.heading if self._alone(one) else ()
        return {
            "document": one.document,
            "heading": list(heading),
            "span": [one.start, one.end],
            "text": one.text,
        }

    def _alone(self, one: Suggestion) -> bool:
        """Say whether the passage is its section, all of it, and no other has that heading."""
        text = self._document(one.document).text
        same = [s for s in sections(text) if s.path == one.heading]
        return len(same) == 1 and len(text[same[0].start : same[0].end].rstrip()) == len(one.text)


def _shown(case: Case) -> dict[str, Any]:
    """Return a case as JSON has it: dates as text."""
    plain = {key: value for key, value in case.items() if key != "added"}
    return {**plain, "added": str(case.get("added", "")), "judged": not unjudged(case)}

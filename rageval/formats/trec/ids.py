"""Documents and queries that are known by their ids alone, from a run and its judgements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.formats.trec.qrels import TrecQrels, read_qrels
from rageval.formats.trec.run import TrecRun, read_run
from rageval.golden.question import GoldenSet, Question
from rageval.golden.source import name_from
from rageval.schema.fields import Name, component
from rageval.schema.fingerprint import digest

_KIND = "ids alone"
UNVERSIONED = digest([_KIND, None])  # of a corpus of which nobody said what it holds
_LISTED = 3  # queries in a message


@dataclass(frozen=True)
class IdsCorpus(Corpus):
    """Documents without their texts; what they hold is named by a version that the user gives."""

    ids_only: ClassVar[bool] = True

    version: str | None = None

    @cached_property
    def digest(self) -> str:
        """Name what the documents hold as far as anybody said (64 hex digits)."""
        return digest([_KIND, self.version])


@component
class RunDocuments:
    """The documents that a run or its judgements name; the text of each is its id.

    `version` stands in for the digest of the texts: results of different versions are not compared.
    """

    run: Name
    qrels: Name
    version: Name | None = None

    def load(self) -> Corpus:
        """Read both files; their faults are raised together."""
        run, qrels = _both(self.run, self.qrels)
        ids = dict.fromkeys([*qrels.documents, *run.documents])
        documents = tuple(Document(name, name) for name in ids)
        return IdsCorpus(documents, self.run, version=self.version)


@component
class JudgedQueries:
    """Every judged query is a question, whose text is its id; as with trec_eval's option -c.

    Documents with a grade of at least `relevant_from` are expected. A query that only one of the
    two files has is counted in the notes; one that only the run has is not scored.
    """

    path: Name  # the judgements
    run: Name
    relevant_from: int = 1
    name: Name | None = None

    def load(self, corpus: Corpus) -> GoldenSet:
        """Read both files.

        Raises
        ------
        InputError
            If they have no query in common.
        """
        run, qrels = _both(self.run, self.path)
        require_common(run, qrels, self.run, self.path)
        grades: list[dict[str, int]] = [{} for _ in qrels.queries]
        rows = zip(qrels.query.tolist(), qrels.document.tolist(), qrels.grade.tolist(), strict=True)
        for query, document, grade in rows:
            grades[query][qrels.documents[document]] = grade
        questions = tuple(
            Question(
                id=name,
                text=name,
                expected=tuple(d for d, grade in judged.items() if grade >= self.relevant_from),
                grades=judged,
                where=self.path,
            )
            for name, judged in zip(qrels.queries, grades, strict=True)
        )
        name = self.name or name_from(Path(self.path))
        return GoldenSet(name, questions, tuple(alone(run, qrels, self.run, self.path)))


def require_common(run: TrecRun, qrels: TrecQrels, run_path: str, qrels_path: str) -> None:
    """Make sure that a run answers a query that is judged.

    Raises
    ------
    InputError
        If it answers none.
    """
    if not set(run.queries) & set(qrels.queries):
        mine, theirs = (", ".join(map(repr, q[:_LISTED])) for q in (run.queries, qrels.queries))
        raise InputError(
            f"{run_path}: none of its {len(run.queries)} queries ({mine}, …) is among the "
            f"{len(qrels.queries)} that {qrels_path} judges ({theirs}, …)"
        )


def alone(run: TrecRun, qrels: TrecQrels, run_path: str, qrels_path: str) -> Iterator[str]:
    """Say how many queries only one of the files has."""
    asked, judged = set(run.queries), set(qrels.queries)
    if missing := len(judged - asked):
        yield (
            f"{missing} of {len(judged)} judged queries have no ranking in {run_path}: "
            "they count as misses"
        )
    if extra := len(asked - judged):
        yield (
            f"{extra} of {len(asked)} queries of the run are not judged in {qrels_path}: "
            "they are not scored"
        )


def _both(run: str, qrels: str) -> tuple[TrecRun, TrecQrels]:
    """Read a run and its judgements, with the faults of both in one go."""
    faults: list[str] = []
    found: list[TrecRun | TrecQrels] = []
    for read, path in ((read_run, run), (read_qrels, qrels)):
        try:
            found.append(read(Path(path)))
        except InputError as error:
            faults.append(str(error))
    if faults:
        raise InputError.of(faults)
    first, second = found
    if not isinstance(first, TrecRun) or not isinstance(second, TrecQrels):
        raise TypeError("a run and judgements were read")
    return first, second

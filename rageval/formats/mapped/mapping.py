"""Where a file holds what a question is made of: JMESPath expressions by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from rageval.schema.fields import Name, Number, Record

Expression = Name  # JMESPath over a row, or a key as it is written


class EvidenceFields(Record):
    """Where a row names its evidence; every expression but `items` is over one item."""

    items: Expression | None = None  # None = the row itself
    document: Expression | None = None
    heading: Expression | None = None  # a heading, or a path of them as a list or with ` > `
    text: Expression | None = None
    start: Expression | None = None  # half-open characters of the document
    end: Expression | None = None
    page: Expression | None = None  # a number: the heading `Page N`
    match: Literal["all", "any"] = "all"  # how many of the items are needed

    @property
    def given(self) -> bool:
        """Say whether a row can name any."""
        return any(value for key, value in self if key != "match")


class GradeFields(Record):
    """Where a row grades documents: a mapping of documents, or a list of items."""

    items: Expression | None = None
    document: Expression | None = None  # of an item in a list
    grade: Expression | None = None
    threshold: Number | None = None  # fractions from here on are 1, those below 0
    relevant_from: int = 1  # documents with such a grade are expected, unless `expected` is given


class DocumentRules(Record):
    """How the names of documents in the file become those of the corpus."""

    separator: str | None = None  # between several names in one text
    strip_prefix: str | None = None  # a leading path
    strip_suffix: str | None = None
    values: Mapping[str, str] = {}  # name in the file → id in the corpus


class GoldenMapping(Record):
    """Where a file holds its rows, and a row what a question is made of."""

    rows: Expression | None = None  # None = the file is a list, or has a row a line
    sheet: Name | None = None  # of an Excel file
    question: Expression | None = None
    id: Expression | None = None  # None = made of the question's text
    expected: Expression | None = None  # documents of which any is a hit
    evidence: EvidenceFields = EvidenceFields()
    grades: GradeFields = GradeFields()
    distractors: Expression | None = None
    forbidden: Expression | None = None
    unanswerable: Expression | None = None  # true: nothing answers it
    asker: Expression | None = None
    tags: Expression | None = None
    hard_class: Expression | None = None
    history: Expression | None = None
    group: Expression | None = None
    split: Expression | None = None
    gist: Expression | None = None
    documents: DocumentRules = DocumentRules()
    repeated: Literal["refuse", "join"] = "refuse"  # rows of one question: join their labels
    unlabelled: Literal["refuse", "leave_out", "unanswerable"] = "refuse"  # rows without a label

    @property
    def labels(self) -> bool:
        """Say whether any label is looked for."""
        return bool(self.expected or self.grades.items or self.evidence.given)

    def expressions(self) -> Iterator[str]:
        """Yield every expression over a row."""
        rowwise = self.model_dump(
            exclude={"rows", "sheet", "documents", "repeated", "unlabelled", "evidence", "grades"}
        )
        yield from (value for value in rowwise.values() if value)
        for fields in (self.evidence, self.grades):
            named = fields.model_dump(exclude={"match", "threshold", "relevant_from"})
            yield from (str(value) for value in named.values() if value)

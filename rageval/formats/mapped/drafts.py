"""From a row of any shape to the fields of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rageval.errors import InputError
from rageval.formats.foreign import Draft
from rageval.formats.mapped.functions import search
from rageval.formats.mapped.mapping import GoldenMapping
from rageval.formats.named import DocumentNames
from rageval.formats.passages import Passages
from rageval.schema.fingerprint import digest

_TRUE = frozenset({"true", "yes", "y", "1", "on"})
_DIGITS = 10  # hexadecimal, of an id that is made of a text
_HISTORY = ("content", "text", "message")  # where a turn of a conversation has its words

Reference = Mapping[str, Any]


class RowReader:
    """Reads rows by a mapping, over a corpus."""

    def __init__(self, mapping: GoldenMapping, names: DocumentNames, passages: Passages) -> None:
        self._mapping, self._names, self._passages = mapping, names, passages
        self.fractions = 0  # grades that the threshold decided

    def draft(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row as the fields of a question; `id` is empty where the row has none.

        Raises
        ------
        InputError
            If an expression cannot be evaluated, or a label means nothing in the corpus.
        """
        found, mapping = self._found, self._mapping
        silent = _truth(found(mapping.unanswerable, row))
        grades = self._grades(row)
        graded = [name for name, grade in grades.items() if grade >= mapping.grades.relevant_from]
        expected = self._documents(found(mapping.expected, row))
        evidence = [] if silent else list(self._evidence(row))
        return {
            "id": one_text(found(mapping.id, row)),
            "question": one_text(found(mapping.question, row)),
            "hard_class": one_text(found(mapping.hard_class, row)) or None,
            "tags": _items(found(mapping.tags, row)),
            "asker": one_text(found(mapping.asker, row)) or None,
            "history": _turns(found(mapping.history, row)),
            "expected": [] if silent else expected or ([] if evidence else graded),
            "supporting": self._needs(evidence),
            "distractors": [
                {"document": name} for name in self._documents(found(mapping.distractors, row))
            ],
            "forbidden": self._documents(found(mapping.forbidden, row)),
            "answerable": False if silent else None,
            "grades": {} if silent else grades,
            "group": one_text(found(mapping.group, row)) or None,
            "split": one_text(found(mapping.split, row)) or None,
            "gist": one_text(found(mapping.gist, row)) or None,
        }

    def _found(self, expression: str | None, row: Any) -> Any:  # noqa: ANN401  any JSON value
        return None if expression is None else search(expression, row)

    def _documents(self, value: Any) -> list[str]:  # noqa: ANN401  any JSON value
        """Return the documents that a text, or a list of texts, names; each once."""
        rules = self._mapping.documents
        names = [
            part.strip()
            for item in _items(value)
            for part in (item.split(rules.separator) if rules.separator else [item])
        ]
        return list(dict.fromkeys(self._document(name) for name in names if name))

    def _document(self, name: str) -> str:
        rules = self._mapping.documents
        if name in rules.values:
            return self._names.id_of(rules.values[name])
        bare = name.removeprefix(rules.strip_prefix or "").removesuffix(rules.strip_suffix or "")
        return self._names.id_of(bare)

    def _grades(self, row: Any) -> dict[str, int]:  # noqa: ANN401  any JSON value
        fields = self._mapping.grades
        value = self._found(fields.items, row)
        if value is None:
            return {}
        found: dict[str, int] = {}
        for name, grade in self._graded(value):
            document = self._document(name)
            if found.setdefault(document, grade) != grade:
                raise InputError(f"document {document!r} has the grades {found[document]}, {grade}")
        return found

    def _graded(self, value: Any) -> Iterator[tuple[str, int]]:  # noqa: ANN401  any JSON value
        fields = self._mapping.grades
        if isinstance(value, dict):
            yield from self._mapped_grades(value)
            return
        for item in value if isinstance(value, list) else [value]:
            name = one_text(self._found(fields.document, item))
            grade = self._found(fields.grade, item)
            if not name and grade in (None, ""):
                continue  # a query that nobody has rated yet
            if not name:
                raise InputError(
                    f"a grade names no document; dataset.mapping.grades.document is "
                    f"{fields.document!r}"
                )
            yield name, self._grade(grade)

    def _mapped_grades(self, value: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
        """Yield the grades of a mapping: of documents, or of grades with lists of documents."""
        for key, item in value.items():
            if isinstance(item, list):
                yield from ((name, self._grade(key)) for name in _items(item))
            elif isinstance(item, dict):
                yield str(key), self._grade(self._found(self._mapping.grades.grade, item))
            else:
                yield str(key), self._grade(item)

    def _grade(self, value: Any) -> int:  # noqa: ANN401  any JSON value
        """Return a grade as a whole number, a fraction by the threshold.

        Raises
        ------
        InputError
            If it is none.
        """
        threshold = self._mapping.grades.threshold
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"the grade is {value!r}, a number is needed") from None
        if number == int(number):
            return int(number)
        if threshold is not None and number < 1:
            self.fractions += 1
            return int(number >= threshold)
        raise InputError(
            f"the grade is {value!r}, a whole number is needed; of grades between 0 and 1 say from "
            "which one on a document is relevant: dataset.mapping.grades.threshold=0.5"
        )

    def _evidence(self, row: Any) -> Iterator[Reference]:  # noqa: ANN401  any JSON value
        fields = self._mapping.evidence
        if not fields.given:
            return
        items = row if fields.items is None else self._found(fields.items, row)
        for item in items if isinstance(items, list) else [items]:
            if item not in (None, "", [], {}):
                yield from self._references(item)

    def _references(self, item: Any) -> Iterator[Reference]:  # noqa: ANN401  any JSON value
        fields = self._mapping.evidence
        plain = not any((fields.document, fields.text, fields.heading, fields.page, fields.start))
        documents = self._documents(item if plain else self._found(fields.document, item))
        texts = _items(self._found(fields.text, item))
        if not documents:
            yield from (self._passages.reference(text) for text in texts)
            return
        if texts:
            for text in texts:
                yield self._passages.place(_one(documents, text), text)
            return
        heading = _heading(self._found(fields.heading, item))
        page = one_text(self._found(fields.page, item))
        span = _span(self._found(fields.start, item), self._found(fields.end, item))
        place: dict[str, Any] = {"heading": heading or ([f"Page {page}"] if page else None)}
        if not heading and not page:
            place = {"span": span}
        for document in documents:
            yield {"document": document, **place}

    def _needs(self, evidence: list[Reference]) -> list[Any]:
        unique = {repr(sorted(item.items(), key=str)): item for item in evidence}
        items = list(unique.values())
        if self._mapping.evidence.match == "any" and len(items) > 1:
            return [{"any_of": items}]
        return items


def name_of_text(text: str) -> str:
    r"""Return an id that is made of a question's text; white space does not count.

    Examples
    --------
    >>> name_of_text("How many days?") == name_of_text(" How many\n days?")
    True
    """
    return f"q-{digest(' '.join(text.split()))[:_DIGITS]}"


def joined(one: Draft, other: Draft) -> dict[str, Any]:
    """Return the question that two rows make together.

    Raises
    ------
    InputError
        If they grade a document differently.
    """
    both: dict[str, Any] = dict(one)
    for name in ("tags", "expected", "supporting", "distractors", "forbidden"):
        both[name] = [*one[name], *(item for item in other[name] if item not in one[name])]
    for document, grade in other["grades"].items():
        if one["grades"].get(document, grade) != grade:
            first = one["grades"][document]
            raise InputError(f"document {document!r} has the grades {first} and {grade}")
    both["grades"] = {**one["grades"], **other["grades"]}
    return both


def has_label(draft: Draft) -> bool:
    """Say whether a question says what should be found for it, or that nothing should."""
    found = draft["expected"] or draft["supporting"] or draft["forbidden"]
    return bool(found) or draft["answerable"] is False


def _one(documents: list[str], text: str) -> str:
    if len(documents) > 1:
        raise InputError(f"{len(documents)} documents are named for one text: “{text[:60]}”")
    return documents[0]


def _items(value: Any) -> list[str]:  # noqa: ANN401  any JSON value
    """Return a text or a list of any depth as its texts; blank ones are none."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(text for item in value for text in _items(item)))
    text = one_text(value)
    return [text] if text else []


def one_text(value: Any) -> str:  # noqa: ANN401  any JSON value
    """Return a value as text without blanks around it; a number reads as it is written.

    Raises
    ------
    InputError
        If it is a list or a mapping.
    """
    if value is None:
        return ""
    if isinstance(value, list) and len(value) == 1:
        return one_text(value[0])
    if isinstance(value, list | dict):
        kind = "a list" if isinstance(value, list) else "a mapping"
        raise InputError(f"{kind} stands where one text is needed: {str(value)[:60]}")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return str(int(value))  # a spreadsheet has no other numbers
    return str(value).strip()


def _truth(value: Any) -> bool:  # noqa: ANN401  any JSON value
    return value if isinstance(value, bool) else one_text(value).lower() in _TRUE


def _heading(value: Any) -> list[str]:  # noqa: ANN401  any JSON value
    path = value.split(" > ") if isinstance(value, str) else _items(value)
    return [title for part in path if (title := part.strip().lstrip("#").strip())]


def _span(start: Any, end: Any) -> list[int] | None:  # noqa: ANN401  any JSON values
    if start is None or end is None:
        return None
    try:
        return [int(start), int(end)]
    except (TypeError, ValueError):
        raise InputError(f"start is {start!r} and end {end!r}, whole numbers are needed") from None


def _turns(value: Any) -> list[str]:  # noqa: ANN401  any JSON value
    turns = value if isinstance(value, list) else [value]
    words = (
        next((turn[key] for key in _HISTORY if key in turn), None)
        if isinstance(turn, dict)
        else turn
        for turn in turns
    )
    return [text for word in words if (text := one_text(word))]

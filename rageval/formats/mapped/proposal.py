"""A mapping that fits a file, proposed from the names in it and from what its values mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from rageval.corpus.document import Corpus
from rageval.errors import InputError, ProposalError
from rageval.formats.mapped.records import Records
from rageval.formats.mapped.shape import Place, Shape, shape_of
from rageval.formats.named import DocumentNames
from rageval.formats.passages import Passages

_QUESTION = (
    "question", "user_input", "query", "input", "prompt", "q", "text", "utterance", "request",
    "user_query", "user_question", "question_text", "search_query", "instruction", "title", "frage",
)  # fmt: skip
_ID = ("id", "_id", "qid", "question_id", "query_id", "uid", "uuid", "case_id", "test_id", "key")
_TAGS = ("tags", "tag", "category", "type", "difficulty", "question_type", "topic", "labels",
         "class", "kind", "level", "intent", "evolution_type", "synthesizer_name")  # fmt: skip
_GIST = re.compile(r"(^|[._])(answers?|expected_(answer|output|response)|ground_truth|reference"
                   r"|gold(en)?_answer|reference_answer|ideal|truth|response)$")  # fmt: skip
_WRONG = re.compile(r"trap|distract|must_?not|negative|irrelevant|not_relevant|wrong|forbid|avoid")
_SYSTEM = re.compile(r"retriev(ed|al)|actual|predict|generated|candidate|^output|rank|returned")
_NOT_ANSWERED = re.compile(r"refus|unanswer|no_?answer|out_?of_?scope|impossible|abstain|negative$")
_ANSWERED = re.compile(r"(^|[._])(is_)?(answerable|in_scope|has_answer)$")
_HEADING = re.compile(r"(^|[._ ])(heading|section|section_title|heading_path|anchor)s?$")
_GRADE = re.compile(r"(^|[._ ])(gain|grade|rating|relevance|score|rel|label|judgment)$")
_SEPARATORS = (";", ",", "|", "\n")
_MOST = 0.5  # of the values at least must mean a document, or stand in one
_SHORTEST = 15  # characters of a text that is looked up in the corpus
_LOOKED_UP = 40  # values of a place that are looked up
_LONGEST_TAG = 150

Words = dict[str, str]  # key below dataset.mapping → value


def propose(records: Records, path: Path, corpus: Corpus) -> InputError:
    """Return the refusal to read a file without a mapping, with one that fits it."""
    shape = shape_of(records.value)
    if shape is None:
        return InputError(f"{path}: no list of questions is there, rows with keys are needed")
    places = shape.places()
    question = _question(places)
    if question is None:
        keys = ", ".join(place.path for place in places)
        return InputError(
            f"{path}: no key looks like a question; name it: dataset.mapping.question=…; "
            f"there are: {keys}"
        )
    others = [place for place in places if place.values is not question.values]
    labels = _labels(others, shape, _Meaning(corpus))
    if not any(key.startswith(("expected", "evidence", "grades")) for key in labels):
        keys = ", ".join(place.path for place in others) or "none"
        return InputError(
            f"{path}: it holds questions, but no value beside them names a document of the corpus "
            f"or is a text of it, so retrieval cannot be judged by it; other keys are: {keys}. "
            "If one does, name it: dataset.mapping.question=… dataset.mapping.expected=…"
        )
    words = {**({"rows": shape.rows} if shape.rows else {}), "question": question.path}
    words |= {**labels, **_others(others, shape, labels)}
    told = f"{path}: no mapping is given; this one fits what the file looks like, so check it"
    return ProposalError(
        told, tuple(f"dataset.mapping.{key}={_value(value)}" for key, value in words.items())
    )


class _Meaning:
    """What values mean in a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._names, self._passages = DocumentNames(corpus), Passages(corpus)

    def documents(self, values: Iterable[object], separator: str = "") -> float:
        """Return the share of values that mean a document."""
        texts = [str(value).strip() for value in values if not isinstance(value, bool | float)]
        parts = [p.strip() for t in texts for p in (t.split(separator) if separator else [t])]
        return _share(self._names.knows, [part for part in parts if part])

    def passages(self, values: Iterable[str]) -> float:
        """Return the share of values that stand in a document."""
        texts = list(values)
        long = [text for text in texts if len(text) >= _SHORTEST]
        return _share(self._passages.holds, long) if 2 * len(long) >= len(texts) else 0.0


def _share(holds: Callable[[str], bool], values: list[str]) -> float:
    looked = values[:_LOOKED_UP]
    return sum(map(holds, looked)) / len(looked) if looked else 0.0


def _question(places: list[Place]) -> Place | None:
    """Return the place whose name, or else whose values, look most like questions."""
    texts = [place for place in places if len(place.texts) * 2 > len(place.values)]
    for name in _QUESTION:
        for depth in range(3):
            for place in texts:
                parts = place.name.split(".")
                if parts[-1] == name and len(parts) == depth + 1 and "[]" not in place.path:
                    return place
    asking = [place for place in texts if _asks(place) >= _MOST]
    if asking:
        return _last_turn(max(asking, key=_asks))
    named = {place.name: place for place in texts}
    return named.get("id") if set(named) == {"id", "value"} else None  # questions as keys


def _last_turn(place: Place) -> Place:
    """Return the place of the last user's turn, where a place is that of every turn."""
    turns, dot, _ = place.path.rpartition("[].content")
    return replace(place, path=f"{turns}[?role=='user'].content | [-1]") if dot else place


def _asks(place: Place) -> float:
    return _share(lambda text: text.endswith(("?", "？")), place.texts)


def _labels(places: list[Place], shape: Shape, meaning: _Meaning) -> Words:
    """Return where the labels are, by what their values mean in the corpus."""
    answered = any(place.name in ("answer", "response") for place in places)
    known = [
        place
        for place in places
        if not _SYSTEM.search(place.name) and not (answered and place.name == "contexts")
    ]  # beside a system's answer, `contexts` is what the system retrieved
    documents = [place for place in known if meaning.documents(place.values) >= _MOST]
    wrong = [place for place in documents if _WRONG.search(place.name)]
    right = [place for place in documents if place not in wrong and place.name not in _ID]
    words: Words = {"distractors": wrong[0].path} if wrong else {}
    graded = _graded(right, shape, meaning, places)
    if graded:
        return {**words, **graded}
    if right:
        best = max(right, key=lambda place: (_named(place), meaning.documents(place.values)))
        return {**words, **_in_documents(best, known), **_separator([best, *wrong[:1]], meaning)}
    split = next(_split(known, meaning), None)
    if split:
        return {**words, "expected": split[0].path, "documents.separator": split[1]}
    texts = [p for p in known if not _WRONG.search(p.name) and meaning.passages(p.texts) >= _MOST]
    if texts:
        best = max(texts, key=_named)
        return {**words, "evidence.items": best.path, "evidence.text": "@"}
    return words


def _named(place: Place) -> int:
    """Return how much a name sounds like what should be found."""
    wanted = ("expected", "relevant", "gold", "must", "source", "reference", "ground", "doc")
    return max((len(wanted) - n for n, word in enumerate(wanted) if word in place.name), default=0)


def _in_documents(place: Place, places: list[Place]) -> Words:
    """Return a place of documents as expected, or with the heading beside it as evidence."""
    stem, _, last = place.path.rpartition(".")
    beside = [p for p in places if p.path.rpartition(".")[0] == stem and _HEADING.search(p.name)]
    if not beside or (stem and not stem.endswith("[]")):
        return {"expected": place.path}
    heading = beside[0].path.rpartition(".")[2]
    items = {"evidence.items": stem.removesuffix("[]")} if stem else {}
    return {**items, "evidence.document": last, "evidence.heading": heading}


def _graded(
    right: list[Place], shape: Shape, meaning: _Meaning, places: list[Place]
) -> Words | None:
    """Return where documents are graded: in a mapping, or in a list beside their names."""
    words: Words = {}
    for path in shape.maps():
        key = path.strip('"')
        names = [
            name for row in shape.sample if isinstance(row.get(key), dict) for name in row[key]
        ]
        if meaning.documents(names) >= _MOST:
            words["grades.items"] = path
    for place in right:
        stem, _, last = place.path.rpartition("[].")
        grade = next(
            (p for p in places if p.path.startswith(f"{stem}[].") and _GRADE.search(p.name)), None
        )
        if stem and grade is not None and words.get("grades.items", stem) == stem:
            words |= {"grades.items": stem, "grades.document": last}
            words["grades.grade"] = grade.path.rpartition("[].")[2]
    return words or _graded_rows(right, places)


def _graded_rows(right: list[Place], places: list[Place]) -> Words | None:
    """Return where rows hold a document and its grade; the rows of one query are one question."""
    flat = [p for p in places if "[]" not in p.path and _GRADE.search(p.name) and _numbers(p)]
    document = next((place for place in right if "[]" not in place.path), None)
    if document is None or not flat:
        return None
    return {
        "grades.items": "[@]",
        "grades.document": document.path,
        "grades.grade": flat[0].path,
        "repeated": "join",
        "unlabelled": "leave_out",
    }


def _numbers(place: Place) -> bool:
    """Say whether every value that is there is a number."""
    texts = [str(value).strip() for value in place.values if value not in (None, "")]
    return bool(texts) and all(re.fullmatch(r"-?\d+(\.\d+)?", text) for text in texts)


def _split(places: list[Place], meaning: _Meaning) -> Iterator[tuple[Place, str]]:
    """Yield the places whose texts name documents once they are split, with what splits them."""
    for place in places:
        for separator in _SEPARATORS:
            split = any(separator in text for text in place.texts)
            if split and meaning.documents(place.texts, separator) >= _MOST:
                yield place, separator


def _separator(places: list[Place], meaning: _Meaning) -> Words:
    """Return what stands between documents in some texts of places of documents."""
    better = (
        separator
        for place, separator in _split(places, meaning)
        if meaning.documents(place.texts, separator) > meaning.documents(place.texts)
    )
    found = next(better, None)
    return {} if found is None else {"documents.separator": found}


def _others(places: list[Place], shape: Shape, labels: Words) -> Words:
    """Return the fields that are no labels: id, tags, gist, whether anything answers."""
    taken = set(labels.values())
    free = [place for place in places if place.path not in taken and "[]" not in place.path]
    words: Words = {}
    for key, names in (("id", _ID), ("tags", _TAGS)):
        found = next((p for name in names for p in free if p.name == name), None)
        if found is not None and _fits(key, found, shape):
            words[key] = found.path
    words |= _answering(free)
    gist = next((p for p in free if _GIST.search(p.name) and p.path not in words.values()), None)
    if gist is not None:
        words["gist"] = gist.path
    return words


def _fits(key: str, place: Place, shape: Shape) -> bool:
    if key == "tags":
        return all(len(str(value)) <= _LONGEST_TAG for value in place.values)
    return place.rows == len(shape.sample) and len(set(map(str, place.values))) == place.rows


def _answering(places: list[Place]) -> Words:
    for place in places:
        flags = [value for value in place.values if isinstance(value, bool)]
        if len(flags) * 2 > len(place.values):
            if _NOT_ANSWERED.search(place.name):
                return {"unanswerable": place.path}
            if _ANSWERED.search(place.name):
                return {"unanswerable": f"{place.path} == `false`"}
    return {}


def _value(text: str) -> str:
    """Return a value as Hydra reads it: in quotes unless it is a plain word.

    A key that JMESPath needs quotes for may be written as it is.
    """
    if (key := re.fullmatch(r'"([\w -]+)"', text)) is not None:
        text = key[1]
    if re.fullmatch(r"[A-Za-z_][\w.-]*", text):
        return text
    escaped = re.sub(r"(\\*)(?='|\Z)", r"\1\1", text).replace("'", r"\'")
    return f"'{escaped}'"

"""What several retrievers find for a candidate, pooled, so that judging favours none of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from rageval.chunking.chunks import Chunks
from rageval.chunking.sections import sections
from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.files.text import read_text, replace_text
from rageval.retrieval.pipeline import Ask, Pipeline

_SHOWN = 90  # characters of a passage in a line


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A passage that a retriever found."""

    document: str
    start: int  # half-open characters of the document
    end: int
    heading: tuple[str, ...]  # path of the section that begins the passage; () = none does
    text: str
    found_by: Mapping[str, int]  # retriever → rank: 1, 2, …

    @property
    def line(self) -> str:
        """Return it in a line: document, heading, the beginning of its text."""
        text = " ".join(self.text.split())
        cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        return f"{' / '.join([self.document, *self.heading])} — {cut}"


_SUGGESTIONS = TypeAdapter(list[Suggestion])
Pool = Mapping[str, Sequence[Suggestion]]  # id of a case → what was found for it


def pooled(asks: Sequence[Ask], pipelines: Mapping[str, Pipeline]) -> list[list[Suggestion]]:
    """Return for each question the windows of all pipelines as one list, [n_asks].

    The pipelines cut the corpus alike, so a passage that several find is there once. What more
    retrievers find comes first, then what any of them ranks higher, then the order of the corpus.
    A retriever that fails on a question suggests nothing for it.
    """
    ranks: list[dict[int, dict[str, int]]] = [{} for _ in asks]
    chunks = next(iter(pipelines.values())).chunks
    for name, pipeline in pipelines.items():
        window = pipeline.parts.window
        found = pipeline.rank(pipeline.candidates(asks, window.depth)).first(window.k)
        for row, numbers in enumerate(found.tolist()):
            for rank, number in enumerate((n for n in numbers if n >= 0), start=1):
                ranks[row].setdefault(number, {}).setdefault(name, rank)
    begins = cache(lambda document: {s.start: s.path for s in reversed(sections(document.text))})
    return [[_suggestion(chunks, n, found[n], begins) for n in _ordered(found)] for found in ranks]


def _ordered(found: Mapping[int, Mapping[str, int]]) -> list[int]:
    return sorted(found, key=lambda n: (-len(found[n]), min(found[n].values()), n))


def _suggestion(
    chunks: Chunks,
    number: int,
    found_by: Mapping[str, int],
    begins: Callable[[Document], Mapping[int, Sequence[str]]],
) -> Suggestion:
    document = chunks.corpus[int(chunks.document[number])]
    start, end = int(chunks.start[number]), int(chunks.end[number])
    heading = tuple(begins(document).get(start, ()))
    return Suggestion(document.id, start, end, heading, document.text[start:end], dict(found_by))


def current(found: Sequence[Suggestion], corpus: Corpus) -> list[Suggestion]:
    """Return the suggestions that still stand in the corpus where they were found."""
    return [
        one
        for one in found
        if (document := corpus.find(one.document)) is not None
        and document.text[one.start : one.end] == one.text
    ]


def pool_path(candidates: Path) -> Path:
    """Return where the suggestions for a file of candidates are kept.

    Examples
    --------
    >>> pool_path(Path("sets/candidates.yaml")).as_posix()
    'sets/candidates.pool.json'
    """
    return candidates.with_name(f"{candidates.stem}.pool.json")


def write_pool(path: Path, pool: Pool) -> None:
    """Replace the file of suggestions in one step."""
    content = {name: [asdict(one) for one in found] for name, found in pool.items()}
    replace_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def read_pool(path: Path) -> dict[str, list[Suggestion]]:
    """Return the suggestions of a file; without one there are none.

    Raises
    ------
    InputError
        If it is not such a file.
    """
    if not path.exists():
        return {}
    try:
        content = json.loads(read_text(path))
        return {name: _SUGGESTIONS.validate_python(found) for name, found in content.items()}
    except (ValueError, AttributeError) as fault:
        raise InputError(
            f"{path}: holds no suggestions; delete it, and `mine` finds them again"
        ) from fault


def comments(pool: Pool) -> dict[str, list[str]]:
    """Return the suggestions as lines to read beside a case: id → lines."""
    return {name: list(_lines(found)) for name, found in pool.items()}


def _lines(found: Sequence[Suggestion]) -> Iterator[str]:
    for one in found:
        names = ", ".join(f"{name} {rank}" for name, rank in one.found_by.items())
        yield f"{one.line}  ({names})"

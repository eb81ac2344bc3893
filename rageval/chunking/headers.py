"""What a retriever reads before the text of a chunk: the document's title, or its heading path."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from rageval.chunking.sections import sections
from rageval.corpus.document import Document

Header = Literal["none", "title", "path"]


def headers_of(document: Document, starts: Sequence[int], kind: Header) -> list[str]:
    r"""Return the header of each chunk of a document, which begin at these characters.

    The title is the first heading of the first level. A path is the title and the headings around
    the begin of the chunk, ` > ` between. Without a heading the header is empty.

    Examples
    --------
    >>> page = Document("d", "# Leave\nx\n## Sick\ny\n")
    >>> headers_of(page, [0, 10, 18], "title"), headers_of(page, [8, 18], "path")
    (['Leave', 'Leave', 'Leave'], ['Leave', 'Leave > Sick'])
    """
    found = sections(document.text)
    title = next((section.title for section in found if section.level == 1), "")
    if kind == "title":
        return [title for _ in starts]
    begins = [section.start for section in found]
    return [_path(title, found[at - 1].path if at else ()) for at in _places(begins, starts)]


def _places(begins: Sequence[int], starts: Sequence[int]) -> list[int]:
    return [bisect_right(begins, start) for start in starts]


def _path(title: str, path: tuple[str, ...]) -> str:
    whole = path if not title or path[:1] == (title,) else (title, *path)
    return " > ".join(whole)

"""Questions drafted from documents: from headings and the sentences that say most below them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from rageval.chunking.sections import sections
from rageval.chunking.sentence import Sentences
from rageval.corpus.document import Corpus, Document

_WORD = re.compile(r"\w+")
_MARKUP = re.compile(r"[|`*_<>#\[\]]|^\s*[-+\d.]+\s")  # of a table, code, a list, a link
_SHORTEST, _LONGEST = 40, 240  # characters of a key sentence
_ASKING = re.compile(
    r"(what|when|where|who|whom|whose|which|why|how|can|may|must|do|does|is|are|should)\b", re.I
)


@dataclass(frozen=True)
class _Key:
    """A sentence that says much, and where it stands."""

    document: str
    heading: tuple[str, ...]  # () = above the first heading
    sentence: str
    weight: float


def drafts(corpus: Corpus, number: int, english: bool = True) -> list[dict[str, Any]]:
    """Return drafted questions as entries of a golden file, each of another page.

    Parameters
    ----------
    corpus
        The documents. Only what everybody may see is drafted from: a draft has no asker.
    number
        How many to draft, 1 or more; there are fewer where fewer pages have a sentence to ask for.
        They come from all folders in turn.
    english
        Whether the questions are put into English words; else they are the headings alone.

    Returns
    -------
    list[dict[str, Any]]
        id, question, the quote that answers it, `draft: true` and a note, in the corpus's order.
    """
    rarity = _rarity(corpus)
    best = [found for found in (_best(page, rarity) for page in corpus if not page.groups) if found]
    kept = sorted(_in_turn(best)[:number], key=lambda key: key.document)
    return [_entry(place, key, english) for place, key in enumerate(kept, start=1)]


def _in_turn(keys: Sequence[_Key]) -> list[_Key]:
    """Return the sentences, the weightiest of each folder first, then the second of each, …."""
    folders: dict[str, list[_Key]] = {}
    for key in sorted(keys, key=lambda key: (-key.weight, key.document)):
        folders.setdefault(key.document.rpartition("/")[0], []).append(key)
    turns = zip_longest(*(folders[name] for name in sorted(folders)))
    return [key for turn in turns for key in turn if key is not None]


def _rarity(corpus: Corpus) -> dict[str, float]:
    """Return how much each word tells of a page: the fewer pages have it, the more."""
    pages = Counter(word for page in corpus for word in set(_words(page.text)))
    return {word: math.log((1 + len(corpus)) / count) for word, count in pages.items()}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _best(page: Document, rarity: dict[str, float]) -> _Key | None:
    """Return the sentence of a page that tells most, if it has one to ask for."""
    return max(_keys(page, rarity), key=lambda key: key.weight, default=None)


def _keys(page: Document, rarity: dict[str, float]) -> Iterator[_Key]:
    headings = sections(page.text)
    for start, end in Sentences(per_chunk=1).spans(page):
        sentence = page.text[start:end]
        fits = _SHORTEST <= len(sentence) <= _LONGEST and "\n" not in sentence
        if not fits or _MARKUP.search(sentence) or page.text.count(sentence) != 1:
            continue
        inside = [section for section in headings if section.start <= start < section.end]
        words = _words(sentence)
        weight = sum(rarity[word] for word in set(words)) / math.sqrt(max(1, len(words)))
        yield _Key(page.id, inside[-1].path if inside else (), sentence, weight)


def _entry(place: int, key: _Key, english: bool) -> dict[str, Any]:
    return {
        "id": f"q-{place:03d}",
        "question": _question(key.document, key.heading, english),
        "supporting": [{"document": key.document, "quote": key.sentence}],
        "draft": True,
        "source": "init",
        "notes": f"drafted from “{_shown(key)}”: put the question into the words of those who ask",
    }


def _shown(key: _Key) -> str:
    return " > ".join(key.heading) or key.document


def _question(document: str, heading: Sequence[str], english: bool) -> str:
    """Return a question that the passage below a heading answers, as far as headings tell.

    Examples
    --------
    >>> _question("leave", ("Annual leave", "How many days"), english=True)
    'How many days? (Annual leave)'
    >>> _question("it/vpn", ("VPN", "Access from abroad"), english=True)
    'What does “VPN” say about “Access from abroad”?'
    >>> _question("it/vpn", ("VPN", "Zugang"), english=False), _question("it/vpn", (), english=True)
    ('Zugang? (VPN)', 'What does “vpn” say?')
    """
    page = heading[0] if heading else document.rpartition("/")[2]
    title = heading[-1].rstrip(" ?:.") if len(heading) > 1 else ""
    if title and (not english or _ASKING.match(title)):
        return f"{title}? ({page})"
    if not english:
        return f"{page.rstrip(' ?:.')}?"
    return f"What does “{page}” say about “{title}”?" if title else f"What does “{page}” say?"

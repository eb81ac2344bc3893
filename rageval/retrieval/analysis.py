"""From text to the terms that lexical retrieval and LSA count."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Annotated, ClassVar

import regex
from pydantic import AfterValidator, Field

from rageval.errors import InputError
from rageval.schema.fields import component
from rageval.schema.languages import NAMES, STEMMED, stop_words


def _known(language: str) -> str:
    if language not in NAMES:
        near = difflib.get_close_matches(language, NAMES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"is no language that is known; {hint}there are: {', '.join(NAMES)}")
    return language


Language = Annotated[str, Field(strict=True), AfterValidator(_known)]

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(
    rf"[{_UNSPACED}]+|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+|\p{{Extended_Pictographic}}",
    regex.V1,
)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_HANGUL = regex.compile(r"\p{Hangul}+")
_SCRIPT_RUN = regex.compile(rf"[{_UNSPACED}]")
_OPTIONAL = regex.compile(r"[\p{Block=Arabic}&&\p{Mn}]|\u0640", regex.V1)


@component
class Analyser:
    """Splits text into terms: folded words, without stop words, stemmed.

    A word is a run of letters, marks and digits, whatever the script; an emoji is a word. Scripts
    written without spaces give their characters and pairs of characters instead, and so do Korean
    words their pairs where `korean` is named. Arabic vowel signs and stretched letters, which
    writers use at will, are dropped. With several languages, a text is treated in the one that most
    of its words are stop words of; the first named wins a tie. Of some languages there are no stop
    words.

    Examples
    --------
    >>> Analyser()("The SKU-4411's lead times")
    ['sku', '4411', 'lead', 'time']
    >>> Analyser(languages=["english", "german"])("Wie viele Urlaubstage habe ich?")
    ['viel', 'urlaubstag']
    >>> Analyser()("东京 🚀")
    ['东', '京', '东京', '🚀']
    >>> Analyser(languages=["korean"])("휴가는 30일")
    ['휴가', '가는', '30일']
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("regex", "PyStemmer", "bm25s")

    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = ("english",)
    stem: bool = True
    stop_words: bool = True

    def __call__(self, text: str) -> list[str]:
        """Return the terms of a text, in order, repeats kept."""
        words = _words(text)
        if "korean" in self.languages:
            words = [part for word in words for part in _pairs(word)]
        language = self._language(words)
        if self.stop_words:
            unwanted = self._stop_words[language]
            words = [word for word in words if word not in unwanted]
        return self._stem(words, language) if self.stem else words

    def batch(self, texts: Sequence[str]) -> Sequence[Sequence[str]]:
        """Return the terms of the chunks of a corpus.

        Those of the last batch are kept, since the retrievers of a hybrid or a sweep read the same
        chunks one after the other. A question is analysed each time, as production does.
        """
        return _batch(self, tuple(texts))

    def _stem(self, words: list[str], language: str) -> list[str]:
        stems = self._stems[language]
        return [stems[word] for word in words]

    def _language(self, words: list[str]) -> str:
        if len(self.languages) == 1:
            return self.languages[0]
        votes = {
            name: sum(map(self._stop_words[name].__contains__, words)) for name in self.languages
        }
        return max(self.languages, key=lambda name: votes[name])

    @cached_property
    def _stop_words(self) -> dict[str, frozenset[str]]:
        return {name: frozenset(map(_folded, stop_words(name))) for name in self.languages}

    @cached_property
    def _stems(self) -> dict[str, _Stems]:
        return {name: _Stems(name) for name in self.languages}


@lru_cache(maxsize=1)
def _batch(analyser: Analyser, texts: tuple[str, ...]) -> tuple[list[str], ...]:
    return tuple(analyser(text) for text in texts)


class _Stems(dict[str, str]):
    """The stems of the words met so far: looking one up is quicker than stemming it again."""

    def __init__(self, language: str) -> None:
        super().__init__()
        import Stemmer

        if language in STEMMED and language not in Stemmer.algorithms():
            raise InputError(
                f"this version of PyStemmer does not stem {language}: pip install -U PyStemmer"
            )
        self._stemmer = Stemmer.Stemmer(language, 0) if language in STEMMED else None

    def __missing__(self, word: str) -> str:
        return self.setdefault(word, self._stemmer.stemWord(word) if self._stemmer else word)


def _pairs(word: str) -> list[str]:
    """Return the pairs of characters of a Korean word; any other word is left whole."""
    if len(word) < 2 or not _HANGUL.fullmatch(word):
        return [word]
    return [word[i : i + 2] for i in range(len(word) - 1)]


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded if folded.isascii() else _OPTIONAL.sub("", folded)


def _words(text: str) -> list[str]:
    if text.isascii():  # the same words, several times as fast
        return _ASCII_WORD.findall(text.lower())
    return _words_of_any_script(text)


def _words_of_any_script(text: str) -> list[str]:
    words: list[str] = []
    for word in _WORD.findall(_folded(text)):
        if len(word) > 1 and not word.isascii() and _SCRIPT_RUN.match(word):
            words.extend(word)
            words.extend(word[i : i + 2] for i in range(len(word) - 1))
        else:
            words.append(word)
    return words

"""From text to the terms that lexical retrieval and LSA count."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Annotated, ClassVar, Literal

import regex
from pydantic import Field

from rageval.fields import component

Language = Literal[
    "danish", "dutch", "english", "french", "german", "italian", "norwegian", "portuguese",
    "russian", "spanish", "swedish", "turkish",
]  # fmt: skip

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(
    rf"[{_UNSPACED}]+|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+|\p{{Extended_Pictographic}}",
    regex.V1,
)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_SCRIPT_RUN = regex.compile(rf"[{_UNSPACED}]")
_OPTIONAL = regex.compile(r"[\p{Block=Arabic}&&\p{Mn}]|\u0640", regex.V1)


@component
class Analyser:
    """Splits text into terms: folded words, without stop words, stemmed.

    A word is a run of letters, marks and digits, whatever the script; an emoji is a word. Scripts
    written without spaces give their characters and pairs of characters instead. Arabic vowel signs
    and stretched letters, which writers use at will, are dropped. With several languages, a text is
    treated in the one that most of its words are stop words of; the first named wins a tie.

    Examples
    --------
    >>> Analyser()("The SKU-4411's lead times")
    ['sku', '4411', 'lead', 'time']
    >>> Analyser(languages=["english", "german"])("Wie viele Urlaubstage habe ich?")
    ['viel', 'urlaubstag']
    >>> Analyser()("东京 🚀")
    ['东', '京', '东京', '🚀']
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("regex", "PyStemmer", "bm25s")

    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = ("english",)
    stem: bool = True
    stop_words: bool = True

    def __call__(self, text: str) -> list[str]:
        """Return the terms of a text, in order, repeats kept."""
        words = _words(text)
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
        from bm25s import stopwords  # a library that only retrieval needs

        lists = {name: f"STOPWORDS_{name.upper()}" for name in self.languages}
        lists.update({"english": "STOPWORDS_EN_PLUS"} if "english" in lists else {})
        return {
            name: frozenset(map(_folded, getattr(stopwords, listed)))
            for name, listed in lists.items()
        }

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

        self._stemmer = Stemmer.Stemmer(language, 0)

    def __missing__(self, word: str) -> str:
        return self.setdefault(word, self._stemmer.stemWord(word))


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

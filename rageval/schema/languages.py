"""Languages that text can be analysed in, and which of them a text looks like."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache

# Languages that Snowball stems; what PyStemmer brings depends on its version.
STEMMED = (
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto",
    "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian",
    "irish", "italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese",
    "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
# Languages of which pairs of characters are the terms, since nothing stems them.
PAIRED = ("burmese", "chinese", "japanese", "khmer", "korean", "lao", "thai")
NAMES = (*STEMMED, *PAIRED)
# Those of which a list of stop words is at hand, and the name of the list.
STOP_WORDS: Mapping[str, str] = {
    "english": "STOPWORDS_EN_PLUS",
    **{
        name: f"STOPWORDS_{name.upper()}"
        for name in (
            "danish", "dutch", "french", "german", "italian", "norwegian", "portuguese", "russian",
            "spanish", "swedish", "turkish",
        )
    },
}  # fmt: skip

# What a script that few languages use says of a text, the likeliest first.
_SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "HANGUL": ("korean",),
    "HIRAGANA": ("japanese",),
    "KATAKANA": ("japanese",),
    "CJK": ("chinese", "japanese"),
    "THAI": ("thai",),
    "LAO": ("lao",),
    "KHMER": ("khmer",),
    "MYANMAR": ("burmese",),
    "ARABIC": ("arabic", "persian"),
    "HEBREW": ("yiddish",),
    "GREEK": ("greek",),
    "CYRILLIC": ("russian", "serbian"),
    "ARMENIAN": ("armenian",),
    "DEVANAGARI": ("hindi", "nepali"),
    "TAMIL": ("tamil",),
}
_FEW = 40  # words, or letters of a script, below which nothing is said
_CLEAR = 0.15  # share of a text's words that are stop words of its language, at least
_TIMES = 2  # how much more often than those of any language that is set


def misfit(texts: Iterable[str], languages: Collection[str]) -> str | None:
    """Return a sentence if texts look like a language that is not set, else None.

    A script that most letters are of decides, or else stop words do.

    Examples
    --------
    >>> misfit(["Сколько дней отпуска у меня есть в этом году"] * 9, ["english"])[:58]
    'the questions look like russian, and dataset.languages is '
    >>> misfit(["How many days of leave do I have this year"] * 9, ["english"]) is None
    True
    """
    found = _by_script(" ".join(texts := list(texts)))
    if found is None:
        found = _by_stop_words(texts, languages)
    if found is None or set(found) & set(languages):
        return None
    shown = ", ".join(languages)
    return (
        f"the questions look like {found[0]}, and dataset.languages is [{shown}]: words are then "
        f"stemmed in the wrong way; set dataset.languages=[{found[0]}]"
    )


def _by_script(text: str) -> tuple[str, ...] | None:
    """Return the languages of the script that most letters are of, if few languages use it."""
    counts = Counter(_script(sign) for sign in text if sign.isalpha() and not sign.isascii())
    letters = sum(1 for sign in text if sign.isalpha())
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    if kana and 2 * (kana + counts["CJK"]) > letters and letters >= _FEW:
        return ("japanese",)
    script, count = counts.most_common(1)[0] if counts else ("", 0)
    clear = script in _SCRIPTS and 2 * count > letters and letters >= _FEW
    return _SCRIPTS[script] if clear else None


@cache
def _script(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0]


def _by_stop_words(texts: Iterable[str], languages: Collection[str]) -> tuple[str, ...] | None:
    """Return the language whose stop words stand out, if they do."""
    words = [word for text in texts for word in text.casefold().split()]
    if len(words) < _FEW:
        return None
    shares = {
        name: sum(map(stop_words(name).__contains__, words)) / len(words) for name in STOP_WORDS
    }
    best = max(shares, key=shares.__getitem__)
    known = max((shares.get(name, 0.0) for name in languages), default=0.0)
    unknown = set(languages) - shares.keys()  # no list of theirs is at hand to compare with
    clear = shares[best] >= _CLEAR and shares[best] > _TIMES * known and not unknown
    return (best,) if clear else None


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, folded; none of a language that has no list."""
    from bm25s import stopwords  # a library that only retrieval needs

    listed = getattr(stopwords, STOP_WORDS[language]) if language in STOP_WORDS else ()
    return frozenset(unicodedata.normalize("NFKC", word).casefold() for word in listed)

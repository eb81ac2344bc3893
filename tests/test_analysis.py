"""Terms of texts in many scripts and languages."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rageval.analysis import Analyser, Language, _words, _words_of_any_script

PLAIN = Analyser(stem=False, stop_words=False)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (
            "检索系统",
            ["检", "索", "系", "统", "检索", "索系", "系统"],
        ),  # no spaces: characters, pairs
        ("検索ABC索引", ["検", "索", "検索", "abc", "索", "引", "索引"]),
        ("한국어 검색", ["한국어", "검색"]),  # Korean has spaces
        ("हिन्दी में खोज", ["हिन्दी", "में", "खोज"]),  # vowel signs and virama stay in the word
        ("🚀🎉 ok", ["🚀", "🎉", "ok"]),
        ("Größe ÜBER Straße", ["grösse", "über", "strasse"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("e\u0301te\u0301", ["été"]),  # letter and accent apart are the letter with its accent
        ("ﬁle Ⅳ ２０２４", ["file", "iv", "2024"]),
        ("SKU-4411, C++ & foo_bar.", ["sku", "4411", "c", "foo", "bar"]),
        ("  \r\n\t…!? ", []),
        ("", []),
    ],
)
def test_a_word_is_a_run_of_letters_marks_and_digits_of_any_script(text, terms):
    assert PLAIN(text) == terms


def test_arabic_is_found_with_and_without_its_vowel_signs_and_stretching():
    assert PLAIN("كِتَابٌ جديد") == PLAIN("كتـــاب جديد") == ["كتاب", "جديد"]


def test_letters_that_differ_by_more_than_a_vowel_sign_stay_apart():
    assert PLAIN("أريد") != PLAIN("اريد")
    assert PLAIN("naïve") != PLAIN("naive")


def test_words_are_folded_before_they_are_stemmed():
    # Snowball English: times → time, returned → return
    assert Analyser()("TIMES Returned") == ["time", "return"]


def test_a_text_of_stop_words_only_has_no_terms():
    assert Analyser()("Who is it, and what of that?") == []


def test_a_stop_word_is_known_however_it_is_spelt():
    # The list writes daß, texts write dass since 1996.
    german = Analyser(languages=["german"])
    assert german("dass daß DASS und") == []


def test_stop_words_and_stems_can_be_switched_off_apart():
    text = "the times"
    assert Analyser(stop_words=False)(text) == ["the", "time"]
    assert Analyser(stem=False)(text) == ["times"]


def test_a_text_is_treated_in_the_language_of_most_of_its_stop_words():
    both = Analyser(languages=["english", "german"])
    german = "Wie viele Urlaubstage habe ich?"
    english = "What are the expenses of a trip?"
    assert both(german) == Analyser(languages=["german"])(german)
    assert both(english) == Analyser()(english)


def test_the_first_named_language_wins_a_tie():
    # No stop word, no vote; only the English stemmer knows -ing.
    assert Analyser(languages=["german", "english"])("running") == ["running"]
    assert Analyser(languages=["english", "german"])("running") == ["run"]


@pytest.mark.parametrize(
    ("language", "stop_word"),
    [
        *zip(
            get_args(Language),
            ["og", "het", "the", "les", "und", "della", "ikke", "uma", "что", "las", "och", "için"],
            strict=True,
        )
    ],
)
def test_every_language_has_stop_words_and_a_stemmer(language, stop_word):
    assert Analyser(languages=[language])(f"{stop_word} 42") == ["42"]


@pytest.mark.parametrize("languages", [[], ["klingon"]])
def test_no_language_and_an_unknown_one_are_refused(languages):
    with pytest.raises(ValidationError):
        Analyser(languages=languages)


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_finds_the_words_of_the_long_one(text):
    assert _words(text) == _words_of_any_script(text)


def test_every_ascii_character_is_told_the_same_either_way():
    text = " ".join(f"a{chr(code)}b {chr(code)}" for code in range(128))
    assert _words(text) == _words_of_any_script(text)

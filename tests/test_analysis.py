"""Terms of texts in many scripts and languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rageval.retrieval.analysis import Analyser, _words, _words_of_any_script
from rageval.schema.languages import NAMES, STOP_WORDS, misfit

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
            sorted(STOP_WORDS),
            ["og", "het", "the", "les", "und", "della", "ikke", "uma", "что", "las", "och", "için"],
            strict=True,
        )
    ],
)
def test_a_language_with_a_list_of_stop_words_leaves_them_out(language, stop_word):
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


@pytest.mark.parametrize("language", NAMES)
def test_every_language_that_is_named_is_one_that_analyses(language):
    assert Analyser(languages=[language])("42 东") == ["42", "东"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("finnish", "talossa", "talosta"),
        ("hungarian", "házban", "házból"),
        ("indonesian", "makanan", "makan"),
    ],
)
def test_forms_of_one_word_are_one_term_in_languages_without_stop_words(language, one, other):
    stemmed = Analyser(languages=[language])
    assert stemmed(one) == stemmed(other)


def test_korean_words_are_pairs_of_characters_so_that_endings_do_not_matter():
    korean = Analyser(languages=["korean"])
    assert korean("휴가는") == ["휴가", "가는"]
    assert set(korean("연차휴가를")) & set(korean("휴가는")) == {"휴가"}
    assert Analyser()("휴가는") == ["휴가는"]


QUESTIONS = {
    "russian": "Сколько дней отпуска у меня есть в этом году и что я должен сделать",
    "german": "Wie viele Tage habe ich noch und was muss ich dafür bei der Firma machen",
    "korean": "올해 남은 연차휴가는 며칠이며 어떻게 신청해야 합니까",
    "japanese": "今年の休暇は何日ありますか、どのように申請すればいいですか",
    "greek": "Πόσες ημέρες άδειας έχω φέτος και τι πρέπει να κάνω",
    "thai": "ปีนี้ฉันมีวันลากี่วันและต้องยื่นคำขออย่างไร",
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_questions_in_a_language_that_is_not_set_are_said(language):
    asked = [QUESTIONS[language]] * 6
    assert misfit(asked, ["english"]).startswith(f"the questions look like {language}, and ")
    assert misfit(asked, ["english", language]) is None


def test_nothing_is_said_of_few_words_or_of_a_language_without_stop_words():
    assert misfit(["Wie viele Tage?"], ["english"]) is None
    assert misfit([QUESTIONS["german"]] * 6, ["finnish"]) is None
    assert misfit(["leave days left carry over until march"] * 20, ["english"]) is None


def test_a_set_in_another_language_gets_a_note(typed, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Отпуск\n\nТридцать дней.\n")
    rows = "".join(
        f'- {{id: q{n}, question: "{QUESTIONS["russian"]} {n}", expected: [a]}}\n' for n in range(6)
    )
    (tmp_path / "g.yaml").write_text(f"set: s\nquestions:\n{rows}")
    words = ("check", "dataset=markdown", "dataset.path=docs", "dataset.questions=g.yaml")
    assert "set dataset.languages=[russian]" in typed(*words).out
    assert "look like" not in typed(*words, "dataset.languages=[russian]").out

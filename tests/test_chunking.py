from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tiny import ask

from rageval.chunking.chunks import cut
from rageval.chunking.fixed import FixedSize
from rageval.chunking.heading import Headings
from rageval.chunking.recursive import Recursive
from rageval.chunking.sentence import Sentences
from rageval.chunking.whole import WholeDocument
from rageval.corpus.document import Corpus, Document
from rageval.retrieval.retrievers.bm25 import Bm25

CHUNKERS = [
    WholeDocument(),
    FixedSize(size=3),
    FixedSize(size=5, overlap=4),
    FixedSize(size=2, unit="tokens"),
    FixedSize(size=4, overlap=3, unit="tokens"),
    Sentences(),
    Sentences(per_chunk=2, overlap=1, language="de"),
    Headings(),
    Headings(level=1),
    Recursive(size=4),
    Recursive(size=9, overlap=8),
    Recursive(size=7, overlap=2, separators=(". ", "ab")),
]
MARKS = st.sampled_from(
    [
        "# ",
        "## A\n",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        " ",
        "\t",
        ". ",
        "! ",
        "```\n",
        "---\n",
        "- ",
        "> ",
    ]
    + ["Mr. ", "J. R.", "\u3000", "\u2028", "\x85", "\xa0", "\x00", "\ud800", "é", "e\u0301", "😀"]
    + ["«a", "(", '"', "word", "Word", "x", "ab", "1.5", "[a](b)", "*", "`"]
)
TEXTS = st.lists(MARKS | st.text(max_size=4), max_size=40).map("".join)


def texts(chunker, text: str) -> list[str]:
    return [text[start:end] for start, end in chunker.spans(Document("d", text))]


@pytest.mark.parametrize("chunker", CHUNKERS, ids=repr)
@settings(max_examples=150)
@given(text=TEXTS)
def test_spans_are_sorted_and_distinct_and_cover_all_that_is_visible(chunker, text):
    spans = chunker.spans(Document("d", text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before < after for before, after in pairwise(spans))
    covered = {place for start, end in spans for place in range(start, end)}
    assert not [place for place, sign in enumerate(text) if sign.strip() and place not in covered]


@settings(max_examples=100)
@given(text=TEXTS, size=st.integers(1, 12), overlap=st.integers(0, 11))
def test_no_recursive_chunk_is_longer_than_its_size(text, size, overlap):
    if overlap < size:
        chunks = texts(Recursive(size=size, overlap=overlap), text)
        assert all(len(chunk) <= size for chunk in chunks)


@pytest.mark.parametrize("chunker", CHUNKERS, ids=repr)
def test_an_empty_document_has_no_chunk(chunker):
    assert chunker.spans(Document("d", "")) == []


def test_the_last_fixed_chunk_is_the_first_that_reaches_the_end():
    # 10 characters, step 3: [0, 4), [3, 7), [6, 10) reaches the end, so no [9, 10)
    assert FixedSize(size=4, overlap=1).spans(Document("d", "x" * 10)) == [(0, 4), (3, 7), (6, 10)]


def test_a_document_shorter_than_the_overlap_is_one_chunk():
    assert FixedSize(size=10, overlap=9).spans(Document("d", "abc")) == [(0, 3)]


def test_tokens_are_words_and_other_visible_signs():
    # tokens: naïve | - | 3 | . | 5 | 😀
    assert texts(FixedSize(size=2, unit="tokens"), "naïve-3.5  😀") == ["naïve-", "3.", "5  😀"]


@pytest.mark.parametrize(
    "build",
    [
        lambda: FixedSize(size=5, overlap=5),
        lambda: FixedSize(size=0),
        lambda: FixedSize(size=5, unit="words"),
        lambda: FixedSize(size="5"),
        lambda: Sentences(per_chunk=2, overlap=2),
        lambda: Sentences(language="English"),
        lambda: Recursive(size=5, overlap=6),
        lambda: Recursive(separators=("",)),
        lambda: Headings(level=0),
        lambda: Headings(level=7),
        lambda: Headings(levels=2),
    ],
)
def test_settings_out_of_range_are_refused(build):
    with pytest.raises(ValidationError):
        build()


def test_sentences_know_abbreviations_and_blank_lines():
    text = "Dr. Roe left.  She came back!\nA title\n\nAll was well."
    assert texts(Sentences(per_chunk=1), text) == [
        "Dr. Roe left.",
        "She came back!",
        "A title",
        "All was well.",
    ]


def test_a_sentence_at_the_border_of_a_long_paragraph_stays_whole():
    sentence = "This is one sentence of about sixty characters, more or less."
    text = " ".join([sentence] * 200)  # 12,399 characters in one paragraph
    assert texts(Sentences(per_chunk=1), text) == [sentence] * 200


def test_sentences_overlap_by_whole_sentences():
    text = "One. Two. Three. Four."
    assert texts(Sentences(per_chunk=3, overlap=2), text) == [
        "One. Two. Three.",
        "Two. Three. Four.",
    ]


def test_signs_that_stop_the_segmenter_are_kept():
    text = "He met J.\u3000Smith.\u2028Then\xa0he left\ud800. Done."
    kept = "".join(texts(Sentences(per_chunk=1), text))
    assert "".join(kept.split()) == "".join(text.split())


def test_each_heading_begins_a_chunk():
    text = "Intro\n\n# A\n\na\n\nB\n---\n\nb\n\n```\n# no heading\n```\n\n### C\nc\n"
    assert texts(Headings(), text) == [
        "Intro",
        "# A\n\na",
        "B\n---\n\nb\n\n```\n# no heading\n```",
        "### C\nc",
    ]


def test_deeper_headings_stay_in_their_chunk():
    text = "# A\na\n## B\nb\n### C\nc\n## D\nd\n"
    assert texts(Headings(level=2), text) == ["# A\na", "## B\nb\n### C\nc", "## D\nd"]


def test_recursive_chunks_end_at_the_strongest_separator():
    text = "aaa bbb\nccc\n\nddd eee\n\nfff"
    # [aaa bbb\nccc\n\n] is 13 long, [ddd eee\n\n] 9, [fff] 3: 9 + 3 = 12 fit together
    assert texts(Recursive(size=13), text) == ["aaa bbb\nccc", "ddd eee\n\nfff"]


def test_recursive_chunks_begin_with_the_last_pieces_that_fit_the_overlap():
    # pieces “a ” “b ” “c ” “d ” “e”; 6 characters are three pieces, 2 of overlap are one
    assert texts(Recursive(size=6, overlap=2), "a b c d e") == ["a b c", "c d e"]


def test_a_word_longer_than_the_size_is_cut():
    assert texts(Recursive(size=3), "abcdefgh i") == ["abc", "def", "gh", "i"]


def test_cut_drops_blank_chunks_and_keeps_the_order_of_documents():
    corpus = Corpus((Document("b", "xx   yy"), Document("e", ""), Document("a", "z")), "test")
    chunks = cut(corpus, FixedSize(size=2))
    assert chunks.texts() == ["xx", " y", "y", "z"]
    assert chunks.document.tolist() == [0, 0, 0, 2]


@pytest.mark.parametrize("chunker", CHUNKERS, ids=repr)
@pytest.mark.parametrize(
    "text",
    [
        "A sentence with some words in it. " * 10_000,
        "x" * 300_000,
        " \n" * 150_000 + "x",
        "«a. " * 50_000,
        "# h\n\n" * 10_000,
        '"' * 100_000,
    ],
    ids=["one line", "one word", "blank", "quotes", "headings", "marks"],
)
def test_no_text_takes_quadratic_time(chunker, text):
    assert chunker.spans(Document("d", text))  # minutes, where time grows with the square


def test_a_header_is_read_by_the_retriever_and_moves_no_span():
    page = "# Leave\n\nIntro.\n\n## Sick\n\nCall before nine.\n"
    corpus = Corpus((Document("a", page), Document("b", "No heading.\n")), "test")
    plain = cut(corpus, Headings())
    for kind, sick in (("title", "Leave\n## Sick"), ("path", "Leave > Sick\n## Sick")):
        found = cut(corpus, Headings(header=kind))
        assert found.texts() == plain.texts()
        assert found.start.tolist() == plain.start.tolist()
        assert found.indexed()[1].startswith(sick)
        assert found.indexed()[2] == "No heading."
        assert found.digest != plain.digest
    assert plain.indexed() == plain.texts()


def test_a_word_of_the_title_alone_finds_a_chunk_with_a_header():
    page = "# Parental leave\n\nIntro.\n\n## Pay\n\nSixty percent.\n"
    corpus = Corpus((Document("a", page), Document("b", "# Travel\n\n## Pay\n\nTen.\n")), "test")
    chunks = cut(corpus, Headings(header="title"))
    found = ask(Bm25().index(chunks), chunks, "parental pay")
    assert found.chunk[0][0] == 1  # the section on pay; without a header the page's first wins

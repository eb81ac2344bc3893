"""Passages of a retriever's own: every form of a hit, located, judged, and listed if it cannot."""

import json

import pytest
from scripted import Script, evaluated, question
from tiny import corpus_of

from rageval.chunking.chunks import cut
from rageval.chunking.heading import Headings
from rageval.chunking.nothing import NoChunks
from rageval.errors import InputError
from rageval.evaluation.diagnosis import Cause
from rageval.golden.question import Reference
from rageval.report.tables import unmatched
from rageval.report.wording import notes
from rageval.retrieval.passages.hit import Hit, hit_of
from rageval.retrieval.passages.returned import ReturnedPassages
from rageval.retrieval.passages.text_index import TextIndex
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.foreign import Foreign

LEAVE = "# Leave\n\nThirty days a year.\n\n## Sick leave\n\nCall before nine.\n"
PAY = "# Pay\n\nPaid on the  25th.\n\n## Sick leave\n\nFull pay for\nsix weeks.\n"
SICK = PAY.index("## Sick leave"), len(PAY.rstrip())


def place(*hits, chunker=None):
    """Return document, start and end of what hits name in the two pages."""
    passages = ReturnedPassages(cut(corpus_of(LEAVE, PAY), chunker or NoChunks()))
    numbers = [passages.number(hit_of(hit)) for hit in hits]
    chunks = passages.chunks
    return [
        (chunks.corpus[int(chunks.document[n])].id, int(chunks.start[n]), int(chunks.end[n]))
        for n in numbers
    ]


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        ("b", ("b", 0, len(PAY))),
        ("b#7-20", ("b", 7, 20)),
        (("b", 7, 20), ("b", 7, 20)),
        ((("b", 7, 20), 0.5), ("b", 7, 20)),
        (("b", "Sick leave"), ("b", *SICK)),
        (("b", ["Pay", "sick leave"]), ("b", *SICK)),
        ({"document": "b", "heading": "Sick leave", "score": 1}, ("b", *SICK)),
        ({"id": "b", "text": "Full pay for\nsix weeks."}, ("b", 42, 65)),
        ({"text": "Full pay for six weeks."}, ("b", 42, 65)),
        ({"id": "77", "text": "Full pay"}, ("b", 42, 50)),
        ("Full pay for six weeks.", ("b", 42, 65)),
        (Hit("b", span=(7, 20)), ("b", 7, 20)),
    ],
)
def test_every_form_of_a_hit_names_its_characters(hit, expected):
    assert PAY[42:65] == "Full pay for\nsix weeks."
    assert place(hit) == [expected]


def test_a_heading_below_the_title_is_found_by_its_own_name_if_it_is_the_only_one_of_it():
    text = "# A\n## B\n### Deep\nx\n## C\n### Deep\ny\n"
    passages = ReturnedPassages(cut(corpus_of(text, "# A\n## B\n### Deep\nx\n"), NoChunks()))
    passages.number(hit_of(("b", "Deep")))
    assert not passages.unlocated
    number = passages.number(hit_of(("a", "Deep")))  # which of the two nobody can say
    assert "no such heading" in passages.unlocated[number]


def test_a_hit_that_is_one_of_our_chunks_has_the_number_of_that_chunk():
    chunks = cut(corpus_of(LEAVE, PAY), Headings())
    passages = ReturnedPassages(chunks)
    third = int(chunks.start[2]), int(chunks.end[2])
    assert passages.number(hit_of(("b", *third))) == 2
    assert passages.number(Hit("b", text=chunks.text(3))) == 3
    assert passages.chunks is chunks


def test_a_text_is_looked_up_in_its_own_document_where_that_is_known():
    assert place({"document": "b", "text": "Sick leave"}) == [("b", SICK[0] + 3, SICK[0] + 13)]
    passages = ReturnedPassages(cut(corpus_of(LEAVE, PAY), NoChunks()))
    number = passages.number(Hit(text="Sick leave"))
    assert int(passages.chunks.document[number]) == 0
    assert passages.several == {number: 1}  # it is in the other page, too


def test_texts_are_found_whatever_cut_their_first_and_last_word():
    corpus = corpus_of("alpha beta gamma delta", "beta gamma", "x beta gamma d")
    found = TextIndex(corpus).places("ha beta gamma del")
    assert [(p.document, p.start, p.end) for p in found] == [(0, 3, 20)]
    assert len(TextIndex(corpus).places("beta gamma")) == 3


def measured(answers, questions, chunker=None, max_unmatched=0, corpus=None):
    return evaluated(
        Foreign(Script(answers), max_unmatched=max_unmatched),
        questions,
        corpus=corpus or corpus_of(LEAVE, PAY),
        chunker=chunker or NoChunks(),
    )


WEEKS = Reference("b", quote="six weeks")


def test_spans_are_judged_like_chunks_of_ours():
    # The quote is characters 55 to 64 of b: the second hit holds it, the first only touches it.
    answers = {"q": [("b", 40, 55), ("b", 55, 65), ("b", 55, 65), ("a", 0, 9)]}
    found = measured(answers, [question("q", supporting=((WEEKS,),))])
    value = {name: values.at(0) for name, values in found.values.items()}
    assert PAY[55:64] == "six weeks"
    assert (value["recall"], value["mrr"], value["completeness"]) == (1.0, 0.5, 1.0)
    assert value["precision"] == pytest.approx(1 / 3)  # what came back twice counts once
    assert value["evidence_coverage"] == 1.0
    assert value["evidence_precision"] == pytest.approx(9 / (15 + 10 + 9))
    assert value["chunk_completeness"] is None  # nobody knows how many passages the index holds


def test_a_document_stands_for_all_its_characters():
    found = measured({"q": ["a", "b"]}, [question("q", supporting=((WEEKS,),))])
    value = {name: values.at(0) for name, values in found.values.items()}
    assert (value["mrr"], value["hit_rate_at_1"], value["hit_rate_at_3"]) == (0.5, 0.0, 1.0)
    assert value["evidence_precision"] == pytest.approx(9 / (len(LEAVE) + len(PAY)))


def test_documents_may_be_returned_under_any_chunking():
    golden = [question("q", supporting=((WEEKS,),))]
    for chunker in (NoChunks(), Headings()):
        found = measured({"q": ["a", "b"]}, golden, chunker)
        assert found.values["mrr"].at(0) == 0.5
        assert found.errors == 0


def test_what_came_back_and_holds_no_evidence_is_not_in_the_ranking_rather_than_not_indexed():
    found = measured({"q": [("b", 0, 5)]}, [question("q", supporting=((WEEKS,),))])
    assert found.diagnoses[0].cause is Cause.NOT_RANKED
    assert not [note for note in notes(found) if "no chunk covers" in note]


def test_an_unknown_passage_is_an_error_of_its_question_above_the_limit():
    questions = [question("q", expected=("a",)), question("r", expected=("a",))]
    found = measured({"q": ["gone", "a"], "r": ["a"]}, questions)
    assert found.errors == 1
    assert "returned 'gone', which is neither a passage" in str(found.retrieved.errors[0])
    assert "retriever.max_unmatched=1" in str(found.retrieved.errors[0])


def test_an_unknown_passage_within_the_limit_takes_its_rank_and_is_listed():
    answers = {"q": ["gone", {"text": "not a word of it", "score": 1.0}, "b"]}
    found = measured(answers, [question("q", expected=("b",))], max_unmatched=2)
    assert found.errors == 0
    assert int(found.ranks.target[0]) == 3
    assert found.values["mrr"].at(0) == pytest.approx(1 / 3)
    assert found.values["precision"].at(0) == pytest.approx(1 / 3)
    table = unmatched(found)
    assert [row[:2] for row in table.data] == [["q", 1], ["q", 2]]
    assert "'gone'" in table.data[0][2]
    assert "not a word of it" in table.data[1][2]
    assert any("2 passages returned for 1 question could not be found" in n for n in notes(found))


def test_a_stale_passage_of_a_known_document_counts_for_the_document_alone():
    answers = {"q": [{"document": "b", "text": "Full pay for nine weeks."}]}
    found = measured(answers, [question("q", supporting=((WEEKS,),))], max_unmatched=1)
    assert found.values["hit_rate_at_1"].at(0) == 1.0
    assert found.values["recall"].at(0) == 0.0


def test_a_restricted_document_is_a_leak_in_every_form():
    for hit in ("b", ("b", 3, 9), {"text": "Full pay for"}, ("b", "Sick leave")):
        found = measured({"q": [hit]}, [question("q", expected=("a",))],
                         corpus=corpus_of(LEAVE, PAY, groups={"b": ["hr"]}))  # fmt: skip
        assert found.leaks == 1, hit


def test_retrievers_of_ours_need_chunks():
    with pytest.raises(InputError, match="chunking=none leaves this retriever nothing to search"):
        evaluated(Bm25(), [question("q", expected=("a",))], chunker=NoChunks())


def test_numbers_of_other_passages_do_not_depend_on_when_they_were_asked():
    one, other = (measured({"q": hits}, [question("q", expected=("a",))]) for hits in
                  ([("b", 0, 5), ("a", 0, 3)], [("a", 0, 3)]))  # fmt: skip
    told = json.dumps([one.values["mrr"].at(0), other.values["mrr"].at(0)])
    assert told == "[0.5, 1.0]"


GOLDEN = """set: pages
questions:
- {id: q1, question: When is payday?, expected: [pay.md]}
- {id: q2, question: Who approves leave?, supporting: [{document: leave.md}]}
"""


def test_labels_of_whole_documents_need_no_corpus(typed, tmp_path, monkeypatch):
    (tmp_path / "golden.yaml").write_text(GOLDEN, encoding="utf-8")
    (tmp_path / "pages.py").write_text(
        "class Pages:\n"
        "    def retrieve(self, question, limit, groups):\n"
        "        return [{'id': '1', 'document': 'other.md', 'text': 'x'}, 'pay.md', 'pay.md']\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    said = typed(
        "+retriever=custom", "retriever._target_=pages.Pages", "dataset=labels", "chunking=none",
        "dataset.questions=golden.yaml", "dataset.split.dev_share=1.0", "tracking=off",
    )  # fmt: skip
    assert said.code == 0, said.err
    row = next(line.split() for line in said.out.splitlines() if line.startswith("all "))
    assert row[1:4] == ["2", "0.00", "0.50"]  # pay.md stands second, leave.md did not come back
    assert "could not be found" not in said.out


def test_labels_of_parts_need_the_corpus(typed, tmp_path, monkeypatch):
    part = GOLDEN.replace("{document: leave.md}", "{document: leave.md, quote: the manager}")
    (tmp_path / "golden.yaml").write_text(part, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = typed("check", "dataset=labels", "dataset.questions=golden.yaml")
    assert said.code == 2
    assert "golden.yaml:4: question 'q2'" in said.err
    assert "a part of a document needs its text" in said.err

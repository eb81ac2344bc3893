"""What is exported comes back: all that a format can hold, and the rest is named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.formats.adr.export import AdrExport
from rageval.formats.adr.golden import AdrGolden
from rageval.formats.autorag.corpus import AutoragCorpus
from rageval.formats.autorag.export import AutoragExport
from rageval.formats.autorag.golden import AutoragGolden
from rageval.formats.beir.corpus import BeirCorpus
from rageval.formats.beir.export import BeirExport
from rageval.formats.beir.golden import BeirGolden
from rageval.formats.canonical.export import CanonicalExport
from rageval.formats.canonical.golden import GoldenFile
from rageval.formats.llama_index.corpus import LlamaIndexCorpus
from rageval.formats.llama_index.export import LlamaIndexExport
from rageval.formats.llama_index.golden import LlamaIndexGolden
from rageval.formats.ragas.export import RagasExport
from rageval.formats.ragas.golden import RagasGolden
from rageval.formats.squad.corpus import SquadCorpus
from rageval.formats.squad.export import SquadExport
from rageval.formats.squad.golden import SquadGolden
from rageval.formats.trec.export import TrecExport
from rageval.formats.trec.golden import TrecGolden
from rageval.golden.access import PublicOnly
from rageval.golden.question import Answerable, GoldenSet, Question, Reference
from rageval.judging.labelled import Labelled
from rageval.judging.resolution import resolve

CORPUS = Corpus(
    (
        Document("a", "# A\n\nThirty days.\n"),
        Document("b c", "Band C\r\npays 50.\n", frozenset({"hr", "it"})),
        Document("100%", "The pump has a valve."),
    ),
    "test",
)
QUESTIONS = (
    Question(
        "q 1", "How  many?", form="GAP", hard_class="normal", tags=("x", "y"), asker="eva",
        history=("Hi",), expected=("a",),
        supporting=((Reference("a", heading=("A",)), Reference("b c", quote="pays 50.")),
                    (Reference("100%", span=(4, 8)),)),
        distractors=(Reference("b c"),), grades={"a": 2, "b c": 0}, group="g", split="dev",
        source="log", added="2024-05-31", gist="thirty: «30»", notes="n",
    ),
    Question("no", "Any of two?", expected=("a", "100%"), gist="g"),
    Question("1e3", "A quote?", supporting=((Reference("a", quote="Thirty days."),),)),
    Question("zip", "Zeppelin?", answerable=Answerable.NO),
    Question("den", "Pay?", answerable=Answerable.DENIED, forbidden=("b c",)),
)  # fmt: skip


def labelled(*questions: Question) -> Labelled:
    golden = GoldenSet("s.t", questions or QUESTIONS)
    return Labelled(golden, resolve(golden, CORPUS), CORPUS, PublicOnly())


def kinds(losses: list[str]) -> set[str]:
    return {line.partition(":")[0] for line in losses}


def unplaced(golden: GoldenSet) -> list[Question]:
    return [replace(question, where="") for question in golden]


@pytest.mark.parametrize("name", ["s.json", "s.yaml", "s.yml", "s.jsonl", "s.csv"])
def test_the_canonical_format_keeps_everything(tmp_path, name):
    path = tmp_path / "folder" / name
    losses = CanonicalExport(str(path)).write(labelled())
    back = GoldenFile(str(path)).load(CORPUS)
    assert unplaced(back) == list(QUESTIONS)
    assert (back.name, losses) == (
        ("s", ["not kept, the set's identifier s.t: a table has its file's name"])
        if name == "s.csv"
        else ("s.t", [])
    )


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a golden file is \.yaml"):
        CanonicalExport(str(tmp_path / "s.xml")).write(labelled())


def words(*refused, without=""):
    letters = st.characters(exclude_categories=refused, exclude_characters=without)
    return st.text(letters, min_size=1, max_size=12).filter(str.strip)


TEXT = words("Cs", without="\0")
NAME = words("Cs", "Cc", "Zl", "Zp").map(str.strip)  # no control characters, no line ends


@settings(max_examples=60)
@given(st.lists(st.tuples(NAME, TEXT, NAME), min_size=1, max_size=3, unique_by=lambda row: row[0]))
def test_any_text_comes_back_from_every_form(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("forms")
    questions = tuple(
        Question(name, text, tags=(tag,), history=(text,), expected=("a",), notes=text)
        for name, text, tag in rows
    )
    for name in ("s.json", "s.yaml", "s.jsonl", "s.csv"):
        CanonicalExport(str(folder / name)).write(labelled(*questions))
        assert unplaced(GoldenFile(str(folder / name)).load(CORPUS)) == list(questions), name


def test_the_adrs_form_keeps_documents_form_class_gist_and_silence(tmp_path):
    path = str(tmp_path / "a.json")
    losses = AdrExport(path).write(labelled())
    back = AdrGolden(path).load(CORPUS)
    first, second, _, silent = back.questions
    assert back.name == "s.t"
    assert (first.form, first.hard_class, first.gist) == ("GAP", "normal", "thirty: «30»")
    assert second.expected == ("a", "100%")
    assert silent.answerable is Answerable.NO
    assert kinds(losses) == {
        "left out, answerable", "not kept, tags", "not kept, asker", "not kept, history",
        "not kept, places in documents", "not kept, that all evidence is needed",
        "not kept, expected beside supporting", "not kept, distractors", "not kept, grades",
        "not kept, group", "not kept, split", "not kept, source", "not kept, added",
        "not kept, notes", "said to be MATCH, as no form is given",
    }  # fmt: skip


def test_beir_keeps_documents_grades_askers_groups_and_markers(tmp_path):
    losses = BeirExport(str(tmp_path)).write(labelled())
    corpus = BeirCorpus(str(tmp_path), groups_key="groups").load()
    assert corpus.digest == CORPUS.digest
    back = BeirGolden(str(tmp_path), asker_key="asker").load(corpus)
    first, second, third, silent, denied = back.questions
    assert (first.id, first.asker, first.expected) == ("q 1", "eva", ("a",))
    assert first.grades == {"a": 2, "b c": 0}
    assert (second.expected, third.expected) == (("a", "100%"), ("a",))
    assert silent.answerable is Answerable.NO
    assert (denied.answerable, denied.forbidden) == (Answerable.DENIED, ("b c",))
    assert {"not kept, history", "not kept, distractors", "not kept, form"} <= kinds(losses)
    assert not {"not kept, grades", "not kept, asker", "left out, answerable"} & kinds(losses)


def test_trec_ids_with_white_space_are_encoded_and_named_and_read_back(tmp_path):
    losses = TrecExport(str(tmp_path)).write(labelled())
    source = TrecGolden(str(tmp_path / "topics.tsv"), str(tmp_path / "qrels.txt"), encoded=True)
    back = source.load(CORPUS)
    assert [(q.id, q.text, q.expected) for q in back] == [
        ("q 1", "How many?", ("a",)),
        ("no", "Any of two?", ("a", "100%")),
        ("1e3", "A quote?", ("a",)),
    ]
    assert back.questions[0].grades == {"a": 2, "b c": 0}
    held = "as TREC ids hold no white space"
    assert f"question ids encoded, {held}: 1 ('q 1' as q%201)" in losses
    assert f"document ids encoded, {held}: 2 ('b c' as b%20c, '100%' as 100%25)" in losses
    assert "left out, answerable: false: 1 question (zip)" in losses


def test_ragas_keeps_texts_documents_and_gists(tmp_path):
    path = str(tmp_path / "r.jsonl")
    losses = RagasExport(path).write(labelled(*QUESTIONS[1:]))
    back = RagasGolden(path).load(CORPUS)
    assert [q.text for q in back] == ["Any of two?", "A quote?"]
    assert back.questions[0].supporting == ((Reference("a"),),)
    assert back.questions[1].supporting == ((Reference("a", quote="Thirty days."),),)
    assert back.questions[0].gist == "g"
    assert "not kept, the choice between evidence: 1 question (no)" in losses
    assert "not kept, ids of questions: they become q1, q2, …" in losses


def test_llama_index_keeps_documents_and_targets(tmp_path):
    path = str(tmp_path / "l.json")
    losses = LlamaIndexExport(path).write(labelled())
    corpus = LlamaIndexCorpus(path).load()
    assert [(d.id, d.text) for d in corpus] == [(d.id, d.text) for d in CORPUS]
    back = LlamaIndexGolden(path).load(corpus)
    assert [q.expected for q in back] == [("a",), ("a", "100%"), ("a",)]
    assert json.loads(Path(path).read_text(encoding="utf-8"))["mode"] == "text"
    assert losses[-1].startswith("not kept, who may see a document: 1 documents")


def test_autorag_keeps_all_of_and_any_of(tmp_path):
    losses = AutoragExport(str(tmp_path)).write(labelled())
    corpus = AutoragCorpus(str(tmp_path)).load()
    assert [(d.id, d.text) for d in corpus] == [(d.id, d.text) for d in CORPUS]
    first, second, third = AutoragGolden(str(tmp_path)).load(corpus).questions
    assert first.supporting == ((Reference("a"), Reference("b c")), (Reference("100%"),))
    assert (second.expected, third.expected) == (("a", "100%"), ("a",))
    assert first.gist == "thirty: «30»"
    assert "not kept, places in documents: 2 questions (q 1, 1e3)" in losses


def test_squad_keeps_spans_and_silence(tmp_path):
    path = str(tmp_path / "s.json")
    losses = SquadExport(path).write(labelled(*QUESTIONS[1:]))
    corpus = SquadCorpus(path).load()
    assert [(d.id, d.text) for d in corpus] == [(d.id, d.text) for d in CORPUS]
    back = {question.id: question for question in SquadGolden(path).load(corpus)}
    assert back["1e3"].supporting == ((Reference("a", span=(5, 17)),),)
    assert back["no"].supporting == ((Reference("a"),),)
    assert back["zip"].answerable is Answerable.NO
    assert "den" not in back
    assert "left out, answerable: denied: 1 question (den)" in losses
    assert "not kept, the choice between evidence: 1 question (no)" in losses


def test_a_format_that_can_hold_no_question_is_refused(tmp_path):
    with pytest.raises(InputError, match="the format can hold none of its questions"):
        TrecExport(str(tmp_path)).write(labelled(QUESTIONS[3]))


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written"):
        AdrExport(str(tmp_path / "file" / "a.json")).write(labelled())


@pytest.mark.realdata
def test_the_ids_of_climate_fever_are_encoded_named_and_read_back(realdata, tmp_path):
    source = str(realdata / "climate_fever_sentences")
    corpus = BeirCorpus(source).load()
    golden = BeirGolden(source).load(corpus)
    losses = TrecExport(str(tmp_path)).write(
        Labelled(golden, resolve(golden, corpus), corpus, PublicOnly())
    )
    assert any(line.startswith("document ids encoded") and "%20" in line for line in losses)
    back = TrecGolden(str(tmp_path / "topics.tsv"), str(tmp_path / "qrels.txt"), encoded=True).load(
        corpus
    )
    kept = [q for q in golden if q.answerable is Answerable.YES]
    assert len(golden) - len(kept) == 474
    assert "left out, answerable: false: 474 questions" in losses[0]
    assert [(q.id, q.text, q.expected, q.grades) for q in back] == [
        (q.id, " ".join(q.text.split()), q.expected, q.grades) for q in kept
    ]

"""Public collections and test sets as they are found: their files, names and habits."""

import gzip
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.formats.beir.corpus import BeirCorpus
from rageval.formats.cells import structured
from rageval.formats.deepeval.golden import DeepEvalGolden
from rageval.formats.ragas.golden import RagasGolden
from rageval.formats.trec.qrels import read_qrels
from rageval.golden.question import Reference

LEAVE = "# Leave\n\nThirty days a year.\n\n| Plan | Price |\n| --- | --- |\n| Pro | 20 |\n"
CORPUS = Corpus((Document("leave", LEAVE), Document("pay", "# Pay\n\nTwenty | day.\n")), "test")


def loaded(typed, folder, *words):
    """Return the questions that a command reads, as our own format has them."""
    said = typed("check", *words, "export=canonical", "export.path=out.json")
    assert said.code == 0, said
    return json.loads((folder / "out.json").read_text())["questions"]


def jsonl(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "\n".join(map(json.dumps, rows)).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


# Ragas and DeepEval in CSV


def test_ragas_csv_is_read_as_pandas_writes_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        ",user_input,reference_contexts,reference,synthesizer_name\n"
        "0,Days?,['Thirty days a year.'],30,s\n"
        "1,Both?,\"['Thirty days a year.'\n 'Twenty | day.']\",x,s\n"
    )
    first, second = RagasGolden(str(path)).load(CORPUS)
    assert first.supporting == ((Reference("leave", quote="Thirty days a year."),),)
    assert [need[0].document for need in second.supporting] == ["leave", "pay"]


def test_names_of_ragas_0_1_are_read_in_csv_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "question,contexts,ground_truth,metadata,episode_done\n"
        "Days?,['Thirty days a year.'],30,[{'source': 'leave.md'}],True\n"
    )
    (question,) = RagasGolden(str(path)).load(CORPUS)
    assert (question.text, question.gist) == ("Days?", "30")


HEAD = "input,actual_output,expected_output,context,retrieval_context,source_file\n"


def deepeval(tmp_path, row):
    path = tmp_path / "g.csv"
    path.write_text(HEAD + row + "\n")
    return DeepEvalGolden(str(path)).load(CORPUS)


def test_deepevals_joined_texts_are_cut_where_the_corpus_holds_them_and_that_is_said(tmp_path):
    found = deepeval(tmp_path, "Pro?,,20,| Pro | 20 ||Thirty days a year.,,leave.md")
    quotes = [need[0].quote for need in found.questions[0].supporting]
    assert quotes == ["| Pro | 20 |", "Thirty days a year."]
    assert found.notes == ("context cut at '|' where the corpus holds every part: 1 row",)


def test_a_text_that_holds_the_separator_itself_is_not_cut(tmp_path):
    found = deepeval(tmp_path, "Pay?,,20,Twenty | day.,,")
    assert found.questions[0].supporting == ((Reference("pay", quote="Twenty | day."),),)
    assert found.notes == ()


def test_joined_texts_that_the_corpus_does_not_hold_are_refused_with_the_way_out(tmp_path):
    with pytest.raises(InputError, match=r"in no way into texts.*save the goldens as JSON"):
        deepeval(tmp_path, "Pro?,,20,Twenty|gone,,leave.md")


def test_a_golden_without_context_is_known_by_its_source(tmp_path):
    assert deepeval(tmp_path, "Pro?,,20,,,md/leave.md").questions[0].expected == ("leave",)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a' 'b']", ["a", "b"]),
        ("[]", []),
        ("[unclosed", "[unclosed"),
        ("[a, b]", "[a, b]"),
        ("plain", "plain"),
    ],
)
def test_a_cell_is_a_list_only_if_it_is_one(cell, value):
    assert structured(cell) == value


# BEIR as it is found


def test_a_beir_folder_in_a_zip_file_with_its_own_names_and_numbers_is_read(typed, tmp_path):
    jsonl(tmp_path / "set" / "corpus.jsonl", {"id": 1, "contents": "Bees."}, {"id": 2, "text": "X"})
    jsonl(tmp_path / "set" / "queries.jsonl", {"query_id": 7, "text": "bees?"})
    (tmp_path / "set" / "qrels").mkdir()
    (tmp_path / "set" / "qrels" / "test.tsv").write_text("query_id\tdoc_id\trelevance\n7\t1\t1\n")
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as packed:
        for path in (tmp_path / "set").rglob("*.*"):
            packed.write(path, path.relative_to(tmp_path))
    (question,) = loaded(typed, tmp_path, "dataset=beir", "dataset.path=set.zip")
    assert (question["id"], question["expected"]) == ("7", ["1"])


def test_what_is_no_zip_file_is_a_sentence(tmp_path):
    (tmp_path / "x.zip").write_text("no")
    with pytest.raises(InputError, match="cannot be read as zip"):
        BeirCorpus(str(tmp_path / "x.zip")).load()


def test_trec_judgements_may_be_laid_out_as_beirs(tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n")
    found = read_qrels(path)
    assert (found.queries, found.documents, found.grade.tolist()) == (("q1",), ("d1", "d2"), [2, 0])
    assert found.line.tolist() == [2, 3]


def test_ms_marco_is_read_from_its_tables(typed, tmp_path):
    (tmp_path / "collection.tsv").write_text("0\tBees are warm.\n1\tBoats float.\n")
    (tmp_path / "queries.tsv").write_text("9\twarm bees\n")
    (tmp_path / "qrels.tsv").write_text("9\t0\t0\t1\n")
    (question,) = loaded(
        typed, tmp_path, "dataset=msmarco", "dataset.path=.", "dataset.questions=queries.tsv",
        "dataset.qrels=qrels.tsv",
    )  # fmt: skip
    assert (question["question"], question["expected"]) == ("warm bees", ["0"])


def test_miracl_is_read_from_its_packed_parts(typed, tmp_path):
    jsonl(tmp_path / "c" / "docs-0.jsonl.gz", {"docid": "1#0", "title": "Nyuki", "text": "Asali."})
    jsonl(tmp_path / "c" / "docs-1.jsonl.gz", {"docid": "2#0", "title": "Boti", "text": "Bahari."})
    (tmp_path / "topics.tsv").write_text("5\tasali ni nini\n")
    (tmp_path / "qrels.tsv").write_text("5\tQ0\t1#0\t1\n5\tQ0\t2#0\t0\n")
    (question,) = loaded(
        typed, tmp_path, "dataset=miracl", "dataset.path=c", "dataset.questions=topics.tsv",
        "dataset.qrels=qrels.tsv",
    )  # fmt: skip
    assert (question["expected"], question["grades"]) == (["1#0"], {"1#0": 1, "2#0": 0})


def test_mt_rag_is_read_with_its_conversations_as_ids(typed, tmp_path):
    jsonl(tmp_path / "clapnq.jsonl", {"_id": "p1", "text": "Bees.", "title": "T"})
    jsonl(tmp_path / "turns.jsonl", {"_id": "c<::>1", "text": "|user|: bees?"})
    (tmp_path / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nc<::>1\tp1\t1\n")
    (question,) = loaded(
        typed, tmp_path, "dataset=mtrag", "dataset.path=clapnq.jsonl",
        "dataset.questions=turns.jsonl", "dataset.qrels=dev.tsv",
    )  # fmt: skip
    assert (question["id"], question["expected"]) == ("c<::>1", ["p1"])


# Questions with their own passages

HOTPOT = {
    "_id": "h1", "question": "who?", "answer": "x", "type": "bridge", "level": "hard",
    "supporting_facts": [["A", 0], ["B", 1], ["A", 1]],
    "context": [["A", ["One. ", "Two."]], ["B", ["Three."]], ["C", ["Four."]]],
}  # fmt: skip
HUB = {
    **{key: HOTPOT[key] for key in ("question", "answer", "type", "level")}, "id": "h1",
    "supporting_facts": {"title": ["A", "B", "A"], "sent_id": [0, 1, 1]},
    "context": {"title": ["A", "B", "C"], "sentences": [["One. ", "Two."], ["Three."], ["Four."]]},
}  # fmt: skip


@pytest.mark.parametrize("row", [HOTPOT, HUB])
def test_hotpotqa_needs_both_pages(typed, tmp_path, row):
    (tmp_path / "h.json").write_text(json.dumps([row]))
    (question,) = loaded(typed, tmp_path, "dataset=hotpotqa", "dataset.path=h.json")
    assert [need["document"] for need in question["supporting"]] == ["A", "B"]
    assert (question["id"], question["tags"], question["hard_class"]) == ("h1", ["bridge"], "hard")


def test_musique_knows_paragraphs_of_one_title_apart_and_what_nothing_answers(typed, tmp_path):
    paragraphs = [
        {"idx": 0, "title": "A", "paragraph_text": "One.", "is_supporting": True},
        {"idx": 1, "title": "A", "paragraph_text": "Two.", "is_supporting": False},
    ]
    jsonl(
        tmp_path / "m.jsonl",
        {"id": "m1", "question": "a?", "answerable": True, "paragraphs": paragraphs},
        {"id": "m2", "question": "b?", "answerable": False, "paragraphs": paragraphs},
    )
    first, second = loaded(typed, tmp_path, "dataset=musique", "dataset.path=m.jsonl")
    assert len(first["supporting"]) == 1
    assert first["supporting"][0]["document"].startswith("A ")
    assert second["answerable"] is False


def test_squad_rows_of_the_hub_are_exact_spans(typed, tmp_path):
    rows = [
        {"id": "s1", "title": "T", "context": "Bees are warm.", "question": "how?",
         "answers": {"text": ["warm"], "answer_start": [9]}},
        {"id": "s2", "title": "T", "context": "Bees are warm.", "question": "why?",
         "answers": {"text": [], "answer_start": []}},
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "s.parquet")
    first, second = loaded(typed, tmp_path, "dataset=squad_rows", "dataset.path=s.parquet")
    assert first["supporting"][0]["span"] == [9, 13]
    assert second["answerable"] is False


def test_the_document_that_the_query_is_itself_is_left_out_where_that_is_asked(typed, tmp_path):
    jsonl(
        tmp_path / "corpus.jsonl",
        {"_id": "a", "text": "bees keep warm in winter"},
        {"_id": "b", "text": "bees are warm"},
        {"_id": "c", "text": "boats float"},
    )
    jsonl(tmp_path / "queries.jsonl", {"_id": "a", "text": "bees keep warm in winter"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\tb\t1\n")
    words = ("+retriever=bm25", "dataset=beir", "dataset.path=.", "chunking=whole",
             "dataset.name=args", "tracking=off", "latency.sample=0")  # fmt: skip
    hits = [
        next(line.split()[2] for line in said.out.splitlines() if line.startswith("all "))
        for said in (typed(*words), typed(*words, "dataset.exclude_self=true"))
    ]
    assert hits == ["0.00", "1.00"]

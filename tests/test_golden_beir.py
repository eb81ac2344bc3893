import json
from pathlib import Path

import pytest

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.formats.beir.corpus import BeirCorpus
from rageval.formats.beir.golden import BeirGolden
from rageval.golden.question import Answerable

CORPUS = Corpus(tuple(Document(name, "x") for name in ("a", "b", "q1", "c d:1")), "test")
HEADER = "query-id\tcorpus-id\tscore\n"


def write(folder: Path, queries: list, qrels: str) -> str:
    (folder / "qrels").mkdir()
    lines = [q if isinstance(q, str) else json.dumps(q) for q in queries]
    (folder / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8", newline="")
    return str(folder)


def query(name: str, **metadata) -> dict:
    return {"_id": name, "text": f"text of {name}", "metadata": metadata}


def faults(path: str, **options) -> list[str]:
    with pytest.raises(InputError) as error:
        BeirGolden(path, **options).load(CORPUS)
    return str(error.value).replace(f"{path}/", "").splitlines()


def test_positive_grades_are_expected_and_all_rows_are_grades(tmp_path):
    rows = HEADER + "q1\ta\t2\nq1\tb\t-1\nq1\tc d:1\t1\n"
    golden = BeirGolden(write(tmp_path, [query("q1")], rows)).load(CORPUS)
    (question,) = golden
    assert question.text == "text of q1"
    assert question.expected == ("a", "c d:1")
    assert question.supporting == ()
    assert question.grades == {"a": 2, "b": -1, "c d:1": 1}
    assert question.where == f"{tmp_path}/queries.jsonl:1"


def test_each_relevant_document_is_needed_when_all_are(tmp_path):
    path = write(tmp_path, [query("q1")], HEADER + "q1\ta\t1\nq1\tb\t1\n")
    (question,) = BeirGolden(path, relevance="all").load(CORPUS)
    assert [[str(ref) for ref in need] for need in question.supporting] == [["a"], ["b"]]
    assert question.targets == ("a", "b")


def test_a_document_id_equal_to_the_question_id_is_kept(tmp_path):
    path = write(tmp_path, [query("q1")], HEADER + "q1\tq1\t1\n")
    assert BeirGolden(path).load(CORPUS).questions[0].expected == ("q1",)


def test_crlf_is_accepted(tmp_path):
    path = write(tmp_path, [query("q1")], (HEADER + "q1\ta\t1\n").replace("\n", "\r\n"))
    assert BeirGolden(path).load(CORPUS).questions[0].expected == ("a",)


def test_queries_without_a_positive_grade_are_left_out_and_counted(tmp_path):
    queries = [query(name) for name in ("q1", "q2", "q3", "q4")]
    path = write(tmp_path, queries, HEADER + "q1\ta\t1\nq2\ta\t0\nq2\tb\t-1\n")
    golden = BeirGolden(path).load(CORPUS)
    assert [q.id for q in golden] == ["q1"]
    assert golden.notes == (
        "left out, as no document is judged for them: 2 of 4 queries",
        "left out, as no document has a grade above 0: 1 of 4 queries",
    )


def test_queries_with_zero_grades_can_be_read_as_unanswerable(tmp_path):
    queries = [query("q1"), query("q2"), query("q3")]
    path = write(tmp_path, queries, HEADER + "q1\ta\t1\nq2\ta\t0\n")
    golden = BeirGolden(path, zero_grades="unanswerable").load(CORPUS)
    assert [(q.id, q.answerable) for q in golden] == [
        ("q1", Answerable.YES),
        ("q2", Answerable.NO),
    ]
    assert golden.questions[1].grades == {"a": 0}
    assert golden.notes == ("left out, as no document is judged for them: 1 of 3 queries",)


def test_metadata_marks_unanswerable_and_denied_queries_and_the_asker(tmp_path):
    queries = [
        query("q1", who="maria"),
        query("q2", unanswerable=True),
        query("q3", who="tom", forbidden_sources=["a"]),
        query("q4", unanswerable=False),
    ]
    path = write(tmp_path, queries, HEADER + "q1\ta\t1\n")
    golden = BeirGolden(path, asker_key="who").load(CORPUS)
    assert [(q.id, q.answerable, q.asker, q.forbidden) for q in golden] == [
        ("q1", Answerable.YES, "maria", ()),
        ("q2", Answerable.NO, None, ()),
        ("q3", Answerable.DENIED, "tom", ("a",)),
    ]


def test_an_unanswerable_query_with_a_relevant_document_is_refused(tmp_path):
    path = write(tmp_path, [query("q1", unanswerable=True)], HEADER + "q1\ta\t1\n")
    assert faults(path) == [
        "queries.jsonl:1: question 'q1': answerable is false, but 'a' is to be found"
    ]


def test_all_faults_of_both_files_are_told_at_once(tmp_path):
    queries = [
        query("q1"),
        {"_id": True, "text": "x"},
        query("q1"),
        {"_id": "q3", "text": " "},
        {"_id": "q4"},
        query("q5", unanswerable="yes", forbidden_sources="a"),
        "{",
    ]
    rows = HEADER + "q1\ta\t1\nq1\ta\t2\nq1\taa\t1\nqq1\ta\t1\nq1\tb\t1.5\nq1 b\n"
    assert faults(write(tmp_path, queries, rows)) == [
        "queries.jsonl:2: _id is True, text in quotes is needed",
        "queries.jsonl:3: query id 'q1' is taken by line 1",
        "queries.jsonl:4: text is empty or blank",
        "queries.jsonl:5: the key 'text' is missing",
        "queries.jsonl:6: metadata 'unanswerable' is 'yes', true or false is needed",
        "queries.jsonl:6: metadata 'forbidden_sources' is 'a', a list of document ids is needed",
        "queries.jsonl:7: not a JSON object: "
        "Expecting property name enclosed in double quotes at column 2",
        "qrels/test.tsv:3: query 'q1' has document 'a' a second time",
        "qrels/test.tsv:4: question 'q1': document 'aa' is not in the corpus, did you mean 'a'?",
        "qrels/test.tsv:5: query 'qq1' is not among the queries, did you mean 'q1'?",
        "qrels/test.tsv:6: score is '1.5', a whole number is needed",
        "qrels/test.tsv:7: 2 fields, query, document and score are needed with tabs or spaces "
        "between",
    ]


def test_a_file_without_a_header_loses_no_row(tmp_path):
    path = write(tmp_path, [query("q1")], "q1\ta\t1\nq1\tb\t1\n")
    (question,) = BeirGolden(path).load(CORPUS)
    assert question.grades == {"a": 1, "b": 1}


def test_judgements_of_what_is_not_there_are_left_out_and_counted_on_request(tmp_path):
    rows = HEADER + "q1\ta\t1\nq1\tgone\t1\nq9\ta\t1\n"
    path = write(tmp_path, [query("q1")], rows)
    assert len(faults(path)) == 2
    golden = BeirGolden(path, dangling="drop").load(CORPUS)
    assert [question.grades for question in golden] == [{"a": 1}]
    assert golden.notes == ("left out, as the query or the document is not there: 2 judgements",)


def test_a_missing_qrels_file_is_a_sentence(tmp_path):
    path = write(tmp_path, [query("q1")], HEADER)
    assert faults(path, qrels="dev") == ["qrels/dev.tsv: there is no such file"]


def test_a_set_without_any_relevant_document_is_refused(tmp_path):
    path = write(tmp_path, [query("q1")], HEADER + "q1\ta\t0\n")
    assert faults(path) == ["qrels/test.tsv: no query has a document with a grade above 0"]


def test_the_set_is_named_after_the_folder_unless_it_is_named(tmp_path):
    folder = tmp_path / "My Set-2"
    folder.mkdir()
    path = write(folder, [query("q1")], HEADER + "q1\ta\t1\n")
    assert BeirGolden(path).load(CORPUS).name == "my_set_2"
    assert BeirGolden(path, name="other.name").load(CORPUS).name == "other.name"
    with pytest.raises(InputError, match="cannot name a set"):
        BeirGolden(path, name="Other").load(CORPUS)


def collection(realdata: Path, name: str, **options):
    corpus = BeirCorpus(str(realdata / name)).load()
    return corpus, BeirGolden(str(realdata / name), **options).load(corpus)


@pytest.mark.realdata
@pytest.mark.parametrize(  # documents, questions, judgements as the collections' notes count them
    ("name", "documents", "questions", "rows"),
    [
        ("anthropic_docs", 232, 100, 192),
        ("chroma_chunking", 1414, 472, 562),
        ("climate_fever_sentences", 5240, 1535, 7675),
        ("cranfield", 1400, 225, 1837),
        ("hotpotqa_sample", 994, 100, 200),
        ("scifact", 5183, 300, 339),
        ("squad2_dev_half", 646, 6078, 2910),
        ("xquad/de", 240, 1190, 1190),
        ("xquad/en", 240, 1190, 1190),
    ],
)
def test_a_public_collection_loads_in_full(realdata, name, documents, questions, rows):
    corpus, golden = collection(realdata, name)
    judged = sum(len(question.grades) for question in golden)
    assert (len(corpus), len(golden), judged) == (documents, questions, rows)
    assert golden.notes == ()


@pytest.mark.realdata
def test_cranfield_takes_its_grades_from_test_and_not_from_raw_codes(realdata):
    _, golden = collection(realdata, "cranfield")
    grades = [grade for question in golden for grade in question.grades.values()]
    assert {g: grades.count(g) for g in set(grades)} == {-1: 225, 1: 363, 2: 734, 3: 387, 4: 128}


@pytest.mark.realdata
def test_squad_holds_3168_questions_that_nothing_answers(realdata):
    _, golden = collection(realdata, "squad2_dev_half")
    assert sum(question.answerable is Answerable.NO for question in golden) == 3168


@pytest.mark.realdata
def test_climate_fever_has_474_claims_with_zero_grades_only(realdata):
    _, marked = collection(realdata, "climate_fever_sentences")
    assert sum(question.answerable is Answerable.NO for question in marked) == 474
    _, unmarked = collection(realdata, "climate_fever_sentences", unanswerable_key=None)
    assert len(unmarked) == 1535 - 474
    assert unmarked.notes == ("left out, as no document has a grade above 0: 474 of 1535 queries",)


@pytest.mark.realdata
def test_scifact_has_a_training_part(realdata):
    _, golden = collection(realdata, "scifact", qrels="train", queries="queries_train.jsonl")
    assert (len(golden), sum(len(question.grades) for question in golden)) == (809, 919)


@pytest.mark.realdata
def test_judgeguard_has_two_denied_questions(realdata):
    path = str(realdata / "judgeguard_acl")
    corpus = BeirCorpus(path, groups_key="acl").load()
    golden = BeirGolden(path, asker_key="principal").load(corpus)
    denied = [q for q in golden if q.answerable is Answerable.DENIED]
    assert [(q.id, q.asker, q.forbidden) for q in denied] == [
        ("acl-salary-denied", "analyst", ("doc-salary-bands",)),
        ("acl-legal-denied", "analyst", ("doc-litigation-hold",)),
    ]
    assert len(golden) == 9
    assert corpus[corpus.number["doc-salary-bands"]].groups == {"hr"}


@pytest.mark.realdata
def test_onboardiq_is_refused_for_the_heading_that_was_renamed(realdata):
    with pytest.raises(InputError) as error:
        collection(realdata, "onboardiq_scopes")
    (line,) = str(error.value).splitlines()
    assert line.endswith(
        "document 'welcome.md#Sensitive Data' is not in the corpus, "
        "did you mean 'welcome.md#Working with Sensitive Data'?"
    )


def test_a_query_id_and_an_asker_that_cannot_be_names_are_refused(tmp_path):
    queries = [query("q\x1b1", who="t\nom")]
    path = write(tmp_path, queries, HEADER + "q\x1b1\ta\t1\n")
    found = faults(path, asker_key="who")
    assert [line.split(": ", 2)[2] for line in found] == [
        r"the id 'q\x1b1' holds the control character '\x1b'",
        r"the asker 't\nom' holds the control character '\n'",
    ]


@pytest.mark.parametrize(
    "rows",
    [HEADER + "q1\ta\t1.0\n", "query_id\tdoc_id\trelevance\nq1\ta\t1\n",
     "query-id corpus-id score\nq1 a 1\n"],
)  # fmt: skip
def test_qrels_are_read_as_collections_are_found(rows, tmp_path):
    (question,) = BeirGolden(write(tmp_path, [query("q1")], rows)).load(CORPUS)
    assert question.grades == {"a": 1}

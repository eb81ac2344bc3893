"""Golden sets of any shape: what a mapping reads, what is proposed, what is refused."""

import gzip
import json
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError, ProposalError
from rageval.formats.mapped.golden import MappedGolden
from rageval.formats.mapped.mapping import GoldenMapping
from rageval.golden.question import Answerable, Reference

LEAVE = (
    "# Leave\n\n## Paid\n\nThirty days a year.\n\n## Sick leave\n\nA note is due on day three.\n"
)
CORPUS = Corpus(
    (
        Document("leave", LEAVE),
        Document("hr/travel", "# Travel\n\nTwenty euros a day.\n"),
        Document("hr/index", "# People\n\nWho we are at work.\n"),
        Document("bikes", "# Company bikes\n\nBook one at the front desk.\n"),
    ),
    "test",
)
ROWS = [
    {"query": "days off?", "docs": ["leave.md"], "why": "x"},
    {"query": "daily money?", "docs": "site/hr/travel.md", "traps": ["leave"]},
]
FIELDS = {"question": "query", "expected": "docs", "distractors": "traps"}


def saved(path, content):
    if path.suffix == ".jsonl":
        content = "\n".join(map(json.dumps, content))
    elif not isinstance(content, str):
        content = json.dumps(content)
    path.write_text(content)
    return path


def read(path, **fields):
    return MappedGolden(str(path), GoldenMapping(**fields)).load(CORPUS)


def refused(path, **fields):
    with pytest.raises(InputError) as caught:
        read(path, **fields)
    return str(caught.value).replace(f"{Path(path).parent}/", "").splitlines()


def proposed(path):
    """Return what is proposed for a file, and the golden set that it reads."""
    with pytest.raises(ProposalError) as caught:
        read(path)
    words = caught.value.words
    assert all(word.startswith("dataset.mapping.") for word in words)
    return [word.removeprefix("dataset.mapping.") for word in words]


def test_rows_are_read_by_the_names_of_their_keys(tmp_path):
    first, second = read(saved(tmp_path / "g.jsonl", ROWS), **FIELDS)
    assert (first.text, first.expected) == ("days off?", ("leave",))
    assert (second.text, second.expected) == ("daily money?", ("hr/travel",))
    assert second.distractors == (Reference("leave"),)
    assert second.where.endswith("g.jsonl:2")


@pytest.mark.parametrize("name", ["g.json", "g.yaml", "g.jsonl.gz", "g.parquet", "g.xlsx", "g.csv"])
def test_every_kind_of_file_gives_the_same_questions(tmp_path, name):
    path = tmp_path / name
    rows = [{"query": r["query"], "docs": r["docs"] if isinstance(r["docs"], str) else r["docs"][0]}
            for r in ROWS]  # fmt: skip
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    elif name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif name.endswith(".xlsx"):
        openpyxl = pytest.importorskip("openpyxl", reason="extra: excel")
        book = openpyxl.Workbook()
        for row in [list(rows[0]), *(list(row.values()) for row in rows)]:
            book.active.append(row)
        book.save(path)
    elif name.endswith(".csv"):
        path.write_text("query;docs\ndays off?;leave.md\ndaily money?;site/hr/travel.md\n")
    else:
        saved(path, rows)
    found = read(path, question="query", expected="docs")
    assert [q.expected for q in found] == [("leave",), ("hr/travel",)]
    assert [q.text for q in found] == ["days off?", "daily money?"]


def test_an_id_that_is_missing_is_made_of_the_text_and_stays_when_rows_move(tmp_path):
    before = read(saved(tmp_path / "a.jsonl", ROWS), **FIELDS)
    after = read(saved(tmp_path / "b.jsonl", ROWS[::-1]), **FIELDS)
    assert {q.id: q.text for q in before} == {q.id: q.text for q in after}
    assert len({q.id for q in before}) == 2


def test_equal_texts_without_ids_are_told_apart(tmp_path):
    first, second, third = read(saved(tmp_path / "a.jsonl", [ROWS[0]] * 3), **FIELDS)
    assert (second.id, third.id) == (f"{first.id}.2", f"{first.id}.3")


def test_numbers_are_read_as_the_text_they_are(tmp_path):
    rows = [{"n": 7, "query": "days?", "docs": "leave"}]
    (question,) = read(saved(tmp_path / "g.json", rows), id="n", **FIELDS)
    assert question.id == "7"


def test_evidence_names_headings_texts_characters_and_pages(tmp_path):
    rows = [
        {"q": "a", "at": [{"source": "docs/leave.md", "heading": "Sick leave"}]},
        {"q": "b", "at": [{"source": "leave", "quote": "A note  is\ndue"}]},
        {"q": "c", "at": [{"source": "leave", "from": 0, "to": 7}]},
        {"q": "d", "at": [{"source": "leave", "page": 4}]},
        {"q": "e", "at": [{"quote": "Twenty euros a day."}]},
    ]
    at = {"items": "at", "document": "source", "heading": "heading", "text": "quote",
          "start": "from", "end": "to", "page": "page"}  # fmt: skip
    found = read(saved(tmp_path / "g.json", rows), question="q", evidence=at)
    assert [q.supporting for q in found] == [
        ((Reference("leave", ("Sick leave",)),),),
        ((Reference("leave", quote="A note is due"),),),
        ((Reference("leave", span=(0, 7)),),),
        ((Reference("leave", ("Page 4",)),),),
        ((Reference("hr/travel", quote="Twenty euros a day."),),),
    ]
    assert "1 label text was matched up to white space" in found.notes


def test_evidence_of_which_any_is_enough_is_one_requirement(tmp_path):
    rows = [{"q": "a", "at": ["leave", "bikes"]}]
    (found,) = read(saved(tmp_path / "g.json", rows), question="q",
                    evidence={"items": "at", "match": "any"})  # fmt: skip
    assert found.supporting == ((Reference("leave"), Reference("bikes")),)


def test_grades_are_a_mapping_or_a_list_and_zero_is_judged_but_not_expected(tmp_path):
    rows = [
        {"q": "a", "rel": {"hr/travel": 3, "leave": 0}},
        {"q": "b", "rel": [{"doc": "bikes.md", "gain": 2}]},
    ]
    first, second = read(
        saved(tmp_path / "g.json", {"items": rows}),
        rows="items", question="q", grades={"items": "rel", "document": "doc", "grade": "gain"},
    )  # fmt: skip
    assert (first.expected, dict(first.grades)) == (("hr/travel",), {"hr/travel": 3, "leave": 0})
    assert (second.expected, dict(second.grades)) == (("bikes",), {"bikes": 2})


def test_fractions_need_a_threshold_which_is_said(tmp_path):
    path = saved(tmp_path / "g.json", [{"q": "a", "rel": {"leave": 0.6, "bikes": 0.4}}])
    (line,) = refused(path, question="q", grades={"items": "rel"})
    assert line.startswith("g.json:1: row 1: the grade is 0.6, a whole number is needed")
    found = read(path, question="q", grades={"items": "rel", "threshold": 0.5})
    assert dict(found.questions[0].grades) == {"leave": 1, "bikes": 0}
    assert "2 grades are fractions; a document is relevant from 0.5" in found.notes


def test_a_flag_says_that_nothing_answers(tmp_path):
    rows = [
        {"q": "a", "src": "leave", "no": False},
        {"q": "b", "src": None, "no": True},
        {"q": "c", "src": "", "no": "yes"},
    ]
    found = read(saved(tmp_path / "g.json", rows), question="q", expected="src", unanswerable="no")
    assert [q.answerable for q in found] == [Answerable.YES, Answerable.NO, Answerable.NO]


def test_names_of_documents_are_changed_by_named_rules(tmp_path):
    rows = "q,src\na,data/leave.pdf|data/B7.pdf\n"
    found = read(
        saved(tmp_path / "g.csv", rows), question="q", expected="src",
        documents={"separator": "|", "strip_prefix": "data/", "strip_suffix": ".pdf",
                   "values": {"data/B7.pdf": "bikes"}},
    )  # fmt: skip
    assert found.questions[0].expected == ("leave", "bikes")


def test_expressions_have_functions_that_reshape(tmp_path):
    content = {"queries": {"a1": "days?", "a2": "money?"}, "right": {"a1": ["leave"], "a2": "x"}}
    found = read(
        saved(tmp_path / "g.json", content),
        rows="by_id({question: queries, expected: right})", question="question", id="id",
        expected="map_values(expected, {x: 'bikes'})",
    )  # fmt: skip
    assert [(q.id, q.expected) for q in found] == [("a1", ("leave",)), ("a2", ("bikes",))]


def test_rows_of_one_id_are_joined_where_that_is_asked(tmp_path):
    rows = "qid,q,doc,rating\n1,days?,leave,2\n1,days?,bikes,0\n2,money?,hr/travel,1\n"
    path = saved(tmp_path / "g.csv", rows)
    fields = {"question": "q", "id": "qid",
              "grades": {"items": "[@]", "document": "doc", "grade": "rating"}}  # fmt: skip
    first, second = read(path, repeated="join", **fields)
    assert (dict(first.grades), first.expected) == ({"leave": 2, "bikes": 0}, ("leave",))
    assert second.expected == ("hr/travel",)
    told = refused(path, **fields)
    assert told[0].startswith("g.csv:3: row 2: the id '1' is taken by line 2; if rows of one id")


def test_rows_without_a_label_are_refused_left_out_or_unanswerable(tmp_path):
    path = saved(tmp_path / "g.json", [{"q": "a", "src": "leave"}, {"q": "b"}])
    assert "nothing is expected or supporting" in refused(path, question="q", expected="src")[0]
    kept = read(path, question="q", expected="src", unlabelled="leave_out")
    assert (len(kept), "left out, as no label is given: 1 of 2 questions" in kept.notes) == (
        1,
        True,
    )
    silent = read(path, question="q", expected="src", unlabelled="unanswerable")
    assert silent.questions[1].answerable is Answerable.NO


def test_keys_that_are_not_read_are_named_once_with_the_number_of_rows(tmp_path):
    rows = [{**ROWS[0], "query": f"{n}?"} for n in range(100)]
    notes = read(saved(tmp_path / "g.jsonl", rows), **FIELDS).notes
    assert notes == ("keys that are not read, with the number of rows: why (100)",)


def test_a_fault_that_repeats_is_told_once_with_the_number_of_rows(tmp_path):
    rows = [{"query": f"{n}?", "docs": "gone.md"} for n in range(100)]
    assert refused(saved(tmp_path / "g.jsonl", rows), **FIELDS) == [
        "g.jsonl:1: the source 'gone.md' names no document of the corpus "
        "(100 times, on lines 1, 2, 3, 4, 5, …)"
    ]


def test_a_file_of_answers_alone_is_refused_with_that_reason(tmp_path):
    path = saved(tmp_path / "g.jsonl", [{"question": "days?", "answer": "30", "category": "x"}])
    (line,) = refused(path)
    assert "it holds questions, but no value beside them names a document" in line
    (line,) = refused(path, question="question", expected="sources")
    assert "no row names a document, a heading or a text that should be found" in line


def test_an_expression_that_is_none_is_refused_with_the_keys(tmp_path):
    path = saved(tmp_path / "g.jsonl", ROWS)
    assert "is no key and no JMESPath" in refused(path, question="query[", expected="docs")[0]
    assert "there is no question at 'nope'; its keys are: query, docs" in " ".join(
        refused(path, question="nope", expected="docs")
    )


def test_an_unknown_key_of_a_mapping_is_refused():
    with pytest.raises(ValidationError):
        MappedGolden("g.json", {"questoin": "q"})


@pytest.mark.parametrize(
    ("source", "document"),
    [
        ("leave.md", "leave"),
        ("docs/en/leave.md", "leave"),
        ("travel", "hr/travel"),
        ("docs\\hr\\travel.md", "hr/travel"),
        ("https://docs.example.org/hr/travel/#meals", "hr/travel"),
        ("https://docs.example.org/hr/", "hr/index"),
        ("Leave.MD", "leave"),
        ("Company bikes", "bikes"),
        ("Tra_vel.pdf", "hr/travel"),
    ],
)
def test_a_document_is_named_by_path_file_or_address(tmp_path, source, document):
    path = saved(tmp_path / "g.json", [{"q": "a", "src": source}])
    assert read(path, question="q", expected="src").questions[0].expected == (document,)


def test_a_front_page_of_another_folder_is_not_taken(tmp_path):
    path = saved(tmp_path / "g.json", [{"q": "a", "src": "sales/index.md"}])
    assert "names no document" in refused(path, question="q", expected="src")[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            [{"query": "a?", "relevant_docs": ["leave"], "trap_docs": ["bikes"], "category": "x"},
             {"query": "pay?", "relevant_docs": "bikes", "category": "y"}],
            ["question=query", "distractors=trap_docs", "expected=relevant_docs", "tags=category"],
        ),
        (
            [{"id": "1", "question": "a", "expected_source": "leave.md", "expected_refusal": False},
             {"id": "2", "question": "b", "expected_source": None, "expected_refusal": True}],
            ["question=question", "expected=expected_source", "id=id",
             "unanswerable=expected_refusal"],
        ),
        (
            [{"question": "a", "relevant": [{"source": "x/leave.md", "heading": "Paid"}]}],
            ["question=question", "evidence.items=relevant", "evidence.document=source",
             "evidence.heading=heading"],
        ),
        (
            {"items": [{"q": "a", "rel": {"leave": 2, "bikes": 0}}]},
            ["rows=items", "question=q", "grades.items=rel"],
        ),
        (
            {"queries": {"a1": "days?"}, "relevant_docs": {"a1": ["leave"]}},
            ["rows='by_id({question: queries, expected: relevant_docs})'", "question=question",
             "expected=expected", "id=id"],
        ),
        (
            [{"question": "a", "contexts": ["A  note is due\non day three."]}],
            ["question=question", "evidence.items=contexts", "evidence.text='@'"],
        ),
        (
            {"pay": [{"q": "a", "doc": "leave"}], "bikes": [{"q": "b", "doc": "bikes"}]},
            ["rows='values(@)[]'", "question=q", "expected=doc"],
        ),
        (
            {"days off?": ["leave.md"], "a bike?": ["bikes.md"]},
            ["rows='entries(@)'", "question=id", "expected=value"],
        ),
        (
            [{"Question": "a", "Expected Document": "leave", "Expected Section": "Paid"}],
            ["question=Question", "evidence.document='Expected Document'",
             "evidence.heading='Expected Section'"],
        ),
        (
            [{"messages": [{"role": "user", "content": "days?"}], "sources": ["leave"]}],
            ["question='messages[?role==\\'user\\'].content | [-1]'", "expected=sources"],
        ),
        (
            [{"question": "a", "src": "leave"}, {"question": "b", "src": "leave;bikes"}],
            ["question=question", "expected=src", "documents.separator=';'"],
        ),
    ],
)  # fmt: skip
def test_a_mapping_is_proposed_from_names_and_from_what_values_mean(tmp_path, content, words):
    assert proposed(saved(tmp_path / "g.json", content)) == words


def test_the_proposed_command_reads_the_file_and_is_never_used_unasked(typed, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text(LEAVE)
    saved(tmp_path / "g.json", {"queries": {"a1": "days?"}, "relevant_docs": {"a1": ["leave.md"]}})
    said = typed("check", "dataset=mapped", "dataset.path=docs", "dataset.questions=g.json")
    assert said.code == 2
    command = said.err.splitlines()[-1].strip()
    assert command.startswith("python -m rageval check ")
    done = typed(*shlex.split(command)[3:])
    assert (done.code, done.out.splitlines()[0]) == (0, "g: 1 document, no fault found")


READY = {
    "documents": [{"query": "x?", "relevant_docs": "leave.md"}],
    "refusals": [{"question": "x?", "expected_source": "leave.md", "expected_refusal": False}],
    "headings": [{"question": "x?", "relevant": [{"source": "a/leave.md", "heading": "Paid"}]}],
    "graded": {"items": [{"q": "x?", "relevance": {"leave": 3, "bikes": 0}}]},
    "must": [{"text": "x?", "must_retrieve": ["leave"], "must_not_retrieve": ["bikes"]}],
    "columns": [{"question": "x?", "ground_truth_sources": "leave.md"}],
    "maps": {"queries": {"a": "x?"}, "relevant_docs": {"a": ["leave"]}, "corpus": {}},
    "texts": [{"question": "x?", "reference_contexts": ["Thirty  days a year."]}],
    "langsmith": [{"id": "1", "inputs": {"question": "x?"}, "outputs": {"documents": ["leave"]}}],
    "mlflow": [
        {
            "inputs": {"question": "x?"},
            "expectations": {"expected_retrieved_context": [{"doc_uri": "docs/leave.md"}]},
        }
    ],
    "azure": [
        {
            "query": "x?",
            "retrieval_ground_truth": [{"document_id": "leave", "query_relevance_label": 4}],
        }
    ],
    "azure_citations": [{"question": "x?", "truth": "Thirty [leave.md#page=2]."}],
    "giskard": [
        {
            "id": "1",
            "question": "x?",
            "reference_context": "Document 3: Thirty days a year.",
            "metadata": {"question_type": "simple"},
            "conversation_history": [{"role": "user", "content": "Hello"}],
        }
    ],
    "promptfoo": {"tests": [{"vars": {"question": "x?", "context": "Thirty days a year."}}]},
    "trulens": [{"query": "x?", "expected_chunks": [{"text": "Thirty days a year."}]}],
    "phoenix": [{"input": {"question": "x?"}, "metadata": {"document_ids": ["leave"]}}],
    "llama_index_rag": {
        "examples": [{"query": "x?", "reference_contexts": ["Thirty days a year."]}]
    },
    "bedrock": [
        {
            "conversationTurns": [
                {
                    "prompt": {"content": [{"text": "x?"}]},
                    "referenceContexts": [{"content": [{"text": "Thirty days a year."}]}],
                }
            ]
        }
    ],
}


READY |= {
    "quepid": "query,docid,rating\nx?,leave.md,3\nx?,bikes,0\nnever?,bikes,0\n",
    "quepid_ltr": "3\tqid:1\t# leave\tx?\n0 qid:1 1:0.5 2:1 # bikes x?\n",
    "rre": {
        "topics": [
            {
                "query_groups": [
                    {
                        "name": "g",
                        "queries": [{"placeholders": {"$query": "x?"}}],
                        "relevant_documents": {"3": ["leave"], "0": ["bikes"]},
                    }
                ]
            }
        ]
    },
    "rank_eval": {
        "requests": [
            {
                "id": "1",
                "request": {"query": {"match": {"text": {"query": "x?"}}}},
                "ratings": [{"_index": "i", "_id": "leave", "rating": 3}],
            }
        ]
    },
    "search_relevance": {
        "judgmentRatings": {
            "x?": [{"docId": "leave", "rating": "0.95"}, {"docId": "bikes", "rating": "0.2"}]
        }
    },
}
NAMES = {"quepid": "g.csv", "quepid_ltr": "g.txt"}


@pytest.mark.parametrize("name", READY)
def test_a_ready_mapping_reads_its_shape(typed, tmp_path, name):
    (tmp_path / "docs").mkdir()
    for document in CORPUS:
        path = tmp_path / "docs" / f"{document.id}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(document.text)
    file = NAMES.get(name, "g.json")
    saved(tmp_path / file, READY[name])
    said = typed(
        "check", "dataset=mapped", f"mapping={name}", "dataset.path=docs",
        f"dataset.questions={file}", "export=canonical", "export.path=out.json",
    )  # fmt: skip
    assert said.code == 0, said
    (question,) = json.loads((tmp_path / "out.json").read_text())["questions"]
    assert question["question"] == "x?"
    found = question.get("expected") or [need["document"] for need in question["supporting"]]
    assert found == ["leave"]


def test_every_ready_mapping_is_tried():
    folder = Path(__file__).parents[1] / "conf" / "mapping"
    assert {path.stem for path in folder.glob("*.yaml")} == set(READY)


def test_a_mapping_without_the_dataset_that_reads_it_is_refused(typed):
    said = typed("check", "mapping=maps")
    assert (said.code, said.err) == (2, "dataset: a mapping is read by dataset=mapped alone\n")

"""Golden sets of other tools, a test or more a kind; the files are written as those tools do."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.formats.adr.golden import AdrGolden
from rageval.formats.autorag.corpus import AutoragCorpus
from rageval.formats.autorag.golden import AutoragGolden
from rageval.formats.chroma.golden import ChromaGolden
from rageval.formats.deepeval.golden import DeepEvalGolden
from rageval.formats.haystack.golden import HaystackGolden
from rageval.formats.llama_index.corpus import LlamaIndexCorpus
from rageval.formats.llama_index.golden import LlamaIndexGolden
from rageval.formats.markdown.corpus import MarkdownFolder
from rageval.formats.ragas.golden import RagasGolden
from rageval.formats.squad.corpus import SquadCorpus
from rageval.formats.squad.golden import SquadGolden
from rageval.formats.table.golden import TableGolden
from rageval.formats.trec.golden import TrecGolden
from rageval.golden.question import Answerable, Reference
from rageval.judging.resolution import resolve

LEAVE = "# Leave\n\nThere are 30 days of leave.\n\nUnused days expire.\n"
CORPUS = Corpus(
    (
        Document("leave", LEAVE),
        Document("hr/pay", "Band C pays 50.\n"),
        Document("hr/old pay", "Band C pays 40.\n"),
        Document("pump.md", "The pump has a valve.\n"),
    ),
    "test",
)


def saved(path: Path, content) -> str:
    """Write JSON; a list in a .jsonl file a row a line."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return str(path)


def refused(source) -> list[str]:
    with pytest.raises(InputError) as error:
        source.load(CORPUS)
    return [line.rpartition("/")[2] for line in str(error.value).splitlines()]


# The ADR's field names


def adr(**fields):
    return {"id": "q1", "question": "Pay?", "form": "GAP", "expectedDocumentIds": [], **fields}


def test_the_adrs_field_names_are_read_and_an_empty_list_is_unanswerable(tmp_path):
    rows = [
        adr(expectedDocumentIds=["leave", "hr/pay"], hardClass="normal", answerGist="30"),
        adr(id="q2", form="match"),
    ]
    whole = {"identifier": "nr.bmdv", "name": "B", "description": "", "questions": rows}
    golden = AdrGolden(saved(tmp_path / "a.json", whole)).load(CORPUS)
    first, second = golden.questions
    assert golden.name == "nr.bmdv"
    assert (first.form, first.hard_class, first.gist) == ("GAP", "normal", "30")
    assert (first.expected, first.answerable) == (("leave", "hr/pay"), Answerable.YES)
    assert (second.form, second.answerable) == ("MATCH", Answerable.NO)


def test_a_bare_list_in_the_adrs_names_is_named_after_its_file(tmp_path):
    golden = AdrGolden(saved(tmp_path / "My Set.json", [adr()])).load(CORPUS)
    assert golden.name == "my_set"


def test_faults_of_the_adrs_form_are_told_with_their_lines(tmp_path):
    rows = [adr(id=7), adr(id="q2", expectedDocumentIds=["a", "a"]), {"id": "x", "question": "y"}]
    told = refused(AdrGolden(saved(tmp_path / "a.json", rows)))
    assert told[0] == "a.json:2: id: should be a valid string, got 7"
    assert "a.json:8: question 'q2': expected names 'a' twice" in told
    assert "a.json:17: expectedDocumentIds: must be given" in told


# TREC


def trec(folder: Path, topics: str, qrels: str, **options) -> TrecGolden:
    (folder / "topics").write_text(topics, encoding="utf-8", newline="")
    (folder / "qrels").write_text(qrels, encoding="utf-8", newline="")
    return TrecGolden(str(folder / "topics"), str(folder / "qrels"), **options)


TAGGED = """<top>
<num> Number: 301
<title> Days of
 leave

<desc> Description:
How many days are there?
<narr> Narrative:
x
</top>
<top>
<num>302</num>
<title>Pay</title>
</top>
"""


def test_tagged_topics_meet_their_judgements(tmp_path):
    qrels = "# judged\n301 0 leave 2\r\n301\t0\thr/pay\t-1\n302 0 leave 0\n"
    golden = trec(tmp_path, TAGGED, qrels).load(CORPUS)
    (question,) = golden.questions
    assert (question.id, question.text) == ("301", "Days of leave")
    assert question.expected == ("leave",)
    assert question.grades == {"leave": 2, "hr/pay": -1}
    assert golden.notes == ("left out, as no document is relevant to them: 1 of 2 topics",)


def test_another_field_and_grade_and_bare_topics_can_be_chosen(tmp_path):
    source = trec(
        tmp_path, TAGGED.replace("<title>Pay", "<desc>Pay"), "301 0 leave 1\n301 0 hr/pay 2\n",
        field="desc", relevant_from=2, relevance="all", bare="unanswerable",
    )  # fmt: skip
    first, second = source.load(CORPUS).questions
    assert (first.text, first.targets) == ("How many days are there?", ("hr/pay",))
    assert second.answerable is Answerable.NO


def test_topics_may_be_lines_with_encoded_ids(tmp_path):
    source = trec(tmp_path, "q%201\tHow much?\n", "q%201 0 hr/old%20pay 1\n", encoded=True)
    (question,) = source.load(CORPUS).questions
    assert (question.id, question.expected) == ("q 1", ("hr/old pay",))


def test_judgements_of_unknown_topics_and_documents_are_refused(tmp_path):
    told = refused(trec(tmp_path, "1\tx\n", "1 0 leav 1\n2 0 leave 1\n"))
    assert told == [
        "qrels:1: question '1': document 'leav' is not in the corpus, did you mean 'leave'?",
        "qrels:2: query '2' is not among the topics",
    ]


def test_faulty_topics_are_told_with_their_lines(tmp_path):
    assert refused(trec(tmp_path, "1\tx\n2\n1\ty\n", "1 0 leave 1\n")) == [
        "topics:2: an id, a tab and the text of the query are needed",
        "topics:3: query '1' is taken by line 1",
    ]


# SQuAD


def squad(folder: Path, *paragraphs) -> str:
    data = [{"title": "Leave", "paragraphs": list(paragraphs)}]
    return saved(folder / "squad.json", {"version": "v2.0", "data": data})


def test_squad_spans_and_impossible_questions_are_read(tmp_path):
    answers = [{"text": "30 days", "answer_start": 10}, {"text": "30", "answer_start": 10}]
    qas = [
        {"id": "1", "question": "How many? ", "answers": answers * 2, "is_impossible": False},
        {"id": "2", "question": "How old?", "answers": [], "is_impossible": True,
         "plausible_answers": answers},
    ]  # fmt: skip
    context = "There are 30 days of leave."
    path = squad(tmp_path, {"context": context, "qas": qas}, {"context": "Other.", "qas": []})
    corpus = SquadCorpus(path).load()
    assert [d.id for d in corpus] == ["Leave/0", "Leave/1"]
    golden = SquadGolden(path).load(corpus)
    first, second = golden.questions
    assert first.text == "How many?"
    assert first.supporting == (
        (Reference("Leave/0", span=(10, 17)), Reference("Leave/0", span=(10, 12))),
    )
    assert second.answerable is Answerable.NO
    assert resolve(golden, corpus)[0].requirements[0][0].start == 10


def test_a_squad_span_that_says_something_else_is_refused(tmp_path):
    answers = [{"text": "31", "answer_start": 10}]
    qas = [{"id": "1", "question": "How many?", "answers": answers}]
    told = refused(SquadGolden(squad(tmp_path, {"context": "There are 30 days.", "qas": qas})))
    assert "question '1': Leave [10:12] does not say '31'" in told[0]


# Chroma's chunking_evaluation


def chroma(folder: Path, references) -> ChromaGolden:
    text = json.dumps(references).replace('"', '""')
    table = f'question,references,corpus_id\n"How, then?","{text}",leave\n'
    (folder / "questions_df.csv").write_text(table)
    return ChromaGolden(str(folder))


def test_chroma_spans_are_exact(tmp_path):
    references = [
        {"content": "30 days", "start_index": 19, "end_index": 26},
        {"content": "Unused", "start_index": 38, "end_index": 44},
    ]
    assert LEAVE[19:26] == "30 days"
    (question,) = chroma(tmp_path, references).load(CORPUS).questions
    assert (question.id, question.text) == ("leave-1", "How, then?")
    assert [need[0].span for need in question.supporting] == [(19, 26), (38, 44)]


def test_a_chroma_reference_that_says_something_else_is_refused(tmp_path):
    wrong = [{"content": "30 weeks", "start_index": 19, "end_index": 26}]
    told = refused(chroma(tmp_path, wrong))
    assert told[0] == "questions_df.csv:2: leave [19:26] does not say '30 weeks'"


@pytest.mark.realdata
def test_the_native_questions_of_chroma_load_in_full(realdata):
    root = realdata / "chroma_chunking" / "native"
    corpus = MarkdownFolder(str(root / "corpora")).load()
    golden = ChromaGolden(str(root)).load(corpus)
    assert (len(corpus), len(golden)) == (5, 472)
    assert sum(len(q.supporting) for q in golden) == 790
    assert sum(len(q.supporting) > 1 for q in golden) == 188
    assert len(resolve(golden, corpus)) == 472


# LlamaIndex


def test_llama_index_nodes_are_documents(tmp_path):
    content = {
        "queries": {"q1": "How many?", "q2": "Why?"},
        "corpus": {"n1": "30 days.", "n2": "Rest."},
        "relevant_docs": {"q1": ["n1"], "q2": ["n1", "n2"]},
        "mode": "text",
    }
    path = saved(tmp_path / "d.json", content)
    corpus = LlamaIndexCorpus(path).load()
    assert [(d.id, d.text) for d in corpus] == [("n1", "30 days."), ("n2", "Rest.")]
    golden = LlamaIndexGolden(path).load(corpus)
    assert [q.expected for q in golden] == [("n1",), ("n1", "n2")]
    needed = LlamaIndexGolden(path, relevance="all").load(corpus)
    assert len(needed.questions[1].supporting) == 2


def test_a_llama_index_query_without_nodes_is_refused(tmp_path):
    content = {"queries": {"q": "x"}, "corpus": {}, "relevant_docs": {"p": ["n"]}}
    told = refused(LlamaIndexGolden(saved(tmp_path / "d.json", content)))
    assert told[0] == "d.json: relevant_docs names the query 'p', which is not there"
    assert "nothing is expected" in told[1]
    assert "relevant_docs: must be given" in refused(
        LlamaIndexGolden(saved(tmp_path / "d.json", {"queries": {}, "corpus": {}}))
    )[0]  # fmt: skip


# AutoRAG


def autorag(folder: Path, truths: list) -> str:
    rows = [
        {"qid": f"q{n}", "query": "Pay?", "retrieval_gt": truth, "generation_gt": ["50", "fifty"]}
        for n, truth in enumerate(truths, start=1)
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "qa.parquet")
    passages = [
        {"doc_id": name, "contents": f"text {name}", "metadata": {"x": 1}} for name in "abc"
    ]
    pq.write_table(pa.Table.from_pylist(passages), folder / "corpus.parquet")
    return str(folder)


def test_autorag_inner_lists_are_choices_and_outer_ones_are_all_needed(tmp_path):
    path = autorag(tmp_path, [[["a", "b"], ["c"]], [["a", "b"]]])
    corpus = AutoragCorpus(path).load()
    assert [d.text for d in corpus] == ["text a", "text b", "text c"]
    first, second = AutoragGolden(path).load(corpus).questions
    assert first.supporting == ((Reference("a"), Reference("b")), (Reference("c"),))
    assert (second.expected, second.gist) == (("a", "b"), "50")


@pytest.mark.parametrize("truth", ["a", ["a"]])
def test_autorag_truths_may_be_an_id_or_a_plain_list(tmp_path, truth):
    path = autorag(tmp_path, [truth])
    assert AutoragGolden(path).load(CORPUS).questions[0].expected == ("a",)


def test_autorag_questions_without_passages_and_lost_columns_are_refused(tmp_path):
    path = autorag(tmp_path, [[["a"]], [[]]])
    assert refused(AutoragGolden(path))[0].startswith(f"{tmp_path.name}:2: question 'q2': nothing")
    pq.write_table(pa.Table.from_pylist([{"qid": "q"}]), tmp_path / "qa.parquet")
    assert refused(AutoragGolden(path)) == [
        "qa.parquet: there is no column 'query'; there are: qid"
    ]
    (tmp_path / "qa.parquet").write_text("no")
    assert "cannot be read as Parquet" in refused(AutoragGolden(path))[0]


# Ragas


def test_ragas_contexts_are_found_in_the_corpus(tmp_path):
    rows = [
        {"user_input": "Days?", "reference_contexts": ["<1-hop>\n\n30 days of leave."],
         "reference": "30", "synthesizer_name": "single_hop"},
        {"user_input": "Pump?", "reference_contexts": ["The pump has a valve."],
         "retrieved_contexts": ["x"], "response": "y"},
        {"user_input": "Pay?", "reference_contexts": ["Band C pays"],
         "reference_context_ids": ["hr/pay"]},
        {"question": "Old names?", "ground_truth": "50", "contexts": ["Band C pays 50."]},
    ]  # fmt: skip
    golden = RagasGolden(saved(tmp_path / "r.jsonl", rows)).load(CORPUS)
    assert [q.id for q in golden] == ["q1", "q2", "q3", "q4"]
    assert [q.supporting[0][0] for q in golden] == [
        Reference("leave", quote="30 days of leave."),
        Reference("pump.md"),
        Reference("hr/pay", quote="Band C pays"),
        Reference("hr/pay"),
    ]
    assert (golden.questions[0].gist, golden.questions[0].source) == ("30", "single_hop")


def test_ragas_contexts_of_no_document_or_several_are_refused(tmp_path):
    rows = [
        {"user_input": "Pay?", "reference_contexts": ["Band C pays"]},
        {"user_input": "Pay?", "reference_contexts": ["Band D"]},
        {"user_input": "Pay?", "reference_contexts": []},
        {
            "user_input": "Pay?",
            "reference_contexts": ["Band D"],
            "reference_context_ids": ["leave"],
        },
    ]
    told = refused(RagasGolden(saved(tmp_path / "r.jsonl", rows)))
    assert told == [
        "r.jsonl:1: question 'q1': 2 documents hold “Band C pays”: hr/pay, hr/old pay; "
        "name the right one".rpartition("/")[2],
        "r.jsonl:2: question 'q2': no document of the corpus holds “Band D”",
        "r.jsonl:3: question 'q3': nothing is expected or supporting: "
        "name what is to be found, or say answerable: false",
        "r.jsonl:4: question 'q4': the document 'leave' does not hold “Band D”",
    ]


# DeepEval


def test_deepeval_goldens_are_found_by_context_or_by_source(tmp_path):
    rows = [
        {"input": "Days?", "actual_output": None, "expected_output": "30", "name": "days",
         "context": ["30 days of leave"], "source_file": "other.md", "comments": "c"},
        {"input": "Valve?", "source_file": "docs/pump.md"},
        {"input": "Pay?", "source_file": "/data/hr/pay.txt"},
    ]  # fmt: skip
    golden = DeepEvalGolden(saved(tmp_path / "g.json", rows)).load(CORPUS)
    first, second, third = golden.questions
    assert (first.id, first.gist, first.notes) == ("days", "30", "c")
    assert first.supporting == ((Reference("leave", quote="30 days of leave"),),)
    assert (second.id, second.expected, third.expected) == ("q2", ("pump.md",), ("hr/pay",))


def test_a_deepeval_source_that_means_nothing_is_refused(tmp_path):
    told = refused(DeepEvalGolden(saved(tmp_path / "g.json", [{"input": "x", "source_file": "y"}])))
    assert told == ["g.json:2: question 'q1': the source 'y' names no document of the corpus"]


# Haystack


def test_haystack_inputs_are_read_by_id_or_content(tmp_path):
    content = {
        "questions": ["Days?", "Pay?"],
        "ground_truth_documents": [
            [{"id": "leave", "content": "x", "meta": {}}],
            [{"id": "0f3a", "content": "Band C pays 50."}],
        ],
        "ground_truth_answers": ["30", "50"],
    }
    golden = HaystackGolden(saved(tmp_path / "h.json", content)).load(CORPUS)
    assert [(q.expected, q.gist) for q in golden] == [(("leave",), "30"), (("hr/pay",), "50")]


def test_haystack_labels_are_gathered_by_query(tmp_path):
    def label(query, document, right=True, **more):
        return {"query": query, "document": {"id": document, "content": ""},
                "is_correct_document": right, "is_correct_answer": right, **more}  # fmt: skip

    rows = [
        label("Pay?", "hr/pay"),
        label("Pay?", "hr/old pay", right=False),
        label("Zeppelin?", "leave", no_answer=True),
    ]
    golden = HaystackGolden(saved(tmp_path / "l.json", rows)).load(CORPUS)
    first, second = golden.questions
    assert (first.expected, first.distractors) == (("hr/pay",), (Reference("hr/old pay"),))
    assert second.answerable is Answerable.NO


def test_haystack_documents_that_cannot_be_found_are_refused(tmp_path):
    content = {"questions": ["x"], "ground_truth_documents": [[{"id": "zz"}]]}
    told = refused(HaystackGolden(saved(tmp_path / "h.json", content)))
    assert told[0] == "h.json:1: the corpus has no document 'zz'"
    content["questions"] = []
    assert refused(HaystackGolden(saved(tmp_path / "h.json", content))) == [
        "h.json: questions, documents and answers differ in number"
    ]


# A plain table


def test_the_rows_of_a_rated_query_are_one_question_and_a_rating_of_0_is_not_expected(tmp_path):
    path = tmp_path / "quepid.csv"
    path.write_text("query,docid,rating\nleave?,leave,3\nleave?,pump,0\npay?,hr/pay,1.0\n")
    golden = TableGolden(str(path), question="query", source="docid").load(CORPUS)
    assert [(q.text, q.expected, dict(q.grades)) for q in golden] == [
        ("leave?", ("leave",), {"leave": 3, "pump.md": 0}),
        ("pay?", ("hr/pay",), {"hr/pay": 1}),
    ]
    assert golden.notes == (
        "the column 'rating' holds grades; the rows of one question are one question",
    )
    path.write_text("query,docid,rating\nleave?,leave,3\nleave?,leave,0\nx?,pump,0.5\n")
    assert refused(TableGolden(str(path), question="query", source="docid")) == [
        "quepid.csv:3: 'leave' is judged twice for 'leave?'",
        "quepid.csv:4: the grade is '0.5', a whole number is needed",
    ]


def test_a_table_of_questions_and_sources_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('q,page,answer\nDays?,leave.md; hr/pay,30\n"Valve, or?",pump,\nNone?,,\n')
    columns = {"question": "q", "source": "page", "answer": "answer"}
    golden = TableGolden(str(path), blank_unanswerable=True, **columns).load(CORPUS)
    first, second, third = golden.questions
    assert (first.id, first.expected, first.gist) == ("q1", ("leave", "hr/pay"), "30")
    assert (second.text, second.expected) == ("Valve, or?", ("pump.md",))
    assert third.answerable is Answerable.NO
    told = refused(TableGolden(str(path), **columns))
    assert told == [
        "t.csv:4: question 'q3': nothing is expected or supporting: "
        "name what is to be found, or say answerable: false"
    ]


def test_a_table_without_the_columns_is_refused_with_those_there_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("frage,quelle\nx,leave\n")
    assert refused(TableGolden(str(path))) == [
        "t.csv:1: there is no column 'question'; there are: frage, quelle",
        "t.csv:1: there is no column 'source'; there are: frage, quelle",
    ]

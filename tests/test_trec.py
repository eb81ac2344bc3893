"""TREC files are read in trec_eval's order, and the measures print its digits."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from rageval.errors import InputError
from rageval.formats.trec.qrels import read_qrels
from rageval.formats.trec.run import read_run
from rageval.formats.trec.topics import read_topics
from rageval.formats.trec.words import name_of, word
from rageval.measures import trec_eval
from rageval.measures.trec_eval import JudgedRanks, judged_ranks

HAND = Path(__file__).parent / "data" / "trec"


def measured(qrels: Path, run: Path, relevant_from: int = 1) -> dict[str, np.ndarray]:
    """Every measure that is compared, by trec_eval's name for it."""
    ranks = judged_ranks(read_qrels(qrels), read_run(run), relevant_from)
    cut = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    return {
        "map": trec_eval.average_precision(ranks),
        "recip_rank": trec_eval.reciprocal_rank(ranks),
        **{f"success_{k}": trec_eval.success(ranks, k) for k in (1, 5, 10)},
        **{f"P_{k}": trec_eval.precision_at(ranks, k) for k in cut},
        **{f"recall_{k}": trec_eval.recall_at(ranks, k) for k in cut},
        **{f"ndcg_cut_{k}": trec_eval.ndcg_at(ranks, k) for k in cut},
    }


def ranks_of_hand() -> JudgedRanks:
    return judged_ranks(read_qrels(HAND / "qrels.txt"), read_run(HAND / "run.txt"))


def test_a_run_is_ordered_by_32_bit_score_and_then_by_the_last_id_first():
    run = read_run(HAND / "run.txt")
    # c before b, for both have 2.0; x before a, for 1.0000000001 is 1.0 in 32 bits. The rank field
    # says otherwise and is not read.
    assert run.ranking("q1") == ["d", "c", "b", "x", "a"]
    assert run.ranking("q2") == ["a", "b"]
    assert run.ranking("q3") == []
    assert (run.name, run.queries) == ("hand", ("q1", "q2", "q4", "q9"))


def test_measures_of_the_hand_made_files_are_those_computed_by_hand():
    found = measured(HAND / "qrels.txt", HAND / "run.txt")
    # q1: d c b x a with grades -1 1 0 – 2: relevant at 2 and 5 of two; q2: b at 2 of one;
    # q3 is not in the run; q4 has nothing relevant.
    by_hand = {
        "map": [(1 / 2 + 2 / 5) / 2, 1 / 2, 0, 0],
        "recip_rank": [1 / 2, 1 / 2, 0, 0],
        "success_1": [0, 0, 0, 0],
        "success_5": [1, 1, 0, 0],
        "P_5": [2 / 5, 1 / 5, 0, 0],
        "P_10": [2 / 10, 1 / 10, 0, 0],
        "recall_5": [1, 1, 0, 0],
        # (1/log2(3) + 2/log2(6)) / (2 + 1/log2(3)) = (.630930 + .773706) / 2.630930
        "ndcg_cut_5": [0.533893, 0.63093, 0, 0],
    }
    for name, expected in by_hand.items():
        assert found[name] == pytest.approx(expected, abs=5e-6), name


def test_a_higher_level_of_relevance_leaves_the_gains_of_ndcg():
    found = measured(HAND / "qrels.txt", HAND / "run.txt", relevant_from=2)
    assert found["map"].tolist() == [1 / 5, 0, 0, 0]
    assert found["ndcg_cut_5"][0] == pytest.approx(0.533893, abs=5e-6)


def test_a_query_that_the_run_lacks_is_a_miss_and_one_that_nobody_judged_is_left_out():
    ranks = ranks_of_hand()
    assert ranks.n == 4
    assert trec_eval.success(ranks, 10).tolist() == [1, 1, 0, 0]


def test_packed_files_are_read(tmp_path):
    for name in ("qrels.txt", "run.txt"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((HAND / name).read_bytes()))
    packed = measured(tmp_path / "qrels.txt.gz", tmp_path / "run.txt.gz")
    plain = measured(HAND / "qrels.txt", HAND / "run.txt")
    assert all(np.array_equal(packed[name], plain[name]) for name in plain)


def refused(reader, path: Path, text: str) -> list[str]:
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as error:
        reader(path)
    return str(error.value).replace(f"{path}", path.name).splitlines()


def test_every_bad_line_of_qrels_is_told(tmp_path):
    text = "q1 0 a 1\nq1 0 b\n\nq1 0 c one\nq1 0 d 1.5\nq1 0 e 1 x\nq1 0 f 1_0\n"
    assert refused(read_qrels, tmp_path / "q", text) == [
        "q:2: 3 fields, 4 are needed, white space between",
        "q:3: 0 fields, 4 are needed, white space between",
        "q:4: the grade is 'one', a whole number is needed",
        "q:5: the grade is '1.5', a whole number is needed",
        "q:6: 5 fields, 4 are needed, white space between",
        "q:7: the grade is '1_0', a whole number is needed",
    ]


def test_a_document_judged_twice_is_told_with_both_lines(tmp_path):
    assert refused(read_qrels, tmp_path / "q", "q1 0 a 1\nq2 0 a 1\nq1 0 a 0\n") == [
        "q:3: query 'q1' has document 'a' a second time, first on line 1"
    ]


def test_every_bad_line_of_a_run_is_told(tmp_path):
    text = (
        "q1 Q0 a 1 2.5 x\nq1 Q0 b 2 nan x\nq1 Q0 c 3 high x\nq1 Q0 d 4 2_0 x\nq1 Q0 e 5 1\n"
        "q1 Q0 g 6 -1e400 x\n"
    )
    assert refused(read_run, tmp_path / "r", text) == [
        "r:2: query 'q1': the score is 'nan', a number is needed",
        "r:3: query 'q1': the score is 'high', a number is needed",
        "r:4: query 'q1': the score is '2_0', a number is needed",
        "r:5: 5 fields, 6 or more are needed, white space between",
    ]
    assert refused(read_run, tmp_path / "r", "q Q0 a 1 2 x\nq Q0 a 2 1 x\n") == [
        "r:2: query 'q' has document 'a' a second time, first on line 1"
    ]


@pytest.mark.parametrize("reader", [read_qrels, read_run])
def test_an_empty_file_and_one_of_another_encoding_are_refused(reader, tmp_path):
    assert refused(reader, tmp_path / "f", "# nothing\n")[0].startswith("f: the ")
    line = "q 0 \xe9 1\n" if reader is read_qrels else "q Q0 \xe9 1 2 x\n"
    assert refused(reader, tmp_path / "f", line) == [
        "f: an id is not UTF-8; save the file as UTF-8"
    ]


def test_only_ascii_white_space_separates(tmp_path):
    path = tmp_path / "q"
    path.write_text("q\u00a01 0 a\u2003b 1\n", encoding="utf-8")
    qrels = read_qrels(path)
    assert (qrels.queries, qrels.documents) == (("q\u00a01",), ("a\u2003b",))


@pytest.mark.parametrize("name", ["a b", "100%", "#1", "a\u2003b", "ü", "x%20y", "\t"])
def test_an_id_made_a_word_comes_back(name):
    assert name_of(word(name)) == name
    assert not set(word(name)) & set(" \t\n")


OFFICIAL = {
    # official output: judgements, run, least relevant grade (as trec_eval's own Makefile makes it)
    "nist/out.test.aq": ("nist/qrels.test", "nist/results.test", 1),  # -m all_trec -q
    "nist/out.test.aqc": ("nist/qrels.test", "nist/results.trunc", 1),  # -c: missing ones count
    "nist/out.test.aql": ("nist/qrels.rel_level", "nist/results.test", 2),  # -l2
    "nist/out.test.a": ("nist/qrels.test", "nist/results.test", 1),
    "nist/out.comment.test": ("nist/qrels.comment.test", "nist/results.comment.test", 1),
    **{
        f"bm25_runs/{name}.trec_eval": (f"bm25_runs/{name}.qrels", f"bm25_runs/{name}.run", 1)
        for name in ("anthropic_docs", "cranfield", "hotpotqa_sample", "scifact")
    },  # -q -c -m all_trec
}
COUNTING_ALL = ("aqc", ".trec_eval")  # made with -c


@pytest.mark.realdata
@pytest.mark.parametrize("official", OFFICIAL)
def test_every_printed_digit_is_that_of_trec_eval(realdata, official):
    folder = realdata / "trec_eval"
    qrels, run, relevant_from = OFFICIAL[official]
    found = measured(folder / qrels, folder / run, relevant_from)
    queries = read_qrels(folder / qrels).queries
    answered = set(read_run(folder / run).queries)
    counted = [official.endswith(COUNTING_ALL) or name in answered for name in queries]
    number = {name: n for n, name in enumerate(queries)}
    compared = 0
    for line in (folder / official).read_text().splitlines():
        measure, query, printed = line.split("\t")
        if measure.strip() in found:
            values = found[measure.strip()]
            value = values[counted].mean() if query == "all" else values[number[query]]
            assert f"{value:6.4f}" == printed, (measure, query)
            compared += 1
    per_query = sum(counted) if official.count("out.test.aq") or "bm25" in official else 0
    some = 2 if "comment" in official else len(found)
    assert compared >= some * (per_query + 1)


@pytest.mark.realdata
def test_comments_in_the_judgements_change_nothing(realdata):
    folder = realdata / "trec_eval" / "nist"
    plain = measured(folder / "qrels.test", folder / "results.test")
    commented = measured(folder / "qrels.test.with-comments", folder / "results.test")
    assert all(np.array_equal(plain[name], commented[name]) for name in plain)


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["cranfield", "scifact"])
def test_pytrec_eval_agrees_beyond_the_printed_digits(realdata, name):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="the extra `bench` is not installed")
    folder = realdata / "trec_eval" / "bm25_runs"
    qrels, run = folder / f"{name}.qrels", folder / f"{name}.run"
    measures = {"map", "recip_rank", "success", "P", "recall", "ndcg_cut"}
    with qrels.open() as labels, run.open() as rankings:
        judge = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(labels), measures)
        theirs = judge.evaluate(pytrec_eval.parse_run(rankings))
    ours = measured(qrels, run)
    for row, query in enumerate(read_qrels(qrels).queries):
        for measure, value in theirs.get(query, {}).items():
            assert ours[measure][row] == pytest.approx(value, abs=1e-12), (query, measure)


def replayed(typed, folder: Path, topics: str):
    """Evaluate tests/data/trec/run.txt as a retriever over documents a to e and x."""
    (folder / "topics.tsv").write_text(topics)
    rows = "".join(f'{{"_id": "{name}", "text": "text {name}"}}\n' for name in "abcdex")
    (folder / "corpus.jsonl").write_text(rows)
    return typed(
        "+retriever=trec_run", f"retriever.run={HAND / 'run.txt'}", "retriever.topics=topics.tsv",
        "dataset=trec", "dataset.path=.", "dataset.questions=topics.tsv",
        f"dataset.qrels={HAND / 'qrels.txt'}", "chunking=whole", "tracking=off",
        "latency.sample=0", "output.questions=all",
    )  # fmt: skip


def test_a_run_takes_the_place_of_a_retriever(typed, tmp_path):
    said = replayed(typed, tmp_path, "q1\tOne?\nq2\tTwo?\nq3\tThree?\nq4\tFour?\n")
    row = next(line.split() for line in said.out.splitlines() if line.startswith("all "))
    # q1 is hit at 2 and q2 at 2, q3 is not in the run; q4 has nothing relevant and is left out
    assert row[1:4] == ["3", "0.00", "0.67"]
    assert "note: 1 of 3 questions has no ranking in" in said.out
    assert "run.txt and counts as a miss" in " ".join(said.out.split())
    assert "left out, as no document is relevant to them: 1 of 4 topics" in said.out
    assert said.code == 0


def test_topics_that_say_the_same_cannot_tell_the_queries_of_a_run(typed, tmp_path):
    said = replayed(typed, tmp_path, "q1\tOne?\nq2\tOne?\nq3\tThree?\nq4\tFour?\n")
    assert said.code == 2
    assert "topics.tsv:2: queries 'q1' and 'q2' say the same" in said.err


TOPICS = """<top>
<num> Number: 301
<title> Error: connection refused
<desc> Description:
How does vector<int> grow? R&D; a < b
<narr> Narrative: relevant
is: all
</top>
<top><num>302</num><title>bees &amp; warmth &lt;winter&gt; &#233;</title></top>
<top>
<num> Number: 303
<title> Topic: Description: of a boat?a=1&copy=2
</top>
"""


def test_a_topic_keeps_every_word_but_trecs_own(tmp_path):
    path = tmp_path / "topics"
    path.write_text(TOPICS, encoding="utf-8")
    assert {name: words for name, (_, words) in read_topics(path).items()} == {
        "301": "Error: connection refused",
        "302": "bees & warmth <winter> é",
        "303": "Description: of a boat?a=1&copy=2",  # `&copy=` is no entity
    }


@pytest.mark.parametrize(
    ("field", "text"),
    [("desc", "How does vector<int> grow? R&D; a < b"), ("narr", "relevant is: all")],
)
def test_a_longer_field_of_a_topic_keeps_every_word_too(field, text, tmp_path):
    path = tmp_path / "topics"
    path.write_text(TOPICS.split("</top>")[0] + "</top>", encoding="utf-8")
    assert read_topics(path, field) == {"301": (1, text)}


def test_a_topic_in_one_line_without_closing_tags_is_read(tmp_path):
    path = tmp_path / "topics"
    path.write_text("<top> <num> 7 <title> bees <desc> long </top>")
    assert read_topics(path, "title") == {"7": (1, "bees")}


@pytest.mark.parametrize(
    "text",
    [
        '<topics><topic number="7">\n<query>red kite</query><question>q</question></topic>\n'
        '<topic number="8"><query>tea</query></topic></topics>',
        '<topics task="x">\n<topic number="7">\nred kite\n</topic><topic number="8">tea</topic>',
        "<topic>\n<number>7</number><query>red kite</query><description>d</description></topic>\n"
        "<topic><number>8</number><query>tea</query></topic>",
        '<top lang="en"><num>7</num><EN-title>red kite</EN-title><EN-desc>d</EN-desc></top>\n'
        '<top lang="en"><num>8</num><EN-title>tea</EN-title></top>',
        "<TOPIC><NUM>7</NUM><TITLE>red kite</TITLE><DESC>d</DESC></TOPIC>\n"
        "<TOPIC><NUM>8</NUM><TITLE>tea</TITLE></TOPIC>",
        "7:red kite\n8:tea\n",
        '{"id": 7, "title": "red kite"}\n{"_id": "8", "text": "tea"}\n',
    ],
)
def test_topics_are_read_as_each_track_writes_them(text, tmp_path):
    path = tmp_path / "topics"
    path.write_text(text)
    found = {name: words for name, (_, words) in read_topics(path).items()}
    assert found == {"7": "red kite", "8": "tea"}

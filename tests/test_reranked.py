"""retriever=reranked: a first stage and a reranker behind it."""

import json

import numpy as np
import pytest
from scripted import Script, evaluated, letters, question
from test_adapter_http import serving
from tiny import ask, chunks_of, names

from rageval.chunking.nothing import NoChunks
from rageval.errors import InputError
from rageval.evaluation.diagnosis import Cause
from rageval.report.tables import questions
from rageval.retrieval.rerankers.lexical import LexicalReranker
from rageval.retrieval.rerankers.library import RerankersLibrary
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.retrievers.reranked import Reranked


class Preferring:
    """A reranker that likes texts by the place of their last letter in a word."""

    def __init__(self, word):
        self.word, self.asked = word, []

    def score(self, question, texts):
        self.asked.append((question, list(texts)))
        return [-self.word.find(text[-1]) for text in texts]


def test_the_reranker_orders_the_first_candidates_and_no_others():
    chunks = chunks_of("x a", "x b", "x c", "x d", "y e")
    reranker = Preferring("dcba")
    found = ask(Reranked(Bm25(), reranker, 3).index(chunks), chunks, "x", "z")
    first = names(ask(Bm25().index(chunks), chunks, "x", depth=3), chunks)
    assert names(found, chunks) == "".join(sorted(first, key="dcba".index))
    assert found.before[0].tolist() == ["abcde".index(name) for name in first]
    assert len(reranker.asked) == 1  # nothing was found for the second question
    assert found.count.tolist() == [3, 0]


def test_it_answers_the_same_whatever_depth_is_asked():
    chunks = chunks_of("x a", "x b", "x c", "x d")
    index = Reranked(Bm25(), Preferring("dcba"), 4).index(chunks)
    deep, flat = (ask(index, chunks, "x", depth=depth) for depth in (9, 2))
    assert flat.chunk[0].tolist() == deep.chunk[0, :2].tolist()


def reranked(word, answer, k=2, **labels):
    retriever = Reranked(Foreign(Script({"q": answer})), Preferring(word), 8)
    return evaluated(retriever, [question("q", **labels)], k=k)


def test_the_table_has_the_rank_before_and_after_and_the_diagnosis_says_what_was_lost():
    found = reranked("bcda", ["a", "b", "c", "d"], expected=("a",))
    table = questions(found)
    row = dict(zip(table.columns, table.data[0], strict=True))
    assert (row["answer_rank_before_reranking"], row["answer_rank"]) == (1, 4)
    assert found.diagnoses[0].cause is Cause.RERANKED
    assert "at rank 1 before, 4 after" in str(found.diagnoses[0])


def test_what_the_first_stage_had_below_the_window_is_not_lost_by_the_reranker():
    found = reranked("bcad", ["b", "c", "a", "d"], expected=("a",))
    assert found.diagnoses[0].cause is Cause.BELOW_K
    found = reranked("abcd", ["b", "c", "a", "d"], expected=("a",))
    assert found.diagnoses[0].cause is Cause.FOUND


def test_without_a_reranker_the_column_is_empty():
    found = evaluated({"q": ["a"]}, [question("q", expected=("a",))])
    table = questions(found)
    assert (
        dict(zip(table.columns, table.data[0], strict=True))["answer_rank_before_reranking"] is None
    )


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (lambda q, t: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda q, t: [1.0], "Own returned 1 scores for 2 passages"),
        (lambda q, t: [float("nan")] * len(t), "Own returned a score that is no finite number"),
    ],
)
def test_a_reranker_that_fails_fails_its_question(score, told):
    own = type("Own", (), {"score": lambda self, q, t: score(q, t)})()
    chunks = chunks_of("x a", "x b", "y c")
    found = ask(Reranked(Bm25(), own).index(chunks), chunks, "x", "nothing")
    assert told in found.errors[0].sentence
    assert found.count.tolist() == [0, 0]


def test_passages_of_the_first_stages_own_are_reranked_by_their_text():
    corpus = letters()
    reranker = Preferring("ba")
    first = Foreign(Script({"q": [("a", 0, 6), ("b", 0, 6)]}))
    found = evaluated(Reranked(first, reranker), [question("q", expected=("b",))], corpus=corpus,
                      chunker=NoChunks())  # fmt: skip
    assert [text for _, texts in reranker.asked for text in texts] == ["text a", "text b"]
    assert int(found.ranks.target[0]) == 1


def test_the_floor_reads_the_rerankers_score():
    found = reranked("ab", ["b", "a"], expected=("a",))
    assert found.retrieved.candidates.raw[0, :2].tolist() == [0.0, -1.0]


def test_the_lexical_reranker_wants_rare_words_and_neighbours():
    texts = ["oil and water and tea", "pump for oil", "the oil pump", "oil here", "oil there"]
    scores = LexicalReranker().score("oil pump", texts)
    assert np.argsort([-s for s in scores], kind="stable").tolist()[:2] == [2, 1]
    assert scores[2] == pytest.approx(1.0)
    # ln(1 + 5/5) and ln(1 + 5/2), and half of their mean for the pair
    oil, pump = np.log(2), np.log(3.5)
    assert scores[1] == pytest.approx((oil + pump) / (oil + pump + 0.5 * (oil + pump) / 2))
    assert LexicalReranker().score("the", texts) == [0.0] * 5


def test_a_service_that_speaks_coheres_rest_reranks():
    pytest.importorskip("rerankers", reason="extra: rerankers")

    def answer(request, n):
        texts = request["body"]["documents"]
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        rows = [{"index": row, "relevance_score": len(texts[row]) / 100,
                 "document": {"text": texts[row]}} for row in order]  # fmt: skip
        return 200, {"results": rows}

    chunks = chunks_of("x", "x and more", "x and much more")
    with serving(answer) as (url, seen):
        service = RerankersLibrary("rerank-v3.5", "cohere", key="k-4711", url=url)
        found = ask(Reranked(Bm25(), service).index(chunks), chunks, "x")
    assert names(found, chunks) == "cba"
    assert found.score[0].tolist() == [0.15, 0.1, 0.01]
    assert seen[0]["headers"]["Authorization"] == "Bearer k-4711"
    assert (seen[0]["body"]["query"], seen[0]["body"]["model"]) == ("x", "rerank-v3.5")


def test_a_model_that_cannot_be_loaded_is_said(tmp_path):
    pytest.importorskip("rerankers", reason="extra: rerankers")
    with pytest.raises(InputError, match="cannot be loaded"):
        RerankersLibrary(str(tmp_path), "no-such-kind").score("x", ["a"])


def test_it_is_chosen_like_any_other_and_named_by_its_stages(typed, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = typed("+retriever=reranked", "retriever@retriever.first=hybrid", *tiny)
    assert "reranked (hybrid + lexical)" in said.out
    table = json.loads(next((tmp_path / "mlruns").rglob("questions.json")).read_text())
    column = table["columns"].index("answer_rank_before_reranking")
    assert any(row[column] for row in table["data"])

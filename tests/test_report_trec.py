"""TREC files of an evaluation are scored alike by every tool."""

import pytest
from scripted import evaluated, question

from rageval.corpus.document import Corpus, Document
from rageval.formats.trec.qrels import read_qrels
from rageval.formats.trec.run import read_run
from rageval.measures import trec_eval
from rageval.measures.trec_eval import judged_ranks
from rageval.report import trec

NAMES = ("a b", "100%", "#x", "ü:1", "q 1", "z")


def exported(tmp_path):
    """An evaluation with tied scores, odd ids, grades, an error and a silent answer; its files."""
    corpus = Corpus(tuple(Document(name, f"text {name}") for name in NAMES), "odd")
    answers = {
        "q 1": [(name, 0.5) for name in reversed(NAMES)],  # all tied: their order is kept
        "q2": ["z", "100%", "z"],
        "q3": [],
        "q4": OSError("down"),
    }
    questions = [
        question("q 1", expected=("a b", "ü:1"), grades={"a b": 3, "ü:1": 1, "z": -1}),
        question("q2", expected=("100%",)),
        question("q3", expected=("z",)),
        question("q4", expected=("z", "#x")),
    ]
    found = evaluated(answers, questions, corpus, hit_at=(1, 2, 3))
    (tmp_path / "run").write_text(trec.run(found, "my run"), encoding="utf-8")
    (tmp_path / "qrels").write_text(trec.qrels(found), encoding="utf-8")
    return found, tmp_path / "qrels", tmp_path / "run"


def test_an_exported_run_keeps_the_order_of_tied_scores(tmp_path):
    _, _, run = exported(tmp_path)
    found = read_run(run)
    assert found.ranking("q%201") == ["z", "q%201", "ü:1", "%23x", "100%25", "a%20b"]
    assert found.ranking("q2") == ["z", "100%25"]
    assert found.name == "my%20run"


def test_our_measures_of_the_exported_files_are_those_of_the_evaluation(tmp_path):
    found, qrels, run = exported(tmp_path)
    ranks = judged_ranks(read_qrels(qrels), read_run(run))
    for k in (1, 2, 3):
        hits = found.values[f"hit_rate_at_{k}"].value
        assert trec_eval.success(ranks, k).tolist() == hits.tolist()
    assert trec_eval.ndcg_at(ranks, 10).tolist() == found.values["ndcg_at_10"].value.tolist()


def test_pytrec_eval_gives_the_exported_run_the_same_values(tmp_path):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="the extra `bench` is not installed")
    found, qrels, run = exported(tmp_path)
    with qrels.open() as labels, run.open() as rankings:
        judge = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(labels), {"success", "ndcg_cut"}
        )
        theirs = judge.evaluate(pytrec_eval.parse_run(rankings))
    # It leaves out what the run does not hold: the silent and the failed question.
    assert set(theirs) == {"q%201", "q2"}
    for row, name in enumerate(["q%201", "q2"]):
        assert theirs[name]["success_1"] == found.values["hit_rate_at_1"].value[row]
        ndcg = found.values["ndcg_at_10"].value[row]
        assert theirs[name]["ndcg_cut_10"] == pytest.approx(ndcg, abs=1e-12)

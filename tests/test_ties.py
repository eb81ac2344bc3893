"""The order of a corpus file is no evidence, and what ties decide is said exactly."""

import itertools
import json
import random
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval.measures import ties


def orders(items):
    return list(itertools.permutations(items))


def spread(values):
    values = list(values)
    return float(sum(values, Fraction(0)) / len(values)), float(min(values)), float(max(values))


def distinct(names):
    return list(dict.fromkeys(names))


@settings(max_examples=60)
@given(
    before=st.integers(0, 3),
    wrong=st.lists(st.integers(1, 3), max_size=3),
    right=st.lists(st.integers(1, 2), min_size=1, max_size=2),
    k=st.integers(1, 5),
)
def test_hit_is_what_trying_every_order_gives(before, wrong, right, k):
    chunks = [f"w{n}" for n, size in enumerate(wrong) for _ in range(size)]
    chunks += [f"r{n}" for n, size in enumerate(right) for _ in range(size)]
    if len(chunks) > 7:
        chunks, wrong = [c for c in chunks if c[0] == "r"], []
    hits = [
        Fraction(any(name[0] == "r" for name in distinct(order)[: max(0, k - before)]))
        for order in orders(chunks)
    ]
    found = ties.hit(before, wrong, right, k)
    assert (found.expected, found.low, found.high) == pytest.approx(spread(hits))


@settings(max_examples=60)
@given(
    before=st.integers(0, 4),
    tied=st.integers(1, 6),
    share=st.integers(1, 6),
    k=st.integers(1, 8),
)
def test_recall_and_mrr_are_what_trying_every_order_gives(before, tied, share, k):
    right = min(share, tied)
    chunks = [True] * right + [False] * (tied - right)
    ranks = [before + 1 + order.index(True) for order in orders(chunks)]
    recall = spread(Fraction(rank <= k) for rank in ranks)
    mrr = spread(Fraction(1, rank) if rank <= k else Fraction(0) for rank in ranks)
    for found, by_hand in (
        (ties.recall(before, tied, right, k), recall),
        (ties.reciprocal_rank(before, tied, right, k), mrr),
    ):
        assert (found.expected, found.low, found.high) == pytest.approx(by_hand)


WORDS = ["bee", "hive", "winter", "boat", "keel", "wind", "bread", "yeast", "sour", "rain"]


def collection(folder, rows, questions):
    """Write a collection in BEIR's layout; `rows` are in the order of the file."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps({"_id": q, "text": text}) + "\n" for q, text, _ in questions)
    )
    lines = [f"{q}\t{document}\t1\n" for q, _, document in questions]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))


def near_duplicates():
    """Twenty groups of ten documents with the same words each."""
    draw = random.Random(5)
    rows, questions = [], []
    for group in range(20):
        words = " ".join(draw.sample(WORDS, 5))
        for copy in range(10):
            rows.append({"_id": f"g{group}-{copy}", "title": "", "text": words})
        questions.append((f"q{group}", words, f"g{group}-0"))
    return rows, questions


def table(typed, folder, retriever, number):
    said = typed(
        f"+retriever={retriever}", "dataset=beir", f"dataset.path={folder}", "chunking=whole",
        "encoder.dimensions=8", "latency.sample=0", "output.questions=none",
        f"tracking.experiment={retriever}{number}",
    )  # fmt: skip
    assert said.code == 0, said.err
    # What differs from run to run is the id and the experiment that it stands in.
    return re.sub(r"\b[0-9a-f]{32}\b|experiment[ =]\S+|experiments/\d+", "…", said.out)


@pytest.mark.thorough
@pytest.mark.parametrize("retriever", ["bm25", "tfidf", "dense", "hybrid"])
def test_the_order_of_the_corpus_file_changes_nothing(retriever, tmp_path, typed):
    rows, questions = near_duplicates()
    answers = []
    for number, order in enumerate((rows, rows[::-1], random.Random(1).sample(rows, len(rows)))):
        collection(tmp_path / "set", order, questions)
        answers.append(table(typed, tmp_path / "set", retriever, number))
    assert answers[0] == answers[1] == answers[2]
    assert "equal scores decide hit@1 of 20 questions" in answers[0]


def test_what_ties_decide_is_said_with_its_expected_value_and_range(tmp_path, typed):
    # Each question finds ten equal documents, one of them right: 1/10 at 1, 3/10 at 3, and 1/10 of
    # (1 + 1/2 + … + 1/6) in a window of six. Groups whose five words are the same would add theirs.
    rows = [
        {"_id": f"{word}-{n}", "title": "", "text": f"{word} alone"}
        for word in WORDS[:4]
        for n in range(10)
    ]
    questions = [(f"q-{word}", word, f"{word}-3") for word in WORDS[:4]]
    collection(tmp_path / "set", rows, questions)
    said = table(typed, tmp_path / "set", "bm25", 0)
    flat = " ".join(said.split())
    for name, expected, high in (
        ("hit@1", 0.1, 1), ("hit@3", 0.3, 1), ("recall", 0.6, 1), ("mrr", 2.45 / 10, 1),
    ):  # fmt: skip
        assert re.search(
            rf"equal scores decide {name} of 4 questions: [01]\.\d\d\d by a hash of the ids, "
            rf"{expected:.3f} expected over all orders, 0.000 to {high:.3f}",
            flat,
        ), (name, said)


def test_a_foreign_ranking_keeps_its_order_and_has_no_ties(tmp_path, typed, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own.py").write_text(
        "class All:\n    def index(self, passages):\n        self.ids = [p.id for p in passages]\n"
        "    def retrieve(self, question, limit, groups):\n"
        "        return [(name, 1.0) for name in sorted(self.ids)][:limit]\n"
    )
    rows, questions = near_duplicates()
    collection(tmp_path / "set", rows, questions)
    said = typed(
        "+retriever=custom", "retriever._target_=own.All", "dataset=beir", "dataset.path=set",
        "chunking=whole", "tracking=off", "latency.sample=0",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert "equal scores" not in said.out

"""Values that come from the order of a file."""

import json

from attacks.attack import attack

TOPIC = "Order is not evidence"
QUICK = ("chunking=whole", "latency.sample=0", "output.questions=none")
SET = ("dataset=beir", "dataset.path=faq", *QUICK)


def near_duplicates(desk, turned=False):
    """Write a collection of five questions, each with ten equal documents, one of them right."""
    folder = desk.folder / "faq"
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    words = ["bee", "hive", "winter", "boat", "keel"]
    rows = [{"_id": f"{word}-{n}", "text": f"{word} alone"} for word in words for n in range(10)]
    lines = [json.dumps(row) + "\n" for row in (rows[::-1] if turned else rows)]
    (folder / "corpus.jsonl").write_text("".join(lines))
    asked = [json.dumps({"_id": f"q-{word}", "text": word}) + "\n" for word in words]
    (folder / "queries.jsonl").write_text("".join(asked))
    grades = "".join(f"q-{word}\t{word}-0\t1\n" for word in words)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + grades)


@attack(
    TOPIC, 0, "equal scores decide hit@1 of 5 questions: … expected over all orders, 0.000 to 1.000"
)
def right_documents_come_first_in_the_file(desk):
    """List the right one of ten equal documents first in the corpus file."""
    near_duplicates(desk)
    return desk.type("+retriever=bm25", *SET)


@attack(TOPIC, 0, "net: +0 of 5 paired questions")
def the_corpus_file_is_turned_round(desk):
    """Turn the corpus file round to make a candidate better than its champion."""
    near_duplicates(desk)
    desk.evaluate("+retriever=bm25", dataset=SET)
    promoted = desk.type("promote", "run=latest", "dataset.name=faq", "threshold.floors={}")
    assert promoted.code == 0, promoted
    near_duplicates(desk, turned=True)
    desk.evaluate("+retriever=bm25", dataset=SET)
    return desk.type("gate", "dataset.name=faq")

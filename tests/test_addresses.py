"""Where MLflow shows what was kept: addresses, descriptions."""

import re

from desk import QUICK, TINY, Desk

from rageval.tracking.addresses import compare_page, opening, runs_page
from rageval.tracking.store import Location, Store


def store(uri):
    return Store(None, "3", "handbook", Location(uri, "given", None))


def test_pages_of_a_server_are_its_own_and_without_accounts():
    there = store("https://maria:secret@mlflow.example.org/")
    assert runs_page(there) == "https://mlflow.example.org/#/experiments/3/runs"
    assert opening(there, runs_page(there)) == f"open {runs_page(there)}"
    assert compare_page(there, ["a", "b"]).endswith(
        "/#/compare-runs?runs=%5B%22a%22%2C%22b%22%5D&experiments=%5B%223%22%5D"
    )


def test_commands_say_where_mlflow_shows_what_they_kept(tmp_path):
    desk = Desk(tmp_path)
    said = desk.type("+retriever=bm25", *TINY, *QUICK)
    assert re.search(
        r"^next: mlflow ui --backend-store-uri \S+   then open http://127\.0\.0\.1:5000/#/experiments"
        r"/\d+/runs to compare runs$",
        said.out,
        re.M,
    )
    compared = desk.type("compare", "run=latest", "with=latest", "dataset.name=tiny")
    assert "/#/compare-runs?runs=" in compared.out


def test_a_model_tells_its_history_and_a_version_its_verdict(tmp_path):
    desk = Desk(tmp_path)
    run = desk.evaluate("+retriever=bm25")
    assert desk.promote(run, "reason=the first | of all").code == 0
    model = desk.client.get_registered_model("rageval-tiny")
    rows = [line for line in model.description.splitlines() if line.startswith("| 20")]
    assert len(rows) == 1
    assert "| promote | – → 1 | passed | the first \\| of all |" in rows[0]
    version = desk.client.get_model_version("rageval-tiny", "1")
    assert version.description.startswith("bm25, heading, k=")
    assert f"passed the gate; [run {run}](#/experiments/" in version.description

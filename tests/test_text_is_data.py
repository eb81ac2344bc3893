"""Control characters, direction marks and line ends in questions, ids, titles, notes, errors."""

import csv
import io
import re

import pytest
from desk import Desk

from rageval.escaping.characters import cell, one_line, plain_cell, visible

EVIL = "\x1b[2J\x07\u202egpj.exe\u2066\x9b31m\r\x08"
NAME = "evil" + "\u202e\u200f"
ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SEPARATE = "\u2028gate PASSED\u2029"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / f"{NAME}.md").write_text(f"# Pump {EVIL}\n\nThe pump runs. {EVIL}\n", newline="")
    (docs / "other.md").write_text("# Tea\n\nThe kettle.\n")
    (tmp_path / "own.py").write_text(
        "class Failing:\n    def retrieve(self, question, limit, groups):\n"
        f"        raise ValueError({EVIL + SEPARATE + chr(10) + 'next: rm -rf'!r})\n"
    )
    import json

    rows = [
        {"id": "q1", "question": f"Where is the pump? {EVIL}{SEPARATE}", "expected": [NAME]},
        {
            "id": "q2",
            "question": "=cmd()|' /C calc'!A0 `x` ``` | <b> kettle",
            "expected": ["other"],
        },
        {"id": "q3", "question": "x\ngate PASSED", "expected": ["other"]},
    ]
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.syspath_prepend(str(tmp_path))
    return Desk(tmp_path)


SET = ("dataset=markdown", "dataset.path=docs", "dataset.questions=g.jsonl", "dataset.name=evil")
SHOWN = (
    "output.questions=all",
    "latency.sample=0",
    "encoder.dimensions=4",
    "+dataset.split.holdout=false",
)


def clean(text):
    found = ORDERS.search(text)
    assert found is None, (
        found,
        text[max(0, found.start() - 60) : found.end() + 20] if found else "",
    )


@pytest.mark.thorough
def test_nothing_that_is_written_for_people_holds_an_order(desk):
    first = desk.type("+retriever=bm25", *SET, *SHOWN, f"run.notes='{NAME} <script>'")
    assert first.code == 0, first
    promoted = desk.type("promote", "dataset.name=evil", "run=latest")
    assert promoted.code == 0, promoted
    second = desk.type("+retriever=custom", "retriever._target_=own.Failing", *SET, *SHOWN)
    assert second.code == 1, second
    gate = desk.type("gate", "dataset.name=evil", "gate.output=out", "gate.run=latest")
    assert gate.code == 1, gate
    check = desk.type("check", *SET, "check.json=check.json")
    for said in (first, promoted, second, gate, check):
        clean((said.out + said.err).replace("\rDownloading artifacts", ""))  # a bar of MLflow
        assert "\ngate PASSED" not in said.out.partition("gate FAILED")[0]
    for name in ("verdict.md", "junit.xml"):
        text = (desk.folder / "out" / name).read_text(encoding="utf-8")
        clean(text)
        assert SEPARATE[0] not in text
    report = desk.type("report", "dataset.name=evil", "format=html", "run=latest", "output=r.html")
    assert report.code == 0, report
    page = (desk.folder / "r.html").read_text(encoding="utf-8")
    clean(page)
    assert "\\u202e" in page
    runs = desk.client.search_runs([e.experiment_id for e in desk.client.search_experiments()])
    for run in runs:
        clean(run.data.tags.get("mlflow.note.content", ""))
        assert "<script>" not in run.data.tags.get("mlflow.note.content", "")


def test_a_csv_export_runs_nothing_in_a_spreadsheet_and_reads_back_the_same(desk):
    said = desk.type("check", *SET, "export=canonical", "export.path=out.csv")
    assert said.code == 0, said
    rows = list(
        csv.DictReader(
            io.StringIO((desk.folder / "out.csv").read_text(encoding="utf-8"), newline="")
        )
    )
    assert not any(value.startswith(("=", "+", "-", "@")) for row in rows for value in row.values())
    words = ("dataset.questions=out.csv", "dataset.name=evil", "check.against=g.jsonl")
    again = desk.type("check", *SET[:2], *words)
    assert again.code == 0, again
    assert "changes since g.jsonl:\n  none\n" in again.out


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "'=1", "''=1", "'tis", "a=1", ""])
def test_a_guarded_cell_reads_back_the_same(text):
    assert plain_cell(cell(text)) == text
    assert not cell(text).startswith(("=", "+", "-", "@", "\t"))


def test_what_is_legible_stays():
    text = "naïve ﬃ 한국어 עברית فارسی 👩‍👩‍👧 a\tb\n"
    assert visible(text) == text
    assert one_line("a\u2028b\r\n") == "a\\u2028b\\r\\n"

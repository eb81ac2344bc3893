"""Judged candidates join a golden set through the checks of every label: all of them or none."""

import json
import re
import shutil

import pytest
import yaml
from desk import DATA, Desk

CASES = [
    {"id": "log-1", "question": "How long do pumps last?", "expected": ["pump"], "source": "log"},
    {"id": "log-2", "question": "Who waters the plants?", "answerable": False, "source": "log"},
    {"id": "log-3", "question": "What is for lunch?", "answerable": "todo", "source": "log"},
]


@pytest.fixture
def desk(tmp_path):
    shutil.copytree(DATA, tmp_path / "data")
    return Desk(tmp_path)


def candidates(desk, cases, name="tiny"):
    body = yaml.safe_dump({"set": name, "questions": cases}, sort_keys=False)
    (desk.folder / "candidates.yaml").write_text(body)


def dataset(golden="golden.yaml"):
    return ("dataset=markdown", "dataset.path=data/documents", f"dataset.questions=data/{golden}",
            "dataset.askers=data/access.yaml", "dataset.name=tiny")  # fmt: skip


def merge(desk, *words, golden="golden.yaml"):
    return desk.type("mine", "merge=true", *dataset(golden), *words)


def test_judged_cases_join_the_set_and_what_was_there_stays_letter_for_letter(desk):
    golden = desk.folder / "data" / "golden.yaml"
    before = golden.read_text()
    candidates(desk, CASES)
    said = merge(desk)
    assert said.code == 0, said
    assert "2 questions added to data/golden.yaml" in said.out
    assert golden.read_text().startswith(before)
    ids = [row["id"] for row in yaml.safe_load(golden.read_text())["questions"]]
    assert ids[-3:] == ["umzug", "log-1", "log-2"]
    left = yaml.safe_load((desk.folder / "candidates.yaml").read_text())["questions"]
    assert [case["id"] for case in left] == ["log-3"]
    assert desk.type("check", *dataset()).code == 0
    assert not (desk.folder / "split.lock").exists()  # a run adds the new ones, as always


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"expected": ["pmp"]}, "the corpus has no such document, did you mean 'pump'?"),
        ({"expected": []}, "question 'log-1': "),
        ({"id": "pump"}, "the id is taken by another question of"),
        ({"asker": "nobody"}, "nobody"),
        ({"forbiden": ["pump"]}, "forbiden"),
        ({"supporting": [{"document": "leave", "heading": ["Carry"]}]}, "Carry"),
    ],
)
def test_one_case_at_fault_is_told_by_file_and_line_and_nothing_is_written(desk, changed, words):
    golden = desk.folder / "data" / "golden.yaml"
    candidates(desk, [CASES[0] | changed, *CASES[1:]])
    before = golden.read_text(), (desk.folder / "candidates.yaml").read_text()
    said = merge(desk)
    assert (said.code, words in said.err) == (2, True), said
    assert re.match(r"candidates\.yaml:[38]: ", said.err)
    assert (golden.read_text(), (desk.folder / "candidates.yaml").read_text()) == before


def test_what_an_interrupted_merge_added_already_is_only_taken_off_the_list(desk):
    candidates(desk, CASES)
    assert merge(desk).code == 0
    golden = (desk.folder / "data" / "golden.yaml").read_text()
    candidates(desk, CASES)
    said = merge(desk)
    assert (said.code, "0 questions added" in said.out) == (0, True)
    assert (desk.folder / "data" / "golden.yaml").read_text() == golden


def test_json_and_rows_are_added_to_and_a_table_is_told_what_to_do(desk):
    rows = yaml.safe_load((DATA / "golden.yaml").read_text())
    data = desk.folder / "data"
    (data / "golden.json").write_text(json.dumps(rows, default=str))
    lines = [{"set": "tiny"}, *rows["questions"]]
    (data / "golden.jsonl").write_text("\n".join(json.dumps(row) for row in lines))
    for name in ("golden.json", "golden.jsonl"):
        candidates(desk, CASES)
        assert merge(desk, golden=name).code == 0
        assert desk.type("check", *dataset(name)).code == 0
        assert "log-2" in (data / name).read_text()
    candidates(desk, CASES)
    (data / "tiny.csv").write_text("id,question,expected,split\np,price of KL-4411,pump,dev\n")
    said = merge(desk, golden="tiny.csv")
    assert (said.code, "cases are added to .yaml, .json and .jsonl" in said.err) == (2, True)


ENTRY = "{id: p, question: x, expected: [pump]}"


@pytest.mark.parametrize(
    "text", [f"set: tiny\nquestions: [{ENTRY}]\n", f"questions:\n  - {ENTRY}\nset: tiny\n"]
)
def test_a_file_that_cannot_be_added_to_is_told_and_stays(desk, text):
    golden = desk.folder / "data" / "golden.yaml"
    golden.write_text(text)
    candidates(desk, CASES)
    said = merge(desk)
    assert (said.code, "if that is the last key" in said.err) == (2, True), said
    assert golden.read_text() == text


def test_nothing_is_added_below_the_end_of_a_document(desk):
    golden = desk.folder / "data" / "golden.yaml"
    text = golden.read_text() + "...\n"
    golden.write_text(text)
    candidates(desk, CASES)
    said = merge(desk)
    assert (said.code, "does it end with `...`?" in said.err) == (2, True), said
    assert golden.read_text() == text


def test_without_candidates_or_with_todo_alone_nothing_happens(desk):
    before = (desk.folder / "data" / "golden.yaml").read_text()
    assert merge(desk).code == 0
    candidates(desk, CASES[2:])
    said = merge(desk)
    assert (said.code, "0 questions added" in said.out, "1 left" in said.out) == (0, True, True)
    assert (desk.folder / "data" / "golden.yaml").read_text() == before


def test_a_case_that_gives_away_a_held_out_question_is_told_without_naming_that(desk):
    twin = {"id": "log-9", "question": "Wie viel Sonderurlaub gibt es bei einem Umzug?",
            "expected": ["urlaub"], "split": "dev"}  # fmt: skip
    candidates(desk, [twin])
    said = merge(desk)
    assert said.code == 0, said
    assert "note: log-9 and the other side of the split give each other away" in said.out
    assert "umzug" not in said.out

"""The canonical format in JSON Lines and CSV, and its schema."""

import csv
import io
import json
from pathlib import Path

import pytest
from scripted import letters

from rageval.errors import InputError
from rageval.formats.canonical.form import FIELDS
from rageval.formats.canonical.golden import GoldenFile
from rageval.formats.canonical.schema import published, schema
from rageval.golden.question import Answerable, Reference

FULL = {
    "id": "q1", "question": "How much?", "form": "GAP", "hard_class": "normal",
    "tags": ["x", "y"], "asker": "maria", "history": ["Hello"], "expected": ["a", "b"],
    "supporting": [
        {"document": "a", "heading": ["H"]},
        {"any_of": [{"document": "b", "quote": "x|y"}, {"document": "b", "span": [0, 4]}]},
    ],
    "distractors": [{"document": "c"}], "grades": {"a": 2, "b": -1}, "group": "g",
    "split": "dev", "source": "log", "added": "2024-05-31", "gist": "ten", "notes": "asked",
}  # fmt: skip
DENIED = {"id": "q2", "question": "Pay?", "answerable": "denied", "forbidden": ["d"]}
NOTHING = {"id": "q3", "question": "Zeppelin?", "answerable": False}


def load(path: Path):
    return GoldenFile(str(path)).load(letters())


def table(*rows: dict) -> str:
    """Return questions as CSV, lists and objects as JSON."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(FIELDS), restval="")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()})
    return out.getvalue()


def refused(path: Path) -> list[str]:
    with pytest.raises(InputError) as error:
        load(path)
    return str(error.value).replace(f"{path}:", "").splitlines()


def test_all_forms_of_a_set_are_the_same_set(tmp_path):
    rows = [FULL, DENIED, NOTHING]
    files = {
        "s.json": json.dumps({"set": "s", "questions": rows}),
        "s.yaml": json.dumps({"set": "s", "questions": rows}),
        "s.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "s.csv": table(*rows),
    }
    digests = set()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
        golden = load(tmp_path / name)
        assert golden.name == "s"
        assert golden.questions[0].added == "2024-05-31"
        assert golden.questions[0].gist == "ten"
        digests.add(golden.digest)
    assert len(digests) == 1


def test_lists_in_cells_stand_between_bars(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text(
        "id,question,expected,tags,grades,supporting,answerable\n"
        "1,Why?,a | b,x|y,a=2|b=0,,\n"
        "no,When?,,,,a|b,TRUE\n"
    )
    first, second = load(path).questions
    assert (first.id, first.expected, first.tags) == ("1", ("a", "b"), ("x", "y"))
    assert first.grades == {"a": 2, "b": 0}
    assert second.id == "no"
    assert second.supporting == ((Reference("a"),), (Reference("b"),))
    assert second.answerable is Answerable.YES


def test_a_first_row_of_json_lines_names_the_set(tmp_path):
    path = tmp_path / "g.jsonl"
    path.write_text('{"set": "hr.leave"}\n{"id": "q", "question": "x", "expected": ["a"]}\n')
    golden = load(path)
    assert (golden.name, len(golden)) == ("hr.leave", 1)
    assert golden.questions[0].where == f"{path}:2"


def test_every_fault_of_json_lines_is_told_with_its_line(tmp_path):
    path = tmp_path / "g.jsonl"
    path.write_text('{"id": "q", "question": "x"}\n{oops\n{"id": 7, "question": "y"}\n')
    told = refused(path)
    assert told[0].startswith("1: question 'q': nothing is expected")
    assert told[1].startswith("2: not JSON: ")
    assert told[2].startswith("3: question number 2: id is 7, read as a number, text is needed")


def test_every_fault_of_a_table_is_told_with_its_line(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text(
        'id,question,expected,extra\nq,"two\nlines",,\nr,x,[a\ns,y,"[""a""",\nt,z,a,b\nq,z,a,\n'
    )
    told = refused(path)
    assert told[0].startswith("2: question 'q': nothing is expected or supporting: ")
    assert told[1] == "4: 3 cells, the head of the table has 4"
    assert told[2] == "5: question 's': expected: not JSON: Expecting ',' delimiter"
    assert told[3].startswith("6: question 't': unknown key 'extra'")
    assert told[4] == "7: question 'q': the id is taken by the question on line 2"
    assert len(told) == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,question,id\nq,x,q\n", "1: the column 'id' occurs twice"),
        ('id,question\nq,"x\n', "2: not CSV: unexpected end of data"),
        ("id,question,grades\nq,x,a=high\n", "2: question 'q': grades of 'a' is 'high'"),
        ("", "1: the set holds no question"),
    ],
)
def test_a_table_at_fault_is_refused(tmp_path, text, told):
    path = tmp_path / "g.csv"
    path.write_text(text)
    assert any(line.startswith(told) for line in refused(path))


def test_the_published_schema_is_the_one_of_the_fields():
    file = Path(__file__).parent.parent / "docs" / "reference" / "golden.schema.json"
    assert file.read_text(encoding="utf-8") == published()
    assert set(schema()["$defs"]["question"]["properties"]) == set(FIELDS)


def test_blank_lines_between_json_lines_are_none(tmp_path):
    path = tmp_path / "g.jsonl"
    row = '{"id": "%s", "question": "x", "expected": ["a"]}\n'
    path.write_text("\n" + row % "q" + "  \n\n" + row % "r" + "\n")
    assert [question.where for question in load(path)] == [f"{path}:2", f"{path}:5"]


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolon"), ("\t", "tab")])
def test_a_table_with_other_separators_is_one_sentence(tmp_path, sign, name):
    path = tmp_path / "g.csv"
    path.write_text("id,question,expected\nq,x,a\nr,y,b\n".replace(",", sign))
    assert refused(path) == [f"1: the table looks {name}-separated, commas are needed"]


def test_a_fault_in_json_over_several_lines_of_a_cell_is_told_once(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text('id,question,tags\nq,x,"[1,\n2"\n')
    assert refused(path) == [
        "2: question 'q': tags: not JSON: Expecting ',' delimiter",
    ]

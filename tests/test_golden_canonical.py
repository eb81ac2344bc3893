import json
from pathlib import Path
from textwrap import dedent

import pytest

from rageval.corpus.document import Corpus, Document
from rageval.errors import InputError
from rageval.formats.canonical.golden import GoldenFile
from rageval.golden.question import Answerable, Reference

CORPUS = Corpus((Document("a", "A"),), "test")


def load(folder: Path, text: str, name: str = "g.yaml"):
    (folder / name).write_text(dedent(text), encoding="utf-8")
    return GoldenFile(str(folder / name)).load(CORPUS)


def faults(folder: Path, text: str, name: str = "g.yaml") -> list[str]:
    with pytest.raises(InputError) as error:
        load(folder, text, name)
    return str(error.value).replace(f"{folder}/{name}:", "").splitlines()


def one(folder: Path, fields: str) -> list[str]:
    """Return the faults of a file whose one question is otherwise right, without their place."""
    text = f"set: s\nquestions:\n- {{id: q, question: Why, {fields}}}\n"
    return [line.removeprefix("3: question 'q': ") for line in faults(folder, text)]


FULL = """\
    set: hr.leave_2
    questions:
      - id: q1
        question: "How much?  "
        form: GAP
        hard_class: near-duplicate
        tags: [negation, german]
        asker: maria
        history: [Hello, And then?]
        expected: [a, b]
        supporting:
          - {document: a, heading: [Leave, Sick]}
          - any_of:
              - {document: b, quote: " ten "}
              - {document: c, span: [3, 9]}
        distractors:
          - {document: d}
        grades: {a: 3, b: -1}
        group: g
        split: holdout
        source: log
        added: 2024-05-31
        gist: ten
        notes: asked often
      - id: q2
        question: Who?
        answerable: false
      - id: q3
        question: What?
        answerable: denied
        forbidden: [e]
"""


def test_every_field_is_read(tmp_path):
    golden = load(tmp_path, FULL)
    assert golden.name == "hr.leave_2"
    first, second, third = golden
    assert (first.id, first.text, first.form) == ("q1", "How much?  ", "GAP")
    assert (first.hard_class, first.tags) == ("near-duplicate", ("negation", "german"))
    assert (first.asker, first.history) == ("maria", ("Hello", "And then?"))
    assert first.expected == ("a", "b")
    assert first.supporting == (
        (Reference("a", heading=("Leave", "Sick")),),
        (Reference("b", quote=" ten "), Reference("c", span=(3, 9))),
    )
    assert first.distractors == (Reference("d"),)
    assert first.grades == {"a": 3, "b": -1}
    assert (first.group, first.split, first.source) == ("g", "holdout", "log")
    assert (first.added, first.gist, first.notes) == ("2024-05-31", "ten", "asked often")
    assert first.where == f"{tmp_path}/g.yaml:3"
    assert first.answerable is Answerable.YES
    assert second.answerable is Answerable.NO
    assert (third.answerable, third.forbidden) == (Answerable.DENIED, ("e",))


def test_json_reads_as_yaml_does(tmp_path):
    content = {
        "set": "s",
        "questions": [
            {"id": "q1", "question": 'Warum “so”? 😀 \\ "x"', "expected": ["a", "b"]},
            {"id": "q2", "question": "Who?", "answerable": False, "grades": {"a": 0}},
        ],
    }
    text = json.dumps(content, indent=1)
    golden = load(tmp_path, text, "g.json")
    assert [q.id for q in golden] == ["q1", "q2"]
    assert golden.questions[0].text == 'Warum “so”? 😀 \\ "x"'
    assert golden.questions[1].where == f"{tmp_path}/g.json:12"  # counted in the text above
    assert golden.digest == load(tmp_path, json.dumps(content, ensure_ascii=False), "h.yaml").digest


def test_ids_that_yaml_reads_as_other_types_are_refused(tmp_path):
    text = """\
        set: s
        questions:
        - {id: no, question: x, expected: [a]}
        - {id: 012, question: x, expected: [a]}
        - {id: 1e3, question: x, expected: [a]}
        - {id: 2024-01-01, question: x, expected: [a]}
        - {id: 7, question: x, expected: [a]}
        - {id: ~, question: x, expected: [a]}
        - {id: [x], question: x, expected: [a]}
        - {id: 'no', question: x, expected: ['012', "1e3"]}
        """
    assert faults(tmp_path, text) == [
        "3: question number 1: id is no, read as true or false, text is needed: write it in quotes",
        "4: question number 2: id is 012, read as a number, text is needed: write it in quotes",
        "5: question number 3: id is 1e3, read as a number, text is needed: write it in quotes",
        "6: question number 4: id is 2024-01-01, read as a date, "
        "text is needed: write it in quotes",
        "7: question number 5: id is 7, read as a number, text is needed: write it in quotes",
        "8: question number 6: id is ~, read as nothing (null), text is needed: write it in quotes",
        "9: question number 7: id is a list, text is needed",
    ]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ("expected: [a, a]", "expected names 'a' twice"),
        ("expected: ['']", "an item of expected is empty or blank"),
        ("expected: [' a']", "an item of expected is ' a', it must not begin or end with blanks"),
        ("expected: a", "expected is text, a list is needed"),
        ("expected: [a], hard_class: ''", "hard_class is empty or blank"),
        ("expected: [a], form: match", "form is 'match', allowed are GAP, MATCH"),
        ("expected: [a], split: test", "split is 'test', allowed are dev, holdout"),
        ("expected: [a], added: yesterday", None),
        ("expected: [a], tags: [x, x]", "tags names 'x' twice"),
        ("expected: [a], history: ['']", "an item of history is empty or blank"),
        ("expected: [a], grades: {a: 1.0}", None),
        ("expected: [a], grades: {a: yes}", None),
        ("expected: [a], grades: {a: 1, a: 2}", "grades names 'a' twice"),
        ("expected: [a], grades: [a]", None),
        ("expected: [a], id: q", "the key 'id' occurs twice"),
        ("expected: []", None),
        ("form: MATCH", None),
        ("expected: [a], answerable: false", "answerable is false, but 'a' is to be found"),
        ("supporting: [{document: a}], answerable: no", None),
        ("grades: {a: 1}, answerable: false", None),
        ("answerable: denied", None),
        ("answerable: denied, forbidden: [b], expected: [a]", None),
        (
            "expected: [a], forbidden: [b]",
            "documents are forbidden, which needs answerable: denied",
        ),
        ("expected: [a], answerable: 1", None),
        (
            "expected: [a], distractors: [{document: a}]",
            "document 'a' is both to be found and a distractor",
        ),
        ("supporting: [{document: a}], distractors: [{document: a}]", None),
        ("supporting: [{document: a, quote: x}], distractors: [{document: a, quote: x}]", None),
        ("expected: [a], distractors: [{any_of: [{document: b}]}]", None),
        ("supporting: [{document: a}, {document: a}]", "supporting lists a twice"),
        ("supporting: [{any_of: [{document: a}, {document: a}]}]", "any_of lists a twice"),
        ("supporting: [{any_of: []}]", "any_of names nothing"),
        ("supporting: [{any_of: [{document: a}], document: b}]", None),
        ("supporting: [a]", "'a' stands here, keys with values are needed"),
        ("supporting: [{heading: [x]}]", "the key 'document' is missing"),
        ("supporting: [{document: a, heading: []}]", "heading names nothing"),
        ("supporting: [{document: a, heading: x}]", None),
        ("supporting: [{document: a, heading: [x], quote: y}]", None),
        ("supporting: [{document: a, quote: ''}]", "quote is empty or blank"),
        ("supporting: [{document: a, span: [5, 5]}]", None),
        ("supporting: [{document: a, span: [-1, 5]}]", None),
        ("supporting: [{document: a, span: [1]}]", None),
        ("supporting: [{document: a, span: [1, '5']}]", None),
        ("supporting: [{document: a, page: 5}]", None),
    ],
)
def test_a_faulty_field_is_refused(tmp_path, fields, sentence):
    lines = one(tmp_path, fields)
    assert lines
    if sentence is not None:
        assert sentence in lines


def test_an_answerable_question_that_a_heading_distracts_may_expect_its_document(tmp_path):
    text = """\
        set: s
        questions:
        - {id: q, question: x, expected: [a], distractors: [{document: a, heading: [Old]}]}
        """
    assert len(load(tmp_path, text)) == 1


def test_an_unknown_key_gets_the_nearest_and_all_known_ones(tmp_path):
    lines = one(tmp_path, "expected: [a], exspected: [b]")
    assert lines[0].startswith(
        "unknown key 'exspected', did you mean 'expected'?; known are added,"
    )


def test_all_faults_of_a_file_are_told_at_once_with_line_and_question(tmp_path):
    text = """\
        set: HR
        questions:
        - id: q1
          question: " "
          expected: [a]
        - id: q2
          question: x
          expected:
          - a
          - a
        - id: q1
          question: x
          expected: [a]
        - just text
        """
    assert faults(tmp_path, text) == [
        "1: 'HR' cannot name a set: use lowercase letters, digits and _, with dots between",
        "4: question 'q1': question is empty or blank",
        "10: question 'q2': expected names 'a' twice",
        "11: question 'q1': the id is taken by the question on line 3",
        "14: question number 4: 'just text' stands here, keys with values are needed",
        "14: question number 4: the key 'id' is missing",
        "14: question number 4: the key 'question' is missing",
    ]


@pytest.mark.parametrize("name", ["", "a..b", ".a", "a.", "A", "a-b", "ä", "a b", "a\n"])
def test_a_set_identifier_is_lowercase_segments_joined_by_dots(tmp_path, name):
    text = json.dumps({"set": name, "questions": [{"id": "q", "question": "x", "expected": ["a"]}]})
    assert faults(tmp_path, text, "g.json")


def test_an_empty_set_is_refused(tmp_path):
    assert faults(tmp_path, "set: s\nquestions: []\n") == ["2: the set holds no question"]


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("", "g.yaml", "the file is empty"),
        ("- a", "g.yaml", "a list stands here"),
        ("set: [", "g.yaml", "not YAML"),
        ("set: s\nset: t\nquestions: []", "g.yaml", "2: the key 'set' occurs twice"),
        ('{"set": "s",\n}', "g.json", "2: not JSON"),
        ('{"set": "s", "questions": [{"id": 1e3}]}', "g.json", "id is 1e3, read as a number"),
        ("[" * 100_000, "g.yaml", "nest"),
        ("[" * 100_000, "g.json", "nested too deeply"),
        ("set: s", "g.toml", "a golden file is .yaml, .yml, .json, .jsonl or .csv"),
    ],
)
def test_a_file_that_is_no_golden_set_is_a_sentence(tmp_path, text, name, told):
    assert told in "\n".join(faults(tmp_path, text, name))


def test_a_missing_file_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"g\.yaml: there is no such file"):
        GoldenFile(str(tmp_path / "g.yaml")).load(CORPUS)


def test_the_digest_ignores_order_gist_and_notes_but_no_scored_field(tmp_path):
    base = {"id": "q", "question": "x", "expected": ["a", "b"], "gist": "g"}

    def digest(*questions: dict) -> str:
        return load(tmp_path, json.dumps({"set": "s", "questions": questions}), "g.json").digest

    other = {"id": "r", "question": "y", "expected": ["a"]}
    assert digest(base, other) == digest(other, {**base, "gist": "h", "notes": "n"})
    changed = [
        {**base, "question": "z"},
        {**base, "expected": ["a"]},
        {**base, "form": "GAP"},
        {**base, "hard_class": "normal"},
        {**base, "tags": ["t"]},
        {**base, "asker": "maria"},
        {**base, "history": ["h"]},
        {**base, "supporting": [{"document": "a"}]},
        {**base, "supporting": [{"document": "a", "heading": ["h"]}]},
        {**base, "supporting": [{"document": "a", "quote": "h"}]},
        {**base, "supporting": [{"document": "a", "span": [0, 1]}]},
        {**base, "distractors": [{"document": "c"}]},
        {**base, "grades": {"a": 1}},
        {**base, "group": "g"},
    ]
    assert len({digest(base), *map(digest, changed)}) == len(changed) + 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ('expected: [a], tags: ["x\\ny"]', r"the tag 'x\ny' holds the control character '\n'"),
        ('expected: [a], asker: "m\\e"', r"the asker 'm\x1b' holds the control character '\x1b'"),
        ('expected: ["a\\0b"]', r"the document 'a\x00b' holds the control character '\x00'"),
        ('expected: [a], hard_class: "x\\Ly"', r"hard_class 'x\u2028y' "),
        ('expected: [a], notes: "x\\0"', r"notes holds the control character '\x00'"),
        (f"expected: [a], tags: [{'t' * 151}]", "has 151 characters, at most 150 are allowed"),
        (f"expected: [a], tags: [{'漢' * 29}]", "has 203 characters as a part of a metric name"),
        (f"expected: [a], hard_class: {'t' * 151}", "has 151 characters, at most 150 are allowed"),
        (f"expected: [a], group: {'t' * 501}", "has 501 characters, at most 500 are allowed"),
    ],
)
def test_what_cannot_be_a_name_is_refused_with_its_line(tmp_path, fields, told):
    (line,) = one(tmp_path, fields)
    assert told in line


def test_an_id_that_cannot_be_one_is_refused_in_every_form(tmp_path):
    row = {"question": "x", "expected": ["a"]}
    rows = [{"id": "a\nb", **row}, {"id": "x" * 501, **row}, {"id": "q", **row, "question": "x\0"}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    assert faults(tmp_path, text, "g.jsonl") == [
        r"1: question 'a\nb': the id 'a\nb' holds the control character '\n'",
        f"2: question '{'x' * 60}…': the id '{'x' * 60}…' has 501 characters, at most 500 are "
        "allowed",
        r"3: question 'q': question holds the control character '\x00'",
    ]
    assert faults(tmp_path, 'id,question,expected\nq,"x\0",a\n', "g.csv") == [
        r"2: question 'q': question holds the control character '\x00'"
    ]


def test_names_of_the_longest_length_are_read(tmp_path):
    fields = f"id: {'i' * 500}, question: Why, expected: [a], tags: [{'t' * 150}]"
    text = f"set: s\nquestions:\n- {{{fields}}}\n"
    assert len(load(tmp_path, text).questions[0].tags[0]) == 150


def test_a_control_character_in_yaml_is_told_with_its_line(tmp_path):
    assert faults(tmp_path, "set: s\nquestions:\n- id: a\x00b\n") == [
        r"3: not YAML: it holds the control character '\x00'"
    ]


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("heading: Kitchen", "heading is text, a list is needed"),
        ('span: "1-3"', "span is text, a list is needed"),
        ("heading: []", "heading names nothing"),
    ],
)
def test_a_place_at_fault_is_told_once(tmp_path, place, told):
    assert one(tmp_path, f"supporting: [{{document: a, {place}}}]") == [told]


def test_a_question_that_is_null_is_called_nothing(tmp_path):
    assert faults(tmp_path, "set: s\nquestions: [null]\n")[0] == (
        "2: question number 1: nothing (null) stands here, keys with values are needed"
    )


def test_a_field_without_a_value_is_called_empty(tmp_path):
    assert one(tmp_path, "expected: [a], asker: ") == ["asker is empty, text is needed"]


@pytest.mark.parametrize("name", ["g.json", "g.jsonl", "g.yaml"])
def test_a_number_of_thousands_of_digits_is_a_sentence(tmp_path, name):
    row = f'{{"id": "q", "question": "x", "expected": ["a"], "grades": {{"a": {"9" * 5000}}}}}'
    text = row + "\n" if name == "g.jsonl" else f'{{"set": "s", "questions": [{row}]}}'
    assert faults(tmp_path, text, name) == [
        f"1: question 'q': grades of 'a' is {'9' * 60}…, read as a number, "
        "a whole number of at most 9 digits is needed"
    ]


def test_a_row_that_is_nested_too_deeply_names_its_file_once(tmp_path):
    assert faults(tmp_path, "\n" + "[" * 100_000 + "\n", "g.jsonl") == [
        "2: not read: it is nested too deeply"
    ]


def test_a_file_of_another_shape_gets_one_line_a_key_and_the_way_to_read_it(typed, tmp_path):
    rows = "".join(f'{{"query": "{n}?", "docs": ["a"]}}\n' for n in range(100))
    (tmp_path / "g.jsonl").write_text(rows)
    (tmp_path / "a.md").write_text("# A\n")
    said = typed("check", "dataset=markdown", "dataset.path=.", "dataset.questions=g.jsonl")
    lines = said.err.splitlines()
    assert said.code == 2
    assert "`check dataset=mapped` with the same path and questions" in lines[0]
    assert len(lines) == 5
    assert lines[1].startswith("g.jsonl:1: unknown key 'query'")
    assert lines[1].endswith("(100 times, on lines 1, 2, 3, 4, 5, …)")

"""JSON Lines: the fast reader is as strict as the slow one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rageval.files.errors import ErrorCollector
from rageval.files.jsonl import _plain, read_rows

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6) | st.sampled_from(['":', '"a" :', "NaN", "Infinity"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=3))
def test_the_fast_reader_reads_what_json_reads_or_leaves_it_to_the_strict_one(content):
    for text in (json.dumps(content), json.dumps(content, ensure_ascii=False, indent=1)):
        assert _plain(text) in (content, None)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        ('{"a"\t:1,"a" :2}', "the key 'a' occurs twice"),
        ('{"m": {"a": 1, "a": 2}}', "the key 'a' occurs twice"),
        ('{"m": [{"a": 1, "a": 2}]}', "the key 'a' occurs twice"),
        ('{"a": NaN}', "NaN is no JSON value"),
        ('{"a": -Infinity}', "-Infinity is no JSON value"),
        ('{"a": 1} x', "Extra data at column 10"),
        ("[1]", "it holds list, not an object"),
        ('{"a": "\\ud800"}', "it holds half of a surrogate pair"),
        ('{"a": 1', "Expecting ',' delimiter at column 8"),
    ],
)
def test_a_row_at_fault_is_told(tmp_path, row, told):
    path, faults = tmp_path / "f.jsonl", ErrorCollector()
    path.write_text(f'{{"ok": true}}\n{row}\n{{"ok": true}}\n')
    assert [found.line for found in read_rows(path, faults)] == [1, 3]
    with pytest.raises(Exception, match="f.jsonl:2") as error:
        faults.raise_if_any()
    assert str(error.value) == f"{path}:2: not a JSON object: {told}"


def test_blank_lines_are_no_rows_and_are_counted(tmp_path):
    path, faults = tmp_path / "f.jsonl", ErrorCollector()
    path.write_text('\n{"a": 1}\n \t\n\r\n{"a": 2}\n\n')
    assert [row.line for row in read_rows(path, faults)] == [2, 5]
    assert not faults


def test_a_number_of_thousands_of_digits_is_kept_as_its_digits(tmp_path):
    path, faults = tmp_path / "f.jsonl", ErrorCollector()
    path.write_text(f'{{"a": {"9" * 5000}}}\n')
    assert next(read_rows(path, faults)).fields == {"a": "9" * 5000}

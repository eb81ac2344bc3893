import gzip
import json
from pathlib import Path

import pytest

from rageval.errors import InputError
from rageval.formats.beir.corpus import BeirCorpus


def rows(*items: dict) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def load(folder: Path, content: bytes, **options):
    (folder / "corpus.jsonl").write_bytes(content)
    return BeirCorpus(str(folder), **options).load()


def faults(folder: Path, content: bytes, **options) -> list[str]:
    with pytest.raises(InputError) as error:
        load(folder, content, **options)
    return str(error.value).replace(f"{folder}/corpus.jsonl:", "").splitlines()


def test_title_and_text_are_joined_by_a_line_feed(tmp_path):
    corpus = load(
        tmp_path,
        rows(
            {"_id": "a", "title": "T", "text": "x"},
            {"_id": "b", "title": "T", "text": ""},
            {"_id": "c", "title": "", "text": "x"},
            {"_id": "d", "text": "x"},
            {"_id": "e", "title": "", "text": ""},
        ),
    )
    assert [d.text for d in corpus] == ["T\nx", "T", "x", "x", ""]


def test_rows_keep_their_order(tmp_path):
    corpus = load(tmp_path, rows({"_id": "b", "text": ""}, {"_id": "a", "text": ""}))
    assert [d.id for d in corpus] == ["b", "a"]


def test_a_byte_order_mark_crlf_and_blank_end_are_accepted(tmp_path):
    content = b"\xef\xbb\xbf" + b'{"_id": "a", "text": "x"}\r\n{"_id": "b", "text": "y"}\r\n\r\n'
    assert [d.id for d in load(tmp_path, content)] == ["a", "b"]


def test_a_packed_corpus_is_read(tmp_path):
    content = gzip.compress(rows({"_id": "a", "text": "x"}))
    (tmp_path / "corpus.jsonl.gz").write_bytes(content)
    assert BeirCorpus(str(tmp_path)).load()[0].text == "x"


def test_a_broken_packed_corpus_is_a_sentence(tmp_path):
    (tmp_path / "corpus.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"corpus\.jsonl\.gz: cannot be read"):
        BeirCorpus(str(tmp_path)).load()


def test_a_missing_corpus_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"there is no corpus\.jsonl, collection\.tsv or"):
        BeirCorpus(str(tmp_path)).load()


def test_groups_come_from_the_metadata_key_that_is_named(tmp_path):
    content = rows(
        {"_id": "a", "text": "", "metadata": {"acl": ["hr"]}},
        {"_id": "b", "text": "", "metadata": {"acl": []}},
        {"_id": "c", "text": ""},
    )
    named = load(tmp_path, content, groups_key="acl")
    assert [d.groups for d in named] == [{"hr"}, frozenset(), frozenset()]
    assert load(tmp_path, content)[0].groups == frozenset()


def test_groups_that_are_no_list_of_names_are_refused(tmp_path):
    content = rows(
        {"_id": "a", "text": "", "metadata": {"acl": "hr"}},
        {"_id": "b", "text": "", "metadata": {"acl": None}},
    )
    assert [line[:20] for line in faults(tmp_path, content, groups_key="acl")] == [
        "1: metadata 'acl': '",
        "2: metadata 'acl': N",
    ]


def test_every_fault_is_told_with_its_line(tmp_path):
    content = b"\n".join(
        [
            b'{"_id": true, "text": "x"}',
            b'{"_id": " a", "text": "x"}',
            b'{"_id": "b"}',
            b'{"text": "x"}',
            b"{oops",
            b"[]",
            b'{"_id": "c", "_id": "d", "text": "x"}',
            b"",
            b'{"_id": "e", "text": "\xff"}',
            b'{"_id": "f", "text": "\\ud83d"}',
            b'{"_id": "g", "text": NaN}',
            b'{"_id": "h", "text": "fine \\ud83d\\ude00"}',
            b'{"_id": "i", "text": "x", "title": 3}',
        ]
    )
    assert faults(tmp_path, content) == [
        "1: _id is True, text in quotes is needed",
        "2: _id is ' a', it must not be empty or have blanks around it",
        "3: the key 'text' is missing",
        "4: the key '_id' is missing",
        "5: not a JSON object: Expecting property name enclosed in double quotes at column 2",
        "6: not a JSON object: it holds list, not an object",
        "7: not a JSON object: the key '_id' occurs twice",
        "9: not a JSON object: it is not UTF-8",
        "10: not a JSON object: it holds half of a surrogate pair",
        "11: not a JSON object: NaN is no JSON value",
        "13: title is 3, text in quotes is needed",
    ]


def test_duplicate_ids_are_all_named_with_their_lines(tmp_path):
    content = rows(*({"_id": name, "text": name} for name in "abacbb"))
    assert faults(tmp_path, content) == [
        "3: document id 'a' is taken by line 1",
        "5: document id 'b' is taken by line 2 (2 times, on lines 5, 6)",
    ]


@pytest.mark.realdata
def test_lisa_is_refused_with_the_four_ids_that_it_repeats(realdata):
    with pytest.raises(InputError) as error:
        BeirCorpus(str(realdata / "lisa")).load()
    lines = str(error.value).splitlines()
    assert [line.split("'")[1] for line in lines] == ["1998", "1999", "2000", "2001"]


@pytest.mark.realdata
def test_llm_zoomcamp_is_refused_with_the_id_that_it_repeats(realdata):
    with pytest.raises(InputError) as error:
        BeirCorpus(str(realdata / "llm_zoomcamp_faq")).load()
    assert str(error.value).count("\n") == 0
    assert "'593f7569'" in str(error.value)


@pytest.mark.realdata
def test_cranfield_keeps_its_two_empty_documents(realdata):
    corpus = BeirCorpus(str(realdata / "cranfield")).load()
    assert [d.id for d in corpus if not d.text] == ["471", "995"]


def test_a_groups_key_that_no_row_has_does_not_make_everything_public(tmp_path):
    content = rows({"_id": "a", "text": "", "metadata": {"acl": ["hr"]}})
    assert faults(tmp_path, content, groups_key="alc") == [
        " no row has groups in its metadata 'alc'"
    ]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"_id": "a\x1b", "text": ""}, r"1: _id 'a\x1b' holds the control character '\x1b'"),
        ({"_id": "x" * 501, "text": ""}, f"1: _id '{'x' * 60}…' has 501 characters, at most 500"),
        (
            {"_id": "a", "text": "", "metadata": {"Groups": ["hr"]}},
            "1: metadata 'groups': it is missing and 'Groups' stands here",
        ),
        (
            {"_id": "a", "text": "", "metadata": {"groups": ["h\nr"]}},
            r"1: metadata 'groups': the group 'h\nr' holds the control character '\n'",
        ),
    ],
)
def test_a_name_that_cannot_be_one_and_misspelt_groups_are_refused(tmp_path, row, told):
    right = {"_id": "b", "text": "", "metadata": {"groups": ["hr"]}}
    found = faults(tmp_path, rows(row, right), groups_key="groups")
    assert len(found) == 1
    assert found[0].startswith(told)

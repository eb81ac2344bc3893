"""Inputs that would hang the program, fill its memory, or reach outside of what was named."""

import gzip
import os
import socket
import time

import pytest
from desk import DATA, QUICK, TINY, Desk

from rageval.errors import InputError
from rageval.files.limits import Limits, set_limits
from rageval.files.nodes import compose_yaml, plain_yaml
from rageval.files.text import read_text


@pytest.fixture(autouse=True)
def defaults():
    yield
    set_limits({})


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def refused(path):
    begun = time.monotonic()
    with pytest.raises(InputError) as fault:
        read_text(path)
    assert time.monotonic() - begun < 5
    return str(fault.value)


def test_a_pipe_a_device_a_socket_and_a_folder_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
    (tmp_path / "link").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    assert refused(tmp_path / "pipe").endswith("is a pipe; a regular file is needed")
    assert refused(tmp_path / "socket").endswith("is a socket; a regular file is needed")
    assert refused(tmp_path / "link").endswith("is a device; a regular file is needed")
    assert refused(tmp_path).endswith("is a folder; a regular file is needed")
    assert "cannot be read" in refused(tmp_path / "loop")


@pytest.mark.parametrize("key", ["dataset.questions", "dataset.askers", "dataset.split.lock"])
def test_no_command_waits_for_a_pipe(desk, key):
    os.mkfifo(desk.folder / "pipe.yaml")
    for command in ("check", "evaluate"):
        words = [w for w in TINY if not w.startswith(f"{key}=")]
        more = ["+retriever=bm25", *QUICK] if command == "evaluate" else []
        said = desk.type(command, *words, *more, f"{key}=pipe.yaml")
        assert (said.code, "is a pipe" in said.err) == (2, True), said


def test_a_pipe_among_the_documents_is_named(desk):
    (desk.folder / "docs").mkdir()
    (desk.folder / "docs" / "a.md").write_text("# A\n")
    os.mkfifo(desk.folder / "docs" / "b.md")
    said = desk.type("check", *TINY, "dataset.path=docs")
    assert (said.code, "docs/b.md: is a pipe" in said.err) == (2, True), said


def test_a_file_above_the_limit_is_not_read(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(3_000_000)
    set_limits({"file_mb": 2})
    assert refused(tmp_path / "large").endswith("holds 3 MB; up to 2 are read (limits.file_mb)")


def test_a_small_file_that_unpacks_to_a_large_one_is_not_unpacked(tmp_path):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(50_000_000)))
    assert "unpacks to more than 10 MB from 0.0" in refused(tmp_path / "bomb.gz")
    (tmp_path / "fine.gz").write_bytes(gzip.compress(b"a" * 9_000_000))
    assert len(read_text(tmp_path / "fine.gz")) == 9_000_000


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (LAUGHS, "its aliases add"),
        ("a: &a [*a]", "an alias is inside what it names"),
        ("a: " + "[" * 101 + "]" * 101, "101 lists and mappings within each other, up to 100"),
    ],
)
def test_yaml_is_neither_deep_nor_blown_up(tmp_path, desk, text, part):
    with pytest.raises(InputError, match=part):
        compose_yaml(text, tmp_path / "x.yaml")
    candidates = desk.folder / "candidates.yaml"
    candidates.write_text(f"set: tiny\nquestions: []\n{text}")
    for words in (
        ("mine", "merge=true", f"candidates={candidates}"),
        ("check", f"dataset.questions={candidates}"),
        ("check", f"dataset.askers={candidates}"),
        ("gate", "dataset.name=tiny", f"gate.exceptions={candidates}", "gate.run=latest"),
    ):
        said = desk.type(*words[:1], *(TINY if words[0] != "gate" else ()), *words[1:])
        assert said.code in (2, 3), said
        assert words[0] == "gate" or part.partition(",")[0] in said.err, said


def test_a_few_aliases_are_what_people_write(tmp_path):
    assert plain_yaml("a: &a [1, 2]\nb: *a\n", tmp_path / "x") == {"a": [1, 2], "b": [1, 2]}
    assert compose_yaml("a: " + "[" * 99 + "]" * 99, tmp_path / "x") is not None


@pytest.mark.parametrize("tag", ["!!binary aGk=", "!!set {a}", "!!python/name:os.system"])
def test_values_of_other_types_are_not_made(tmp_path, tag):
    with pytest.raises(InputError, match=r"x:1: a value of the tag .* is not read"):
        plain_yaml(f"a: {tag}", tmp_path / "x")


@pytest.mark.parametrize(
    "words",
    [
        ("window.k=range(1,100000000)",),
        ("window.k=range(1,1000)", "chunking.size=range(100,1000)", "chunking=fixed"),
        ("hydra/sweeper=optuna", "window.k=range(1,100000000)"),
    ],
)
def test_an_enormous_sweep_is_refused_at_once(desk, words):
    if "hydra/sweeper=optuna" in words:
        pytest.importorskip("optuna", reason="extra: optuna")
    begun = time.monotonic()
    said = desk.type("-m", "+retriever=bm25", *TINY, *QUICK, *words)
    assert time.monotonic() - begun < 20
    assert (said.code, "(limits.cells)" in said.err) == (2, True), said
    assert list(desk.folder.iterdir()) == []


def test_the_limit_of_cells_can_be_set(desk):
    said = desk.type("-m", "+retriever=bm25,tfidf", *TINY, *QUICK, "window.k=1,2", "limits.cells=3")
    assert (
        said.err
        == "the sweep has 4 cells (retriever 2 × window.k 2); up to 3 are run (limits.cells)\n"
    )
    assert desk.type("check", *TINY, "limits.cells=0").code == 2
    assert "unknown key" in desk.type("check", *TINY, "+limits.size=0").err


@pytest.fixture
def linked(desk):
    """A corpus with a link that stays inside, one that leaves it, and a linked folder."""
    docs, other = desk.folder / "docs", desk.folder / "other"
    docs.mkdir()
    other.mkdir()
    (docs / "a.md").write_text("# A\n")
    (docs / "same.md").symlink_to("a.md")
    (other / "b.md").write_text("# B\n")
    (other / "back").symlink_to(docs)
    golden = desk.folder / "g.yaml"
    golden.write_text("set: g\nquestions:\n- {id: q, question: What?, expected: [a]}\n")
    return desk, docs, other


CHECK = ("check", "dataset=markdown", "dataset.path=docs", "dataset.questions=g.yaml")


def test_a_link_that_leaves_the_corpus_is_refused_or_followed_by_option(linked):
    desk, docs, other = linked
    (docs / "out.md").symlink_to(other / "b.md")
    said = desk.type(*CHECK)
    assert said.code == 2
    assert f"docs/out.md: is a link to {other / 'b.md'}, outside of the corpus's folder" in said.err
    assert "3 documents" in desk.type(*CHECK, "dataset.corpus.links=follow").out


def test_a_linked_folder_is_said_or_followed_once(linked):
    desk, docs, other = linked
    (docs / "more").symlink_to(other)
    said = desk.type(*CHECK)
    assert (said.code, "2 documents" in said.out) == (0, True), said
    assert "not read, as they are linked folders: more (1 in all)" in said.out
    assert "3 documents" in desk.type(*CHECK, "dataset.corpus.links=follow").out


def test_limits_are_documented_as_they_are():
    conf = plain_yaml((DATA.parents[2] / "conf/limits/default.yaml").read_text(), DATA)
    assert conf == Limits().model_dump()

"""retriever=command with a real program."""

import sys

import pytest
from tiny import ask, chunks_of, names

from rageval.errors import InputError
from rageval.retrieval.adapters.command import Command
from rageval.retrieval.retrievers.foreign import Foreign

CHUNKS = chunks_of("oil pump", "bread oven", "butter knife", groups={"c": ["hr"]})
PROGRAM = r"""
import json, sys, time
passages = []
for line in sys.stdin:
    asked = json.loads(line)
    if "passage" in asked:
        passages.append(asked["passage"])
        continue
    if "passages" in asked:
        print(json.dumps({"ready": asked["passages"]}), flush=True)
        continue
    word = asked["question"]
    if word == "late":
        time.sleep(5)
    if word == "end":
        sys.exit("out of memory")
    answer = {
        "found": {"hits": ["b", ["a", 0, 3], {"id": "c", "score": 2}]},
        "plain": ["c", ["b", 0.5]],
        "error": {"error": "no such field"},
        "odd": 7,
        "indexed": [p["id"] for p in passages if not p["groups"]][: asked["limit"]],
        "groups": asked["groups"],
    }.get(word, [])
    print("garbage" if word == "garbage" else json.dumps(answer), flush=True)
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "search.py").write_text(PROGRAM, encoding="utf-8")
    return (sys.executable, str(tmp_path / "search.py"))


def asked(program, *questions, depth=5, groups=(), **settings):
    index = Foreign(Command(program, **settings)).index(CHUNKS)
    return index, ask(index, CHUNKS, *questions, depth=depth, groups=groups)


def test_a_line_a_question_and_a_line_with_its_hits(program):
    index, found = asked(program, "found", "plain", "groups", groups=["a"])
    chunks = index.returned.chunks
    assert [chunks.text(n) for n in found.chunk[0]] == ["bread oven", "oil", "butter knife"]
    assert names(found, chunks, 1) == "cb"
    assert names(found, chunks, 2) == "a"
    assert found.score[0, 2] == 2.0


def test_what_goes_wrong_is_an_error_of_its_question_and_the_next_one_is_answered(program):
    _, found = asked(program, "late", "plain", "end", "plain", "garbage", "odd", "error", "plain",
                     timeout=1.0)  # fmt: skip
    told = {row: failure.sentence for row, failure in found.errors.items()}
    assert "no answer within 1 s (retriever.timeout)" in told[0]
    assert "ended with 1: out of memory" in told[2]
    assert "answered a line that is no JSON: 'garbage'" in told[4]
    assert "answered 7, not a list of hits" in told[5]
    assert "no such field" in told[6]
    assert sorted(told) == [0, 2, 4, 5, 6]


def test_the_program_may_index_our_chunks(program):
    _, found = asked(program, "indexed", build=True)
    assert names(found, CHUNKS) == "ab"


def test_a_program_that_cannot_be_started_stops_the_run():
    with pytest.raises(InputError, match=r"retriever.command: no-such-program: cannot be started"):
        asked(("no-such-program",), "x")

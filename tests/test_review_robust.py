"""The review server under requests that no page of ours sends: it never answers 500."""

import json
import string
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_review import TOKEN, session  # noqa: F401  a fixture

from rageval.mining.pool import pool_path
from rageval.review.server import application

WORDS = st.one_of(
    st.text(st.characters(), max_size=12),  # control characters and lone surrogates, too
    st.sampled_from(["leave", "pump", "log-1", "../x", "a\x00b", "=1", "\ud800", "9" * 400, ""]),
)
NUMBERS = st.one_of(st.integers(), st.floats(), st.booleans(), st.none())
EVIDENCE = st.fixed_dictionaries(
    {"document": WORDS},
    optional={
        "heading": st.lists(WORDS, max_size=3),
        "span": st.one_of(NUMBERS, st.lists(st.integers(-5, 10**30), max_size=3)),
        "text": WORDS,
    },
)
BODIES = st.fixed_dictionaries(
    {"answer": st.sampled_from(["todo", "found", "nothing", "x"])},
    optional={
        "supporting": st.lists(st.one_of(EVIDENCE, st.lists(EVIDENCE, max_size=2)), max_size=3),
        "expected": st.lists(WORDS, max_size=3),
        "distractors": st.lists(EVIDENCE, max_size=2),
        "form": st.sampled_from(["MATCH", "GAP", None, 3]),
        "tags": st.one_of(st.lists(WORDS, max_size=3), WORDS),
        "gist": st.one_of(WORDS, NUMBERS),
    },
)


@pytest.fixture
def client(session):  # noqa: F811
    return application(session, TOKEN, lambda: None).test_client()


FUZZ = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@FUZZ
@given(body=st.one_of(BODIES.map(json.dumps), st.binary(max_size=40), WORDS.map(json.dumps)))
def test_no_judgement_whatever_it_holds_is_answered_with_500(client, body):
    answer = client.post("/cases/log-1", data=body, headers={"X-Token": TOKEN})
    assert answer.status_code in (200, 400), (body, answer.data)
    assert client.get("/cases/log-1", headers={"X-Token": TOKEN}).status_code == 200


PATHS = st.text(st.sampled_from(string.printable + "%é\ud800\x00"), max_size=20)


@FUZZ
@given(path=PATHS, query=PATHS, method=st.sampled_from(["GET", "POST", "PUT", "HEAD"]))
def test_no_address_is_answered_with_500(client, path, query, method):
    from urllib.parse import quote

    for place in ("/", "/cases/", "/documents/", "/cases/log-1/search?words="):
        address = place + quote(path, safe="%/", errors="surrogatepass")
        answer = client.open(
            address,
            method=method,
            headers={"X-Token": TOKEN},
            data=query.encode("utf-8", "replace"),
        )
        assert answer.status_code < 500, (address, answer.data)


@pytest.mark.parametrize("content", ["", "[", "questions: 3", "\x00", "a: &a [*a, *a]", "- x"])
def test_a_file_that_somebody_broke_meanwhile_is_named(client, session, content):  # noqa: F811
    session.path.write_text(content)
    for path in ("/cases", "/cases/log-1"):
        answer = client.get(path, headers={"X-Token": TOKEN})
        assert answer.status_code == 400, answer.data
        assert "candidates.yaml" in answer.json["faults"][0]


CASE = "set: tiny\nquestions:\n- {id: log-1, question: q, answerable: todo, %s}\n"
STRANGE = [
    "gist: !!binary aGk=", "tags: !!set {a}", "notes: 2024-01-01", "x: .nan", "asker: 3",
    "gist: &a [*a]", "supporting: {document: x}", "tags: [[a]]", "? [a] : b", "asker: [a]",
    "added: 2024-01-01 00:00:00", "gist: !!omap [a: 1]", "form: 99999999999999999999999",
]  # fmt: skip


@pytest.mark.parametrize("value", STRANGE)
def test_a_strange_value_in_the_file_is_shown_or_named(client, session, value):  # noqa: F811
    session.path.write_text(CASE % value)
    body = json.dumps({"answer": "nothing", "gist": "g"})
    for call in (
        lambda: client.get("/cases", headers={"X-Token": TOKEN}),
        lambda: client.get("/cases/log-1", headers={"X-Token": TOKEN}),
        lambda: client.get("/cases/log-1/search?words=a", headers={"X-Token": TOKEN}),
        lambda: client.post("/cases/log-1", data=body, headers={"X-Token": TOKEN}),
    ):
        answer = call()
        assert answer.status_code in (200, 400), answer.data


@pytest.mark.parametrize("content", ["", "[]", "3", "{", '{"log-1": 3}', '{"log-1": [{}]}', "\x00"])
def test_broken_suggestions_are_named(client, session, content):  # noqa: F811
    pool_path(session.path).write_text(content)
    answer = client.get("/cases/log-1", headers={"X-Token": TOKEN})
    assert answer.status_code == 400 or content == "{}", answer.data


def test_a_file_that_cannot_be_read_or_written_is_named(client, session):  # noqa: F811
    session.path.unlink()
    session.path.mkdir()
    body = json.dumps({"answer": "nothing"})
    for answer in (
        client.get("/cases", headers={"X-Token": TOKEN}),
        client.post("/cases/log-1", data=body, headers={"X-Token": TOKEN}),
    ):
        assert answer.status_code == 400, answer.data
        assert "candidates.yaml" in answer.json["faults"][0]


def test_a_search_that_fails_is_named(session):  # noqa: F811
    def search(words, asker):
        raise RuntimeError("the index is gone")

    broken = application(replace(session, search=search), TOKEN, lambda: None).test_client()
    answer = broken.get("/cases/log-1/search?words=a", headers={"X-Token": TOKEN})
    assert (answer.status_code, answer.json["faults"]) == (400, ["RuntimeError: the index is gone"])


@pytest.mark.parametrize("token", ["é", "\xff", "a" * 100_000])
def test_a_strange_token_is_refused(client, token):
    assert client.get("/?review=" + token).status_code == 403

"""retriever=http against a real server on the loopback interface."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from tiny import ask, chunks_of, names

from rageval.config.build import build
from rageval.errors import InputError, UnreachableError
from rageval.retrieval.adapters.http import HttpService
from rageval.retrieval.retrievers.foreign import Foreign

pytest.importorskip("httpx", reason="extra: http")
pytest.importorskip("stamina", reason="extra: http")


@contextmanager
def serving(answer):
    """Serve `answer(request)`, which returns a status and a JSON value or a text."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            request = {
                "path": urlsplit(self.path).path,
                "query": {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()},
                "body": json.loads(body) if body else None,
                "headers": dict(self.headers),
                "at": time.monotonic(),
            }
            seen.append(request)
            status, content, *more = answer(request, len(seen))
            data = content if isinstance(content, str) else json.dumps(content)
            self.send_response(status)
            for name, value in (more[0] if more else {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data.encode())))
            self.end_headers()
            self.wfile.write(data.encode())

        do_GET = do_POST

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/search", seen
    finally:
        server.shutdown()
        server.server_close()


CHUNKS = chunks_of("oil pump", "bread oven", "butter knife")
HITS = {"data": {"results": [{"doc": {"name": "c"}, "rank": 0.75}, {"doc": {"name": "a"}}]}}
MAPPED = {
    "request": "{q: question, top_k: limit, acl: groups}",
    "hits": "data.results",
    "hit": {"document": "doc.name", "score": "rank"},
}


def asked(url, *questions, groups=(), foreign=None, **settings):
    service = HttpService(url=url, **{"retries": 0, **settings})
    index = Foreign(service, **foreign or {}).index(CHUNKS)
    return ask(index, CHUNKS, *questions or ["?"], depth=5, groups=groups)


def test_request_and_answer_are_mapped():
    with serving(lambda request, n: (200, HITS)) as (url, seen):
        found = asked(url, "butter?", groups=["hr"], headers={"X-Key": "k"}, **MAPPED)
    assert names(found, CHUNKS) == "ca"
    assert found.score[0, 0] == 0.75
    assert seen[0]["body"] == {"q": "butter?", "top_k": 5, "acl": ["hr"]}
    assert seen[0]["headers"]["X-Key"] == "k"
    assert len(seen) == 1


def test_a_get_request_has_its_parameters_in_the_address():
    with serving(lambda request, n: (200, {"hits": ["b", "a"]})) as (url, seen):
        found = asked(url, "bread & oven", method="GET")
    assert names(found, CHUNKS) == "ba"
    assert seen[0]["query"] == {"query": "bread & oven", "limit": "5"}


def test_a_failed_attempt_is_followed_by_another_up_to_the_limit():
    def second(request, n):
        return (503, "busy", {"Retry-After": "0.01"}) if n == 1 else (200, {"hits": ["a"]})

    with serving(second) as (url, seen):
        assert names(asked(url, retries=1), CHUNKS) == "a"
        assert len(seen) == 2
    with serving(lambda request, n: (503, "busy", {"Retry-After": "0.01"})) as (url, seen):
        found = asked(url, retries=2)
    assert len(seen) == 3
    assert "the service answers 503: busy" in found.errors[0].sentence


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((404, "no such index"), "the service answers 404: no such index"),
        ((200, "<html>"), "the answer is no JSON: '<html>'"),
        ((200, {"results": []}), "retriever.hits='hits' finds nothing in the answer, not a list"),
        ((200, {"hits": [{"x": 1}]}), "it has the key 'x'"),
    ],
)
def test_an_answer_that_cannot_be_used_fails_its_question_and_is_not_asked_again(answer, told):
    with serving(lambda request, n: answer) as (url, seen):
        found = asked(url, retries=3)
    assert told in found.errors[0].sentence
    assert len(seen) == 1


def test_a_late_answer_fails_its_question():
    def late(request, n):
        time.sleep(0.6)
        return 200, {"hits": []}

    with serving(late) as (url, _):
        assert "the service does not answer" in asked(url, timeout=0.2).errors[0].sentence


def test_questions_are_asked_at_once_and_no_faster_than_the_rate():
    def slow(request, n):
        time.sleep(0.3)
        return 200, {"hits": ["a"]}

    with serving(slow) as (url, _):
        begun = time.monotonic()
        asked(url, *"abcd", foreign={"concurrency": 4})
        assert time.monotonic() - begun < 1.0  # one after the other they take 1.2 s
    with serving(lambda request, n: (200, {"hits": []})) as (url, seen):
        begun = time.monotonic()
        asked(url, *"abcd", rate=5.0, foreign={"concurrency": 4})
    # The last is sent three steps of 0.2 s after the first, and the first not before we begin.
    assert max(request["at"] for request in seen) - begun >= 0.6


def test_a_service_that_is_away_is_unreachable_before_the_first_question():
    with pytest.raises(UnreachableError, match="retriever HttpService cannot be reached"):
        asked("http://127.0.0.1:1/search")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"url": "search.example.org"}, "retriever.url: it must begin with http"),
        ({"hits": "a["}, "retriever.hits: 'a[' is no JMESPath"),
        ({"hit": {"title": "t"}}, "retriever.hit.title: unknown key; known: id, document"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_any_question(settings, told):
    node = {"_target_": "rageval.retrieval.adapters.http.HttpService", "url": "http://h/"}
    with pytest.raises(InputError) as error:
        build({**node, **settings}, "retriever")
    assert told in str(error.value)


def test_a_token_from_the_secrets_is_sent_and_never_shown(typed, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEARCH_TOKEN", "geheim-4711")
    with serving(lambda request, n: (401, f"no {request['headers']['Authorization']}")) as (url, _):
        said = typed(
            "+retriever=http", f"retriever.url={url}", "+secrets.token=${oc.env:SEARCH_TOKEN}",
            "+retriever.headers.Authorization='Bearer ${secrets.token}'", *tiny,
        )  # fmt: skip
    assert said.code == 1
    assert "the service answers 401" in said.out
    kept = [p.read_bytes() for p in (tmp_path / "mlruns").rglob("*") if p.is_file()]
    assert not any(b"geheim-4711" in content for content in [said.out.encode(), *kept])

"""Secrets: a canary in every place that takes one, and then every byte that was written."""

import json
import sqlite3
import zlib
from base64 import b64encode
from pathlib import Path

import pytest
from desk import QUICK, TINY, Desk

from rageval.escaping import redaction

CANARY = 'kánary"7/&<x y'
FORMS = [  # as it may stand in text, JSON, HTML, an address
    CANARY, json.dumps(CANARY)[1:-1], "kánary&quot;7", "k%C3%A1nary", 'kánary"7', "kánary\\\\\"7",
]  # fmt: skip
SERVICE = """
import logging

class Service:
    def __init__(self, token, url):
        self.token, self.url = token, url

    def retrieve(self, question, limit, groups):
        print("asking with", self.token)
        logging.getLogger("service").warning("token %s", self.token)
        raise ValueError(f"401 for {self.url} with {self.token!r}")
"""


@pytest.fixture(autouse=True)
def known():
    yield
    redaction.forget()


def written(folder):
    """Yield every byte below a folder, and what the cells of its databases hold."""
    for path in folder.rglob("*"):
        if not path.is_file() or path.name == "service.py":
            continue
        content = path.read_bytes()
        yield path, content
        if path.suffix in {".npz", ".gz"}:
            yield path, zlib.decompress(content, 47)
        if content.startswith(b"SQLite format 3"):
            with sqlite3.connect(path) as connection:
                yield path, "\n".join(connection.iterdump()).encode()


def leaks(folder, *said):
    """Return where a form of the canary stands."""
    found = [
        str(path) for path, content in written(folder) if any(f.encode() in content for f in FORMS)
    ]
    return found + [text for text in said if any(form in text for form in FORMS)]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    (tmp_path / "service.py").write_text(SERVICE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SERVICE_TOKEN", CANARY)
    return Desk(tmp_path)


SECRET = (
    "+retriever=custom", "retriever._target_=service.Service",
    "+secrets.search.token=${oc.env:SERVICE_TOKEN}", "+retriever.token=${secrets.search.token}",
    "+retriever.url=https://bob:${secrets.search.token}@host/find",
)  # fmt: skip


def test_a_secret_of_a_failing_retriever_is_nowhere(desk):
    said = desk.type(*SECRET, *TINY, "latency.sample=0", "run.notes=with ${secrets.search.token}")
    assert said.code == 1, said
    assert "asking with (secret)" in said.out
    assert "ValueError: 401 for https://(secret)@host/find" in said.out
    assert leaks(desk.folder, said.out, said.err) == []
    run = desk.client.search_runs([e.experiment_id for e in desk.client.search_experiments()])[0]
    trace = desk.client.download_artifacts(run.info.run_id, "errors.txt")
    assert "Traceback" in Path(trace).read_text(encoding="utf-8")


def test_a_secret_is_not_in_a_sweep_and_not_in_what_comes_after_it(desk):
    said = desk.type("-m", *SECRET, *TINY, *QUICK, "window.k=2,3", "cache=disk")
    gate = desk.type("gate", "dataset.name=tiny", "gate.run=" + "0" * 32)
    shown = desk.type("--cfg", "job", "--resolve", *SECRET, *TINY)
    assert shown.code == 0
    assert leaks(desk.folder, said.out, said.err, gate.err, shown.out, shown.err) == []


@pytest.mark.parametrize(
    "words",
    [
        ("+secrets.token='{}'", "retriever=bm25", "retriever.k1=${{secrets.token}}"),
        ("+secrets.token='{}'", "nothing.like.this=${{secrets.token}}"),
        ("+secrets.token='{}'", "+retriever=bm25", "chunking='${{secrets.token}}'"),
        ("+secrets.token='{}'", "+retriever=bm25", "dataset.questions='${{secrets.token}}'"),
        ("+secrets.token='{}", "+retriever=bm25"),
    ],
)
def test_a_typed_secret_is_not_in_a_refusal(desk, words):
    said = desk.type(*TINY, *(word.format(CANARY) for word in words))
    assert said.code == 2, said
    assert leaks(desk.folder, said.out, said.err) == []


ADDRESSES = [
    ("tracking.uri=http://bob:{}@127.0.0.1:9", "s3cr@tpass"),
    ("tracking.uri=http://127.0.0.1:9/?token={}", "s3cr3tpass"),
    ("tracking.uri=postgresql://bob:{}@127.0.0.1:9/x", "s3cr3tpass"),
    ("cache.dir=ftp://bob:{}@127.0.0.1:9/x", "s3cr3tpass"),
    ("+hydra/nothing=http://bob:{}@h", "s3cr3tpass"),
    ("tracking.uri='postgresql://bob:p@{}@127.0.0.1:9/db'", "s3cr3tpass"),
    ("tracking.uri='postgresql://bob:a/b@{}@127.0.0.1:9/db'", "s3cr3tpass"),
    ("tracking.uri='http://bob:hunter#{}@127.0.0.1:9'", "s3cr3tpass"),
    ("tracking.uri='mssql+pyodbc:///?odbc_connect=DRIVER%3Dx%3BPWD%3D{}'", "s3cr3tpass"),
    ("tracking.uri='bob:{}@127.0.0.1:9'", "s3cr3tpass"),
    ("tracking.uri='//bob:{}@127.0.0.1:9'", "s3cr3tpass"),
    ("tracking.uri='http:/bob:{}@127.0.0.1:9'", "s3cr3tpass"),
]


@pytest.mark.parametrize(("word", "password"), ADDRESSES)
def test_the_account_in_an_address_is_not_shown(desk, word, password, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    said = desk.type("+retriever=bm25", *TINY, *QUICK, word.format(password), "cache=disk")
    assert said.code in (2, 4), said
    everything = b"".join(content for _, content in written(desk.folder))
    assert password not in said.out + said.err
    assert password.encode() not in everything


def test_an_address_with_an_account_is_not_kept_and_a_gate_says_so(desk):
    run = desk.evaluate("+retriever=bm25", "+secrets.x=1", "run.notes=https://bob:pa55word@host/")
    assert leaks(desk.folder) == []
    everything = b"".join(content for _, content in written(desk.folder))
    assert b"pa55word" not in everything
    assert run


def test_short_secrets_are_hidden_as_words_alone():
    redaction.remember(["abcd", "ab", ""])
    said = redaction.redacted("ab, abcd, abcde and x=abcd.")
    assert said == "ab, (secret), abcde and x=(secret)."


def test_environment_is_read_by_secrets_alone_however_it_is_written(desk, monkeypatch):
    monkeypatch.setenv("WINDOW", "3")
    name = "${oc.${run.name}:WINDOW}"
    said = desk.type("+retriever=bm25", *TINY, *QUICK, "run.name=env", f"window.k='{name}'")
    assert said.code == 2
    assert "only values below `secrets` may be read from there" in said.err
    assert [path.name for path in desk.folder.iterdir()] == ["service.py"]


def test_a_secret_in_base64_is_hidden_wherever_it_begins():
    redaction.remember(["swordfish-42"])
    for name in ("", "a", "ab", "bob", "somebody"):
        header = b64encode(f"{name}:swordfish-42".encode()).decode()
        assert redaction.redacted(f"Basic {header}") != f"Basic {header}"


def test_links_are_no_accounts():
    for text in ("https://medium.com/@user/x", "see http://h:8080/@x", "mail bob@host.org", "a@b"):
        assert redaction.without_accounts(text) == text
        redaction.remember_passwords(text)
        assert redaction.redacted(f"{text} user x") == f"{text} user x"

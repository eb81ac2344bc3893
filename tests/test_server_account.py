"""A tracking server behind a password that stands in its address."""

import shutil

import pytest
from desk import DATA, LOCAL, Desk
from guarded import Guard
from server import Server

pytestmark = pytest.mark.thorough

PASSWORD = "p@ss:w0rd-%41"  # with everything that has a meaning in an address
QUOTED = "p@ss:w0rd-%2541"


@pytest.fixture
def guarded(tmp_path):
    (tmp_path / "server").mkdir()
    server = Server(tmp_path / "server")
    guard = Guard(server.port, "bob", PASSWORD)
    yield guard
    guard.end()
    server.kill()


def test_a_name_and_a_password_in_the_address_are_used_and_shown_nowhere(guarded, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    shutil.copytree(DATA, folder / "tiny")
    desk = Desk(folder, f"http://bob:{QUOTED}@127.0.0.1:{guarded.port}")
    said = desk.type("+retriever=bm25", *LOCAL, "latency.sample=0", "encoder.dimensions=4")
    assert said.code == 0, said
    gate = desk.type("gate", "dataset.name=tiny", "gate.output=out")
    promote = desk.type("promote", "dataset.name=tiny")
    assert (gate.code, promote.code) == (0, 0), (gate, promote)
    for text in (said.out, said.err, gate.out, promote.out, promote.err):
        assert "w0rd" not in text
    everything = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"w0rd" in content for content in everything)


def test_a_wrong_password_is_one_sentence(guarded, tmp_path):
    desk = Desk(tmp_path, f"http://bob:wr0ng-word@127.0.0.1:{guarded.port}")
    said = desk.type("gate", "dataset.name=tiny")
    assert said.code == 4, said
    assert "wr0ng-word" not in said.err
    assert len(said.err.splitlines()) == 1, said.err

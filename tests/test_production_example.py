"""docs/production.md as it is typed, on a real PostgreSQL with pgvector and Qdrant's local mode."""

import re
import shlex
from pathlib import Path

import pytest
from postgres import Postgres as Server
from test_adapter_postgres import with_pgvector

from rageval.production import pipeline

pytest.importorskip("psycopg", reason="extra: postgres")
pytest.importorskip("qdrant_client", reason="extra: qdrant")
pytest.importorskip("wordllama", reason="extra: wordllama")
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect"),
]
PAGE = Path(__file__).parents[1] / "docs" / "production.md"


def commands():
    """Return the commands of the page, in order, as words after the program's name."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(line.split("-m rageval ", 1)[1]) for line in lines if "-m rageval" in line]


@pytest.fixture
def database():
    place = with_pgvector()
    if place is None:
        pytest.skip("no pgvector here: pip install pgserver")
    started = Server(place)
    yield started.url
    started.stop()


def row(said):
    return next(line.split()[1:7] for line in said.out.splitlines() if line.startswith("all "))


def test_the_example_goes_from_two_indexes_to_a_champion_in_a_service(
    database, typed, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAGES", database)
    said = [typed(*words) for words in commands()]
    codes = [one.code for one in said]
    assert codes == [0] * len(said), [one.out + one.err for one in said if one.code]
    built, measured, other = said[0], said[2], said[5]
    assert row(built) == row(measured) == row(other)
    assert "passages came back" in measured.out
    assert "regressed  (0)" in said[6].out
    assert "s3cret" not in "".join(one.out + one.err for one in said)
    window = pipeline("models:/rageval-handbook@champion").retrieve("BK-2215 pump flow")
    assert len(window) == 6
    assert "BK-2215" in window[0].text

"""retriever=postgres and pgvector against a real server."""

import importlib.util
from pathlib import Path

import pytest
from postgres import Postgres as Server
from postgres import programs
from tiny import ask, chunks_of, names

from rageval.chunking.nothing import NoChunks
from rageval.errors import InputError, UnreachableError
from rageval.retrieval.adapters.postgres import Postgres
from rageval.retrieval.encoders.lsa import Lsa
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.foreign import Foreign

psycopg = pytest.importorskip("psycopg", reason="extra: postgres")
pytestmark = pytest.mark.thorough

TEXTS = (
    "The oil pump is on the left of the engine.",
    "Bread is baked in the oven, and bread is sold here.",
    "A butter knife is for butter.",
    "Salaries: the pump operator earns much, oil or not.",
)
SECRET = {"d": ["hr"]}


def with_pgvector():
    """Return the programs of a PostgreSQL that has pgvector, or those of any."""
    found = importlib.util.find_spec("pgserver")  # its import warns and starts things
    return Path(found.origin).parent / "pginstall" / "bin" if found else None


@pytest.fixture(scope="module")
def server():
    place = with_pgvector() or programs()
    if place is None:
        pytest.skip("no PostgreSQL here: apt-get install postgresql, or pip install pgserver")
    started = Server(place)
    yield started
    started.stop()


@pytest.fixture
def vectors(server):
    if with_pgvector() is None:
        pytest.skip("no pgvector here: pip install pgserver")
    return server


def chunks(**settings):
    return chunks_of(*TEXTS, groups=SECRET, **settings)


def searched(retriever, *questions, of=None, groups=()):
    cut = chunks() if of is None else of
    index = Foreign(retriever).index(cut)
    return index, ask(index, cut, *questions, groups=groups)


def test_full_text_finds_any_word_and_keeps_its_scores(server):
    index, found = searched(Postgres(server.url, build=True), "pumps for oil?", "bread", "zzz")
    assert names(found, index.returned.chunks) == "a"
    assert names(found, index.returned.chunks, 1) == "b"
    assert found.count.tolist() == [1, 1, 0]
    assert found.score[0, 0] > 0
    assert index.returned.chunks is index.cut  # every hit is one of our chunks


@pytest.mark.parametrize("kind", ["full text", "vectors"])
def test_the_database_filters_by_group_before_it_cuts(request, server, kind):
    if kind == "vectors":
        request.getfixturevalue("vectors")
    encoder = Lsa(dimensions=4) if kind == "vectors" else None
    postgres = Postgres(server.url, encoder=encoder, build=True, table="rageval_groups")
    cut = chunks()
    index = Foreign(postgres).index(cut)
    asked = "salaries of the pump operator, oil, bread, butter"
    closed, public = (ask(index, cut, asked, depth=9, groups=g) for g in (["hr"], ()))
    order = names(closed, cut)
    assert "d" in order
    assert names(public, cut) == order.replace("d", "")
    place = order.index("d") + 1  # with a limit that reaches it, something public takes its place
    assert names(ask(index, cut, asked, depth=place), cut) == order.replace("d", "")[:place]


def test_vectors_order_as_our_exact_search_does(vectors):
    cut, lsa = chunks(), Lsa(dimensions=3)
    ours = ask(Dense(lsa).index(cut), cut, *TEXTS, groups=["hr"])
    index, theirs = searched(Postgres(vectors.url, encoder=lsa, build=True), *TEXTS, groups=["hr"])
    for row in range(len(TEXTS)):
        count = int(ours.count[row])
        assert theirs.chunk[row, :count].tolist() == ours.chunk[row, :count].tolist()
        assert theirs.score[row, :count] == pytest.approx(ours.score[row, :count], abs=1e-4)


def test_a_table_that_exists_is_measured_by_a_query_of_ones_own(server):
    with psycopg.connect(server.url.replace("+psycopg", ""), autocommit=True) as base:
        base.execute("drop table if exists pages")
        base.execute("create table pages (key int, path text, body text, acl text[])")
        rows = [(n, name, text, list(SECRET.get(name, ())))
                for n, (name, text) in enumerate(zip("abcd", TEXTS, strict=True))]  # fmt: skip
        with base.cursor() as cursor:
            cursor.executemany("insert into pages values (%s, %s, %s, %s)", rows)
    query = """
        select key as id, path as document, substr(body, 1, 12) as text, length(body) as size,
               -length(body) as score
        from pages where body ilike '%%' || %(question)s || '%%' and (acl = '{}' or acl && %(groups)s::text[])
        order by score desc limit %(limit)s
    """  # noqa: E501
    index, found = searched(Postgres(server.url, query=query), "oil", of=chunks(chunker=NoChunks()))
    passages = index.returned.chunks
    assert [passages.text(n) for n in found.chunk[0]] == ["The oil pump"]
    assert found.score[0, 0] == -len(TEXTS[0])


def test_a_table_of_somebody_else_is_never_replaced_and_a_query_cannot_write(server):
    address = server.url.replace("+psycopg", "")
    with psycopg.connect(address, autocommit=True) as base:
        base.execute("drop table if exists theirs")
        base.execute("create table theirs (id text)")
    with pytest.raises(InputError, match="the table 'theirs' exists, and index.build=true"):
        searched(Postgres(server.url, table="theirs", build=True), "x")
    query = "insert into theirs values (%(question)s) returning id"
    _, found = searched(Postgres(server.url, query=query), "x")
    assert "read-only" in found.errors[0].sentence
    with psycopg.connect(address) as base:
        assert base.execute("select count(*) from theirs").fetchone() == (0,)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"table": "rageval_gone"}, "there is no table 'rageval_gone' to measure"),
        ({"encoder": Lsa(), "query": "select 1"}, "encoder: Lsa learns from our chunks"),
        ({"build": True}, "chunking=none makes none"),
    ],
)
def test_what_cannot_be_measured_is_said_before_the_first_question(server, settings, told):
    with pytest.raises(InputError, match=told):
        searched(Postgres(server.url, **settings), "x", of=chunks(chunker=NoChunks()))


def test_a_query_that_fails_fails_its_question(server):
    _, found = searched(Postgres(server.url, query="select nothing"), "x", "y")
    assert 'column "nothing" does not exist' in found.errors[0].sentence
    assert len(found.errors) == 2


def test_a_database_that_is_away_is_unreachable_and_its_password_is_not_shown():
    with pytest.raises(UnreachableError) as error:
        searched(Postgres("postgresql://u:geheim@127.0.0.1:1/d", query="select 1"), "x")
    assert "geheim" not in str(error.value)

"""Id maps: what the ids of a retriever's own stand for."""

import sqlite3

import pytest
from scripted import Script, evaluated, question
from tiny import corpus_of

from rageval.chunking.nothing import NoChunks
from rageval.config.build import build
from rageval.errors import InputError, UnreachableError
from rageval.golden.question import Reference
from rageval.retrieval.ids.fields import MetadataFields
from rageval.retrieval.ids.file import IdFile
from rageval.retrieval.ids.pattern import IdPattern
from rageval.retrieval.ids.sql import IdQuery
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.retrievers.foreign import Foreign

TEXTS = ("one two three", "four five six")


def rank(ids, *hits):
    """Return the rank in the window of the passage that holds `five`."""
    found = evaluated(
        Foreign(Script({"q": list(hits)}), ids=ids),
        [question("q", supporting=((Reference("b", quote="five"),),))],
        corpus=corpus_of(*TEXTS),
        chunker=NoChunks(),
    )
    assert found.retrieved.errors == {}
    return int(found.ranks.evidence[0])


def test_a_pattern_names_the_document_and_a_text_the_place_in_it():
    pattern = IdPattern("{document}#chunk-{n}")
    assert rank(pattern, "a#chunk-0", "b#chunk-1") == 2
    hits = [{"id": "b#chunk-0", "text": "four"}, {"id": "b#chunk-1", "text": "five  six"}]
    assert rank(pattern, *hits) == 2


def test_a_pattern_may_name_characters():
    assert rank(IdPattern("{document}/{start}..{end}"), "b/0..4", "b/5..9") == 2


@pytest.mark.parametrize("pattern", ["chunk-{n}", "{document}:{start}", "{document}{document}"])
def test_a_pattern_that_cannot_be_read_is_refused(pattern):
    node = {"_target_": "rageval.retrieval.ids.pattern.IdPattern", "pattern": pattern}
    with pytest.raises(InputError, match=r"ids\.pattern"):
        build(node, "retriever.ids")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ids.csv", "id,document,start,end\n7,a,0,3\n8,b,5,9\n"),
        ("ids.tsv", "id\tdocument\ttext\n7\ta\tone\n8\tb\tfive\n"),
        (
            "ids.jsonl",
            '{"id": 7, "text": "one"}\n{"id": 8, "document": "b", "start": 5, "end": 9}\n',
        ),
    ],
)
def test_a_file_says_what_ids_stand_for(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert rank(IdFile(str(path)), "7", "8") == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,document\n7,a\n7,b\n", "ids.csv:3: the id '7' occurs twice"),
        ("id,document\n,a\n", "ids.csv:2: it has no id"),
        ("id,document\n7,\n", "ids.csv:2: the id '7' it says neither document nor text"),
        ("id,document,start\n7,a,1\n", "'start' and 'end' are two whole numbers"),
        ("name,document\n7,a\n", "it has no column id; it has: name, document"),
        ("id,document\n", "it holds no ids"),
    ],
)
def test_a_file_with_faults_is_refused_before_the_first_question(tmp_path, content, told):
    path = tmp_path / "ids.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        rank(IdFile(str(path)), "7")
    assert told in str(error.value)


def test_a_database_says_what_ids_stand_for(tmp_path):
    path = tmp_path / "chunks.db"
    with sqlite3.connect(path) as db:
        db.execute("create table chunks (key int, page text, low int, high int)")
        db.executemany("insert into chunks values (?,?,?,?)", [(7, "a", 0, 3), (8, "b", 5, 9)])
    query = "select key as id, page as document, low as start, high as end from chunks"
    assert rank(IdQuery(f"sqlite:///{path}", query), "7", "8") == 2
    with pytest.raises(InputError, match="no such column"):
        IdQuery(f"sqlite:///{path}", "select absent from chunks").translate(Hit())
    with pytest.raises(InputError, match="there is no such file"):
        IdQuery("sqlite:///gone.db", query).translate(Hit())


def test_a_database_that_is_away_is_unreachable():
    pytest.importorskip("psycopg", reason="extra: postgres")
    ids = IdQuery("postgresql+psycopg://u:geheim@127.0.0.1:1/d", "select 1")
    with pytest.raises(UnreachableError) as error:
        ids.translate(Hit())
    assert "geheim" not in str(error.value)


def test_metadata_say_where_a_hit_is_from():
    fields = MetadataFields("source.path", start="at[0]", end="at[1]", prefix="/srv/")
    hits = [
        {"id": "1", "metadata": {"source": {"path": "/srv/a"}}},
        {"id": "2", "metadata": {"source": {"path": "/srv/b"}, "at": [5, 9]}},
    ]
    assert rank(fields, *hits) == 2


def test_an_expression_that_cannot_be_read_is_refused():
    with pytest.raises(InputError, match=r"ids\.document: 'source\.' is no JMESPath"):
        MetadataFields("source.")

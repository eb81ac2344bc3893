"""Question logs of every kind, read to the same questions; PostgreSQL is a real one."""

import gzip
import json
import sqlite3
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from postgres import PASSWORD, Postgres, programs

from rageval.errors import InputError, UnreachableError
from rageval.mining.questionlog.asked import Asked, Log
from rageval.mining.questionlog.columns import Columns, read_log
from rageval.mining.questionlog.csv import CsvLog
from rageval.mining.questionlog.jsonl import JsonlLog
from rageval.mining.questionlog.parquet import ParquetLog
from rageval.mining.questionlog.sql import SqlLog

NAMES = {
    "question": "question", "asked_at": "asked_at", "top_score": "top_score",
    "result_count": "result_count", "feedback": "feedback", "helpful": ("up",),
    "unhelpful": ("down",), "answered": "answered", "asker": "asker", "documents": "documents",
}  # fmt: skip
ROWS = [
    {
        "question": "Wie viel Urlaub, “genau”?\nUnd wann?", "asked_at": "2026-11-29T10:00:00+01:00",
        "top_score": 0.5, "result_count": 3, "feedback": "up", "answered": True,
        "asker": "tom", "documents": ["leave", "hr/pay"],
    },
    {"question": "nothing, found", "asked_at": "2026-11-28T09:30:00", "top_score": None,
     "result_count": 0, "feedback": "down", "answered": False, "asker": None, "documents": []},
    {"question": " ", "asked_at": None, "top_score": None, "result_count": None,
     "feedback": None, "answered": None, "asker": None, "documents": None},
    {"question": "later", "asked_at": None, "top_score": -1.5, "result_count": 1,
     "feedback": "shrug", "answered": None, "asker": None, "documents": None},
]  # fmt: skip
FIRST = datetime(2026, 11, 29, 9, tzinfo=UTC)
SECOND = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)  # without a zone it is UTC


def columns(**changed):
    return Columns(**NAMES | changed)


def csv_of(folder):
    lines = ["question,asked_at,top_score,result_count,feedback,answered,asker,documents"]
    for row in ROWS:
        cells = ("|".join(v) if isinstance(v, list) else "" if v is None else str(v)
                 for v in row.values())  # fmt: skip
        lines.append(",".join(f'"{cell}"' for cell in cells))
    (folder / "log.csv").write_text("\n".join(lines), encoding="utf-8")
    return CsvLog(path=str(folder / "log.csv"))


def jsonl_of(folder):
    short = [{k: v for k, v in row.items() if v is not None} for row in ROWS]
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, short)))
    return JsonlLog(path=str(folder / "log.jsonl"))


def parquet_of(folder):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    typed = [
        row | {"asked_at": row["asked_at"] and datetime.fromisoformat(row["asked_at"])}
        for row in ROWS
    ]
    for row in typed:  # a column of one kind: all in UTC, as its type says
        when = row["asked_at"]
        row["asked_at"] = when and when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)
    pq.write_table(pa.Table.from_pylist(typed), folder / "log.parquet")
    return ParquetLog(path=str(folder / "log.parquet"))


def sqlite_of(folder):
    with sqlite3.connect(folder / "log.db") as base:
        base.execute(
            "CREATE TABLE asked (question TEXT, asked_at TEXT, top_score REAL, result_count INT, "
            "feedback TEXT, answered INT, asker TEXT, documents TEXT)"
        )
        base.executemany(
            "INSERT INTO asked VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [[json.dumps(v) if isinstance(v, list) else v for v in r.values()] for r in ROWS],
        )
    base.close()
    return SqlLog(url=f"sqlite:///{folder / 'log.db'}", table="asked")


@pytest.mark.parametrize("make", [csv_of, jsonl_of, parquet_of, sqlite_of])
def test_every_kind_of_log_is_read_to_the_same_questions(tmp_path, make):
    log = read_log(make(tmp_path), columns())
    assert log.blank == 1
    first, second, last = log
    assert first == Asked(
        ROWS[0]["question"], first.row, FIRST, 0.5, 3, True, True, "tom", ("leave", "hr/pay")
    )
    assert second == Asked("nothing, found", second.row, SECOND, None, 0, False, False, None, ())
    assert last == Asked("later", last.row, None, -1.5, 1, None, None, None, ())


def test_a_packed_file_is_read_too(tmp_path):
    csv_of(tmp_path)
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "log.csv").read_bytes()))
    assert len(read_log(CsvLog(path=str(packed)), columns())) == 3


def test_every_bad_value_is_told_with_its_line_and_what_is_needed(tmp_path):
    (tmp_path / "log.csv").write_text(
        "question,asked_at,top_score,result_count\n"
        "a,yesterday,0.1,1\n"
        "b,2026-11-29,high,1\n"
        "c,2026-11-29,inf,1.5\n"
        "d,2026-11-29,0.1,-1\n"
    )
    with pytest.raises(InputError) as told:
        read_log(
            CsvLog(path=str(tmp_path / "log.csv")),
            columns(feedback=None, answered=None, asker=None, documents=None),
        )
    place = tmp_path / "log.csv"
    assert str(told.value).splitlines() == [
        f"{place}:2: asked_at is 'yesterday': a date and time like 2026-11-30T12:00:00Z is needed",
        f"{place}:3: top_score is 'high': a number is needed",
        f"{place}:4: top_score is 'inf': a finite number is needed",
        f"{place}:4: result_count is '1.5': a whole number from 0 is needed",
        f"{place}:5: result_count is '-1': a whole number from 0 is needed",
    ]


def test_what_is_no_text_or_number_is_told_and_never_taken_for_a_question(tmp_path):
    rows = [{"question": {"text": "a"}}, {"question": [1]}, {"question": True},
            {"question": "b", "result_count": [1]}]  # fmt: skip
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    none = dict.fromkeys(NAMES.keys() - {"question", "result_count", "helpful", "unhelpful"})
    with pytest.raises(InputError) as told:
        read_log(JsonlLog(path=str(tmp_path / "log.jsonl")), columns(**none))
    assert [line.rpartition(": ")[2] for line in str(told.value).splitlines()] == [
        *["a text is needed"] * 3,
        "a number is needed",
    ]


def test_of_a_wrong_column_the_first_rows_are_told_and_how_many_there_are(tmp_path):
    (tmp_path / "log.csv").write_text("question,top_score\n" + "a,high\n" * 1000)
    none = dict.fromkeys(NAMES.keys() - {"question", "top_score", "helpful", "unhelpful"})
    with pytest.raises(InputError) as told:
        read_log(CsvLog(path=str(tmp_path / "log.csv")), columns(**none))
    first, *rest = str(told.value).splitlines()
    assert first.endswith("log.csv: top_score cannot be read in 1,000 rows; the first 20:")
    assert [row.rpartition(": ")[2] for row in rest] == [
        "a number is needed (20 times, on lines 2, 3, 4, 5, 6, …)"
    ]


def test_a_mask_that_fails_or_gives_no_text_is_told_without_what_was_said():
    log = Log("here", (Asked("my secret", 3), Asked("other", 4)), 1)

    def broken(text):
        raise RuntimeError(text)

    with pytest.raises(InputError, match="^here:3: the masking failed with RuntimeError$"):
        log.masked(broken)
    with pytest.raises(InputError, match="^here:3: the masking gave NoneType, a text is needed$"):
        log.masked(lambda text: None)
    left = log.masked(lambda text: text.replace("my secret", " "))
    assert ([one.text for one in left], left.blank) == (["other"], 2)


def test_a_column_that_occurs_twice_is_refused(tmp_path):
    (tmp_path / "log.csv").write_text("question,question\na,b\n")
    none = dict.fromkeys(NAMES.keys() - {"question", "helpful", "unhelpful"})
    with pytest.raises(InputError, match="log.csv:1: the column 'question' occurs twice"):
        read_log(CsvLog(path=str(tmp_path / "log.csv")), columns(**none))


def test_every_missing_column_is_told_with_those_that_there_are(tmp_path):
    (tmp_path / "log.csv").write_text("text,when\nx,2026-11-29\n")
    with pytest.raises(InputError) as told:
        read_log(CsvLog(path=str(tmp_path / "log.csv")), columns())
    first, second, *_ = str(told.value).splitlines()
    assert "no column 'question' (columns.question); there are: text, when" in first
    assert second.endswith("columns.asked_at=null does without")


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-11-29", datetime(2026, 11, 29, tzinfo=UTC)),
        ("2026-11-29 10:00:00", datetime(2026, 11, 29, 10, tzinfo=UTC)),
        (date(2026, 11, 29), datetime(2026, 11, 29, tzinfo=UTC)),
        (datetime(2026, 11, 29, 10, tzinfo=timezone(timedelta(hours=1))),
         datetime(2026, 11, 29, 9, tzinfo=UTC)),
        (1764410400, datetime(2025, 11, 29, 10, tzinfo=UTC)),
        (1764410400000, datetime(2025, 11, 29, 10, tzinfo=UTC)),
        ("1764410400", datetime(2025, 11, 29, 10, tzinfo=UTC)),  # a CSV has its numbers as text
        ("1764410400000", datetime(2025, 11, 29, 10, tzinfo=UTC)),
        ("20251129", datetime(2025, 11, 29, tzinfo=UTC)),
        (float("nan"), None),
    ],
)  # fmt: skip
def test_times_of_all_forms_are_moments(value, moment):
    class One:
        place = "here"

        def rows(self, faults):
            yield 1, {"question": "x", "asked_at": value, "top_score": Decimal("0.25")}

    none = dict.fromkeys(("result_count", "feedback", "answered", "asker", "documents"))
    (asked,) = read_log(One(), columns(**none))
    assert (asked.when, asked.top_score) == (moment, 0.25)


# --- databases


def test_what_is_no_database_or_table_is_a_sentence_and_makes_no_file(tmp_path):
    sqlite_of(tmp_path)
    known = f"sqlite:///{tmp_path / 'log.db'}"
    for url, table, query, words in (
        (known, "nope", None, "there is no such table; there are: asked"),
        (known, None, None, "exactly one of log.table and log.query is needed"),
        (known, "asked", "select 1", "exactly one of log.table and log.query is needed"),
        (known, None, "select nonsense", "no such column: nonsense"),
        (f"sqlite:///{tmp_path / 'none.db'}", "asked", None, "none.db: there is no such file"),
        ("nonsense", "asked", None, "it is no address of SQLAlchemy"),
        ("nosuch://h/d", "asked", None, "SQLAlchemy knows no such database"),
    ):
        with pytest.raises(InputError, match=words.replace("(", r"\(")):
            read_log(SqlLog(url=url, table=table, query=query), columns())
    assert not (tmp_path / "none.db").exists()


def test_a_query_chooses_rows_and_columns(tmp_path):
    sqlite_of(tmp_path)
    source = SqlLog(
        url=f"sqlite:///{tmp_path / 'log.db'}",
        query="SELECT question AS q FROM asked WHERE result_count = 0",
    )
    none = dict.fromkeys(NAMES, None) | {"question": "q", "helpful": (), "unhelpful": ()}
    assert [one.text for one in read_log(source, Columns(**none))] == ["nothing, found"]


@pytest.fixture(scope="module")
def postgres():
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    pytest.importorskip("psycopg")
    server = Postgres(found)
    yield server
    server.stop()


def fill(postgres):
    import psycopg

    plain = postgres.url.replace("+psycopg", "")
    with psycopg.connect(plain) as base:
        base.execute("CREATE SCHEMA IF NOT EXISTS app")
        base.execute("DROP TABLE IF EXISTS app.asked")
        base.execute(
            "CREATE TABLE app.asked (question text, asked_at timestamptz, top_score numeric(6,3), "
            "result_count int, feedback text, answered boolean, asker text, documents text[])"
        )
        for row in ROWS:
            when = row["asked_at"] and datetime.fromisoformat(row["asked_at"])
            when = when and when.replace(tzinfo=when.tzinfo or UTC)
            base.execute(
                "INSERT INTO app.asked VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                [*(row | {"asked_at": when}).values()],
            )


def test_postgresql_is_read_as_the_files_are(postgres, tmp_path):
    fill(postgres)
    found = read_log(SqlLog(url=postgres.url, table="app.asked"), columns())
    same = read_log(csv_of(tmp_path), columns())
    assert [(a.text, a.when, a.top_score, a.results, a.helpful, a.answered, a.documents)
            for a in found] == [
        (a.text, a.when, a.top_score, a.results, a.helpful, a.answered, a.documents)
        for a in same
    ]  # fmt: skip


def test_postgresql_that_refuses_or_is_away_is_told_without_the_password(postgres):
    fill(postgres)
    with pytest.raises(InputError, match='relation "nope" does not exist') as told:
        read_log(SqlLog(url=postgres.url, query="select * from nope"), columns())
    assert PASSWORD not in str(told.value)
    wrong = postgres.url.replace(PASSWORD, "wr0ng")
    with pytest.raises(UnreachableError, match="password authentication failed") as away:
        read_log(SqlLog(url=wrong, table="app.asked"), columns())
    assert "wr0ng" not in str(away.value)
    postgres.stop()
    try:
        with pytest.raises(UnreachableError) as away:
            read_log(SqlLog(url=postgres.url, table="app.asked"), columns())
        assert PASSWORD not in str(away.value)
    finally:
        postgres.start()

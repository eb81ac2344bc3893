"""PostgreSQL: full text, or vectors with the extension pgvector."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from rageval.errors import InputError, UnreachableError
from rageval.escaping.redaction import without_accounts
from rageval.retrieval.adapters.payload import payload_of, require_ours, require_passages
from rageval.retrieval.adapters.vectors import fitted, of_question
from rageval.retrieval.encoders.encoder import Encoder, Encoding
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.passages.hit import PARTS, Hit, hit_of
from rageval.retrieval.retrievers.foreign import Passage
from rageval.retrieval.retrievers.retriever import require
from rageval.schema.fields import Flag, Name, component

_NAME = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?")
_COLUMNS = 'id, document, start, "end", text'
_VISIBLE = "(cardinality(groups) = 0 or groups && %(groups)s::text[])"
# Any word of the question will do, as with BM25; websearch_to_tsquery wants all of them.
_ASKED = """
to_tsquery(%(language)s::regconfig, array_to_string(
  array(select quote_literal(word) from unnest(tsvector_to_array(
    to_tsvector(%(language)s::regconfig, %(question)s))) as word), ' | '))
"""
_PATIENCE = 10  # seconds until a database that does not answer counts as away
_FULL_TEXT = """
select {columns}, ts_rank(words, asked) as score
from {table}, {asked} as asked
where words @@ asked and {visible}
order by score desc, id limit %(limit)s
"""
_NEAREST = """
select {columns}, 1 - (embedding <=> %(vector)s::vector) as score
from {table}
where {visible}
order by embedding <=> %(vector)s::vector, id limit %(limit)s
"""


@component
class Postgres:
    """Asks a PostgreSQL database in SQL; only a table that we build is ever written.

    Parameters
    ----------
    url
        Address of the database: postgresql://user:password@host/database, also as SQLAlchemy
        writes it. A password belongs into `secrets`.
    query
        What answers a question, with the parameters `%(question)s`, `%(limit)s`, `%(groups)s` (an
        array of text) and, with an encoder, `%(vector)s`. Its columns are those of a hit: `id`,
        `document`, `start`, `end`, `heading`, `text`, `score`; others are metadata. A distance is
        turned round in the query: `1 - (embedding <=> %(vector)s::vector) as score`. None = the
        query of the table that we build.
    table
        The table that we build; what begins with `rageval_` is built over.
    language
        A text search configuration of the database, such as `english` or `simple`.
    encoder
        Makes the vectors of questions, and of passages where we build the table; None = full text.
    build
        Whether the table is built from our chunks.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "postgres"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ()
    asked_alone: ClassVar[bool] = True  # `index` returns what is asked question by question
    unseen: ClassVar[str] = "the rows of the database at retriever.url"

    url: Name
    query: str | None = None
    table: Name = "rageval_passages"
    language: Name = "english"
    encoder: Encoder | None = None
    build: Flag = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.table):
            raise InputError(
                f"retriever.table: {self.table!r} must be lowercase letters, digits and _, with a "
                "schema and a dot before it or not"
            )

    def require(self) -> None:
        """Need the driver, and what the encoder needs."""
        need("psycopg", "postgres", "retriever=postgres")
        require(self.encoder)

    def index(self, passages: list[Passage]) -> _Ready:
        """Connect, and build the table if that is asked for.

        Raises
        ------
        UnreachableError
            If the database cannot be reached.
        InputError
            If the table or the extension is not there, or a table that is not ours would be
            replaced.
        """
        import psycopg

        with ExitStack() as opened:
            with _explained():
                address = self.url.replace("+psycopg", "", 1)
                connection = psycopg.connect(address, autocommit=True, connect_timeout=_PATIENCE)
            opened.callback(connection.close)
            with _explained():
                encoding = self._prepared(connection, passages)
                connection.execute("set default_transaction_read_only = on")
            ready = _Ready(connection, self._sql, self.language, encoding)
            weakref.finalize(ready, opened.pop_all().close)
        return ready

    def _prepared(
        self,
        connection: Any,  # noqa: ANN401  a psycopg.Connection
        passages: Sequence[Passage],
    ) -> Encoding | None:
        """Make sure that the table is there, or build it; return what encodes the questions."""
        if self.query is None or self.build:
            found = connection.execute("select to_regclass(%s)", [self.table]).fetchone()
            there = found is not None and found[0] is not None
            require_ours(self.table.rpartition(".")[2], there, self.build, "table")
        if self.build:
            require_passages(passages)
        texts = [passage.text for passage in passages]
        encoding = None if self.encoder is None else fitted(self.encoder, texts)
        if self.build:
            self._fill(connection, passages, encoding)
        return encoding

    @property
    def _sql(self) -> str:
        if self.query is not None:
            return self.query
        form = _FULL_TEXT if self.encoder is None else _NEAREST
        return form.format(columns=_COLUMNS, table=self.table, asked=_ASKED, visible=_VISIBLE)

    def _fill(
        self,
        connection: Any,  # noqa: ANN401  a psycopg.Connection
        passages: Sequence[Passage],
        encoding: Encoding | None,
    ) -> None:
        """Make the table again and write every passage."""
        texts = [passage.text for passage in passages]
        vectors = None if encoding is None else encoding.encode(texts)
        with connection.transaction():
            if vectors is not None:
                connection.execute("create extension if not exists vector")
            connection.execute(f"drop table if exists {self.table}")
            kind = "" if vectors is None else f", embedding vector({vectors.shape[1]})"
            connection.execute(
                f"create table {self.table} (id text primary key, document text, start int, "
                f'"end" int, text text, groups text[], words tsvector{kind})'
            )
            values = "%s, %s, %s, %s, %s, %s, to_tsvector(%s::regconfig, %s)"
            values += "" if vectors is None else ", %s::vector"
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"insert into {self.table} values ({values})",
                    _rows(passages, vectors, self.language),
                )
            connection.execute(f"create index on {self.table} using gin (words)")


@dataclass(frozen=True)
class _Ready:
    """An open connection with the query that answers a question."""

    connection: Any  # a psycopg.Connection
    sql: str
    language: str
    encoding: Encoding | None

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Hit]:
        """Return the hits of one question."""
        from psycopg.rows import dict_row

        asked: dict[str, Any] = {"question": question, "limit": limit, "groups": sorted(groups)}
        asked["language"] = self.language
        if self.encoding is not None:
            asked["vector"] = _literal(of_question(self.encoding, question))
        with self.connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(self.sql, asked).fetchall()
        return [_hit(row) for row in rows]


def _rows(passages: Sequence[Passage], vectors: Any, language: str) -> Iterator[list[Any]]:  # noqa: ANN401  an array or None
    for number, passage in enumerate(passages):
        row = payload_of(passage)
        cells = [passage.id, *(row[name] for name in ("document", "start", "end", "text"))]
        cells += [row["groups"], language, passage.text]
        yield cells if vectors is None else [*cells, _literal(vectors[number].tolist())]


def _hit(row: Mapping[str, Any]) -> Hit:
    """Return a row of the query as a hit; columns that a hit has not are its metadata."""
    parts = {name: row[name] for name in PARTS if row.get(name) is not None}
    parts |= {name: str(parts[name]) for name in ("id", "document") if name in parts}
    if "score" in parts:
        parts["score"] = float(parts["score"])
    others = {name: value for name, value in row.items() if name not in PARTS}
    found = hit_of({**parts, "metadata": others})
    if isinstance(found, str):
        raise ValueError(found)
    return found


def _literal(vector: Sequence[float]) -> str:
    """Return a vector as pgvector reads it.

    Examples
    --------
    >>> _literal([0.5, -1.0])
    '[0.5,-1.0]'
    """
    return f"[{','.join(map(repr, vector))}]"


@contextmanager
def _explained() -> Iterator[None]:
    """Report a database that is away as unreachable, and what it refuses as the user's fault."""
    import psycopg

    try:
        yield
    except psycopg.OperationalError as fault:
        told = without_accounts(_first(fault))
        raise UnreachableError(f"retriever.url: {told}") from fault
    except psycopg.Error as fault:
        raise InputError(f"retriever=postgres: {_first(fault)}") from fault


def _first(fault: object) -> str:
    return (str(fault).strip().splitlines() or [type(fault).__name__])[0]

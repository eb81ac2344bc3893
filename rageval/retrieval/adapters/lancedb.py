"""LanceDB: tables in a folder or an object store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rageval.errors import InputError
from rageval.retrieval.adapters.payload import (
    hit_from,
    payload_of,
    require_ours,
    require_passages,
)
from rageval.retrieval.adapters.vectors import fitted, of_question
from rageval.retrieval.encoders.encoder import Encoder, Encoding
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.passages.hit import Hit
from rageval.retrieval.retrievers.foreign import Passage
from rageval.retrieval.retrievers.retriever import require
from rageval.schema.fields import Flag, Name, component

_DISTANCE = "_distance"  # the column that LanceDB adds


@component
class LanceDb:
    """Nearest vectors in a LanceDB table; only a table that we build is ever written.

    The score is the distance with its sign turned, so that higher is better; with the metric
    `cosine` it is 1 − distance, the cosine.

    Parameters
    ----------
    uri
        Folder or address of the database.
    table
        Its name; what begins with `rageval_` is built over.
    encoder
        Makes the vectors of questions, and of passages where we build the table.
    vector
        Column of the vectors.
    metric
        Distance by which rows are near.
    id
        Column of the ids.
    groups
        Column with the list of groups that may see a passage; none or an empty one = public. None =
        the table is not filtered, and what an asker may not see is counted as a leak.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    extra: ClassVar[str] = "lancedb"  # of rageval that brings its packages
    libraries: ClassVar[tuple[str, ...]] = ("lancedb",)
    asked_alone: ClassVar[bool] = True  # `index` returns what is asked question by question
    unseen: ClassVar[str] = "the rows of the table at retriever.uri"

    encoder: Encoder
    uri: Name
    table: Name = "rageval_passages"
    vector: Name = "vector"
    metric: Literal["cosine", "l2", "dot"] = "cosine"
    id: Name = "id"
    groups: Name | None = "groups"
    build: Flag = False

    def require(self) -> None:
        """Need the package, and what the encoder needs."""
        need("lancedb", "lancedb", "retriever=lancedb")
        require(self.encoder)

    def index(self, passages: list[Passage]) -> _Ready:
        """Open the table, or build it.

        Raises
        ------
        InputError
            If the table or a column is not there, or one that is not ours would be replaced.
        """
        import lancedb

        base = lancedb.connect(self.uri)
        require_ours(self.table, self.table in _names(base), self.build, "table")
        if self.build:
            require_passages(passages)
        encoding = fitted(self.encoder, [passage.text for passage in passages])
        if self.build:
            self._fill(base, passages, encoding)
        table = base.open_table(self.table)
        lost = [c for c in (self.vector, self.groups) if c and c not in table.schema.names]
        if lost:
            raise InputError(
                f"retriever.table: {self.table} has no column {lost[0]!r}; it has: "
                f"{', '.join(table.schema.names)}"
            )
        return _Ready(table, self, encoding)

    def _fill(self, base: Any, passages: Sequence[Passage], encoding: Encoding) -> None:  # noqa: ANN401
        import pyarrow

        vectors = encoding.encode([passage.text for passage in passages])
        rows = [{"id": passage.id, **payload_of(passage)} for passage in passages]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        listed = pyarrow.array(columns.pop("groups"), pyarrow.list_(pyarrow.string()))
        flat = pyarrow.array(vectors.astype("float32").ravel())
        table = pyarrow.table(
            {
                **columns,
                "groups": listed,
                self.vector: pyarrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            }
        )
        base.create_table(self.table, table, mode="overwrite")


@dataclass(frozen=True)
class _Ready:
    """An open table."""

    table: Any  # a lancedb Table
    settings: LanceDb
    encoding: Encoding

    def retrieve(self, question: str, limit: int, groups: frozenset[str]) -> list[Hit]:
        """Return the hits of one question."""
        settings = self.settings
        vector = of_question(self.encoding, question)
        query = self.table.search(vector, vector_column_name=settings.vector)
        query = query.distance_type(settings.metric).limit(limit)
        if settings.groups is not None:
            query = query.where(_visible(settings.groups, groups), prefilter=True)
        return [self._hit(row) for row in query.to_list()]

    def _hit(self, row: dict[str, Any]) -> Hit:
        distance = float(row.pop(_DISTANCE))
        score = 1 - distance if self.settings.metric in {"cosine", "dot"} else -distance
        row.pop(self.settings.vector, None)
        return hit_from(row.get(self.settings.id), score, row)


def _names(base: Any) -> list[str]:  # noqa: ANN401  a lancedb connection
    found = base.list_tables()
    return list(getattr(found, "tables", found))


def _visible(column: str, groups: frozenset[str]) -> str:
    """Return a condition that lets through public rows and those of the asker's groups.

    Examples
    --------
    >>> _visible("acl", frozenset({"it's"}))
    "acl is null or array_length(acl) = 0 or array_has_any(acl, ['it''s'])"
    """
    public = f"{column} is null or array_length({column}) = 0"
    names = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(groups))
    return f"{public} or array_has_any({column}, [{names}])" if groups else public

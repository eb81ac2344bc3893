"""A database that says what each id stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from rageval.errors import InputError, UnreachableError
from rageval.retrieval.ids.rows import table_of, translated
from rageval.retrieval.passages.hit import Hit
from rageval.schema.fields import Name, component


@component
class IdQuery:
    """Looks ids up in what a query returns: a column `id`, and columns as `IdFile` has them.

    `url` is SQLAlchemy's: sqlite:///chunks.db, postgresql+psycopg://user:password@host/database. A
    password belongs into `secrets`.
    """

    version: ClassVar[int] = 1  # raised when equal input may give other output
    libraries: ClassVar[tuple[str, ...]] = ("sqlalchemy",)

    url: Name
    query: Name  # select id, document, start, end from …

    def translate(self, hit: Hit) -> Hit:
        """Return the hit with what the database has for its id.

        Raises
        ------
        UnreachableError
            If the database cannot be reached.
        InputError
            If the query fails or a row is wrong.
        """
        return translated(hit, self.table)

    @cached_property
    def table(self) -> dict[str, Hit]:
        """What each id stands for; the query runs once."""
        return table_of(self._rows(), "ids.query")

    def _rows(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        from sqlalchemy import create_engine, text
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import OperationalError, SQLAlchemyError

        try:
            address = make_url(self.url)
            shown = address.render_as_string(hide_password=True)
            file = Path(address.database or "")
            if address.get_backend_name() == "sqlite" and not file.is_file():
                raise InputError(f"ids.url: {address.database}: there is no such file")
            engine = create_engine(address)
            with engine.connect() as connection:
                for number, row in enumerate(connection.execute(text(self.query)).mappings(), 1):
                    yield f"{shown} row {number}", dict(row)
        except OperationalError as fault:
            if fault.statement is None:
                raise UnreachableError(f"ids.url: {shown}: {_first(fault.orig)}") from fault
            raise InputError(f"ids.query: {_first(fault.orig)}") from fault
        except (SQLAlchemyError, ImportError) as fault:
            raise InputError(f"ids.query: {_first(fault)}") from fault


def _first(fault: object) -> str:
    return (str(fault).strip().splitlines() or [type(fault).__name__])[0]

"""A question log in a database: SQLite, PostgreSQL, or whatever SQLAlchemy has a driver for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rageval.errors import InputError, RagevalError, UnreachableError
from rageval.files.errors import ErrorCollector, listed
from rageval.schema.fields import Name, component

_BATCH = 1_000  # rows that are fetched at a time


@component
class SqlLog:
    """A table or view, or what a query of yours returns; nothing is written.

    `url` is SQLAlchemy's: sqlite:///log.db, postgresql+psycopg://user:password@host/database. A
    password belongs into the environment: `log.url='${secrets.log}'` with
    `+secrets.log='${oc.env:LOG_URL}'`. Exactly one of `table` and `query` is given; a query may
    choose the rows in the database.
    """

    url: Name
    table: Name | None = None
    query: Name | None = None

    @property
    def place(self) -> str:
        """Return the address without its password, and the table."""
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            shown = make_url(self.url).render_as_string(hide_password=True)
        except ArgumentError:
            raise InputError(
                "log.url: it is no address of SQLAlchemy; it looks like sqlite:///log.db or "
                "postgresql+psycopg://user:password@host/database"
            ) from None
        return f"{shown} {self.table or 'query'}"

    def rows(self, faults: ErrorCollector) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each row with its number."""
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        if (self.table is None) == (self.query is None):
            raise InputError("log: exactly one of log.table and log.query is needed")
        self._require_file()
        engine = self._engine()
        try:
            with engine.connect() as connection:
                lazily = connection.execution_options(stream_results=True, yield_per=_BATCH)
                found = lazily.execute(self._statement(connection))
                for number, row in enumerate(found.mappings(), start=1):
                    yield number, dict(row)
        except DBAPIError as error:
            raise self._refused(error) from error
        except SQLAlchemyError as error:
            raise InputError(f"{self.place}: {_first(error)}") from error
        finally:
            engine.dispose()

    def _engine(self) -> Any:  # noqa: ANN401  an sqlalchemy Engine
        from sqlalchemy import create_engine
        from sqlalchemy.exc import NoSuchModuleError

        try:
            return create_engine(self.url)
        except NoSuchModuleError as error:
            raise InputError(f"{self.place}: SQLAlchemy knows no such database: {error}") from None
        except ModuleNotFoundError as error:
            raise InputError(
                f"{self.place}: the driver {error.name} is not installed: pip install {error.name}"
            ) from None

    def _statement(self, connection: Any) -> Any:  # noqa: ANN401  both are of sqlalchemy
        from sqlalchemy import inspect, quoted_name, select, text
        from sqlalchemy import table as named

        if self.query is not None:
            return text(self.query)
        schema, _, name = (self.table or "").rpartition(".")
        there = inspect(connection)
        known = [*there.get_table_names(schema or None), *there.get_view_names(schema or None)]
        if name not in known:
            raise InputError(
                f"{self.place}: there is no such table; there are: {listed(known) or 'none'}"
            )
        source = named(quoted_name(name, quote=True), schema=schema or None)
        return select(text("*")).select_from(source)

    def _require_file(self) -> None:
        """Make sure that SQLite has a file to read, and makes none."""
        from sqlalchemy.engine import make_url

        address = make_url(self.url)
        file = address.database
        if address.get_backend_name() == "sqlite" and (not file or not Path(file).is_file()):
            raise InputError(f"{file or self.place}: there is no such file")

    def _refused(self, error: Any) -> RagevalError:  # noqa: ANN401  a DBAPIError
        """Return a lost or refused connection as such, and anything else as the query's fault."""
        from sqlalchemy.exc import InterfaceError, OperationalError

        told = f"{self.place}: {_first(error.orig)}"
        away = isinstance(error, OperationalError | InterfaceError) and error.statement is None
        return UnreachableError(told) if away else InputError(told)


def _first(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]

"""Where runs are kept: finding the store, and making it ready once."""

from __future__ import annotations

import logging
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

from filelock import FileLock

from rageval.errors import InputError, NoVerdictError, UnreachableError
from rageval.escaping.redaction import without_accounts
from rageval.schema.names import folder_of
from rageval.tracking.client import Client, Late, in_time, late, rubbish, unreadable
from rageval.tracking.embedded import address, prepare
from rageval.tracking.faults import NO_ACCESS, TrackingError, first_line, tracking_error
from rageval.tracking.moved import ARTIFACTS, follow
from rageval.tracking.settings import TrackingConfig

_DEFAULT = "the default"
_SQLITE = "sqlite:///"
_NOTHING = (
    "nothing was run yet; make a run: python -m rageval +retriever=… (or start with documents of "
    "your own: python -m rageval init path=FOLDER)"
)
_LISTED = 20  # experiments that are named where another one was meant
_SETTLED: dict[str, str] = {}  # MLflow's variables as we set them, to know them again
_QUIET = {
    "alembic": logging.WARNING,
    "mlflow.tracking.fluent": logging.WARNING,
    "mlflow.store.db.utils": logging.CRITICAL,
    "urllib3": logging.ERROR,
}
_IGNORED = ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID", "MLFLOW_EXPERIMENT_NAME")


@dataclass(frozen=True, slots=True)
class Location:
    """A tracking store by its address."""

    uri: str
    why: str  # what chose it, in words
    file: Path | None  # the database of a store that we keep ourselves
    outbox: Path | None = None  # folder of results that wait to be delivered
    timeout: float | None = None  # seconds that a call may take; None = any number

    @property
    def artifacts(self) -> Path | None:
        """Return the folder for artifacts, where we keep them ourselves."""
        return None if self.file is None else self.file.parent / ARTIFACTS

    @property
    def shown(self) -> str:
        """Return the address as a user would type it: relative where it lies below here."""
        if self.file is None:
            return without_accounts(self.uri)
        file, here = self.file, Path.cwd()
        return _SQLITE + str(file.relative_to(here) if file.is_relative_to(here) else file)


def locate(config: TrackingConfig, environment: Mapping[str, str]) -> Location:
    """Return the store: `tracking.uri`, else MLFLOW_TRACKING_URI, else sqlite below the root."""
    root = Path(config.root).resolve()
    found = _named(config, environment) or Location(
        address(root / "mlflow.db"), _DEFAULT, root / "mlflow.db"
    )
    timeout = None if found.file else float(config.timeout)  # a file has no retries to be bounded
    return replace(found, outbox=root / "outbox", timeout=timeout)


def _named(config: TrackingConfig, environment: Mapping[str, str]) -> Location | None:
    if config.uri:
        return _located(config.uri, "tracking.uri")
    if environment.get("MLFLOW_TRACKING_URI"):
        return _located(environment["MLFLOW_TRACKING_URI"], "MLFLOW_TRACKING_URI")
    return None


def _located(uri: str, why: str) -> Location:
    if not uri.startswith(_SQLITE):
        return Location(uri, why, None)
    typed, mark, options = uri.removeprefix(_SQLITE).partition("?")
    file = Path(typed).resolve()
    return Location(f"{address(file)}{mark}{options}", why, file)


def ignored(environment: Mapping[str, str]) -> list[str]:
    """Return what MLflow would take from the environment and we do not, as sentences."""
    return [
        f"{name} is ignored: every evaluation is a run of its own, in `tracking.experiment`"
        for name in _IGNORED
        if environment.get(name)
    ]


@dataclass(frozen=True)
class Store:
    """A store that answers, with the experiment that runs go to."""

    client: Client
    experiment: str  # id
    name: str  # of the experiment
    location: Location
    notes: tuple[str, ...] = ()  # what was done to the store when it was opened

    def of(self, experiment: str) -> Store:
        """Return the same store with another experiment, which must be there.

        Raises
        ------
        NoVerdictError
            If it is not.
        """
        if experiment == self.name:
            return self
        found = self.client.get_experiment_by_name(experiment)
        if found is None:
            raise NoVerdictError(
                f"{self.location.shown} has no experiment {experiment!r}: nothing was run there yet"
            )
        return Store(self.client, str(found.experiment_id), experiment, self.location)

    def at(self, experiment_id: str) -> Store:
        """Return the same store with the experiment of that id, which is there."""
        if experiment_id == self.experiment:
            return self
        name = str(self.client.get_experiment(experiment_id).name)
        return Store(self.client, experiment_id, name, self.location)

    def beside(self, experiment: str) -> Store:
        """Return the same store with another experiment, made if it is not there."""
        found = _experiment(self.client, experiment, self.location.artifacts)
        return Store(self.client, found, experiment, self.location)


def open_store(location: Location, experiment: str, make: bool = True) -> Store:
    """Open the store; `make` its database and experiment if they are not there yet.

    Processes that open a fresh database together would spoil it, so one at a time does.

    Raises
    ------
    InputError
        If its address is that of no store.
    UnreachableError
        If it cannot be reached or used.
    NoVerdictError
        If there is nothing, and nothing is to be made.
    """
    _check_address(location)
    if not make:
        _require_database(location)
    _settle_environment(location)
    left = _check_health(location)
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    with _alone(location):
        try:
            return in_time(lambda: _opened(location, experiment, make), left)
        except Late as fault:
            raise late(location.shown, location.timeout) from fault
        except unreadable() as fault:
            raise rubbish(location.shown, location.timeout, fault) from fault
        except (MlflowException, SQLAlchemyError, OSError, ImportError) as fault:
            if getattr(fault, "error_code", None) in NO_ACCESS:
                raise tracking_error(location.shown, fault) from fault
            raise TrackingError(
                f"tracking store {location.shown} cannot be used: {first_line(fault)}"
            ) from fault


def _opened(location: Location, experiment: str, make: bool) -> Store:
    from mlflow import MlflowClient

    moved = _ready(location)
    client = MlflowClient(tracking_uri=location.uri)
    found = _experiment(client, experiment, location.artifacts, make)
    ours = Client(client, location.shown, location.timeout)
    return Store(ours, found, experiment, location, (moved,) if moved else ())


def _ready(location: Location) -> str:
    """Make sure that the database of a store of ours is whole and knows where it is.

    Return what was done about the latter, in words.
    """
    if location.file is None:
        return ""
    prepare(location.file, location.file.parent)
    return follow(location.file)


@contextmanager
def _alone(location: Location) -> Iterator[None]:
    """Hold the lock of a store that we keep ourselves."""
    if location.file is None:
        yield
        return
    try:
        (location.file.parent / ARTIFACTS).mkdir(parents=True, exist_ok=True)
        lock = FileLock(location.file.parent / ".mlflow.lock")
        lock.acquire()
    except OSError as fault:
        raise UnreachableError(
            f"tracking store {location.shown} cannot be used: {fault}"
        ) from fault
    try:
        yield
    finally:
        lock.release()


def _settle_environment(location: Location) -> None:
    """Say what MLflow reads, unless the user has: no telemetry, no bars, bounded retries."""
    settings = {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    }
    if location.timeout is not None:
        settings["MLFLOW_HTTP_REQUEST_TIMEOUT"] = str(max(1, round(location.timeout)))
    for name, value in settings.items():
        if os.environ.get(name) in {None, _SETTLED.get(name)}:  # nobody's, or ours
            os.environ[name] = _SETTLED[name] = value
    # The steps in which a database is made ready are nobody's business; a fault is said once.
    for name, level in _QUIET.items():
        logging.getLogger(name).setLevel(level)


def _experiment(
    client: Any,  # noqa: ANN401  an MlflowClient
    name: str,
    artifacts: Path | None,
    make: bool = True,
) -> str:
    found = client.get_experiment_by_name(name)
    if found is None and not make:
        raise NoVerdictError(
            f"there is no experiment {name!r} in {client.tracking_uri}: {_others(client)}"
        )
    if found is None:
        place = None if artifacts is None else (artifacts / folder_of(name)).as_uri()
        return _created(client, name, place)
    if not found.experiment_id:
        raise ValueError("an experiment without an id")
    if found.lifecycle_stage != "active":
        raise UnreachableError(
            f"experiment {name!r} was deleted in {client.tracking_uri}; restore it with `mlflow "
            "experiments restore`, or choose another by tracking.experiment"
        )
    return str(found.experiment_id)


def _created(client: Any, name: str, place: str | None) -> str:  # noqa: ANN401  an MlflowClient
    """Make an experiment, or return the one that somebody else has made meanwhile."""
    from mlflow.exceptions import MlflowException

    try:
        return str(client.create_experiment(name, artifact_location=place))
    except MlflowException as fault:
        found = client.get_experiment_by_name(name)
        if fault.error_code != "RESOURCE_ALREADY_EXISTS" or found is None:
            raise
        return str(found.experiment_id)


def _check_address(location: Location) -> None:
    """Refuse what is no store before MLflow tries it for a minute."""
    if "://" not in location.uri and location.uri != "databricks":
        raise InputError(
            f"{location.why}: {without_accounts(location.uri)!r} is not the address of a store; "
            "give sqlite:///FILE or http://HOST:PORT"
        )
    file = location.file
    if file is None or location.why == _DEFAULT:
        return
    if file.is_dir() or not file.parent.is_dir():
        what = "is a folder" if file.is_dir() else "lies in a folder that does not exist"
        raise UnreachableError(f"{location.why}: {location.shown} {what}")


def _others(client: Any) -> str:  # noqa: ANN401  an MlflowClient
    """Say which sets have runs there, where the one that was named has none."""
    names = [str(found.name) for found in client.search_experiments(max_results=_LISTED)]
    sets = [n for n in names if n != "Default" and not n.endswith("-holdout")]
    if not sets:
        return _NOTHING
    return f"it has runs of {', '.join(sets)}; name the set that is meant: dataset.name={sets[0]}"


def _require_database(location: Location) -> None:
    """Make sure that there is something to read, before an empty store is made of it."""
    if location.file is not None and not location.file.exists():
        raise NoVerdictError(f"{location.shown} is not there: {_NOTHING}")


def _check_health(location: Location) -> float | None:
    """Ask a server or database whether it is there, before MLflow's client tries for minutes.

    Return how many seconds are left for it to answer anything else.
    """
    if location.timeout is None:
        return None
    begun = time.monotonic()
    ask = _ask_server if location.uri.startswith(("http://", "https://")) else _ask_database
    try:
        in_time(lambda: ask(location), location.timeout)
    except Late as fault:
        raise late(location.shown, location.timeout) from fault
    return max(0.1, location.timeout - (time.monotonic() - begun))


def _ask_server(location: Location) -> None:
    bare = re.sub(r"//[^/]*@", "//", location.uri)  # without a name and a password
    address, timeout = f"{bare.rstrip('/')}/health", location.timeout
    try:
        with urllib.request.urlopen(address, timeout=timeout):
            return
    except urllib.error.HTTPError as fault:
        fault.close()
        if fault.code >= 500:
            raise TrackingError(
                f"tracking store {location.shown} answers {fault.code} {fault.reason}"
            ) from fault
        return  # something answers; its own client knows how to speak to it
    except TimeoutError as fault:
        raise late(location.shown, timeout) from fault
    except (OSError, ValueError, HTTPException) as fault:
        raise TrackingError(
            f"tracking store {location.shown} does not answer: {first_line(fault)}"
        ) from fault


def _ask_database(location: Location) -> None:
    """Connect once: MLflow would try fifteen times, ever more slowly."""
    from sqlalchemy import create_engine
    from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

    try:
        engine = create_engine(location.uri)
        try:
            engine.connect().close()
        finally:
            engine.dispose()
    except OperationalError as fault:
        raise TrackingError(
            f"tracking store {location.shown} does not answer: {first_line(fault)}"
        ) from fault
    except (ArgumentError, SQLAlchemyError, ImportError):
        return  # no address of a database: MLflow may know what it is, or say what it is not

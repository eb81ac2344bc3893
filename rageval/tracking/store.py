"""Where runs are kept: finding the store, and making it ready once."""

from __future__ import annotations

import logging
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from rageval.errors import InputError, NoVerdictError, UnreachableError
from rageval.escaping.redaction import without_accounts
from rageval.tracking.client import Client
from rageval.tracking.settings import TrackingConfig

_DEFAULT = "the default"
_NOTHING = "nothing was run yet; make a run: python -m rageval +retriever=…"
_PATIENCE = 5  # seconds that a server may take to say that it is healthy
_IGNORED = ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID", "MLFLOW_EXPERIMENT_NAME")


@dataclass(frozen=True, slots=True)
class Location:
    """A tracking store by its address."""

    uri: str
    why: str  # what chose it, in words
    artifacts: Path | None  # folder for artifacts, where we keep them ourselves

    @property
    def shown(self) -> str:
        """Return the address as a user would type it: relative where it lies below here."""
        prefix = "sqlite:///"
        if not self.uri.startswith(prefix):
            return without_accounts(self.uri)
        file, here = Path(self.uri.removeprefix(prefix)), Path.cwd()
        return prefix + str(file.relative_to(here) if file.is_relative_to(here) else file)


def locate(config: TrackingConfig, environment: Mapping[str, str]) -> Location:
    """Return the store: `tracking.uri`, else MLFLOW_TRACKING_URI, else sqlite below the root."""
    if config.uri:
        return _located(config.uri, "tracking.uri", config)
    if environment.get("MLFLOW_TRACKING_URI"):
        return _located(environment["MLFLOW_TRACKING_URI"], "MLFLOW_TRACKING_URI", config)
    root = Path(config.root).resolve()
    return Location(f"sqlite:///{root / 'mlflow.db'}", _DEFAULT, root / "artifacts")


def _located(uri: str, why: str, config: TrackingConfig) -> Location:
    if not uri.startswith("sqlite:///"):
        return Location(uri, why, None)
    file = Path(uri.removeprefix("sqlite:///")).resolve()
    return Location(f"sqlite:///{file}", why, file.parent / "artifacts")


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
    _check_health(location)
    _settle_environment()
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    with _alone(location):
        try:
            client = MlflowClient(tracking_uri=location.uri)
            found = _experiment(client, experiment, location.artifacts, make)
        except (MlflowException, SQLAlchemyError, OSError, ImportError) as fault:
            first = str(fault).strip().splitlines()[0]
            raise UnreachableError(
                f"tracking store {location.shown} cannot be used: {first}"
            ) from fault
    return Store(Client(client, location.shown), found, experiment, location)


@contextmanager
def _alone(location: Location) -> Iterator[None]:
    """Hold the lock of a store that we keep ourselves."""
    if location.artifacts is None:
        yield
        return
    try:
        location.artifacts.mkdir(parents=True, exist_ok=True)
        lock = FileLock(location.artifacts.parent / ".mlflow.lock")
        lock.acquire()
    except OSError as fault:
        raise UnreachableError(
            f"tracking store {location.shown} cannot be used: {fault}"
        ) from fault
    try:
        yield
    finally:
        lock.release()


def _settle_environment() -> None:
    """Say what MLflow reads when it is imported, unless the user has."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    # The steps in which a database is made ready are nobody's business.
    for name in ("alembic", "mlflow.store.db.utils", "mlflow.tracking.fluent"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _experiment(
    client: Any,  # noqa: ANN401  an MlflowClient
    name: str,
    artifacts: Path | None,
    make: bool = True,
) -> str:
    found = client.get_experiment_by_name(name)
    if found is None and not make:
        raise NoVerdictError(
            f"there is no experiment {name!r} in {client.tracking_uri}: {_NOTHING}"
        )
    if found is None:
        folder = re.sub(r"[^\w.-]+", "_", name).lstrip(".") or "_"
        place = None if artifacts is None else (artifacts / folder).as_uri()
        return _created(client, name, place)
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
            f"{location.why}: {location.uri!r} is no tracking store; give sqlite:///FILE or "
            "http://HOST:PORT"
        )
    if location.artifacts is None or location.why == _DEFAULT:
        return
    file = Path(location.uri.removeprefix("sqlite:///"))
    if file.is_dir() or not file.parent.is_dir():
        what = "is a folder" if file.is_dir() else "lies in a folder that does not exist"
        raise UnreachableError(f"{location.why}: {location.shown} {what}")


def _require_database(location: Location) -> None:
    """Make sure that there is something to read, before an empty store is made of it."""
    file = Path(location.uri.removeprefix("sqlite:///"))
    if location.artifacts is not None and not file.exists():
        raise NoVerdictError(f"{location.shown} is not there: {_NOTHING}")


def _check_health(location: Location) -> None:
    """Ask a server whether it is there, before its client waits for minutes."""
    if not location.uri.startswith(("http://", "https://")):
        return
    try:
        with urllib.request.urlopen(f"{location.uri.rstrip('/')}/health", timeout=_PATIENCE):
            return
    except urllib.error.HTTPError:
        return  # something answers; its own client knows how to speak to it
    except (OSError, ValueError) as fault:
        raise UnreachableError(
            f"tracking store {location.shown} does not answer: {fault}"
        ) from fault

"""The ledger of held-out scorings: an experiment of its own in the tracking store.

It lives where the runs live, so it outlasts the machines of a CI. An entry counts from the moment
it is made, and goes on counting when its run is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from rageval.errors import NoVerdictError
from rageval.tracking.run import running
from rageval.tracking.search import runs
from rageval.tracking.settings import HoldoutConfig
from rageval.tracking.store import Store

SPENT = ("FINISHED", "RUNNING", "KILLED")  # what failed before it gave a value cost nothing
_GAP = "gap/"  # of the metrics that hold gaps


@dataclass(frozen=True)
class Purpose:
    """Why the held-out questions are scored."""

    verb: str  # holdout | promote
    reason: str
    run: str  # id of the dev run whose retrieval is scored


@dataclass(frozen=True)
class Entry:
    """One scoring, as the ledger holds it."""

    run: str  # id of the entry
    when: datetime  # UTC
    who: str
    purpose: Purpose
    retrieval: str  # in words
    variant: str  # fingerprint
    state: str  # FINISHED | RUNNING | KILLED | FAILED
    values: Mapping[str, float]  # metric key → value: all/…, dev/…, gap/…

    def gap(self, measure: str) -> float | None:
        """Return the recorded dev − held-out difference of a measure."""
        return self.values.get(f"{_GAP}{measure}")


def quarter(when: datetime) -> str:
    """Return the quarter of the year, in UTC.

    Examples
    --------
    >>> quarter(datetime(2026, 11, 30, tzinfo=UTC))
    '2026 Q4'
    """
    return f"{when.year} Q{(when.month + 2) // 3}"


@dataclass(frozen=True)
class Ledger:
    """The scorings of one set, and how many a quarter may hold."""

    store: Store  # of the ledger's experiment
    dataset: str
    config: HoldoutConfig

    @classmethod
    def of(cls, store: Store, dataset: str, config: HoldoutConfig) -> Ledger:
        """Open the ledger of a set, whatever experiment its runs are in; it is made if needed."""
        return cls(store.beside(f"{dataset}-holdout"), dataset, config)

    def entries(self) -> list[Entry]:
        """Return every scoring, the oldest first, deleted ones among them."""
        found = runs(self.store, f"tags.`rageval.set` = '{self.dataset}'", "all")
        return [_entry(run) for run in reversed(found)]

    def spent(self, now: datetime) -> list[Entry]:
        """Return the scorings of this quarter that count against the budget."""
        return [
            entry
            for entry in self.entries()
            if quarter(entry.when) == quarter(now) and entry.state in SPENT
        ]

    def require_budget(self, now: datetime) -> None:
        """Make sure that one more scoring is allowed this quarter.

        Raises
        ------
        NoVerdictError
            If the budget is spent.
        """
        if len(self.spent(now)) >= self.config.budget:
            raise self._refusal(now)

    @contextmanager
    def spending(self, name: str, purpose: Purpose, now: datetime) -> Iterator[str]:
        """Spend one scoring, hold its run open and yield the run's id.

        Of several processes that spend the last one together at most one goes on; all may be
        refused, which costs nothing.

        Raises
        ------
        NoVerdictError
            If the budget is spent; nothing was scored then.
        """
        self.require_budget(now)
        tags = {
            "rageval.set": self.dataset,
            "rageval.verb": purpose.verb,
            "rageval.reason": purpose.reason,
            "rageval.dev_run": purpose.run,
            "rageval.budget": str(self.config.budget),  # as it was given: it is the caller's word
        }
        with running(self.store, name, tags=tags) as run:
            if len([entry for entry in self.spent(now) if entry.run != run]) >= self.config.budget:
                raise self._refusal(now)
            yield run

    def _refusal(self, now: datetime) -> NoVerdictError:
        return NoVerdictError(
            f"the held-out budget of {self.dataset} is spent: {self.config.budget} of "
            f"{self.config.budget} scorings in {quarter(now)} (holdout.budget; `python -m rageval "
            "holdout ledger=true` lists them); what is asked more often is no longer held out"
        )


def _entry(run) -> Entry:  # type: ignore[no-untyped-def]  # noqa: ANN001  an mlflow Run
    tags = run.data.tags
    return Entry(
        run=str(run.info.run_id),
        when=datetime.fromtimestamp(run.info.start_time / 1000, UTC),
        who=str(tags.get("mlflow.user", "")),
        purpose=Purpose(
            verb=str(tags.get("rageval.verb", "")),
            reason=str(tags.get("rageval.reason", "")),
            run=str(tags.get("rageval.dev_run", "")),
        ),
        retrieval=str(tags.get("rageval.retrieval", "")),
        variant=str(tags.get("rageval.variant", "")),
        state=str(run.info.status),
        values=dict(run.data.metrics),
    )

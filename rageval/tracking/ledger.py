"""The ledger of held-out scorings: an experiment of its own in the tracking store.

It lives where the runs live, so it outlasts the machines of a CI. An entry counts from the moment
it is made, and goes on counting when its run or experiment is deleted, renamed or marked failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rageval.errors import NoVerdictError
from rageval.schema.fingerprint import sketch
from rageval.tracking.run import running
from rageval.tracking.search import runs
from rageval.tracking.sets import experiments, parts
from rageval.tracking.settings import HoldoutConfig
from rageval.tracking.store import Store

_SPENT = ("FINISHED", "RUNNING", "KILLED")  # what failed before it gave a value cost nothing
_QUESTIONS = "rageval.held_out"  # tag of an entry: digests of the questions that it scored
_MOST = 600  # digests that a tag holds
_GAP = "gap/"  # of the metrics that hold gaps


@dataclass(frozen=True)
class Purpose:
    """Why the held-out questions are scored."""

    command: str  # holdout | promote
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
    dataset: str = ""  # name that the set had
    questions: frozenset[str] = frozenset()  # digests; empty in entries of version 0.1.0

    @property
    def counts(self) -> bool:
        """Say whether it was spent; a mark that it failed takes back no value that it gave."""
        return self.state in _SPENT or bool(self.values)

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
    """The scorings of held-out questions, and how many of each question a quarter may hold.

    A question is counted by its words, whatever its set, its id and the experiment are called.
    """

    store: Store  # of the ledger's experiment
    dataset: str
    config: HoldoutConfig
    questions: frozenset[str] = frozenset()  # digests; empty = those that the set's entries name

    @classmethod
    def of(cls, store: Store, dataset: str, config: HoldoutConfig) -> Ledger:
        """Open the ledger of a set, whatever experiment its runs are in; it is made if needed."""
        return cls(store.beside(f"{dataset}-holdout"), dataset, config)

    def about(self, texts: Iterable[str]) -> Ledger:
        """Return the same ledger, to score questions of these digests."""
        return replace(self, questions=frozenset(sketch(texts, _MOST)))

    def entries(self) -> list[Entry]:
        """Return every scoring of these questions, the oldest first, deleted ones among them.

        They are looked for in all experiments of the store, deleted ones too.
        """
        places = [str(found.experiment_id) for found in experiments(self.store, deleted=True)]
        found = runs(self.store, "tags.`rageval.budget` LIKE '%'", "all", experiments=places)
        entries = [_entry(run) for run in reversed(found)]
        named = [entry for entry in entries if entry.dataset == self.dataset]
        mine = self.questions.union(*(entry.questions for entry in named))
        return [e for e in entries if e.dataset == self.dataset or not mine.isdisjoint(e.questions)]

    def spent(self, now: datetime) -> list[Entry]:
        """Return the scorings of this quarter that count against the budget.

        They are those of the question that was scored most often, and those of version 0.1.0.
        """
        counted = [e for e in self.entries() if quarter(e.when) == quarter(now) and e.counts]
        mine = self.questions or frozenset().union(*(entry.questions for entry in counted))
        scored = Counter(name for entry in counted for name in entry.questions & mine)
        most = max(scored, key=lambda name: (scored[name], name), default="")
        return [entry for entry in counted if not entry.questions or most in entry.questions]

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
            "rageval.verb": purpose.command,
            "rageval.reason": purpose.reason,
            "rageval.dev_run": purpose.run,
            _QUESTIONS: "".join(sorted(self.questions)),
            "rageval.budget": str(self.config.budget),  # as it was given: it is the caller's word
        }
        with running(self.store, name, tags=tags) as run:
            if len([entry for entry in self.spent(now) if entry.run != run]) >= self.config.budget:
                raise self._refusal(now)
            yield run

    def _refusal(self, now: datetime) -> NoVerdictError:
        others = sorted({entry.dataset for entry in self.spent(now)} - {self.dataset})
        names = f", some of them as {', '.join(others)}" if others else ""
        return NoVerdictError(
            f"the held-out budget of {self.dataset} is spent: {self.config.budget} of "
            f"{self.config.budget} scorings of its questions in {quarter(now)}{names} "
            "(holdout.budget; `python -m rageval holdout ledger=true` lists them); what is asked "
            "more often is no longer held out"
        )


def _entry(run) -> Entry:  # type: ignore[no-untyped-def]  # noqa: ANN001  an mlflow Run
    tags = run.data.tags
    return Entry(
        run=str(run.info.run_id),
        when=datetime.fromtimestamp(run.info.start_time / 1000, UTC),
        who=str(tags.get("mlflow.user", "")),
        purpose=Purpose(
            command=str(tags.get("rageval.verb", "")),
            reason=str(tags.get("rageval.reason", "")),
            run=str(tags.get("rageval.dev_run", "")),
        ),
        retrieval=str(tags.get("rageval.retrieval", "")),
        variant=str(tags.get("rageval.variant", "")),
        state=str(run.info.status),
        values=dict(run.data.metrics),
        dataset=str(tags.get("rageval.set", "")),
        questions=frozenset(parts(tags.get(_QUESTIONS, ""))),
    )

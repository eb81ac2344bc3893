"""A result as it was kept: the table of questions and what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from rageval.errors import NoVerdictError
from rageval.evaluation.subsets import Summary, in_order
from rageval.golden.question import Answerable, judgements_of
from rageval.measures.catalogue import hit_rates, is_measure

SCHEMA = 2  # the form of the tables that are written; 1 is that of version 0.1.0
SCHEMA_COLUMN = "schema"
_FINEST = 1_000_000  # the largest denominator of a share: characters of evidence in a question


@lru_cache(maxsize=65_536)  # most questions share a handful of values
def _fraction(value: float) -> Fraction:
    near = Fraction(value).limit_denominator(_FINEST)
    return near if float(near) == value else Fraction(value)  # nDCG and the like are no shares


Judgement = tuple[str, ...]  # a kind of label and what it names: see `judgements` of a question


@dataclass(frozen=True, slots=True)
class QuestionLabels:
    """Everything that scoring read of a question."""

    form: str | None
    hard_class: str | None
    tags: tuple[str, ...]
    asker: str | None
    answerable: str  # true | false | denied
    targets: tuple[str, ...]  # documents of which any is a hit
    label: Mapping[str, Any]  # see `rageval.golden.question.label_of`


@dataclass(frozen=True, slots=True)
class Row:
    """One question of a result."""

    id: str
    text: str
    labels: str  # digest of everything that scoring reads of the question
    subsets: tuple[str, ...]  # those it counts in, `all` among them
    values: Mapping[str, float | None]  # measure → value, None where it does not apply
    ranks: Mapping[str, int | None]  # target, evidence, answer, distractor; None = absent
    documents: tuple[str, ...]  # best distinct documents
    diagnosis: str
    failed: bool
    leaks: int
    group: str | None = None  # questions of one group say much the same; None = a group of its own
    labelled: QuestionLabels | None = None  # what was labelled, in full; None in tables of schema 1
    judgements: tuple[Judgement, ...] | None = None  # its labels one by one; None as above

    @property
    def found(self) -> bool:
        """Say whether anything that was looked for is there.

        A supporting chunk in the window, a target among the documents of the deepest hit rate,
        silence where nothing answers, or a forbidden document withheld.
        """
        hits = hit_rates(self.values)
        return any(self.values.get(name) for name in ("recall", "denied_pass", *hits[-1:]))

    def exact(self, measure: str) -> Fraction | None:
        """Return a measure's value as the fraction that it is; None where it does not apply.

        The reciprocal rank is rebuilt from the rank, shares from the float nearest to them.

        Examples
        --------
        >>> row = Row("q", "?", "", (), {"mrr": 0.3333, "completeness": 2 / 3}, {"evidence": 3},
        ...           (), "", False, 0)
        >>> row.exact("mrr"), row.exact("completeness")
        (Fraction(1, 3), Fraction(2, 3))
        """
        value = self.values.get(measure)
        if value is None:
            return None
        if measure == "mrr":
            rank = self.ranks["evidence"]
            return Fraction(1, rank) if rank else Fraction(0)
        return _fraction(value)


@dataclass(frozen=True)
class Result:
    """What one run measured."""

    run: str  # id
    name: str  # the retrieval in words
    dataset: str
    split: str
    benchmark: str  # fingerprint; results of different benchmarks are not compared
    variant: str  # fingerprint
    chunking: str  # fingerprint
    rows: Mapping[str, Row]  # question id → row, in the order of the set

    @property
    def errors(self) -> int:
        """Return the number of questions on which the retriever failed."""
        return sum(row.failed for row in self.rows.values())

    @property
    def leaks(self) -> int:
        """Return the number of candidates that their asker may not see."""
        return sum(row.leaks for row in self.rows.values())

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the measures that were taken."""
        return tuple(next(iter(self.rows.values())).values)

    @property
    def subsets(self) -> list[str]:
        """Return the subsets that its questions are in, as tables list them."""
        return in_order({name for row in self.rows.values() for name in row.subsets})

    def inside(self, subset: str) -> list[Row]:
        """Return the questions of a subset."""
        return [row for row in self.rows.values() if subset in row.subsets]

    def mean(self, subset: str, measure: str) -> tuple[Fraction, int] | None:
        """Return the sum of a measure over a subset and the n it is divided by; None if n = 0."""
        found = [row.exact(measure) for row in self.inside(subset)]
        counted = [value for value in found if value is not None]
        return (sum(counted, Fraction(0)), len(counted)) if counted else None

    def summaries(self, subset: str) -> dict[str, Summary]:
        """Return every measure that counts somewhere in a subset, with its 95 % interval."""
        found = {name: self.mean(subset, name) for name in self.measures}
        return {
            name: Summary.of(float(mean[0] / mean[1]), mean[1])
            for name, mean in found.items()
            if mean is not None
        }


def same_answers(one: Result, other: Result) -> bool:
    """Say whether two results found the same for every question that both hold with equal labels.

    Ranks, measures and documents count; times do not.
    """
    return all(
        _answer(row) == _answer(other.rows[name])
        for name, row in one.rows.items()
        if name in other.rows and other.rows[name].labels == row.labels
    )


def _answer(row: Row) -> tuple[object, ...]:
    return (row.documents, dict(row.ranks), dict(row.values), row.failed, row.leaks)


_TAGS = ("set", "split", "benchmark", "variant", "chunking", "retrieval")


def result(run: str, tags: Mapping[str, str], table: Mapping[str, Any]) -> Result:
    """Return the result that a run keeps, from its tags and its table of questions.

    Raises
    ------
    NoVerdictError
        If a tag is missing or the table is not one of ours.
    """
    missing = [f"rageval.{name}" for name in _TAGS if not tags.get(f"rageval.{name}")]
    if missing:
        raise NoVerdictError(f"run {run}: its provenance is unknown, it lacks {', '.join(missing)}")
    facts = {name: tags[f"rageval.{name}"] for name in _TAGS}
    try:
        _require_readable(run, tags, table)
        rows = [_row(table["columns"], cells) for cells in table["data"]]
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise NoVerdictError(
            f"run {run}: its table of questions cannot be read: {fault}"
        ) from fault
    if not rows:
        raise NoVerdictError(f"run {run}: its table of questions is empty")
    if len({row.id for row in rows}) < len(rows):
        raise NoVerdictError(f"run {run}: its table of questions holds a question twice")
    return Result(
        run=run,
        name=facts.pop("retrieval"),
        dataset=facts.pop("set"),
        rows={row.id: row for row in rows},
        **facts,
    )


def _require_readable(run: str, tags: Mapping[str, str], table: Mapping[str, Any]) -> None:
    """Make sure that a table is not of a newer form than this version reads.

    Raises
    ------
    NoVerdictError
        If it is; the version that wrote it is named.
    """
    if SCHEMA_COLUMN not in table["columns"]:
        return
    column = list(table["columns"]).index(SCHEMA_COLUMN)
    newest = max((_whole(cells[column], 1) for cells in table["data"]), default=SCHEMA)
    if newest > SCHEMA:
        raise newer(f"run {run}: its table of questions", newest, SCHEMA, tags)


def newer(what: str, schema: int, known: int, tags: Mapping[str, str]) -> NoVerdictError:
    """Return the error for something that was written in a newer form than this version reads."""
    wrote = tags.get("rageval.version", "an unknown version")
    return NoVerdictError(
        f"{what} has schema {schema}, and this version of rageval reads up to {known}; it was "
        f"written by rageval {wrote}: use that version or a newer one"
    )


_RANKS = ("target", "evidence", "answer", "distractor")


def _row(columns: Sequence[str], cells: Sequence[Any]) -> Row:
    found = dict(zip(columns, cells, strict=True))
    labelled = _labelled(found) if "label" in found else None
    return Row(
        id=str(found["id"]),
        text=str(found["question"]),
        labels=str(found["labels"]),
        subsets=_names(found["subsets"]),
        values={name: _share(name, value) for name, value in found.items() if is_measure(name)},
        ranks={name: _rank(found[f"{name}_rank"]) for name in _RANKS},
        documents=_names(found["documents"]),
        diagnosis=str(found["diagnosis"]),
        failed=found["error"] is not None,
        leaks=_whole(found["leaks"], 0),
        group=_group(found.get("group")),  # older tables have no such column
        labelled=labelled,
        judgements=None if labelled is None else _judgements(labelled),
    )


def _labelled(found: Mapping[str, Any]) -> QuestionLabels:
    if not isinstance(found["label"], Mapping):
        raise ValueError(f"label is {found['label']!r}, not a mapping")
    return QuestionLabels(
        form=found["form"],
        hard_class=found["class"],
        tags=_names(found["tags"]),
        asker=found["asker"],
        answerable=Answerable(found["answerable"]).value,
        targets=_names(found["targets"]),
        label=found["label"],
    )


def _names(cell: object) -> tuple[str, ...]:
    if not isinstance(cell, list) or not all(isinstance(name, str) for name in cell):
        raise ValueError(f"{cell!r} is no list of names")
    return tuple(cell)


def _judgements(labelled: QuestionLabels) -> tuple[Judgement, ...]:
    found = judgements_of(labelled.answerable, labelled.asker, labelled.label)
    return tuple(map(tuple, found))


def _group(cell: object) -> str | None:
    if cell is not None and not isinstance(cell, str):
        raise ValueError(f"{cell!r} is no name of a group")
    return cell or None


def _share(name: str, cell: object) -> float | None:
    if cell is None:
        return None
    if not isinstance(cell, int | float) or not 0 <= cell <= 1:  # NaN is refused here, too
        raise ValueError(f"{name} is {cell!r}, not a number in 0..1")
    return float(cell)


def _rank(cell: object) -> int | None:
    return None if cell is None else _whole(cell, 1)


def _whole(cell: object, least: int) -> int:
    if not isinstance(cell, int) or isinstance(cell, bool) or cell < least:
        raise ValueError(f"{cell!r} is no whole number from {least}")
    return cell

"""Which questions are for development and which are held out, and how that never changes.

`Split.assign` only computes; `Assignment.write_lock` is a call of its own, so that a run which
fails leaves the lock as it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rageval.errors import InputError
from rageval.golden.question import GoldenSet, Question
from rageval.judging.resolution import fault_of
from rageval.schema.fields import Flag, Name, Natural, Share, component
from rageval.schema.fingerprint import text_digest
from rageval.split.lock import Lock, read_lock, write_lock

DEV, HOLDOUT = "dev", "holdout"


@dataclass(frozen=True, slots=True)
class Owner:
    """The golden set that a lock belongs to."""

    identity: str = ""
    file: str = ""  # name of its file or folder


@dataclass(frozen=True, slots=True)
class Assignment:
    """The side of every question of a set."""

    sides: Mapping[str, str]  # question id → dev | holdout, in the order of the set
    new: tuple[str, ...]  # ids that the lock did not know
    bridging: tuple[tuple[str, ...], ...]  # ids of each group that is on both sides
    lock: str | None  # path of the lock file; None = nothing is locked
    held_out: frozenset[str] = frozenset()  # digests of the texts of held-out questions
    owner: Owner | None = None  # of a lock that is written for the first time

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a run says of it: it may not name what is held out, `check` does."""
        if not self.bridging:
            return ()
        groups = f"{len(self.bridging)} group" + ("s" if len(self.bridging) > 1 else "")
        return (f"{groups} of questions on both sides of the split; `check` names them",)

    def write_lock(self) -> None:
        """Add what is new to the lock file; without anything new the file is not touched."""
        if self.lock is None:
            return
        path = Path(self.lock)
        known = read_lock(path)
        if not self.new and (not known.file or self.held_out <= known.held_out):
            return
        owner = self.owner or Owner()
        write_lock(
            path,
            Lock(
                sides={**known.sides, **{name: self.sides[name] for name in self.new}},
                identity=known.identity or owner.identity,
                file=known.file or owner.file,
                held_out=known.held_out | self.held_out,
            ),
        )


@component
class Split:
    """Assigns each group of questions to dev or holdout, by a hash of the seed and the group.

    1. A question that the lock file knows stays where it is, for good.
    2. A new question whose `split:` is given goes there, and so do the new ones of its group.
    3. A new question of a group that the lock knows follows its group; if the group is on both
       sides it goes to dev, and the group is reported.
    4. Any other group is dev if its hash falls within `dev_share`.

    With `holdout` false (a collection without a holdout) every question is dev and nothing is
    locked. `lock` is the path of the lock file, to be committed beside the golden set.
    """

    seed: Natural = 42
    dev_share: Share = 0.7
    holdout: Flag = True
    lock: Name | None = None

    def assign(self, golden: GoldenSet, group: Mapping[str, str]) -> Assignment:
        """Return the side of every question; `group` maps question ids to keys of their groups.

        Raises
        ------
        InputError
            If `split:` of a question contradicts its group or the lock, or the lock is broken.
        """
        if not self.holdout:
            return Assignment({question.id: DEV for question in golden}, (), (), None)
        locked = {} if self.lock is None else read_lock(Path(self.lock)).sides
        faults = [*_moved(golden, locked), *_torn(golden, group)]
        if faults:
            raise InputError.of(faults)
        of_group = self._sides(golden, group, locked)
        sides = {q.id: locked.get(q.id) or of_group[group[q.id]] for q in golden}
        new = tuple(question.id for question in golden if question.id not in locked)
        held_out = frozenset(text_digest(q.text) for q in golden if sides[q.id] == HOLDOUT)
        return Assignment(sides, new, tuple(_bridges(sides, group)), self.lock, held_out)

    def _sides(
        self, golden: GoldenSet, group: Mapping[str, str], locked: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the side that a new question of each group goes to."""
        sides = {key: self._drawn(key) for key in group.values()}
        known: dict[str, set[str]] = {}
        for question in golden:
            if question.id in locked:
                known.setdefault(group[question.id], set()).add(locked[question.id])
        sides |= {key: DEV if DEV in found else HOLDOUT for key, found in known.items()}
        return sides | {group[q.id]: q.split for q in golden if q.split is not None}

    def _drawn(self, key: str) -> str:
        name = f"{self.seed}\n{key}".encode("utf-8", "surrogatepass")
        draw = int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64
        return DEV if draw < self.dev_share else HOLDOUT


def _moved(golden: GoldenSet, locked: Mapping[str, str]) -> Iterator[str]:
    for question in golden:
        side = locked.get(question.id)
        if side and question.split and question.split != side:
            yield fault_of(
                question, f"split is {question.split}, the lock says {side}: no question moves"
            )


def _torn(golden: GoldenSet, group: Mapping[str, str]) -> Iterator[str]:
    first: dict[str, Question] = {}
    for question in golden:
        if question.split is not None:
            other = first.setdefault(group[question.id], question)
            if other.split != question.split:
                yield fault_of(
                    question,
                    f"split is {question.split}, but {other.split} for {other.id!r} of its group",
                )


def _bridges(sides: Mapping[str, str], group: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    members: dict[str, list[str]] = {}
    for name in sides:
        members.setdefault(group[name], []).append(name)
    for names in members.values():
        if len({sides[name] for name in names}) > 1:
            yield tuple(names)

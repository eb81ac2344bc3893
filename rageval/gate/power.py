"""What a gate can see: its false alarms on harmless changes, and the loss each limit notices."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rageval.comparison.result import Result, Row
from rageval.gate.simulation import Column, Draws, Failed, failures
from rageval.gate.thresholds import GateThresholds
from rageval.statistics.churn import LOST

_FINEST = 2**32  # the largest unit of a value, as in `statistics.differences`
_SOUGHT = 0.8  # the power that is asked for
_PAIRS = 40  # of runs that churn is estimated from


@dataclass(frozen=True)
class LimitPower:
    """What one limit can see."""

    path: str  # max_drop.all.recall
    n: int  # questions that it is about
    alarms: float  # share of harmless changes that fail it, 0..1
    seen: int | None  # lost questions that fail it in 80 % of the cases; None: no number does


@dataclass(frozen=True)
class Power:
    """What a gate can see on one set."""

    questions: int
    groups: int
    churn: float  # share of the found questions that a harmless change loses
    drops: float  # share of harmless changes that fail any limit of `max_drop`
    alarms: float  # share of harmless changes that fail any limit at all
    limits: tuple[LimitPower, ...]

    def any_of(self, candidates: int) -> float:
        """Return the chance that some of many harmless candidates raise at least one alarm.

        Examples
        --------
        >>> round(Power(100, 100, 0.04, 0.05, 0.05, ()).any_of(20), 2)
        0.64
        """
        return float(1 - (1 - self.alarms) ** candidates)

    @property
    def noise(self) -> list[LimitPower]:
        """Return the limits that fail more harmless changes than one in ten."""
        return [limit for limit in self.limits if limit.alarms > 0.1]


@dataclass(frozen=True)
class Simulation:
    """How changes are drawn."""

    churn: float = LOST
    draws: int = 1000
    seed: int = 72


def power(result: Result, thresholds: GateThresholds, how: Simulation) -> Power:
    """Simulate a gate on a set: changes that are mere churn, and changes that lose something.

    A harmless change loses each found question with the chance `churn`, and finds so many of the
    missed ones that the means stay. Questions of one group are lost and found together. What a
    question comes to after it is lost or found is what another such question of the set came to.
    A loss is so many more found questions of the limit's subset, drawn at random.

    Parameters
    ----------
    result
        The results that changes begin from: the champion's, mostly.
    thresholds
        The limits of the gate; those without questions in the result are left out.
    how
        Churn, number of draws and seed.
    """
    world = _World.of(result, {measure for _, (_, measure) in thresholds.paths()})
    random = np.random.Generator(np.random.PCG64(how.seed))
    failed = failures(world.changed(random, how, {}), thresholds)
    whole = np.zeros(how.draws, bool)
    dropped = np.zeros(how.draws, bool)
    for path, draws in failed.items():
        whole |= draws
        if path.startswith("max_drop."):
            dropped |= draws
    limits = [
        LimitPower(path, n, float(draws.mean()), _seen(world, thresholds, how, path))
        for path, draws, n in _sized(failed, world)
    ]
    return Power(
        questions=len(result.rows),
        groups=int(world.group.max()) + 1,
        churn=how.churn,
        drops=float(dropped.mean()),
        alarms=float(whole.mean()),
        limits=tuple(limits),
    )


def estimated_churn(results: Sequence[Result]) -> tuple[float, int] | None:
    """Return the share of found questions that changes lose, and how many pairs it rests on.

    Of two results of one benchmark and different variants the smaller of what was lost and gained
    counts, so that a change for the better or the worse does not pass for churn; the median of the
    pairs is taken. None without a pair.
    """
    shares = []
    for one, other in _pairs(results):
        found = [name for name, row in one.rows.items() if row.found]
        lost = sum(not other.rows[name].found for name in found)
        gained = sum(row.found and not one.rows[name].found for name, row in other.rows.items())
        if found:
            shares.append(min(lost, gained) / len(found))
    return (float(np.median(shares)), len(shares)) if shares else None


def _pairs(results: Sequence[Result]) -> Iterator[tuple[Result, Result]]:
    number = 0
    for place, one in enumerate(results):
        for other in results[place + 1 :]:
            same = one.benchmark == other.benchmark and set(one.rows) == set(other.rows)
            if same and one.variant != other.variant and number < _PAIRS:
                number += 1
                yield one, other


def _sized(failed: Mapping[str, Failed], world: _World) -> Iterator[tuple[str, Failed, int]]:
    for path, draws in failed.items():
        yield path, draws, int(world.inside(path).sum())


def _seen(world: _World, thresholds: GateThresholds, how: Simulation, path: str) -> int | None:
    """Return the fewest lost questions that fail a limit in 80 % of the draws, by bisection."""
    alone = _alone(thresholds, path)
    inside = world.inside(path) & world.found
    most = int(inside.sum())
    draws = min(how.draws, 300)

    def share(lost: int) -> float:
        random = np.random.Generator(np.random.PCG64(how.seed + lost))
        less = Simulation(how.churn, draws, how.seed)
        drawn = world.changed(random, less, {"inside": inside, "lost": np.array(lost)})
        return float(failures(drawn, alone, 1000)[path].mean())

    if most == 0 or share(most) < _SOUGHT:
        return None
    low, high = 0, most  # low is too few, high is enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if share(middle) >= _SOUGHT else (middle, high)
    return high


def _alone(thresholds: GateThresholds, path: str) -> GateThresholds:
    """Return the limits that one limit's verdict depends on: drops are tested as a family."""
    if path.startswith("max_drop."):
        return thresholds.model_copy(
            update={"floors": {}, "no_tolerance": (), "new_distractors": None}
        )
    none: dict[str, object] = {
        "floors": {},
        "max_drop": {},
        "no_tolerance": (),
        "new_distractors": None,
    }
    if path == "new_distractors":
        return thresholds.model_copy(update={**none, path: thresholds.new_distractors})
    kind, _, rest = path.partition(".")
    if kind == "no_tolerance":
        return thresholds.model_copy(update={**none, kind: (rest,)})
    subset, _, measure = rest.rpartition(".")
    limit = {subset: {measure: thresholds.floors[subset][measure]}}
    return thresholds.model_copy(update={**none, "floors": limit})


@dataclass(frozen=True)
class _World:
    """A result as arrays: a row a question."""

    members: Mapping[str, NDArray[np.bool_]]
    values: Mapping[str, NDArray[np.int64]]  # measure → [questions] in 1 / scale
    counts: Mapping[str, NDArray[np.bool_]]
    scale: Mapping[str, int]
    group: NDArray[np.int64]
    found: NDArray[np.bool_]
    kind: NDArray[np.int64]  # questions of one kind have values of the same measures

    @classmethod
    def of(cls, result: Result, limited: Collection[str]) -> _World:
        rows = list(result.rows.values())
        wanted = {*limited, "distractor_above_answer"}
        columns = {name: _scaled(rows, name) for name in result.measures if name in wanted}
        places: dict[str, int] = {}
        group = [places.setdefault(row.group or f"\0{row.id}", len(places)) for row in rows]
        counts = {
            name: np.array([row.values[name] is not None for row in rows]) for name in columns
        }
        pattern = np.stack(list(counts.values())).T if counts else np.zeros((len(rows), 0), bool)
        kind = np.unique(pattern, axis=0, return_inverse=True)[1].reshape(-1)
        return cls(
            members={
                name: np.array([name in row.subsets for row in rows]) for name in result.subsets
            },
            values={name: values for name, (values, _) in columns.items()},
            counts=counts,
            scale={name: scale for name, (_, scale) in columns.items()},
            group=np.array(group, np.int64),
            found=np.array([row.found for row in rows], bool),
            kind=kind.astype(np.int64),
        )

    def inside(self, path: str) -> NDArray[np.bool_]:
        """Return the questions that a limit is about."""
        rule, _, rest = path.partition(".")
        if rule == "no_tolerance":
            return self.members[rest]
        if rule == "new_distractors":
            return self.counts["distractor_above_answer"]
        subset, _, measure = rest.rpartition(".")
        return self.members[subset] & self.counts[measure]

    def changed(
        self,
        random: np.random.Generator,
        how: Simulation,
        loss: Mapping[str, NDArray[np.generic]],
    ) -> Draws:
        """Return simulated changes; `loss` names questions of which some more are lost."""
        n, draws = len(self.found), how.draws
        missed = ~self.found
        finds = min(1.0, how.churn * self.found.sum() / max(1, missed.sum()))
        groups = int(self.group.max()) + 1
        chance = random.random((draws, groups))[:, self.group]  # a group moves together
        lost = self.found & (chance < how.churn)
        gained = missed & (chance < finds)
        if loss:
            lost |= _some(random, np.asarray(loss["inside"], bool), int(loss["lost"]), draws)
        source = np.broadcast_to(np.arange(n), (draws, n)).copy()
        for kind in np.unique(self.kind).tolist():
            mine = self.kind == kind
            _take(random, source, lost & mine, np.flatnonzero(mine & missed))
            _take(random, source, gained & mine, np.flatnonzero(mine & self.found))
        columns = {
            name: Column(
                values[None, :],
                np.where(source >= 0, values[source], 0),
                self.counts[name],
                self.scale[name],
            )
            for name, values in self.values.items()
        }
        return Draws(self.members, columns, self.group, lost)


def _take(
    random: np.random.Generator,
    source: NDArray[np.int64],
    where: NDArray[np.bool_],
    donors: NDArray[np.int64],
) -> None:
    """Let questions take the values of donors; of none, they lose all of theirs (−1)."""
    number = int(where.sum())
    source[where] = random.choice(donors, number) if len(donors) else -1


def _some(
    random: np.random.Generator, inside: NDArray[np.bool_], number: int, draws: int
) -> NDArray[np.bool_]:
    """Return `number` of the questions inside, drawn again for each draw: [draws, questions]."""
    order = np.where(inside, random.random((draws, len(inside))), 2.0)
    chosen = np.zeros(order.shape, bool)
    if number:
        rows = np.argpartition(order, min(number, order.shape[1]) - 1, axis=1)[:, :number]
        np.put_along_axis(chosen, rows, True, axis=1)
    return chosen & inside


def _scaled(rows: Sequence[Row], measure: str) -> tuple[NDArray[np.int64], int]:
    """Return a measure as whole numbers over a common denominator, and that denominator."""
    exact = [row.exact(measure) or Fraction(0) for row in rows]
    scale = 1
    for denominator in {value.denominator for value in exact}:
        scale = math.lcm(scale, denominator)
        if scale > _FINEST:
            scale = _FINEST
            break
    return np.array([round(value * scale) for value in exact], np.int64), scale

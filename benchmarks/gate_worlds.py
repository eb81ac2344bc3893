"""What truly happens to a retriever, simulated question by question.

Each question has one target and its rank, 0 = absent; the window holds six. Before a change hit@1
is 0.60, hit@3 0.80 and recall 0.86. Churn: any change loses 4 % of what was found and finds as many
questions that were absent, 3.2 % of all each way by hit@3, so that every measure stays where it is
on average. A change for the worse loses more, each found question as likely as any other. Subsets:
a small one of 15 % of the questions (at least 5), and one half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BEFORE = np.array([0.14, 0.60, 0.13, 0.07, 0.03, 0.02, 0.01])  # chance of rank 0 (absent), 1, …, 6
HIT, LOST = 0.80, 0.04  # hit@3 before; the share of found questions that churn loses
CHURN = HIT * LOST  # questions lost, and found anew, of all
_FOUND = BEFORE[1:] / BEFORE[1:].sum()

Ranks = NDArray[np.int8]  # [draws, questions]
Share = float | NDArray[np.float64]  # of all questions, or of each, [questions]
Random = np.random.Generator


@dataclass(frozen=True)
class World:
    """One true change."""

    name: str
    harm: bool  # a gate should fail
    apply: Callable[[Random, Ranks], Ranks]


def small(n: int) -> NDArray[np.bool_]:
    """Return who is in the small subset: 5, 7, 15 and 60 of 34, 48, 100 and 400."""
    return np.arange(n) < max(5, round(0.15 * n))


def half(n: int) -> NDArray[np.bool_]:
    """Return who is in the other subset."""
    return np.arange(n) % 2 == 0


def drawn(random: Random, draws: int, n: int) -> Ranks:
    """Return ranks before any change."""
    return random.choice(7, size=(draws, n), p=BEFORE).astype(np.int8)


def moved(random: Random, ranks: Ranks, loss: Share, gain: Share = 0.0, churn: float = 1) -> Ranks:
    """Return ranks after a change that costs `loss` of hit@3 and wins `gain`, beside churn."""
    lose = (CHURN * churn + np.asarray(loss)) / HIT
    find = (CHURN * churn + np.asarray(gain)) / BEFORE[0] * BEFORE[1:].sum() / HIT
    chance = random.random(ranks.shape, np.float32)
    again = random.choice(np.arange(1, 7), size=ranks.shape, p=_FOUND)
    kept = np.where((ranks > 0) & (chance < lose), 0, ranks)
    return np.where((ranks == 0) & (chance < find), again, kept).astype(np.int8)


def slipped(random: Random, ranks: Ranks) -> Ranks:
    """Return ranks of which each fifth is one worse, inside the window."""
    slips = (ranks > 0) & (ranks < 6) & (random.random(ranks.shape, np.float32) < 0.2)
    return moved(random, (ranks + slips).astype(np.int8), 0.0)


def decayed(random: Random, ranks: Ranks) -> Ranks:
    """Return ranks of which every second one falls to third, and every fourth one to fifth."""
    return moved(random, np.where((ranks == 2) | (ranks == 4), ranks + 1, ranks).astype(np.int8), 0)


def _hidden(random: Random, ranks: Ranks) -> Ranks:
    """Lose 40 points in the small subset, and win as many questions elsewhere."""
    inside = small(ranks.shape[1])
    share = inside.mean()
    return moved(
        random, ranks, np.where(inside, 0.4, 0), np.where(inside, 0, 0.4 * share / (1 - share))
    )


WORLDS = (
    World("churn alone", False, lambda random, ranks: moved(random, ranks, 0.0)),
    World("−2 points", True, lambda random, ranks: moved(random, ranks, 0.02)),
    World("−5 points", True, lambda random, ranks: moved(random, ranks, 0.05)),
    World("−10 points", True, lambda random, ranks: moved(random, ranks, 0.10)),
    World(
        "−40 points in the small subset",
        True,
        lambda random, ranks: moved(random, ranks, np.where(small(ranks.shape[1]), 0.4, 0)),
    ),
    World("the same, hidden by gains", True, _hidden),
    World("a fifth slips a rank", True, slipped),
    World("ranks 2 and 4 slip by one", True, decayed),
)

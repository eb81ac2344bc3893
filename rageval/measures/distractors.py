"""The early warning: a distractor that stands above the answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rageval.measures.ranks import ABSENT, Ints


def distractor_above_answer(distractor: Ints, answer: Ints) -> NDArray[np.bool_]:
    """Say whether the best distractor ranks before the best answer in the full ranking: [n].

    Ranks begin at 1; 0 = absent, which is later than every rank. Range {0, 1}.

    Examples
    --------
    >>> distractor_above_answer(np.array([1, 3, 2, 0]), np.array([2, 2, 0, 0])).tolist()
    [True, False, True, False]
    """
    above: NDArray[np.bool_] = (distractor > ABSENT) & ((answer == ABSENT) | (distractor < answer))
    return above

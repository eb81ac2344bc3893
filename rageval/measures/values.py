"""One value a question, and which questions have one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Values:
    """A measure's value for each question; where it does not apply, `counts` is False.

    A mean is taken over the questions that count and never over the others, so no NaN stands for
    "does not apply".
    """

    value: NDArray[np.float64]  # [n_questions], 0 where it does not count
    counts: NDArray[np.bool_]  # [n_questions]

    @classmethod
    def of(cls, value: NDArray[np.generic], counts: NDArray[np.bool_]) -> Values:
        """Take the values of the questions that count."""
        return cls(np.where(counts, value.astype(np.float64), 0.0), counts)

    def at(self, question: int) -> float | None:
        """Return one question's value, None where the measure does not apply."""
        return float(self.value[question]) if self.counts[question] else None

    def mean(self) -> float | None:
        """Return the mean over the questions that count, None if there is none.

        Examples
        --------
        >>> Values(np.array([1.0, 0.0, 0.0]), np.array([True, True, False])).mean()
        0.5
        """
        return float(self.value[self.counts].mean()) if self.counts.any() else None

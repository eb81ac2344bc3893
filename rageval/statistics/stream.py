"""Random numbers that are the same in every run, on every machine and with every numpy.

numpy promises that the raw output of a bit generator stays as it is; it does not promise that of
`Generator.integers`, `permutation` and their like. So the raw words alone are used. What is made of
them are sums of whole numbers, which depend on no order, thread or BLAS.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Stream:
    """Raw words of PCG64."""

    def __init__(self, seed: int) -> None:
        self._words = np.random.PCG64(seed)

    def octets(self, count: int) -> NDArray[np.uint8]:
        """Return random bytes.

        Examples
        --------
        >>> Stream(0).octets(4).tolist()
        [95, 130, 194, 217]
        """
        words = self._words.random_raw((count + 7) // 8)
        return words.astype("<u8", copy=False).view(np.uint8)[:count]

    def places(self, count: int, below: int) -> NDArray[np.int64]:
        """Return random whole numbers of 0..below − 1, below < 2³¹.

        The upper half of a 32-bit word times `below`: one is likelier than another by at most
        below / 2³².

        Examples
        --------
        >>> Stream(0).places(5, 10).tolist()
        [8, 6, 5, 2, 3]
        """
        words = self._words.random_raw((count + 1) // 2).astype("<u8", copy=False)
        halves = words.view(np.dtype("<u4"))[:count].astype(np.uint64)
        return ((halves * np.uint64(below)) >> np.uint64(32)).astype(np.int64)

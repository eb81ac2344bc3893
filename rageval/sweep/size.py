"""How many cells a sweep has, counted before any of them is written out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hydra.core.override_parser.types import ChoiceSweep, Override, RangeSweep

from rageval.errors import InputError
from rageval.files.limits import Limits


def require_few(overrides: Sequence[Override], most: int | None) -> None:
    """Make sure that a sweep has no more cells than `limits.cells`.

    Raises
    ------
    InputError
        If it has more; none of them was listed, however many there are.
    """
    allowed = Limits().cells if most is None else most
    counts = {override.key_or_group or "": _values(override) for override in overrides}
    total = math.prod(counts.values())
    if total > allowed:
        parts = " × ".join(f"{key} {count:,}" for key, count in counts.items() if count > 1)
        raise InputError(
            f"the sweep has {total:,} cells ({parts}); up to {allowed:,} are run (limits.cells)"
        )


def _values(override: Override) -> int:
    """Return how many values a word gives to its key."""
    value = override.value() if override.is_sweep_override() else None
    if isinstance(value, RangeSweep):
        start, stop, step = value.start or 0, value.stop or 0, value.step or 1
        return max(0, math.ceil((stop - start) / step))
    return len(value.list) if isinstance(value, ChoiceSweep) else 1

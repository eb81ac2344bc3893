"""Measure retrieval alone: tracked, reproducible, paired comparisons that can fail a build."""

from typing import TYPE_CHECKING, Any

from rageval.version import __version__ as __version__

if TYPE_CHECKING:
    from rageval.evaluation.run_file import score as score


def __getattr__(name: str) -> Any:  # noqa: ANN401  whatever is asked for
    """Load what is asked for when it is: importing the package alone costs nothing."""
    if name == "score":
        from rageval.evaluation.run_file import score

        return score
    raise AttributeError(f"module 'rageval' has no attribute {name!r}")

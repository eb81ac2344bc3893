"""What can go wrong, as sentences for the person who must mend it.

::

    RagevalError            a sentence and the exit code it ends the program with
    ├── InputError          2  the user's config, data or labels are wrong; nothing was written
    │   └── ProposalError      a choice is missing; one is proposed
    ├── NoVerdictError      3  no verdict is possible
    └── UnreachableError    4  the store or a backend cannot be reached, or is taken by another

Exit code 1 (a failed gate, a leak, retriever errors) is a result, not an error.
"""

from __future__ import annotations

from collections.abc import Iterable


class RagevalError(Exception):
    """A sentence (or several, one a line) for the user, with the exit code that goes with it."""

    exit_code = 2


class InputError(RagevalError):
    """The user's config, data or labels are wrong; every fault is a line of the message."""

    exit_code = 2

    @classmethod
    def of(cls, faults: Iterable[str]) -> InputError:
        """Gather several faults into one error, one line each, in the order given."""
        return cls("\n".join(faults))


class ProposalError(InputError):
    """Something must be chosen that nobody chose; what would fit is proposed, and never used."""

    def __init__(self, sentence: str, words: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.words = words  # overrides of the command line that choose it


class NoVerdictError(RagevalError):
    """No verdict is possible: the baseline or its provenance is missing or broken."""

    exit_code = 3


class UnreachableError(RagevalError):
    """The tracking store, or a backend before the first question, cannot be reached."""

    exit_code = 4

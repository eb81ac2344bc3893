"""A golden set in which some questions are faulty, and the others can be looked at."""

from __future__ import annotations

from rageval.errors import InputError
from rageval.golden.question import GoldenSet


class FaultyQuestionsError(InputError):
    """Some questions are faulty; `sound` holds the others, whose labels are looked at too."""

    def __init__(self, fault: InputError, sound: GoldenSet) -> None:
        super().__init__(str(fault))
        self.sound = sound

"""A golden set as other sets are told from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SetIdentity:
    """Name, identity, place and questions of a golden set."""

    name: str
    id: str  # what its lock carries; empty where it has no lock, or one of version 0.1.0
    location: str  # repository and path in it, or an absolute path
    questions: tuple[str, ...]  # sketch of the digests of all its questions
    held_out: tuple[str, ...] = ()  # sketch of the digests of its held-out questions

    def same_as(self, other: SetIdentity) -> bool:
        """Say whether two identities are of one set, maybe moved, grown or without its lock.

        Equal ids are one set, and so is what lives in one place. Different ids are two sets, even
        if one began as a copy of the other. Without both ids, sets that share a question are one.
        """
        if self.location == other.location or (self.id and self.id == other.id):
            return True
        if self.id and other.id:
            return False
        return not set(self.questions).isdisjoint(other.questions)

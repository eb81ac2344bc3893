"""Objects of a framework that a function of the user's makes, for each asker and limit or once."""

from __future__ import annotations

from typing import Any


class Made:
    """What is asked: one object for everybody, or one for each limit and set of groups.

    Parameters
    ----------
    source
        What the user's function returned. Something that can be called with `limit` and `groups`
        makes what is asked, once for each; anything else is asked itself, by everybody.
    """

    def __init__(self, source: Any) -> None:  # noqa: ANN401  an object of some framework
        self._source = source
        self._objects: dict[tuple[int, frozenset[str]], Any] = {}

    def of(self, limit: int, groups: frozenset[str]) -> Any:  # noqa: ANN401  whatever it makes
        """Return what is asked for askers of these groups."""
        if not callable(self._source):
            return self._source
        key = (limit, groups)
        if key not in self._objects:
            self._objects[key] = self._source(limit=limit, groups=groups)
        return self._objects[key]

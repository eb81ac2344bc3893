"""ErrorCollector of input files, gathered so that all of them are reported at once."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from rageval.errors import InputError

_LISTED = 5  # lines in a message
_COMPARED = 100_000  # pairs of names at most: a wrong file has thousands of unknown ones


class ErrorCollector:
    """What is wrong with the files read so far, each fault a sentence with file and line.

    Examples
    --------
    >>> faults = ErrorCollector()
    >>> faults.add(Path("b.yaml"), 7, "id is blank")
    >>> faults.add(Path("b.yaml"), 2, "unknown key 'x'")
    >>> faults.raise_if_any()
    Traceback (most recent call last):
        ...
    rageval.errors.InputError: b.yaml:2: unknown key 'x'
    b.yaml:7: id is blank
    """

    def __init__(self) -> None:
        self._found: dict[Path, dict[str, list[tuple[int, str]]]] = {}

    def add(self, path: Path, line: int, sentence: str, about: str = "") -> None:
        """Note one fault; line 0 is the file as a whole.

        `about` names what has the fault, such as a question. A sentence that is said of several is
        reported once, with their number and lines.
        """
        self._found.setdefault(path, {}).setdefault(sentence, []).append((line, about))

    def says(self, beginning: str) -> bool:
        """Say whether any sentence so far begins like that."""
        sentences = (sentence for found in self._found.values() for sentence in found)
        return any(sentence.startswith(beginning) for sentence in sentences)

    @property
    def about(self) -> frozenset[str]:
        """Return all that has a fault, as it was named."""
        sentences = (places for found in self._found.values() for places in found.values())
        return frozenset(about for places in sentences for _, about in places)

    def __bool__(self) -> bool:
        return bool(self._found)

    def raise_if_any(self) -> None:
        """Raise all faults as one InputError, by file and then line; without any do nothing."""
        if self._found:
            raise InputError.of(
                line
                for path, found in self._found.items()
                for _, line in sorted(_lines(path, found), key=lambda pair: pair[0])
            )


def _lines(path: Path, found: Mapping[str, list[tuple[int, str]]]) -> Iterator[tuple[int, str]]:
    """Yield the faults of a file with the line that each is first on."""
    for sentence, places in found.items():
        rows = list(dict.fromkeys(sorted(line for line, _ in places)))
        line, about = min(places, key=lambda place: place[0])
        where = f"{path}:{line}" if line else str(path)
        if len(places) == 1:
            yield line, f"{where}: {about}: {sentence}" if about else f"{where}: {sentence}"
        else:
            yield line, f"{where}: {sentence} ({len(places)} times{_on(rows)})"


def _on(rows: list[int]) -> str:
    """Return on which lines a fault is, as the end of a sentence."""
    if len(rows) < 2:
        return ""
    more = ", …" if len(rows) > _LISTED else ""
    return f", on lines {', '.join(map(str, rows[:_LISTED]))}{more}"


def near_names(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Return, for each unknown name, how its sentence goes on: the nearest known name, or nothing.

    Examples
    --------
    >>> near_names(["travl", "zzz"], ["travel", "salary"])
    {'travl': ", did you mean 'travel'?", 'zzz': ''}
    """
    endings = dict.fromkeys(names, "")
    looked_up = max(1, min(20, _COMPARED // max(1, len(known))))
    for name in list(endings)[:looked_up]:
        near = difflib.get_close_matches(name, known, n=1)
        if near:
            endings[name] = f", did you mean {near[0]!r}?"
    return endings


def listed(names: Iterable[str]) -> str:
    """Return known names for a sentence: sorted, comma between.

    Examples
    --------
    >>> listed({"b", "a"})
    'a, b'
    """
    return ", ".join(sorted(names))

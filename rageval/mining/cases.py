"""Candidates as cases in our own format, to be judged: a file that is only ever added to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from rageval.errors import InputError
from rageval.files.nodes import plain_yaml
from rageval.files.text import read_text, replace_text
from rageval.formats.canonical.export import as_yaml
from rageval.mining.production import SAMPLE
from rageval.mining.questionlog.asked import Asked
from rageval.mining.queue import Candidate
from rageval.schema.fingerprint import digest

UNJUDGED = "todo"  # answerable of a case as it is written; every check of labels refuses it
_HEAD = """\
# Candidates for {name}, from questions that retrieved badly. Judge each: say what answers it
# (supporting or expected), or `answerable: false`; `mine review=true` shows a page for it.
# Then `mine merge=true` checks the judged ones and adds them to the golden set.
"""
Case = dict[str, Any]  # the fields of a question


@dataclass(frozen=True)
class Cases:
    """The candidates of a set, judged or not."""

    path: Path
    name: str  # of the set
    cases: tuple[Case, ...]

    @classmethod
    def read(cls, path: Path, name: str) -> Cases:
        """Read the file; without one there are no candidates.

        Raises
        ------
        InputError
            If it is no YAML file of cases, or of another set.
        """
        if not path.exists():
            return cls(path, name, ())
        content = _content(path)
        cases = content.get("questions") if isinstance(content, dict) else None
        if not isinstance(cases, list) or not all(isinstance(c, dict) and "id" in c for c in cases):
            raise InputError(f"{path}: no list of cases with ids below the key questions")
        _require_texts(path, cases)
        if content.get("set") != name:
            raise InputError(
                f"{path}: holds candidates of the set {content.get('set')!r}, not of {name!r}"
            )
        return cls(path, name, tuple(cases))

    @property
    def todo(self) -> list[Case]:
        """Return the cases that nobody judged yet."""
        return [case for case in self.cases if unjudged(case)]

    def with_new(self, cases: Sequence[Case]) -> Cases:
        """Return these and the new ones; a case that is there stays as it was judged.

        A question that retrieved badly and is drawn by chance, too, is there once, as drawn: what
        stands for the log may not lack what retrieves badly. Unless it was judged before it was
        drawn; then it is there twice.
        """
        ids = {case["id"] for case in self.cases}
        new = {case["id"]: case for case in cases if case["id"] not in ids}
        drawn = {_asked(case) for case in new.values() if case["source"] == SAMPLE}
        kept = [c for c in self.cases if _asked(c) not in drawn or not unjudged(c)]
        known = drawn | {_asked(case) for case in kept}
        added = [c for c in new.values() if c["source"] == SAMPLE or _asked(c) not in known]
        return Cases(self.path, self.name, (*kept, *added))

    def write(self, comments: Mapping[str, Sequence[str]]) -> None:
        """Replace the file in one step; `comments` are lines for people below a case, by its id."""
        head = _HEAD.format(name=self.name) + as_yaml({"set": self.name})
        body = "questions:\n" if self.cases else "questions: []\n"
        for case in self.cases:
            body += as_yaml([case])
            if unjudged(case):
                body += "".join(f"  # {line}\n" for line in comments.get(case["id"], ()))
        replace_text(self.path, head + body)


def _asked(case: Case) -> tuple[object, object]:
    return case["question"], case.get("asker")


def _content(path: Path) -> Any:  # noqa: ANN401  whatever the file holds
    return plain_yaml(read_text(path), path)


def _require_texts(path: Path, cases: Sequence[Case]) -> None:
    """Make sure that each case can be named and shown; what else is wrong `merge` tells."""
    faults = [
        f"{path}: case number {number}: {key} is {case.get(key)!r}, a text is needed"
        for number, case in enumerate(cases, start=1)
        for key in ("id", "question")
        if not isinstance(case.get(key), str)
    ]
    counts = Counter(str(case["id"]) for case in cases)
    faults += [f"{path}: the id {name!r} occurs twice" for name, n in counts.items() if n > 1]
    if faults:
        raise InputError.of(faults)


def unjudged(case: Mapping[str, Any]) -> bool:
    """Say whether nobody judged a case yet."""
    return case.get("answerable") == UNJUDGED


def case_of(asked: Asked, asker: str | None, today: date, source: str, notes: str) -> Case:
    """Return a logged question as a case to be judged; its id follows from its words and asker."""
    fields = {
        "id": f"{source}-{digest([asked.text, asker])[:10]}",
        "question": asked.text,
        "asker": asker,
        "answerable": UNJUDGED,
        "source": source,
        "added": today,
        "notes": notes,
    }
    return {key: value for key, value in fields.items() if value is not None}


def told(candidate: Candidate) -> str:
    """Return how often a candidate was asked, how it fared and how new it is, in words."""
    when = candidate.asked.when
    last = f", last on {when:%Y-%m-%d}" if when else ""
    times = candidate.cluster.traffic
    asked = f"asked {times} time{'s' if times > 1 else ''}{last}"
    why = ", ".join(f"{name} {count}" for name, count in candidate.reasons.items())
    return f"{asked}; {why}; novelty {candidate.novelty:.2f}"

"""Candidates as cases in our own format, to be judged: a file that is only ever added to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from rageval.errors import InputError
from rageval.export.canonical import as_yaml
from rageval.fingerprint import digest
from rageval.mining.queue import Candidate
from rageval.questionlog.asked import Asked
from rageval.source import read_text, replace_text

TODO = "todo"  # answerable of a case that nobody judged yet; every check refuses it
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
        try:
            content = yaml.safe_load(read_text(path))
        except yaml.YAMLError as fault:
            first = " ".join(str(fault).split())
            raise InputError(f"{path}: not YAML: {first}") from fault
        cases = content.get("questions") if isinstance(content, dict) else None
        if not isinstance(cases, list) or not all(isinstance(c, dict) and "id" in c for c in cases):
            raise InputError(f"{path}: no list of cases with ids below the key questions")
        if content.get("set") != name:
            raise InputError(
                f"{path}: holds candidates of the set {content.get('set')!r}, not of {name!r}"
            )
        return cls(path, name, tuple(cases))

    @property
    def todo(self) -> list[Case]:
        """Return the cases that nobody judged yet."""
        return [case for case in self.cases if case.get("answerable") == TODO]

    def with_new(self, cases: Sequence[Case]) -> Cases:
        """Return these and the new ones; a case that is there stays as it was judged."""
        known = {case["id"] for case in self.cases}
        new = {case["id"]: case for case in cases if case["id"] not in known}
        return Cases(self.path, self.name, (*self.cases, *new.values()))

    def write(self, comments: Mapping[str, Sequence[str]]) -> None:
        """Replace the file in one step; `comments` are lines for people below a case, by its id."""
        head = _HEAD.format(name=self.name) + as_yaml({"set": self.name})
        body = "questions:\n" if self.cases else "questions: []\n"
        for case in self.cases:
            body += as_yaml([case])
            if case.get("answerable") == TODO:
                body += "".join(f"  # {line}\n" for line in comments.get(case["id"], ()))
        replace_text(self.path, head + body)


def case_of(asked: Asked, asker: str | None, today: date, source: str, notes: str) -> Case:
    """Return a logged question as a case to be judged; its id follows from its words and asker."""
    fields = {
        "id": f"{source}-{digest([asked.text, asker])[:10]}",
        "question": asked.text,
        "asker": asker,
        "answerable": TODO,
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

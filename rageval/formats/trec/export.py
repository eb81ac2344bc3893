"""TREC's layout: topics.tsv and qrels.txt."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rageval.formats.beir.export import grade_losses, graded
from rageval.formats.files import write_text
from rageval.formats.trec.words import word
from rageval.formats.unsupported import Capacity
from rageval.judging.labelled import Labelled
from rageval.schema.fields import Name, component

_CAPACITY = Capacity(frozenset({"grades", "the choice between evidence"}))


@component
class TrecExport:
    """A folder with `topics.tsv` (`id<tab>text`) and `qrels.txt`.

    TREC files separate by white space, so ids that hold any are percent-encoded (`%20`); they are
    named, and `dataset.golden.encoded=true` reads them back. White space in questions is collapsed.
    """

    path: Name

    def write(self, labelled: Labelled) -> list[str]:
        """Write both files."""
        root, golden = Path(self.path), labelled.golden
        kept = _CAPACITY.kept(golden)
        topics = (f"{word(q.id)}\t{' '.join(q.text.split())}\n" for q in kept)
        rows = [(q.id, name, grade) for q in kept for name, grade in graded(q).items()]
        write_text(root / "topics.tsv", "".join(topics))
        judged = (f"{word(query)} 0 {word(name)} {grade}\n" for query, name, grade in rows)
        write_text(root / "qrels.txt", "".join(judged))
        changed = [
            *_changed("question", (q.id for q in kept)),
            *_changed("document", (name for _, name, _ in rows)),
        ]
        return [*_CAPACITY.losses(golden), *grade_losses(kept), *changed]


def _changed(kind: str, names: Iterable[str]) -> list[str]:
    found = [name for name in dict.fromkeys(names) if word(name) != name]
    if not found:
        return []
    shown = ", ".join(f"{name!r} as {word(name)}" for name in found[:3])
    more = ", …" if len(found) > 3 else ""
    return [f"{kind} ids encoded, as TREC ids hold no white space: {len(found)} ({shown}{more})"]

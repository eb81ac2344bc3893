"""A small set in every format, as our own exporters and a few hands wrote it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from desk import DATA
from hydra import compose, initialize_config_dir

from rageval.config.places import shipped
from rageval.config.reading import plain
from rageval.config.resolvers import register
from rageval.formats.canonical.golden import GoldenFile
from rageval.formats.markdown.corpus import MarkdownFolder
from rageval.golden.access import AccessFile

CASE = {"id": "log-1", "question": "When?", "answerable": "todo", "added": date(2026, 1, 2)}
ROWS = [
    {"user_input": "How many days of leave?", "reference_contexts": ["30 days of leave"],
     "reference": "30", "synthesizer_name": "x"},
]  # fmt: skip
OTHERS = {
    "ragas.jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS),
    "deepeval.json": json.dumps([{"input": "How many days?", "context": ["30 days of leave"]}]),
    "haystack.json": json.dumps([{"query": "How many?", "document": {"id": "leave"}}]),
    "adr.json": json.dumps([{"id": "a", "question": "How?", "expectedDocumentIds": ["leave"]}]),
    "table.csv": "question,source\nHow many days of leave?,leave;pump\n",
    "topics.txt": "<top>\n<num> Number: 1\n<title> days &amp; leave\n</top>\n",
    "run.txt": "1 Q0 leave 1 9.5 me\n1 Q0 pump 2 9.1 me\n",
    "qrels.txt": "1 0 leave 1\n1 0 pump 0\n",
    "log.csv": "question,asked_at\nWhen do days expire?,2026-01-01\n",
    "log.jsonl": '{"question": "When?", "asked_at": "2026-01-01T00:00:00Z", "asker": "tom"}\n',
    "exceptions.yaml": "exceptions:\n- {questions: [a], reason: gone, until: 2030-01-01}\n",
    "candidates.yaml": "set: tiny\nquestions:\n- {id: log-1, question: When?, answerable: todo}\n",
    "pool.json": json.dumps({"log-1": [{"document": "leave", "start": 0, "end": 3, "heading": [],
                                        "text": "# L", "found_by": {"bm25": 1}}]}),
    "page.md": "---\ngroups: [hr]\ntitle: Leave\n---\n# Leave\n\n## Days\n\n30 days\n",
    "split.lock": (DATA.parents[2] / "examples" / "handbook" / "split.lock").read_text(),
    "baseline.json": (DATA.parent / "baseline_0_1.json").read_text(),
}  # fmt: skip


def tiny():
    """Return the corpus, the golden set and the rights of the tiny set."""
    corpus = MarkdownFolder(path=str(DATA / "documents")).load()
    golden = GoldenFile(path=str(DATA / "golden.yaml")).load(corpus)
    return corpus, golden, AccessFile(path=str(DATA / "access.yaml"))


def write_seeds(root: Path) -> None:
    """Write every seed below a folder: a file, or a folder for a format of several files."""
    from rageval.formats.autorag.export import AutoragExport
    from rageval.formats.beir.export import BeirExport
    from rageval.formats.canonical.export import CanonicalExport
    from rageval.formats.llama_index.export import LlamaIndexExport
    from rageval.formats.squad.export import SquadExport
    from rageval.judging.labelled import Labelled
    from rageval.judging.resolution import resolve

    corpus, golden, access = tiny()
    labelled = Labelled(golden, tuple(resolve(golden, corpus)), corpus, access)
    for kind in (BeirExport, AutoragExport, LlamaIndexExport, SquadExport):
        name = kind.__name__.removesuffix("Export").lower()
        kind(path=str(root / name)).write(labelled)
    for suffix in ("yaml", "json", "jsonl", "csv"):
        CanonicalExport(path=str(root / f"golden.{suffix}")).write(labelled)
    (root / "access.yaml").write_text((DATA / "access.yaml").read_text())
    with initialize_config_dir(str(shipped("conf").resolve()), version_base="1.3"):
        register()
        composed = plain(compose("config", ["retriever=hybrid", "dataset.name=tiny"]))
    (root / "stored.yaml").write_text(composed.yaml, encoding="utf-8")
    for name, text in OTHERS.items():
        (root / name).write_text(text, encoding="utf-8")

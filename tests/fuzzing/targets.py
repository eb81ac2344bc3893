"""Every reader of a file, as a function of the folder that holds the damaged seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from fuzzing.seeds import tiny
from rageval.config.restoring import allowed
from rageval.config.stored import parsed
from rageval.files.errors import ErrorCollector
from rageval.files.text import read_text
from rageval.formats.adr.golden import AdrGolden
from rageval.formats.autorag.corpus import AutoragCorpus
from rageval.formats.autorag.golden import AutoragGolden
from rageval.formats.beir.corpus import BeirCorpus
from rageval.formats.beir.golden import BeirGolden
from rageval.formats.canonical.golden import GoldenFile
from rageval.formats.deepeval.golden import DeepEvalGolden
from rageval.formats.haystack.golden import HaystackGolden
from rageval.formats.llama_index.corpus import LlamaIndexCorpus
from rageval.formats.llama_index.golden import LlamaIndexGolden
from rageval.formats.markdown.frontmatter import read_page
from rageval.formats.ragas.golden import RagasGolden
from rageval.formats.squad.corpus import SquadCorpus
from rageval.formats.squad.golden import SquadGolden
from rageval.formats.table.golden import TableGolden
from rageval.formats.trec.golden import TrecGolden
from rageval.formats.trec.run import read_run
from rageval.gate.exceptions import read_exceptions
from rageval.golden.access import AccessFile
from rageval.judging.check import check
from rageval.mining.cases import Cases
from rageval.mining.pool import read_pool
from rageval.mining.questionlog.csv import CsvLog
from rageval.mining.questionlog.jsonl import JsonlLog
from rageval.registry.portable import read_portable
from rageval.split.lock import read_lock


@dataclass(frozen=True)
class Target:
    """A reader and the seed files that it reads, relative to the folder."""

    files: tuple[str, ...]
    read: Callable[[Path], object]


CORPUS, _, ACCESS = tiny()


def _both(corpus, golden, *files):
    """Return a target that reads a corpus and a golden set, and resolves its labels."""

    def read(root):
        folder = str(root / files[0].partition("/")[0])
        documents = corpus(path=folder).load()
        check(golden(path=folder).load(documents), documents, ACCESS)

    return Target(files, read)


def _set(kind, file, key="path", **more):
    """Return a target that reads a golden set over the tiny corpus."""

    def read(root):
        check(kind(**{key: str(root / file), **more}).load(CORPUS), CORPUS, ACCESS)

    return Target((file,), read)


def _log(kind, file):
    def read(root):
        faults = ErrorCollector()
        for _ in kind(path=str(root / file)).rows(faults):
            pass
        faults.raise_if_any()

    return Target((file,), read)


def _trec(root):
    paths = {"topics": str(root / "topics.txt"), "qrels": str(root / "qrels.txt")}
    check(TrecGolden(**paths).load(CORPUS), CORPUS, ACCESS)


def _stored(root):
    text = read_text(root / "stored.yaml")
    parsed(text)
    allowed(text, ())


def _file(name, read):
    """Return a target that reads one file by a function of its path."""
    return Target((name,), lambda root: read(root / name))


BEIR = ("beir/corpus.jsonl", "beir/queries.jsonl", "beir/qrels/test.tsv")
TARGETS = {
    "beir": _both(BeirCorpus, BeirGolden, *BEIR),
    "autorag": _both(AutoragCorpus, AutoragGolden, "autorag/corpus.parquet", "autorag/qa.parquet"),
    "llama_index": _both(LlamaIndexCorpus, LlamaIndexGolden, "llamaindex"),
    "squad": _both(SquadCorpus, SquadGolden, "squad"),
    **{f"golden.{s}": _set(GoldenFile, f"golden.{s}") for s in ("yaml", "json", "jsonl", "csv")},
    "ragas": _set(RagasGolden, "ragas.jsonl"),
    "deepeval": _set(DeepEvalGolden, "deepeval.json"),
    "haystack": _set(HaystackGolden, "haystack.json"),
    "adr": _set(AdrGolden, "adr.json"),
    "table": _set(TableGolden, "table.csv"),
    "trec": Target(("topics.txt", "qrels.txt"), _trec),
    "run file": _file("run.txt", read_run),
    "access": _file("access.yaml", lambda path: AccessFile(path=str(path)).groups("maria")),
    "split.lock": _file("split.lock", read_lock),
    "log.csv": _log(CsvLog, "log.csv"),
    "log.jsonl": _log(JsonlLog, "log.jsonl"),
    "exceptions": _file("exceptions.yaml", lambda path: read_exceptions(path, date(2026, 1, 1))),
    "candidates": _file("candidates.yaml", lambda path: Cases.read(path, "tiny")),
    "suggestions": _file("pool.json", read_pool),
    "page": _file("page.md", lambda path: read_page(read_text(path), path)),
    "stored configuration": Target(("stored.yaml",), _stored),
    "baseline": _file("baseline.json", read_portable),
}

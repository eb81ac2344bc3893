"""`init`: a project of your own: configuration, a golden set of drafts, a CI workflow, README."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from omegaconf import DictConfig
from rich.console import Console

from rageval.config.commands import InitConfig
from rageval.config.next_command import PROGRAM
from rageval.config.reading import read_part
from rageval.corpus.document import Corpus
from rageval.errors import InputError
from rageval.files.text import folder
from rageval.formats.canonical.export import as_yaml
from rageval.formats.documents.folder import DocumentFolder
from rageval.formats.files import write_text
from rageval.mining.drafts import drafts
from rageval.report import console
from rageval.report.answer import answer

_KINDS = ("md", "markdown", "mdx", "rst", "html", "htm", "ipynb", "txt", "pdf", "docx", "pptx")
_GOLDEN = "golden.yaml"
_WORKFLOW = ".github/workflows/retrieval.yml"


def run(composed: DictConfig) -> int:
    """Write the files of a new project here, and return the exit code."""
    config = read_part(composed, InitConfig)
    if config.path is None:
        raise InputError("no folder of documents named: path=FOLDER, for example path=docs")
    target = console.console()
    root = folder(config.path)
    patterns = tuple(f"**/*.{kind}" for kind in _KINDS if any(root.rglob(f"*.{kind}")))
    corpus = DocumentFolder(path=config.path, pattern=patterns or ("**/*.md",)).load()
    name = config.name or _name(Path(config.path))
    written = _contents(config, name, patterns, corpus)
    _require_new(written)
    for path, content in written.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_text(Path(path), content)
    _tell(target, name, corpus, written)
    return 0


def _name(path: Path) -> str:
    """Return an identifier for the set, after its folder.

    Examples
    --------
    >>> _name(Path("My Docs")), _name(Path("../2024-faq"))
    ('my_docs', '2024_faq')
    """
    return re.sub(r"[^a-z0-9]+", "_", path.resolve().name.lower()).strip("_") or "documents"


def _contents(
    config: InitConfig, name: str, patterns: tuple[str, ...], corpus: Corpus
) -> dict[str, str]:
    """Return the files to write: path → content."""
    entries = drafts(corpus, config.questions, english="english" in config.languages)
    if not entries:
        raise InputError(
            f"{config.path}: no page that everybody may see has a sentence to draft a question "
            "from; write golden.yaml by hand, see docs/golden-sets.md"
        )
    facts = {
        "name": name,
        "path": config.path,
        "golden": _GOLDEN,
        "patterns": list(patterns),
        "retriever": config.with_retriever,
        "languages": list(config.languages),
    }
    readme = "README.md" if not Path("README.md").exists() else "RETRIEVAL.md"
    return {
        f"conf/dataset/{name}.yaml": _rendered("dataset.yaml.j2", facts),
        f"conf/threshold/{name}.yaml": _rendered("threshold.yaml.j2", facts),
        _GOLDEN: _rendered("golden.yaml.j2", facts) + as_yaml({"set": name, "questions": entries}),
        _WORKFLOW: _rendered("workflow.yml.j2", facts),
        readme: _rendered("readme.md.j2", facts),
    }


def _rendered(template: str, facts: Mapping[str, Any]) -> str:
    return _environment().get_template(template).render(facts)


@cache
def _environment() -> Environment:
    loader = PackageLoader("rageval", "cli/templates")
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        variable_start_string="<<",
        variable_end_string=">>",
    )


def _require_new(written: Mapping[str, str]) -> None:
    there = [path for path in written if Path(path).exists()]
    if there:
        raise InputError.of(f"{path}: is there already; nothing was written" for path in there)


def _tell(target: Console, name: str, corpus: Corpus, written: Mapping[str, str]) -> None:
    answer("\n".join(written), set=name, documents=len(corpus), files=list(written))
    pages = f"{len(corpus)} document" + ("" if len(corpus) == 1 else "s")
    target.print(f"{name}: {pages} read")
    for note in corpus.notes:
        target.print(f"note: {note}", soft_wrap=True)
    for path in written:
        target.print(f"  wrote {path}")
    console.say(target, f"next: {PROGRAM} --config-dir=conf +retriever=bm25 dataset={name}")

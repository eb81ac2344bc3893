"""A folder of Markdown files as a corpus."""

from __future__ import annotations

from pathlib import Path

from rageval.corpus.document import Corpus, Document
from rageval.corpus.frontmatter import read_page
from rageval.errors import InputError
from rageval.fields import Name, component
from rageval.source import folder, read_text


@component
class MarkdownFolder:
    """Every Markdown file of a folder is a document.

    Its id is its path below the folder without suffix (`guide/leave` for `guide/leave.md`). Its
    text is the file's, newlines untouched, without a byte order mark and without YAML front matter.
    `groups: [hr, managers]` in the front matter says who may see it; other keys there are ignored.
    Documents are ordered by id; files and folders whose name begins with a dot are skipped.
    """

    path: Name
    pattern: Name = "**/*.md"

    def load(self) -> Corpus:
        """Read all files; the faults of all of them are raised together."""
        root = folder(self.path)
        documents, faults = [], []
        for file in _files(root, self.pattern):
            try:
                documents.append(_document(file, root))
            except InputError as error:
                faults.append(str(error))
        if faults:
            raise InputError.of(faults)
        documents.sort(key=lambda document: document.id)
        return Corpus(tuple(documents), self.path)


def _document(file: Path, root: Path) -> Document:
    page = read_page(read_text(file), file)
    name = file.relative_to(root).with_suffix("").as_posix()
    return Document(name, page.text, page.groups)


def _files(root: Path, pattern: str) -> list[Path]:
    try:
        found = sorted(root.glob(pattern))
    except (ValueError, NotImplementedError) as error:
        raise InputError(f"{root}: the pattern {pattern!r} is not allowed: {error}") from error
    return [file for file in found if file.is_file() and not _hidden(file.relative_to(root))]


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)

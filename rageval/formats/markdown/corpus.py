"""A folder of Markdown files as a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rageval.corpus.document import Corpus, Document
from rageval.corpus.links import Links, matching, require_inside, unread
from rageval.errors import InputError
from rageval.files.text import folder, read_text
from rageval.formats.markdown.frontmatter import read_page
from rageval.schema.fields import Name, component
from rageval.schema.names import name_fault, shortened

_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
_LISTED = 5  # files in a note


@component
class MarkdownFolder:
    """Every Markdown file of a folder is a document.

    Its id is its path below the folder without suffix (`guide/leave` for `guide/leave.md`). Its
    text is the file's, newlines untouched, without a byte order mark and without YAML front matter.
    `groups: [hr, managers]` in the front matter says who may see it; other keys there are ignored.
    Documents are ordered by id; files and folders whose name begins with a dot are skipped. Files
    that look like Markdown and do not match the pattern are named in the corpus's notes, and so are
    linked folders, whose files are read with `links="follow"` alone. A file that is a link is read
    if it leads to a place inside the folder; elsewhere it may hold anything, so it is refused.
    """

    path: Name
    pattern: Name = "**/*.md"
    links: Links = "inside"

    def load(self) -> Corpus:
        """Read all files; the faults of all of them are raised together."""
        root = folder(self.path)
        documents, faults = [], []
        files = _files(root, self.pattern, self.links)
        for file in files:
            try:
                documents.append(_document(file, root, self.links))
            except InputError as error:
                faults.append(str(error))
        if faults:
            raise InputError.of(faults)
        documents.sort(key=lambda document: document.id)
        others = _others(root, files)
        if not documents:
            raise InputError(
                f"{self.path}: the corpus holds no document: no file matches the pattern "
                f"{self.pattern!r}, {len(others) or 'no'} other {_files_of(len(others))} there"
            )
        return Corpus(tuple(documents), self.path, tuple(self._notes(others, root)))

    def _notes(self, others: list[Path], root: Path) -> Iterator[str]:
        """Say which files look like Markdown and are not read."""
        yield from unread(root, self.links)
        lost = [file.relative_to(root).as_posix() for file in others if _is_markdown(file)]
        if lost:
            named = ", ".join(lost[:_LISTED]) + (", …" if len(lost) > _LISTED else "")
            yield f"not read, as the pattern is {self.pattern!r}: {named} ({len(lost)} in all)"


def _document(file: Path, root: Path, links: Links) -> Document:
    require_inside(file, root, links)
    name = file.relative_to(root).with_suffix("").as_posix()
    fault = name_fault(name)
    if fault:
        raise InputError(f"{shortened(str(file))}: the file's name {fault}")
    page = read_page(read_text(file), file)
    return Document(name, page.text, page.groups)


def _files(root: Path, pattern: str, links: Links) -> list[Path]:
    found = sorted(matching(root, pattern, links))
    return [file for file in found if not file.is_dir() and not _hidden(file.relative_to(root))]


def _others(root: Path, files: list[Path]) -> list[Path]:
    """Return the files of a folder that are not read, but for hidden ones."""
    read = set(files)
    found = (file for file in sorted(root.rglob("*")) if file not in read and not file.is_dir())
    return [file for file in found if not _hidden(file.relative_to(root))]


def _is_markdown(file: Path) -> bool:
    return file.suffix.lower() in _SUFFIXES


def _files_of(count: int) -> str:
    return "file lies" if count == 1 else "files lie"


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)

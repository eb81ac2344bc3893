"""A folder of documents of several kinds as a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rageval.corpus.document import Corpus, Document
from rageval.corpus.links import Links, folders, matching, require_inside, unread
from rageval.errors import InputError
from rageval.files.limits import require_regular
from rageval.files.text import folder, read_text
from rageval.formats.documents import html, mdx, notebook, office, pdf, rst
from rageval.formats.documents.title import titled, with_title
from rageval.schema.fields import Flag, Name, component
from rageval.schema.names import name_fault, shortened

_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
_PAGES = (*_MARKDOWN, ".mdx")  # what may have front matter
_LISTED = 5  # files in a note
# What can be read beside them, and how it becomes Markdown.
_OTHERS: Mapping[str, Callable[[Path], str]] = {
    ".rst": lambda path: rst.markdown_of(read_text(path)),
    ".html": lambda path: html.markdown_of(read_text(path)),
    ".htm": lambda path: html.markdown_of(read_text(path)),
    ".xhtml": lambda path: html.markdown_of(read_text(path)),
    ".ipynb": lambda path: notebook.markdown_of(read_text(path), path),
    ".txt": read_text,
    ".text": read_text,
    ".pdf": pdf.markdown_of,
    ".docx": office.markdown_of,
    ".pptx": office.markdown_of,
    ".xlsx": office.markdown_of,
}
_READ = (*_PAGES, *_OTHERS)


@component
class DocumentFolder:
    """Every file of a folder that matches a pattern and can be read is a document.

    Read are Markdown, MDX, reStructuredText, HTML, Jupyter notebooks and plain text; PDF, DOCX,
    PPTX and XLSX with an extra. All become Markdown, so that labels can name headings; the pages of
    a PDF are headings, too. Markdown itself is kept as it is, but for its front matter.

    A document's id is its path below the folder without suffix (`guide/leave`); of files with the
    same one, all but a Markdown file keep theirs. The title in front matter becomes the page's
    heading, or a line above the heading that it has (`title=False` leaves it out). `groups` in the
    front matter says who may see the page. What is not read is named in the corpus's notes. A file
    that is a link must lead to a place inside the folder, and linked folders are left out, unless
    `links` is "follow".
    """

    path: Name
    pattern: Name | tuple[Name, ...] = "**/*.md"
    title: Flag = True
    links: Links = "inside"

    def load(self) -> Corpus:
        """Read all files; the faults of all of them are raised together."""
        root = folder(self.path)
        found = {file for inside in folders(root, self.links) for file in inside.rglob("*")}
        there = [file for file in sorted(found) if _is_file(file, root)]
        wanted = self._matching(root)
        files = [file for file in there if file in wanted and file.suffix.lower() in _READ]
        read = set(files)
        others = [file for file in there if file not in read]
        if not files:
            raise InputError(self._empty(others, root))
        pages, faults = [], []
        for name, file in _named(files, root).items():
            try:
                pages.append(self._document(name, file, root))
            except InputError as error:
                faults.append(str(error))
        if faults:
            raise InputError.of(faults)
        documents = tuple(sorted((page for page, _ in pages), key=lambda document: document.id))
        titles = sum(title for _, title in pages)
        notes = (*self._notes(others, root), *_told(titles), *_public(documents, files))
        return Corpus(documents, self.path, notes)

    def _matching(self, root: Path) -> set[Path]:
        patterns = (self.pattern,) if isinstance(self.pattern, str) else self.pattern
        return {file for pattern in patterns for file in matching(root, pattern, self.links)}

    def _document(self, name: str, file: Path, root: Path) -> tuple[Document, bool]:
        """Return a file as a document, and whether its title was put in."""
        require_inside(file, root, self.links)
        require_regular(file)
        fault = name_fault(name)
        if fault:
            raise InputError(f"{shortened(str(file))}: the file's name {fault}")
        suffix = file.suffix.lower()
        if suffix not in _PAGES:
            return Document(name, _OTHERS[suffix](file)), False
        page = titled(read_text(file), file)
        body = mdx.markdown_of(page.text) if suffix == ".mdx" else page.text
        text = with_title(body, page.title) if self.title else body
        return Document(name, text, page.groups), text != body

    def _empty(self, others: Sequence[Path], root: Path) -> str:
        told = f"{self.path}: the corpus holds no document: no file matches {self._shown}"
        hints = [*self._notes(others, root)] or ["the folder is empty"]
        return "; ".join([told, *hints])

    @property
    def _shown(self) -> str:
        patterns = [self.pattern] if isinstance(self.pattern, str) else list(self.pattern)
        return f"the pattern {patterns[0]!r}" if len(patterns) == 1 else f"the patterns {patterns}"

    def _notes(self, others: Sequence[Path], root: Path) -> Iterator[str]:
        """Say which files are not read and why, and how to read those that can be."""
        yield from unread(root, self.links)
        readable = [file for file in others if file.suffix.lower() in _READ]
        if readable:
            patterns = [self.pattern] if isinstance(self.pattern, str) else list(self.pattern)
            more = dict.fromkeys([*patterns, *(f"**/*{file.suffix}" for file in readable)])
            yield (
                f"not read, as {self._shown} does not match: {_listed(readable, root)}; to read "
                f"them: 'dataset.corpus.pattern=[{','.join(more)}]'"
            )
        strange = [file for file in others if file.suffix.lower() not in _READ]
        if strange:
            kinds = Counter(file.suffix.lower() or "no ending" for file in strange)
            shown = ", ".join(f"{kind} ({count})" for kind, count in kinds.most_common(_LISTED))
            more_kinds = ", …" if len(kinds) > _LISTED else ""
            yield f"not read, as no reader knows their kind: {shown}{more_kinds}"


def _named(files: Sequence[Path], root: Path) -> dict[str, Path]:
    """Return the files by their ids."""
    found: dict[str, Path] = {}
    pages = sorted(files, key=lambda file: (file.suffix.lower() not in _PAGES, file))
    for file in pages:
        path = file.relative_to(root)
        name = path.with_suffix("").as_posix()
        found[name if name not in found else path.as_posix()] = file
    return found


def _listed(files: Sequence[Path], root: Path) -> str:
    names = [file.relative_to(root).as_posix() for file in files[:_LISTED]]
    more = ", …" if len(files) > _LISTED else ""
    return f"{', '.join(names)}{more} ({len(files)} in all)"


def _told(titles: int) -> Iterator[str]:
    if titles:
        pages = "page" if titles == 1 else "pages"
        yield (
            f"the title of {titles} {pages} stands in front matter alone and is read as text; "
            "without: dataset.corpus.title=false"
        )


def _public(documents: Sequence[Document], files: Sequence[Path]) -> Iterator[str]:
    """Warn of files that cannot say who may see them, where others do."""
    mute = sum(1 for file in files if file.suffix.lower() not in _PAGES)
    if mute and any(document.groups for document in documents):
        which = "1 file has" if mute == 1 else f"{mute} files have"
        yield f"{which} no front matter to name groups in, so everybody may see what is in them"


def _is_file(file: Path, root: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(root).parts)
    return not hidden and not file.is_dir()

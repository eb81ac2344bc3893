"""PDF files as Markdown: each page below a heading that labels can name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from rageval.errors import InputError


def markdown_of(path: Path) -> str:
    """Return the text of every page, below the heading `Page 1`, `Page 2`, ….

    Raises
    ------
    InputError
        If it is no PDF, is locked by a password, or pypdfium2 is not installed.
    """
    try:
        pdfium = import_module("pypdfium2")
    except ImportError:
        raise InputError(
            f'{path}: reading PDF needs pypdfium2: pip install "rageval[pdf]"'
        ) from None
    try:
        document = pdfium.PdfDocument(str(path))
    except (pdfium.PdfiumError, OSError) as error:
        raise InputError(f"{path}: cannot be read as PDF: {error}") from error
    try:
        pages = [_text(page) for page in document]
    finally:
        document.close()
    return "".join(f"# Page {n}\n\n{text}\n\n" for n, text in enumerate(pages, start=1))


def _text(page: object) -> str:
    reader = page.get_textpage()  # type: ignore[attr-defined]  # pypdfium2 has no types here
    return str(reader.get_text_range()).replace("\r\n", "\n").strip()

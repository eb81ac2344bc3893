"""Pages of HTML as Markdown: headings, paragraphs, lists and code, without what frames a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_LEFT_OUT = frozenset({"script", "style", "nav", "header", "footer", "aside", "noscript",
                       "template", "svg", "form", "button", "iframe"})  # fmt: skip
_BREAKS = frozenset({"p", "div", "section", "article", "main", "ul", "ol", "table", "tr", "br",
                     "blockquote", "dl", "dt", "dd", "figure", "figcaption", "hr"})  # fmt: skip
_MARKS = {"li": "\n- ", "pre": "\n\n```\n", "td": " | ", "th": " | ", "br": "\n", "tr": "\n"}
_HEADING = re.compile(r"h([1-6])")


def markdown_of(page: str) -> str:
    r"""Return the text of a page with its headings as Markdown's.

    A page without a heading of the first level gets its `<title>` as one.

    Examples
    --------
    >>> markdown_of("<title>T</title><nav>Menu</nav><h2>Sick</h2><p>Call <b>us</b>.</p>")
    '# T\n\n## Sick\n\nCall us.\n'
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.text()


def _before(tag: str) -> str:
    """Return what stands before the text of an element."""
    if heading := _HEADING.fullmatch(tag):
        return f"\n\n{'#' * int(heading[1])} "
    if tag in _MARKS:
        return _MARKS[tag]
    return "\n\n" if tag in _BREAKS else ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._title: list[str] = []
        self._skipped = 0  # depth inside of what is left out
        self._in_title = self._in_code = self._top = False

    def text(self) -> str:
        body = re.sub(r"[ \t]*\n[ \t]*\n\s*\n*", "\n\n", "".join(self._parts)).strip()
        title = " ".join("".join(self._title).split())
        head = f"# {title}\n\n" if title and not self._top else ""
        return f"{head}{body}\n" if head or body else ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LEFT_OUT:
            self._skipped += 1
        elif tag == "title":
            self._in_title = True
        elif not self._skipped:
            self._in_code = self._in_code or tag == "pre"
            self._top = self._top or tag == "h1"
            self._parts.append(_before(tag))

    def handle_endtag(self, tag: str) -> None:
        if tag in _LEFT_OUT:
            self._skipped = max(0, self._skipped - 1)
        elif tag == "title":
            self._in_title = False
        elif self._skipped:
            return
        elif tag == "pre":
            self._in_code = False
            self._parts.append("\n```\n\n")
        elif tag in _BREAKS or _HEADING.fullmatch(tag):
            self._parts.append("\n\n" if tag not in ("br", "tr") else "")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._title.append(data)
        elif self._skipped:
            return
        elif self._in_code:
            self._parts.append(data)
        else:
            joined = re.sub(r"\s+", " ", data)
            ends = not self._parts or self._parts[-1].endswith(("\n", " "))
            self._parts.append(joined.lstrip() if ends else joined)

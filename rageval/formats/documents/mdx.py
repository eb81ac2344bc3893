"""MDX as Markdown: imports, exports and lines of components alone are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_CODE = re.compile(r"(import|export)\s.*")
_TAG = re.compile(r"[ \t]*</?[A-Z][\w.]*(\s[^<>]*)?/?>[ \t]*")
_COMMENT = re.compile(r"\{/\*.*?\*/\}", re.DOTALL)


def markdown_of(text: str) -> str:
    r"""Return the text of a page; what stands between the tags of a component stays.

    Examples
    --------
    >>> markdown_of("import X from 'x'\n\n# Leave\n\n<Note>\nCall.\n</Note>\n")
    '# Leave\n\nCall.\n'
    """
    return "\n".join(_lines(_COMMENT.sub("", text))).lstrip("\n")


def _lines(text: str) -> Iterator[str]:
    fence = ""
    code = False  # inside an import or export, which ends at a blank line
    for line in text.split("\n"):
        ticks = _FENCE.match(line)
        if ticks and (not fence or ticks[1].startswith(fence)):
            fence = "" if fence else ticks[1]
        elif not fence:
            code = bool(_CODE.match(line)) or (code and bool(line.strip()))
            if code or _TAG.fullmatch(line):
                continue
        yield line

"""Cells of a table that hold lists or mappings, as JSON or as Python writes them."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from typing import Any

_ENDS = {"[": "]", "{": "}"}


def structured(cell: str) -> Any:  # noqa: ANN401  any JSON value
    r"""Return the list or mapping that a cell holds, or the cell itself if it is neither.

    Read are JSON, what Python writes for a list (`['a', 'b']`), and what numpy writes, which leaves
    out the commas.

    Examples
    --------
    >>> structured("['one', 'two']"), structured('{"a": 1}'), structured("['one'\n 'two']")
    (['one', 'two'], {'a': 1}, ['one', 'two'])
    >>> structured("[1] says so")
    '[1] says so'
    """
    text = cell.strip()
    if not text or _ENDS.get(text[0]) != text[-1]:
        return cell
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _python(text, cell)


def _python(text: str, cell: str) -> Any:  # noqa: ANN401  any JSON value
    try:
        found = ast.literal_eval(_with_commas(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError):
        return cell
    return found if isinstance(found, list | dict) else cell


def _with_commas(text: str) -> str:
    """Put a comma between neighbouring texts: Python would join them, numpy means two."""
    parts: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and parts and parts[-1][0] == tokenize.STRING:
            parts.append((tokenize.OP, ","))
        if token.type not in (tokenize.NL, tokenize.NEWLINE):
            parts.append((token.type, token.string))
    return " ".join(string for _, string in parts)

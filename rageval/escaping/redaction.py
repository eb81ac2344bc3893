"""Secrets that this program has been given, taken out of every text that leaves it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote, urlsplit

HIDDEN = "(secret)"  # what is shown in place of a secret
_SHORTEST = 4
_WHOLE_WORD = 6  # a shorter secret is hidden as a word alone, or it would be found everywhere
_PASSWORD = 8  # a shorter password of an address is hidden in addresses alone
_MARKDOWN = re.compile(r"[\\`*_|<>\[\]]")  # what our Markdown escapes
# `scheme://user:password@`; the password may hold any character but `/`, an `@` too.
_ACCOUNT = re.compile(r"(\b[A-Za-z][A-Za-z0-9+.\-]*://)([^\s/?#'\"<>|]+)@")
# `?token=…`, and what else a query names so.
_QUERY = re.compile(
    r"([?&;][\w.\-]*(?:token|passw(?:or)?d|pwd|passphrase|secret|api[_\-]?key|access[_\-]?key|credential|"
    r"signature|\bsig|\bauth)[\w.\-]*=)([^&#\s'\"<>|;]+)",
    re.IGNORECASE,
)

_known: dict[str, None] = {}  # every form that a secret may take, in the order they became known
_compiled: list[re.Pattern[str]] = []  # of what is known; empty = to be made


def remember(values: Iterable[object]) -> None:
    """Take values for secrets from now on, in this process.

    Parameters
    ----------
    values
        Texts and numbers; an address among them counts with the password in it. What has fewer
        than four characters is not taken: it would be found everywhere.
    """
    for value in values:
        text = "" if value is None or isinstance(value, bool) else str(value)
        for form in (*_forms(text), *(f for p in _passwords(text, 1) for f in _forms(p))):
            if form not in _known:
                _known[form] = None
                _compiled.clear()


def remember_node(node: object) -> None:
    """Take every value of a nested collection for a secret."""
    if isinstance(node, Mapping):
        for value in node.values():
            remember_node(value)
    elif isinstance(node, list | tuple):
        for value in node:
            remember_node(value)
    else:
        remember([node])


def remember_passwords(node: object) -> None:
    """Take the passwords in the addresses of a nested collection for secrets.

    Short ones, and those that equal the name of the account, are hidden in addresses alone: as
    words of a text they are too common.
    """
    if isinstance(node, Mapping):
        for value in node.values():
            remember_passwords(value)
    elif isinstance(node, list | tuple):
        for value in node:
            remember_passwords(value)
    elif isinstance(node, str) and "://" in node:
        remember(_passwords(node, _PASSWORD))


def forget() -> None:
    """Know no secret any more; for tests, which share a process."""
    _known.clear()
    _compiled.clear()


def redacted(text: str) -> str:
    """Return text without the secrets that are known.

    Examples
    --------
    >>> remember(["swordfish"])
    >>> redacted("the word is swordfish"), redacted("sword")
    ('the word is (secret)', 'sword')
    >>> forget()
    """
    if not _known:
        return text
    if not _compiled:
        _compiled.append(_pattern())
    return _compiled[0].sub(HIDDEN, text)


def without_accounts(text: str) -> str:
    """Return text without known secrets, and without what addresses in it give away.

    Examples
    --------
    >>> without_accounts("postgresql://bob:p@ss@db/x and https://h/?token=abc&k=6")
    'postgresql://(secret)@db/x and https://h/?token=(secret)&k=6'
    """
    if "://" in text:
        text = _ACCOUNT.sub(rf"\1{HIDDEN}@", text)
    if "=" in text:
        text = _QUERY.sub(rf"\1{HIDDEN}", text)
    return redacted(text)


def gives_away(text: str) -> bool:
    """Say whether a text holds a secret that is known, or an address with an account in it."""
    return without_accounts(text) != text


def redacted_bytes(content: bytes) -> bytes:
    """Return the content of a text file without the secrets that are known; others as they are.

    JSON stays JSON: only its texts are changed.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    clean = redacted(text)
    if clean == text:
        return content
    try:
        parsed = json.loads(text)
    except ValueError:
        return clean.encode("utf-8")
    return json.dumps(_redacted_node(parsed), ensure_ascii=False).encode("utf-8")


def _redacted_node(node: Any) -> Any:  # noqa: ANN401  any JSON value
    if isinstance(node, str):
        return redacted(node)
    if isinstance(node, dict):
        return {redacted(key): _redacted_node(inner) for key, inner in node.items()}
    return [_redacted_node(inner) for inner in node] if isinstance(node, list) else node


def _forms(text: str) -> Iterable[str]:
    """Return how a text may stand in JSON, HTML, Markdown, an address or a Python literal.

    A text of fewer than four characters has none: it would be found everywhere.
    """
    if len(text.strip()) < _SHORTEST:
        return ()
    forms = [text, text.strip(), quote(text), quote(text, safe=""), quote_plus(text), unquote(text)]
    in_json = [json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]]
    forms += [*in_json, _in_script(in_json[0]), repr(text)[1:-1]]
    forms += [html.escape(text), html.escape(text, quote=False), _numbered(html.escape(text))]
    forms += [_MARKDOWN.sub(r"\\\g<0>", text)]
    return dict.fromkeys(forms)


def _in_script(text: str) -> str:
    """Return JSON as Jinja writes it into a page."""
    for sign in "<>&'":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _numbered(text: str) -> str:
    """Return HTML with the numbers that Jinja writes for quotation marks."""
    return text.replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


def _passwords(text: str, least: int) -> list[str]:
    """Return the passwords in an address, as they are written and as they are meant."""
    if "://" not in text:
        return []
    try:
        address = urlsplit(text.strip())
    except ValueError:
        return []
    user, colon, password = address.netloc.rpartition("@")[0].partition(":")
    if not colon and address.scheme in {"http", "https"}:
        password = user  # a token alone
    elif password == user:
        password = ""
    found = [password, unquote(password), *(value for _, value in _QUERY.findall(text))]
    return [word for word in dict.fromkeys(found) if len(word) >= least]


def _pattern() -> re.Pattern[str]:
    longest = sorted(_known, key=len, reverse=True)
    return re.compile(
        "|".join(
            re.escape(form) if len(form) >= _WHOLE_WORD else rf"(?<!\w){re.escape(form)}(?!\w)"
            for form in longest
        )
    )

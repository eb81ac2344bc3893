"""Secrets that this program has been given, taken out of every text that leaves it."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "(secret)"  # what is shown in place of a secret
_SHORTEST = 4
_WHOLE_WORD = 6  # a shorter secret is hidden as a word alone, or it would be found everywhere
_PASSWORD = 8  # a shorter password of an address is hidden in addresses alone
_MARKDOWN = re.compile(r"[\\`*_|<>\[\]]")  # what our Markdown escapes
# `scheme://user:password@`. In an address of the web a password holds no `/`, `?` or `#`, or every
# link with an `@` in its path would be one; in others it may hold any character.
_ACCOUNT = re.compile(r"(\bhttps?://)([^\s/?#'\"<>|]+)@", re.IGNORECASE)
_OTHER_ACCOUNT = re.compile(r"(\b(?!https?://)[A-Za-z][A-Za-z0-9+.\-]*://)([^\s'\"<>]+)@")
_BARE_ACCOUNT = re.compile(
    r"(?<![\w@.])([\w.+\-]+:[^\s@/:'\"]+)@(?=[\w.\-]+:\d)"
)  # without a scheme
# `password=…` of a driver, also quoted for an address.
_SETTING = re.compile(
    r"((?:\b|(?<=%3B)|(?<=%26))(?:pwd|password)(?:=|%3D))((?:(?!%3B)[^\s;&'\"])+)", re.IGNORECASE
)
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
    if "@" in text:
        for account in (_ACCOUNT, _OTHER_ACCOUNT):
            text = account.sub(rf"\1{HIDDEN}@", text)
        text = _BARE_ACCOUNT.sub(f"{HIDDEN}@", text)
    if "=" in text:
        text = _SETTING.sub(rf"\1{HIDDEN}", _QUERY.sub(rf"\1{HIDDEN}", text))
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
    forms += [_MARKDOWN.sub(r"\\\g<0>", text), *_in_base64(text)]
    return dict.fromkeys(forms)


def _in_base64(text: str) -> list[str]:
    """Return the core of a text in base64, wherever it begins in what is encoded.

    `Authorization: Basic …` holds a password after a name of any length.
    """
    if len(text) < _PASSWORD:
        return []
    cores = []
    for before in range(3):
        encoded = b64encode(b"\0" * before + text.encode("utf-8", "surrogatepass")).decode("ascii")
        # The first and the last characters depend on what lies beside the text.
        cores.append(encoded.rstrip("=")[(0, 2, 3)[before] : -2])
    return cores


def _in_script(text: str) -> str:
    """Return JSON as Jinja writes it into a page."""
    for sign in "<>&'":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _numbered(text: str) -> str:
    """Return HTML with the numbers that Jinja writes for quotation marks."""
    return text.replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


def _passwords(text: str, least: int) -> list[str]:
    """Return the passwords in an address: as written, as meant, and what may be taken for a host.

    A driver that splits the address at the wrong `@`, `/` or `#` names the rest of the password as
    a host when it fails.
    """
    found = [*_queried(text)]
    scheme, separator, rest = text.strip().partition("://")
    account, at, _ = rest.rpartition("@")
    user, colon, password = account.partition(":")
    web = scheme.lower() in {"http", "https"}
    if separator and at and "/" not in user and not (web and re.match(r"\d{1,5}/", password)):
        if not colon and web:
            password = user  # a token alone
        if password != user or not colon:
            parts = [part for part in re.split(r"[@/?#]", password) if part != password]
            found += [password, unquote(password), *(p for p in parts if len(p) >= _WHOLE_WORD)]
    return [word for word in dict.fromkeys(found) if len(word) >= least]


def _queried(text: str) -> list[str]:
    """Return the secrets in an address's query, and in the settings of a driver."""
    if "=" not in text or "://" not in text:
        return []
    found = [value for _, value in (*_QUERY.findall(text), *_SETTING.findall(text))]
    return [form for value in found for form in (value, unquote(value))]


def _pattern() -> re.Pattern[str]:
    longest = sorted(_known, key=len, reverse=True)
    return re.compile(
        "|".join(
            re.escape(form) if len(form) >= _WHOLE_WORD else rf"(?<!\w){re.escape(form)}(?!\w)"
            for form in longest
        )
    )

"""What may name something: an id, a tag, an asker, a group of askers, a document."""

from __future__ import annotations

import hashlib
import posixpath
import re

LONGEST_ID = 500  # characters: beyond it is a text in the wrong place
LONGEST_SUBSET = 150  # characters: it becomes part of a metric's key, of which stores take 250
_LONGEST_ESCAPED = 200  # characters, with what stands for those that a metric's key has not

_SET = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
_LONGEST_SET = 100
_CLAIMED = ".promotion"  # ends the names that a registry holds while a champion is promoted
_PLAIN = re.compile(r"[A-Za-z0-9_. -]")
_ESCAPE = re.compile(r"-x([0-9a-f]+)-")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # with the line ends of Unicode
PAGE_DATA = "report_data"  # the folder beside a page that holds the page's data


def name_fault(name: str, longest: int = LONGEST_ID) -> str | None:
    r"""Return what is wrong with a name, as the end of a sentence, or None.

    Examples
    --------
    >>> name_fault("hr\n")
    "holds the control character '\\n'"
    >>> name_fault("x" * 501)
    'has 501 characters, at most 500 are allowed'
    >>> name_fault("leave-001") is None
    True
    """
    control = _CONTROL.search(name)
    if control:
        return f"holds the control character {control.group()!r}"
    if len(name) > longest:
        return f"has {len(name):,} characters, at most {longest} are allowed"
    return None


def set_fault(name: str) -> str | None:
    """Return what is wrong with the name of a golden set, or None.

    Experiments, models and folders are named after it, so it is the same rule in every format.

    Examples
    --------
    >>> set_fault("hr.leave_2024") is None
    True
    >>> set_fault("HR leave")
    "'HR leave' cannot name a set: use lowercase letters, digits and _, with dots between"
    >>> set_fault("hr.promotion")
    "'hr.promotion' cannot name a set: a name that ends with .promotion is taken"
    """
    if not _SET.fullmatch(name):
        why = "use lowercase letters, digits and _, with dots between"
    elif name.endswith(_CLAIMED):
        why = f"a name that ends with {_CLAIMED} is taken"
    elif len(name) > _LONGEST_SET:
        why = f"it has {len(name)} characters, at most {_LONGEST_SET} are allowed"
    else:
        return None
    return f"{shortened(name)} cannot name a set: {why}"


def set_name_of(stem: str) -> str:
    """Return the name of a set that is named after its file or folder.

    Examples
    --------
    >>> set_name_of("My Set-2024"), set_name_of("漢字")
    ('my_set_2024', 'set')
    """
    return re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")[:_LONGEST_SET] or "set"


def subset_fault(name: str) -> str | None:
    """Return what is wrong with a name of a subset, as the end of a sentence, or None.

    Examples
    --------
    >>> subset_fault("漢" * 30)
    'has 210 characters as a part of a metric name, at most 200 are allowed'
    """
    length = len(escaped(name))
    if length > _LONGEST_ESCAPED and len(name) <= LONGEST_SUBSET:
        return f"has {length} characters as a part of a metric name, at most 200 are allowed"
    return name_fault(name, LONGEST_SUBSET)


def escaped(name: str) -> str:
    """Return a subset's name in the characters that MLflow allows in a metric's key.

    Examples
    --------
    >>> escaped("größer")
    'gr-xf6--xdf-er'
    """
    # A name that looks like an escape has its dash escaped, so that the way back is the same one.
    guarded = re.sub(r"-(?=x[0-9a-f]+-)", "-x2d-", name)
    parts = re.split(r"(-x2d-)", guarded)
    return "".join(
        part
        if part == "-x2d-"
        else "".join(c if _PLAIN.match(c) else f"-x{ord(c):x}-" for c in part)
        for part in parts
    )


def shortened(name: str) -> str:
    """Return a name for a sentence, in quotes, cut where it is very long.

    Examples
    --------
    >>> shortened("a" * 70)[-4:]
    "aa…'"
    """
    return repr(name if len(name) <= 60 else f"{name[:60]}…")


def metric_key(subset: str, measure: str) -> str:
    """Return the metric key of a measure over a subset, in the characters that MLflow allows.

    Any other character of a subset's name becomes `-x<code point>-`.

    Examples
    --------
    >>> metric_key("tag.negation", "recall")
    'tag.negation/recall'
    >>> metric_key("class.größer/kleiner", "mrr")
    'class.gr-xf6--xdf-er-x2f-kleiner/mrr'
    """
    return f"{escaped(subset)}/{measure}"


_PARAMETER = re.compile(r"[^/\w. -]", re.ASCII)
_LONGEST_KEY = 250  # characters that MLflow takes


def parameter_key(path: str) -> str:
    """Return the key that a configured value is logged under, in what MLflow allows.

    Any other character becomes `-x<code point>-`, as in metric keys, and so do the slashes of what
    is no plain path. A key that is longer than MLflow takes is cut and ends in a digest of it all.

    Examples
    --------
    >>> parameter_key("window.k"), parameter_key("retriever.synonyms.title^3")
    ('window.k', 'retriever.synonyms.title-x5e-3')
    >>> parameter_key("a//b"), len(parameter_key("x" * 300)), parameter_key("a-x5e-")
    ('a-x2f--x2f-b', 250, 'a-x2d-x5e-')
    """
    plain = posixpath.normpath(path) == path and path[:1] not in "/."
    # What looks like an escape is escaped itself, so that no two paths share a key.
    key = _PARAMETER.sub(_code, _ESCAPE.sub(lambda match: f"-x2d-{match[0][1:]}", path))
    if not plain:
        key = key.replace("/", "-x2f-")
    if len(key) <= _LONGEST_KEY:
        return key
    name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{key[: _LONGEST_KEY - len(name) - 1]}-{name}"


def _code(match: re.Match[str]) -> str:
    return f"-x{ord(match[0]):x}-"


def subset_and_measure(key: str) -> tuple[str, str]:
    """Return what `metric_key` was given.

    Examples
    --------
    >>> subset_and_measure("class.gr-xf6--xdf-er-x2f-kleiner/mrr")
    ('class.größer/kleiner', 'mrr')
    """
    subset, _, measure = key.rpartition("/")
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), subset), measure


def folder_of(name: str) -> str:
    """Return the name of the folder that the artifacts of an experiment of ours lie in.

    Examples
    --------
    >>> folder_of("faq/nightly runs"), folder_of("..")
    ('faq_nightly_runs', '_')
    """
    return re.sub(r"[^\w.-]+", "_", name).lstrip(".") or "_"

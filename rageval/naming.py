"""What may name something: an id, a tag, an asker, a group of askers, a document."""

from __future__ import annotations

import re

LONGEST_ID = 500  # characters: beyond it is a text in the wrong place
LONGEST_SUBSET = 150  # characters: it becomes part of a metric's key, of which stores take 250
_LONGEST_ESCAPED = 200  # characters, with what stands for those that a metric's key has not

_PLAIN = re.compile(r"[A-Za-z0-9_. -]")
_ESCAPE = re.compile(r"-x([0-9a-f]+)-")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # with the line ends of Unicode


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


def subset_and_measure(key: str) -> tuple[str, str]:
    """Return what `metric_key` was given.

    Examples
    --------
    >>> subset_and_measure("class.gr-xf6--xdf-er-x2f-kleiner/mrr")
    ('class.größer/kleiner', 'mrr')
    """
    subset, _, measure = key.rpartition("/")
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), subset), measure

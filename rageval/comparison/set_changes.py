"""What became of a golden set between two results: questions and labels, not how they fared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rageval.comparison.result import Judgement, Result, Row


@dataclass(frozen=True)
class SetChanges:
    """How the set of a later result differs from that of an earlier one, by question id."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # the text differs, or a label was removed or changed
    extended: tuple[str, ...] = ()  # labels were added, and none was removed or changed
    regrouped: tuple[str, ...] = ()  # the form, class, tags or group alone differ
    left: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # subset → who left it

    @property
    def relabelled(self) -> tuple[str, ...]:
        """Return the questions whose text or labels differ."""
        return (*self.changed, *self.extended)


def set_changes(before: Result, after: Result) -> SetChanges:
    """Return what was added, removed, relabelled and regrouped.

    A result of an older version does not hold its labels: any difference in them then counts as a
    change.
    """
    both = [name for name in after.rows if name in before.rows]
    pairs = {name: (before.rows[name], after.rows[name]) for name in both}
    kinds = {name: _kind(*pair) for name, pair in pairs.items()}
    left: dict[str, list[str]] = {}
    for name, (then, now) in pairs.items():
        for subset in then.subsets:
            if subset not in now.subsets:
                left.setdefault(subset, []).append(name)
    return SetChanges(
        added=tuple(name for name in after.rows if name not in before.rows),
        removed=tuple(name for name in before.rows if name not in after.rows),
        changed=tuple(name for name, kind in kinds.items() if kind == "changed"),
        extended=tuple(name for name, kind in kinds.items() if kind == "extended"),
        regrouped=tuple(name for name, kind in kinds.items() if kind == "regrouped"),
        left={subset: tuple(names) for subset, names in left.items()},
    )


def _kind(before: Row, after: Row) -> str:
    if before.labels == after.labels:
        return "same"
    if before.text != after.text or before.judgements is None or after.judgements is None:
        return "changed"
    then, now = sorted(before.judgements), sorted(after.judgements)
    if then == now:
        return "regrouped"
    return "extended" if _all_kept(then, now) else "changed"


def _all_kept(before: list[Judgement], after: list[Judgement]) -> bool:
    """Say whether each label is still there, as it was or with alternatives added to it.

    Examples
    --------
    >>> old = [("expected", "a"), ("supporting", "a")]
    >>> _all_kept(old, [("expected", "a"), ("expected", "b"), ("supporting", "a", "b")])
    True
    >>> _all_kept([("supporting", "a"), ("supporting", "b")], [("supporting", "a", "b")])
    False
    """
    left = list(after)
    for kind, *names in sorted(before, key=len, reverse=True):
        same = [found for found in left if found[0] == kind and set(names) <= set(found[1:])]
        if not same:
            return False
        left.remove(min(same, key=len))
    return True

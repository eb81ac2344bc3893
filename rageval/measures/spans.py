"""Span measures: characters of evidence in the window. They compare across chunkings.

A span is (document, start, end), half-open characters. Characters count once, however many chunks
hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Span = tuple[int, int, int]  # document, start, end


def evidence_coverage(window: Sequence[Span], needs: Sequence[Sequence[Span]]) -> float:
    """Return the share of the evidence's characters that the window holds. Range 0..1.

    Every need must be met by one of its alternatives; of several the one held best counts, the
    first named on a tie. An evidence without characters gives 0.

    Examples
    --------
    >>> evidence_coverage([(0, 0, 50)], [[(0, 40, 60)]])
    0.5
    >>> evidence_coverage([(0, 0, 50), (0, 40, 90)], [[(0, 40, 60)], [(1, 0, 20), (0, 60, 70)]])
    1.0
    """
    held = union(window)
    chosen = union(max(need, key=lambda span: _share(span, held)) for need in needs if need)
    length = _length(chosen)
    return _length(_common(chosen, held)) / length if length else 0.0


def evidence_precision(window: Sequence[Span], needs: Sequence[Sequence[Span]]) -> float:
    """Return the share of the window's characters that are evidence, of any alternative.

    Range 0..1; an empty window gets 0.

    Examples
    --------
    >>> evidence_precision([(0, 0, 50), (0, 40, 90)], [[(0, 45, 90)]])
    0.5
    """
    held = union(window)
    length = _length(held)
    evidence = union(span for need in needs for span in need)
    return _length(_common(held, evidence)) / length if length else 0.0


def union(spans: Iterable[Span]) -> list[Span]:
    """Merge spans that overlap or touch; sorted.

    Examples
    --------
    >>> union([(0, 5, 9), (0, 0, 5), (1, 0, 2)])
    [(0, 0, 9), (1, 0, 2)]
    """
    merged: list[Span] = []
    for document, start, end in sorted(spans):
        if merged and merged[-1][0] == document and start <= merged[-1][2]:
            merged[-1] = (document, merged[-1][1], max(end, merged[-1][2]))
        else:
            merged.append((document, start, end))
    return merged


def _common(left: Sequence[Span], right: Sequence[Span]) -> list[Span]:
    return [
        (document, max(start, low), min(end, high))
        for document, start, end in left
        for other, low, high in right
        if other == document and max(start, low) < min(end, high)
    ]


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for _, start, end in spans)


def _share(span: Span, held: Sequence[Span]) -> float:
    length = span[2] - span[1]
    return _length(_common([span], held)) / length if length else 0.0

"""Regular TREC files read by columns: the same as line by line, and irregular ones left alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rageval.errors import InputError
from rageval.formats.trec import table
from rageval.formats.trec.qrels import read_qrels
from rageval.formats.trec.run import read_run

NEVER = 2**40
IDS = st.sampled_from(["q1", "q2", "301", "ä", "#x", "a-b", '"d', "d,1"])
SCORES = st.sampled_from(
    ["1", "1.0", "0.25", "-3e5", "1e39", "inf", "-inf", "nan", "1_0", "abc", "+2", "0x1", "1e400"]
)
GRADES = st.sampled_from(["1", "0", "-1", "2.0", "3.", "+1", "x", "1.5", "99"])
BETWEEN = st.sampled_from([" ", "\t", "  ", " \t"])
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", " \n"])


def both(read, path, monkeypatch):
    found = []
    for small in (0, NEVER):
        monkeypatch.setattr(table, "SMALL", small)
        try:
            found.append(read(path))
        except InputError as fault:
            found.append(str(fault))
    return found


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return all(
        np.array_equal(left, right) if isinstance(left, np.ndarray) else left == right
        for left, right in zip(vars(one).values(), vars(other).values(), strict=True)
    )


@settings(max_examples=300)
@given(st.data(), st.integers(0, 8))
def test_a_run_is_read_alike_in_both_ways(tmp_path_factory, data, rows):
    regular = data.draw(st.booleans())
    between = data.draw(BETWEEN)
    lines = []
    for _ in range(rows):
        fields = [data.draw(IDS), "Q0", data.draw(IDS), "1", data.draw(SCORES), "sys"]
        if not regular:
            fields = fields[: data.draw(st.integers(4, 6))]
            fields += data.draw(st.lists(st.just("more"), max_size=2))
            between = data.draw(BETWEEN)
        lines.append(between.join(fields) + ("\n" if regular else data.draw(ENDS)))
    path = tmp_path_factory.mktemp("runs") / "run.txt"
    path.write_bytes("".join(lines).encode())
    with pytest.MonkeyPatch.context() as patch:
        one, other = both(read_run, path, patch)
    assert same(one, other), (one, other)


@settings(max_examples=300)
@given(st.data(), st.integers(0, 8), st.sampled_from([3, 4]))
def test_judgements_are_read_alike_in_both_ways(tmp_path_factory, data, rows, width):
    regular = data.draw(st.booleans())
    between = data.draw(BETWEEN)
    lines = []
    for _ in range(rows):
        fields = [data.draw(IDS), *(["0"] if width == 4 else []), data.draw(IDS), data.draw(GRADES)]
        between = between if regular else data.draw(BETWEEN)
        lines.append(between.join(fields) + ("\n" if regular else data.draw(ENDS)))
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"
    path.write_bytes("".join(lines).encode())
    with pytest.MonkeyPatch.context() as patch:
        one, other = both(read_qrels, path, patch)
    assert same(one, other), (one, other)


def test_a_regular_run_really_goes_by_columns(tmp_path, monkeypatch):
    path = tmp_path / "run.txt"
    path.write_text("".join(f"q{q} Q0 d{d} {d} {9 - d}.5 s\n" for q in range(5) for d in range(9)))
    monkeypatch.setattr(table, "SMALL", 0)
    monkeypatch.setattr("rageval.formats.trec.run.read_blocks", None)  # it would be called in vain
    run = read_run(path)
    assert run.ranking("q3")[:2] == ["d0", "d1"]
    assert (run.name, len(run.documents)) == ("s", 9)


def test_ids_of_all_blocks_are_numbered_together(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "SMALL", 0)
    path = tmp_path / "run.txt"
    monkeypatch.setattr(table, "BLOCK", 1000)
    rows = [f"q{n % 70} Q0 d{n * 7 % 901} 1 {n % 13} s" for n in range(3000)]
    path.write_text("\n".join(rows) + "\n")
    assert path.stat().st_size > 50 * table.BLOCK
    one, other = both(read_run, path, monkeypatch)
    assert same(one, other)

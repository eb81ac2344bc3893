"""The first day as a new user types it, each command a process of its own."""

import pytest

# As typed, with the exit code and a word of what each must say.
FIRST_DAY = [
    ("+retriever=hybrid", 0, "next: mlflow ui"),
    ("gate", 0, "no baseline yet: floors, errors and leaks alone are judged"),
    ("promote", 0, "rageval-handbook@champion is version 1"),
    ("+retriever=bm25", 0, "next: mlflow ui"),
    ("gate", 1, "✗ form.GAP hit_rate_at_3: 37/47 (0.787) → 35/47 (0.745)"),
    ("compare run=champion with=latest", 0, "net: "),
    ("-m +retriever=bm25,dense,hybrid chunking=fixed,heading", 0, "6 cells: 6 done"),
    ("report", 0, "report.html"),
]


@pytest.mark.thorough
def test_the_first_day_runs_as_typed_in_an_empty_folder(tmp_path, program):
    for line, code, word in FIRST_DAY:
        said = program.run(tmp_path, *line.split())
        assert said.code == code, (line, said)
        assert word in said.out + said.err, (line, said)
        assert "Traceback" not in said.err
        if code == 0:
            assert "next: " in "".join(said.out.strip().splitlines(keepends=True)[-3:]), line
    assert (tmp_path / "report.html").stat().st_size > 10_000

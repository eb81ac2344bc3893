"""Three digests: what was measured is named by its configuration, inputs and environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from importlib import invalidate_caches
from pathlib import Path

from conftest import Said
from desk import LOCAL, QUICK

from attacks.attack import attack

TOPIC = "What a retrieval is made of"
ALLOW = "registry.allow=[plugged.,mine_]"
CLASS = """
from {module}_words import WORDS

class Mine:
    def retrieve(self, question, limit, groups):
        return [(name, 1.0) for name in WORDS]
"""


@contextmanager
def _importable(desk):
    """Let the classes in the desk's folder be imported, and forget them afterwards."""
    sys.path.insert(0, str(desk.folder))
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(desk.folder))
        for name in [name for name in sys.modules if name.startswith("mine_")]:
            del sys.modules[name]


def _written(desk, module, answer):
    (desk.folder / f"{module}.py").write_text(CLASS.format(module=module))
    (desk.folder / f"{module}_words.py").write_text(f"WORDS = [{answer!r}]\n")
    return ("+retriever=custom", f"retriever._target_={module}.Mine", "chunking=whole")


def _grown(desk):
    golden = desk.folder / "tiny" / "golden.yaml"
    more = '  - {id: more, question: "flow of the pump", expected: [pump], split: dev}\n'
    golden.write_text(golden.read_text() + more)


@attack(TOPIC, 3, "cannot be run again: mine_a_words has changed since it was measured")
def a_module_that_the_champions_class_imports_is_edited(desk):
    """The champion's class stays, a helper module that it imports changes, and the set grows."""
    with _importable(desk):
        champion = desk.evaluate(*_written(desk, "mine_a", "pump"), dataset=LOCAL)
        assert desk.promote(champion, ALLOW).code == 0
        _grown(desk)
        candidate = desk.evaluate("+retriever=bm25", dataset=LOCAL)
        _written(desk, "mine_a", "leave")
        return desk.gate(candidate, ALLOW)


@attack(TOPIC, 3, "cannot be reproduced: mine_b_words has changed since it was measured")
def a_module_that_the_candidates_class_imports_is_edited_before_promote(desk):
    """A helper module changes between the candidate's run and its promotion."""
    with _importable(desk):
        run = desk.evaluate(*_written(desk, "mine_b", "pump"), dataset=LOCAL)
        _written(desk, "mine_b", "leave")
        return desk.promote(run, ALLOW)


@attack(TOPIC, 3, "cannot be run again: run.txt has changed since it was measured")
def a_run_file_that_the_champion_replays_is_edited(desk):
    """The champion replays a TREC run file, which is overwritten; then the set grows."""
    (desk.folder / "topics.tsv").write_text("q99\tflow of the pump\n" + _topics(desk))
    (desk.folder / "run.txt").write_text("q1 Q0 pump 1 2.0 x\n")
    replay = (
        "+retriever=trec_run", "retriever.run=run.txt", "retriever.topics=topics.tsv",
        "chunking=whole", "rewriting=none",
    )  # fmt: skip
    assert desk.promote(desk.evaluate(*replay, dataset=LOCAL)).code == 0
    (desk.folder / "run.txt").write_text("q1 Q0 leave 1 2.0 x\n")
    _grown(desk)
    candidate = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    return desk.gate(candidate)


def _topics(desk):
    import yaml

    rows = yaml.safe_load((desk.folder / "tiny" / "golden.yaml").read_text())["questions"]
    texts = dict.fromkeys(row["question"] for row in rows)  # two askers ask the same
    return "".join(f"q{n}\t{text}\n" for n, text in enumerate(texts, 1))


@attack(TOPIC, 0, "2 cells: 1 resumed, 1 done … cells were not checked for what mine_c.Mine")
def a_helper_module_is_edited_between_two_sweeps(desk):
    """A helper of one of two swept classes changes: its cell is run again, the other resumed."""
    with _importable(desk):
        _written(desk, "mine_c", "pump")
        _written(desk, "mine_d", "pump")
        words = (
            "-m", "+retriever=custom", "retriever._target_=mine_c.Mine,mine_d.Mine",
            "chunking=whole", *LOCAL, *QUICK,
        )  # fmt: skip
        assert desk.type(*words).code == 0
        _written(desk, "mine_d", "leave")
        return desk.type(*words)


@attack(TOPIC, 3, "was measured in another environment: fruit was 1.0 and is 2.0 now, and it …")
def a_library_changed_and_the_champion_answers_differently(desk):
    """The champion's class uses a library, whose new version answers something else."""
    return _upgraded(desk, "pump", "leave")


@attack(
    TOPIC, 0, "the champion gives the same table in this environment (fruit was 1.0 and is 2.0…"
)
def a_library_changed_and_the_champion_answers_the_same(desk):
    """The champion's class uses a library, whose new version answers the same."""
    return _upgraded(desk, "pump", "pump")


@attack(TOPIC, 0, "against the champion hybrid (lsa), heading, k=6, re-run on these questions")
def the_champion_was_promoted_by_the_first_version(desk):
    """The champion is a baseline file that version 0.1.0 wrote: it is run again and compared."""
    desk.evaluate("+retriever=hybrid", dataset=LOCAL)
    candidate = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    file = Path(__file__).parents[1] / "data" / "baseline_0_1.json"
    return desk.gate(candidate, f"gate.baseline={file}")


def _upgraded(desk, first, second):
    """Promote with one version of an installed library, and gate with the next one."""
    (desk.folder / "mine_e.py").write_text(CLASS.format(module="fruit").replace("_words", ""))
    _installed(desk, "1.0", first)
    mine = ["+retriever=custom", "retriever._target_=mine_e.Mine", "chunking=whole"]
    _in_a_process(
        desk, [*mine, *LOCAL, *QUICK], ["promote", "run=latest", "dataset.name=tiny", ALLOW],
        ["+retriever=bm25", "chunking=whole", *LOCAL, *QUICK],
    )  # fmt: skip
    _installed(desk, "2.0", second)
    return _in_a_process(desk, ["gate", "dataset.name=tiny", ALLOW])


def _installed(desk, version, answer):
    """Install a library as pip does, in a folder of the desk's."""
    site = desk.folder / "site-packages"
    shutil.rmtree(site, ignore_errors=True)
    (site / "fruit").mkdir(parents=True)
    (site / "fruit" / "__init__.py").write_text(f"WORDS = [{answer!r}]\n")
    about = site / f"fruit-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fruit\nVersion: {version}\n")
    (about / "top_level.txt").write_text("fruit\n")


def _in_a_process(desk, *commands):
    """Type commands one after the other in a process that has the library; return the last."""
    lines = [f"said = desk.type(*{command!r})" for command in commands]
    code = "\n".join([
        "from pathlib import Path", "from desk import Desk",
        f"desk = Desk(Path({str(desk.folder)!r}))", *lines, "print(said.out)",
        "import sys", "sys.stderr.write(said.err)", "sys.exit(said.code)",
    ])  # fmt: skip
    tests = Path(__file__).parents[1]
    paths = [desk.folder, desk.folder / "site-packages", tests, tests.parent]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=desk.folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
    )  # fmt: skip
    return Said(done.returncode, done.stdout, done.stderr)

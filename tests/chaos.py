"""Commands that are killed at random points, and commands that run all at once, on a real store.

    python tests/chaos.py kills 50 [COMMAND …]     50 kill points of each command
    python tests/chaos.py at-once 16 4 4 2         evaluations, sweeps, promotions, rollbacks
    python tests/chaos.py at-once 16 4 4 2 URI     the same on the store of that address

Each command is a process of its own: a fork of this one, which has everything imported and nothing
opened. Exit code 1, with what is wrong, if anything was lost, doubled or half done.
"""

import contextlib
import errno
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

DATA = Path(__file__).parent / "data" / "tiny"
SET = (
    "dataset=markdown", "dataset.path=tiny/documents", "dataset.questions=tiny/golden.yaml",
    "dataset.askers=tiny/access.yaml", "dataset.split.lock=split.lock", "dataset.name=tiny",
    "dataset.split.dev_share=0.6", "latency.sample=0", "output.questions=none",
)  # fmt: skip
NAMED = ("dataset.name=tiny", "holdout.budget=100000")
FORCED = ("force=true", "reason=chaos")
ENDED = ("FINISHED", "FAILED", "KILLED")


class Place:
    """A project whose commands are processes."""

    def __init__(self, folder, uri=None):
        self.folder, self.number = Path(folder), 0
        self.store = () if uri is None else (f"tracking.uri={uri}", "tracking.timeout=60")
        self.uri = uri or f"sqlite:///{self.folder}/mlruns/mlflow.db"
        shutil.copytree(DATA, self.folder / "tiny")

    def start(self, *words, full=False):
        """Start a command and return its process and output; `full`: no artifact can be kept."""
        self.number += 1
        said = self.folder / f"said-{self.number}"
        pid = os.fork()
        if pid:
            return pid, said
        try:
            os.chdir(self.folder)
            with said.open("w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            os._exit(_command([*words, *self.store], full))
        finally:
            os._exit(99)

    def run(self, *words, full=False):
        """Run a command to its end and return its exit code and what it said."""
        pid, said = self.start(*words, full=full)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.read_text()

    def kill(self, after, *words):
        """Run a command and kill it after so many seconds; say whether it was still at work."""
        pid, _ = self.start(*words)
        time.sleep(after)
        os.kill(pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL

    def evaluate(self, *words):
        """Make a run and return its id."""
        code, said = self.run(*words, *SET)
        found = re.search(r"^run ([0-9a-f]{32}) in experiment", said, re.M)
        if code or not found:
            raise SystemExit(f"the project cannot be set up: exit {code}\n{said}")
        return found[1]

    def asked(self, question):
        """Return what a function finds in the store, asked in a process of its own."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            from mlflow import MlflowClient

            with os.fdopen(writing, "w") as answer:
                json.dump(question(MlflowClient(self.uri)), answer)
                answer.flush()
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answer:
            found = answer.read()
        os.waitpid(pid, 0)
        return json.loads(found)


def _command(words, full):
    from rageval.cli.main import run_command
    from rageval.tracking import run as runs

    if full:

        def refuse(*_):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        runs._log_files = refuse
    sys.argv = ["rageval"]
    code = run_command(list(words))
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    return code


def look(client):
    """Return everything that the invariants are about."""
    experiments = [found.experiment_id for found in client.search_experiments()]
    runs, token = [], None
    while True:
        page = client.search_runs(experiments, max_results=1000, page_token=token)
        runs += [
            [
                run.info.run_id, run.info.status, dict(run.data.tags),
                run.data.params.get("retriever"), run.data.params.get("window.k"),
            ]
            for run in page
        ]  # fmt: skip
        token = page.token
        if not token:
            break
    models = {model.name: model for model in client.search_registered_models()}
    mine = models.get("rageval-tiny")
    # A search may leave aliases out.
    mine = client.get_registered_model("rageval-tiny") if mine else None
    return {
        "runs": runs,
        "models": sorted(models),
        "aliases": {key: str(value) for key, value in mine.aliases.items()} if mine else {},
        "history": [json.loads(v) for k, v in sorted(mine.tags.items())
                    if re.fullmatch(r"promotion\.\d+", k)] if mine else [],
    }  # fmt: skip


def faults(place, found):
    """Yield what is lost, doubled or half done."""
    for run, status, *_ in found["runs"]:
        if status not in ENDED:
            yield f"run {run} is {status}"
    cells = Counter(
        (tags["rageval.benchmark"], tags["rageval.variant"])
        for _, status, tags, *_ in found["runs"]
        if status == "FINISHED" and tags.get("rageval.kind") == "cell"
    )
    yield from (f"a cell was evaluated {n} times: {cell}" for cell, n in cells.items() if n > 1)
    yield from (f"{name} is left" for name in found["models"] if name != "rageval-tiny")
    past, aliases = found["history"], found["aliases"]
    for before, after in zip(past, past[1:], strict=False):
        if before["after"] != after["before"]:
            yield f"the history breaks between {before} and {after}"
    if past and aliases.get("champion") != past[-1]["after"]:
        yield f"the champion is {aliases.get('champion')}, the history says {past[-1]['after']}"
    if past and past[-1]["before"] and aliases.get("previous") != past[-1]["before"]:
        yield f"previous is {aliases.get('previous')}, the history says {past[-1]['before']}"
    yield from _files(place, found)


def _files(place, found):
    """Yield what a finished run of a store of files lacks."""
    database = place.folder / "mlruns" / "mlflow.db"
    if place.store:
        return
    with contextlib.closing(sqlite3.connect(database)) as base:
        if base.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            yield "the database is damaged"
    for run, status, tags, *_ in found["runs"]:
        sealed = json.loads(tags.get("rageval.seals", "{}"))
        folder = place.folder / "mlruns" / "artifacts" / "tiny" / run / "artifacts"
        stripped = "rageval.questions" in tags
        if status == "FINISHED" and not stripped and tags.get("rageval.split") == "dev":
            lost = [name for name in sealed if name != "metrics" and not (folder / name).exists()]
            yield from (f"run {run} has lost {name}" for name in lost)


# --- killed


SWEEP = ("-m", "+retriever=bm25,tfidf", "window.k=1,2,3", *SET)


class Kills:
    """A project with two candidates, and each command with what must hold after it."""

    def __init__(self, folder, draw):
        self.place, self.draw = Place(folder), draw
        self.two = [self.place.evaluate(f"+retriever={name}") for name in ("bm25", "tfidf")]
        for run in self.two:
            code, said = self.place.run("promote", f"gate.run={run}", *NAMED, *FORCED)
            assert code == 0, said

    def words(self, command):
        """Return the command line, and the exit codes that are right when it is typed again."""
        champion = len(self.place.asked(look)["history"]) % 2
        return {
            "evaluate": (("+retriever=dense", "encoder.dimensions=4", *SET), {0}),
            "sweep": ((*SWEEP, "sweep.resume=true", f"judging.min_overlap={self._new()}"), {0}),
            "promote": (("promote", f"gate.run={self.two[champion]}", *NAMED, *FORCED), {0, 3}),
            "rollback": (("rollback", "dataset.name=tiny"), {0, 3}),
            "holdout": (("holdout", f"run={self.two[0]}", "reason=chaos", *NAMED), {0}),
            "prune": (("prune", "dataset.name=tiny", "prune.keep=1", "prune.apply=true"), {0}),
            "sync": (("sync", "dataset.name=tiny"), {0}),
        }[command]

    def _new(self):
        return round(self.draw.uniform(0.3, 0.7), 6)  # another benchmark: no cell is finished yet

    def before(self, command):
        """Give a command something to do."""
        if command == "sync":
            code, said = self.place.run("+retriever=bm25", *SET, full=True)
            assert code == 4, (code, said)
            assert "its results are kept in" in said, said
        if command == "prune":
            for _ in range(2):
                self.place.evaluate("+retriever=bm25")

    def once(self, command, seconds):
        """Kill a command once, type it again and return what is wrong."""
        self.before(command)
        words, right = self.words(command)
        before = finished(self.place.asked(look))
        killed = self.place.kill(self.draw.uniform(0, seconds), *words)
        code, said = self.place.run(*words)
        found = self.place.asked(look)
        wrong = list(faults(self.place, found))
        if code not in right:
            wrong.append(f"the next command ended with {code}: {said[-600:]}")
        if command == "sync" and finished(found) != before + 1:
            wrong.append(f"{finished(found) - before} results were delivered instead of 1")
        if not set(self.two) <= {run for run, status, *_ in found["runs"] if status == "FINISHED"}:
            wrong.append("the run of a promoted version is gone")
        return killed, wrong


def finished(found):
    return sum(1 for _, status, *_ in found["runs"] if status == "FINISHED")


COMMANDS = ("evaluate", "sweep", "promote", "rollback", "holdout", "prune", "sync")


def kills(number, commands):
    """Kill each command so often; print a table and return the exit code."""
    import_all()
    wrong = 0
    say("| command | kill points | killed at work | faults after the next command |")
    say("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        ours = Kills(Path(folder) / "project", random.Random(0))
        for command in commands:
            ours.before(command)
            begun = time.monotonic()
            code, said = ours.place.run(*ours.words(command)[0])
            assert code == 0, (command, code, said)
            seconds = time.monotonic() - begun
            found = [ours.once(command, seconds) for _ in range(number)]
            bad = [fault for _, faults_ in found for fault in faults_]
            wrong += len(bad)
            say(f"| {command} | {number} | {sum(k for k, _ in found)} | {len(bad)} |")
            for fault in bad:
                say(f"  {command}: {fault}")
    return int(bool(wrong))


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def import_all():
    """Import what the forks need, and open nothing."""
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    for name in [name for name in os.environ if name.startswith("MLFLOW_TRACKING")]:
        del os.environ[name]
    import mlflow.pyfunc  # noqa: F401
    from mlflow.store.tracking import sqlalchemy_store  # noqa: F401

    from rageval.cli.commands import COMMANDS

    for verb in COMMANDS.values():
        __import__(verb.module)
    __import__("rageval.sweep.running")


# --- at once


def at_once(evaluations, sweeps, promotions, rollbacks, uri=None):
    """Start all commands together; print what came of them and return the exit code."""
    import_all()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder) / "project", uri)
        runs = [place.evaluate(f"+retriever={name}") for name in ("bm25", "tfidf")]
        runs += [place.evaluate("+retriever=bm25", f"window.k={k}") for k in range(promotions)[1:]]
        for run in runs[:2]:
            code, said = place.run("promote", f"gate.run={run}", *NAMED, *FORCED)
            assert code == 0, said
        before = place.asked(look)
        lines = [
            *(("evaluate", ("+retriever=bm25", f"window.k={n + 1}", *SET))
              for n in range(evaluations)),
            *(("sweep", ("-m", "+retriever=bm25", f"window.k={n + 1},{n + 2},{n + 3}", *SET))
              for n in range(sweeps)),
            *(("promote", ("promote", f"gate.run={runs[n]}", *NAMED, *FORCED))
              for n in range(promotions)),
            *(("rollback", ("rollback", "dataset.name=tiny")) for _ in range(rollbacks)),
        ]  # fmt: skip
        random.Random(0).shuffle(lines)
        started = [(kind, *place.start(*words)) for kind, words in lines]
        ends = [
            (kind, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.read_text())
            for kind, pid, said in started
        ]
        wrong = list(_judged(place, before, ends, evaluations, sweeps))
    for kind in ("evaluate", "sweep", "promote", "rollback"):
        codes = Counter(code for which, code, _ in ends if which == kind)
        say(f"{kind}: " + ", ".join(f"{n} × exit {code}" for code, n in sorted(codes.items())))
    say("\n".join(wrong) or "nothing lost, doubled or half promoted")
    return int(bool(wrong))


RIGHT = {"evaluate": {0}, "sweep": {0}, "promote": {0, 3}, "rollback": {0, 3}}


def _judged(place, before, ends, evaluations, sweeps):
    for kind, code, said in ends:
        if code not in RIGHT[kind]:
            yield f"{kind} ended with {code}: {said[-800:]}"
    found = place.asked(look)
    yield from faults(place, found)
    known = {run for run, *_ in before["runs"]}
    new = [row for row in found["runs"] if row[0] not in known and row[1] == "FINISHED"]
    kinds = Counter(
        tags.get("rageval.kind")
        for _, _, tags, *_ in new
        if tags.get("rageval.split") != "holdout"  # a promotion's scoring, which the ledger has
    )
    wanted = {"single": evaluations, "cell": sweeps + 2 if sweeps else 0, "sweep": sweeps}
    for kind, number in wanted.items():
        if kinds[kind] != number:
            yield f"{kinds[kind]} runs of kind {kind} instead of {number}"
    moves = sum(1 for kind, code, _ in ends if kind in {"promote", "rollback"} and code == 0)
    if len(found["history"]) - len(before["history"]) != moves:
        yield (
            f"{moves} moves of the alias were reported, and {len(found['history'])} - "
            f"{len(before['history'])} written down"
        )


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "kills":
        sys.exit(kills(int(rest[0]), rest[1:] or COMMANDS))
    sys.exit(at_once(*map(int, rest[:4]), *rest[4:]))

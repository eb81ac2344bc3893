"""`--help`: one screen, read from the files in conf/ alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rageval.cli.commands import COMMANDS
from rageval.config.places import shipped

_GROUPS = (
    "retriever", "chunking", "encoder", "dataset", "window", "rewriting", "analyser", "threshold",
    "tracking", "cache", "experiment",
)  # fmt: skip

_EVALUATE = """\
Run a retriever against a golden set and keep the result as one MLflow run.

  python -m rageval +retriever=hybrid                      run; prints the table
  python -m rageval +retriever=bm25 chunking=fixed chunking.size=800 window.k=8
  python -m rageval -m +retriever=bm25,dense,hybrid chunking=heading,fixed      every combination
  python -m rageval +retriever=dense dataset=beir dataset.path=DIR dataset.qrels=test
  python -m rageval +retriever=bm25 dataset=markdown dataset.path=docs dataset.questions=golden.yaml
  python -m rageval +retriever=custom retriever._target_=their.module.Class

Choices (GROUP=CHOICE, then GROUP.KEY=VALUE for what is in it):
{choices}

Often changed:
  window.k=6  window.min_score=null  window.per_document=null  window.depth=null
  measures.hit_at=[1,3]  measures.ndcg_at=10  judging.min_overlap=0.5  latency.sample=50
  output.questions=worst|all|none  run.name=…  tracking=off  tracking.uri=…

  --cfg job          print the composed configuration and stop
  -m                 sweep: run every combination of comma-separated values
  -m hydra/sweeper=optuna hydra.sweeper.n_trials=40 'window.k=range(1,9)'      search instead
  hydra/launcher=joblib|ray|submitit_slurm    the cells on processes, a cluster, Slurm
  --config-dir DIR   your own choices beside the shipped ones
"""

_CHECK = """\
Read a corpus and its golden set and tell every fault, with file and line, and what looks wrong.
Nothing is retrieved, and only what is asked for is written.

  python -m rageval check
  python -m rageval check dataset=markdown dataset.path=docs dataset.questions=golden.yaml
  python -m rageval check check.against=HEAD~1             what was relabelled since a git revision
  python -m rageval check dataset=squad dataset.path=dev.json export=canonical export.path=g.yaml

Choices (GROUP=CHOICE, then GROUP.KEY=VALUE for what is in it):
{choices}

Keys:
  check.near=0.8          share of words that makes near duplicates; null = not looked for
  check.against=null      a git revision or another file: list what was added, removed, relabelled
  check.json=null         a path: write all that was found, for programs
  check.store=true        instead: read every run and promotion of the tracking store
  export.path=…           where an export is written; what the format cannot keep is named
"""

_SCORE = """\
Score a TREC run file against TREC judgements, by id: no corpus and no topics. Logged like any run.

  python -m rageval score run=run.txt qrels=qrels.txt
  python -m rageval score run=run.txt qrels=qrels.txt measures=[nDCG@10,AP,P@5] per_query=true
  python -m rageval score run=run.txt qrels=qrels.txt dataset.corpus.version=2024-05    then gate

Measures are trec_eval's, named as ir_measures does: nDCG, nDCG@k, AP, AP@k, RR, RR@k, P@k, R@k,
Success@k, Rprec, Bpref, IPrec@recall, SetP, SetR, SetF; 'measures=["P(rel=2)@5"]': from grade 2.
Every judged query counts, as with trec_eval -c: one without a ranking is a miss.

Choices (GROUP=CHOICE):
{choices}
"""

_POWER = """\
Simulate the gate of a set: how often it fails a harmless change, and how many lost questions each
limit notices. Nothing is retrieved or written.

  python -m rageval power                       from the champion's results, or the newest run's
  python -m rageval power found=0.8             before there is a run: of the golden set alone
  python -m rageval power threshold.max_drop.all.recall=0.05      what another limit would do

Choices (GROUP=CHOICE):
{choices}

Keys:
  run=champion        whose results changes begin from: latest, a run id, a version, an alias
  churn=null          share of the found questions that a harmless change loses; null = estimated
                      from pairs of runs in the store, 0.04 without any
  draws=1000          simulated changes
"""

_COMPARE = """\
Compare two runs question by question: improved, regressed, added, removed, relabelled. No verdict.

  python -m rageval compare                                 champion with the newest run
  python -m rageval compare run=RUN_ID with=champion        each: latest, run id, version, alias

Choices (GROUP=CHOICE):
{choices}
"""

_GATE = """\
Hold a run against the registry's champion, question by question, and against committed limits.

  python -m rageval gate                                    the newest finished run of its own
  python -m rageval gate gate.run=RUN_ID gate.require_baseline=true gate.output=reports
  python -m rageval gate gate.baseline=baseline.json        a committed file, not the registry
  python -m rageval gate gate.sets=[handbook,faq]           several golden sets at once
  python -m rageval gate suggest=true suggest_to=conf/threshold/mine.yaml    floors below the values
  python -m rageval gate gate.report_only=true              report; a failed limit ends with 0
  python -m rageval gate gate.must_see=0.05 gate.on_inconclusive=fail    exit 3 if too few questions
  python -m rageval gate gate.exceptions=exceptions.yaml    committed reasons for removed questions
  python -m rageval +retriever=hybrid gate.enabled=true     run and gate in one go

Limits (conf/threshold/*.yaml): floors, max_drop, no_tolerance, new_distractors.
A champion of another benchmark is re-run (gate.on_mismatch=rescore) or refused (=refuse).
A champion of other library versions is re-run to see whether it still answers the same
(gate.on_environment=check); an alias that was moved by hand needs gate.accept_alias='why'.

Choices (GROUP=CHOICE):
{choices}
"""

_PROMOTE = """\
Register a run, gate it, check it on held-out questions, and make it the champion.

  python -m rageval promote                                 the run that the last gate judged
  python -m rageval promote run=RUN_ID reason='shorter chunks'      or latest, a version, an alias
  python -m rageval promote run=best                        the best cell of the last sweep, alone
  python -m rageval promote force=true reason='…'           although a check failed; kept for ever

A promotion spends one scoring of holdout.budget=10 a quarter.
The alias moves last and one promotion at a time; the one before stays under `previous`.

Choices (GROUP=CHOICE):
{choices}
"""

_HOLDOUT = """\
Score a run's retrieval on the held-out questions: overall values and the gap to the dev side.

  python -m rageval holdout reason='before the release'     the newest finished run of its own
  python -m rageval holdout run=champion reason='…'         latest, run id, version or alias
  python -m rageval holdout ledger=true                     what was scored, by whom, why; free

Every scoring stays in the experiment SET-holdout and counts against holdout.budget=10 a quarter;
so does a promotion. When it is spent the answer is exit code 3.

Choices (GROUP=CHOICE):
{choices}
"""

_ROLLBACK = """\
Restore the previous champion.

  python -m rageval rollback reason='slow on Monday mornings'

Choices (GROUP=CHOICE):
{choices}
"""

_REPORT = """\
Write the page of a run, a comparison or a sweep, or a file for CI, and open the page.

  python -m rageval report                                  report.html of the last run or sweep
  python -m rageval report run=champion with=latest         the two side by side
  python -m rageval report format=junit output=junit.xml    or markdown, json; of the verdict if
                                                            the run was gated; output=- prints it
  python -m rageval report format=baseline run=champion     baseline.json, to be committed

Choices (GROUP=CHOICE):
{choices}
"""

_MINE = """\
Find questions that retrieved badly in a log, write them as cases to be judged, and tell how the
golden set grows and how production fares beside the dev questions.

  python -m rageval mine log=csv log.path=questions.csv     also jsonl, parquet
  python -m rageval mine log=sql log.url=sqlite:///log.db log.table=question_log
  python -m rageval mine log=sql log.url='${{secrets.log}}' +secrets.log='${{oc.env:LOG_URL}}' \\
      log.query='select * from question_log where …'
  python -m rageval mine log=csv log.path=… sample=20       questions by chance, too
  python -m rageval mine review=true                        judge them in a page, by keys alone
  python -m rageval mine merge=true                         judged cases join the golden set

Choices (GROUP=CHOICE):
{choices}

Often changed:
  columns.question=question  columns.asked_at=…  columns.feedback=null      the log's own names
  queue.days=7  queue.min_score=0.45  queue.limit=50  queue.order=newest|traffic|novelty
  candidates=candidates.yaml  masking=patterns|none  masking._target_=your.Class
"""

_PRUNE = """\
Let old runs go. Off until an age or a number is given; lists them unless prune.apply=true.

  python -m rageval prune prune.older_than=90               older than 90 days
  python -m rageval prune prune.keep=50                     all but the newest 50
  python -m rageval prune prune.older_than=90 prune.keep=50 prune.apply=true     both must hold
  python -m rageval prune prune.older_than=30 prune.what=text    drop questions, keep values

Never touched: runs of registered versions (every champion there was), the held-out ledger, what is
running. A sweep goes with its cells. `mlflow runs restore` brings a run back until `mlflow gc`.

Choices (GROUP=CHOICE):
{choices}
"""

_SYNC = """\
Deliver the results that were kept on disk while the tracking store did not take them.

  python -m rageval sync                                  what waits in mlruns/outbox
  python -m rageval sync tracking.uri=http://HOST:PORT    to the store that is named

Interrupted, it goes on the next time; nothing is delivered twice. What the store refuses stays.

Choices (GROUP=CHOICE):
{choices}
"""

_INIT = """\
Start with documents of your own: writes conf/, a golden set of drafts, a CI workflow and a README
here. Nothing that is there is written over.

  python -m rageval init path=docs                          ten questions drafted from ten pages
  python -m rageval init path=docs name=faq questions=20 languages=[german,english]

Drafts are made from headings and key sentences, `draft: true`: they are not scored until you
confirm them by deleting that line. Until the first is confirmed, a run is a trial to look at.
{choices}"""

_COMPLETION = """\
Print a script that lets your shell complete commands, groups, choices and keys.

  eval "$(rageval completion shell=bash)"                   in ~/.bashrc
  eval "$(rageval completion shell=zsh)"                    in ~/.zshrc, after compinit
  rageval completion shell=fish > ~/.config/fish/completions/rageval.fish
{choices}"""

_JUDGING = ("dataset", "threshold", "tracking")
_READING = ("dataset", "tracking")
_TEXTS = {
    "evaluate": (_EVALUATE, _GROUPS),
    "score": (_SCORE, ("threshold", "tracking")),
    "power": (_POWER, _JUDGING),
    "compare": (_COMPARE, _READING),
    "gate": (_GATE, _JUDGING),
    "promote": (_PROMOTE, _JUDGING),
    "holdout": (_HOLDOUT, _READING),
    "rollback": (_ROLLBACK, _READING),
    "report": (_REPORT, _READING),
    "mine": (_MINE, ("dataset", "log", "masking", "tracking")),
    "sync": (_SYNC, ("tracking",)),
    "prune": (_PRUNE, _READING),
    "check": (_CHECK, ("dataset", "export")),
    "init": (_INIT, ()),
    "completion": (_COMPLETION, ()),
}


def show(command: str, words: Sequence[str]) -> None:
    """Print a command's help; choices in the user's own `--config-dir` are listed too."""
    text, groups = _TEXTS[command]
    folders = [shipped("conf"), *_own(words)]
    lines = [f"  {group:<10} {', '.join(_choices(folders, group))}" for group in groups]
    out = sys.stdout.write
    out("usage: python -m rageval [COMMAND] [OVERRIDES]\n\n")
    out(text.format(choices="\n".join(lines)))
    out("\nCommands (the first is the default; COMMAND --help says more):\n")
    for name, known in COMMANDS.items():
        out(f"  {name:<10} {known.does}\n")
    out("\noutput.format=json: one JSON document · output.format=quiet: an id, path or outcome\n")
    out("\nExit codes: 0 done · 1 failed · 2 wrong input · 3 no verdict possible · 4 unreachable\n")


def _choices(folders: Sequence[Path], group: str) -> list[str]:
    return sorted({file.stem for folder in folders for file in (folder / group).glob("*.yaml")})


def _own(words: Sequence[str]) -> list[Path]:
    """Return the folder after --config-dir, or after -cd, if one is named."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    named = [after for word, after in pairs if word in {"--config-dir", "-cd"}]
    named += [word.partition("=")[2] for word in words if word.startswith("--config-dir=")]
    return [Path(name) for name in named]

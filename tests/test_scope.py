"""What an asker may not see: not found, not counted in public scores, not kept after a change."""

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pytest
from conftest import interruptible
from desk import DATA, LOCAL, QUICK, Desk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny import ask, chunks_of

from rageval.retrieval.analysis import Analyser
from rageval.retrieval.encoders.lsa import Lsa
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.retrievers.hybrid import Hybrid
from rageval.retrieval.retrievers.tfidf import TfIdf

WORDS = ("oil", "pump", "leave", "days", "band", "pay", "filter", "valve", "hose", "tea")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
RIGHTS = st.frozensets(st.sampled_from(["hr", "it", "board"]), max_size=2)
CORPORA = st.lists(st.tuples(TEXTS, RIGHTS), min_size=2, max_size=9)
PLAIN = Analyser(languages=("english",))


class Careful:
    """A user's retriever that respects the groups."""

    def index(self, passages):
        self.passages = passages

    def retrieve(self, question, limit, groups):
        return [p.id for p in self.passages if not p.groups or p.groups & groups][:limit]


def ours(statistics="all"):
    lexical = Bm25(analyser=PLAIN, statistics=statistics)
    latent = Dense(encoder=Lsa(dimensions=3, analyser=PLAIN), statistics=statistics)
    return {
        "bm25": lexical,
        "atire": Bm25(analyser=PLAIN, statistics=statistics, method="atire"),
        "robertson": Bm25(analyser=PLAIN, statistics=statistics, method="robertson"),
        "tfidf": TfIdf(analyser=PLAIN, statistics=statistics),
        "dense": latent,
        **{
            fusion: Hybrid(
                retrievers={"lexical": lexical, "semantic": latent},
                weights={"lexical": 1, "semantic": 1},
                floor="semantic",
                fusion=fusion,
                statistics=statistics,
            )
            for fusion in ("zscore", "minmax", "rrf")
        },
    }


MANY = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def chunks_with(corpus):
    rights = dict(zip("abcdefghi", (groups for _, groups in corpus), strict=False))
    return chunks_of(*(text for text, _ in corpus), groups=rights)


@pytest.mark.parametrize("name", [*ours(), "custom"])
@MANY
@given(corpus=CORPORA, question=TEXTS, groups=RIGHTS)
def test_no_candidate_lies_outside_the_scope(name, corpus, question, groups):
    chunks = chunks_with(corpus)
    retriever = Foreign(Careful()) if name == "custom" else ours()[name]
    found = ask(retriever.index(chunks), chunks, question, groups=groups).chunk[0]
    for number in found[found >= 0]:
        rights = corpus[int(number)][1]
        assert not rights or rights & groups


@pytest.mark.parametrize("name", list(ours()))
@MANY
@given(corpus=CORPORA, question=TEXTS)
def test_with_public_statistics_no_public_score_depends_on_a_restricted_text(
    name, corpus, question
):
    public = [(text, groups) for text, groups in corpus if not groups]
    if len(public) < 2:
        return
    place = [number for number, (_, groups) in enumerate(corpus) if not groups]
    with_all, alone = chunks_with(corpus), chunks_with(public)
    retriever = ours("public")[name]
    one = ask(retriever.index(with_all), with_all, question)
    other = ask(retriever.index(alone), alone, question)
    scores = [
        {n: x for n, x in zip(*(a[0].tolist() for a in (f.chunk, f.score)), strict=True) if n >= 0}
        for f in (one, other)
    ]
    assert {place.index(n): pytest.approx(s, abs=1e-5) for n, s in scores[0].items()} == scores[1]


def test_with_all_statistics_a_restricted_document_moves_public_scores():
    texts = ["oil pump", "pump valve", "oil", "oil oil pump"]
    secret = chunks_of(*texts, groups={"d": ["hr"]})
    public = chunks_of(*texts[:3])
    for name, retriever in ours().items():
        if name in ("rrf", "minmax", "robertson"):
            continue  # ranks and extremes may stay
        one, other = (ask(retriever.index(c), c, "oil pump").score[0][:3] for c in (secret, public))
        assert not np.allclose(one, other[: len(one)], atol=1e-6), name


def test_the_statistics_of_a_mixture_are_those_of_its_parts():
    parts = {"a": Bm25(statistics="public"), "b": TfIdf()}
    with pytest.raises(ValueError, match=r"statistics is all, that of retrievers.a is public"):
        Hybrid(retrievers=parts, weights={"a": 1, "b": 1}, floor="a")


@pytest.fixture
def desk(tmp_path):
    shutil.copytree(DATA, tmp_path / "tiny")
    return Desk(tmp_path)


def test_statistics_are_chosen_on_the_command_line_for_all_parts(desk):
    said = desk.type("+retriever=hybrid", "retriever.statistics=public", *LOCAL, *QUICK)
    assert said.code == 0, said
    run = desk.client.search_runs([e.experiment_id for e in desk.client.search_experiments()])[0]
    assert run.data.params["retriever.retrievers.lexical.statistics"] == "public"
    assert run.data.params["retriever.retrievers.semantic.statistics"] == "public"


PAY = """set: tiny
questions:
- {id: pay, question: What does band C pay?, asker: maria, expected: [leave], split: dev}
- {id: band, question: Which band is paid most?, asker: tom, expected: [pump], split: dev}
"""


def documents(desk):
    """Return which documents came back for each question of the newest run."""
    run = desk.client.search_runs([e.experiment_id for e in desk.client.search_experiments()])[0]
    table = json.loads(desk.file(run.info.run_id, "questions.json").read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    return {row["id"]: row["documents"] for row in rows}


@pytest.mark.thorough
@pytest.mark.parametrize("retriever", ["bm25", "hybrid"])
@pytest.mark.parametrize("change", ["the asker's groups", "the document's groups"])
def test_a_right_that_was_revoked_after_indexing_is_gone_at_once(desk, retriever, change):
    (desk.folder / "tiny" / "golden.yaml").write_text(PAY)
    words = (f"+retriever={retriever}", *LOCAL, *QUICK, "cache=disk")
    assert desk.type(*words).code == 0
    assert "hr/salaries" in documents(desk)["pay"]
    assert "hr/salaries" not in documents(desk)["band"]
    if change == "the asker's groups":
        (desk.folder / "tiny" / "access.yaml").write_text("askers: {maria: [], tom: []}\n")
    else:
        page = desk.folder / "tiny" / "documents" / "hr" / "salaries.md"
        page.write_text(page.read_text().replace("groups: [hr]", "groups: [board]"))
    said = desk.type(*words)
    assert "leaks 0" in said.out, said
    assert "hr/salaries" not in documents(desk)["pay"]


STALE = '''
class Stale:
    """An index of one's own, which still has the rights of the day on which it was made."""

    def retrieve(self, question, limit, groups):
        return ["hr/salaries", "leave"] if "hr" in groups else ["leave"]
'''


@pytest.mark.thorough
def test_an_index_of_ones_own_with_rights_of_yesterday_is_a_leak(desk, monkeypatch):
    (desk.folder / "stale.py").write_text(STALE)
    monkeypatch.syspath_prepend(str(desk.folder))
    (desk.folder / "tiny" / "golden.yaml").write_text(PAY)
    words = (
        "+retriever=custom",
        "retriever._target_=stale.Stale",
        "chunking=whole",
        *LOCAL,
        *QUICK,
    )
    assert desk.type(*words).code == 0
    page = desk.folder / "tiny" / "documents" / "hr" / "salaries.md"
    page.write_text(page.read_text().replace("groups: [hr]", "groups: [board]"))
    said = desk.type(*words)
    assert (said.code, "leaks 1" in said.out) == (1, True), said


def _free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@pytest.mark.thorough
def test_a_champion_that_is_served_over_http_answers_inside_the_scope(desk, program):
    run = desk.evaluate("+retriever=bm25", dataset=LOCAL)
    assert desk.promote(run).code == 0
    port = _free_port()
    model = "models:/rageval-tiny@champion"
    command = [sys.executable, "-m", "mlflow", "models", "serve", "-m", model,
               "--env-manager", "local", "-p", str(port)]  # fmt: skip
    served = subprocess.Popen(
        command,
        cwd=desk.folder,
        env={**program.environment, "MLFLOW_TRACKING_URI": desk.uri, "MLFLOW_MODELS_WORKERS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=interruptible,
    )
    try:
        rows = [
            {"question": question, **({"asker": asker} if asker else {})}
            for question in ("What does band C pay?", "leave", "salary band pay", "pump")
            for asker in (None, "tom", "maria")
        ]
        answers = _predicted(port, rows)
    finally:
        served.terminate()
        served.wait(30)
    seen = {None: set(), "tom": set(), "maria": set()}
    for row, window in zip(rows, answers, strict=True):
        seen[row.get("asker")] |= {found["document"] for found in window}
    assert "hr/salaries" in seen["maria"]
    assert "hr/salaries" not in seen["tom"] | seen[None]


def _predicted(port, rows):
    """Ask the server, as soon as it answers."""
    body = json.dumps({"dataframe_records": rows}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/invocations", body, {"Content-Type": "application/json"}
    )
    end = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)["predictions"]
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.3)

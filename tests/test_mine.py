"""From a question log to cases: the queue, what is near-identical, what is new, what is masked."""

import json
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
import yaml
from desk import DATA, TINY, Desk
from tiny import corpus_of

from rageval.chunking.heading import Headings
from rageval.comparison.result import Result, Row
from rageval.errors import InputError
from rageval.evaluation.subsets import members
from rageval.golden.access import PublicOnly
from rageval.golden.question import GoldenSet, Question, Reference
from rageval.mining.cases import Cases, case_of
from rageval.mining.clusters import clusters
from rageval.mining.drift import drift
from rageval.mining.growth import growth, sentences
from rageval.mining.masking.patterns import PatternMask
from rageval.mining.novelty import novelty
from rageval.mining.pool import pool_path, pooled, read_pool, write_pool
from rageval.mining.production import metrics, production
from rageval.mining.questionlog.asked import Asked
from rageval.mining.queue import QueueConfig, queue, reasons, recent
from rageval.mining.sample import drawn
from rageval.retrieval.pipeline import Ask, Parts, Pipeline
from rageval.retrieval.retrievers.retriever import Candidates
from rageval.retrieval.rewriting import JoinTurns
from rageval.retrieval.window import Window

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def rules(**changed):
    values = {"days": 7, "until": None, "min_score": 0.45, "limit": 50, "near": 0.8,
              "order": "newest"}  # fmt: skip
    return QueueConfig(**values | changed)


def asked(text, days=1.0, row=1, **more):
    return Asked(text, row, NOW - timedelta(days=days), **more)


def queued(log, **changed):
    config = rules(**changed)
    texts = [one.text for one in log]
    new = dict(zip(texts, novelty(texts, ["known words"]), strict=True))
    return queue(clusters(recent(log, config, NOW), config.near), new, config)


# --- the chapter's queue


def test_the_queue_is_the_methods_query():
    # where asked_at > now() - interval '7 days'
    #   and (result_count = 0 or top_score < 0.45 or feedback = 'unhelpful')
    log = [
        asked("none", 1, results=0),
        asked("low", 2, top_score=0.449, results=3),
        asked("complaint", 3, top_score=0.9, results=3, helpful=False),
        asked("just enough", 1, top_score=0.45, results=3),
        asked("praised", 1, top_score=0.9, results=3, helpful=True),
        asked("exactly a week ago", 7, results=0),
        asked("of the future", -1, results=0),
    ]
    assert [one.asked.text for one in queued(log)] == ["none", "low", "complaint"]
    assert [one.asked.text for one in queued(log, limit=1)] == ["none"]
    assert queued(log, limit=0) == []


def test_a_score_does_not_count_where_nothing_came_back_or_scores_are_not_looked_at():
    assert reasons(asked("x", top_score=0.1, results=0), 0.45) == ["no result"]
    assert reasons(asked("x", top_score=0.1, results=2), None) == []
    assert reasons(asked("x"), 0.45) == []


def test_a_log_without_times_is_looked_at_whole_and_rows_without_one_are_left_out_of_others():
    assert len(recent([Asked("a", 1), Asked("b", 2)], rules(), NOW)) == 2
    assert len(recent([Asked("a", 1), asked("b")], rules(), NOW)) == 1


def test_a_window_at_the_beginning_of_time_is_one():
    then = datetime(1, 1, 2, tzinfo=UTC)
    assert [one.row for one in recent([Asked("a", 1, then)], rules(), then)] == [1]


def test_near_identical_questions_are_one_candidate_with_their_traffic():
    log = [
        asked("how do I get a parking space", 3, row=1, results=0),
        asked("How do I get a PARKING space?", 1, row=2, results=0, helpful=False),
        asked("how do i get a parking space", 2, row=3, results=5, top_score=0.9),
        asked("where is the canteen", 1, row=4, results=0),
    ]
    first, second = queued(log, order="traffic")
    assert (first.asked.row, first.cluster.traffic) == (2, 3)  # the newest that went wrong
    assert dict(first.reasons) == {"no result": 2, "unhelpful": 1}
    assert second.cluster.traffic == 1


def test_candidates_come_by_traffic_or_novelty_and_the_newest_first_among_equals():
    log = [
        asked("known thing", 1, row=1, results=0),
        asked("brand new", 2, row=2, results=0),
        asked("brand new", 3, row=3, results=0),
        asked("as novel", 4, row=4, results=0),
    ]
    texts = {order: [one.asked.text for one in queued(log, order=order)]
             for order in ("newest", "traffic", "novelty")}  # fmt: skip
    assert texts == {
        "newest": ["known thing", "brand new", "as novel"],
        "traffic": ["brand new", "known thing", "as novel"],
        "novelty": ["brand new", "as novel", "known thing"],
    }


def test_novelty_is_one_less_the_share_of_words_with_the_likest_question():
    # {a b} ∩ {a c} = 1 of 3; {a b} ∩ {b} = 1 of 2
    assert novelty(["a b", "z", "A, b!"], ["a c", "b", "a b"]) == [0.0, 1.0, 0.0]
    assert novelty(["a b"], ["a c", "b"]) == [0.5]
    assert novelty(["a"], []) == [1.0]


# --- masking


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("mail Ada.Lovelace+x@mail.example.co.uk now", "mail <email> now"),
        ("see https://example.org/a?b=c please", "see <url> please"),
        ("IBAN DE89 3704 0044 0532 0130 00?", "IBAN <iban>?"),
        ("card 4111 1111 1111 1111", "card <card>"),
        ("from 192.168.0.12", "from <ip>"),
        ("call +49 (30) 123456 or 030 1234567", "call <phone> or <phone>"),
        ("01711234567, 0171/123 45 67, (030) 123456", "<phone>, <phone>, <phone>"),
        ("555-123-4567 or (555) 123-4567", "<phone> or <phone>"),
        ("amex 3782 822463 10005", "amex <card>"),
        ("from 2001:db8::1 and 2001:0db8:0:0:0:0:0:1", "from <ip> and <ip>"),
        ("on www.example.org/me", "on <url>"),
        ("12:30:45 on 01-02-2026 or 07/08/2026, std::vector, EN 12 345-678, part 100-200-30",
         "12:30:45 on 01-02-2026 or 07/08/2026, std::vector, EN 12 345-678, part 100-200-30"),
        ("price of KL-4411 in 2026, § 12.3, 30 days, 1.000.000 €",
         "price of KL-4411 in 2026, § 12.3, 30 days, 1.000.000 €"),
    ],
)  # fmt: skip
def test_what_has_the_form_of_personal_data_is_masked_and_nothing_else(text, masked):
    assert PatternMask().mask(text) == masked


def test_a_pattern_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"masking\.extra\.x"):
        PatternMask(extra={"x": "("})
    with pytest.raises(InputError, match=r"masking\.extra\.x: 'z\*' finds a text of no letters"):
        PatternMask(extra={"x": "z*"})


def test_a_form_of_your_own_comes_beside_those_of_its_kind():
    own = PatternMask(extra={"phone": "[#]\\d{4}", "\\1": "E-\\d{5}"})
    assert own.mask("#4711, 030 1234567, E-12345") == "<phone>, <phone>, <\\1>"


# --- cases


def test_a_case_has_an_id_that_its_words_and_asker_decide():
    one, same, other = (
        case_of(Asked("x?", row), asker, date(2026, 11, 30), "log", "n")
        for row, asker in ((1, None), (2, None), (1, "tom"))
    )
    assert one["id"] == same["id"] != other["id"]
    assert (one["answerable"], "asker" in one, other["asker"]) == ("todo", False, "tom")


def test_cases_that_were_judged_stay_and_new_ones_are_added(tmp_path):
    path = tmp_path / "new" / "candidates.yaml"
    one, other = (
        {"id": name, "question": f"{name}?", "answerable": "todo", "source": "log"} for name in "ab"
    )
    Cases(path, "s", ()).with_new([one] * 2).write({})
    text = path.read_text().replace("answerable: todo", "expected: [leave]")
    path.write_text(text)
    again = Cases.read(path, "s").with_new([one, other])
    judged = {"id": "a", "question": "a?", "expected": ["leave"], "source": "log"}
    assert again.cases == (judged, other)
    assert again.todo == [other]


def test_a_question_that_is_drawn_and_retrieved_badly_is_there_once(tmp_path):
    bad, drawn = (
        case_of(Asked("x?", 1), None, date(2026, 11, 30), source, "n")
        for source in ("log", "sample")
    )
    empty = Cases(tmp_path / "c.yaml", "s", ())
    assert empty.with_new([bad, drawn]).cases == (drawn,)
    assert empty.with_new([bad]).with_new([drawn]).cases == (drawn,)
    assert empty.with_new([drawn]).with_new([bad, drawn]).cases == (drawn,)
    judged = {**bad, "answerable": False}  # a judgement is never dropped
    assert Cases(empty.path, "s", (judged,)).with_new([drawn]).cases == (judged, drawn)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not YAML"),
        ("[]", "no list of cases with ids"),
        ("set: other\nquestions: []", "candidates of the set 'other', not of 's'"),
        ("set: s\nquestions:\n- id: a", "case number 1: question is None, a text is needed"),
        ("set: s\nquestions:\n- {id: 1, question: x}", "id is 1, a text is needed"),
        ("set: s\nquestions:\n- {id: [a], question: x}", r"id is \['a'\], a text is needed"),
        ("set: s\nquestions:\n- {id: a, question: x, added: 2026-13-45}", "month must be in"),
        ("set: s\nquestions:\n- {id: a, question: x}\n- {id: a, question: y}", "'a' occurs twice"),
    ],
)
def test_a_file_that_holds_no_candidates_of_the_set_is_refused(tmp_path, text, words):
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(InputError, match=words):
        Cases.read(tmp_path / "c.yaml", "s")


def test_a_draw_is_by_traffic_and_the_same_on_every_machine():
    log = [Asked(f"q{n}", n) for n in range(10)]
    # numpy's PCG64 with seed 42 permutes range(10) to 5 6 0 7 3 2 4 9 1 8, wherever it runs.
    assert [one.row for one in drawn(log, 3, 42)] == [0, 5, 6]
    assert drawn(log, 0, 42) == []


# --- growth, production, drift


def of_day(name, day, **more):
    return Question(name, f"text of {name}", added=day, **more)


def grown(questions, today=date(2026, 11, 30), log=()):
    golden = GoldenSet("s", tuple(questions))
    inside = members(golden.questions, lambda _: frozenset())
    return growth(golden, corpus_of("one", "two", "three"), inside, log, today)


def test_a_set_without_a_new_question_for_two_months_is_stale():
    old = grown([of_day("p", "2026-09-29", expected=("a",))])  # 62 days
    assert old.stale
    assert next(sentences(old)).startswith("STALE: the newest question is of 2026-09-29")
    assert not grown([of_day("p", "2026-09-30", expected=("a",))]).stale
    undated = grown([of_day("p", None, expected=("a",))])
    assert (undated.stale, undated.newest) == (True, None)


def test_subsets_without_growth_and_documents_never_asked_about_are_told():
    found = grown([
        of_day("p", "2026-11-29", expected=("a",), tags=("new",)),
        of_day("q", "2026-01-01", supporting=((Reference("b"),),), tags=("old",)),
    ])  # fmt: skip
    assert dict(found.still) == {"tag.old": date(2026, 1, 1)}
    assert found.unasked == ("c",)
    assert list(sentences(found))[1:] == [
        "1 subsets without a new question for two months: tag.old (2026-01-01)",
        "1 of 3 documents (33%) answer no question: c",
    ]


def test_documents_that_production_returns_and_no_question_asks_about_are_told():
    log = [asked("x", documents=("c", "a")), asked("y", documents=("c", "b"))]
    found = grown([of_day("p", "2026-11-29", expected=("a",))], log=log)
    assert found.returned == {"c": 2, "b": 1}
    assert list(sentences(found))[-1] == (
        "2 documents that production returned answer no question: c (2), b (1)"
    )


def result_of(recalls, benchmark="b", labels="l"):
    rows = {
        name: Row(name, "?", labels, ("all",), {"recall": float(value)}, {}, (), "", False, 0)
        for name, value in recalls.items()
    }
    return Result("run", "name", "s", "dev", benchmark, "v", "c", rows)


def test_production_is_what_the_log_tells_and_what_was_judged_of_it():
    log = [
        Asked("a", 1, results=3, helpful=True),
        Asked("b", 2, results=0, helpful=False),
        Asked("c", 3, answered=True, results=0),  # what the log says of answers counts first
        Asked("d", 4),
    ]
    result = result_of({"p": 1, "q": 1, "r": 0, "s1": 1, "s2": 0})
    found = production(log, result, {"s1", "s2"})
    assert (found.answered.n, found.answered.value) == (3, 2 / 3)
    assert (found.helpful.n, found.helpful.value) == (2, 0.5)
    assert (found.judged.n, found.judged.value) == (2, 0.5)
    assert found.gap.value == pytest.approx(2 / 3 - 1 / 2)
    assert set(metrics(found)) == {
        "production/answered", "production/helpful", "production/recall", "production/gap",
    }  # fmt: skip
    nothing = production([Asked("d", 4)], None, set())
    assert metrics(nothing) == {}


def test_moved_labels_are_told_apart_from_worse_retrieval():
    then = result_of({"p": 1, "q": 1}, "old")
    now = result_of({"p": 1, "q": 0, "r": 0, "s": 0}, "new")
    anew = result_of({"p": 1, "q": 1, "r": 0, "s": 0}, "new")
    assert list(drift(then, anew, now)) == [
        "dev questions since the champion was promoted: 2 added",
        "recall 1.00 → 0.50 because labels or corpus moved (the champion again), "
        "0.50 → 0.25 because of retrieval",
    ]
    assert "`gate` runs the champion" in list(drift(then, None, now))[-1]
    same = result_of({"p": 1, "q": 0}, "old")
    assert "recall 1.00 → 0.50 is retrieval" in next(drift(then, None, same))


# --- as a user types it

LOG = """\
question,asked_at,top_score,result_count,feedback,who
Where do I park ada@example.org?,2026-11-29T10:00:00Z,,0,,maria
where do I PARK bob@example.org,2026-11-28T10:00:00Z,0.2,1,unhelpful,stranger
price of KL-4411,2026-11-28T10:00:00Z,0.3,4,,
How long is the pump under warranty?,2026-11-28T10:00:00Z,0.9,4,helpful,
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = Desk(tmp_path_factory.mktemp("mine"))
    (desk.folder / "log.csv").write_text(LOG)
    return desk


def mine(desk, *words):
    return desk.type(
        "mine", *TINY, "log=csv", "log.path=log.csv", "queue.until=2026-11-30",
        "columns.asker=who", *words,
    )  # fmt: skip


@pytest.mark.thorough
def test_no_log_and_a_wrong_log_are_sentences_and_write_nothing(desk):
    for words, said in (
        ([], "no question log named; choose one: log=csv|jsonl|parquet|sql"),
        (["log=csv"], "log.path: must be given"),
        (["log=csv", "log.path=nope.csv"], "nope.csv: there is no such file"),
        (["log=csv", "log.path=log.csv", "queue.days=0"], "queue.days"),
        (["log=csv", "log.path=log.csv", "queue.days=1000000000"], "queue.days"),
        (["log=csv", "log.path=log.csv", "candidates=log.csv/x.yaml"], "x.pool.json: cannot be"),
        (["log=csv", "log.path=log.csv", "columns.question=text"], "no column 'text'"),
        (
            [
                "log=csv",
                "log.path=log.csv",
                "masking._target_=datetime.date.today",
                "~masking.extra",
            ],
            "masking: date has no method mask(text)",
        ),
    ):
        answer = desk.type("mine", *TINY, *words)
        assert (answer.code, said in answer.err) == (2, True), answer
    assert not (desk.folder / "candidates.yaml").exists()


def test_candidates_are_masked_cases_to_be_judged_and_what_is_known_is_left_out(desk):
    said = mine(desk)
    assert said.code == 0, said
    assert "nothing was run yet" in said.out  # no tracking store: the rest works
    assert "1 new candidates with poor retrieval; 1 more already in the set" in said.out
    (case,) = yaml.safe_load((desk.folder / "candidates.yaml").read_text())["questions"]
    assert (case["question"], case["asker"]) == ("Where do I park <email>?", "maria")
    assert case["notes"].startswith("asked 2 times, last on 2026-11-29; no result 1, low score 1, ")
    whole = said.out + (desk.folder / "candidates.yaml").read_text()
    assert "example.org" not in whole
    # What nobody judged is no golden set: the check that every label goes through refuses it.
    checked = desk.type("check", "dataset=markdown", f"dataset.path={DATA / 'documents'}",
                        "dataset.questions=candidates.yaml")  # fmt: skip
    assert (checked.code, "answerable is 'todo', allowed are true" in checked.err) == (2, True)


def test_a_question_is_shown_as_it_was_asked_and_orders_the_terminal_nothing(desk):
    line = '"[bold]What[/bold] is :key: [/b]\x1b[2J?","2026-11-29",0.1,1,,\n'
    head = "question,asked_at,top_score,result_count,feedback,who\n"
    (desk.folder / "odd.csv").write_text(head + line)
    said = mine(desk, "log.path=odd.csv", "candidates=odd.yaml")
    assert said.code == 0, said
    assert "[bold]What[/bold] is :key: [/b]\\x1b[2J?" in said.out
    assert "\x1b" not in said.out


def test_feedback_that_nobody_understands_is_told(desk):
    said = mine(desk, "columns.unhelpful=[down]", "columns.helpful=[]")
    assert "note: no feedback was understood" in said.out
    assert "the log has unhelpful, helpful" in said.out.replace("'", "")


@pytest.mark.thorough
def test_a_run_that_is_not_there_is_no_verdict_and_adds_no_case(desk):
    desk.evaluate("+retriever=bm25")
    said = mine(desk, "run=nope", "candidates=nope.yaml")
    assert (said.code, "'nope' is no run id, version or alias" in said.err) == (3, True)
    assert not (desk.folder / "nope.yaml").exists()


@pytest.mark.thorough
def test_the_gap_is_logged_to_the_run_and_followed_over_runs(desk):
    folder = desk.folder / "data"
    folder.mkdir()
    golden = yaml.safe_load((DATA / "golden.yaml").read_text())
    golden["questions"][2]["source"] = "sample"  # pump, which bm25 finds
    (folder / "golden.yaml").write_text(yaml.safe_dump(golden, allow_unicode=True))
    own = [w for w in TINY if not w.startswith(("dataset.questions", "dataset.name"))]
    own += [f"dataset.questions={folder / 'golden.yaml'}", "dataset.name=tiny"]
    run = desk.evaluate("+retriever=bm25", dataset=own)
    words = ["log=csv", "log.path=log.csv", "queue.until=2026-11-30", "candidates=more.yaml"]
    said = desk.type("mine", *own, *words)
    assert said.code == 0, said
    found = desk.client.get_run(run).data.metrics
    assert (found["production/recall"], found["production/helpful"]) == (1.0, 0.5)
    assert "dev − production gap of recall" in said.out
    assert desk.file(run, "plots/production_gap.png").stat().st_size > 1000
    assert desk.promote(run).code == 0
    said = desk.type("mine", *own, *words)
    assert "the corpus is the same, document for document" in said.out
    assert "nothing moved since the champion was promoted" in said.out


# --- suggestions


class Ranked:
    """A retriever that finds the chunks of a list, or fails."""

    def __init__(self, *numbers):
        self.numbers = numbers

    def index(self, chunks):
        return self

    def search(self, queries, depth):
        if not self.numbers:
            nothing = np.full((len(queries), 1), -1)
            return Candidates(nothing, nothing * 0.0, nothing * 0.0, {0: "down"})
        chunk = np.array([self.numbers[:depth]] * len(queries), np.int32)
        score = -np.arange(chunk.shape[1], dtype=float)[None].repeat(len(queries), 0)
        return Candidates(chunk, score, score)


def pipeline(corpus, *numbers, k=3):
    window = Window(k=k, min_score=None, per_document=None, depth=12)
    parts = Parts(Headings(), Ranked(*numbers), window, JoinTurns(), PublicOnly())
    return Pipeline.build(corpus, parts, lambda _: None)


def test_what_more_retrievers_find_comes_first_and_a_failing_one_suggests_nothing():
    corpus = corpus_of("# One\n\nfirst", "second", "third", "fourth")
    pipelines = {
        "x": pipeline(corpus, 0, 1, 2, 3),
        "y": pipeline(corpus, 3, 1),
        "down": pipeline(corpus),
    }
    (found,) = pooled([Ask("anything")], pipelines)
    # b by both; then by one alone: a and d at rank 1, c at rank 3; k = 3 leaves the d of x out
    assert [(one.document, one.found_by) for one in found] == [
        ("b", {"x": 2, "y": 2}), ("a", {"x": 1}), ("d", {"y": 1}), ("c", {"x": 3}),
    ]  # fmt: skip
    assert found[1].heading == ("One",)
    assert (found[1].text, found[1].start, found[1].end) == ("# One\n\nfirst", 0, 12)


def test_suggestions_are_kept_and_a_broken_file_of_them_is_told(tmp_path):
    (found,) = pooled([Ask("anything")], {"x": pipeline(corpus_of("one", "two"), 0, 1)})
    path = pool_path(tmp_path / "candidates.yaml")
    write_pool(path, {"log-1": found})
    assert read_pool(path) == {"log-1": found}
    for broken in (
        '{"log-1": [{"document": "a"}]}',
        json.dumps({"log-1": [{**asdict(found[0]), "found_by": 3}]}),
        json.dumps({"log-1": [{**asdict(found[0]), "start": "a"}]}),
        '{"log-1": 1}',
        "[]",
    ):
        path.write_text(broken)
        with pytest.raises(InputError, match="holds no suggestions"):
            read_pool(path)
    assert read_pool(tmp_path / "none.json") == {}

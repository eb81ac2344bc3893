"""The production path, and that the harness goes the same way."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from tiny import corpus_of

from rageval.chunking.sentence import Sentences
from rageval.chunking.whole import WholeDocument
from rageval.errors import InputError
from rageval.evaluation.latency import measure
from rageval.evaluation.retrieval import Asking, retrieve
from rageval.retrieval.pipeline import Ask, Found, Parts, Pipeline
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.rewriting import JoinTurns
from rageval.retrieval.window import Window

TEXTS = (
    "Oil the pump. The pump has a valve. Oil is thick.",
    "The valve is brass. A pump valve lasts.",
    "Bread is baked.",
    "The oven is hot. Oil the oven.",
)


@dataclass(frozen=True)
class Askers:
    """Who belongs to which groups."""

    known: dict = field(default_factory=dict)

    def groups(self, asker):
        if asker is not None and asker not in self.known:
            raise InputError(f"asker {asker!r} is unknown")
        return frozenset(self.known.get(asker, ()))


def pipeline_of(*texts, retriever=None, window=None, chunker=None, groups=None, askers=None):
    parts = Parts(
        chunker=chunker or WholeDocument(),
        retriever=retriever or Bm25(),
        window=window or Window(k=2, depth=4),
        rewriter=JoinTurns(),
        access=Askers(askers or {}),
    )
    return Pipeline.build(corpus_of(*texts, groups=groups), parts, lambda step: None)


class Spy:
    """A user's retriever that answers with `hits` and remembers what it was asked for."""

    def __init__(self, *hits, failing=()):
        self.hits, self.failing, self.asked = hits, failing, []

    def retrieve(self, question, limit, groups):
        self.asked.append((question, limit, groups))
        if question in self.failing or limit in self.failing:
            raise OSError("timeout")
        return self.hits[:limit]


def harness(pipeline, *asks, needed=1):
    return retrieve(pipeline, Asking(asks, needed, lambda n: None))


def test_a_service_gets_chunks_with_their_place_text_and_score():
    pipeline = pipeline_of(*TEXTS, chunker=Sentences(per_chunk=1))
    first = pipeline.retrieve(Ask("baked bread"))[0]
    assert first == Found("c", 0, 15, "Bread is baked.", first.score)
    assert first.score > 0


def test_a_window_holds_at_most_k_chunks():
    pipeline = pipeline_of(*TEXTS, chunker=Sentences(per_chunk=1))
    assert len(pipeline.retrieve(Ask("pump valve oil"))) == 2


@pytest.mark.parametrize(
    "window",
    [
        Window(k=2, depth=4),
        Window(k=4, depth=4, per_document=1),
        Window(k=3, depth=8, min_score=0.5),
        Window(k=3, depth=8, min_score=99),
    ],
)
def test_the_harness_sees_for_every_question_the_window_that_a_service_gets(window):
    pipeline = pipeline_of(
        *TEXTS,
        window=window,
        chunker=Sentences(per_chunk=1),
        groups={"b": ["staff"]},
        askers={"eva": ["staff"]},
    )
    asks = [
        Ask("pump valve"),
        Ask("pump valve", "eva"),
        Ask("brass?", "eva", ("what is the valve made of",)),
        Ask("what is it"),
        Ask("oil"),
    ]
    seen = harness(pipeline, *asks, needed=4).window
    for row, ask in enumerate(asks):
        served = [(found.document, found.start) for found in pipeline.retrieve(ask)]
        chunks = pipeline.chunks
        shown = [
            (chunks.corpus[int(chunks.document[n])].id, int(chunks.start[n]))
            for n in seen[row].tolist()
            if n >= 0
        ]
        assert shown == served


def test_an_asker_is_asked_for_with_the_groups_of_the_access_file():
    spy = Spy("a")
    pipeline = pipeline_of(*TEXTS, retriever=Foreign(spy), askers={"eva": ["hr", "staff"]})
    pipeline.retrieve(Ask("x", "eva"))
    pipeline.retrieve(Ask("x"))
    assert [groups for _, _, groups in spy.asked] == [frozenset({"hr", "staff"}), frozenset()]


def test_an_unknown_asker_is_an_input_error():
    with pytest.raises(InputError, match="asker 'mallory' is unknown"):
        pipeline_of(*TEXTS).retrieve(Ask("pump", "mallory"))


def test_a_follow_up_is_searched_for_with_its_earlier_turns_and_a_first_question_as_it_is():
    spy = Spy("a")
    pipeline = pipeline_of(*TEXTS, retriever=Foreign(spy))
    pipeline.retrieve(Ask("And hot?", None, ("Is there an oven?",)))
    pipeline.retrieve(Ask("  What of  it?"))
    assert [asked for asked, _, _ in spy.asked] == ["Is there an oven?\nAnd hot?", "  What of  it?"]


def test_a_failing_retriever_is_an_exception_to_a_service():
    pipeline = pipeline_of(*TEXTS, retriever=Foreign(Spy(failing=["x"])))
    with pytest.raises(RuntimeError, match="OSError: timeout"):
        pipeline.retrieve(Ask("x"))


def test_a_chunk_returned_twice_fills_one_place_of_the_window_with_its_first_score():
    spy = Spy(("b", 0.9), ("b", 0.1), ("a", 0.5))
    found = pipeline_of(*TEXTS, retriever=Foreign(spy)).retrieve(Ask("x"))
    assert [(one.document, one.score) for one in found] == [("b", 0.9), ("a", 0.5)]


def test_building_tells_what_begins():
    told = []
    parts = pipeline_of("x").parts
    Pipeline.build(corpus_of(*TEXTS), parts, told.append)
    assert told == ["cutting 4 documents", "indexing 4 chunks"]


def test_measures_get_more_documents_by_asking_deeper_while_the_window_stays():
    # depth 2 gives two chunks of one document; three documents are needed
    text = "Oil. " * 4
    pipeline = pipeline_of(
        text,
        "Oil is thick and the bread is not.",
        "Oil the oven now and then, but never the bread.",
        "x",
        chunker=Sentences(per_chunk=1),
        window=Window(k=2, depth=2),
    )
    shallow = harness(pipeline, Ask("oil"), needed=1)
    deep = harness(pipeline, Ask("oil"), needed=3)
    assert (shallow.documents >= 0).sum() == 1
    assert deep.documents[0][deep.documents[0] >= 0].tolist() == [0, 1, 2]
    assert deep.window.tolist() == shallow.window.tolist()
    assert deep.candidates.chunk.tolist() == shallow.candidates.chunk.tolist()
    assert (shallow.short, deep.short) == (0, 0)


def limits(spy):
    return [limit for _, limit, _ in spy.asked]


# Eight passages: six of document a, then b and c.
PASSAGES = ("One. Two. Six. Ten. Red. Sun. ", "Bee.", "Cat.")
A = ["a#0-4", "a#5-9", "a#10-14", "a#15-19", "a#20-24", "a#25-29"]


def spied(spy, **window):
    return pipeline_of(
        *PASSAGES,
        retriever=Foreign(spy),
        chunker=Sentences(per_chunk=1),
        window=Window(k=1, depth=2, **window),
    )


def test_asking_deeper_ends_where_the_list_is_exhausted():
    spy = Spy(*[(name, 1.0) for name in A[:3]])
    found = harness(spied(spy), Ask("x"), needed=2)
    assert limits(spy) == [2, 8]
    assert found.short == 1


def test_asking_deeper_is_spared_where_the_last_candidate_is_below_the_floor():
    spy = Spy((A[0], 0.9), (A[1], 0.1), ("b", 0.05))
    found = harness(spied(spy, min_score=0.5), Ask("x"), needed=2)
    assert limits(spy) == [2]
    assert found.short == 1


def test_asking_deeper_is_spared_where_enough_documents_came():
    spy = Spy((A[0], 0.9), ("b", 0.8), ("c", 0.7))
    harness(spied(spy), Ask("x"), needed=2)
    assert limits(spy) == [2]


def test_nobody_is_asked_for_more_than_all_chunks():
    # A retriever that always fills its list with one passage could be asked for ever.
    spy = Spy(*[(A[0], 1.0)] * 100)
    found = harness(spied(spy), Ask("x"), needed=3)
    assert limits(spy) == [2, 8]
    assert found.documents[0].max() == 0


def test_a_question_on_which_the_deeper_asking_fails_keeps_its_ranking():
    spy = Spy(*[(name, 1.0) for name in A], failing=[8])
    found = harness(spied(spy), Ask("x"), needed=2)
    assert limits(spy) == [2, 8]
    assert found.documents[0][found.documents[0] >= 0].tolist() == [0]
    assert not found.failed.any()


def test_a_leak_is_counted_even_if_the_retriever_ignores_the_scope():
    spy = Spy("a", "b", "c")
    pipeline = pipeline_of(
        *TEXTS,
        retriever=Foreign(spy),
        groups={"a": ["hr"], "b": ["hr", "it"]},
        askers={"tom": ["it"]},
    )
    found = harness(pipeline, Ask("x"), Ask("x", "tom"))
    assert found.leaks.tolist() == [2, 1]  # a and b; a alone


def test_our_retrievers_leak_nothing():
    pipeline = pipeline_of(*TEXTS, groups={"a": ["hr"]})
    assert harness(pipeline, Ask("pump"), Ask("oil valve")).leaks.tolist() == [0, 0]


def test_a_question_that_fails_is_marked_and_has_no_candidates():
    pipeline = pipeline_of(*TEXTS, retriever=Foreign(Spy("a", failing=["two"])))
    found = harness(pipeline, Ask("one"), Ask("two"), Ask("three"))
    assert found.failed.tolist() == [False, True, False]
    assert set(found.errors) == {1}
    assert found.errors[1].sentence.startswith("OSError: timeout (test_pipeline.py:")
    assert found.window[1].max() == -1


def test_questions_beyond_one_batch_are_all_asked_in_order():
    spy = Spy("a", failing=["q99"])
    steps = []
    asks = [Ask(f"q{n}") for n in range(150)]
    asking = Asking(asks, 1, steps.append)
    found = retrieve(pipeline_of(*TEXTS, retriever=Foreign(spy)), asking)
    assert [asked for asked, _, _ in spy.asked] == [ask.question for ask in asks]
    assert sum(steps) == 150
    assert np.flatnonzero(found.failed).tolist() == [99]


def test_latency_times_evenly_spaced_questions_and_leaves_out_those_that_fail():
    ticks = iter(range(1000))
    spy = Spy("a", failing=["q5"])
    asks = [Ask(f"q{n}") for n in range(11)]
    pipeline = pipeline_of(*TEXTS, retriever=Foreign(spy))
    timed = measure(pipeline, asks, 3, lambda: float(next(ticks)))
    assert [asked for asked, _, _ in spy.asked] == ["q0", "q0", "q5", "q10"]  # the first warms up
    assert timed.seconds == ((0, 1.0), (10, 1.0))
    assert measure(pipeline, asks, 0, lambda: 0.0) is None


def test_a_chunk_is_visible_where_its_document_is_public_or_shares_a_group_with_the_asker():
    rights = {"a": ["hr"], "c": ["it", "hr"], "d": ["it"]}
    chunks = pipeline_of(*TEXTS, groups=rights).chunks
    for groups in ([], ["hr"], ["it"], ["hr", "it"], ["sales"]):
        expected = [document.visible_to(frozenset(groups)) for document in chunks.corpus]
        assert chunks.visible(frozenset(groups)).tolist() == expected
    assert chunks.visible(frozenset(["hr"])).tolist() == [True, True, True, False]

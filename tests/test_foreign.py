"""A user's own retriever: what it may return, and what becomes of what it may not."""

import asyncio
import json
import sqlite3
import threading
import time

import numpy as np
import pytest
from tiny import ask, chunks_of, names

from rageval.chunking.sentence import Sentences
from rageval.errors import InputError, UnreachableError
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.foreign import Foreign, Passage
from rageval.retrieval.retrievers.guarded import Guarded
from rageval.retrieval.retrievers.hybrid import Hybrid

TEXTS = ("oil pump", "bread oven", "butter knife", "tea kettle")


class Returning:
    """A user's class that returns what it is told for every question."""

    def __init__(self, *hits):
        self.hits = hits
        self.asked = []

    def retrieve(self, question, limit, groups):
        self.asked.append((question, limit, groups))
        return self.hits


def search(user, *asked, depth=10, groups=(), chunks=None):
    chunks = chunks or chunks_of(*TEXTS)
    return chunks, ask(
        Foreign(user).index(chunks), chunks, *asked or ["?"], depth=depth, groups=groups
    )


def found(*hits, **settings):
    chunks, candidates = search(Returning(*hits), **settings)
    return names(candidates, chunks)


def fault(*hits):
    _, candidates = search(Returning(*hits))
    assert candidates.count.tolist() == [0]
    return candidates.errors[0].sentence


def test_it_is_asked_with_the_question_the_depth_and_the_groups():
    user = Returning("a")
    search(user, "why?", depth=7, groups=["hr"])
    assert user.asked == [("why?", 7, frozenset({"hr"}))]


def test_its_order_is_kept_even_against_its_scores():
    assert found(("c", 0.1), ("a", 0.9), ("b", 0.5)) == "cab"


def test_its_scores_are_what_a_floor_reads():
    _, candidates = search(Returning(("c", 0.25), ("a", 3)))
    assert candidates.raw[0].tolist() == [0.25, 3.0]


def test_ids_without_scores_are_taken_in_order_and_leave_a_floor_nothing_to_read():
    _, candidates = search(Returning("b", "a"))
    assert candidates.chunk[0].tolist() == [1, 0]
    assert np.isnan(candidates.raw).all()


@pytest.mark.parametrize("number", [np.float32(0.5), np.float64(0.5), np.int64(1), 1, True])
def test_any_real_number_is_a_score(number):
    _, candidates = search(Returning(("a", number)))
    assert candidates.raw[0].tolist() == [float(number)]


def test_a_generator_is_as_good_as_a_list():
    class Lazy(Returning):
        def retrieve(self, question, limit, groups):
            yield from self.hits

    chunks, candidates = search(Lazy("b", ("a", 0.5)))
    assert names(candidates, chunks) == "ba"


def test_blank_ids_are_dropped_before_the_cut():
    assert found("", "a", " \t", "b", "c", depth=2) == "ab"


def test_more_hits_than_asked_for_are_cut():
    assert found("d", "c", "b", "a", depth=3) == "dcb"


def test_a_passage_returned_twice_is_kept_for_the_window_to_count_once():
    assert found("a", "a", "b") == "aab"


def test_nothing_found_is_no_error():
    _, candidates = search(Returning())
    assert (candidates.count.tolist(), candidates.errors) == ([0], {})


def test_passages_are_handed_over_by_id_and_may_be_named_by_it():
    class Indexing(Returning):
        def index(self, passages):
            self.passages = passages

    text = "One is here. Two is there."
    chunks = chunks_of(text, "Three.", groups={"b": ["hr"]}, chunker=Sentences(per_chunk=1))
    user = Indexing("a#13-26", "b#0-6")
    _, candidates = search(user, chunks=chunks)
    assert user.passages[1:] == [
        Passage("a#13-26", "a", "Two is there.", frozenset()),
        Passage("b#0-6", "b", "Three.", frozenset({"hr"})),
    ]
    assert candidates.chunk[0].tolist() == [1, 2]


def test_a_document_of_one_passage_is_that_passage_and_one_of_several_is_the_whole_of_it():
    text = "One is here. Two is there."
    chunks = chunks_of(text, "Three.", chunker=Sentences(per_chunk=1))
    assert search(Returning("b"), chunks=chunks)[1].chunk[0].tolist() == [2]
    index = Foreign(Returning("a")).index(chunks)
    candidates = ask(index, chunks, "?")
    number = int(candidates.chunk[0, 0])
    assert number == 3
    assert index.returned.chunks.text(number) == text


@pytest.mark.parametrize(
    ("hit", "sentence"),
    [
        (("a", float("nan")), "returned the score nan for 'a'; a score is a finite number"),
        (("a", float("inf")), "returned the score inf for 'a'"),
        (("a", "0.5"), "returned 'a' / '0.5', but the document has no headings"),
        ("z", "returned 'z', which is neither a passage"),
        (("z", 0.5), "returned 'z', which is neither a passage"),
        (7, "returned 7; a hit is an id, and an id is a string, or (document, start, "),
        ((7, 0.5), "returned (7, 0.5); a hit is"),
        (None, "returned None; a hit is"),
        (("a", 0.5, "more"), "returned ('a', 0.5, 'more'); a hit is"),
        ({"name": "a"}, "returned {'name': 'a'}: it has the key 'name'; a hit is"),
        ({"score": 1.0}, "returned {'score': 1.0}: it names nothing; a hit is"),
        ({"document": "a", "start": 1}, "returned {'document': 'a', 'start': 1}: 'start' and"),
        (("a", 3, 99), "returned 'a#3-99', but the document has 8 characters"),
        ({"document": "z", "text": "oil"}, "returned the text 'oil' of 'z', the corpus has no"),
        ({"text": "no such thing"}, "returned the text 'no such thing', which the corpus does not"),
    ],
)
def test_what_is_no_hit_is_an_error_of_that_question(hit, sentence):
    assert fault("a", hit).startswith(sentence)


@pytest.mark.parametrize("returned", [None, 3])
def test_what_is_no_list_is_an_error_of_that_question(returned):
    user = Returning()
    user.hits = returned
    _, candidates = search(user)
    assert candidates.errors[0].sentence.startswith("TypeError: ")


def test_an_exception_is_an_error_of_its_question_alone():
    class Moody(Returning):
        def retrieve(self, question, limit, groups):
            if question == "two":
                raise KeyError("shard 3")
            return ["a"]

    chunks, candidates = search(Moody(), "one", "two", "three")
    assert [names(candidates, chunks, row) for row in range(3)] == ["a", "", "a"]
    told = candidates.errors[1].sentence
    # The line of the user's own code is named.
    assert set(candidates.errors) == {1}
    assert told.startswith("KeyError: 'shard 3' (test_foreign.py:")
    assert told.endswith('in retrieve: raise KeyError("shard 3"))')


def test_a_user_who_presses_stop_is_obeyed():
    class Stopped(Returning):
        def retrieve(self, question, limit, groups):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(Stopped())


def test_an_index_that_cannot_connect_is_unreachable():
    class Remote(Returning):
        def index(self, passages):
            raise ConnectionRefusedError("port 9200")

    with pytest.raises(UnreachableError, match="retriever Remote cannot be reached: port 9200"):
        search(Remote())


class Meeting(Returning):
    """Answers only when so many questions are inside at the same time; the later the quicker."""

    def __init__(self, together):
        super().__init__()
        self.barrier = threading.Barrier(together, timeout=20)
        self.turn = {str(n): threading.Event() for n in range(together + 1)}

    def retrieve(self, question, limit, groups):
        self.barrier.wait()
        number = int(question)
        if str(number + 1) in self.turn and number + 1 < len(self.turn) - 1:
            self.turn[str(number + 1)].wait(20)  # the next question must be done first
        self.turn[question].set()
        return ["abcd"[number]]


def test_a_thread_safe_one_is_asked_several_questions_at_a_time_and_answers_keep_their_rows():
    class Safe(Meeting):
        thread_safe = True

    chunks, candidates = search(Safe(4), "0", "1", "2", "3")
    assert dict(candidates.errors) == {}
    assert [names(candidates, chunks, row) for row in range(4)] == ["a", "b", "c", "d"]


def test_one_that_does_not_say_it_is_thread_safe_is_asked_one_question_at_a_time():
    class Counting(Returning):
        inside = most = 0

        def retrieve(self, question, limit, groups):
            self.inside += 1
            self.most = max(self.most, self.inside)
            threading.Event().wait(0.01)
            self.inside -= 1
            return []

    user = Counting()
    search(user, *"abcd")
    assert user.most == 1


def mixed(user, fusion="minmax", groups=None, asker=()):
    """Fuse a user's retriever with BM25 of no weight: its own order and scale show."""
    chunks = chunks_of(*TEXTS, groups=groups)
    parts = {"mine": Foreign(user), "bm25": Bm25()}
    hybrid = Hybrid(retrievers=parts, weights={"mine": 1, "bm25": 0}, floor="bm25", fusion=fusion)
    return chunks, ask(hybrid.index(chunks), chunks, "pump", groups=asker)


def test_in_a_hybrid_its_scores_are_fused_and_it_is_asked_for_all_chunks():
    # minmax over 0 (not returned), 1, 2, 4: a .5, b .25, c 1
    user = Returning(("c", 4.0), ("a", 2.0), ("b", 1.0))
    chunks, candidates = mixed(user)
    assert names(candidates, chunks) == "cab"
    assert candidates.score[0].tolist() == pytest.approx([1, 0.5, 0.25])
    assert user.asked[0][1] == len(TEXTS)


@pytest.mark.parametrize("fusion", ["zscore", "minmax", "rrf"])
def test_in_a_hybrid_ids_without_scores_keep_their_order(fusion):
    chunks, candidates = mixed(Returning("d", "b", "a", "d"), fusion)
    assert names(candidates, chunks)[:3] == "dba"


def test_in_a_hybrid_its_fault_is_the_questions_and_names_it():
    _, candidates = mixed(Returning("z"))
    assert candidates.errors[0].sentence.startswith("mine: returned 'z'")


def test_in_a_hybrid_what_the_asker_may_not_see_does_not_get_through():
    chunks, candidates = mixed(Returning(("a", 9.0), ("b", 1.0)), groups={"a": ["hr"]})
    assert names(candidates, chunks) == "b"


def test_an_async_method_is_awaited():
    class Waiting:
        async def retrieve(self, question, limit, groups):
            return [("a", 1.0)]

    chunks = chunks_of("one", "two")
    found = ask(Foreign(Waiting()).index(chunks), chunks, "x", "y")
    assert not found.errors
    assert (names(found, chunks), names(found, chunks, 1)) == ("a", "a")


def test_an_error_deep_in_a_library_names_the_last_line_of_the_users_own_code():
    class Parsing:
        def retrieve(self, question, limit, groups):
            return json.loads("no json")

    chunks = chunks_of("one")
    told = ask(Foreign(Parsing()).index(chunks), chunks, "x").errors[0].sentence
    assert told.startswith("JSONDecodeError: ")
    assert told.endswith('in retrieve: return json.loads("no json"))')


class Slow:
    thread_safe = True

    def retrieve(self, question, limit, groups):
        if question == "hang":
            time.sleep(60)
        return []


def test_a_question_that_hangs_is_an_error_and_the_others_are_answered():
    chunks = chunks_of("one")
    index = Foreign(Slow(), timeout=0.2).index(chunks)
    begun = time.monotonic()
    found = ask(index, chunks, "go", "hang", "on")
    assert time.monotonic() - begun < 20
    assert {row: str(fault) for row, fault in found.errors.items()} == {
        1: "no answer within 0.2 s (retriever.timeout)"
    }


def test_the_frames_that_led_to_an_error_are_named_and_the_whole_trace_is_there():
    class Deep:
        def retrieve(self, question, limit, groups):
            return self.parsed("no json")

        def parsed(self, text):
            return json.loads(text)

    chunks = chunks_of("one")
    failure = ask(Foreign(Deep()).index(chunks), chunks, "x").errors[0]
    assert "in parsed: return json.loads(text); called from" in failure.sentence
    assert 'in retrieve: return self.parsed("no json")' in failure.sentence
    assert failure.trace.startswith("Traceback (most recent call last)")
    assert "json/decoder.py" in failure.trace


class Async:
    async def retrieve(self, question, limit, groups):
        return ["a"]


def test_an_async_retriever_is_awaited_inside_of_a_running_loop_too():
    chunks = chunks_of("one")
    index = Foreign(Async()).index(chunks)

    async def notebook():
        return ask(index, chunks, "x")

    assert names(asyncio.run(notebook()), chunks) == names(ask(index, chunks, "x"), chunks) == "a"


class Local:
    def index(self, passages):
        self.connection = sqlite3.connect(":memory:")

    def retrieve(self, question, limit, groups):
        self.connection.execute("select 1")
        return ["a"]


def test_a_connection_of_one_thread_works():
    chunks = chunks_of("one")
    local = Local()
    found = ask(Foreign(local).index(chunks), chunks, "x")
    local.connection.close()
    assert (names(found, chunks), dict(found.errors)) == ("a", {})


class Broken:
    """A class that scores every chunk, and raises where it is told to."""

    def __init__(self, where="search", word="bad"):
        self.where, self.word = where, word

    def index(self, chunks):
        if self.where == "index":
            raise ValueError("no model")
        self.inner = Bm25().index(chunks)
        return self

    def search(self, queries, depth):
        if self.where == "search" and any(self.word in query.text for query in queries):
            raise ValueError("no such word")
        return self.inner.search(queries, depth)

    def scores(self, queries):
        raise ValueError("no scores")


def test_a_class_that_scores_every_chunk_fails_on_the_questions_it_raises_on_alone():
    chunks = chunks_of(*TEXTS)
    found = ask(Guarded(Broken()).index(chunks), chunks, "oil", "bad", "butter")
    assert [names(found, chunks, row) for row in range(3)] == ["a", "", "c"]
    assert list(found.errors) == [1]
    assert found.errors[1].sentence.startswith("ValueError: no such word (test_foreign.py:")


def test_a_class_that_raises_while_it_indexes_or_scores_is_named():
    chunks = chunks_of(*TEXTS)
    with pytest.raises(InputError, match="retriever Broken failed to index the passages: ValueErr"):
        Guarded(Broken("index")).index(chunks)
    mixed = Hybrid(
        retrievers={"mine": Guarded(Broken("scores")), "bm25": Bm25()},
        weights={"mine": 1.0, "bm25": 1.0},
        floor="bm25",
    )
    assert "no scores" in ask(mixed.index(chunks), chunks, "oil").errors[0].sentence


def test_an_index_that_cannot_be_searched_is_refused():
    class Nothing:
        def index(self, chunks):
            return None

    with pytest.raises(InputError, match="retriever Nothing has no method retrieve"):
        Guarded(Nothing()).index(chunks_of(*TEXTS))


def test_each_call_is_timed_alone():
    class Slow(Returning):
        thread_safe = True

        def retrieve(self, question, limit, groups):
            time.sleep(0.2 if question == "slow" else 0)
            if question == "bad":
                raise ValueError(question)
            return ["a"]

    _, candidates = search(Slow(), "fast", "slow", "bad")
    fast, slow, bad = candidates.seconds.tolist()
    assert fast < 0.15 < 0.2 <= slow
    assert np.isnan(bad)

"""Each stage is computed once, under a key of exactly what it depends on."""

import json
import os
import pickle
import re
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import rageval
from rageval.cache.memoized import Memoized, memoized
from rageval.cache.store import Cache, CacheConfig
from rageval.retrieval.retrievers.blocks import ScoredIndex
from rageval.retrieval.retrievers.bm25 import Bm25
from rageval.retrieval.retrievers.foreign import Foreign
from rageval.retrieval.retrievers.hybrid import Hybrid
from rageval.retrieval.retrievers.tfidf import TfIdf
from rageval.schema.fields import component
from rageval.schema.fingerprint import digest
from tests.tiny import ask, chunks_of, corpus_of, same

TEXTS = ("the cat sat", "the dog ran", "a cat and a dog", "nothing at all")


def stages(tmp_path, kind="memory", memory_mb=64, disk_mb=64):
    config = CacheConfig(kind=kind, dir=str(tmp_path / "c"), memory_mb=memory_mb, disk_mb=disk_mb)
    return Cache(config)


def lexical(kept, **settings):
    return memoized(Bm25(**settings), {"_target_": "bm25", **settings}, digest, kept)


def mixed(kept, weight, k1=1.5):
    parts = {"one": Bm25(k1=k1), "two": TfIdf()}
    node = {
        "retrievers": {"one": {"_target_": "bm25", "k1": k1}, "two": {"_target_": "tfidf"}},
        "weights": {"one": weight, "two": 1.0},
        "floor": "one",
    }
    return memoized(
        Hybrid(retrievers=parts, weights=node["weights"], floor="one"), node, digest, kept
    )


def made(kept, retriever, chunks, question="cat", **how):
    """Return what asking computed, by stage, beside what was there before."""
    before = Counter(kept.misses)
    ask(retriever.index(chunks), chunks, question, **how)
    return dict(kept.misses - before)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, {}),
        ({"settings": {"b": 0.1}}, {"index": 1, "rankings": 1}),
        ({"settings": {"k1": 0.5}}, {"index": 1, "rankings": 1}),
        ({"question": "dog"}, {"rankings": 1}),
        ({"depth": 2}, {}),  # the first of the ranking that is kept
        ({"depth": 300}, {"rankings": 1}),
        ({"groups": {"hr"}}, {"rankings": 1}),
        ({"texts": (*TEXTS[:3], "something")}, {"index": 1, "rankings": 1}),
    ],
)
def test_a_change_computes_what_depends_on_it_and_no_more(tmp_path, change, expected):
    # Another process would hold no index, so what it asks anew it also indexes anew: hence the
    # index is made here first, and counts only where its own key changed.
    kept = stages(tmp_path)
    made(kept, lexical(kept), chunks_of(*TEXTS))
    chunks = chunks_of(*change.pop("texts", TEXTS))
    retriever = lexical(kept, **change.pop("settings", {}))
    assert made(kept, retriever, chunks, **change) == expected


def test_weights_compute_the_fusion_alone(tmp_path):
    kept = stages(tmp_path)
    chunks = chunks_of(*TEXTS)
    assert made(kept, mixed(kept, 1.0), chunks) == {"index": 3, "scores": 2, "rankings": 1}
    assert made(kept, mixed(kept, 2.0), chunks) == {"index": 1, "rankings": 1}  # of the mixture
    again = made(kept, mixed(kept, 2.0, k1=0.5), chunks)
    assert again == {"index": 2, "scores": 1, "rankings": 1}  # one part and the mixture


def test_rights_are_part_of_what_is_indexed(tmp_path):
    kept = stages(tmp_path)
    made(kept, lexical(kept), chunks_of(*TEXTS))
    closed = chunks_of(*TEXTS, groups={"a": ["hr"]})
    assert made(kept, lexical(kept), closed) == {"index": 1, "rankings": 1}


SWEEPS = [
    (["window.k=1,2"], set()),
    (["window.min_score=0,0.1"], set()),
    (["window.per_document=1,2"], set()),
    (["chunking=whole,sentence"], {"chunks", "qrels", "index", "rankings", "latency"}),
    (["retriever.k1=1,2"], {"index", "rankings", "latency"}),
]


@pytest.mark.parametrize(("words", "twice"), SWEEPS, ids=[words[0] for words, _ in SWEEPS])
def test_a_swept_key_computes_the_right_stages_twice(typed, tiny, words, twice):
    said = typed("-m", "+retriever=bm25", *words, *tiny, "tracking=off", "window.depth=24")
    assert said.code == 0, said.err
    line = re.search(r"cache hits: ([^:]*?)\n\S*next:", said.out)[1]
    told = dict(part.split() for part in line.split(","))
    counts = {stage: tuple(map(int, count.split("/"))) for stage, count in told.items()}
    again = {stage for stage, (hits, total) in counts.items() if total > 1 and hits == 0}
    assert again == twice


@pytest.mark.thorough
def test_no_cache_memory_and_disk_give_the_same_tables(typed, tiny):
    grid = ["-m", "+retriever=bm25,hybrid", "chunking=heading,sentence", "cache=off,memory,disk"]
    said = typed(*grid, *tiny, "latency.sample=0", "sweep.resume=false")
    assert said.code == 0, said.err
    tables = [p.read_text() for p in sorted(Path("mlruns/artifacts").rglob("questions.json"))]
    assert len(tables) == 12
    alike = Counter(tables)
    assert sorted(alike.values()) in ([3, 3, 3, 3], [6, 6], [3, 3, 6])
    assert list(Path("mlruns/cache").glob("rankings-*.npz"))
    # A second process reads what the first wrote.
    again = typed(
        "-m", "+retriever=bm25,hybrid", "chunking=heading,sentence", "cache=disk", *tiny,
        "latency.sample=0", "tracking=off",
    )  # fmt: skip
    assert "rankings 4/4" in again.out


def computed():
    return {"value": np.arange(6.0).reshape(2, 3)}


def never():
    raise AssertionError("was not to be computed")


def test_what_one_process_wrote_another_reads(tmp_path):
    stages(tmp_path, "disk").get_or_compute_arrays("s", "k", computed)
    found = stages(tmp_path, "disk").get_or_compute_arrays("s", "k", never)
    assert found["value"].tolist() == [[0, 1, 2], [3, 4, 5]]


def _damages():
    def of(name, spoil):
        return pytest.param(spoil, id=name)

    yield of("empty", lambda data: b"")
    yield of("text", lambda data: b"not at all an archive")
    yield of("pickle", lambda data: pickle.dumps(np.arange(3)))
    for share in (0.1, 0.5, 0.9, 0.99):
        yield of(f"cut at {share}", lambda data, share=share: data[: int(len(data) * share)])
    yield of("flipped", lambda data: data[:150] + bytes([data[150] ^ 255]) + data[151:])


@pytest.mark.parametrize("spoil", list(_damages()))
def test_a_damaged_file_is_computed_anew(tmp_path, spoil):
    stages(tmp_path, "disk").get_or_compute_arrays("s", "k", computed)
    (file,) = (tmp_path / "c").glob("*.npz")
    file.write_bytes(spoil(file.read_bytes()))
    kept = stages(tmp_path, "disk")
    assert (
        kept.get_or_compute_arrays("s", "k", computed)["value"].tolist()
        == computed()["value"].tolist()
    )
    assert kept.misses["s"] == 1
    assert stages(tmp_path, "disk").get_or_compute_arrays("s", "k", never) is not None  # and mended


def test_every_flipped_byte_is_noticed_or_harmless(tmp_path):
    stages(tmp_path, "disk").get_or_compute_arrays("s", "k", computed)
    (file,) = (tmp_path / "c").glob("*.npz")
    data = file.read_bytes()
    for at in range(len(data)):
        file.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        found = stages(tmp_path, "disk").get_or_compute_arrays("s", "k", computed)
        assert {k: v.tolist() for k, v in found.items()} == {"value": [[0, 1, 2], [3, 4, 5]]}


class Bomb:
    exploded = False

    def __reduce__(self):
        return (setattr, (Bomb, "exploded", True))


def test_no_pickle_is_loaded(tmp_path):
    folder = tmp_path / "c"
    folder.mkdir()
    trap = np.array([Bomb()], dtype=object)
    np.savez(folder / "s-k.npz", **{"rageval.content": np.array("s-k"), "value": trap})
    kept = stages(tmp_path, "disk")
    assert kept.get_or_compute_arrays("s", "k", computed)["value"].shape == (2, 3)
    assert not Bomb.exploded


def test_a_file_of_another_name_or_maker_is_not_taken(tmp_path):
    stages(tmp_path, "disk").get_or_compute_arrays("s", "other", computed)
    (tmp_path / "c" / "s-other.npz").rename(tmp_path / "c" / "s-k.npz")
    np.savez(tmp_path / "c" / "s-l.npz", value=np.zeros(9))
    for key in "kl":
        kept = stages(tmp_path, "disk")
        assert kept.get_or_compute_arrays("s", key, computed)["value"].shape == (2, 3)
        assert kept.misses["s"] == 1


def test_a_folder_that_cannot_be_written_costs_time_alone(tmp_path):
    (tmp_path / "c").write_text("a file where the folder should be")
    assert stages(tmp_path, "disk").get_or_compute_arrays("s", "k", computed) is not None
    (tmp_path / "c").unlink()
    (tmp_path / "c").mkdir()
    (tmp_path / "c").chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert stages(tmp_path, "disk").get_or_compute_arrays("s", "k", computed) is not None
    (tmp_path / "c").chmod(stat.S_IRWXU)


def test_the_least_lately_used_files_go_first(tmp_path):
    def half():
        return {"value": np.zeros(2**16)}  # 0.5 MB

    kept = stages(tmp_path, "disk", disk_mb=1)
    kept.get_or_compute_arrays("s", "a", half)
    os.utime(tmp_path / "c" / "s-a.npz", (1, 1))
    kept.get_or_compute_arrays("s", "b", half)  # 2 × 0.5 MB and two heads are more than 1 MB
    assert [file.name for file in (tmp_path / "c").iterdir()] == ["s-b.npz"]


def test_what_a_dead_process_left_half_written_is_removed(tmp_path):

    (tmp_path / "c").mkdir()
    for name, when in (("old", 1), ("new", None)):
        (tmp_path / "c" / f"{name}.part").write_text("")
        if when:
            os.utime(tmp_path / "c" / f"{name}.part", (when, when))
    stages(tmp_path, "disk").get_or_compute_arrays("s", "k", computed)
    assert sorted(p.name for p in (tmp_path / "c").iterdir()) == ["new.part", "s-k.npz"]


def test_memory_is_bounded_and_the_least_lately_used_go_first(tmp_path):
    kept = stages(tmp_path, memory_mb=1)
    for key in "abc":
        kept.get_or_compute("s", key, lambda: np.zeros(40_000))  # 0.32 MB each: three fit
    kept.get_or_compute("s", "a", never)
    kept.get_or_compute("s", "d", lambda: np.zeros(40_000))
    kept.get_or_compute("s", "a", never)  # b was used least lately
    assert kept.misses["s"] == 4
    kept.get_or_compute("s", "b", lambda: np.zeros(40_000))
    assert kept.misses["s"] == 5


def test_an_index_counts_with_its_arrays(tmp_path):
    kept = stages(tmp_path, memory_mb=1)
    chunks = chunks_of(*TEXTS)
    index = Bm25().index(chunks)
    kept.get_or_compute("index", "a", lambda: index)
    assert kept._size > 100


WRITER = """
import sys
import numpy as np
from rageval.cache.store import CacheConfig, Cache
kept = Cache(CacheConfig(kind="disk", dir=sys.argv[1], memory_mb=1, disk_mb=1))
for turn in range(150):
    key = turn % 30
    wanted = np.full(6000, key, dtype=float)
    again = Cache(kept.config)
    found = again.get_or_compute_arrays("s", str(key), lambda: {"value": wanted})
    assert np.array_equal(found["value"], wanted)
"""


def test_processes_share_a_folder_while_files_are_evicted(tmp_path):
    here = str(Path(rageval.__file__).parents[1])
    runs = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "c")], cwd=here)
        for _ in range(3)
    ]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert not list((tmp_path / "c").glob("*.part"))


class Moody:
    def __init__(self):
        self.asked = 0

    def retrieve(self, question, limit, groups):
        self.asked += 1
        if self.asked == 1:
            raise TimeoutError("not now")
        return [("a", 1.0)]


def test_a_users_retriever_is_asked_every_time(tmp_path):
    kept = stages(tmp_path)
    moody = Foreign(Moody())
    assert memoized(moody, {}, digest, kept) is moody
    parts = {"mine": moody, "ours": Bm25()}
    node = {"retrievers": {"mine": {}, "ours": {}}}
    hybrid = Hybrid(retrievers=parts, weights={"mine": 1.0, "ours": 1.0}, floor="ours")
    mixed = memoized(hybrid, node, digest, kept)
    assert isinstance(mixed, Hybrid)  # asked every time, and its own part is not
    assert mixed.retrievers["mine"] is moody
    assert isinstance(mixed.retrievers["ours"], Memoized)


class Failing:
    """A retriever of ours in all but its answers."""

    def __init__(self):
        self.inner = Foreign(Moody())

    def index(self, chunks):
        return self.inner.index(chunks)


Failing.__module__ = "rageval.retrieval.retrievers.failing"


def test_a_question_that_failed_is_asked_again(tmp_path):
    kept = stages(tmp_path)
    chunks = chunks_of(*TEXTS)
    index = memoized(Failing(), {}, digest, kept).index(chunks)
    first, second, third = (ask(index, chunks, "q") for _ in range(3))
    assert set(first.errors) == {0}
    assert first.errors[0].sentence.startswith("TimeoutError: not now (test_cache.py:")
    assert dict(second.errors) == {}
    assert same(second, third)
    assert kept.hits["rankings"] == 1


def test_kept_answers_are_those_of_the_retriever_itself(tmp_path):
    chunks = chunks_of(*TEXTS, groups={"a": ["hr"]})
    for kind in ("memory", "disk"):
        for plain in (Bm25(), TfIdf()):
            kept = stages(tmp_path / type(plain).__name__, kind)
            for _ in range(2):
                found = ask(memoized(plain, {}, digest, kept).index(chunks), chunks, "cat", "dog")
                assert same(found, ask(plain.index(chunks), chunks, "cat", "dog"))


def test_the_corpus_digest_covers_rights_and_texts():
    assert corpus_of("x").digest != corpus_of("x", groups={"a": ["hr"]}).digest
    assert json.dumps(corpus_of("x").digest)


def test_a_new_combining_retriever_needs_no_change_of_the_cache(tmp_path):
    @component
    class Router:
        """Sends short questions to one retriever and long ones to another."""

        parts: ClassVar[tuple[str, ...]] = ("short", "long")
        short: Any
        long: Any

        def index(self, chunks):
            short, long = self.short.index(chunks), self.long.index(chunks)

            def scores(queries):
                chosen = long if len(queries[0].text.split()) > 2 else short
                return chosen.scores(queries)

            return ScoredIndex(len(chunks), scores)

    Router.__module__ = "rageval.retrieval.retrievers.router"  # as a new file there would be
    node = {"short": {"_target_": "bm25"}, "long": {"_target_": "tfidf"}}
    kept, chunks = stages(tmp_path), chunks_of(*TEXTS)
    router = memoized(Router(short=Bm25(), long=TfIdf()), node, digest, kept)
    assert made(kept, router, chunks) == {"index": 2, "rankings": 1, "scores": 1}
    assert made(kept, router, chunks) == {}
    # The other part is built only when it is asked; the first is there already.
    assert made(kept, router, chunks, "the cat and dog") == {"index": 1, "rankings": 1, "scores": 1}
    assert same(ask(router.index(chunks), chunks, "cat"), ask(Bm25().index(chunks), chunks, "cat"))

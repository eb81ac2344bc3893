"""Encoders: unit rows, the same every time, and a sentence where a package or model is missing."""

import sys
from types import ModuleType

import numpy as np
import pytest
from pydantic import ValidationError
from tiny import ask, chunks_of, names

from rageval.errors import InputError
from rageval.retrieval.encoders.encoder import QueryEncoding, unit_rows
from rageval.retrieval.encoders.extras import need
from rageval.retrieval.encoders.lsa import Lsa
from rageval.retrieval.encoders.model2vec import Model2Vec
from rageval.retrieval.encoders.sentence_transformers import SentenceTransformers
from rageval.retrieval.encoders.wordllama import WordLlama
from rageval.retrieval.retrievers.dense import Dense

TEXTS = [
    "annual leave thirty days", "sick leave certificate", "oil pump litres", "oil filter",
    "pump valve", "bread oven",
]  # fmt: skip


def lengths(vectors):
    return np.linalg.norm(vectors, axis=1)


@pytest.mark.parametrize(("asked", "given"), [(1, 1), (3, 3), (256, 5)])
def test_lsa_has_at_most_one_dimension_less_than_there_are_texts(asked, given):
    vectors = Lsa(dimensions=asked).fit(TEXTS).encode(TEXTS)
    assert vectors.shape == (6, given)


def test_lsa_has_at_most_one_dimension_less_than_there_are_terms():
    texts = ["oil pump", "oil", "pump", "oil oil pump", "pump oil"]  # two terms
    assert Lsa().fit(texts).encode(texts).shape == (5, 1)


def test_lsa_puts_texts_of_shared_company_together_and_others_apart():
    # certificate and days never meet, but both go with leave
    encoding = Lsa(dimensions=3).fit(TEXTS)
    certificate, days, litres = encoding.encode(["certificate", "days", "litres"])
    assert certificate @ days > 0.9
    assert abs(certificate @ litres) < 0.1


def test_lsa_gives_unit_rows_and_zeros_for_a_text_without_a_known_term():
    rows = Lsa(dimensions=3).fit(TEXTS).encode(["oil pump", "of the", "xylophone", ""])
    assert lengths(rows) == pytest.approx([1, 0, 0, 0])


def test_lsa_is_the_same_every_time():
    one, other = (Lsa(seed=3).fit(TEXTS).encode(TEXTS) for _ in range(2))
    assert np.array_equal(one, other)


def test_lsa_has_no_direction_in_which_no_text_differs():
    # four texts of which two are repeated: rank 2
    texts = ["oil pump", "bread oven", "oil pump", "bread oven"]
    rows = Lsa().fit(texts).encode(texts)
    assert rows.shape == (4, 2)
    assert rows[0] @ rows[2] == pytest.approx(1)
    assert rows[0] @ rows[1] == pytest.approx(0)


@pytest.mark.parametrize("copies", [1, 12])  # more terms than texts, and more texts than terms
def test_lsa_of_a_small_corpus_is_the_truncated_svd_that_numpy_finds(copies):
    texts = [f"{text} {n}" for n in range(copies) for text in TEXTS]
    encoder = Lsa(dimensions=3)
    weights = encoder.fit(texts).weights.transform([encoder.analyser(text) for text in texts])
    left, sizes, _ = np.linalg.svd(weights.toarray(), full_matrices=False)
    expected = unit_rows((left * sizes)[:, :3])
    rows = encoder.fit(texts).encode(texts)
    assert rows @ rows.T == pytest.approx(expected @ expected.T, abs=1e-6)


def test_lsa_searches_a_large_corpus_and_finds_nearly_the_same(monkeypatch):
    texts = [f"{text} {n}" for n in range(12) for text in TEXTS]
    exact = Lsa(dimensions=3).fit(texts).encode(texts)
    monkeypatch.setattr("rageval.retrieval.encoders.lsa._EXACT", 0)
    searched = Lsa(dimensions=3).fit(texts).encode(texts)
    assert searched @ searched.T == pytest.approx(exact @ exact.T, abs=0.01)


@pytest.mark.parametrize("texts", [[], ["oil pump"], ["of the", "!"], ["oil", "oil oil"]])
def test_lsa_learns_nothing_from_a_corpus_too_small(texts):
    rows = Lsa().fit(texts).encode(["oil", "pump"])
    assert rows.shape[0] == 2
    assert not rows.any()


@pytest.mark.parametrize("settings", [{"dimensions": 0}, {"dimensions": 2.5}, {"seed": -1}])
def test_lsa_refuses_what_is_no_count(settings):
    with pytest.raises(ValidationError):
        Lsa(**settings)


def static_model(folder):
    """Save a model2vec model of three words: oil → (3, 0), pump → (0, 2), valve → (0, 1)."""
    package = pytest.importorskip("model2vec", reason="the model2vec extra is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="model2vec's tokenizers are missing")
    words = tokenizers.models.WordLevel({"[UNK]": 0, "oil": 1, "pump": 2, "valve": 3}, "[UNK]")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.array([[0, 0], [3, 0], [0, 2], [0, 1]], np.float32)
    package.StaticModel(vectors, tokenizer).save_pretrained(str(folder))
    return str(folder)


def test_model2vec_averages_the_vectors_of_a_folders_model_to_unit_length(tmp_path):
    encoding = Model2Vec(model=static_model(tmp_path / "tiny")).fit([])
    rows = encoding.encode(["oil", "pump valve", "oil pump", ""])
    # oil pump: (1.5, 1) / √3.25
    expected = [[1, 0], [0, 1], [0.83205, 0.5547], [0, 0]]
    assert rows == pytest.approx(np.array(expected), abs=1e-4)


def test_model2vec_finds_the_nearest_chunk(tmp_path):
    chunks = chunks_of("oil", "pump valve", "oil pump")
    dense = Dense(encoder=Model2Vec(model=static_model(tmp_path / "tiny")))
    found = ask(dense.index(chunks), chunks, "valve")
    assert names(found, chunks)[:2] == "bc"
    assert found.raw[0, :2] == pytest.approx([1, 0.5547], abs=1e-4)


def test_model2vec_says_which_model_cannot_be_loaded(tmp_path):
    pytest.importorskip("model2vec", reason="the model2vec extra is not installed")
    place = str(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"encoder\.model: '.*nothing' cannot be loaded: "):
        Model2Vec(model=place).fit([])


@pytest.mark.parametrize("dimensions", [64, 256])
def test_wordllama_encodes_with_the_model_of_its_package(dimensions):
    pytest.importorskip("wordllama", reason="the wordllama extra is not installed")
    encoding = WordLlama(dimensions=dimensions).fit([])
    rows = encoding.encode(["annual leave", "holiday entitlement", "a circulator pump"])
    assert rows.shape == (3, dimensions)
    assert lengths(rows) == pytest.approx([1, 1, 1], abs=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
    assert encoding.encode([]).shape[0] == 0


def test_wordllama_says_which_model_it_does_not_have():
    pytest.importorskip("wordllama", reason="the wordllama extra is not installed")
    with pytest.raises(InputError, match=r"encoder\.model: 'l9_mouse' cannot be loaded"):
        WordLlama(model="l9_mouse").fit([])


class Transformer:
    """What sentence-transformers would load: a letter count, and a memory of the texts."""

    asked: list[list[str]] = []

    def __init__(self, name):
        if name == "missing/model":
            raise OSError("no such model")

    def encode(self, texts, batch_size, show_progress_bar):
        self.asked.append(texts)
        return np.array([[text.count("a"), text.count("b")] for text in texts], float)


@pytest.fixture
def transformers(monkeypatch):
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = Transformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    monkeypatch.setattr(Transformer, "asked", [])


@pytest.mark.usefixtures("transformers")
def test_passages_and_questions_get_the_prefix_that_the_model_wants():
    encoder = SentenceTransformers(query_prefix="query: ", passage_prefix="passage: ")
    assert isinstance(encoder.fit([]), QueryEncoding)
    chunks = chunks_of("bbb", "aab")
    ask(Dense(encoder=encoder).index(chunks), chunks, "ab")
    assert Transformer.asked == [["passage: bbb", "passage: aab"], ["query: ab"]]


@pytest.mark.usefixtures("transformers")
def test_a_transformer_that_cannot_be_loaded_is_named():
    with pytest.raises(InputError, match="'missing/model' cannot be loaded: no such model"):
        SentenceTransformers(model="missing/model").fit([])


@pytest.mark.parametrize(
    ("encoder", "module", "line"),
    [
        (Model2Vec(), "model2vec", "encoder=model2vec needs the package 'model2vec': "
         "pip install 'rageval[model2vec]'"),
        (WordLlama(), "wordllama", "encoder=wordllama needs the package 'wordllama': "
         "pip install 'rageval[wordllama]'"),
        (SentenceTransformers(), "sentence_transformers", "encoder=sentence_transformers needs the "
         "package 'sentence_transformers': pip install 'rageval[sentence-transformers]'"),
    ],
)  # fmt: skip
def test_a_missing_package_is_answered_with_the_line_that_installs_it(
    encoder, module, line, monkeypatch
):
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    with pytest.raises(InputError) as caught:
        encoder.fit([])
    assert str(caught.value) == line


def test_what_is_installed_is_imported():
    assert need("json", "json").dumps([1]) == "[1]"


def test_rows_of_zeros_stay_zeros():
    assert unit_rows(np.zeros((1, 2))).tolist() == [[0, 0]]

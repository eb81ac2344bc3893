"""encoder=openai against a server on the loopback interface, and encoder=fastembed."""

import numpy as np
import pytest
from test_adapter_http import serving
from tiny import ask, chunks_of, names

from rageval.errors import InputError, UnreachableError
from rageval.retrieval.encoders.fastembed import FastEmbed
from rageval.retrieval.encoders.openai_http import OpenAiEncoder
from rageval.retrieval.retrievers.dense import Dense
from rageval.retrieval.retrievers.retriever import usage_of

pytest.importorskip("httpx", reason="extra: http")
pytest.importorskip("stamina", reason="extra: http")

WORDS = ("oil", "pump", "bread", "oven")


def vector(text):
    return [float(text.split().count(word)) for word in WORDS] + [0.01]


def embeddings(request, n):
    """Answer as the embeddings API does: in any order, each with its index."""
    texts = request["body"]["input"]
    rows = [{"index": i, "embedding": vector(text)} for i, text in enumerate(texts)]
    tokens = sum(len(text.split()) for text in texts)
    return 200, {"data": rows[::-1], "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def service(url, **settings):
    return OpenAiEncoder(url=url.removesuffix("/search"), model="m", **{"retries": 0, **settings})


def test_texts_are_asked_in_batches_each_once_and_their_tokens_counted():
    with serving(embeddings) as (url, seen):
        encoder = service(url, batch_size=2, key="k-1", price=2.0)
        encoding = encoder.fit([])
        rows = encoding.encode(["oil pump", "bread oven", "oil pump", "oven"])
        again = encoding.encode(["oven"])
    assert [request["body"]["input"] for request in seen] == [["oil pump", "bread oven"], ["oven"]]
    assert {request["path"] for request in seen} == {"/embeddings"}
    assert seen[0]["headers"]["Authorization"] == "Bearer k-1"
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1)
    assert rows[0].tolist() == rows[2].tolist()
    assert again[0].tolist() == rows[3].tolist()
    assert encoder.usage() == {"tokens": 5.0, "cost": 5 * 2 / 1e6}
    assert usage_of(Dense(encoder)) == encoder.usage()


def test_prefixes_go_before_texts_and_vectors_are_cut_and_scaled():
    with serving(embeddings) as (url, seen):
        encoder = service(url, passage_prefix="passage: ", query_prefix="query: ", dimensions=2)
        encoding = encoder.fit([])
        rows = encoding.encode(["oil oil pump bread"])
        encoding.encode_queries(["oil"])
    assert rows[0].tolist() == pytest.approx([2 / 5**0.5, 1 / 5**0.5])
    assert [request["body"]["input"] for request in seen] == [
        ["passage: oil oil pump bread"],
        ["query: oil"],
    ]


def test_dense_retrieval_by_a_service_fails_question_by_question_and_stops_where_it_is_away():
    def moody(request, n):
        return embeddings(request, n) if n == 1 else (500, "overloaded")

    chunks = chunks_of("oil pump", "bread oven")
    with serving(embeddings) as (url, _):
        found = ask(Dense(service(url)).index(chunks), chunks, "oven", "oil")
    assert (names(found, chunks), names(found, chunks, 1)) == ("ba", "ab")
    with serving(moody) as (url, _):
        found = ask(Dense(service(url)).index(chunks), chunks, "oven", "oil")
    assert "the service answers 500: overloaded" in found.errors[0].sentence
    assert found.count.tolist() == [0, 0]
    with pytest.raises(UnreachableError, match="the service does not answer"):
        Dense(service("http://127.0.0.1:1")).index(chunks)
    with (
        serving(lambda request, n: (401, "no key")) as (url, _),
        pytest.raises(InputError) as error,
    ):
        Dense(service(url)).index(chunks)
    assert "the service answers 401: no key" in str(error.value)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"data": []}, "the answer has no data of 1 vectors"),
        ({"error": "x"}, "the answer has no data of 1 vectors"),
        ({"data": [{"index": 0, "embedding": [1e999]}]}, "hold what is no finite number"),
    ],
)
def test_an_answer_without_vectors_is_refused(answer, told):
    with serving(lambda request, n: (200, answer)) as (url, _), pytest.raises(InputError) as error:
        service(url).fit([]).encode(["x"])
    assert told in str(error.value)


def test_the_tokens_are_metrics_of_the_run(typed, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with serving(embeddings) as (url, seen):
        said = typed("+retriever=dense", "encoder=openai", "encoder.price=1.0",
                     f"encoder.url={url.removesuffix('/search')}", *tiny)  # fmt: skip
    assert said.code == 0, said.err
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlruns/mlflow.db")
    runs = mlflow.search_runs(search_all_experiments=True)
    asked = sum(len(t.split()) for request in seen for t in request["body"]["input"])
    assert runs["metrics.usage/tokens"].tolist() == [asked]
    assert runs["metrics.usage/cost"].tolist() == [pytest.approx(asked / 1e6)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A real ONNX model in the form that fastembed reads: it averages one vector a word."""
    pytest.importorskip("fastembed", reason="extra: fastembed")
    onnx = pytest.importorskip("onnx", reason="extra: dev")
    from tokenizers import Tokenizer, models, pre_tokenizers

    place = tmp_path_factory.mktemp("model")
    vocabulary = {"[PAD]": 0, "[UNK]": 1, **{word: n + 2 for n, word in enumerate(WORDS)}}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(place / "tokenizer.json"))
    (place / "config.json").write_text('{"pad_token_id": 0}')
    (place / "special_tokens_map.json").write_text('{"pad_token": "[PAD]"}')
    (place / "tokenizer_config.json").write_text('{"model_max_length": 512, "pad_token": "[PAD]"}')
    table = np.zeros((len(vocabulary), 384), np.float32)
    for n in range(len(vocabulary)):
        table[n, n] = 1
    helper, kinds = onnx.helper, onnx.TensorProto
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, kinds.INT64, ["b", "s"]) for name in names]
    output = helper.make_tensor_value_info("last_hidden_state", kinds.FLOAT, ["b", "s", 384])
    words = onnx.numpy_helper.from_array(table, "table")
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "model", inputs, [output], [words])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, place / "model.onnx")
    return str(place)


def test_fastembed_runs_a_model_of_a_folder(folder):
    encoder = FastEmbed("sentence-transformers/all-MiniLM-L6-v2", folder)
    rows = encoder.fit([]).encode(["oil pump", "oil", "bread"])
    assert (rows @ rows.T).round(3).tolist() == [
        [1.0, pytest.approx(0.707), 0.0],
        [pytest.approx(0.707), 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ]
    chunks = chunks_of("oil pump", "bread oven")
    found = ask(Dense(encoder).index(chunks), chunks, "oven")
    assert names(found, chunks)[0] == "b"


def test_fastembed_puts_prefixes_and_cuts_vectors(folder):
    name = "sentence-transformers/all-MiniLM-L6-v2"
    encoder = FastEmbed(name, folder, dimensions=3, query_prefix="bread ", passage_prefix="oil ")
    encoding = encoder.fit([])
    passage, question = encoding.encode(["pump"]), encoding.encode_queries(["pump"])
    # Of the word's own dimensions 2 to 5 only that of `oil` is left.
    assert passage.tolist() == [[0.0, 0.0, 1.0]]
    assert question.tolist() == [[0.0, 0.0, 0.0]]


def test_fastembed_says_which_model_it_does_not_have(tmp_path):
    pytest.importorskip("fastembed", reason="extra: fastembed")
    with pytest.raises(InputError, match=r"encoder\.model: 'no/such' cannot be loaded"):
        FastEmbed("no/such").fit([])

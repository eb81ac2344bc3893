"""A value put into a tree gives what composing with it gives; what cannot be put in is refused."""

import pytest
from hydra import compose, initialize_config_dir

from rageval.config.places import shipped
from rageval.config.reading import parameters, plain
from rageval.config.resolvers import register


def composed(*words):
    register()
    with initialize_config_dir(str(shipped("conf").resolve()), version_base="1.3"):
        return compose("config", ["retriever=hybrid", *words])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("window.min_score", 0.25), ("window.min_score", None), ("retriever.fusion", "rrf"),
        ("retriever.weights.lexical", 1.0), ("run.notes", "a b: c"), ("latency.sample", 0),
    ],
)  # fmt: skip
def test_a_value_put_in_is_the_value_composed(path, value):
    tree = plain(composed())
    assert tree.takes(path, value)
    word = "null" if value is None else f"'{value}'" if isinstance(value, str) else value
    wanted = plain(composed(f"{path}={word}"))
    found = tree.holding({path: value})
    assert (found.whole, found.raw, found.kept) == (wanted.whole, wanted.raw, wanted.kept)
    assert found.yaml == wanted.yaml
    assert parameters(found) == parameters(wanted)
    assert tree.whole == plain(composed()).whole  # and the tree is what it was


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("dataset.name", "x"),  # tracking.experiment refers to it
        ("analyser.stem", False),  # below what others refer to
        ("retriever.weights", {"lexical": 1}),  # no scalar
        ("retriever.weights", 1),  # in place of no scalar
        ("window.k", "${window.depth}"),  # refers itself
        ("window.depths", 3),  # is not there
        ("secrets.token", "x"),
    ],
)
def test_what_others_depend_on_is_left_to_omegaconf(path, value):
    assert not plain(composed()).takes(path, value)

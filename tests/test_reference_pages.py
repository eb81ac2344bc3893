"""The pages that are made from the code are those of the code."""

import re

import pytest
import reference_pages

REMEDY = "cd tests && python -m reference_pages"


@pytest.mark.parametrize("name", ["config", "api"])
def test_the_page_is_what_the_code_says(name):
    page = getattr(reference_pages, f"{name}_page")()
    kept = (reference_pages.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page == kept, REMEDY


def test_every_key_that_the_evaluation_is_given_is_on_the_page():
    from hydra import compose, initialize_config_dir

    from rageval.config.places import shipped
    from rageval.config.reading import parameters, plain
    from rageval.config.resolvers import register

    register()
    with initialize_config_dir(str(shipped("conf").resolve()), version_base="1.3"):
        tree = plain(compose("config", ["retriever=bm25", "dataset=markdown", *PATHS]))
    page = (reference_pages.PAGES / "config.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w.]+)`", page, re.M))
    for key in parameters(tree):
        if not key.endswith("_target_") and not key.startswith(OWN):
            assert key in named, key


PATHS = ("dataset.path=docs", "dataset.questions=golden.yaml")
# Maps of the user's own names, and what a key refers to as a whole.
OWN = ("secrets", "threshold", "retriever.analyser", "encoder.analyser", "retriever.encoder")

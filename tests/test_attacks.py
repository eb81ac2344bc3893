"""Every attempt to get a wrong verdict is answered as docs/attacks.md says; see `attacks/`."""

import shutil
from pathlib import Path

import pytest
from attacks.catalogue import attacks, page
from desk import DATA, Desk

PAGE = Path(__file__).parents[1] / "docs" / "attacks.md"


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory):
    """A tracking store that holds nothing; made once, since that takes seconds."""
    folder = tmp_path_factory.mktemp("empty")
    desk = Desk(folder)
    assert desk.client.search_experiments()
    return folder / "mlruns"


@pytest.fixture
def desk(empty_store, tmp_path):
    shutil.copytree(empty_store, tmp_path / "mlruns")
    shutil.copytree(DATA, tmp_path / "tiny")
    return Desk(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.name)
def test_an_attack_is_answered(attack, desk):
    said = attack.run(desk)
    assert said.code == attack.code, said
    assert attack.answered_by(said), said
    assert "Traceback" not in said.out + said.err


def test_the_page_lists_every_attack_and_nothing_else():
    assert PAGE.read_text(encoding="utf-8") == page()

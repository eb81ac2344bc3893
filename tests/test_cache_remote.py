"""What stages keep behind a URL: read by others, damage computed again, faults said."""

import numpy as np
import pytest

from rageval.cache.files import Folder
from rageval.cache.remote import Remote
from rageval.cache.store import Cache, CacheConfig
from rageval.errors import InputError, UnreachableError

fsspec = pytest.importorskip("fsspec", reason="pip install 'rageval[remote]'")
ARRAYS = {"a": np.arange(100_000), "b": np.array(["x", "ü"])}


def stages(url):
    return Cache(CacheConfig(kind="disk", dir=url, memory_mb=64, disk_mb=64))


@pytest.fixture
def url(request):
    yield f"memory://{request.node.name}"
    fsspec.filesystem("memory").store.clear()


def test_what_one_process_kept_another_finds(url):
    assert isinstance(stages(url).folder, Remote)
    stages(url).get_or_compute_arrays("rankings", "k", lambda: ARRAYS)
    other = stages(url)
    found = other.get_or_compute_arrays("rankings", "k", lambda: pytest.fail("it was kept"))
    assert {name: array.tolist() for name, array in found.items()} == {
        name: array.tolist() for name, array in ARRAYS.items()
    }
    assert (other.hits["rankings"], other.misses["rankings"]) == (1, 0)
    (path,) = fsspec.filesystem("memory").ls(url, detail=False)
    assert path.endswith("/rankings-k.npz")
    with fsspec.open(f"memory://{path}") as file:  # an ordinary archive, without pickled objects
        assert np.load(file, allow_pickle=False)["a"].tolist() == ARRAYS["a"].tolist()


@pytest.mark.parametrize("damage", ["cut", "flipped", "another's", "empty"])
def test_what_is_damaged_is_computed_anew(url, damage):
    stages(url).get_or_compute_arrays("rankings", "k", lambda: ARRAYS)
    stages(url).get_or_compute_arrays("rankings", "other", lambda: {"a": np.zeros(3)})
    files, (one, other) = fsspec.filesystem("memory"), ("rankings-k.npz", "rankings-other.npz")
    root = stages(url).folder.root
    content = files.cat_file(f"{root}/{one}")
    middle = len(content) // 2
    files.pipe_file(
        f"{root}/{one}",
        {
            "cut": content[:middle],
            "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "another's": files.cat_file(f"{root}/{other}"),
            "empty": b"",
        }[damage],
    )
    again = stages(url)
    found = again.get_or_compute_arrays("rankings", "k", lambda: ARRAYS)
    assert found["a"].tolist() == ARRAYS["a"].tolist()
    assert again.misses["rankings"] == 1
    mended = stages(url)
    mended.get_or_compute_arrays("rankings", "k", lambda: pytest.fail("it was written again"))


def test_vectors_in_packs_are_found_by_their_prefix(url):
    stages(url).put_packs("vectors", "e", [{"text": np.array([b"1"])}, {"text": np.array([b"2"])}])
    packs = stages(url).get_packs("vectors", "e")
    assert sorted(pack["text"].item() for pack in packs) == [b"1", b"2"]
    again = stages(url)
    again.get_packs("vectors", "e")
    again.put_packs("vectors", "e", [{"text": np.array([b"1", b"2"])}])
    assert [pack["text"].tolist() for pack in stages(url).get_packs("vectors", "e")] == [
        [b"1", b"2"]
    ]


def test_a_file_url_is_a_folder_with_all_that_folders_have(tmp_path):
    kept = stages(f"file://{tmp_path}/c")
    assert kept.folder == Folder(tmp_path / "c", 64 * 2**20)


def test_an_url_that_nothing_reads_or_that_is_away_is_said(monkeypatch):
    with pytest.raises(InputError, match=r"cache.dir=nonsense://x: .*pip install"):
        stages("nonsense://x")

    def away(self, path):
        raise PermissionError("no credentials")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "exists", away)
    with pytest.raises(UnreachableError, match="cache.dir=memory://x does not answer: no cred"):
        stages("memory://x")


def test_a_place_that_refuses_to_write_costs_nothing_but_time(url, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("read only")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "open", refuse)
    assert stages(url).get_or_compute_arrays("rankings", "k", lambda: ARRAYS) is not None

"""Arrays in any place that fsspec reaches: an object store, another machine, memory."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from rageval.cache.files import Arrays, put, taken
from rageval.errors import InputError, UnreachableError

T = TypeVar("T")
_SUFFIX = ".npz"


@dataclass(frozen=True)
class Remote:
    """A place of arrays by name that several machines may share.

    A file is put there under its own name by one commit: object stores show it whole or not at
    all, and where a place promises less a torn file is recognised by its digest and computed
    again. Two writers of one name write the same content. Nothing is ever removed for its size: the
    place's own rules do that.
    """

    files: Any  # an fsspec filesystem
    root: str

    @classmethod
    def at(cls, url: str) -> Remote:
        """Return the place of a URL.

        Raises
        ------
        InputError
            If fsspec, or its part for such URLs, is not installed.
        UnreachableError
            If the place does not answer.
        """
        try:
            import fsspec

            files, root = fsspec.core.url_to_fs(url)  # may connect
        except (ImportError, ValueError) as fault:
            raise InputError(
                f"cache.dir={url}: {fault}; pip install 'rageval[remote]' and what fsspec has for "
                "such URLs, s3fs for instance"
            ) from fault
        except OSError as fault:
            raise UnreachableError(f"cache.dir={url} does not answer: {fault}") from fault
        try:
            files.exists(root)
        except Exception as fault:  # as in `_tried`; here it is reported
            raise UnreachableError(f"cache.dir={url} does not answer: {fault}") from fault
        return cls(files, root.rstrip("/"))

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin so; none where none can be seen now."""
        found: list[Any] = _tried(self._listed, otherwise=[])
        bare = [str(path).rpartition("/")[2] for path in found]
        return sorted(
            name.removesuffix(_SUFFIX)
            for name in bare
            if name.startswith(prefix) and name.endswith(_SUFFIX)
        )

    def read(self, name: str) -> Arrays | None:
        """Return the arrays of a name; None if there are none now, or what is there is damaged."""
        content = _tried(lambda: self.files.cat_file(self._path(name)), otherwise=None)
        return None if content is None else taken(name, io.BytesIO(content))

    def write(self, name: str, arrays: Arrays) -> None:
        """Keep arrays; a place that refuses costs time, not the evaluation."""
        content = io.BytesIO()
        put(name, content, arrays)
        _tried(lambda: self._committed(name, content), otherwise=None)

    def remove(self, name: str) -> None:
        """Remove what is kept under a name, if there is anything and it is ours to remove."""
        _tried(lambda: self.files.rm_file(self._path(name)), otherwise=None)

    def _listed(self) -> list[Any]:
        self.files.invalidate_cache(self.root)
        found: list[Any] = self.files.ls(self.root, detail=False)
        return found

    def _committed(self, name: str, content: io.BytesIO) -> None:
        self.files.makedirs(self.root, exist_ok=True)
        file = self.files.open(self._path(name), "wb", autocommit=False)
        with file:
            file.write(content.getbuffer())
        file.commit()

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}{_SUFFIX}"


def _tried(ask: Callable[[], T], otherwise: T) -> T:
    """Return what a place answers, or `otherwise`: a cache that fails costs time and no evaluation.

    The drivers below fsspec raise what they like (OSError, botocore's, aiohttp's and gcsfs's own),
    and these have no class in common but Exception. Only the call of the driver is inside.
    """
    try:
        return ask()
    except Exception:  # noqa: BLE001  see above; every other call of this module is outside
        return otherwise

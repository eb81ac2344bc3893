"""Arrays in any place that fsspec reaches: an object store, another machine, memory."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from rageval.errors import InputError, UnreachableError
from rageval.stages.files import Arrays, put, taken

_SUFFIX = ".npz"


@dataclass(frozen=True)
class Remote:
    """A place of arrays by name that several machines may share.

    A file is put there under its own name by one commit: object stores show it whole or not at
    all, and where a place promises less a torn file is recognised by its digest and computed
    anew. Two writers of one name write the same content. Nothing is ever removed for its size: the
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

            files, root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as fault:
            raise InputError(
                f"cache.dir={url}: {fault}; pip install 'rageval[remote]' and what fsspec has for "
                "such URLs, s3fs for instance"
            ) from fault
        try:
            files.exists(root)
        except Exception as fault:
            raise UnreachableError(f"cache.dir={url} does not answer: {fault}") from fault
        return cls(files, root.rstrip("/"))

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin so."""
        try:
            self.files.invalidate_cache(self.root)
            found = self.files.ls(self.root, detail=False)
        except Exception:  # noqa: BLE001  none is there, or none can be seen now
            return []
        bare = [str(path).rpartition("/")[2] for path in found]
        return sorted(
            name.removesuffix(_SUFFIX)
            for name in bare
            if name.startswith(prefix) and name.endswith(_SUFFIX)
        )

    def read(self, name: str) -> Arrays | None:
        """Return the arrays of a name; None if there are none, or what is there is damaged."""
        try:
            content = self.files.cat_file(self._path(name))
        except Exception:  # noqa: BLE001  not there, or not to be had now: it is computed
            return None
        return taken(name, io.BytesIO(content))

    def write(self, name: str, arrays: Arrays) -> None:
        """Keep arrays; a place that refuses costs time, not the evaluation."""
        content = io.BytesIO()
        put(name, content, arrays)
        try:
            self.files.makedirs(self.root, exist_ok=True)
            file = self.files.open(self._path(name), "wb", autocommit=False)
            with file:
                file.write(content.getbuffer())
            file.commit()
        except Exception:  # noqa: BLE001  as with a full disk
            return

    def remove(self, name: str) -> None:
        """Remove what is kept under a name, if there is anything."""
        try:
            self.files.rm_file(self._path(name))
        except Exception:  # noqa: BLE001  gone already, or not ours to remove
            return

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}{_SUFFIX}"

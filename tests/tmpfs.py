"""A small file system of its own, which can be full or read-only; needs root."""

import contextlib
import os
import subprocess

import pytest


class Disk:
    """Where it is mounted."""

    def __init__(self, folder):
        self.folder = folder

    def __truediv__(self, name):
        return self.folder / name

    def remount(self, option):
        """Mount it again with another option, such as ro."""
        subprocess.run(["mount", "-o", f"remount,{option}", str(self.folder)], check=True)

    @property
    def free(self):
        """Bytes that may still be written."""
        found = os.statvfs(self.folder)
        return found.f_bavail * found.f_frsize


@contextlib.contextmanager
def mounted(folder, size):
    """Yield a fresh file system of that size; the test is skipped where none may be mounted."""
    folder.mkdir(parents=True)
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError) as fault:
        why = getattr(fault, "stderr", "") or str(fault)
        pytest.skip(f"no file system may be mounted here (it needs root): {why.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)

"""Whole files or none, and never in the place of what is no file."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.records.atomic import atomic_write


def test_what_stood_there_stays_until_all_is_written(tmp_path: Path) -> None:
    place = tmp_path / "new" / "file"
    with atomic_write(place) as file:
        file.write("old")
    with suppress(ZeroDivisionError), atomic_write(place) as file:
        file.write("half")
        raise ZeroDivisionError
    assert place.read_text() == "old"
    with atomic_write(place) as file:
        file.write("new\n")
        assert place.read_text() == "old"
    assert place.read_bytes() == b"new\n"
    assert os.listdir(place.parent) == ["file"]


@pytest.mark.parametrize("kind", [ConnectionRefusedError, TimeoutError])
def test_what_breaks_elsewhere_is_not_called_a_fault_of_the_file(
    tmp_path: Path, kind: type[OSError]
) -> None:
    with pytest.raises(kind, match="the judge"), atomic_write(tmp_path / "file"):
        raise kind("the judge does not answer")
    assert os.listdir(tmp_path) == []


def test_a_pipe_or_a_folder_is_refused_before_the_work_and_stays(tmp_path: Path) -> None:
    """As root a rename would put a file in the place of a device such as /dev/null."""
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    link, stdout = tmp_path / "link", tmp_path / "stdout"
    link.symlink_to(pipe)
    with (tmp_path / "file").open("w") as file:
        stdout.symlink_to(f"/proc/self/fd/{file.fileno()}")
        with pytest.raises(DataError, match="not a file"), atomic_write(stdout):
            pytest.fail("the work began")
    for place in (pipe, folder, link):
        with pytest.raises(DataError, match="not a file"), atomic_write(place):
            pytest.fail("the work began")
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
    assert link.is_symlink()
    assert stdout.is_symlink()


def test_nothing_is_written_through_a_link_beside_the_file(tmp_path: Path) -> None:
    """In somebody else's folder one may lie there for every number that a process can have."""
    other = tmp_path / "other"
    other.write_text("mine")
    place = tmp_path / "folder" / "file"
    place.parent.mkdir()
    (place.parent / f".file.{os.getpid()}.part").symlink_to(other)
    with atomic_write(place) as file:
        file.write("new")
    assert (other.read_text(), place.read_text(), place.is_symlink()) == ("mine", "new", False)


@pytest.mark.parametrize("place", ["", ".", "/", ".."])
def test_a_place_without_a_name_is_refused(place: str) -> None:
    with pytest.raises(DataError, match="not a file"), atomic_write(Path(place)):
        pytest.fail("the work began")

"""What an error of a library means: a full memory, or an error of its own."""

from __future__ import annotations

import contextlib

import pytest

from semiaudit.errors import raise_full_memory


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("2593650787342336287056145053888248786694713701040900426423.83", True),
        ("-5.02519930857396219763889138477859355011254329006390898821399E-435", True),
        ("twelve", False),
        ("12 apples", False),
    ],
)
def test_a_number_that_python_has_no_room_to_read_means_a_full_memory(
    text: str, full: bool
) -> None:
    # Reading a long number needs memory, and Python tells by a ValueError that there was none.
    told = ValueError(f"could not convert string to float: {text!r}")
    with pytest.raises(MemoryError) if full else contextlib.nullcontext():
        raise_full_memory(told)


@pytest.mark.parametrize(
    ("said", "full"),
    [
        ("Out of Memory Error: Allocation failure", True),
        ("Out of Memory Error: failed to allocate data of size 1.0 GiB (1/512 MiB used)", False),
    ],
)
def test_an_engine_that_cannot_start_for_want_of_room_means_a_full_memory(
    said: str, full: bool
) -> None:
    # DuckDB's own limit for a query is another matter, which is an error of the data.
    duckdb = pytest.importorskip("duckdb")

    with pytest.raises(MemoryError) if full else contextlib.nullcontext():
        raise_full_memory(duckdb.OutOfMemoryException(said))

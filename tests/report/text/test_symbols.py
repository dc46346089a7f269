"""Symbols are plain text of width 1, and ASCII words where an encoding lacks them."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from semiaudit.report.text.symbols import ASCII_WORDS, encodable
from semiaudit.report.text.wrapping import NARROW, places, wrapped


def test_every_symbol_takes_one_place_and_needs_no_search_for_its_width() -> None:
    for symbol, word in ASCII_WORDS.items():
        assert NARROW.fullmatch(symbol), symbol
        assert places(symbol) == cell_len(symbol) == 1
        assert word.isascii()


def test_a_text_with_symbols_wraps_like_words() -> None:
    assert wrapped("ρ is 10.24, not 2.56 (4×) in Dₜ", 20) == ["ρ is 10.24, not 2.56", "(4×) in Dₜ"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_encoding_that_has_them_changes_nothing(encoding: str) -> None:
    assert encodable("ε ≤ 1 at δ = 1e-6 → Dₜ", encoding) == "ε ≤ 1 at δ = 1e-6 → Dₜ"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "no such encoding"])
def test_an_encoding_without_them_gets_words(encoding: str) -> None:
    assert encodable("ε ≤ 1 at δ = 1e-6 in Dₜ (4×)", encoding) == (
        "epsilon <= 1 at delta = 1e-6 in D_t (4x)"
    )


def test_columns_stay_aligned() -> None:
    text = " ε         17.16 (4×)\n definition       ρ\n Semi-DP      10.24\n Dₜ           10.24\n"
    assert encodable(text, "ascii") == (
        " epsilon   17.16 (4x)\n definition     rho\n Semi-DP      10.24\n D_t          10.24\n"
    )


def test_what_is_neither_symbol_nor_ascii_stays_for_the_stream_to_replace() -> None:
    assert encodable("北 ε", "ascii") == "北 epsilon"

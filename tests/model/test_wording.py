"""Sentences with the words that they had first, for fingerprints that stay when words change."""

from __future__ import annotations

import ast
import hashlib
import json
import pickle

from semiaudit.model.audit import Finding
from semiaudit.model.wording import FIRST, Wording, first_words, joined
from tests.imports import parsed
from tests.places import ROOT


def test_a_sentence_reads_as_today_and_remembers_its_first_words() -> None:
    found = Wording("everyone has a = 1", "attribute_disclosed", name="a", level=1)
    assert found == "everyone has a = 1"
    assert found.first == "the invariants show that everyone has a = 1"
    assert Finding("SA004", "warning", found).first == found.first
    assert first_words(pickle.loads(pickle.dumps(found))) == found.first


def test_a_sentence_in_another_one_has_its_first_words_there() -> None:
    inner = Wording("no a(t)", "no_finite_a")
    outer = Wording(f"not given: {inner}", "not_stated", framework="x", why=inner, closing="")
    assert outer.first == "x is not stated: no finite a(t) is proven"
    both = joined(" + ", [inner, "plain"])
    assert (str(both), both.first) == ("no a(t) + plain", "no finite a(t) is proven + plain")


def test_a_new_sentence_and_plain_text_are_their_own_first_words() -> None:
    assert Wording("new").first == "new"
    assert Finding("SA004", "warning", "plain").first == "plain"


def test_values_with_braces_stay_as_they_are() -> None:
    found = Wording("today", "attribute_disclosed", name="{level}", level="{}")
    assert found.first == "the invariants show that everyone has {level} = {}"


def test_no_first_sentence_changes_and_none_is_left_that_nobody_uses() -> None:
    """The sentences of 3cfefce are history: a new one, or a better one, does not belong here."""
    frozen = hashlib.sha256(json.dumps(FIRST, sort_keys=True).encode()).hexdigest()
    assert frozen[:16] == "daa8eea0276a1104"
    trees = [parsed(path.read_text("utf-8")) for path in (ROOT / "semiaudit").rglob("*.py")]
    calls = [n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Call)]
    words = {
        node.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "Wording"
        for node in ast.walk(call)
        if isinstance(node, ast.Constant)
    }
    assert set(FIRST) - words == {"interval", "size_only", "no_end"}  # chosen before the call

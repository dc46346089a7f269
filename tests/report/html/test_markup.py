"""What stands in an element is a text, whatever it looks like."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiaudit.report.html.addresses import place
from semiaudit.report.html.markup import element, escaped, written
from tests.report.html.reading import read

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "' autofocus onfocus='alert(1)",
    "<!-- ", "-->", "<![CDATA[", "]]>", "&lt;b&gt;", "&#60;b", "&notit;",
    "\u202egnp.exe\u2066", "a\x00b\x1b[31m", "\ud800", "line\nbreak\rand\ttab",
    "##[error]x", "::set-output::",
    "javascript:alert(1)", "data:text/html,x", "${alert(1)}", "{{7*7}}",
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.sampled_from(HOSTILE), st.text("<>&\"'/=` \n\u202e:#[]!-"))


@given(TEXTS, TEXTS)
def test_a_text_is_read_back_as_a_text_and_as_nothing_else(inside: str, beside: str) -> None:
    page = written(element("div", {"aria-label": beside}, element("p", {}, inside)))
    root = read(page)
    assert [node.tag for node in root.every()] == ["", "div", "p"]
    div, paragraph = list(root.every())[1:]
    assert set(div.attributes) == {"aria-label"}
    for found, told in ((paragraph.text, inside), (div.attributes["aria-label"], beside)):
        # What every reader sees is what was written: letters as they are, all else by its number.
        expected = "".join(
            c if c.isprintable() else " " if c == "\n" else repr(c)[1:-1] for c in told
        )
        assert found == expected


@given(TEXTS)
def test_nothing_invisible_and_no_command_to_a_log_is_written(text: str) -> None:
    line = escaped(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in line)
    assert not line.startswith("::")
    assert "##[" not in line
    assert not set(line) & set("<>\"'")
    line.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_the_samples_of_the_hostile_stay_texts(text: str) -> None:
    root = read(written(element("p", {}, text)))
    assert [node.tag for node in root.every()] == ["", "p"]


@pytest.mark.parametrize("tag", ["script", "iframe", "link", "style", "object", "form", "img", ""])
def test_elements_that_load_or_run_something_are_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="no element"):
        element(tag)


@pytest.mark.parametrize(
    "name", ["onclick", "style", "src", "srcdoc", "action", "formaction", "xlink:href", "a b", ""]
)
def test_attributes_that_load_or_run_something_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="takes no"):
        element("a", {name: "x"})


def test_an_address_is_no_text_and_a_text_no_address() -> None:
    with pytest.raises(ValueError, match="takes no href"):
        element("a", {"href": "javascript:alert(1)"}, "x")
    with pytest.raises(ValueError, match="takes no id"):
        element("a", {"id": place("main")}, "x")
    assert written(element("a", {"href": place("main")}, "x")) == '<a href="#main">x</a>'


def test_what_holds_nothing_takes_no_child() -> None:
    with pytest.raises(ValueError, match="holds nothing"):
        element("input", {}, "x")

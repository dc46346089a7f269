"""A link leads to a place of the page, to a file, or to a page of this program; nowhere else."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiaudit.report.html.addresses import place, relative_link, rule_page, shown_paths
from semiaudit.report.text.layout import Layout
from semiaudit.version import REPOSITORY

HERE = Layout(root="/project", folder="/project")
NAMES = [
    "javascript:alert(1)", "//evil.example/x", "\\\\evil\\x", "a b.yaml", "a#b?c.yaml", "%2e%2e",
    "specs/é.yaml", "mailto:x", "data:text/html,x", "a\"b'c<d>.yaml", "x\ny", "\u202ex",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_that_of_a_file_whatever_it_looks_like(name: str) -> None:
    found = str(relative_link(f"specs/{name}", HERE, 3))
    # As a browser resolves it from the page, RFC 3986.
    target = urlsplit(urljoin("file:///project/page.html", found))
    assert (target.scheme, target.netloc, target.query) == ("file", "", "")
    assert target.fragment == "spec-3"
    inside = unquote(target.path)
    assert inside == posixpath.normpath(f"/project/specs/{name}")


@given(st.text(min_size=1))
def test_no_name_has_a_scheme_or_a_host(name: str) -> None:
    address = relative_link(name, HERE)
    if address is None:
        return
    found = str(address)
    assert found.startswith("./")
    assert not set(found) & set("\"'<>\\ \n:")
    assert urlsplit(urljoin("https://a.example/b/c", found)).netloc == "a.example"


def test_a_page_that_does_not_know_where_it_lies_links_to_no_file() -> None:
    assert relative_link("a.yaml", Layout()) is None
    assert relative_link("a.yaml", Layout(root="/project")) is None


def test_a_link_is_relative_to_the_folder_of_the_page() -> None:
    assert str(relative_link("a.yaml", HERE, 7)) == "./a.yaml#spec-7"
    assert str(relative_link("specs/a.yaml", HERE)) == "./specs/a.yaml"
    assert str(relative_link("/project/out/a.yaml", HERE)) == "./out/a.yaml"


@pytest.mark.parametrize("path", ["a.yaml", "/etc/a.yaml", "../a.yaml", "specs/../../a.yaml"])
def test_no_link_leads_above_the_folder_of_the_page(path: str) -> None:
    assert relative_link(path, Layout(root="/project", folder="/project/out")) is None


def test_names_of_files_have_no_folder_that_lies_above_all_of_them() -> None:
    assert shown_paths(["specs/a.yaml"]) == {"specs/a.yaml": "specs/a.yaml"}
    assert shown_paths(["/home/me/a.yaml"]) == {"/home/me/a.yaml": "a.yaml"}
    assert shown_paths(["../secret/a.yaml"]) == {"../secret/a.yaml": "a.yaml"}
    two = ["/home/me/x/a.yaml", "/home/me/y/a.yaml", "b.yaml"]
    assert shown_paths(two) == dict(zip(two, ("x/a.yaml", "y/a.yaml", "b.yaml"), strict=True))
    assert shown_paths([]) == {}


@pytest.mark.parametrize("name", ["", "a b", "x:y", "javascript:alert(1)", '"', "1a"])
def test_a_place_is_a_word(name: str) -> None:
    with pytest.raises(ValueError, match="names no place"):
        place(name)


def test_the_page_of_a_rule_is_this_programs() -> None:
    assert str(rule_page("SA001")).startswith(f"{REPOSITORY}/")
    with pytest.raises(KeyError):
        rule_page("SA999")

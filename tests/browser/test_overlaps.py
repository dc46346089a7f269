"""The pages of all configs on a wide and on a narrow screen: no text lies upon another, or is cut.

A text that a reader can scroll to is not cut; on a wide screen nothing needs to be scrolled.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import semiaudit
from semiaudit.auditing.curve_points import with_curves
from semiaudit.library.report import audit_of
from semiaudit.report import Layout
from semiaudit.report.html.audit_page import audit_page
from tests.browser.chromium import Browser
from tests.browser.made import NAMES
from tests.places import CONFIGS

pytestmark = pytest.mark.browser

WIDE, NARROW = 1280, 390
FEW = 8
"""Points of a curve: no text of a page depends on more of them."""

EVERY_CONFIG = sorted(path.stem for path in CONFIGS.glob("*.yaml"))

TEXTS = """
const shown = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const clipped = (e) => e && (getComputedStyle(e).clipPath !== "none" || clipped(e.parentElement));
const quiet = new Set(["SCRIPT", "STYLE", "TITLE", "DESC", "title", "desc"]);
while (walker.nextNode()) {
  const node = walker.currentNode;
  const holder = node.parentElement;
  if (!node.data.trim() || quiet.has(holder.tagName)) continue;
  if (!holder.checkVisibility({visibilityProperty: true}) || holder.closest(".skip")) continue;
  if (clipped(holder)) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const drawn = holder.closest("svg");
  const boxes = drawn ? [holder.getBoundingClientRect()] : [...range.getClientRects()];
  shown.push({node, holder, drawn, boxes: boxes.filter((box) => box.width > 1)});
}
"""
"""Every text that is shown, with the boxes of its lines."""

OVERLAPS = (
    TEXTS
    + """
const boxes = shown.flatMap((text, i) => text.boxes.map((box) => ({i, box, text})));
boxes.sort((a, b) => a.box.top - b.box.top);
const found = [];
boxes.forEach((one, k) => {
  for (const other of boxes.slice(k + 1)) {
    if (other.box.top > one.box.bottom - 3) break;
    if (one.i === other.i) continue;
    const whole = one.text.holder.closest("text");
    if (whole && whole === other.text.holder.closest("text")) continue;
    const across = Math.min(one.box.right, other.box.right)
      - Math.max(one.box.left, other.box.left);
    const down = Math.min(one.box.bottom, other.box.bottom)
      - Math.max(one.box.top, other.box.top);
    if (across > 2 && down > 3)
      found.push(`${one.text.node.data.trim()} | ${other.text.node.data.trim()}`);
  }
});
return found;
"""
)

CUT = (
    TEXTS
    + """
const found = [];
for (const {node, holder, drawn, boxes} of shown) {
  const frame = holder.closest(".scroll");
  const scrolled = frame && frame.scrollWidth > frame.clientWidth + 1;
  for (const box of boxes) {
    const out = !scrolled && (box.left < -1 || box.right > innerWidth + 1);
    const edge = drawn && drawn.getBoundingClientRect();
    const off = edge && (box.left < edge.left - 16 || box.right > edge.right + 16
      || box.top < edge.top - 16 || box.bottom > edge.bottom + 16);
    if (out || off) found.push(node.data.trim());
  }
  let hider = holder;
  for (; hider; hider = hider.parentElement) {
    const style = getComputedStyle(hider);
    if (hider.matches(".scroll, html, body") || style.overflowX === "visible") continue;
    if (hider.scrollWidth > hider.clientWidth + 1) found.push(`${node.data.trim()} (hidden)`);
  }
}
return [...new Set(found)];
"""
)

BROKEN = (
    TEXTS
    + """
const found = [];
for (const {node, drawn} of shown) {
  if (drawn) continue;
  for (const token of node.data.matchAll(/\\S{1,}/gu)) {
    if (token[0].length > 24) continue;
    for (const word of token[0].matchAll(/[\\p{L}\\p{N}_]{2,}/gu)) {
      const range = document.createRange();
      range.setStart(node, token.index + word.index);
      range.setEnd(node, token.index + word.index + word[0].length);
      const tops = [...range.getClientRects()].filter((box) => box.width > 1)
        .map((box) => box.top);
      if (tops.length && Math.max(...tops) - Math.min(...tops) > 4) found.push(word[0]);
    }
  }
}
return found;
"""
)
"""Words that go on in another line; names of files with more than 24 letters may have to."""

SCROLLED = """
return [...document.querySelectorAll(".scroll")]
  .filter((frame) => frame.checkVisibility() && frame.scrollWidth > frame.clientWidth + 1)
  .map((frame) => frame.getAttribute("aria-label"));
"""


@pytest.fixture(scope="session")
def config_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of every config by its name, with few points of its curves."""
    folder = tmp_path_factory.mktemp("configs")
    pages = {}
    for name in EVERY_CONFIG:
        audit = with_curves(audit_of(semiaudit.audit(CONFIGS / f"{name}.yaml")), most=FEW)
        pages[name] = folder / f"{name}.html"
        pages[name].write_text(audit_page(audit, Layout()), "utf-8")
    return pages


def assert_readable(browser: Browser, page: Path, width: int) -> None:
    browser.show(page, width)
    browser.lay_out_all()
    assert browser.run(OVERLAPS) == []
    assert browser.run(CUT) == []
    assert browser.run(BROKEN) == []
    if width == WIDE:
        assert browser.run(SCROLLED) == []


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", EVERY_CONFIG)
def test_no_text_of_a_configs_page_is_cut_or_lies_upon_another(
    name: str, width: int, browser: Browser, config_pages: dict[str, Path]
) -> None:
    assert_readable(browser, config_pages[name], width)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("hostile", "fifty")])
def test_no_text_of_any_other_page_is_cut_or_lies_upon_another(
    name: str, width: int, browser: Browser, made: dict[str, Path]
) -> None:
    assert_readable(browser, made[name], width)

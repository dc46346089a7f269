"""Pages in a real browser: nothing is asked for or complained of, and all can be read and used."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.browser.chromium import Browser, Medium
from tests.browser.made import NAMES

pytestmark = pytest.mark.browser

WIDTHS: dict[str, tuple[int, Medium]] = {
    "desktop": (1280, "light"),
    "desktop_dark": (1280, "dark"),
    "phone": (390, "light"),
    "phone_dark": (390, "dark"),
    "print": (720, "print"),
}
SECOND, MOST = 1000, 500_000
"""Milliseconds in which a page is opened, and bytes that it has; two of them have 50 rows."""

every_page = pytest.mark.parametrize("name", NAMES)


@every_page
def test_a_page_is_valid_html(name: str, made: dict[str, Path]) -> None:
    import html5lib

    html5lib.HTMLParser(strict=True).parse(made[name].read_text("utf-8"))


@every_page
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_asks_for_nothing_and_is_accessible(
    name: str, width: str, browser: Browser, made: dict[str, Path], screenshots: Path
) -> None:
    browser.show(made[name], *WIDTHS[width])
    asked = [address for address in browser.requested() if not address.startswith("data:")]
    assert asked == [made[name].as_uri()]
    assert browser.said() == []
    wide = browser.run("return document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    browser.picture(screenshots / f"{name}_{width}.png")
    assert browser.faults() == []
    assert browser.said() == []


@every_page
def test_a_page_is_small_and_opens_in_a_second(
    name: str, browser: Browser, made: dict[str, Path]
) -> None:
    assert made[name].stat().st_size < MOST
    assert 0 < milliseconds(browser, made[name]) < SECOND


def milliseconds(browser: Browser, page: Path) -> float:
    """How long a page takes to open: the shortest of three times."""
    taken = []
    for _ in range(3):
        browser.show(page)
        taken.append(browser.loaded_in())
    return min(taken)


SEEN = """
const done = arguments[arguments.length - 1];
requestAnimationFrame(() => requestAnimationFrame(() => done(
  [...document.querySelectorAll(".sortable tbody tr")].map(
    (row) => row.cells[0].checkVisibility({contentVisibilityAuto: true})))));
"""
"""Which rows the browser laid out for the first frame."""


def test_the_index_of_1000_specs_opens_in_a_second(browser: Browser, made: dict[str, Path]) -> None:
    assert 0 < milliseconds(browser, made["thousand"]) < SECOND
    rows = browser.driver.execute_async_script(SEEN)
    assert len(rows) == 1000
    assert rows[0]
    assert sum(rows) < 100


@every_page
def test_the_browser_reads_the_elements_that_were_written(
    name: str, browser: Browser, made: dict[str, Path]
) -> None:
    """A parser that mends nothing and the browser's find the same elements and the same words."""
    from tests.report.html.reading import one_line, read

    root = read(made[name].read_text("utf-8"))
    browser.show(made[name])
    browser.run(
        "document.querySelectorAll('th button').forEach((b) => b.replaceWith(b.textContent))"
    )
    tags = browser.run("return [...document.querySelectorAll('*')].map((e) => e.localName)")
    assert tags == [node.tag.replace("viewbox", "viewBox") for node in root.every() if node.tag]
    heading = browser.run("return document.querySelector('h1').textContent")
    assert one_line(heading) == one_line(next(root.every("h1")).text)


def test_nothing_of_a_hostile_spec_runs(browser: Browser, made: dict[str, Path]) -> None:
    for name in ("hostile", "summary"):
        browser.show(made[name])
        assert browser.run("return document.scripts.length") == 1
        for link in browser.every("a"):
            assert link.get_property("protocol") in ("file:", "https:")
    browser.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
                "document.body.append(s)")  # fmt: skip
    assert browser.run("return window.ran") is None
    assert any("Content Security Policy" in line for line in browser.said())


def reading(browser: Browser, plot: str) -> list[str]:
    """What stands at a plot: the place, and the number of each curve."""
    return [o.text for o in browser.every(f"[data-plot={plot}] .reading output")]


def rows(browser: Browser, plot: str) -> list[list[str]]:
    """The points, as the table has them."""
    found: list[list[str]] = browser.run(
        "return [...document.querySelectorAll(`[data-plot=${arguments[0]}] tbody tr`)]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))",
        plot,
    )
    return found


@pytest.mark.parametrize("plot", ["tradeoff", "epsilon"])
@pytest.mark.parametrize("name", ["gaussian", "census", "comparison", "ablation"])
def test_a_pointer_reads_both_errors_where_it_is(
    name: str, plot: str, browser: Browser, made: dict[str, Path]
) -> None:
    from selenium.webdriver import ActionChains

    browser.show(made[name])
    shown = next(s for s in browser.every(f"[data-plot={plot}] .drawing svg") if s.is_displayed())
    browser.run("arguments[0].scrollIntoView({block: 'center'})", shown)
    size = browser.run("const r = arguments[0].getBoundingClientRect(); return r.width", shown)
    places = []
    for share in (-0.3, 0.0, 0.2, 0.4):
        move = ActionChains(browser.driver, duration=0)
        move.move_to_element_with_offset(shown, int(share * size), 0).perform()
        found = reading(browser, plot)
        assert found in rows(browser, plot)
        places.append(float(found[0]))
        rule = browser.run("return Number(arguments[0].querySelector('.rule').getAttribute('x1'))",
                           shown)  # fmt: skip
        assert abs(rule / 480 - (0.5 + share)) < 0.06
    assert all(before < after for before, after in pairwise(places))
    assert browser.said() == []


@pytest.mark.parametrize("plot", ["tradeoff", "epsilon"])
def test_keys_read_both_errors_point_by_point(
    plot: str, browser: Browser, made: dict[str, Path]
) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.show(made["gaussian"])
    slider = browser.find(f"[data-plot={plot}] input[type=range]")
    points = rows(browser, plot)
    slider.send_keys(Keys.HOME)
    assert reading(browser, plot) == points[0]
    for place in (1, 2, 3):
        slider.send_keys(Keys.ARROW_RIGHT)
        assert reading(browser, plot) == points[place]
    slider.send_keys(Keys.END)
    assert reading(browser, plot) == points[-1]
    told = slider.get_attribute("aria-valuetext")
    assert all(text in told for text in points[-1])
    assert "Semi-DP (effective)" in told


def test_every_control_is_reached_by_the_keyboard_and_shows_it(
    browser: Browser, made: dict[str, Path]
) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.show(made["gaussian"])
    reached = []
    for _ in range(80):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        tag, width = browser.run(
            "const e = document.activeElement;"
            "return [e.localName + (e.type ? ':' + e.type : ''), getComputedStyle(e).outlineWidth]"
        )
        if tag == "body":
            break
        reached.append(tag)
        assert width != "0px"
    assert reached[0] == "a"  # the link that skips to the answer
    assert {"input:range", "input:radio", "summary"} <= set(reached)


def test_axes_are_chosen(browser: Browser, made: dict[str, Path]) -> None:
    browser.show(made["gaussian"])
    for place, radio in enumerate(browser.every("[data-plot=tradeoff] input[type=radio]")):
        browser.run("arguments[0].click()", radio)
        shown = [d.is_displayed() for d in browser.every("[data-plot=tradeoff] .drawing")]
        assert shown == [place == 0, place == 1]


def column(browser: Browser, place: int) -> list[str]:
    found: list[str] = browser.run(
        "return [...document.querySelectorAll('.sortable tbody tr')]"
        ".map((row) => row.cells[arguments[0]])"
        ".map((cell) => cell.dataset.sort ?? cell.textContent)",
        place,
    )
    return found


def test_an_index_sorts_by_every_column_both_ways_and_nothing_comes_last(
    browser: Browser, made: dict[str, Path]
) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.show(made["index"])
    heads = browser.every(".sortable thead th")
    assert len(heads) == 7
    for place, head in enumerate(heads):
        button = head.find_element("css selector", "button")
        button.send_keys(Keys.ENTER)
        assert head.get_attribute("aria-sort") == "ascending"
        upward = column(browser, place)
        button.click()
        assert head.get_attribute("aria-sort") == "descending"
        downward = column(browser, place)
        known = [value for value in upward if value != "-"]
        assert upward == known + ["-"] * (len(upward) - len(known))
        assert [value for value in downward if value != "-"] == known[::-1] or len(
            set(known)
        ) < len(known)
        numbers = [float(value) for value in known] if place else []
        assert numbers == sorted(numbers)
        if place:
            falling = [float(value) for value in downward if value != "-"]
            assert falling == sorted(falling, reverse=True)
        marked = [h for h in heads if h.get_attribute("aria-sort")]
        assert len(marked) == 1
    assert browser.said() == []


def test_paper_has_what_a_board_reads_and_no_control(
    browser: Browser, made: dict[str, Path], screenshots: Path
) -> None:
    browser.show(made["census"], 720, "print")
    assert not any(e.is_displayed() for e in browser.every("input, nav, fieldset, .skip"))
    assert browser.find(".verdict").is_displayed()
    assert all(any(s.is_displayed() for s in plot.find_elements("css selector", "svg"))
               for plot in browser.every(".plot"))  # fmt: skip
    for name in ("census", "failing", "ablation"):
        browser.show(made[name], 720, "print")
        browser.paper(screenshots / f"{name}.pdf")
        assert (screenshots / f"{name}.pdf").read_bytes().startswith(b"%PDF")


BROKEN = """
return [...document.querySelectorAll("td.number, td.whole")].filter((cell) => {
  const words = document.createRange();
  words.selectNodeContents(cell);
  const tops = [...words.getClientRects()].filter((box) => box.width).map((box) => box.top);
  return tops.length && Math.max(...tops) - Math.min(...tops) > 4;
}).map((cell) => cell.textContent);
"""
"""The numbers that stand on more than one line."""


@every_page
@pytest.mark.parametrize("width", ["phone", "print"])
def test_no_number_is_broken(
    name: str, width: str, browser: Browser, made: dict[str, Path]
) -> None:
    browser.show(made[name], *WIDTHS[width])
    assert browser.run(BROKEN) == []


def test_without_a_script_a_page_still_says_everything(
    browser: Browser, made: dict[str, Path]
) -> None:
    with browser.without_script():
        browser.show(made["gaussian"])
        assert not any(e.is_displayed() for e in browser.every("input, fieldset"))
        told = [o.text for o in browser.every(".reading output")]
        assert told[0] == "0.05"
        assert browser.find("summary").is_displayed()


@pytest.mark.parametrize(
    ("plot", "typed", "shown"),
    [
        ("epsilon", "1e-6", "1e-6"),
        ("epsilon", "1.3e-6", "1.25e-6"),  # the bound of a smaller delta holds
        ("epsilon", "0,02", "0.02"),
        ("tradeoff", "0.05", "0.05"),
        ("tradeoff", "0.0123", "0.0125"),  # the bound of a larger rate holds
    ],
)
def test_a_field_reads_the_bound_that_holds_at_a_number(
    plot: str, typed: str, shown: str, browser: Browser, made: dict[str, Path]
) -> None:
    browser.show(made["gaussian"])
    field = browser.find(f"[data-plot={plot}] input[type=text]")
    assert field.is_displayed()
    browser.run("arguments[0].value = ''", field)
    field.send_keys(typed)
    found = reading(browser, plot)
    assert found[0] == shown
    assert found in rows(browser, plot)
    assert field.get_attribute("aria-invalid") is None
    assert "bound" in browser.find(f"[data-plot={plot}] .reading .note").text
    assert browser.said() == []


@pytest.mark.parametrize("typed", ["", "x", "-1", "1e-300"])
def test_a_field_marks_a_number_at_which_nothing_is_known(
    typed: str, browser: Browser, made: dict[str, Path]
) -> None:
    browser.show(made["gaussian"])
    field = browser.find("[data-plot=epsilon] input[type=text]")
    before = reading(browser, "epsilon")
    browser.run(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
        field,
        typed,
    )
    assert field.get_attribute("aria-invalid") == "true"
    assert browser.find("[data-plot=epsilon] .wrong").text.startswith("Enter a number from 1e-")
    assert reading(browser, "epsilon") == before


def test_a_finding_leads_to_its_line_of_the_folded_spec(
    browser: Browser, made: dict[str, Path]
) -> None:
    browser.show(made["census"])
    assert not browser.find(".spec").is_displayed()
    link = browser.find('.findings a[href^="#spec-"]')
    browser.run("arguments[0].click()", link)
    line = browser.find(".spec .line:target")
    assert line.is_displayed()
    assert "margin: [state]" in line.text
    assert browser.said() == []


def test_a_summary_shows_the_specs_of_one_verdict(browser: Browser, made: dict[str, Path]) -> None:
    browser.show(made["index"])
    choices = browser.every("fieldset.filter input")
    assert len(choices) > 2
    for choice in choices:
        browser.run("arguments[0].click()", choice)
        word = choice.get_attribute("value")
        listed = browser.every("table.sortable tbody tr")
        shown = [row.get_attribute("data-status") for row in listed if row.is_displayed()]
        expected = [row.get_attribute("data-status") for row in listed]
        assert shown == [status for status in expected if word in ("", status)]
    assert browser.said() == []


def test_without_a_script_all_specs_are_shown(browser: Browser, made: dict[str, Path]) -> None:
    with browser.without_script():
        browser.show(made["index"])
        assert all(row.is_displayed() for row in browser.every("table.sortable tbody tr"))
        assert not browser.find("fieldset.filter").is_displayed()

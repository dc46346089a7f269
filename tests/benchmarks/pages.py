"""The pages of a batch beside the batch without them; how large they are, and how fast they open.

    python tests/benchmarks/pages.py [--jobs 2] [--sizes 100,1000] [--kinds zcdp,pure_dp,approx_dp]

The specs are those of batch.py. Prints, measured in one run:

- for each size the seconds and the processor seconds of a batch without and with --reports, what
  each spec adds, and the bytes of the pages and of the index;
- how long Chromium takes to open the index, and to sort it by its slowest column;
- the bytes of pages with 50 rows, and how long Chromium takes to open them: at most 500 kB and one
  second are required.

Chromium and the extra `browser` are needed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.batch import batch_of, write_specs  # noqa: E402
from tests.browser.chromium import Browser  # noqa: E402
from tests.browser.made import FIFTY  # noqa: E402

SORTED = """
let most = 0;
for (const button of document.querySelectorAll(".sortable th button")) {
  const before = performance.now();
  button.click();
  document.body.getBoundingClientRect();
  most = Math.max(most, performance.now() - before);
}
return most;
"""
MOST, SECOND, RUNS = 500_000, 1000, 9


def opened(browser: Browser, page: Path) -> tuple[float, int]:
    """The median of milliseconds until a page is loaded, and its elements."""
    taken = []
    for _ in range(RUNS):
        browser.show(page)
        taken.append(browser.loaded_in())
    return statistics.median(taken), len(browser.every("*"))


def told(browser: Browser, name: str, page: Path) -> bool:
    """Print what one page is, and whether it is small and fast enough."""
    taken, elements = opened(browser, page)
    size = page.stat().st_size
    print(f"{name:38} {size / 1000:8.1f} kB {elements:7} elements {taken:6.0f} ms", flush=True)
    return size <= MOST and taken <= SECOND


def batches(work: Path, size: int, kinds: list[str], jobs: int) -> Path:
    """Print what pages add to a batch; returns the folder that holds them."""
    folder, out = work / f"specs{size}", work / f"reports{size}"
    write_specs(folder, size, kinds)
    bare, bare_spent, *_ = batch_of(folder, jobs)
    took, spent, *_ = batch_of(folder, jobs, "--reports", str(out))
    pages = [path.stat().st_size for path in out.rglob("*.yaml.html")]
    if len(pages) != size:
        sys.exit(f"{len(pages)} pages of {size} specs")
    print(f"{size} specs: {bare:.1f} s ({bare_spent:.1f} s of processors), with --reports "
          f"{took:.1f} s ({spent:.1f} s): {1000 * (spent - bare_spent) / size:.0f} ms of a "
          f"processor a spec")  # fmt: skip
    print(f"  pages: {statistics.median(pages) / 1000:.1f} kB, at most {max(pages) / 1000:.1f} kB; "
          f"index: {(out / 'index.html').stat().st_size / 1000:.1f} kB", flush=True)  # fmt: skip
    return out


def page_of_fifty(folder: Path) -> Path:
    """The page of a spec with 50 deltas, type I errors and budgets."""
    import semiaudit

    spec = folder / "fifty.yaml"
    spec.write_text(FIFTY, "utf-8")
    page = folder / "fifty.html"
    page.write_text(semiaudit.audit(spec).render("html"), "utf-8")
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sizes", default="100,1000")
    parser.add_argument("--kinds", default="zcdp,pure_dp,approx_dp")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        made = {
            n: batches(work, n, kinds, options.jobs) for n in map(int, options.sizes.split(","))
        }
        fifty = batches(work, 50, kinds, options.jobs)
        browser = Browser.started(work / "profile")
        try:
            for size, out in made.items():
                told(browser, f"index of {size}", out / "index.html")
                browser.show(out / "index.html")
                print(f"  sorted by its slowest column in {browser.run(SORTED):.0f} ms")
            fine = told(browser, "index of 50", fifty / "index.html")
            first = next(iter(sorted(fifty.rglob("*.yaml.html"))))
            fine &= told(browser, "a page behind it", first)
            fine &= told(browser, "50 deltas, type I errors and budgets", page_of_fifty(work))
        finally:
            browser.close()
            shutil.rmtree(work / "profile", ignore_errors=True)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()

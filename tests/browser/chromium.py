"""A headless Chromium, driven through Selenium: what it shows, says and asks for."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
AXE = "axe_playwright_python"
"""The package that holds axe-core; nothing else of it is used."""

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

LOADED = """
const done = arguments[arguments.length - 1];
const asked = () => {
  const [t] = performance.getEntriesByType("navigation");
  t.loadEventEnd > 0 ? done(t.loadEventEnd) : setTimeout(asked, 1);
};
asked();
"""

Medium = Literal["light", "dark", "print"]


@dataclass(frozen=True)
class Browser:
    """One browser with one window.

    Attributes:
        driver: Selenium's.
    """

    driver: Any

    @classmethod
    def started(cls, profile: Path) -> Browser:
        """Start a browser with a fresh profile.

        Raises:
            RuntimeError: Chromium or its driver is not installed.
        """
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if chromium is None or driver is None:
            raise RuntimeError("install the packages chromium and chromium-driver")
        options = webdriver.ChromeOptions()
        for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.binary_location = chromium
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        return cls(webdriver.Chrome(options=options, service=Service(driver)))

    def close(self) -> None:
        self.driver.quit()

    def show(self, page: Path, width: int = 1100, medium: Medium = "light") -> None:
        """Open a page at a width, as a screen or as paper, and forget what was said before."""
        self._tell(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        scheme = "dark" if medium == "dark" else "light"
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        kind = "print" if medium == "print" else "screen"
        self._tell("Emulation.setEmulatedMedia", {"media": kind, "features": features})
        self.said()
        self.requested()
        self.driver.get(page.as_uri())

    def loaded_in(self) -> float:
        """Milliseconds that the shown page took to load.

        The driver returns when the page is complete, which is before its load event has ended;
        until then the browser states 0.
        """
        return float(self.driver.execute_async_script(LOADED))

    def run(self, script: str, *arguments: object) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def find(self, what: str) -> Any:
        """The first element that a selector finds."""
        return self.driver.find_element("css selector", what)

    def every(self, what: str) -> list[Any]:
        """All elements that a selector finds."""
        return list(self.driver.find_elements("css selector", what))

    def said(self) -> list[str]:
        """What the console says: errors, warnings, and breaches of the page's policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested(self) -> list[str]:
        """The addresses that were asked for since the last time."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def faults(self) -> list[str]:
        """What axe-core finds on the page."""
        self.run((files(AXE) / "axe.min.js").read_text("utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {runOnly: arguments[0], resultTypes: ['violations']})"
            ".then((found) => done(found.violations), (error) => done([{id: String(error),"
            " nodes: []}]));",
            list(RULES),
        )
        return [
            f"{fault['id']}: {' '.join(node['target'])}: {node.get('failureSummary', '')}"
            for fault in found
            for node in fault["nodes"] or [{"target": []}]
        ]

    @contextmanager
    def without_script(self) -> Iterator[None]:
        """Let no script of a page run."""
        self._tell("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            yield
        finally:
            self._tell("Emulation.setScriptExecutionDisabled", {"value": False})

    def lay_out_all(self) -> None:
        """Lay out the rows too that a screen would lay out when they are scrolled to."""
        self.run(
            "for (const row of document.querySelectorAll('.sortable tbody tr'))"
            " row.style.contentVisibility = 'visible';"
        )

    def picture(self, file: Path) -> None:
        """The whole page as a picture."""
        self.lay_out_all()
        size = self.run(
            "const e = document.documentElement; return [e.clientWidth, e.scrollHeight]"
        )
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 12000), "scale": 1}
        shot = self._tell("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        file.write_bytes(base64.b64decode(shot["data"]))

    def paper(self, file: Path) -> None:
        """The page as it is printed on A4."""
        sheet = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
        shot = self._tell("Page.printToPDF", {**sheet, "printBackground": False})
        file.write_bytes(base64.b64decode(shot["data"]))

    def _tell(self, command: str, arguments: dict[str, Any]) -> Any:
        return self.driver.execute_cdp_cmd(command, arguments)

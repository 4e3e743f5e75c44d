"""A real Chromium for tests, found on the path; screenshots go to test-artifacts/."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webdriver import WebDriver

ARTIFACTS = Path(__file__).resolve().parent.parent / "test-artifacts"

_FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)


def _programs() -> tuple[str, str]:
    chromium = next(
        (p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None
    )
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        missing = "Chromium" if chromium is None else "chromedriver"
        pytest.skip(f"no {missing} on the path: install chromium and chromium-driver (Debian) to test pages")
    return chromium, driver


@contextmanager
def browser(*, dark: bool = False, width: int = 1400, height: int = 900) -> Iterator[WebDriver]:
    """A headless Chromium with a profile of its own."""
    chromium, driver = _programs()
    with tempfile.TemporaryDirectory(prefix="wakegraph-chromium-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*_FLAGS, f"--window-size={width},{height}", f"--user-data-dir={profile}"):
            options.add_argument(flag)
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # Chromium refuses its sandbox to root
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        opened = webdriver.Chrome(options=options, service=Service(driver))
        try:
            scheme = "dark" if dark else "light"
            feature = [{"name": "prefers-color-scheme", "value": scheme}]
            opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
            yield opened
        finally:
            opened.quit()


def until(condition: Callable[[], Any], what: str, seconds: float = 30.0) -> Any:
    """Wait until a condition gives something true, and return that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")


def picture(driver: WebDriver, name: str) -> None:
    """Keep a screenshot."""
    ARTIFACTS.mkdir(exist_ok=True)
    driver.save_screenshot(str(ARTIFACTS / f"{name}.png"))


def complaints(driver: WebDriver) -> list[str]:
    """What the page's console complained of, refused requests included."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in {"WARNING", "SEVERE"}]

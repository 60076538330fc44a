# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven by Selenium through Debian's chromedriver."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

webdriver: Any
Service: Any
ActionChains: Any
Keys: Any
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = Service = ActionChains = Keys = None  # obstacle() says so

PAGE = Path(__file__).resolve().parents[2] / "docs" / "micro_world" / "index.html"
PACKAGES = "Debian: chromium chromium-driver python3-selenium; test/run.sh --web installs them"


def program(*names: str) -> str:
    return next((found for name in names if (found := shutil.which(name))), "")


def obstacle() -> str:
    """Why there is no browser to drive here, in one line; empty if there is one."""
    if webdriver is None:
        return f"this Python has no selenium ({PACKAGES})"
    chromium = program("chromium", "chromium-browser", "google-chrome")
    if not chromium:
        return f"no Chromium ({PACKAGES})"
    if not program("chromedriver"):
        return f"no chromedriver ({PACKAGES})"
    for path in (chromium, program("chromedriver")):
        # Ubuntu's packages of that name are a script that asks for a snap, or the snap itself.
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=60)
        said = (done.stdout + done.stderr).strip().partition("\n")[0]
        if done.returncode != 0:
            return f"{path} does not start: {said} ({PACKAGES})"
        if "snap" in said.lower():
            return f"{path} is a snap, which cannot open files outside the home folder ({PACKAGES})"
    return ""


class Browser:
    """One window that shows the page; what it asks the network for and what it complains of is kept."""

    def __init__(self) -> None:
        options: Any = webdriver.ChromeOptions()
        options.binary_location = program("chromium", "chromium-browser", "google-chrome")
        options.add_argument("--headless=new")
        options.add_argument("--disable-gpu")
        options.add_argument("--disable-dev-shm-usage")
        options.add_argument("--hide-scrollbars")
        options.add_argument("--no-sandbox")  # it needs what containers lack, and the page is our own
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = "localhost,127.0.0.1"  # chromedriver's own address
        self.driver: Any = webdriver.Chrome(service=Service(program("chromedriver")), options=options)
        self.driver.set_script_timeout(60)
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def close(self) -> None:
        self.driver.quit()

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Sends a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def size(self, width: int, height: int, scale: float = 1) -> None:
        """Sets the viewport in CSS pixels; below 640 wide it is a phone's."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 640,
        )

    def prefers(self, scheme: str) -> None:
        """Sets what the system prefers, `light` or `dark`, with less motion."""
        self.devtools(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        )

    def open(self, link: str = "") -> None:
        """Loads the page anew from its file, with the setting that `link` ("#type=f32&...") says."""
        self.driver.get("about:blank")
        self.driver.get(PAGE.as_uri() + link)

    def run(self, script: str, *arguments: Any) -> Any:
        """Runs a JavaScript function's body in the page."""
        return self.driver.execute_script(script, *arguments)

    def actions(self) -> Any:
        """Pointer and keys, to be chained and performed."""
        return ActionChains(self.driver, duration=0)

    def wait(self, script: str) -> Any:
        """Runs JavaScript in the page, and returns when that calls done()."""
        return self.driver.execute_async_script("const done = arguments[0]; " + script)

    def listen(self) -> None:
        """Takes in what the browser has logged since the last call."""
        for entry in self.driver.get_log("browser"):
            self.complaints.append(f"{entry['level']}: {entry['message']}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])

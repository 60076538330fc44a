# SPDX-License-Identifier: Apache-2.0
"""What all tests of the micro-world's page share.

A file of such tests is skipped (exit status 77) where there is no Chromium to drive, and fails then with
SECTORBENCH_REQUIRE_WEB=1.
"""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any

from browser import PAGE, Browser, Keys, obstacle


class PageTest(unittest.TestCase):
    """The page, fresh for each test, 1200 pixels wide and light; after each it was alone and silent."""

    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def setUp(self) -> None:
        self.browser.size(1200, 900)
        self.browser.prefers("light")
        self.browser.open()

    def tearDown(self) -> None:
        """Whatever a test did: only the file was asked for, and nothing was complained of."""
        self.browser.listen()
        requests, complaints = self.browser.requests, self.browser.complaints
        self.browser.requests, self.browser.complaints = [], []
        self.assertEqual(complaints, [])
        asked = {request.split("#")[0] for request in requests} - {"about:blank", "data:,"}
        self.assertEqual(asked, {PAGE.as_uri()})

    def find(self, selector: str) -> Any:
        return self.browser.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.browser.run("return document.querySelector(arguments[0]).textContent", selector))

    def figure(self, name: str) -> str:
        """The figure without the note below it."""
        return str(self.browser.run("return at(arguments[0]).firstChild.textContent", f"f-{name}"))

    def figures(self) -> tuple[str, str, str, str]:
        sectors, sector_bytes = self.figure("sectors"), self.figure("sector-bytes")
        return (sectors, sector_bytes, self.figure("share"), self.figure("lines"))

    def setting(self) -> tuple[str, int, int, str]:
        found = self.browser.run("return [state.type, state.stride, state.offset, state.lanes.toString(16)]")
        return (found[0], found[1], found[2], found[3])

    def type_into(self, field: Any, text: str) -> None:
        """Types over what is in the field."""
        field_actions = self.browser.actions().click(field)
        everything = field_actions.key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL)
        everything.send_keys(text).perform()

    def press(self, *keys: str) -> None:
        self.browser.actions().send_keys(*keys).perform()


def main() -> None:
    """Runs the tests of the file that calls it; exit status 77 (skipped) where there is no browser."""
    reason = obstacle()
    if reason and os.environ.get("SECTORBENCH_REQUIRE_WEB") == "1":
        sys.exit(f"FAILED: {reason}")
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(module="__main__")

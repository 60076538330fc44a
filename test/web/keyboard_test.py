# SPDX-License-Identifier: Apache-2.0
"""The page is used without a pointer, and says what it is to a screen reader."""

from __future__ import annotations

from typing import Any

from browser import Keys
from support import PageTest, main

FOCUSED = """
const e = document.activeElement;
const name = e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent.trim() ?? e.textContent.trim();
const seen = [e, e.closest("label")].filter(Boolean).map(x => getComputedStyle(x))
  .some(s => s.outlineStyle === "solid" && parseFloat(s.outlineWidth) >= 2);
return [e.tagName.toLowerCase() + (e.id ? "#" + e.id : e.name ? "." + e.name : ""), name, seen];
"""


class Keyboard(PageTest):
    def focused(self) -> list[Any]:
        found = self.browser.run(FOCUSED)
        assert isinstance(found, list)
        return found

    def test_everything_is_done_by_keyboard(self) -> None:
        stops: list[list[str]] = []
        for _ in range(60):
            self.press(Keys.TAB)
            where, name, visible = self.focused()
            if where == "body" or (stops and [where, name] == stops[0]):
                break
            stops.append([where, name])
            self.assertTrue(name, f"{where} has no name")
            self.assertTrue(visible, f"focus does not show on {where} {name}")
        places = [where for where, _ in stops]
        fields = "input#stride-slide input#stride input#offset-slide input#offset input#lanes-text"
        others = "input.theme button#show input.type input.machine select#operation summary"
        for wanted in f"{fields} {others}".split():
            self.assertIn(wanted, places)
        lanes = [name for where, name in stops if name.startswith("lane ")]
        self.assertEqual(len(lanes), 1, "the lanes are one stop of Tab")

        self.go_to("input.type")
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.setting()[0], "f64")
        self.go_to("input#stride-slide")
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_UP)
        self.assertEqual(self.setting()[1], 3)
        self.press(Keys.END)
        self.assertEqual(self.setting()[1], 64)
        self.press(Keys.TAB, Keys.ARROW_DOWN)  # the number beside it
        self.assertEqual(self.setting()[1], 63)
        self.press(Keys.TAB, Keys.ARROW_RIGHT)
        self.assertEqual(self.setting()[2], 1)
        self.go_to("input.theme")
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.run("return document.documentElement.dataset.theme"), "dark")
        self.go_to("input.machine")
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.run("return state.machine"), "t4")
        self.go_to("summary")
        self.press(Keys.ENTER)
        self.assertTrue(self.browser.run("return document.activeElement.parentElement.open"))
        self.go_to("button#show")
        self.press(Keys.SPACE)
        self.assertEqual(self.setting(), ("f32", 1, 0, "ffffffff"))

    def go_to(self, place: str) -> None:
        """Tab from the top until `place` has the focus."""
        self.browser.run("document.activeElement.blur(); getSelection().collapse(document.body, 0)")
        for _ in range(60):
            self.press(Keys.TAB)
            if self.focused()[0] == place:
                return
        self.fail(f"Tab does not reach {place}")

    def test_lanes_by_keyboard(self) -> None:
        self.go_to("input#lanes-text")
        self.press(Keys.TAB)
        self.assertTrue(self.focused()[1].startswith("lane 0,"))
        self.press(Keys.SPACE)
        self.assertEqual(self.setting()[3], "fffffffe")
        self.assertEqual(self.focused()[1], "lane 0, off")
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
        self.assertEqual(self.setting()[3], "fffffffa")
        painting = self.browser.actions().key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT * 2)
        painting.key_up(Keys.SHIFT).perform()
        self.assertEqual(self.setting()[3], "ffffffe2")
        self.press(Keys.END, Keys.SPACE, Keys.ARROW_RIGHT)
        self.assertEqual((self.setting()[3], self.focused()[1]), ("7fffffe2", "lane 31, off"))
        self.press(Keys.HOME, Keys.SPACE)
        self.assertEqual(self.setting()[3], "7fffffe3")
        self.browser.size(360, 800)  # eight lanes in a row
        self.press(Keys.ARROW_DOWN)
        self.assertTrue(self.focused()[1].startswith("lane 8,"), self.focused())

    def test_what_a_screen_reader_is_told(self) -> None:
        tree = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        said: dict[str, list[str]] = {}
        for node in tree:
            if not node["ignored"]:
                role, name = node["role"]["value"], node.get("name", {}).get("value", "")
                said.setdefault(role, []).append(name)
                properties = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
                if properties.get("focusable") and role != "RootWebArea":
                    self.assertTrue(name, f"a {role} has no name")
        self.assertIn("lane 31, bytes 124-127, sector 3", said["button"])
        self.assertEqual(said["slider"], ["Stride", "Start offset"])
        self.assertEqual(len([name for name in said["button"] if name.startswith("lane ")]), 32)
        self.assertEqual(said["radiogroup"], ["Element type", "Machine"])
        self.assertEqual(len(said["main"]), 1)
        headings = "return [...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))"
        levels = self.browser.run(headings)
        self.assertEqual(levels[0], 1)
        self.assertEqual(levels.count(1), 1)
        self.assertTrue(all(after <= before + 1 for before, after in zip(levels, levels[1:])))
        self.assertIn("a launch takes 24 times as long", self.text("#chart-says"))
        self.assertEqual(self.browser.run("return document.documentElement.lang"), "en")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Controls are dragged, clicked and typed into."""

from __future__ import annotations

from browser import Keys
from support import PageTest, main


class Pointer(PageTest):
    def test_sliders_are_dragged(self) -> None:
        for slide, index, low, high in (("#stride-slide", 1, 1, 64), ("#offset-slide", 2, 0, 31)):
            element = self.find(slide)
            half = int(element.size["width"]) // 2
            self.browser.run(
                "window.passed = [];"
                "arguments[0].addEventListener('input', e => passed.push(Number(e.target.value)))",
                element,
            )
            drag = self.browser.actions().move_to_element_with_offset(element, 8 - half, 0).click_and_hold()
            drag.move_to_element(element).move_to_element_with_offset(element, half + 20, 0)
            drag.release().perform()
            self.assertTrue(any(low + 10 < value < high - 10 for value in self.browser.run("return passed")))
            self.assertEqual(self.setting()[index], high)

    def test_types_are_dragged_across(self) -> None:
        drag = self.browser.actions().click_and_hold(self.find("#type label:nth-child(3)"))
        drag.move_to_element(self.find("#type label:nth-child(4)")).perform()
        self.assertEqual(self.setting()[0], "f64")
        self.browser.actions().move_to_element(self.find("#type label:nth-child(5)")).release().perform()
        self.assertEqual(self.setting()[0], "f32x4")

    def test_lanes_are_clicked_and_dragged(self) -> None:
        lane = [self.find(f"#lanes button:nth-child({i + 1})") for i in range(32)]
        lane[5].click()
        self.assertEqual(self.setting()[3], "ffffffdf")
        drag = (
            self.browser.actions().click_and_hold(lane[8]).move_to_element(lane[9]).move_to_element(lane[10])
        )
        drag.release().perform()
        self.assertEqual(self.setting()[3], "fffff8df")
        self.browser.actions().move_to_element(lane[20]).perform()  # the button is up: nothing is painted
        self.assertEqual(self.setting()[3], "fffff8df")
        lane[5].click()
        self.assertEqual(self.setting()[3], "fffff8ff")
        self.assertEqual(self.find("#lanes-text").get_attribute("value"), "0-7,11-31")
        buttons = self.browser.driver.find_elements("css selector", ".at-once button")
        expected = (
            ("All", "ffffffff", "4"),
            ("Half", "ffff", "2"),
            ("Every second", "55555555", "4"),
            ("One", "1", "1"),
        )
        self.assertEqual([button.text for button in buttons], [text for text, _, _ in expected])
        for button, (_, mask, sectors) in zip(buttons, expected):
            button.click()
            self.assertEqual((self.setting()[3], self.figure("sectors")), (mask, sectors))

    def test_a_lane_and_its_sector_light_up_together(self) -> None:
        self.browser.actions().move_to_element(self.find("#lanes button:nth-child(12)")).perform()
        lit = self.browser.run(
            "return [...document.querySelectorAll('#lanes .lit')].map(e => e.textContent).join()"
        )
        self.assertEqual(lit, "8,9,10,11,12,13,14,15")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#fan .lit').length"), 8)
        self.assertIn("lanes 8-15", self.text("#map .lit"))

    def test_fields_take_values_and_refuse_others_in_one_line(self) -> None:
        for field, good, bad, said in (
            ("#stride", "24", "65", "stride 65 is not possible: a whole number, 1 to 64"),
            ("#stride", "1", "0", "stride 0 is not possible: a whole number, 1 to 64"),
            ("#offset", "31", "1.5", "offset 1.5 is not possible: a whole number, 0 to 31"),
            ("#lanes-text", "0-7, 16", "0-40", "lane 40 is not one of 0 to 31"),
            ("#lanes-text", "3", "7-5", "lanes 7-5 run backwards: write 5-7"),
            ("#lanes-text", "0-31", "x", '"x" is no lane: write lanes as 0-7,16'),
        ):
            with self.subTest(bad):
                element = self.find(field)
                self.type_into(element, good)
                self.assertEqual(self.text("#error"), "")
                kept = self.setting()
                self.browser.run(
                    "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
                    element,
                    bad,
                )
                self.assertEqual(self.text("#error"), said)
                self.assertEqual(self.setting(), kept)
                self.assertEqual(element.get_attribute("aria-invalid"), "true")
                self.press(Keys.TAB)  # leaving brings the value back that counts
                self.assertEqual(self.text("#error"), "")
                self.assertEqual(element.get_attribute("value"), {"0-7, 16": "0-7,16"}.get(good, good))
        self.assertEqual(self.setting(), ("f32", 1, 31, "ffffffff"))

    def test_no_lane_asks_for_nothing(self) -> None:
        self.browser.run("change({lanes: 0})")
        self.assertEqual(self.figures(), ("0", "0 B", "0 %", "0"))
        self.assertIn("nothing is fetched", self.text("#summary"))
        self.assertEqual((self.text("#rate"), self.text("#match")), ("No figure", "No lane is active."))

    def test_links_say_settings_and_wrong_ones_are_left_out(self) -> None:
        self.browser.open("#type=f64&stride=70&offset=-1&lanes=zz&machine=cray&operation=sort&step=99")
        self.assertEqual(self.setting(), ("f64", 1, 0, "ffffffff"))
        self.browser.run("location.hash = 'stride=5&lanes=ff&machine=cpu'")
        self.browser.wait(
            "addEventListener('hashchange', () => setTimeout(done)); location.hash += '&offset=2'"
        )
        self.assertEqual(self.setting(), ("f64", 5, 2, "ff"))


if __name__ == "__main__":
    main()

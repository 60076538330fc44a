# SPDX-License-Identifier: Apache-2.0
"""The guided steps are walked, and the questions unfolded."""

from __future__ import annotations

from support import PageTest, main


class Lesson(PageTest):
    def test_steps_walked(self) -> None:
        expected = (
            ("Neighbours", ("4", "128 B", "100 %", "1")),
            ("One element off", ("5", "160 B", "80 %", "2")),
            ("Stride 2", ("8", "256 B", "50 %", "2")),
            ("Stride 4", ("16", "512 B", "25 %", "4")),
            ("Stride 8", ("32", "1024 B", "12.5 %", "8")),
            ("Past stride 8", ("32", "1024 B", "12.5 %", "32")),
            ("The floor of f16", ("32", "1024 B", "6.25 %", "8")),
            ("Lanes switched off", ("4", "128 B", "50 %", "1")),
            ("Wide elements", ("16", "512 B", "100 %", "4")),
        )
        self.browser.open("#type=u8&stride=3")  # no step's setting
        for i, (title, figures) in enumerate(expected):
            with self.subTest(title):
                self.assertEqual(self.text("#step-title"), f"Step {i + 1} of {len(expected)}: {title}")
                self.assertEqual(self.text("#tell"), "Set it below, or let it be shown.")
                self.find("#show").click()
                self.assertEqual(self.figures(), figures)
                # A step's text has the figures that the page computed.
                told = self.text("#tell")
                self.assertTrue(figures[2] in told or f"{figures[0]} sectors" in told, told)
                if i + 1 < len(expected):
                    self.find("#next").click()
        self.assertFalse(self.find("#next").is_enabled())
        self.assertIn("bytes 0-3 and 132-159 are not asked for", self.step_text(2))
        self.assertIn("Sector 0 serves lanes 0-6, sector 4 lane 31 alone", self.step_text(2))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.progress .reached').length"), 9)

    def step_text(self, number: int) -> str:
        self.find(f"#progress li:nth-child({number}) button").click()
        self.find("#show").click()
        return self.text("#tell")

    def test_flat_past_eight_and_the_floor_of_each_type(self) -> None:
        shown = self.browser.run(
            """
            const shown = [];
            for (let stride = 8; stride <= 64; ++stride) {
              change({stride});
              const figures = ["sectors", "sector-bytes", "share"].map(name => at(`f-${name}`));
              shown.push(figures.map(figure => figure.firstChild.textContent).join("; "));
            }
            return shown;"""
        )
        self.assertEqual(shown, ["32; 1024 B; 12.5 %"] * 57)
        for name, floor in zip(
            ("u8", "f16", "f32", "f64", "f32x4"), ("3.125 %", "6.25 %", "12.5 %", "25 %", "50 %")
        ):
            self.browser.run("change({type: arguments[0], stride: 64})", name)
            self.assertEqual(self.figure("share"), floor)

    def test_a_step_is_reached_by_the_reader_too(self) -> None:
        self.browser.open("#step=6")
        self.assertEqual(self.text("#tell"), "Set it below, or let it be shown.")
        self.type_into(self.find("#stride"), "24")
        self.assertIn("Flat: 32 sectors", self.text("#tell"))
        self.assertIn("lines, now 24,", self.text("#tell"))

    def test_answers_unfold_and_show_their_setting(self) -> None:
        details = self.browser.driver.find_elements("css selector", ".questions details")
        self.assertEqual(len(details), 6)
        for each in details:
            self.assertFalse(each.find_element("css selector", "p").is_displayed())
            each.find_element("css selector", "summary").click()
            self.assertTrue(each.find_element("css selector", "p").is_displayed())
            self.assertNotIn(">-<", each.get_attribute("innerHTML"))
        details[0].find_element("css selector", "button").click()
        self.assertEqual(self.setting(), ("f32", 64, 0, "ffffffff"))
        self.assertEqual(self.text("#row"), "stride/gather/f32/stride:64")


if __name__ == "__main__":
    main()

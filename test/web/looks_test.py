# SPDX-License-Identifier: Apache-2.0
"""The page fits a phone, can be read in both themes, and is alone."""

from __future__ import annotations

import re
import unittest

from browser import PAGE
from support import PageTest, main

# Every element with text of its own that is shown: its text, its colour, and the first background that is
# not transparent, as [r, g, b].
TEXTS = """
const rgb = text => text.match(/[\\d.]+/g).map(Number);
const shown = [];
for (const element of document.querySelectorAll("body, body *")) {
  const own = [...element.childNodes].filter(n => n.nodeType === 3 && n.textContent.trim() !== "");
  if (own.length === 0 || !element.checkVisibility() || element.closest("option, script, style")) continue;
  const svg = element.closest("svg");
  const style = getComputedStyle(element);
  let ground = svg ?? element;
  const paper = element => rgb(getComputedStyle(element).backgroundColor);
  while (ground.parentElement && paper(ground)[3] === 0) ground = ground.parentElement;
  shown.push([own[0].textContent.trim(), rgb(svg ? style.fill : style.color).slice(0, 3),
              paper(ground).slice(0, 3), element.matches(":disabled, :has(> :disabled)")]);
}
return shown;
"""


def luminance(colour: list[float]) -> float:
    """Relative luminance of an sRGB colour of 0 to 255 (WCAG 2.2, definition of relative luminance)."""
    linear: list[float] = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: list[float], other: list[float]) -> float:
    """Contrast ratio, 1 to 21 (WCAG 2.2, definition of contrast ratio)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class Contrast(unittest.TestCase):
    def test_anchors(self) -> None:
        self.assertAlmostEqual(contrast([0, 0, 0], [255, 255, 255]), 21, 6)
        self.assertAlmostEqual(contrast([118, 118, 118], [255, 255, 255]), 4.54, 2)


class Looks(PageTest):
    def test_contrast_in_both_themes(self) -> None:
        papers = {}
        for scheme, switch in (("light", "auto"), ("dark", "auto"), ("light", "dark"), ("dark", "light")):
            with self.subTest(scheme=scheme, switch=switch):
                self.browser.prefers(scheme)
                self.browser.open(f"#stride=3&offset=1&lanes=fffff0ff&theme={switch}")
                self.browser.run("for (const d of document.querySelectorAll('details')) d.open = true")
                self.browser.run("refuse(document.getElementById('stride'), 'a line of error')")
                paper = "return getComputedStyle(document.body).backgroundColor"
                papers[scheme, switch] = self.browser.run(paper)
                texts = self.browser.run(TEXTS)
                self.assertGreater(len(texts), 200)
                low = [
                    (text, round(contrast(ink, ground), 2))
                    for text, ink, ground, disabled in texts
                    if not disabled and contrast(ink, ground) < 4.5
                ]
                self.assertEqual(low, [], "text below 4.5:1")
                self.colours_of_things()
        self.assertEqual(papers["light", "auto"], papers["dark", "light"])
        self.assertEqual(papers["dark", "auto"], papers["light", "dark"])
        self.assertNotEqual(papers["light", "auto"], papers["dark", "auto"])

    def colours_of_things(self) -> None:
        """What is no text: 3:1 against what it lies on (WCAG 2.2, 1.4.11)."""
        colours = self.browser.run(
            """
            const rgb = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
            const of = (selector, property) =>
              rgb(getComputedStyle(document.querySelector(selector))[property]);
            return {card: of(".card", "backgroundColor"),
                    "lane of an even sector": of("#lanes .even", "backgroundColor"),
                    "lane of an odd sector": of("#lanes .odd", "backgroundColor"),
                    "lane that is off": of("#lanes [aria-pressed=false]", "borderTopColor"),
                    "field": of("#offset", "borderTopColor"), "button": of("#next", "borderTopColor"),
                    "choice": of("#type", "borderTopColor"),
                    "chosen": of("#type label:has(:checked)", "backgroundColor"),
                    "focus": of("#show", "backgroundColor"),
                    "sectors": of(".chart .sectors", "stroke"), "times": of(".chart .times", "stroke")};"""
        )
        card = colours.pop("card")
        ratios = {name: round(contrast(colour, card), 2) for name, colour in colours.items()}
        self.assertEqual({name: ratio for name, ratio in ratios.items() if ratio < 3}, {}, "below 3:1")

    def test_less_motion_where_it_is_asked_for(self) -> None:
        moving = (
            "return [...document.querySelectorAll('*')]"
            "  .filter(e => getComputedStyle(e).transitionDuration !== '0s').length"
        )
        self.assertEqual(self.browser.run(moving), 0)
        self.browser.devtools("Emulation.setEmulatedMedia", features=[])
        self.assertGreater(self.browser.run(moving), 0)

    def test_nothing_is_wider_than_a_phone(self) -> None:
        for width in (320, 360, 768, 1024):
            self.browser.size(width, 800)
            self.browser.open("#step=7")
            self.browser.run("for (const d of document.querySelectorAll('details')) d.open = true")
            for link in (
                "stride=1",
                "stride=64&type=f32x4&offset=31",
                "stride=7&type=u8&lanes=9249a6d3",
                "machine=cpu&operation=scatter&stride=8",
                "stride=64&lanes=0",
            ):
                with self.subTest(width=width, link=link):
                    self.browser.run("changeFromLink(arguments[0])", f"#type=f32&operation=copy&{link}")
                    self.assertEqual(self.browser.run("return innerWidth"), width)
                    scrolled = self.browser.run("return document.documentElement.scrollWidth")
                    self.assertLessEqual(scrolled, width)
                    beyond = self.browser.run(
                        """
                        return [...document.querySelectorAll("body *")].filter(e => e.checkVisibility()
                          && !e.closest(".table, svg") && e.getBoundingClientRect().right > innerWidth + 0.5)
                          .map(e => e.outerHTML.slice(0, 80))"""
                    )
                    self.assertEqual(beyond, [])

    def test_a_finger_hits_what_it_wants(self) -> None:
        """At least 24 x 24 CSS pixels (WCAG 2.2, 2.5.8)."""
        self.browser.size(360, 800)
        small = self.browser.run(
            """
            return [...document.querySelectorAll("button, input, select, summary")]
              .filter(e => e.checkVisibility()).map(e => [e.id || e.textContent, e.getBoundingClientRect()])
              .filter(([, box]) => box.width < 24 || box.height < 24).map(([name]) => name)"""
        )
        self.assertEqual(small, [])

    def test_the_file_is_all_there_is(self) -> None:
        text = PAGE.read_text(encoding="ascii")
        # A name, no address.
        self.assertEqual(re.findall(r"https?://[^\"' ]+", text), ["http://www.w3.org/2000/svg"])
        self.assertEqual(re.findall(r"\b(?:src|srcset|action|poster)=|@import|url\(", text), [])
        self.assertEqual(re.findall(r"<link [^>]*>", text), ['<link rel="icon" href="data:,">'])
        for link in re.findall(r'<a href="([^"]+)"', text):
            self.assertTrue((PAGE.parent / link).is_file(), link)
        self.assertEqual(self.browser.run("return document.compatMode"), "CSS1Compat")

    def test_nothing_could_be_fetched_and_complaints_are_heard(self) -> None:
        """The page's own policy refuses, and the check of every test notices it."""
        self.browser.wait(
            "document.addEventListener('securitypolicyviolation', () => done());"
            "document.body.append(Object.assign(new Image(), {src: 'https://example.invalid/x.png'}))"
        )
        self.browser.listen()
        self.assertEqual(len(self.browser.complaints), 1)
        self.assertIn("Content Security Policy", self.browser.complaints[0])
        self.browser.complaints.clear()
        self.browser.requests.remove("https://example.invalid/x.png")  # it was seen, though it never left


if __name__ == "__main__":
    main()

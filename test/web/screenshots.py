#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of the micro-world that docs/micro_world/ keeps: test/web/screenshots.py [FOLDER]

Four files: desktop_light.png, desktop_dark.png (1200 pixels wide) and phone_light.png, phone_dark.png (360),
of 128 colours each, which wants Pillow (Debian: python3-pil).
Exit status: 0, or 2 if there is no Chromium to drive.
"""

from __future__ import annotations

import argparse
import base64
import io
import sys
from pathlib import Path

from PIL import Image

from browser import PAGE, Browser, obstacle

# Name, width, height, pixels per CSS pixel.
SIZES = (("desktop", 1200, 1560, 1.0), ("phone", 360, 1880, 1.5))
LINK = "#type=f32&stride=1&offset=1&lanes=ffffffff&operation=copy&machine=h200&step=2"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=PAGE.parent)
    parser.add_argument("--link", default=LINK, help="the setting to show (default: %(default)s)")
    parser.add_argument("--whole", action="store_true", help="the page to its end, answers unfolded")
    options = parser.parse_args()
    if reason := obstacle():
        print(f"screenshots.py: {reason}", file=sys.stderr)
        return 2
    browser = Browser()
    try:
        for scheme in ("light", "dark"):
            browser.prefers(scheme)
            for name, width, height, scale in SIZES:
                browser.size(width, height, scale)
                browser.open(options.link)
                if options.whole:
                    browser.run("for (const d of document.querySelectorAll('details')) d.open = true")
                    height = browser.run("return document.documentElement.scrollHeight")
                    browser.size(width, height, scale)
                # Two frames: what follows a change of size is drawn.
                browser.wait("requestAnimationFrame(() => requestAnimationFrame(done))")
                png = base64.b64decode(browser.devtools("Page.captureScreenshot", format="png")["data"])
                picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(128, dither=Image.Dither.NONE)
                picture.save(options.folder / f"{name}_{scheme}.png", optimize=True)
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

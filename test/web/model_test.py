# SPDX-License-Identifier: Apache-2.0
"""The page's arithmetic equals the C++ model's in every setting."""

from __future__ import annotations

import os
import subprocess

from support import PageTest, main

TABLE = os.environ.get("SECTORBENCH_SECTOR_TABLE", "")  # the program of sector_table.cpp
TYPES, STRIDES, OFFSETS = ("u8", "f16", "f32", "f64", "f32x4"), range(1, 65), range(32)

# One line per setting, as test/web/sector_table.cpp prints it.
PAGE_TABLE = """
const fnv1a = text => {
  let hash = 2166136261;
  for (const c of text) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619) >>> 0;
  return hash;
};
const lines = [];
for (let stride = 1; stride <= 64; ++stride)
  for (let offset = 0; offset < 32; ++offset)
    for (const lanes of arguments[1]) {
      const r = warpSectors({type: arguments[0], stride, offset, lanes});
      const mask = sector => sector.lanes.reduce((sum, lane) => sum + 2 ** lane, 0).toString(16);
      const map = r.sectors.map(sector => `${sector.index}:${mask(sector)}`).join(",");
      if (r.sectorBytes !== 32 * r.sectors.length) throw new Error("sector bytes");
      if (r.usefulShare !== (r.sectorBytes && r.usefulBytes / r.sectorBytes)) throw new Error("share");
      lines.push([arguments[0], stride, offset, lanes.toString(16), r.requests, r.sectors.length,
                  r.lines.length, r.requestedBytes, r.usefulBytes, r.idealSectors,
                  fnv1a(map).toString(16)].join(" "));
    }
return lines.join("\\n");
"""


class Model(PageTest):
    def test_every_setting_equals_the_model(self) -> None:
        said = subprocess.run([TABLE], capture_output=True, text=True, check=True, timeout=60).stdout
        model = said.splitlines()
        masks = list(dict.fromkeys(int(line.split(" ")[3], 16) for line in model))
        self.assertEqual(len(masks), 10)
        page: list[str] = []
        for name in TYPES:
            page += str(self.browser.run(PAGE_TABLE, name, masks)).split("\n")
        self.assertEqual(len(model), len(TYPES) * len(STRIDES) * len(OFFSETS) * len(masks))
        self.assertEqual(len(page), len(model))
        unequal = [f"page {ours} | model {theirs}" for ours, theirs in zip(page, model) if ours != theirs]
        self.assertEqual(len(unequal), 0, "\n".join(unequal[:3]))
        print(
            f"page and C++ model equal in {len(model)} settings: {len(TYPES)} types x {len(STRIDES)} strides "
            f"x {len(OFFSETS)} offsets x {len(masks)} masks of lanes"
        )

    def test_address_lists_of_the_field(self) -> None:
        """By hand: B + 4t, B + 4 + 4t and B + 32t, with the lanes of each sector."""
        for link, lanes in (
            (
                "stride=1&offset=0",
                {"0": "lanes 0-7", "1": "lanes 8-15", "2": "lanes 16-23", "3": "lanes 24-31"},
            ),
            (
                "stride=1&offset=1",
                {"0": "lanes 0-6", "1": "lanes 7-14", "2": "lanes 15-22", "3": "lanes 23-30", "4": "lane 31"},
            ),
            ("stride=8&offset=0", {str(lane): f"lane {lane}" for lane in range(32)}),
        ):
            with self.subTest(link):
                self.browser.open(f"#type=f32&lanes=ffffffff&{link}")
                shown = self.browser.run(
                    "return [...document.querySelectorAll('#map .touched')]"
                    "  .map(e => [e.dataset.sector, e.lastChild.textContent])"
                )
                self.assertEqual(dict(shown), lanes)
        self.assertEqual(self.text("#map h3"), "line 0: bytes 0-127")


if __name__ == "__main__":
    main()

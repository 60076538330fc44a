#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Draws the pictures of the documents again, of recorded runs: docs/pictures/draw.sh [FOLDER]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-$root/docs/pictures}
python=${PYTHON:-/usr/bin/python3}
cd "$root/docs/results"

"$python" "$root/bench/tools/plot.py" --out="$folder" h200/strides.json h200/sweep.json t4/published.json
"$python" "$root/bench/tools/plot.py" --picture=overlay --out="$folder/two_cards" \
  h200/default.json h200/second_card_default.json

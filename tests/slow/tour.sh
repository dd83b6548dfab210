#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tour.sh BUILD, run at the top: examples/tour.ipynb, executed by nbconvert, prints what is stored in it. Without
# matplotlib; with it, where that is installed, it draws. Exit code 77: not possible here.
set -eu
build=$(cd "$1" && pwd -P)
top=$(pwd -P)

. tools/slow.sh
(need slow) || skip 'packages of slow checks cannot be installed'
python=''
for one in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$one" -c 'import numpy, nbconvert, ipykernel' 2>/dev/null || python=$one
done
[ -n "$python" ] || skip 'no Python with NumPy, nbconvert and ipykernel'
library=$(find "$build" -maxdepth 1 -name 'libsamite.so.*' -type f ! -name '*.p' | head -n 1)
[ -n "$library" ] || die "$build has no libsamite.so"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/none"
echo 'raise ImportError("hidden by the test")' >"$scratch/none/matplotlib.py"

execute() { # FOLDER PYTHONPATH
    HOME=$scratch TMPDIR=$scratch PATH="$build:$PATH" PYTHONPATH="$2" SAMITE_LIBRARY="$library" PYTHONDONTWRITEBYTECODE=1 \
        "$python" -m nbconvert --to notebook --execute --output-dir "$scratch/$1" examples/tour.ipynb \
        >"$scratch/log" 2>&1 || die "$(tail -n 30 "$scratch/log")"
}

execute text "$scratch/none:$top/python"
"$python" - examples/tour.ipynb "$scratch/text/tour.ipynb" <<'END_OF_SCRIPT'
import difflib
import json
import sys

texts = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    texts.append("".join("".join(output["text"]) for cell in cells for output in cell.get("outputs", ())))
if texts[0] != texts[1] or "race in local memory" not in texts[0]:
    sys.exit("".join(difflib.unified_diff(*(text.splitlines(True) for text in texts), "stored", "executed")))
END_OF_SCRIPT
say 'the notebook prints what is stored in it'
if "$python" -c 'import matplotlib' 2>/dev/null; then
    execute drawn "$top/python"
    grep -q '"image/png"' "$scratch/drawn/tour.ipynb" || die 'with matplotlib, the notebook draws nothing'
    say 'with matplotlib it draws'
fi

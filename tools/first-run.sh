#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# first-run.sh BUILD: the output of `./dev run`: a kernel on real input, its result checked, where its
# instructions went, and what to try next. It fits a screen of 80 columns and 24 lines.
set -eu
build=$1
count=100000
block=256
grid=$(((count + block - 1) / block))
out=$build/run
mkdir -p "$out"
"$build/examples/arrays" "$out" "$count" >/dev/null
cat <<END
\$ samite run kernels/vecadd.s --kernel vecadd --grid $grid --block $block \\
    --arg in:a.npy --arg in:b.npy --arg c=out:f32:$count:c.npy \\
    --arg u32:$count --check c=sum.npy --stats
END
status=0
"$build/samite" run kernels/vecadd.s --kernel vecadd --grid $grid --block $block \
    --arg "in:$out/a.npy" --arg "in:$out/b.npy" --arg "c=out:f32:$count:$out/c.npy" \
    --arg "u32:$count" --check "c=$out/sum.npy" --stats >"$out/report" || status=$?
# The launch, what was counted, the most frequent instructions, the check.
awk '/^launch/ { sub(/: done, /, ": done\n  "); print }
    /^  (workgroups|warp instructions|lane instructions|SIMT efficiency|64-byte lines)/
    /^  mix of/ { rows = 4 }
    rows > 0 { print; rows-- }
    /^check/' "$out/report"
cat <<END

All of the statistics: $out/report; the arrays: $out/*.npy. Try next:
  $build/samite --help          what else there is; samite VERB --help for each
  $build/samite isa vsw12.v     what an instruction does
  $build/kernels/check          all kernels, each against its reference
  ./dev test                   every test
README.md explains the command above and shows others.
END
exit "$status"

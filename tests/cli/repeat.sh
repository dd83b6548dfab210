#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Eight kinds of runs, each 12 times with one and two workers by turns: what they print and every
# file that they write is the same, byte for byte.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$scratch" || exit 1
"$SAMITE_BUILD/examples/arrays" . 5000 >/dev/null || exit 1
head -c 400000 /dev/urandom >noise.bin
samite=$SAMITE kernels=$SAMITE_SOURCE/kernels
sum="--arg in:$scratch/a.npy --arg in:$scratch/b.npy"

same() { # STATUS COMMAND...
    want=$1
    shift
    rm -rf runs
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        mkdir -p "runs/$i"
        status=0
        (cd "runs/$i" && "$@" -j $((1 + i % 2)) >stdout 2>stderr) || status=$?
        [ "$status" = "$want" ] || { cat "runs/$i/stderr" && echo "status $status" && return 1; }
        diff -r runs/1 "runs/$i"
    done
    [ -n "$(find runs/1 -type f -size +0c)" ] # there is something to compare
}

vecadd() { # OPTIONS...
    # shellcheck disable=SC2086 # options
    "$samite" run "$kernels/vecadd.s" --kernel vecadd --grid 79 --block 64 $sum \
        --arg out:f32:5000:c.npy --arg u32:5000 -q "$@"
}

# Each workgroup adds to one word without an atomic.
racy() {
    cat >race.s <<'EOF'
    .globl race
race: lw a1, 0(a0)
    lw t0, 0(a1)
    addi t0, t0, 1
    sw t0, 0(a1)
    ret
EOF
    "$samite" run race.s --kernel race --grid 8 --block 64 --arg out:u32:4 -q --sanitize=race "$@"
}

softmax() { # OPTIONS...
    "$samite" run "$kernels/tile/softmax.pto" -q --arg "in:$scratch/x.npy" \
        --arg out:f32:16,64:y.npy "$@"
}

on_the_host() { # one worker
    softmax --stats
}

mkdir x && "$SAMITE_BUILD/examples/arrays" x 1024 >/dev/null && mv x/a.npy x.npy || exit 1

check "a kernel" same 0 vecadd
check "its commit log" same 0 vecadd --log=log
check "its cycles" same 0 vecadd --cycles --perfetto t.json
check "its profile" same 0 vecadd --profile p.json
check "races" same 1 racy
check "a tile program on the host" same 0 on_the_host
check "a tile program on the system, in time" same 0 softmax --machine system --cycles
check "packed weights" same 0 "$samite" pack "$scratch/noise.bin" --dtype bf16 -o p.smw -q
finish

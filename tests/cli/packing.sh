#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packing under attack: two processes with one target, processes that are killed, records and parts
# of several processes that are forged. A target is whole or absent, and the next run is right.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$scratch" || exit 1
samite=$SAMITE
"$SAMITE_BUILD/examples/arrays" . 1000000 >/dev/null || exit 1
mkdir in forged && cp a.npy in/ && cp b.npy in/ && echo text >in/note.txt
"$samite" convert a.npy b.npy -o m.safetensors >/dev/null || exit 1
"$samite" pack -q m.safetensors -o one.smw && "$samite" pack -q in -o one || exit 1

two_processes() {
    for _ in 1 2 3 4 5 6; do
        "$samite" pack -qf m.safetensors -o two.smw &
        first=$!
        "$samite" pack -qf m.safetensors -o two.smw
        wait "$first"
        cmp one.smw two.smw
        rm two.smw
    done
    [ -z "$(find . -name '*two*')" ]
}

killed() {
    for delay in 0.001 0.01 0.02 0.05 0.1 0.2; do
        "$samite" pack -q m.safetensors -o k.smw &
        sleep "$delay"
        kill -9 $! 2>/dev/null || true
        wait $! || true
        [ ! -e k.smw ] || cmp one.smw k.smw
        "$samite" pack -qf m.safetensors -o k.smw
        cmp one.smw k.smw
        rm -f k.smw
        "$samite" pack -q --part 1/2 in -o kept &
        sleep "$delay"
        kill -9 $! 2>/dev/null || true
        wait $! || true
        "$samite" pack -qf --part 1/2 in -o kept
        "$samite" pack -q --part 2/2 in -o kept
        diff -r one kept
        rm -r kept
    done
}

# Status 2 and one line, or a folder that is right.
survives() { # FOLDER
    status=0
    timeout 60 "$samite" pack -q --part 1/2 in -o "$1" 2>said </dev/null || status=$?
    case $status in
    0)
        timeout 60 "$samite" pack -qf --part 2/2 in -o "$1" 2>said || status=$?
        # names that no part has are files like any other
        rm -f "$1/.samite-part-0-of-2" "$1/.samite-part-3-of-2" "$1"/.samite-part-*[!2]
        # a forged "done" cannot be told from a true one: what is missing is noticed all the same
        [ "$status" = 2 ] || diff -r one "$1" || "$samite" verify -q "$1" 2>&1 | grep incomplete
        ;;
    2) [ "$(wc -l <said)" = 1 ] ;;
    *) cat said && echo "status $status" && return 1 ;;
    esac
}

forged_records() {
    good=$("$samite" pack -q --part 2/2 in -o r && cat r/.samite-part-2-of-2)
    hash=$(echo "$good" | cut -d ' ' -f 3)
    n=0
    for line in '' 'samite' "samite part $hash" "samite part $hash done" "samite part $hash working" \
        "samite part ${hash}0 done" "samite part 0000000000000000 done" "$good $good" \
        'samite part zzzzzzzzzzzzzzzz done' "$(head -c 5000 /dev/zero | tr '\0' a)"; do
        for name in 1-of-2 2-of-2 0-of-2 3-of-2 1-of-0 2-of-99999999999999999999 1-of-1x; do
            n=$((n + 1))
            mkdir "forged/$n"
            printf '%s\n' "$line" >"forged/$n/.samite-part-$name"
            survives "forged/$n"
        done
    done
    mkdir -p forged/folder/.samite-part-1-of-2 forged/link forged/binary
    ln -s nowhere/at/all forged/link/.samite-part-1-of-2
    head -c 300 /dev/urandom >forged/binary/.samite-part-2-of-2
    for kind in folder link binary; do survives "forged/$kind"; done
}

# A changed or cut part is refused, or what it is merged to is right.
forged_parts() {
    for part in 1 2; do "$samite" pack -q --part $part/2 m.safetensors -o f.smw; done
    size=$(wc -c <f.smw.part-1-of-2)
    for part in 1 2; do
        name=f.smw.part-$part-of-2
        cp "$name" good.part
        for at in 0 1 7 8 9 15 16 24 31 40 63 64 100 200 $((size / 2)) $((size - 100)) $((size - 8)) $((size - 1)); do
            head -c "$at" good.part >"$name"
            joins
            cp good.part "$name"
            printf '\377' | dd of="$name" bs=1 seek="$at" conv=notrunc 2>/dev/null
            joins
        done
        cp good.part "$name"
    done
    "$samite" merge -q f.smw
    cmp one.smw f.smw
}

joins() {
    status=0
    timeout 60 "$samite" merge -q f.smw 2>said || status=$?
    if [ "$status" = 0 ]; then
        status=0
        "$samite" verify -q f.smw 2>said || status=$? # a changed chunk is found here
        [ "$status" = 2 ] || cmp one.smw f.smw
        rm f.smw
    else
        [ "$status" = 2 ] && [ "$(wc -l <said)" = 1 ] && [ ! -e f.smw ]
    fi
}

check "two processes with one target" two_processes
check "processes that are killed" killed
check "forged records of parts" forged_records
check "forged parts of a file" forged_parts
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verbs of the weight codec as a user calls them.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$scratch" || exit 1
samite=$SAMITE

"$SAMITE_BUILD/examples/arrays" . 200000 >/dev/null || exit 1
tail -c 500000 a.npy >plain.bin
head -c 300000 /dev/urandom >noise.bin

says() { # PATTERN COMMAND...
    pattern=$1
    shift
    "$@" >said 2>&1
    grep -qE -- "$pattern" said || { cat said && return 1; }
}

state() { # of every file: name and contents
    find . -type f ! -name before ! -name after ! -name '.*' -exec cksum {} + | sort -k 3
}

# refuses PATTERN COMMAND...: status 2, one line that says so, and no file is left or changed
refuses() {
    pattern=$1
    shift
    state >before
    fails 2 "$@"
    grep -qE -- "$pattern" .stderr || return 1
    state >after
    diff before after
}

convert() {
    "$samite" convert a.npy --bf16 b.npy sum=sum.npy 'we"ird name=plain.bin:f16:500,500' raw=noise.bin -o m.safetensors
    says '"b":\{"dtype":"BF16","shape":\[200000\],"data_offsets":\[800000,1200000\]\}' head -c 400 m.safetensors
}

there_and_back() { # FILE [OPTION...]
    file=$1
    shift
    "$samite" pack "$file" -o p.smw "$@" >/dev/null
    "$samite" verify p.smw
    "$samite" unpack p.smw -o back
    cmp "$file" back
}

streams() {
    "$samite" pack m.safetensors -o file.smw -q
    # shellcheck disable=SC2002 # a pipe is the point
    cat m.safetensors | "$samite" pack - -o - | cmp - file.smw
    # shellcheck disable=SC2002
    cat file.smw | "$samite" unpack - -o - | cmp - m.safetensors
    # shellcheck disable=SC2002
    cat noise.bin | "$samite" pack - -o - | "$samite" unpack - -o - | cmp - noise.bin
}

threads() {
    for n in 1 2 5; do
        "$samite" pack m.safetensors -T $n -o t$n.smw -q
        "$samite" unpack t$n.smw -T $n -o t$n.out
        cmp t$n.out m.safetensors
    done
    cmp t1.smw t2.smw && cmp t1.smw t5.smw
}

default_names() {
    "$samite" pack m.safetensors -q
    mv m.safetensors original
    "$samite" unpack m.safetensors.smw
    cmp m.safetensors original
}

tensor() { # elements 100 to 149 of a f32 array are 400 bytes in its file, from byte 128 + 400 on
    "$samite" unpack m.safetensors.smw --tensor a --range 100:150 -o x.npy
    "$samite" unpack m.safetensors.smw --tensor a --range 100:150 -o x.bin
    tail -c 200 x.npy | cmp - x.bin
    tail -c +529 a.npy | head -c 200 | cmp - x.bin
    "$samite" unpack m.safetensors.smw --tensor a -o whole.npy
    cmp whole.npy a.npy
    "$samite" unpack m.safetensors.smw --tensor 'we"ird name' -o y.bin
    cmp y.bin plain.bin
}

model() {
    mkdir model
    cp m.safetensors model/one.safetensors
    cp a.npy model/weights.npy
    "$samite" convert c=a.npy -o model/two.safetensors
    echo '{"weight_map": {"a": "one.safetensors", "b": "one.safetensors", "c": "two.safetensors"}}' \
        >model/model.safetensors.index.json
    "$samite" pack model -o packed >/dev/null
    "$samite" unpack packed -o restored
    diff -r model restored
    "$samite" verify packed
    "$samite" unpack packed --tensor c -o c.npy
    cmp c.npy a.npy
    "$samite" pack model/model.safetensors.index.json -o shards -q
    [ -f shards/one.safetensors.smw ] && [ -f shards/model.safetensors.index.json ]
    [ ! -f shards/weights.npy.smw ]
    cmp shards/two.safetensors.smw packed/two.safetensors.smw
}

json() { # every form is JSON
    "$samite" pack m.safetensors -o p.smw --json >1.json
    "$samite" info p.smw --json >2.json
    "$samite" stat m.safetensors --hw --json >3.json
    for n in 1 2 3; do
        python3 -m json.tool "$n.json" >/dev/null
    done
}

hardware() {
    says 'plane 0: 200000 symbols in 200514 cycles, 0 counters saturate' "$samite" stat a.npy --hw
    says ' [1-9][0-9]* counters saturate, .* 17 bits would do' "$samite" stat a.npy --hw=12x256
    says ' [1-9][0-9]* symbols beyond the depth' "$samite" stat a.npy --hw=32x64
}

killed() { # during the work the old output stays
    echo old >k.smw
    head -c 40000000 /dev/urandom >large.bin
    (
        "$samite" pack large.bin -o k.smw -q &
        pid=$!
        sleep 0.01
        kill -9 $pid
        wait $pid
    ) 2>/dev/null || true
    [ "$(cat k.smw)" = old ] || "$samite" verify k.smw
}

damaged() {
    cp file.smw d.smw
    printf 'X' | dd of=d.smw bs=1 seek=100000 conv=notrunc 2>/dev/null
    refuses "damaged in tensor '(a|b)': wrong checksum|damaged in tensor" "$samite" verify d.smw
    refuses 'd.smw: damaged' "$samite" unpack d.smw -o d.out
    # What is not hit is still to be had.
    "$samite" unpack d.smw --tensor raw -o raw.bin
    cmp raw.bin noise.bin
}

check 'convert' convert
check 'safetensors' there_and_back m.safetensors
check 'safetensors, dense' there_and_back m.safetensors --dense
check 'safetensors, bit planes' there_and_back m.safetensors --planes=bit
check 'npy' there_and_back a.npy
check 'npy of another type' there_and_back a.npy --dtype i32
check 'raw' there_and_back noise.bin
check 'raw of a type and shape' there_and_back plain.bin --dtype bf16 --shape 500,500
check 'streams' streams
check 'threads' threads
check 'names without -o' default_names
check 'one tensor, a range' tensor
check 'a folder, an index of shards' model
check 'info' says 'we"ird name +f16 +500x500' "$samite" info m.safetensors.smw
check 'stat' says '^a +f32 +200000 +8 exponent \+ 24 raw' "$samite" stat m.safetensors
check 'SymbolStat' hardware
if command -v python3 >/dev/null; then
    check 'JSON' json
fi
check 'kill -9' killed
check 'damage' damaged
check 'no such file' refuses 'nosuch: cannot open' "$samite" pack nosuch
check 'not packed' refuses 'a.npy: not a packed file' "$samite" verify a.npy
check 'a type that is none' refuses "'bf17' is no type" "$samite" pack a.npy --dtype bf17
check 'a type too wide' refuses 'not as wide' "$samite" pack a.npy --dtype bf16 -o w.smw
check 'a shape that does not fit' refuses 'do not make' "$samite" pack plain.bin --dtype f16 --shape 3,5 -o w.smw
check 'a type for safetensors' refuses 'for npy and raw' "$samite" pack m.safetensors --dtype f16 -o w.smw
check 'a range too far' refuses 'not within the 200000 elements' "$samite" unpack m.safetensors.smw --tensor a --range 5:200001 -o z.npy
check 'no such tensor' refuses "no tensor is called 'A'" "$samite" unpack m.safetensors.smw --tensor A -o z.npy
check 'two of one name' refuses "two tensors are called 'a'" "$samite" convert a.npy a=b.npy -o z.safetensors
head -c 1000 m.safetensors >cut.safetensors
check 'truncated safetensors' refuses 'cut.safetensors: .*ends behind' "$samite" pack cut.safetensors
printf '\377\377\377\377\0\0\0\0{' >lie.safetensors
check 'a header that lies' refuses 'a header of 4294967295 bytes' "$samite" pack lie.safetensors
if [ -c /dev/full ]; then
    check 'full disk, pack' refuses 'No space left' "$samite" pack a.npy -o /dev/full
    check 'full disk, unpack' refuses 'No space left' "$samite" unpack m.safetensors.smw -o /dev/full
fi
finish

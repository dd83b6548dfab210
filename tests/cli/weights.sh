#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verbs of the weight codec as a user calls them.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$scratch" || exit 1
# Most files are made repeatedly, so -f is used, except in the cases about existing files.
cat >.samite <<'EOF'
#!/bin/sh
case $1 in
pack | unpack | convert)
    verb=$1
    shift
    exec "$SAMITE" "$verb" -f "$@"
    ;;
esac
exec "$SAMITE" "$@"
EOF
chmod +x .samite
samite=$scratch/.samite

export SAMITE
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
        "$samite" pack m.safetensors -j $n -o t$n.smw -q
        "$samite" unpack t$n.smw -j $n -o t$n.out
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
    "$samite" verify p.smw -j 2 --json >4.json
    "$samite" verify p.smw d.smw --json >5.json 2>/dev/null && return 1
    "$samite" unpack p.smw -o back --json >6.json
    "$samite" unpack p.smw --tensor a --range 5:7 -o x.npy --json >7.json
    "$samite" convert a.npy b.npy -o z.safetensors --json >8.json
    "$samite" pack - -o p.smw --json <m.safetensors >9.json
    "$samite" unpack packed -o restored --json >10.json
    for n in 1 2 3 4 5 6 7 8 9 10; do
        python3 -m json.tool "$n.json" >/dev/null
    done
}

json_values() {
    size=$(wc -c <m.safetensors)
    packed=$(wc -c <p.smw)
    says "\"good\": true" cat 4.json
    tr -d ' \n' <4.json | grep -q "\"bytes\":$size,\"packed\":$packed"
    tr -d ' \n' <5.json | grep -q '"good":false,"error":"d.smw:damaged'
    tr -d ' \n' <6.json | grep -q "\"packed_file\":\"p.smw\",\"file\":\"back\",\"bytes\":$size,\"packed\":$packed"
    tr -d ' \n' <7.json | grep -q '"tensor":"a","dtype":"f32","first":5,"elements":2,"bytes":8'
    tr -d ' \n' <8.json | grep -q '"name":"b","dtype":"f32","shape":\[200000\],"bytes":800000,"from":"b.npy"'
    tr -d ' \n' <9.json | grep -q "\"file\":\"-\",\"packed_file\":\"p.smw\",\"bytes\":$size"
    [ "$(grep -c packed_file 10.json)" = 3 ]
}

gguf() { # one f32 tensor of 100000 elements, at a multiple of 32
    {
        printf 'GGUF\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
        printf '\1\0\0\0\0\0\0\0w\1\0\0\0\240\206\1\0\0\0\0\0'
        printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
        tail -c 400000 a.npy
    } >w.gguf
    there_and_back w.gguf
    "$samite" unpack p.smw --tensor w --range 99990: -o x.bin
    tail -c 40 a.npy | cmp - x.bin
}

gguf_stream() { # of 10007 u8: padded after the last tensor, unpadded, and padded too far
    for alignment in 32 256; do
        {
            printf 'GGUF\3\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0'
            printf '\21\0\0\0\0\0\0\0general.alignment\4\0\0\0'
            case $alignment in
            32) printf '\40\0\0\0' ;;
            *) printf '\0\1\0\0' ;;
            esac
            printf '\1\0\0\0\0\0\0\0w\1\0\0\0\27\47\0\0\0\0\0\0'
            printf '\30\0\0\0\0\0\0\0\0\0\0\0'
        } >head.gguf
        {
            cat head.gguf
            head -c $((alignment - $(wc -c <head.gguf) % alignment)) /dev/zero
            head -c 10007 noise.bin
        } >bare.gguf
        {
            cat bare.gguf
            head -c $((alignment - $(wc -c <bare.gguf) % alignment)) /dev/zero
        } >full.gguf
        "$samite" pack full.gguf -q -o full.smw
        # shellcheck disable=SC2002 # a pipe is the point
        cat full.gguf | "$samite" pack - -q -o stream.smw
        cmp full.smw stream.smw
        there_and_back bare.gguf
        says 'w +i8 +10007 ' "$samite" info p.smw
        fails_piped() { # PATTERN FILE
            # shellcheck disable=SC2002
            cat "$2" | "$samite" pack - -q -o no.smw 2>said && return 1
            grep -q "$1" said && [ "$(wc -l <said)" = 1 ] && [ ! -e no.smw ]
        }
        fails_piped 'without padding .*: not supported for a stream, give the file name' bare.gguf
        head -c 10000 bare.gguf >cut.gguf
        fails_piped 'truncated: 10000 of' cut.gguf
        cat full.gguf head.gguf >more.gguf
        fails_piped 'more than .*: not supported for a stream, give the file name' more.gguf
        there_and_back more.gguf
    done
}

ranges() { # of the 200000 elements of a, the last 3
    "$samite" unpack m.safetensors.smw --tensor a --range 199997: -o x.bin
    tail -c 12 a.npy | cmp - x.bin
    "$samite" unpack m.safetensors.smw --tensor a --range :199997 -o x.bin
    [ "$(wc -c <x.bin)" = 799988 ]
    "$samite" unpack m.safetensors.smw --tensor a --range 200000: -o x.bin
    [ ! -s x.bin ]
    "$samite" unpack m.safetensors.smw --tensor a --range : -o x.npy
    cmp x.npy a.npy
}

# Past 4 GiB: a sparse file with data on both sides of that offset.
large() {
    truncate -s 4295000000 large.bin
    printf 'ahead of' | dd of=large.bin bs=1 seek=4294967290 conv=notrunc 2>/dev/null
    printf 'the end' | dd of=large.bin bs=1 seek=4294999993 conv=notrunc 2>/dev/null
    "$samite" pack large.bin -o l.smw -q
    "$samite" unpack l.smw --tensor data --range 4294967290:4294967298 -o x.bin
    [ "$(cat x.bin)" = 'ahead of' ]
    "$samite" unpack l.smw --tensor data --range 4294999993: -o x.bin
    [ "$(cat x.bin)" = 'the end' ]
    "$samite" unpack l.smw -o - | cmp - large.bin
    rm -f large.bin l.smw
}

holes() { # are there files with holes here, of that size?
    truncate -s 4295000000 hole 2>/dev/null
    size=$(stat -c %s hole)
    used=$(($(stat -c %b hole) * 512))
    rm -f hole
    [ "$size" = 4295000000 ] && [ "$used" -lt 1000000 ]
}

# A disk of half a megabyte: existing files stay, and nothing else is left.
full_disk() {
    mkdir -p disk
    mount -t tmpfs -o size=512k samite-test disk
    echo old >disk/out
    for words in "pack m.safetensors -o disk/out" "unpack file.smw -o disk/out" \
        "convert a.npy b.npy -o disk/out" "unpack file.smw --tensor a -o disk/out" \
        "unpack packed -o disk/folder"; do
        # shellcheck disable=SC2086 # a list of words
        fails 2 "$samite" $words || break
        grep -q 'No space left' "$scratch/.stderr" || break
        [ "$(cat disk/out)" = old ] || break
        find disk -type f ! -size -2 >left
        [ ! -s left ] || break
        words=
    done
    ls -l disk
    umount disk
    [ -z "$words" ]
}

can_mount() {
    mkdir -p disk && mount -t tmpfs -o size=512k samite-test disk 2>/dev/null && umount disk
}

limited() { # ulimit -f is like a full disk
    for words in "pack m.safetensors -o lim" "unpack file.smw -o lim" \
        "convert a.npy b.npy -o lim" "unpack file.smw --tensor b -o lim"; do
        # shellcheck disable=SC2086 # a list of words
        (ulimit -f 100 && refuses 'File too large' "$samite" $words)
    done
}

# The reader ends early: no message, no file, and no hang.
closed_early() {
    "$samite" unpack file.smw -o - 2>said | head -c 10 >ten
    head -c 10 m.safetensors | cmp - ten
    "$samite" pack m.safetensors -o - 2>>said | head -c 10 >ten
    [ -s ten ] && [ ! -s said ]
    # shellcheck disable=SC2002 # a pipe is the point
    head -c 70000 file.smw | fails 2 "$samite" verify -
    head -c 70000 m.safetensors >part
    # shellcheck disable=SC2002
    cat part | "$samite" pack - -o k.out 2>said && return 1
    [ "$(wc -l <said)" = 1 ] && [ ! -e k.out ]
}

folders() {
    mkdir -p nothing plain mixed
    echo text >plain/readme
    refuses 'nothing: no weights' "$samite" pack nothing -o n.packed
    refuses 'plain: no weights' "$samite" pack plain -o n.packed
    refuses 'plain: no packed file' "$samite" unpack plain -o n.packed
    refuses 'plain: no packed file' "$samite" verify plain
    refuses 'model: the output is the input' "$samite" pack model -o model
    refuses 'a.npy: Not a directory' "$samite" pack model -o a.npy
    [ ! -e n.packed ]
    cp a.npy mixed/a.npy
    "$samite" pack a.npy -q -o mixed/a.npy.smw
    refuses 'a.npy.smw: two input files have this output' "$samite" pack mixed -o n.packed
    refuses 'a.npy: two input files have this output' "$samite" unpack mixed -o n.packed
    rm mixed/a.npy.smw
    ln -s ../b.npy mixed/link.npy
    ln -s nowhere mixed/dangling
    echo hidden >mixed/.hidden
    mkdir mixed/sub
    "$samite" pack mixed -q -o n.packed 2>notes
    [ "$(grep -c 'skipped: not a regular file' notes)" = 2 ]
    "$samite" unpack n.packed -o n.back
    cmp n.back/link.npy b.npy && cmp n.back/.hidden mixed/.hidden
    echo '{"weight_map": {"a": "../a.npy"}}' >x.index.json
    refuses 'a shard outside the folder' "$samite" pack x.index.json -o n2
    echo '{"weight_map": {"a": "none.safetensors"}}' >x.index.json
    refuses 'none.safetensors: missing' "$samite" pack x.index.json -o n2
    echo '{"weight_map": 1' >x.index.json
    refuses 'x.index.json: ' "$samite" pack x.index.json -o n2
}

shards() { # a shard that the index names and that is not there
    cp -r model sh
    "$samite" pack sh -q -o sh.smw
    rm sh.smw/two.safetensors.smw
    missing='sh.smw/two.safetensors: missing: model.safetensors.index.json names this shard'
    refuses "$missing" "$samite" verify sh.smw -q
    "$samite" verify sh.smw >said 2>/dev/null && return 1
    grep -q '^sh.smw/one.safetensors.smw: good' said
    "$samite" verify sh.smw --json >said 2>/dev/null && return 1
    tr -d ' \n' <said | grep -q '"file":"sh.smw","good":false,"error":"sh.smw/two.safetensors:missing'
    refuses "$missing" "$samite" unpack sh.smw -o sh.back
    refuses "$missing" "$samite" unpack sh.smw --tensor c -o c.npy
    "$samite" unpack sh.smw --tensor a -o x.npy
    cmp x.npy a.npy
    rm sh/two.safetensors
    refuses 'sh/two.safetensors: missing' "$samite" pack sh -o sh.2
    refuses 'sh/two.safetensors: missing' "$samite" stat sh
    refuses 'sh/two.safetensors: missing' "$samite" pack sh/model.safetensors.index.json -o sh.2
    [ ! -e sh.back ] && [ ! -e sh.2 ]
    echo '{"weight_map": {"a": "pytorch_model.bin"}}' >sh/pytorch_model.bin.index.json
    cp model/two.safetensors sh # what is of no weights that are packed may be missing
    "$samite" pack sh -q -o sh.2
}

to_standard() { # a folder
    refuses 'several files cannot go to standard output: use -o FOLDER' "$samite" pack model -o -
    refuses 'several files' "$samite" pack model/model.safetensors.index.json -o -
    refuses 'several files' "$samite" unpack packed -o -
    [ ! -e ./- ]
}

mode_and_time() { # of the input, whatever the umask and an older output say
    cp a.npy mine.npy
    chmod 640 mine.npy
    touch -d '2001-02-03 04:05:06' mine.npy
    wanted=$(stat -c '%a %Y' mine.npy)
    umask 077
    "$samite" pack mine.npy -q
    [ "$(stat -c '%a %Y' mine.npy.smw)" = "$wanted" ]
    cp a.npy mine.back
    chmod 666 mine.back
    "$samite" unpack mine.npy.smw -o mine.back
    [ "$(stat -c '%a %Y' mine.back)" = "$wanted" ]
    mkdir mine
    mv mine.npy mine
    echo text >mine/config.json
    chmod 604 mine/config.json
    "$samite" pack mine -q -o mine.smw
    [ "$(stat -c '%a %Y' mine.smw/mine.npy.smw)" = "$wanted" ]
    [ "$(stat -c %a mine.smw/config.json)" = 604 ]
    "$samite" pack - -o piped.smw <mine/mine.npy # none to be had
    [ "$(stat -c %a piped.smw)" = 600 ]
}

shard_named() { # by what is wrong with a tensor of it
    cp -r packed hit
    printf 'XXXX' | dd of=hit/two.safetensors.smw bs=1 seek=300000 conv=notrunc 2>/dev/null
    refuses 'error: hit/two.safetensors.smw: ' "$samite" unpack hit --tensor c -o c.bin
    refuses 'hit/two.safetensors.smw: the range 5:200001 exceeds' "$samite" unpack hit --tensor c --range 5:200001 -o c.bin
    refuses 'hit/two.safetensors.smw: the range 5:3 ' "$samite" unpack hit --tensor c --range 5:3 -o c.bin
}

stat_many() { # what pack packs, and no more
    "$samite" stat model >many
    grep -q '^model/one.safetensors: tensors of ' many && grep -q '^model/weights.npy: ' many
    says '^model: tensors of [0-9]+ bytes could become [0-9]+, ' tail -n 1 many
    # the sum is that of the files
    awk '/: tensors of/ { n++; if ($1 != "model:") sum += $4; else all = $4 }
        END { exit !(n == 4 && sum == all) }' many
    "$samite" stat model/model.safetensors.index.json >many
    grep -q '^model/two.safetensors: ' many
    grep -q weights.npy many && return 1
    says '"file": "model/two.safetensors"' "$samite" stat model --json
    says '^\[' "$samite" stat a.npy --json
    grep -q '"file"' said && return 1
    refuses 'apply to a single file' "$samite" stat model -d f32
    refuses 'plain: no weights' "$samite" stat plain
    refuses 'file.smw: is packed: use samite info' "$samite" stat file.smw
}

helpful() { # what a message can say, it says
    refuses "unknown verb 'pakc'; did you mean 'pack'. " "$samite" pakc a.npy
    refuses "unknown verb 'xyzzy' .samite" "$samite" xyzzy a.npy
    for type in opaque bf16 f16 f32 e4m3 e5m2 e8m0 e2m1 i4 u8 i8 u16 i16 u32 i32 u64 i64 f64 bool; do
        refuses "unknown type 'bf17': .*\\b$type\\b" "$samite" pack a.npy --dtype bf17
    done
    refuses 'no output: use -o FOLDER' "$samite" pack model
    refuses 'no output: use -o FILE' "$samite" pack -
    refuses 'no output: use -o' "$samite" unpack packed
    cp -r packed short.smw
    "$samite" unpack short.smw -q
    diff -r model short
    rm -r short
    "$samite" unpack short.smw/ -q
    diff -r model short
}

older_files() { # an older packing in the way, whose files would be brought back
    mkdir old
    "$samite" pack model -q -o old
    "$samite" pack model -q -o old
    cp a.npy old/one.safetensors.smw.123-4.tmp # of a run that was killed
    "$samite" pack model -q -o old
    rm old/one.safetensors.smw.123-4.tmp
    cp a.npy old/one.safetensors.smw.tmpl
    refuses 'old/one.safetensors.smw.tmpl: unexpected file' "$samite" pack model -q -o old
    rm old/one.safetensors.smw.tmpl
    echo x >old/z
    echo x >old/gone.safetensors.smw
    refuses 'old/gone.safetensors.smw: unexpected file' "$samite" pack model -q -o old
    rm old/gone.safetensors.smw
    refuses 'old/z: unexpected file' "$samite" pack model -q -o old
    refuses 'old/weights.npy.smw: unexpected file' "$samite" pack model/model.safetensors.index.json -q -o old
    [ "$(find old -type f | wc -l)" = 5 ]
}

unfinished() { # when a folder fails, nothing is left except what was there
    cp -r model bad
    head -c 1000 m.safetensors >bad/two.safetensors
    for input in bad bad/model.safetensors.index.json; do
        refuses 'two.safetensors: ' "$samite" pack $input -q -o bad.smw
        [ ! -e bad.smw ]
    done
    mkdir bad.smw
    "$samite" pack bad -q -o bad.smw 2>/dev/null && return 1
    [ -f bad.smw/one.safetensors.smw ] && [ ! -e bad.smw/two.safetensors.smw ]
}

header() { # TEXT [BYTES]: a safetensors file with this header and so many bytes after it
    size=$(printf '%s' "$1" | wc -c)
    # shellcheck disable=SC2059 # an octal number
    printf "\\$(printf %o "$size")\0\0\0\0\0\0\0" >h.safetensors
    printf '%s' "$1" >>h.safetensors
    head -c "${2:-0}" noise.bin >>h.safetensors
}

bad_headers() {
    one='"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}'
    header "{$one}" 8
    there_and_back h.safetensors
    header "{$one,\"b\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[4,12]}}" 12
    refuses "h.safetensors: tensor 'b' at byte .* overlaps" "$samite" pack h.safetensors
    # A name with line breaks or control characters is one word of a table, and unchanged in JSON.
    header '{"a\nb/../\u001b[1m":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}}' 8
    says '^a.b/\.\./.\[1m +u8' "$samite" pack h.safetensors
    says '"a\\nb/../\\u001[bB]\[1m"' "$samite" info --json h.safetensors.smw
    "$samite" info h.safetensors.smw | LC_ALL=C grep -q "$(printf '\033')" && return 1
    rm h.safetensors.smw
}

fortran() { # 2x3 in Fortran order: convert puts it in order, a packed file has it as it stands
    printf '\223NUMPY\1\0\166\0%-117s\nAABBCCDDEEFF' \
        "{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3), }" >f.npy
    there_and_back f.npy
    says 'data +u16 +6 ' "$samite" info p.smw
    "$samite" convert f.npy -o f.safetensors
    says '"dtype":"U16","shape":\[2,3\],"data_offsets":\[0,12\]' cat f.safetensors
    [ "$(tail -c 12 f.safetensors)" = AACCEEBBDDFF ]
    refuses 'a type cannot be given for an array' "$samite" convert f.npy:i16 -o g.safetensors
}

hardware() {
    says 'plane 0: 200000 symbols in 200514 cycles, 0 counters saturate' "$samite" stat a.npy --hw
    says ' [1-9][0-9]* counters saturate, .* 17 bits would suffice' "$samite" stat a.npy --hw=12x256
    says ' [1-9][0-9]* symbols beyond the depth' "$samite" stat a.npy --hw=32x64
}

damaged() {
    cp file.smw d.smw
    printf 'X' | dd of=d.smw bs=1 seek=100000 conv=notrunc 2>/dev/null
    refuses "damaged in tensor '(a|b)': checksum mismatch|damaged in tensor" "$samite" verify d.smw
    refuses 'd.smw: damaged' "$samite" unpack d.smw -o d.out
    # What the damage does not hit can still be read.
    "$samite" unpack d.smw --tensor raw -o raw.bin
    cmp raw.bin noise.bin
}

# Existing files are not overwritten, nor is any file of a folder; with -f they are. Pipes and devices hold
# nothing.
existing() {
    mkdir ex
    cp a.npy ex/a.npy
    echo old >ex/a.npy.smw
    refuses 'ex/a.npy.smw: exists: use -f to overwrite it' "$SAMITE" pack ex/a.npy
    "$SAMITE" pack ex/a.npy -f -q
    cmp ex/a.npy.smw p.smw 2>/dev/null || "$SAMITE" verify ex/a.npy.smw
    refuses 'ex/a.npy: exists: use -f' "$SAMITE" unpack ex/a.npy.smw
    "$SAMITE" unpack ex/a.npy.smw --force
    echo old >ex/x.npy
    refuses 'ex/x.npy: exists: use -f' "$SAMITE" unpack ex/a.npy.smw --tensor data -o ex/x.npy
    "$SAMITE" unpack -f ex/a.npy.smw --tensor data -o ex/x.npy
    cmp ex/x.npy a.npy
    refuses 'ex/x.npy: exists: use -f' "$SAMITE" convert a.npy b.npy -o ex/x.npy
    "$SAMITE" convert -f a.npy b.npy -o ex/x.npy
    "$SAMITE" pack model -q -o ex/m.smw
    rm ex/m.smw/one.safetensors.smw
    refuses 'ex/m.smw/model.safetensors.index.json: exists: use -f' "$SAMITE" pack model -q -o ex/m.smw
    [ ! -e ex/m.smw/one.safetensors.smw ]
    "$SAMITE" pack model -q -f -o ex/m.smw
    "$SAMITE" pack a.npy -q -o /dev/null
    mkfifo ex/pipe
    cat ex/pipe >ex/piped &
    "$SAMITE" pack a.npy -q -o ex/pipe
    wait
    cmp ex/piped ex/a.npy.smw
    rm -r ex
}

# From a pipe, which cannot be read twice, the report is the same as for the file.
report_of_a_pipe() {
    "$samite" pack m.safetensors -o p.smw >1.out
    # shellcheck disable=SC2002 # a pipe is the point
    cat m.safetensors | "$samite" pack /dev/stdin -o p2.smw >2.out
    # shellcheck disable=SC2002
    cat m.safetensors | "$samite" pack - -o p3.smw >3.out
    mkfifo pipe
    cat m.safetensors >pipe &
    "$samite" pack pipe -o p4.smw >4.out
    wait
    rm pipe
    for n in 2 3 4; do
        cmp p.smw p$n.smw
        head -n -1 1.out >1.rows
        head -n -1 $n.out | cmp - 1.rows
    done
    # shellcheck disable=SC2002
    cat m.safetensors | "$samite" stat - >5.out
    "$samite" stat m.safetensors | sed '$d' >6.out
    sed '$d' 5.out | cmp - 6.out
    # pack reports the same bound as stat, except for the columns
    [ "$(awk '$1 == "a" { print $10 }' 1.out)" = "$(awk '$1 == "a" { print $11 }' 6.out)" ]
}

endless() { # devices and pipes without an end
    refuses 'is a device: expected a file or a pipe' "$samite" info /dev/zero
    refuses 'is a device' "$samite" stat /dev/zero
    refuses 'is a device' "$samite" pack /dev/zero -o z.smw
    refuses 'is a device' "$samite" unpack /dev/zero --tensor x -o z
}

info_unpacked() {
    "$samite" info m.safetensors >said
    grep -q '^m.safetensors: safetensors, [0-9]* bytes$' said
    grep -Eq '^we"ird name +f16 +500x500 +500000$' said
    says '^data +f32 +200000 +800000$' "$samite" info a.npy
    says '^w +f32 +100000 +400000$' "$samite" info w.gguf
    says '^data +opaque +300000 +300000$' "$samite" info noise.bin
    # shellcheck disable=SC2002
    cat m.safetensors | "$samite" info - >said2
    grep -Eq '^we"ird name +f16 +500x500 +500000$' said2
    # shellcheck disable=SC2002
    cat m.safetensors.smw | "$samite" info - >said2
    grep -Eq '^we"ird name +f16 +500x500 +500000 +[0-9]+ ' said2
    "$samite" info model >said
    [ "$(grep -c '^model/' said)" = 3 ]
    cp a.npy one.smw
    refuses 'one.smw: not a packed file' "$samite" info one.smw
    rm one.smw
    mkdir -p plain
    refuses 'plain: no weights' "$samite" info plain
}

foreign() { # weights of other formats are copied, and a message says so
    mkdir fo
    cp a.npy fo/a.npy
    cp plain.bin fo/pytorch_model.bin
    echo '{}' >fo/config.json
    "$samite" pack fo -o fo.smw >said 2>notes
    [ "$(cat notes)" = 'samite: note: fo/pytorch_model.bin: copied unchanged: pack does not support this format' ]
    grep -Eq '^fo: 1 files packed, 800128 bytes into [0-9]+, [0-9.]+ %; 2 copied, 500003 bytes, including 1 weight files in other formats, 500000 bytes$' said
    cmp fo.smw/pytorch_model.bin plain.bin
    "$samite" pack fo -o fo.smw -q >said 2>notes
    [ ! -s said ] && [ ! -s notes ]
    "$samite" pack fo -o fo.smw --json 2>/dev/null >said
    grep -q '"copied_to": "fo.smw/pytorch_model.bin"' said
    rm -r fo fo.smw
}

widened() { # bf16, which NumPy has not, as f32: what its low half of zeros makes it
    "$samite" unpack m.safetensors.smw --tensor b -o b16.npy
    "$samite" unpack m.safetensors.smw --tensor b --dtype f32 -o b32.npy
    says "'descr': '<f4'" head -c 128 b32.npy
    tail -c +129 b32.npy | od -An -v -tx2 -w4 | awk '{ if ($1 != "0000") exit 1; print $2 }' >b32.words
    tail -c +129 b16.npy | od -An -v -tx2 -w2 | awk '{ print $1 }' | cmp - b32.words
    "$samite" unpack m.safetensors.smw --tensor b --range 7:9 -d f64 -o x.bin
    [ "$(wc -c <x.bin)" = 16 ]
    refuses 'f16 cannot hold every value of b, which is bf16' "$samite" unpack m.safetensors.smw --tensor b -d f16 -o z.npy
    refuses 'dtype requires --tensor' "$samite" unpack m.safetensors.smw -d f32 -o z.npy
}

manifest() { # TensorFlow.js: two shards of one group, quantized ones in another
    mkdir tf
    head -c 6 plain.bin >tf/s1.bin
    tail -c +7 plain.bin | head -c 10 >tf/s2.bin
    printf '\000\001\004\010' >tf/q.bin
    cat >tf/model.json <<'EOF'
{"format": "layers-model", "weightsManifest": [
  {"paths": ["s1.bin", "s2.bin"], "weights": [
    {"name": "dense/kernel", "shape": [3, 1], "dtype": "float32"},
    {"name": "n", "shape": [], "dtype": "int32"}]},
  {"paths": ["q.bin"], "weights": [
    {"name": "q", "shape": [4], "dtype": "float32",
     "quantization": {"dtype": "uint8", "scale": 0.5, "min": -1}}]}]}
EOF
    "$samite" convert tf/model.json -o tf.safetensors
    says '"dense/kernel":\{"dtype":"F32","shape":\[3,1\],"data_offsets":\[0,12\]\},"n":\{"dtype":"I32","shape":\[\]' head -c 300 tf.safetensors
    tail -c 32 tf.safetensors | head -c 16 | cmp - plain.bin -n 16
    [ "$(tail -c 16 tf.safetensors | od -An -tf4 | tr -s ' ')" = ' -1 -0.5 1 3' ]
    rm tf/s2.bin
    refuses 'tf/s2.bin: cannot open' "$samite" convert tf/model.json -o z.safetensors
    printf 12345678901 >tf/s2.bin
    refuses 'tf/model.json: a group .s1.bin, .... has 17 bytes: its weights need 16' "$samite" convert tf/model.json -o z.safetensors
    sed -i 's|"q.bin"|"../a.npy"|' tf/model.json
    refuses 'not a file name in the same folder' "$samite" convert tf/model.json -o z.safetensors
    echo '{"a": 1}' >tf/config.json
    refuses 'tf/config.json: JSON without a weightsManifest' "$samite" convert tf/config.json -o z.safetensors
    refuses 'names and types cannot be given for a model' "$samite" convert x=tf/model.json -o z.safetensors
    "$samite" convert tf/config.json:u8 -o tf.safetensors
    rm -r tf
}

# Names with control characters, including C1, never reach a terminal.
controls() {
    name=$(printf 'n\033[1m\302\233x.npy')
    cp a.npy "$name"
    "$samite" pack "$name" -o ctl.smw >said
    "$samite" info "$name" >>said
    "$samite" stat "$name" >>said
    cp ctl.smw "$name.smw"
    "$samite" verify "$name.smw" >>said
    "$samite" info "$name.smw" >>said
    grep -q 'n?.1m??x.npy' said
    LC_ALL=C grep -q "$(printf '[\033\233]')" said && return 1
    rm "$name" "$name.smw"
}

check 'convert' convert
check 'safetensors' there_and_back m.safetensors
check 'safetensors, dense' there_and_back m.safetensors --dense
check 'safetensors, bit planes' there_and_back m.safetensors --planes=bit
check 'npy' there_and_back a.npy
check 'npy of another type' there_and_back a.npy --dtype i32
check 'raw' there_and_back noise.bin
check 'raw of a type and shape' there_and_back plain.bin --dtype bf16 --shape 500,500
check 'gguf' gguf
check 'gguf from a pipe' gguf_stream
check 'streams' streams
check 'threads' threads
check 'names without -o' default_names
check 'one tensor, a range' tensor
check 'a folder, an index of shards' model
check 'info' says 'we"ird name +f16 +500x500' "$samite" info m.safetensors.smw
check 'stat' says '^a +f32 +200000 +8 exponent \+ 24 raw' "$samite" stat m.safetensors
check 'SymbolStat' hardware
check 'damage' damaged
if command -v python3 >/dev/null; then
    check 'JSON' json
    check 'JSON of each verb' json_values
fi
if holes; then
    check 'past 4 GiB' large
else
    skip 'past 4 GiB' 'no files with holes, or none of that size, where temporary files are'
fi
check 'ranges' ranges
check 'existing files' existing
check 'a report without a second reading' report_of_a_pipe
if [ -c /dev/zero ]; then
    check 'devices without an end' endless
fi
check 'what is in unpacked files' info_unpacked
check 'weights of other formats in a folder' foreign
check 'bf16 as f32' widened
check 'control characters in names' controls
check 'a model of TensorFlow.js' manifest
check 'the reader ends early' closed_early
check 'folders' folders
check 'a folder to standard output' to_standard
check 'permissions and time' mode_and_time
check 'the shard of a tensor' shard_named
check 'a missing shard' shards
check 'messages that help' helpful
check 'stat of a folder' stat_many
check 'older files in the folder' older_files
check 'a folder that fails' unfinished
check 'damaged safetensors headers' bad_headers
check 'npy in Fortran order' fortran
check 'an empty file' there_and_back /dev/null
: >empty.safetensors
check 'an empty safetensors file' refuses 'truncated in its header' "$samite" pack empty.safetensors
check 'an empty packed file' refuses 'empty.safetensors: truncated' "$samite" verify empty.safetensors
check 'no such file' refuses 'nosuch: cannot open' "$samite" pack nosuch
check 'not packed' refuses 'a.npy: not a packed file' "$samite" verify a.npy
check 'a type that is none' refuses "unknown type 'bf17'" "$samite" pack a.npy --dtype bf17
check 'a type too wide' refuses 'element width differs' "$samite" pack a.npy --dtype bf16 -o w.smw
check 'a shape that does not fit' refuses 'does not match its shape' "$samite" pack plain.bin --dtype f16 --shape 3,5 -o w.smw
check 'a shape of nothing' refuses 'shape requires --dtype' "$samite" pack -s 500,500 plain.bin -o w.smw
check 'a shape of nothing, stat' refuses 'shape requires --dtype' "$samite" stat -s 7 plain.bin
check 'a shape of bytes' refuses 'shape requires --dtype' "$samite" stat -d opaque -s 7 plain.bin
check 'a shape that does not fit npy' refuses 'does not match its shape' "$samite" stat -s 7 a.npy
check 'a type for safetensors' refuses 'for npy and raw' "$samite" pack m.safetensors --dtype f16 -o w.smw
check 'a range too far' refuses 'exceeds the 200000 elements' "$samite" unpack m.safetensors.smw --tensor a --range 5:200001 -o z.npy
check 'a range backwards' refuses 'ends before it begins' "$samite" unpack m.safetensors.smw --tensor a --range 5:3 -o z.npy
check 'a range from too far' refuses 'exceeds' "$samite" unpack m.safetensors.smw --tensor a --range 200001: -o z.npy
check 'no range' refuses 'expected a range of elements' "$samite" unpack m.safetensors.smw --tensor a --range 5-7 -o z.npy
check 'a range that wraps' refuses 'expected a range of elements' "$samite" unpack m.safetensors.smw --tensor a --range 0:18446744073709551615 -o z.npy
check 'a range of no tensor' refuses 'range requires --tensor' "$samite" unpack m.safetensors.smw --range 5:7 -o z.npy
check 'no such tensor' refuses "no tensor is called 'A' " "$samite" unpack m.safetensors.smw --tensor A -o z.npy
check 'almost a tensor' refuses "no tensor is called 'we.rd name'; did you mean 'we.ird name'" "$samite" unpack m.safetensors.smw --tensor 'we"rd name' -o z.npy
check 'an option that comes too late' refuses '\-\-bf16 has no effect' "$samite" convert a.npy --bf16 -o z.safetensors
check 'no threads' refuses 'expected a number from 1 to 256' "$samite" pack a.npy -j 0
check 'too many threads' refuses 'expected a number from 1 to 256' "$samite" unpack m.safetensors.smw -j 1000
check 'packed already' refuses 'is already packed' "$samite" pack m.safetensors.smw
check 'never packed' refuses 'a.npy: not a packed file' "$samite" unpack a.npy -o z.npy
check 'onto its input' refuses 'the output is the input' "$samite" pack a.npy -o ./a.npy
check 'back onto its input' refuses 'the output is the input' "$samite" unpack m.safetensors.smw -o m.safetensors.smw
check 'a tensor onto its input' refuses 'the output is the input' "$samite" unpack m.safetensors.smw --tensor a -o m.safetensors.smw
check 'an array onto itself' refuses 'the output is the input' "$samite" convert a.npy -o a.npy
check 'JSON among data' refuses 'both go to standard output' "$samite" pack a.npy -o - --json
check 'a folder for a file' refuses 'Is a directory' "$samite" pack a.npy -o model
check 'no folder' refuses 'nowhere/x: cannot' "$samite" pack a.npy -o nowhere/x
check 'no verb of folders' refuses 'nosuch: ' "$samite" pack nosuch -o z
if [ "$(id -u)" = 0 ]; then
    skip 'a file that may not be read' 'root may read all'
else
    cp a.npy closed.npy && chmod 0 closed.npy
    check 'a file that may not be read' fails 2 "$samite" pack closed.npy
fi
check 'two of one name' refuses "two tensors named 'a'" "$samite" convert a.npy a=b.npy -o z.safetensors
head -c 1000 m.safetensors >cut.safetensors
check 'truncated safetensors' refuses 'cut.safetensors: .*extends past' "$samite" pack cut.safetensors
printf '\377\377\377\377\0\0\0\0{' >lie.safetensors
check 'a header that lies' refuses 'a header of 4294967295 bytes' "$samite" pack lie.safetensors
check 'ulimit -f' limited
if can_mount; then
    check 'full disk' full_disk
else
    skip 'full disk' 'no tmpfs can be mounted'
fi
if [ -c /dev/full ]; then
    check 'full disk, pack' refuses 'No space left' "$samite" pack a.npy -o /dev/full
    check 'full disk, unpack' refuses 'No space left' "$samite" unpack m.safetensors.smw -o /dev/full
fi
finish

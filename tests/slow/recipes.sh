#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Applies the recipes of docs/ to a copy of the tree, builds what they need, and runs what is new: a
# unit with a queue (adding-a-queue.md), a tile operation on floats and one on integers
# (adding-a-tile-operation.md), an element type (adding-an-element-type.md), and a vector instruction
# whose vd is a source (adding-an-instruction.md).
# Whatever has no lowering must be refused by name, and what a table lacks must not compile.
#
#   tests/slow/recipes.sh BUILD-DIRECTORY
#
# The copy and its build are in BUILD-DIRECTORY/recipes, and removed at the end. Exit status 77: skipped.
set -u
[ $# -eq 1 ] || { echo "usage: $0 BUILD-DIRECTORY" >&2; exit 2; }
mkdir -p "$1/recipes" && scratch=$(cd "$1/recipes" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
for tool in git meson ninja python3; do
    command -v "$tool" >/dev/null || { echo "recipes: skipped: no $tool"; exit 77; }
done
git rev-parse --verify -q HEAD >/dev/null || { echo "recipes: skipped: not a git checkout"; exit 77; }

failed=0
fail() {
    echo "not ok: $*"
    failed=1
}
good() {
    echo "ok: $*"
}
stop() {
    echo "recipes: $*"
    tail -n 30 "$scratch/log"
    exit 1
}

# --- the copy
rm -rf "$scratch/tree" && mkdir -p "$scratch/tree" "$scratch/run"
git ls-files -z | xargs -0 tar cf - | tar xf - -C "$scratch/tree" || exit 1
cd "$scratch/tree" || exit 1
meson setup "$scratch/tree/build" >"$scratch/log" 2>&1 || stop "meson setup failed"
build="ninja -C $scratch/tree/build"
samite=$scratch/tree/build/samite

# Put the lines on standard input after the first line of a file with this text. With a page, it must
# have each of the lines.
after() { # FILE TEXT [PAGE]
    cat >"$scratch/new"
    if [ $# = 3 ]; then
        tr -s ' ' <"$3" >"$scratch/page"
        tr -s ' ' <"$scratch/new" | sed 's/^ //' | while read -r line; do
            grep -qF -e "$line" "$scratch/page" || echo "$3 has no line '$line'"
        done >"$scratch/log"
        [ -s "$scratch/log" ] && stop "$3 says something else"
    fi
    awk -v text="$2" -v new="$scratch/new" '
        { print }
        !done && index($0, text) { while ((getline row < new) > 0) print row; done = 1 }
        END { exit !done }' "$1" >"$scratch/edited" || stop "$1 has no line '$2'"
    cat "$scratch/edited" >"$1"
}

# Edit a file with a command of sed, which must change it.
replace() { # COMMAND FILE
    sed "$1" "$2" >"$scratch/edited"
    cmp -s "$scratch/edited" "$2" && stop "$2 has no text for '$1'"
    cat "$scratch/edited" >"$2"
}

# What a table lacks does not compile: the object of a file of src/, and a word of the message.
does_not_compile() { # FILE WORD
    object=$(ninja -C "$scratch/tree/build" -t targets all | sed -n "s|^\(libsamite\.so[^:]*/src_$(
        echo "$1" | tr / _)\.o\):.*|\1|p" | head -n 1)
    if $build "$object" >"$scratch/log" 2>&1; then
        fail "$1 compiles"
    elif grep -q "error: .*$2" "$scratch/log"; then
        good "$1 does not compile: $2"
    else
        stop "$1: no error about '$2'"
    fi
}

# --- a latency class of instructions: without a unit of the time model it does not compile
replace 's|X(CONTROL) /\* of warps \*/|X(CONTROL) X(NEW)|' src/isa/isa.h
does_not_compile gputime/classify.c UNIT_NEW
replace 's|X(CONTROL) X(NEW)|X(CONTROL) /* of warps */|' src/isa/isa.h

# --- a unit with a queue: without its file the library does not link
page=docs/adding-a-queue.md
after include/samite/device/units.def 'SAM_WORD(total_high, ""))' $page <<'END'

SAM_QUEUE(COPIES, COPY, copy, "copy unit", "copies", "copy record", "1: bytes that are not mapped",
    SAM_WORD(source, "address of the bytes")
    SAM_WORD(destination, "where they go")
    SAM_WORD(bytes, "how many")
    SAM_WORD(zero_3, "0") SAM_WORD(zero_4, "0") SAM_WORD(zero_5, "0") SAM_WORD(zero_6, "0")
    SAM_WORD(zero_7, "0") SAM_WORD(zero_8, "0") SAM_WORD(zero_9, "0") SAM_WORD(zero_10, "0")
    SAM_WORD(zero_11, "0") SAM_WORD(zero_12, "0") SAM_WORD(zero_13, "0") SAM_WORD(zero_14, "0")
    SAM_WORD(zero_15, "0"))
END
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' $page >src/system/copy.c
replace "s/^  'directory.c',/  'copy.c',\n&/" src/system/meson.build
$build tests/isa/device_headers >"$scratch/log" 2>&1 || stop "tools/device_headers.c does not compile"
"$scratch/tree/build/tests/isa/device_headers" include/samite/device || stop "device_headers failed"

# --- a tile operation: on integers, on all dtypes, and one without lines for integers
page=docs/adding-a-tile-operation.md
after src/tile/ops.def 'TILE_OP(TXOR,' $page <<'END'
TILE_OP(TNAND, "tnand", "tt", BINARY, NAND, WHOLE, "d = ~(a & b)")
TILE_OP(TABSDIF, "tabsdif", "tt", BINARY, ABSDIF, ORDER, "d = |a - b|")
END
echo 'TILE_OP(TPLUS, "tplus", "tt", BINARY, PLUS, ORDER, "d = a + b")' | after src/tile/ops.def 'TILE_OP(TXOR,'
after src/tile/functions.def 'TILE_FUNCTION(XOR,' $page <<'END'
TILE_FUNCTION(NAND,   UNDEFINED,          ~(a[i] & b[i]))
TILE_FUNCTION(ABSDIF, fabsf(a[i] - b[i]), a[i] < b[i] ? b[i] - a[i] : a[i] - b[i])
END
echo 'TILE_FUNCTION(PLUS, a[i] + b[i], (int64_t)(wrap(a[i]) + wrap(b[i])))' |
    after src/tile/functions.def 'TILE_FUNCTION(XOR,'
does_not_compile lower/functions.c function_NAND
after src/lower/functions.def 'LOWER_FUNCTION(XOR,' $page <<'END'
LOWER_FUNCTION(NAND, .sint = "vand.vv $d, $a, $b; vxor.vi $d, $d, -1", .after = WRAPS)
LOWER_FUNCTION(ABSDIF, .real = "vfsub.vv $d, $a, $b; vfsgnjx.vv $d, $d, $d",
               .sint = "vmax.vv v8, $a, $b; vmin.vv $d, $a, $b; vsub.vv $d, v8, $d",
               .uint = "vmaxu.vv v8, $a, $b; vminu.vv $d, $a, $b; vsub.vv $d, v8, $d",
               .after = ROUNDS | WRAPS)
END
after src/lower/functions.def 'LOWER_FUNCTION(XOR,' <<'END'
LOWER_FUNCTION(PLUS, .real = "vfadd.vv $d, $a, $b", .after = ROUNDS)
END
after tests/tile/ops.c 'case SAM_TILE_FN_XOR:' <<'END'
    case SAM_TILE_FN_NAND: return ~x | ~y;
    case SAM_TILE_FN_ABSDIF: return a < b ? y - x : x - y;
    case SAM_TILE_FN_PLUS: return x + y;
END
after tests/tile/ops.c 'case SAM_TILE_FN_SQRT:' <<'END'
    case SAM_TILE_FN_ABSDIF: return fabsl(a - b);
    case SAM_TILE_FN_PLUS: return a + b;
END
tools/tile-tables.sh >"$scratch/log" || stop "tools/tile-tables.sh failed"

# --- an element type
page=docs/adding-an-element-type.md
after include/samite/dtype.def '.fp = {2, 3, 1, SAM_FP_ALL_REAL, 0, 0, false, false}' $page <<'END'
SAM_DTYPE(E6M9, 27, "e6m9", 16, FLOAT, .fp = {6, 9, 31, SAM_FP_IEEE, 0x7f00, 0, false, false},
          .safetensors = "F16_E6M9", .onnx = ID(25), .ttype = 0x1000, .tile = "e6m9")
END
after tests/base/dtype.c 'by_definition(5, 2, 15, x);' <<'END'
    case SAM_E6M9:
        return (x & 0x7e00) == 0x7e00 ? special(INFINITY, x & 0x1ff, x >> 15)
                                      : by_definition(6, 9, 31, x);
END
awk '/assert_int_equal\(types, [0-9]+\)/ { match($0, /[0-9]+/); $0 = substr($0, 1, RSTART - 1) substr($0, RSTART, RLENGTH) + 1 substr($0, RSTART + RLENGTH) }
    { print }' tests/base/dtype.c >"$scratch/edited" && cat "$scratch/edited" >tests/base/dtype.c
after tests/reference/tensor_ref_type.c '{"bf16", 0x200,' <<'END'
    {"e6m9", 0x1000, 16, 0, 6, 9, 31, 0x7dff, true, 0x7f00},
END
after tests/tile/tile_test.h '{SAM_TILE_bf16, 0x7f80,' <<'END'
    {SAM_E6M9, 0x7e00, {.exponent = 6, .mantissa = 9, .bias = 31, .nan = 0x7f00}},
END
replace 's/SAM_TILE_ui32};/SAM_TILE_ui32, SAM_E6M9};/' tests/tile/tile_test.h
replace 's/"ui64", /&"e6m9", /' tests/tile/generated.c

# --- an instruction
page=docs/adding-an-instruction.md
after src/isa/ventus.def 'INSN(vftta_vv,' $page <<'END'
INSN(vsadacc_vv, "vsadacc.vv", 0x1000400bu, 0xfc00707fu, "D,T,SM", SAM_EXT_XVENTUS,
     LANES, READS_VD(ALU), ANY, "vd[i] = |vs2[i] - vs1[i]| + vd[i]", "where it is described")
END
after src/simt/lanes_tmpl.h 'VV_VX(vnmsub,' $page <<'END'
VV(vsadacc, d + (SI(a) < SI(b) ? b - a : a - b))
END
after tests/simt/semantics.txt 'vftta.vv v3' $page <<'END'
vsadacc.vv v3, v1, v2 | v1=2,3,-4,5 v2=10,-10,7,5 v3=100 | v3=108,113,111,100
END
replace 's/"vfnmsub", "vftta"}/"vfnmsub", "vftta", "vsadacc"}/' tests/reference/gputime_ref_insn.c
after tests/reference/ref_ops.def 'REF_OP(VMACC,' <<'END'
REF_OP(VSADACC, "vsadacc")
END
after tests/reference/ref_decode.c 'if (funct7 >> 1 == 3) {' <<'END'
            insn->op = REF_VFTTA;
            insn->rd = ref_vd(f);
            insn->rs1 = ref_v1(f);
            insn->rs2 = ref_v2(f);
            insn->vm = funct7 & 1;
        } else if (funct7 >> 1 == 4) {
            insn->op = REF_VSADACC;
            insn->form = REF_FORM_V;
            insn->rd = ref_vd(f);
            insn->rs1 = ref_v1(f);
            insn->rs2 = ref_v2(f);
            insn->vm = funct7 & 1;
            break;
        }
        if (funct7 >> 1 == 3) {
END
after tests/reference/ref_vector.c 'case REF_VNMSUB:' <<'END'
    case REF_VSADACC: *r = d + (sa < sb ? b - a : a - b); break;
END

# --- the tests that the recipes name
tests='base_dtype tensor_every_addi tile_ops tile_generated lower_exhaustive lower_kernels simt_semantics
    simt_random sanitize_undef_rules sanitize_undef_random isa_device system_arguments system_registers
    system_queue system_weight_queue system_time'
targets=
for test in $tests; do
    targets="$targets tests/test_$test"
done
ninja -C "$scratch/tree/build" -t targets all | grep -q '^tests/test_tile_ops:' || targets=
# shellcheck disable=SC2086 # a list of words
$build samite $targets >"$scratch/log" 2>&1 || stop "the tree with the recipes does not compile"
[ "$targets" ] || echo "no unit tests: cmocka is missing"
for test in ${targets:+$tests}; do
    if SAMITE_SOURCE=$PWD "$scratch/tree/build/tests/test_$test" >"$scratch/log" 2>&1; then
        good "test $test"
    else
        grep -a '^#\|FAILED\|\[  ERROR\|fail' "$scratch/log" | head -n 20
        fail "test $test"
    fi
done

# --- the queue: 2048 bytes from memory to memory, waited for or not
cd "$scratch/run" || exit 1
queue() { # REGISTER TO READ AFTER THE SUBMISSION
    cat <<END
    .include "$scratch/tree/include/samite/device/layout.inc"
_start:
    li      s0, SAM_SYSTEM_COPY_SUBMIT
    la      s1, record
    sw      s1, 0(s0)
    li      t0, SAM_SYSTEM_COPY_$1
    lw      t1, 0(t0)
    la      t0, destination
    lw      t2, 2044(t0)
    li      t3, 0x5a5a5a5a
    sub     t2, t2, t3
    li      t0, SAM_SYSTEM_EXIT
    sw      t2, 0(t0)
    .data
record: .word source, destination, 2048, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
source: .fill 512, 4, 0x5a5a5a5a
destination: .space 2048
END
}
queue WAIT >wait.s
queue SUBMITTED >race.s
cycles_of_copies() { # OPTIONS
    "$samite" run wait.s --machine system --json "$@" 2>log | python3 -c '
import json, sys
units = json.load(sys.stdin)["system"]["units"]
print([u["cycles"]["copy"] for u in units if u["unit"] == "copies"])'
}
if "$samite" run -q wait.s --machine system --check-races >log 2>&1 &&
    "$samite" run -q wait.s --machine system --cycles --perfetto trace.json >>log 2>&1 &&
    grep -q 'copies: fetch' trace.json; then
    good "a copy, waited for"
else
    head -n 5 log
    fail "a copy, waited for"
fi
"$samite" run -q race.s --machine system --cycles --check-races >log 2>&1
if grep -q 'store by copy record 0 at ' log; then
    good "a copy that is not waited for is a race"
else
    fail "no race of a copy that is not waited for"
fi
if [ "$(cycles_of_copies --cycles) $(cycles_of_copies --config copy.line_cycles=3)" = '[32] [96]' ]; then
    good "cycles of copies by copy.line_cycles"
else
    fail "cycles of copies: $(cycles_of_copies --cycles), $(cycles_of_copies --config copy.line_cycles=3)"
fi

# --- arrays of 16 x 64 elements: random bits, with zeros, infinities, NaN and small numbers of floats
cd "$scratch/run" || exit 1
cat >arrays.py <<'END'
import random, struct
random.seed(6)
special = {'u2': (0, 0x8000, 0x7c00, 0x7e00, 0xfe00, 0x7e01, 1, 0x81ff, 0x7dff, 0x7f80, 0x7fc0),
           'f2': (0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 1, 0x83ff, 0x7bff),
           'f4': (0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00001, 1, 0x807fffff, 0x7f7fffff),
           'i4': (0, 1 << 31, 0x7fffffff), 'u1': (0, 255), 'i1': (0, 128, 127)}
for name, few in special.items():
    bits = 8 * int(name[1])
    for which in 'ab':
        words = [random.choice(few) if random.random() < 0.1 else random.getrandbits(bits) for _ in range(1024)]
        if name == 'f4': # half of them in the range of types of 16 bits
            words = [w if random.random() < 0.5 else
                     struct.unpack('<I', struct.pack('<f', random.gauss(0, 1) * 2.0 ** random.randint(-45, 34)))[0] for w in words]
        head = "{'descr': '%s%s', 'fortran_order': False, 'shape': (16, 64), }" % ('|' if bits == 8 else '<', name)
        head += ' ' * (-(len(head) + 11) % 64) + '\n'
        with open(f'{name}{which}.npy', 'wb') as file:
            file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
            file.write(b''.join(w.to_bytes(bits // 8, 'little') for w in words))
END
python3 arrays.py || exit 1

# A program of one operation on tiles of 16 x 64: sources of one dtype, a destination of another.
program() { # OPERATION[ ATTRIBUTE] SOURCES DTYPE RESULT [SHAPE OF THE RESULT]
    shape=${5-16x64}
    rows=${shape%x*} cols=${shape#*x}
    type="!pto.tile<vec, 16x64x$3>"
    result="!pto.tile<vec, $shape""x$4>"
    view="!pto.partition_tensor_view"
    names='' types='' arguments=''
    for i in a b; do
        [ $i = b ] && [ "$2" = 1 ] && continue
        names="$names${names:+, }%t$i" types="$types${types:+, }$type"
        arguments="$arguments%$i: !pto.ptr<$3>, "
    done
    echo "func.func @f($arguments%d: !pto.ptr<$4>) {"
    for number in 0 1 16 64; do
        echo "  %c$number = arith.constant $number : index"
    done
    for i in a b; do
        [ $i = b ] && [ "$2" = 1 ] && continue
        echo "  %v$i = pto.make_tensor_view %$i, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?x$3>"
        echo "  %p$i = pto.partition_view %v$i, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?x$3> -> $view<16x64x$3>"
        echo "  %t$i = pto.tload %p$i : $view<16x64x$3> -> $type"
    done
    echo "  %vd = pto.make_tensor_view %d, shape = [%c$rows, %c$cols], strides = [%c$cols, %c1] : !pto.tensor_view<?x?x$4>"
    echo "  %pd = pto.partition_view %vd, offsets = [%c0, %c0], sizes = [%c$rows, %c$cols] : !pto.tensor_view<?x?x$4> -> $view<${shape}x$4>"
    echo "  %td = pto.${1%% *} $names${1#"${1%% *}"} : $types -> $result"
    echo "  pto.tstore ins(%td : $result) outs(%pd : $view<${shape}x$4>)"
    echo "  return"
    echo "}"
}

# The array of a dtype: as NumPy has it.
array_of() { # DTYPE
    case $1 in
    f32) echo f4 ;; f16) echo f2 ;; bf16 | e6m9) echo u2 ;; i32) echo i4 ;; ui8) echo u1 ;; i8) echo i1 ;;
    esac
}
output_of() { # DTYPE
    case $1 in
    bf16 | e6m9) echo u16 ;; ui8) echo u8 ;; *) echo "$1" ;;
    esac
}

# The same bits on the host and on the system, with the same options.
options=
same() { # the arguments of program
    program "$@" >program.pto
    result="$(output_of "$4"):$(echo "${5-16x64}" | tr x ,)"
    array=$(array_of "$3")
    inputs="--arg in:${array}a.npy"
    [ "$2" = 2 ] && inputs="$inputs --arg in:${array}b.npy"
    # shellcheck disable=SC2086 # lists of words
    if "$samite" run -q program.pto $options --sum-order system $inputs --arg "out:$result:host.npy" >log 2>&1 &&
        "$samite" run -q program.pto $options --machine system $inputs --arg "out:$result:system.npy" >>log 2>&1 &&
        cmp host.npy system.npy >>log 2>&1; then
        good "$1, $3 to $4${options:+, $options}: the same bits on the host and on the system"
    else
        head -n 5 log
        fail "$1, $3 to $4${options:+, $options}"
    fi
}

# Runs on the host, is refused by name on the system.
refused() { # MESSAGE, and the same arguments
    message=$1
    shift
    program "$@" >program.pto
    line=$(grep -n 'td = ' program.pto | cut -d : -f 1)
    array=$(array_of "$3")
    inputs="--arg in:${array}a.npy"
    [ "$2" = 2 ] && inputs="$inputs --arg in:${array}b.npy"
    inputs="$inputs --arg out:$(output_of "$4"):16,64"
    # shellcheck disable=SC2086 # a list of words
    "$samite" run -q program.pto $inputs >log 2>&1 || fail "$1 on the host: $(head -n 1 log)"
    # shellcheck disable=SC2086
    "$samite" run -q program.pto --machine system $inputs >log 2>&1
    status=$?
    if [ $status = 2 ] && grep -q "program.pto:$line:[0-9]*: .*$message" log; then
        good "$message"
    else
        head -n 5 log
        fail "$1 on $3: exit status $status, expected '$message'"
    fi
}

# --- operations
for dtype in i32 ui8 i8; do
    same tnand 2 $dtype $dtype
    same tabsdif 2 $dtype $dtype
done
for dtype in f32 f16 bf16; do
    same tabsdif 2 $dtype $dtype
    same tplus 2 $dtype $dtype
done
refused 'tplus on i32 has no lowering: add it to src/lower/functions.def' tplus 2 i32 i32

# --- the element type: every kind of code
for operation in tadd tsub tmul tdiv trem tmin tmax tprelu tabsdif; do
    same $operation 2 e6m9 e6m9
done
for operation in tneg trelu tabs tsqrt trecip; do
    same $operation 1 e6m9 e6m9
done
same 'tcmp {cmp = lt}' 2 e6m9 ui8
for round in rint round floor ceil trunc; do
    same "tcvt {round = $round}" 1 f32 e6m9
    same "tcvt {round = $round}" 1 i32 e6m9
    same "tcvt {round = $round}" 1 e6m9 i32
    same "tcvt {round = $round}" 1 e6m9 f16
done
same tcvt 1 e6m9 f32
for nan in number propagate first; do
    options="--nan $nan"
    for operation in tcolmin tcolmax; do
        same $operation 1 e6m9 e6m9 1x64
    done
    same tmax 2 e6m9 e6m9
done
options=
for operation in tcolsum tcolprod; do
    same $operation 1 e6m9 e6m9 1x64
done
for operation in texp tlog trsqrt; do
    refused "$operation on e6m9 has no lowering: add it to src/lower/math.c" $operation 1 e6m9 e6m9
done

# --- the instruction: four sums in one register after another, or in two by turns
kernel() { # REGISTER OF EVERY SECOND SUM, A LINE BEFORE
    cat <<END
    .globl sad
sad:
    lw      a1, 0(a0)
    lw      a2, 4(a0)
    lw      a3, 8(a0)
    vle32.v v1, (a1)
    vle32.v v2, (a2)
    vmv.v.i v4, 0
    $2
    vsadacc.vv v3, v1, v2
    vsadacc.vv $1, v1, v2
    vsadacc.vv v3, v1, v2
    vsadacc.vv $1, v1, v2
    vse32.v v3, (a3)
    vse32.v v4, (a3)
    vse32.v v3, (a3)
    ret
END
}
run() { # FILE, OPTIONS
    "$samite" run "$@" --kernel sad --grid 1 --block 32 --arg in:i4a.npy --arg in:i4b.npy \
        --arg out:i32:32:sums.npy
}
cycles_of() { # FILE
    run "$1" --cycles --json 2>/dev/null |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["launches"][0]["time"]["cycles"])'
}
kernel v3 'vmv.v.i v3, 0' >one.s
kernel v4 'vmv.v.i v3, 0' >two.s
kernel v3 '' >undefined.s
for file in one two; do
    if run "$file.s" --sanitize >log 2>&1 && python3 - "$file" <<'END'; then
import sys
read = lambda name: [int.from_bytes(b, 'little', signed=True) for b in zip(*[iter(open(name, 'rb').read()[-4096 if name[0] == 'i' else -128:])] * 4)][:32]
a, b, sums = (read(name + '.npy') for name in ('i4a', 'i4b', 'sums'))
times = 4 if sys.argv[1] == 'one' else 2
sys.exit(any((times * abs(x - y) - z) % 2 ** 32 for x, y, z in zip(a, b, sums)))
END
        good "vsadacc.vv: the sums of $file.s, nothing undefined"
    else
        head -n 5 log
        fail "vsadacc.vv: $file.s"
    fi
done
run undefined.s --sanitize >log 2>&1
status=$?
if [ $status = 1 ] && grep -q 'v3 was never written' log; then
    good "vsadacc.vv: --sanitize finds an undefined vd"
else
    fail "vsadacc.vv: exit status $status of --sanitize, an undefined vd is not found"
fi
one=$(cycles_of one.s) two=$(cycles_of two.s)
if [ "${one:-0}" -gt "${two:-0}" ] && [ "${two:-0}" -gt 0 ]; then
    good "vsadacc.vv: --cycles waits for vd: $one cycles, $two with two registers"
else
    fail "vsadacc.vv: $one cycles, $two with two registers"
fi
exit $failed

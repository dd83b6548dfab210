/* SPDX-License-Identifier: Apache-2.0 */
/* Spans against sets of bytes; waits in manual programs, from the checker and at run time. */
#include "tile/tile_test.h"

#include "tile/span.h"

/* --- spans */

enum { BYTES = 4096, HALF = BYTES / 2 };

struct shape {
    int64_t low, size, count[3], stride[3];
    uint32_t rank;
};

static struct shape random_shape(uint64_t *seed)
{
    struct shape s = {.rank = (uint32_t)test_below(seed, 4), .size = 1 << test_below(seed, 4)};
    s.low = (int64_t)test_below(seed, 400) - 200;
    for (uint32_t k = 0; k < s.rank; k++) {
        s.count[k] = (int64_t)test_below(seed, 6);
        s.stride[k] = ((int64_t)test_below(seed, 41) - 20) * (test_below(seed, 2) ? 1 : 8);
    }
    return s;
}

static void mark(const struct shape *s, uint32_t k, int64_t at, uint8_t *bytes)
{
    if (k == s->rank || k == 3) {
        memset(bytes + HALF + at, 1, (size_t)s->size);
        return;
    }
    for (int64_t i = 0; i < s->count[k]; i++)
        mark(s, k + 1, at + i * s->stride[k], bytes);
}

TEST(test_spans)
{
    uint64_t seed = test_seed();
    unsigned met = 0;
    for (int round = 0; round < 20000; round++) {
        struct shape s[2] = {random_shape(&seed), random_shape(&seed)};
        struct sam_tile_span spans[2];
        uint8_t bytes[2][BYTES] = {{0}};
        int64_t from = 0, to = 0;
        bool share = false;
        for (int i = 0; i < 2; i++) {
            mark(&s[i], 0, s[i].low, bytes[i]);
            assert_true(sam_tile_span_make(&spans[i], s[i].low, s[i].size, s[i].rank, s[i].count,
                                           s[i].stride));
            for (int64_t at = -HALF; at < HALF; at++)
                assert_true(!bytes[i][HALF + at] || (at >= spans[i].low && at < spans[i].high));
        }
        if (round % 3 == 0 && spans[0].size) { /* again, one step away */
            sam_tile_span_repeat(&spans[0], 2, s[1].low);
            mark(&s[0], 0, s[0].low + s[1].low, bytes[0]);
        }
        for (int at = 0; at < BYTES && !share; at++)
            share = bytes[0][at] && bytes[1][at];
        assert_int_equal(sam_tile_span_meet(&spans[0], &spans[1], &from, &to), share);
        assert_int_equal(sam_tile_span_meet(&spans[1], &spans[0], &from, &to), share);
        for (int64_t at = from; share && at < to; at++)
            assert_true(bytes[0][HALF + at] && bytes[1][HALF + at]);
        met += share;
    }
    assert_in_range(met, 2000, 18000);
}

/* --- programs */

#define T "!pto.tile<vec, 16x16xf32>"
#define V "!pto.tensor_view<?x?xf32>"
#define P "!pto.partition_tensor_view<16x16xf32>"
#define PART(name, row, col)                                                                       \
    "%" name " = pto.partition_view %v, offsets = [%" row ", %" col "], sizes = [%c16, %c16] : " V \
    " -> " P "\n"
#define LOAD(part, tile)    "pto.tload ins(%" part " : " P ") outs(%" tile " : " T ")\n"
#define STORE(tile, part)   "pto.tstore ins(%" tile " : " T ") outs(%" part " : " P ")\n"
#define RELU(from, to)      "pto.trelu ins(%" from " : " T ") outs(%" to " : " T ")\n"
#define RECORD(event, pipe) "%" event " = record_event <" pipe ">\n"
#define WAIT(event)         "wait_event %" event "\n"
#define HEAD                                                                                       \
    "func.func @f(%x: !pto.ptr<f32>, %n: index) {\n"                                               \
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"                             \
    "%c4 = arith.constant 4 : index\n%c16 = arith.constant 16 : index\n"                           \
    "%c32 = arith.constant 32 : index\n%is = arith.cmpi sgt, %n, %c0 : index\n"                    \
    "%v = pto.make_tensor_view %x, shape = [%c32, %c32], strides = [%c32, %c1] : " V "\n"          \
    "%t = alloc_tile : " T "\ntassign %t, @tile(0)\n"                                              \
    "%u = alloc_tile : " T "\ntassign %u, @tile(0x400)\n" PART("p", "c0", "c0")                    \
        PART("q", "c0", "c16") PART("r", "c16", "c0") PART("near", "c4", "c4")                     \
            PART("late", "n", "n") PART("left", "n", "c0")
#define TAIL "return\n}\n"

/* The messages of the checker, "" for none, compared up to the length of `expected`; then the
 * result of a run with n, NULL for success. */
static void expect(const char *body, const char *expected, uint64_t n, const char *stop)
{
    static float data[1024];
    struct sam_array array = {SAM_F32, 1, {1024}, 1024, sizeof data, data};
    struct sam_tile_argument arguments[] = {{.array = &array},
                                            {.is_scalar = true, .dtype = SAM_I64, .bits = n}};
    struct sam_tile_options options = {.profile = SAM_TILE_A5};
    FREED char *text = formatted("%s%s" TAIL, HEAD, body), *messages = NULL;
    SCOPED_PROGRAM *p = test_parse("t", text, strlen(text));
    struct sam_error error = {0};
    sam_tile_check(p, SAM_TILE_A5, &messages, NULL);
    if (expected[0] ? !strstr(messages, expected) : messages[0])
        fail_msg("expected '%s', found '%s'\n%s", expected, messages, body);
    if (!strstr(messages, "error: ")) {
        enum sam_status status = sam_tile_run(p, 0, arguments, 2, &options, NULL, &error);
        assert_int_equal(status, stop ? SAM_ERR_TRAP : SAM_OK);
        if (stop && !strstr(error.text, stop))
            fail_msg("expected '%s', found '%s'", stop, error.text);
    }
}

/* A tload from an array while a tstore may still write it, and the reverse. */
TEST(test_global)
{
    static const char start[] = LOAD("p", "t") RECORD("e", "tload") WAIT("e");
    char body[4096];
#define AFTER(more, ...) snprintf(body, sizeof body, "%s%s", start, more), expect(body, __VA_ARGS__)
    AFTER(
        STORE("t", "p") LOAD("p", "u"),
        "error: tload reads bytes 0..63 of %x without waiting for the tstore pipe: tstore of line "
        "22 may still write them",
        0, NULL);
    AFTER(STORE("t", "p") LOAD("near", "u"), "tload reads bytes 528..575 of %x", 0, NULL);
    AFTER(STORE("t",
                "p") "%c12 = arith.subi %c16, %c4 : index\n"
                     "%c3 = arith.constant 259 : index\n%i3 = arith.index_cast %c3 : index to i8\n"
                     "%c3b = arith.index_cast %i3 : i8 to index\n" PART("sum", "c12", "c12")
                         PART("cast", "c3b", "c3b") LOAD("sum", "u"),
          "tload reads bytes 1584..1599 of %x", 0, NULL);
    AFTER(STORE("t", "p") LOAD("q", "u"), "", 0, NULL); /* the rows are interleaved */
    AFTER(STORE("t", "p") LOAD("r", "u"), "", 0, NULL);
    AFTER(STORE("t", "p") RECORD("f", "tstore") WAIT("f") LOAD("p", "u"), "", 0, NULL);
    AFTER(STORE("t", "p") "pto.barrier\n" LOAD("p", "u"), "", 0, NULL);
    AFTER(LOAD("p", "u") STORE("t", "p"),
          "error: tstore writes bytes 0..63 of %x without waiting for the tload pipe", 0, NULL);
    /* Run-time offsets. */
    AFTER(STORE("t", "p") LOAD("late", "u"), "", 16, NULL);
    AFTER(STORE("t", "p") LOAD("late", "u"), "", 15,
          "tload reads bytes 1980..1983 of x without waiting for the tstore pipe, which may still "
          "write them");
    AFTER(STORE("t", "late") LOAD("p", "u"), "", 8, "tload reads bytes 1056..1087 of x");
    AFTER(STORE("t", "q") LOAD("left", "u"), "", 7, NULL);
    /* Blocks of a loop are one access, and an event between them is kept. */
#define STORES(event)                                                                              \
    "%first = record_event <tstore>\n%last = scf.for %i = %c0 to %c16 step %c4 "                   \
    "iter_args(%before = %first) -> (!pto.event) {\n" PART("w", "i", "c0") STORE("t", "w") event   \
        "scf.yield %before : !pto.event\n}\n"
    AFTER(STORES("") LOAD("q", "u") LOAD("left", "u"), "", 4, "tload reads bytes 512..575 of x");
    AFTER(STORES("") WAIT("last") LOAD("r", "u"), "", 0, "tload reads bytes 2048..2111 of x");
    AFTER(STORES("%e4 = record_event <tstore>\nwait_event %e4\n") LOAD("p", "u"), "", 0, NULL);
#undef AFTER
}

TEST(test_paths)
{
    /* A wait on one path only: a warning, and an error on the other path if it is taken. */
    static const char one[] =
        LOAD("p", "t") RECORD("e", "tload") "scf.if %is {\n" WAIT("e") "}\n" RELU("t", "u");
    static const char warning[] = "warning: trelu reads %t without waiting for the tload pipe on "
                                  "some path";
    expect(one, warning, 1, NULL);
    expect(one, warning, 0, "trelu reads t without waiting for the tload pipe");
    expect(LOAD("p", "t") RECORD("e", "tload") "scf.if %is {\n" WAIT(
               "e") "} else {\npto.barrier\n}\n" RELU("t", "u"),
           "", 0, NULL);
    /* Accesses on one path do not affect the other, only the code after both. */
    expect("scf.if %is {\n" LOAD("p", "t") "} else {\n" LOAD("p", "t") RECORD("e", "tload")
               WAIT("e") RELU("t", "u") "}\npto.barrier\n",
           "", 0, NULL);
    expect("scf.if %is {\n" LOAD("p", "t") "} else {\n" LOAD("p", "t") "}\n" RELU("t", "u"),
           "error: trelu reads %t without waiting for the tload pipe: tload", 0, NULL);
    expect(LOAD("p", "t") "scf.if %is {\npto.barrier\n} else {\n" RELU("t", "u") "}\n",
           "error: trelu reads %t", 0, NULL);
    /* A loop without iterations waits for nothing; with constants there is one. */
    static const char round[] = "{\n" WAIT("e") "}\n" RELU("t", "u");
    char body[2048];
    snprintf(body, sizeof body, "%sscf.for %%i = %%c0 to %%n step %%c1 %s",
             LOAD("p", "t") RECORD("e", "tload"), round);
    expect(body, warning, 1, NULL);
    expect(body, warning, 0, "trelu reads t without waiting");
    snprintf(body, sizeof body, "%sscf.for %%i = %%c0 to %%c4 step %%c1 %s",
             LOAD("p", "t") RECORD("e", "tload"), round);
    expect(body, "", 0, NULL);
    /* An iteration conflicts with the one before it, if there is one. */
    static const char *const loops[][3] = {{"c0", "c4", "c4"}, {"c0", "c4", "c16"},
                                           {"c4", "c4", "c1"}, {"c4", "c0", "c1"},
                                           {"c0", "c4", "c1"}, {"c1", "c16", "c4"}};
    for (size_t i = 0; i < SAM_COUNT(loops); i++) {
        snprintf(body, sizeof body, "scf.for %%i = %%%s to %%%s step %%%s {\n%s}\n", loops[i][0],
                 loops[i][1], loops[i][2],
                 LOAD("p", "t") RECORD("e", "tload") WAIT("e") RELU("t", "u"));
        expect(body, i < 4 ? "" : "error: tload writes %t without waiting for the vector pipe", 0,
               NULL);
    }
    /* A loop of zero iterations accesses nothing and waits for nothing. */
    expect("scf.for %i = %c4 to %c0 step %c1 {\n" LOAD("p", "t") RELU("t", "u") "}\n", "", 0, NULL);
    expect(LOAD("p", "t") "scf.for %i = %c4 to %c0 step %c1 {\npto.barrier\n}\n" RELU("t", "u"),
           "error: trelu reads %t without waiting for the tload pipe: tload", 0, NULL);
}

/* Events that loops and conditions carry. */
TEST(test_carried)
{
#define LOOP(pipe)                                                                                 \
    RECORD("e0", pipe)                                                                             \
    "%z = scf.for %i = %c0 to %n step %c1 iter_args(%w = %e0) -> (!pto.event) {\n" WAIT("w")       \
        LOAD("p", "t") RECORD("e", "tload") WAIT("e") RELU("t", "u")                               \
            RECORD("y", pipe) "scf.yield %y : !pto.event\n}\n"
    expect(LOOP("vector"), "", 3, NULL);
    expect(LOOP("tload"), "error: tload writes %t without waiting for the vector pipe", 3, NULL);
    expect(LOOP("vector") WAIT("z") LOAD("p", "t"), "", 3, NULL);
    expect("%e = scf.if %is -> (!pto.event) {\n" LOAD("p", "t")
               RECORD("a", "tload") "scf.yield %a : !pto.event\n} else {\n" LOAD("q", "t")
                   RECORD("b", "tload") "scf.yield %b : !pto.event\n}\n" WAIT("e") RELU("t", "u"),
           "", 1, NULL);
}

/* Windows of one tile, adjacent and not. */
TEST(test_windows)
{
#define SIDE(name, row, col)                                                                       \
    "%" name " = subset %t, offsets = [%" row ", %" col "] : " T " -> !pto.tile<vec, 8x8xf32>\n"
#define EIGHT      "%c8 = arith.constant 8 : index\n%one = arith.constant 1.0 : f32\n"
#define FILL(name) "texpands ins(%one : f32) outs(%" name " : !pto.tile<vec, 8x8xf32>)\n"
#define PUT(name, part)                                                                            \
    "%pp = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c8] : " V                   \
    " -> !pto.partition_tensor_view<8x8xf32>\n"                                                    \
    "tload ins(%pp : !pto.partition_tensor_view<8x8xf32>) outs(%" name                             \
    " : !pto.tile<vec, 8x8xf32>)\n"
    expect(EIGHT SIDE("a", "c0", "c0") SIDE("b", "c0", "c8") FILL("a") PUT("b", "p"), "", 0, NULL);
    expect(EIGHT SIDE("a", "c0", "c0") SIDE("b", "c4", "c0") FILL("a") PUT("b", "p"),
           "error: tload writes %b without waiting for the vector pipe", 0, NULL);
    expect(EIGHT SIDE("a", "c0", "c0") SIDE("b", "n", "c0") FILL("a") PUT("b", "p"), "", 8, NULL);
    expect(EIGHT SIDE("a", "c0", "c0") SIDE("b", "n", "c0") FILL("a") PUT("b", "p"), "", 7,
           "tload writes b without waiting for the vector pipe");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The engines and the matrix unit on one clock: random programs that use both and scalar accesses
 * on a few shared bytes. No access begins before the one that it depends on is over, byte by byte;
 * the cycles of every unit add up to the same total; and no value depends on the models. */
#include "hart/program.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "matrix/random_config.h"
#include "random.h"

#define ISA "rv64im_zicsr_zfinx_xtensorload_xmatrix"

enum { MOST = 64, PIECES = 64, SLICES = 8, SLICE = 16, ROUNDS = 60 };

/* Bytes that an instruction moves, and when. */
struct piece {
    uint64_t low, high;
    uint64_t begins; /* the first cycle in which it may read or write them */
    uint64_t over;   /* the first one in which it has */
};

enum kind { ENGINE, MATRIX, SCALAR, OTHER };

struct access {
    enum kind kind;
    bool store;
    uint64_t pc;
    unsigned count;
    struct piece pieces[PIECES]; /* slices; uops of the matrix unit */
    uint64_t base, stride;       /* of rows */
    bool seen;
};

struct mixed {
    struct sam_buffer text;
    uint64_t pc, seed;
    struct access of[MOST];
    unsigned count;
};

/* ------------------------------------------------------------------------------- programs */

static void emit(struct mixed *m, unsigned words, const char *line)
{
    sam_buffer_printf(&m->text, "%s\n", line);
    m->pc += 4 * (uint64_t)words;
}

/* One load immediate of two words. */
static void emit_address(struct mixed *m, const char *reg, uint64_t address)
{
    char line[64];
    snprintf(line, sizeof line, "lui %s, 0x%x", reg, (unsigned)((address + 0x800) >> 12));
    emit(m, 1, line);
    snprintf(line, sizeof line, "addi %s, %s, %d", reg, reg,
             (int)(address - ((address + 0x800) & ~UINT64_C(0xfff))));
    emit(m, 1, line);
}

static struct access *add(struct mixed *m, enum kind kind, bool store)
{
    struct access *a = &m->of[m->count++];
    *a = (struct access){.kind = kind, .store = store, .pc = m->pc};
    return a;
}

static unsigned below(struct mixed *m, unsigned bound)
{
    return (unsigned)test_below(&m->seed, bound);
}

/* Addresses meet often. */
static uint64_t address(struct mixed *m)
{
    return DATA_BASE + 0x400 + 16 * (uint64_t)below(m, 32);
}

/* Slices of 16 bytes: loads one after the other, stores with gaps. */
static void add_engine(struct mixed *m)
{
    static const char *const engines[] = {"@load", "@comp", "@store", "@reshape"};
    const bool store = below(m, 2);
    const uint64_t base = address(m);
    char line[64];
    emit_address(m, "a0", base);
    struct access *a = add(m, ENGINE, store);
    const char *engine = store || below(m, 3) ? "" : engines[below(m, 4)];
    snprintf(line, sizeof line, "%s%s tl%u, 0(a0)", store ? "tl.store" : "tl.load", engine,
             1 + below(m, 3));
    emit(m, 1, line);
    for (unsigned i = 0; i < SLICES; i++) {
        const uint64_t low = base + (store ? 2 : 1) * SLICE * i;
        a->pieces[a->count++] = (struct piece){.low = low, .high = low + SLICE - 1};
    }
}

/* Rows of bytes, anywhere; their uops tell which. */
static void add_matrix(struct mixed *m)
{
    const bool store = below(m, 2);
    const unsigned stride = 16 + below(m, 4) * 16;
    const uint64_t base = address(m) + below(m, 16);
    char line[64];
    emit_address(m, "a0", base);
    snprintf(line, sizeof line, "li a1, %u", stride);
    emit(m, 1, line);
    struct access *a = add(m, MATRIX, store);
    snprintf(line, sizeof line, "%s m%u, a1, (a0)", store ? "mstb" : "mldb", below(m, 4));
    emit(m, 1, line);
    a->base = base;
    a->stride = stride;
}

static void add_scalar(struct mixed *m)
{
    const bool store = below(m, 2);
    const uint64_t base = address(m) + 4 * below(m, 4);
    char line[64];
    emit_address(m, "a0", base);
    struct access *a = add(m, SCALAR, store);
    snprintf(line, sizeof line, "%s a5, 0(a0)", store ? "sw" : "lw");
    emit(m, 1, line);
    a->pieces[a->count++] = (struct piece){.low = base, .high = base + 3};
}

static void add_other(struct mixed *m)
{
    static const char *const lines[] = {"tl.addi tl1, tl2, 3", "tl.addi tl2, tl1, 5",
                                        "mmaqa.b m4, m0, m1",  "mmov.mm m1, m2",
                                        "addi t3, t3, 1",      "mmaqa.b m6, m2, m3"};
    emit(m, 1, lines[below(m, SAM_COUNT(lines))]);
}

static void make(struct mixed *m, uint64_t seed)
{
    char line[64];
    *m = (struct mixed){.pc = SAM_HART_CODE_BASE, .seed = seed};
    emit_address(m, "t0", SLICES << 16 | SLICE << 8 | 1);
    emit(m, 1, "csrw tshape, t0");
    for (unsigned i = 0; i < SLICES; i++) {
        snprintf(line, sizeof line, "li t0, %u", 2 * i);
        emit(m, 1, line);
        snprintf(line, sizeof line, "csrw tstore_stride%u, t0", i);
        emit(m, 1, line);
    }
    unsigned rows = 0, bytes = 0;
    while (m->count < MOST) {
        const unsigned choice = below(m, 12);
        if (rows == 0 || choice == 0) { /* sizes of the matrix unit */
            rows = 1 + below(m, 4);
            bytes = 1 + below(m, 16);
            snprintf(line, sizeof line, "mcfgmi zero, %u", rows);
            emit(m, 1, line);
            emit(m, 1, "mcfgni zero, 4");
            snprintf(line, sizeof line, "mcfgki zero, %u", bytes);
            emit(m, 1, line);
        } else if (choice < 4) {
            add_engine(m);
        } else if (choice < 7) {
            add_matrix(m);
        } else if (choice < 9) {
            add_scalar(m);
        } else {
            add_other(m);
        }
    }
    emit(m, 1, "ebreak");
}

/* --------------------------------------------------------------------------------- times */

static bool keep(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

static struct access *find(struct mixed *m, uint64_t pc)
{
    for (unsigned i = 0; i < m->count; i++)
        if (m->of[i].pc == pc)
            return &m->of[i];
    return NULL;
}

static uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* A slice of an engine: a load has read its bytes at its end, a store written them when done. */
static void see_engine(struct mixed *m, const json_t *event, const json_t *args)
{
    struct access *a = find(m, strtoull(json_string_value(json_object_get(args, "pc")), NULL, 16));
    const uint64_t start = number(event, "ts"), end = start + number(event, "dur");
    if (!a)
        return;
    a->seen = true;
    for (unsigned i = 0; i < a->count; i++) {
        a->pieces[i].begins = start;
        a->pieces[i].over = a->store ? number(args, "done") : end;
    }
}

/* A uop of the matrix unit, from its issue to its answer; that of a load is written one cycle after
 * the bytes have come. */
static void see_uop(struct mixed *m, const json_t *event, const json_t *args)
{
    struct access *a =
        find(m, strtoull(json_string_value(json_object_get(event, "name")), NULL, 16));
    const char *detail = json_string_value(json_object_get(args, "uop"));
    const uint64_t start = number(event, "ts"), end = start + number(event, "dur");
    unsigned row, first, last;
    if (!a || strstr(detail, "cleared"))
        return;
    a->seen = true;
    assert_true(a->count < PIECES);
    assert_int_equal(sscanf(detail, "row %u, bytes %u..%u", &row, &first, &last), 3);
    a->pieces[a->count++] = (struct piece){.low = a->base + row * a->stride + first,
                                           .high = a->base + row * a->stride + last,
                                           .begins = start,
                                           .over = a->store ? end : end - 1};
}

static void see_timeline(struct mixed *m, const struct sam_buffer *text)
{
    json_error_t error;
    json_t *root = json_loadb((char *)text->data, text->size, 0, &error);
    const json_t *event;
    size_t i;
    assert_non_null(root);
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        const char *category = json_string_value(json_object_get(event, "cat"));
        const json_t *args = json_object_get(event, "args");
        if (category && strcmp(category, "busy") == 0)
            see_engine(m, event, args);
        else if (category && strcmp(category, "matrix") == 0)
            see_uop(m, event, args);
    }
    json_decref(root);
}

/* The program has no loops: an instruction issues in the cycle before the sum of all up to it. */
static void see_scalars(struct mixed *m, struct sam_profile *profile)
{
    size_t count;
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        struct access *a = find(m, rows[i].pc);
        sum += rows[i].cycles[SAM_GPUTIME_BUSY];
        if (!a || a->kind != SCALAR)
            continue;
        a->seen = true;
        a->pieces[0].begins = sum - 1;
        a->pieces[0].over = sum;
    }
}

/* ------------------------------------------------------------------------------- checks */

static unsigned expect_order(const struct mixed *m)
{
    unsigned pairs = 0;
    for (unsigned k = 0; k < m->count; k++) {
        const struct access *later = &m->of[k];
        if (!later->seen)
            fail_msg("%" PRIx64 " is in no trace", later->pc);
        for (unsigned i = 0; i < k; i++) {
            const struct access *first = &m->of[i];
            if (first->kind == later->kind || (!first->store && !later->store))
                continue;
            for (unsigned x = 0; x < first->count; x++)
                for (unsigned y = 0; y < later->count; y++) {
                    const struct piece *a = &first->pieces[x], *b = &later->pieces[y];
                    if (a->high < b->low || b->high < a->low)
                        continue;
                    pairs++;
                    if (b->begins < a->over)
                        fail_msg("%" PRIx64 " is over in cycle %" PRIu64 ", %" PRIx64
                                 " begins in %" PRIu64,
                                 first->pc, a->over, later->pc, b->begins);
                }
        }
    }
    return pairs;
}

static void expect_sum(const uint64_t *parts, unsigned count, uint64_t cycles)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += parts[i];
    assert_int_equal(sum, cycles);
}

static void expect_sums(const struct sam_engines_report *r, const struct sam_mxu_stats *s)
{
    assert_int_equal(s->cycles, r->cycles);
    expect_sum(r->issue, SAM_ISSUE_CYCLES, r->cycles);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        expect_sum(r->engine[i].cycles, SAM_ENGINE_CYCLES, r->cycles);
    for (unsigned i = 0; i < SAM_MXU_UNITS; i++)
        expect_sum(s->buckets[i], SAM_MXU_STATES, r->cycles);
    assert_int_equal(s->buckets[SAM_MXU_DSA][SAM_MXU_BUSY], s->instructions);
    /* the hart may have issued another instruction in the first of these */
    assert_true(s->buckets[SAM_MXU_DSA][SAM_MXU_SLOTS] >= r->issue[SAM_ISSUE_SLOTS]);
}

static void expect_same_state(struct program *a, struct program *b)
{
    static uint8_t x[DATA_SIZE], y[DATA_SIZE];
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(sam_hart_x(a->hart, i), sam_hart_x(b->hart, i));
        assert_memory_equal(sam_hart_tl(a->hart, i), sam_hart_tl(b->hart, i), 1024);
    }
    for (unsigned i = 0; i < 8; i++)
        assert_memory_equal(sam_hart_m(a->hart, i), sam_hart_m(b->hart, i),
                            sam_hart_m_size(a->hart));
    program_read(a, DATA_BASE, x, sizeof x);
    program_read(b, DATA_BASE, y, sizeof y);
    assert_memory_equal(x, y, sizeof x);
}

static struct program start(const struct sam_hart_options *options, const char *text)
{
    uint8_t bytes[DATA_SIZE];
    struct program p = program_new(ISA, options, text);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    program_write(&p, DATA_BASE, bytes, sizeof bytes);
    return p;
}

static struct sam_engines_config random_engines(uint64_t *seed)
{
    struct sam_engines_config c;
    sam_engines_defaults(&c);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        c.bytes[i] = 8 + random_below(seed, 120);
        c.latency[i] = random_below(seed, 30);
        c.queue[i] = 1 + random_below(seed, 6);
    }
    c.issue = 1 + random_below(seed, 3);
    c.pipelined = random_below(seed, 2);
    return c;
}

/* ---------------------------------------------------------------------------------- tests */

static void no_effect_before_its_cause(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    unsigned pairs = 0;
    uint64_t waits[3] = {0};
    static struct mixed m;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct sam_mxu_config mxu = random_mxu_config(&seed, 40);
        struct sam_engines_config engines = random_engines(&seed);
        struct sam_buffer timeline = {0};
        struct sam_profile *profile = sam_profile_new();
        const struct sam_hart_options options = {.size = sizeof options,
                                                 .engines = &engines,
                                                 .cycles = &mxu,
                                                 .profile = profile,
                                                 .timeline = {keep, &timeline}},
                                      plain = {.mlen = mxu.mlen};
        struct sam_engines_report r;
        make(&m, test_random(&seed));
        struct program timed = start(&options, sam_buffer_text(&m.text)),
                       untimed = start(&plain, sam_buffer_text(&m.text));
        program_expect(&timed, SAM_HART_EBREAK);
        program_expect(&untimed, SAM_HART_EBREAK);
        expect_same_state(&timed, &untimed);
        see_scalars(&m, profile);
        assert_true(sam_hart_engines(timed.hart, &r));
        const struct sam_mxu_stats *s = sam_hart_cycles(timed.hart);
        expect_sums(&r, s);
        assert_int_equal(r.instructions, timed.result.instructions);
        assert_int_equal(sam_hart_end_timeline(timed.hart, NULL), SAM_OK);
        see_timeline(&m, &timeline);
        if (getenv("SAMITE_SHOW"))
            printf("%s%s", sam_buffer_text(&m.text), sam_buffer_text(&timeline));
        pairs += expect_order(&m);
        waits[0] += s->buckets[SAM_MXU_LOAD][SAM_MXU_MEMORY];
        waits[1] += s->buckets[SAM_MXU_STORE][SAM_MXU_MEMORY];
        waits[2] += r.issue[SAM_ISSUE_MEMORY];
        program_free(&timed);
        program_free(&untimed);
        sam_profile_free(profile);
        sam_buffer_free(&timeline);
        sam_buffer_free(&m.text);
    }
    assert_true(pairs > 1000 && waits[0] && waits[1] && waits[2]);
}

/* Cycles in which a unit waits for bytes of another one: a matrix store of 16 bytes of every 32,
 * then a TensorLoad, and the same with the units exchanged. */
static uint64_t waited_for_bytes(unsigned distance, bool matrix_first)
{
    struct sam_mxu_config mxu;
    struct sam_engines_config engines;
    const struct sam_hart_options options = {.engines = &engines, .cycles = &mxu};
    struct sam_engines_report r;
    char text[800];
    sam_mxu_config_init(&mxu, 512);
    sam_engines_defaults(&engines);
    const char *move = matrix_first ? "mstb m0, a2, (a0)\ntl.load tl1, 0(a1)\n"
                                    : "tl.store tl1, 0(a1)\nmldb m0, a2, (a0)\n";
    snprintf(text, sizeof text,
             "li t0, 0x081001\ncsrw tshape, t0\n"
             "li t0, 2\ncsrw tload_stride1, t0\ncsrw tstore_stride1, t0\n"
             "li t0, 4\ncsrw tload_stride2, t0\ncsrw tstore_stride2, t0\n"
             "li t0, 6\ncsrw tload_stride3, t0\ncsrw tstore_stride3, t0\n"
             "li t0, 8\ncsrw tload_stride4, t0\ncsrw tstore_stride4, t0\n"
             "li t0, 10\ncsrw tload_stride5, t0\ncsrw tstore_stride5, t0\n"
             "li t0, 12\ncsrw tload_stride6, t0\ncsrw tstore_stride6, t0\n"
             "li t0, 14\ncsrw tload_stride7, t0\ncsrw tstore_stride7, t0\n"
             "mcfgmi zero, 8\nmcfgki zero, 16\nli a0, 0x10000\nli a1, 0x%x\nli a2, 32\n%sebreak\n",
             0x10000 + distance, move);
    struct program p = start(&options, text);
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_engines(p.hart, &r));
    const uint64_t cycles = matrix_first
                                ? r.engine[SAM_ENGINE_LOAD].cycles[SAM_ENGINE_MEMORY]
                                : sam_hart_cycles(p.hart)->buckets[SAM_MXU_LOAD][SAM_MXU_MEMORY];
    program_free(&p);
    return cycles;
}

static void bytes_between_do_not_wait(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        assert_int_equal(waited_for_bytes(16, first), 0); /* the other 16 bytes of every 32 */
        assert_true(waited_for_bytes(15, first) > 10);
        assert_true(waited_for_bytes(17, first) > 10);
    }
}

/* The hart reads what the matrix unit stores, and writes what it loads. */
static void the_hart_waits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool waits;
    } cases[] = {
        {"mstb m0, a2, (a0)\nlw t0, 32(a0)", true},  {"mstb m0, a2, (a0)\nlw t0, 16(a0)", false},
        {"mldb m0, a2, (a0)\nsw t0, 12(a0)", true},  {"mldb m0, a2, (a0)\nlw t0, 12(a0)", false},
        {"mldb m0, a2, (a0)\nsw t0, -4(a0)", false}, {"mstb m0, a2, (a0)\nsw t0, 12(a0)", true},
        {"sw t0, 12(a0)\nmldb m0, a2, (a0)", false},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct sam_mxu_config mxu;
        struct sam_engines_config engines;
        const struct sam_hart_options options = {.engines = &engines, .cycles = &mxu};
        struct sam_engines_report r;
        char text[200];
        sam_mxu_config_init(&mxu, 512);
        sam_engines_defaults(&engines);
        snprintf(text, sizeof text,
                 "mcfgmi zero, 8\nmcfgki zero, 16\nli a0, 0x10100\nli a2, 32\n%s\nebreak\n",
                 cases[i].text);
        struct program p = start(&options, text);
        program_expect(&p, SAM_HART_EBREAK);
        assert_true(sam_hart_engines(p.hart, &r));
        assert_int_equal(r.issue[SAM_ISSUE_MEMORY] > 0, cases[i].waits);
        program_free(&p);
    }
}

/* Looking at the figures of a run that goes on changes no value and loses no cycle. */
static void figures_in_between(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    static struct mixed m;
    for (unsigned round = 0; round < 10; round++) {
        struct sam_mxu_config mxu = random_mxu_config(&seed, 40);
        struct sam_engines_config engines = random_engines(&seed);
        const struct sam_hart_options options = {.engines = &engines, .cycles = &mxu};
        struct sam_engines_report r;
        make(&m, test_random(&seed));
        struct program p = start(&options, sam_buffer_text(&m.text)),
                       whole = start(&options, sam_buffer_text(&m.text));
        program_expect(&whole, SAM_HART_EBREAK);
        do {
            (void)sam_hart_step(p.hart, &p.result, &p.error);
            if (test_below(&seed, 8))
                continue;
            for (unsigned again = 0; again < 2; again++) {
                assert_true(sam_hart_engines(p.hart, &r));
                expect_sums(&r, sam_hart_cycles(p.hart));
            }
        } while (p.result.end == SAM_HART_STEPPED);
        assert_int_equal(p.result.end, SAM_HART_EBREAK);
        expect_same_state(&p, &whole);
        assert_true(sam_hart_engines(p.hart, &r));
        expect_sums(&r, sam_hart_cycles(p.hart));
        program_free(&p);
        program_free(&whole);
        sam_buffer_free(&m.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_effect_before_its_cause),
        cmocka_unit_test(bytes_between_do_not_wait),
        cmocka_unit_test(the_hart_waits),
        cmocka_unit_test(figures_in_between),
    };
    return cmocka_run_group_tests_name("one clock", tests, NULL, NULL);
}

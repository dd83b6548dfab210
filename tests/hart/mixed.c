/* SPDX-License-Identifier: Apache-2.0 */
#include "hart/mixed.h"

#include <jansson.h>

#include "matrix/random_config.h"

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

/* Slices of 16 bytes: contiguous loads, stores with gaps. */
static void add_engine(struct mixed *m)
{
    static const char *const engines[] = {"@load", "@comp", "@store", "@reshape"};
    const bool store = below(m, 2);
    const uint64_t base = address(m);
    emit_address(m, "a0", base);
    struct access *a = add(m, ENGINE, store);
    const char *engine = store || below(m, 3) ? "" : engines[below(m, 4)];
    const unsigned tl = 1 + below(m, 3);
    FREED char *line = formatted("%s%s tl%u, 0(a0)", store ? "tl.store" : "tl.load", engine, tl);
    emit(m, 1, line);
    *(store ? &a->reads : &a->writes) = UINT32_C(1) << tl;
    for (unsigned i = 0; i < SLICES; i++) {
        const uint64_t low = base + (store ? 2 : 1) * SLICE * i;
        a->pieces[a->count++] = (struct piece){.low = low, .high = low + SLICE - 1};
    }
}

/* Rows of bytes at any address; the addresses are taken from their uops. */
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
    const char *stream = below(m, 4) ? "" : "s";
    snprintf(line, sizeof line, "m%s%sb m%u, a1, (a0)", stream, store ? "st" : "ld", below(m, 4));
    emit(m, 1, line);
    a->base = base;
    a->stride = stride;
}

static void add_scalar(struct mixed *m)
{
    const bool store = below(m, 2);
    const uint64_t base = address(m) + 4 * below(m, 4);
    emit_address(m, "a0", base);
    struct access *a = add(m, SCALAR, store);
    FREED char *line = formatted("%s a5, 0(a0)", store ? "sw" : "lw");
    emit(m, 1, line);
    a->pieces[a->count++] = (struct piece){.low = base, .high = base + 3};
}

static void add_other(struct mixed *m)
{
    static const char *const lines[] = {"tl.addi tl1, tl2, 3", "tl.addi tl2, tl1, 5",
                                        "mmaqa.b m4, m0, m1",  "mmov.mm m1, m2",
                                        "addi t3, t3, 1",      "mmaqa.b m6, m2, m3"};
    const unsigned which = below(m, SAM_COUNT(lines));
    if (which < 2) {
        struct access *a = add(m, ENGINE, false);
        a->reads = which == 0 ? 1 << 2 : 1 << 1;
        a->writes = which == 0 ? 1 << 1 : 1 << 2;
    }
    emit(m, 1, lines[which]);
}

void mixed_make(struct mixed *m, uint64_t seed)
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

static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
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

/* A slice of an engine: a load has read its bytes at its end, unless the memory has a port, and
 * a store has written them when done. */
static void see_engine(struct mixed *m, const json_t *event, const json_t *args)
{
    struct access *a = find(m, strtoull(json_string_value(json_object_get(args, "pc")), NULL, 16));
    const uint64_t start = number(event, "ts"), end = start + number(event, "dur");
    if (!a)
        return;
    a->seen = true;
    a->track = number(event, "tid");
    a->issued = number(args, "issued");
    a->start = start;
    a->release = end;
    a->done = number(args, "done");
    for (unsigned i = 0; i < a->count; i++) {
        a->pieces[i].begins = start;
        a->pieces[i].over = a->store ? number(args, "done") : end;
    }
}

/* A uop of the matrix unit, from its issue to its answer; that of a load is written one cycle
 * after its bytes arrive. */
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
        const uint64_t before = sum;
        sum += rows[i].cycles[SAM_GPUTIME_BUSY];
        if (!a || a->kind != SCALAR)
            continue;
        a->seen = true;
        a->issued = before; /* the cycle after that of the instruction before it */
        a->pieces[0].begins = sum - 1;
        a->pieces[0].over = sum;
    }
}

void mixed_see(struct mixed *m, const struct sam_buffer *timeline, struct sam_profile *profile)
{
    see_scalars(m, profile);
    see_timeline(m, timeline);
}

/* The next request of the engine, from `next` on. */
static const struct request *next_of(unsigned engine, const struct request *requests,
                                     unsigned count, unsigned *next)
{
    while (*next < count && requests[*next].unit != engine)
        ++*next;
    return *next < count ? &requests[(*next)++] : NULL;
}

static bool moves(const struct access *a, const struct request *r)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < a->count; i++) {
        const struct piece *p = &a->pieces[i];
        for (uint64_t byte = p->low; byte <= p->high; byte++)
            bytes += byte >= r->address && byte < r->address + r->bytes;
    }
    return bytes == r->bytes;
}

/* An engine requests one instruction after the other. */
void mixed_see_requests(struct mixed *m, const struct request *requests, unsigned count)
{
    unsigned next[SAM_ENGINE_COUNT] = {0};
    for (unsigned k = 0; k < m->count; k++) {
        struct access *a = &m->of[k];
        const unsigned engine = (unsigned)a->track - 2; /* the first track is the hart's */
        uint64_t read = 0;
        if (a->kind != ENGINE || !a->count)
            continue;
        assert_in_range(engine, 0, SAM_ENGINE_COUNT - 1);
        for (uint32_t bytes = 0; bytes < SLICES * SLICE;) {
            const struct request *r = next_of(engine, requests, count, &next[engine]);
            assert_non_null(r);
            assert_true(moves(a, r) && r->at >= a->start && r->at < a->release);
            bytes += r->bytes;
            read = later_of(read, r->answer + 1);
        }
        assert_true(a->done >= read);
        for (unsigned i = 0; i < a->count && !a->store; i++)
            a->pieces[i].over = read;
    }
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        assert_null(next_of(i, requests, count, &next[i]));
}

/* ------------------------------------------------------------------------------- checks */

unsigned mixed_expect_order(const struct mixed *m)
{
    unsigned pairs = 0;
    for (unsigned k = 0; k < m->count; k++) {
        const struct access *later = &m->of[k];
        if (!later->seen)
            fail_msg("%" PRIx64 " is in no trace", later->pc);
        for (unsigned i = 0; i < k; i++) {
            const struct access *first = &m->of[i];
            if ((first->kind == later->kind && first->track == later->track) ||
                (!first->store && !later->store))
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

/* The cycle from which on the bytes of `first` permit `later`. */
static uint64_t bytes_over(const struct access *first, const struct access *later)
{
    uint64_t over = 0;
    if (!first->store && !later->store)
        return 0;
    for (unsigned x = 0; x < first->count; x++)
        for (unsigned y = 0; y < later->count; y++) {
            const struct piece *a = &first->pieces[x], *b = &later->pieces[y];
            if (a->low <= b->high && b->low <= a->high)
                over = later_of(over, a->over);
        }
    return over;
}

/* The same for two instructions of engines. */
static uint64_t engine_over(const struct access *first, const struct access *later)
{
    const bool here = first->track == later->track;
    uint64_t over = here ? first->release : 0;
    if (first->writes & later->reads)
        over = later_of(over, first->done);
    if (!here && first->writes & later->writes)
        over = later_of(over, first->done);
    if (!here && first->reads & later->writes)
        over = later_of(over, first->release);
    if (!here || !later->store) /* an engine keeps its own stores in order */
        over = later_of(over, bytes_over(first, later));
    return over;
}

unsigned mixed_expect_exact(const struct mixed *m)
{
    unsigned waited = 0;
    for (unsigned k = 0; k < m->count; k++) {
        const struct access *a = &m->of[k];
        uint64_t free = a->kind == ENGINE ? a->issued + 1 : 0, matrix = 0;
        for (unsigned i = 0; i < k && a->kind != MATRIX; i++) {
            const struct access *first = &m->of[i];
            if (first->kind == MATRIX)
                matrix = later_of(matrix, bytes_over(first, a));
            else if (first->kind == ENGINE)
                free = later_of(free,
                                a->kind == ENGINE ? engine_over(first, a) : bytes_over(first, a));
        }
        waited += matrix > free;
        free = later_of(free, matrix);
        if (a->kind == ENGINE && a->start != free)
            fail_msg("%" PRIx64 " starts in cycle %" PRIu64 ", by the rules in %" PRIu64, a->pc,
                     a->start, free);
        /* with an issue width above one it may share a cycle with the instruction before it */
        if (a->kind == SCALAR && a->pieces[0].begins > later_of(free, a->issued))
            fail_msg("%" PRIx64 " issues in cycle %" PRIu64 ", by the rules in %" PRIu64, a->pc,
                     a->pieces[0].begins, later_of(free, a->issued));
    }
    return waited;
}

static void expect_sum(const uint64_t *parts, unsigned count, uint64_t cycles)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += parts[i];
    assert_int_equal(sum, cycles);
}

void mixed_expect_sums(const struct sam_engines_report *r, const struct sam_mxu_stats *s)
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

void mixed_expect_same(struct program *a, struct program *b)
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

struct program mixed_start(const char *text, const struct sam_hart_options *options,
                           const struct sam_hart_home *home)
{
    uint8_t bytes[DATA_SIZE];
    struct program p = program_new_in(home, MIXED_ISA, options, text);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    program_write(&p, DATA_BASE, bytes, sizeof bytes);
    return p;
}

struct sam_engines_config mixed_engines(uint64_t *seed)
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

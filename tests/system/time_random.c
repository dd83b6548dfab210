/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs on random systems against a plain model: cycles by reason, bytes of each unit
 * and level, and the program's reads of DONE and of the cycle counter must agree; values equal
 * those without timing. */

#include "matrix/random_config.h"
#include "reference/system_time_ref.h"
#include "system/program.h"
#include "system/system.h"
#include "tensor/engines_gen.h"

enum { ROUNDS = 60, MOST_ROUNDS = 2000, ACTIONS = 60, RECORDS = 8, SUBMITS = 24, MATRIX = 64 };

/* Addresses. */
enum {
    L1M = 0x10000000,
    L0M = 0x18000000,
    DRAM = 0x50000000,
    DRAM_SIZE = 0x40000,
    RECORDS_AT = DRAM + 0x4000,
    RESULTS_AT = DRAM + 0x5000,
    LOG_AT = DRAM + 0x6000,
    SOURCE = 0x8000, /* from DRAM or L1M */
    SOURCE_SIZE = 0x4000,
    PACKED = DRAM + 0x10000,
    OUTPUT_SIZE = 0x4000,
};

/* ------------------------------------------------------------------------------- a program */

struct plan {
    struct egen g; /* first: egen_program gives it to `other` */
    struct sam_weight_record records[RECORDS];
    unsigned submits, loads;
    struct sam_matrix_work matrix[MATRIX]; /* instructions of the matrix unit, */
    size_t matrix_at[MATRIX];              /* their places in the program */
    unsigned matrix_count, m, n, k;        /* and sizes; 0: not set yet */
};

static uint64_t address_of(unsigned byte)
{
    return (byte < EGEN_PLACE ? L1M : DRAM) + byte % EGEN_PLACE;
}

static unsigned byte_of(uint64_t address)
{
    return address - L1M < EGEN_PLACE    ? (unsigned)(address - L1M)
           : address - DRAM < EGEN_PLACE ? (unsigned)(address - DRAM + EGEN_PLACE)
                                         : EREF_MEMORY;
}

static unsigned below(struct plan *p, unsigned bound)
{
    return (unsigned)test_below(&p->g.random, bound);
}

static void access_register(struct plan *p, const char *insn, unsigned address,
                            enum sref_action action)
{
    egen_constant(&p->g, "t2", address);
    sam_buffer_printf(&p->g.text, "%s t1, 0(t2)\n", insn);
    struct eref_insn *access = egen_add(&p->g);
    access->control = true;
    access->action = action;
}

/* Read a register whose value depends on timing, and append it to the log. */
static void log_register(struct plan *p, unsigned address, enum sref_action action)
{
    access_register(p, "lw", address, action);
    egen_constant(&p->g, "t2", LOG_AT + 4 * p->loads++);
    sam_buffer_printf(&p->g.text, "sw t1, 0(t2)\n");
    egen_add(&p->g)->store = true;
}

static struct sam_matrix_work *add_matrix(struct plan *p, enum sam_m_kind kind)
{
    struct sam_matrix_work *w = &p->matrix[p->matrix_count];
    *w = (struct sam_matrix_work){
        .kind = kind, .registers = 1, .source_registers = 1, .m = p->m, .n = p->n, .bytes = p->k};
    p->matrix_at[p->matrix_count] = p->g.count;
    struct eref_insn *insn = egen_add(&p->g);
    insn->matrix = true;
    insn->action = p->matrix_count++;
    return w;
}

static void set_sizes(struct plan *p)
{
    p->m = 1 + below(p, 8);
    p->n = 1 + below(p, 8);
    p->k = 4 * (1 + below(p, 16));
    sam_buffer_printf(&p->g.text, "mcfgmi zero, %u\nmcfgni zero, %u\nmcfgki zero, %u\n", p->m, p->n,
                      p->k);
    for (unsigned i = 0; i < 3; i++)
        add_matrix(p, SAM_M_KIND_CONFIG);
}

static void move_rows(struct plan *p)
{
    const bool store = below(p, 3) == 0, stream = below(p, 4) == 0;
    const uint64_t base = (below(p, 2) ? L1M : DRAM) + 0x800 + below(p, 0x600);
    const unsigned stride = below(p, 2) ? p->k : below(p, 100), reg = below(p, 8);
    egen_constant(&p->g, "t1", (uint32_t)base);
    egen_constant(&p->g, "t2", stride);
    sam_buffer_printf(&p->g.text, "m%s%sb m%u, t2, (t1)\n", stream ? "s" : "", store ? "st" : "ld",
                      reg);
    struct sam_matrix_work *w = add_matrix(p, store ? SAM_M_KIND_STORE : SAM_M_KIND_LOAD);
    w->md = (uint8_t)reg;
    w->base = base;
    w->stride = stride;
    w->stream = stream;
    w->end = store ? p->m : 16;
}

static void multiply(struct plan *p)
{
    static const struct sam_m_type bytes = {8, 32, false};
    const unsigned to = below(p, 4), a = 4 + below(p, 4), b = 4 + below(p, 4);
    sam_buffer_printf(&p->g.text, "mmaqa.b m%u, m%u, m%u\n", to, b, a);
    struct sam_matrix_work *w = add_matrix(p, SAM_M_KIND_MMA);
    w->md = (uint8_t)to;
    w->ms1 = (uint8_t)a;
    w->ms2 = (uint8_t)b;
    w->reads_1 = w->reads_2 = true;
    w->type = &bytes;
}

static void use_matrix(struct plan *p)
{
    if (p->matrix_count + 3 > MATRIX)
        return;
    if (p->m == 0 || below(p, 8) == 0)
        set_sizes(p);
    else if (below(p, 3))
        move_rows(p);
    else
        multiply(p);
}

/* A random action on the queue of the weight unit, or on the matrix unit. */
static void use_others(struct egen *g)
{
    struct plan *p = (struct plan *)(void *)g;
    const unsigned kind = below(p, 32);
    if (kind >= 16)
        use_matrix(p);
    else if (kind < 10 && p->submits < SUBMITS) {
        egen_constant(g, "t1", RECORDS_AT + 64 * below(p, RECORDS));
        access_register(p, "sw", SAM_SYSTEM_WEIGHT_SUBMIT, SREF_SUBMIT);
        p->submits++;
    } else if (kind == 10) {
        access_register(p, "lw", SAM_SYSTEM_WEIGHT_WAIT, SREF_WAIT);
    } else if (kind < 13) {
        log_register(p, SAM_SYSTEM_WEIGHT_DONE, SREF_DONE);
    } else if (kind == 13) {
        log_register(p, SAM_SYSTEM_WEIGHT_SUBMITTED, SREF_SUBMITTED);
    } else {
        log_register(p, SAM_SYSTEM_CYCLE_LOW, SREF_CYCLES);
    }
}

static uint32_t some_output(struct plan *p, unsigned number)
{
    const uint32_t at = number * OUTPUT_SIZE;
    return below(p, 2) ? L0M + at : PACKED + at;
}

/* Some are ranges that the program stores to, as some sources are. */
static uint32_t some_result(struct plan *p, unsigned number)
{
    return below(p, 3) ? RESULTS_AT + 36 * number : DRAM + 0x800 + 4 * below(p, 300);
}

/* Elements are encoded; encoded ones are decoded; both are counted; some records are rejected. */
static void random_record(struct plan *p, unsigned number)
{
    static const struct {
        uint32_t type, layout, bytes;
    } types[] = {{SAM_F16, 2, 2}, {SAM_E4M3, 5, 1}, {SAM_BF16, 1, 2}};
    struct sam_weight_record *r = &p->records[number];
    const struct sam_weight_record *other = number ? &p->records[below(p, number)] : NULL;
    const unsigned type = below(p, SAM_COUNT(types));
    const uint32_t count = 1 + below(p, below(p, 2) ? 300 : 3000);
    *r = (struct sam_weight_record){.operation = below(p, 2) ? SAM_WEIGHT_ENCODE : SAM_WEIGHT_COUNT,
                                    .packed_type = types[type].type,
                                    .output_type = types[type].type,
                                    .source = (below(p, 2) ? L1M : DRAM) +
                                              (below(p, 3) ? SOURCE : 0) + below(p, 500),
                                    .source_bytes = count * types[type].bytes,
                                    .destination = some_output(p, number),
                                    .destination_bytes = below(p, 9) ? OUTPUT_SIZE : 100,
                                    .elements_low = count,
                                    .result = below(p, 3) ? some_result(p, number) : 0,
                                    .layout = types[type].layout,
                                    .total_low = count};
    if (other && other->operation == SAM_WEIGHT_ENCODE && below(p, 3)) {
        r->operation = SAM_WEIGHT_DECODE;
        r->packed_type = r->output_type = other->packed_type;
        if (r->packed_type == SAM_E4M3 && below(p, 2))
            r->output_type = SAM_F16;
        r->source = other->destination;
        r->source_bytes = other->destination_bytes;
        r->layout = other->layout;
        r->total_low = other->total_low;
        r->elements_low = 1 + below(p, r->total_low);
        r->first_low = below(p, r->total_low - r->elements_low + 1);
        if (below(p, 3) == 0) {
            const uint32_t rows = 1 + below(p, 9);
            r->operation = SAM_WEIGHT_ROWS | rows << 8;
            r->elements_low = 1 + below(p, 1 + r->total_low / 16);
            r->elements_high = below(p, 1 + r->total_low / 16);
            r->first_low = below(p, 1 + r->total_low / 3);
        }
    }
    if (r->operation == SAM_WEIGHT_ENCODE && other && other->operation == SAM_WEIGHT_COUNT &&
        below(p, 2))
        r->first_low = other->destination & ~UINT32_C(3); /* with these counters */
    if (below(p, 12) == 0)
        r->operation = 9;
}

/* Records of the program `before` it has submitted any: the first ones first. */
static void plan_new(struct plan *p, uint64_t seed)
{
    *p = (struct plan){.g = {.random = seed,
                             .xlen = seed % 2 ? 32 : 64,
                             .places = {L1M, DRAM},
                             .place_count = 2,
                             .other = use_others}};
    p->g.others = 2 + below(p, 6);
    for (unsigned i = 0; i < RECORDS; i++)
        random_record(p, i);
    egen_program(&p->g, ACTIONS);
}

/* ---------------------------------------------------------------------------- comparisons */

/* Collects the times of each instruction of the engines. */
struct seen {
    const struct egen *program;
    size_t next;
};

static bool see_slice(void *context, const struct sam_engines_slice *s)
{
    struct seen *seen = context;
    if (s->track == SAM_ENGINE_COUNT || s->cycle != SAM_ENGINE_BUSY)
        return true;
    const size_t at = (size_t)(s->pc - SAM_SYSTEM_CODE_BASE) / 4;
    const struct eref_insn *insn = &seen->program->insns[at];
    if (s->issued != insn->issued || s->start != insn->start || s->end != insn->release ||
        s->done != insn->done || s->track != insn->engine)
        fail_msg("instruction %zu on %s: issued %llu, %llu..%llu, done %llu; the reference: %llu, "
                 "%llu..%llu, %llu",
                 at, sam_engine_name(s->track), (unsigned long long)s->issued,
                 (unsigned long long)s->start, (unsigned long long)s->end,
                 (unsigned long long)s->done, (unsigned long long)insn->issued,
                 (unsigned long long)insn->start, (unsigned long long)insn->release,
                 (unsigned long long)insn->done);
    seen->next++;
    return true;
}

/* ------------------------------------------------------------------------------- a system */

/* The effects of a run's records. */
struct works {
    const struct system_program *program;
    struct system_weight_work of[SUBMITS];
    unsigned count;
};

static void *copy_of(const void *array, size_t count, size_t size)
{
    void *copy = calloc(count + 1, size);
    assert_non_null(copy);
    if (count)
        memcpy(copy, array, count * size);
    return copy;
}

static void keep_work(void *context, const struct sam_system_weight *ended)
{
    struct works *w = context;
    const struct system_weight_work *work = &w->program->system->work;
    assert_int_equal(ended->number, w->count);
    struct system_weight_work *copy = &w->of[w->count++];
    *copy = *work;
    copy->room = (struct sam_chunks_room){0};
    copy->blocks = copy_of(work->blocks, work->count, sizeof *copy->blocks);
    copy->segments = copy_of(work->segments, work->segment_count, sizeof *copy->segments);
    copy->spans = copy_of(work->spans, work->span_count, sizeof *copy->spans);
}

static void write_bytes(struct system_program *p, uint64_t address, const void *data, size_t size)
{
    if (sam_system_write(p->system, address, data, size, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
}

static void fill(struct system_program *p, const struct plan *plan)
{
    uint8_t bytes[SOURCE_SIZE], words[64];
    for (size_t i = 0; i < sizeof bytes; i++) /* few symbols, so that they are packed */
        bytes[i] = (uint8_t)((i * i >> 3) % 7 * (i & 1 ? 1 : 0x11));
    write_bytes(p, L1M, bytes, 2 * EGEN_PLACE);
    write_bytes(p, DRAM, bytes, 2 * EGEN_PLACE);
    write_bytes(p, L1M + SOURCE, bytes, sizeof bytes);
    write_bytes(p, DRAM + SOURCE, bytes, sizeof bytes);
    for (unsigned i = 0; i < RECORDS; i++) {
        for (size_t k = 0; k < sizeof words; k += 4) {
            uint32_t word;
            memcpy(&word, (const uint8_t *)&plan->records[i] + k, sizeof word);
            sam_put_le32(words + k, word);
        }
        write_bytes(p, RECORDS_AT + 64 * i, words, sizeof words);
    }
}

/* `works`, unless NULL, receives them. */
static void start(struct system_program *p, struct plan *plan,
                  const struct sam_system_timing *timing, struct works *works, struct seen *seen)
{
    const struct sam_hart_options hart = {.watch = {seen ? see_slice : NULL, NULL, seen}};
    struct sam_system_options options = {.timing = timing};
    if (works) {
        works->program = p;
        options.weight_ended = keep_work;
        options.weight_ended_context = works;
    }
    *p = system_program_new(plan->g.xlen == 32 ? RV32 : RV64, &options, &hart,
                            sam_buffer_text(&plan->g.text), NULL);
    if (sam_system_map(p->system, DRAM, DRAM_SIZE, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
    fill(p, plan);
    const enum sam_status status = sam_system_run(p->system, &p->result, &p->error);
    if (p->result.hart.end != SAM_HART_EBREAK)
        fail_msg("%d: %s", status, p->error.text);
    assert_int_equal(p->result.hart.instructions, plan->g.count);
}

static void expect_same_bytes(struct system_program *a, struct system_program *b, uint64_t address,
                              size_t size)
{
    uint8_t x[0x4000], y[0x4000];
    for (size_t at = 0; at < size; at += sizeof x) {
        const size_t part = size - at < sizeof x ? size - at : sizeof x;
        assert_int_equal(sam_system_read(a->system, address + at, x, part, &a->error), SAM_OK);
        assert_int_equal(sam_system_read(b->system, address + at, y, part, &b->error), SAM_OK);
        assert_memory_equal(x, y, part);
    }
}

/* t1 holds the last value read from a register. */
static void expect_same_values(struct system_program *timed, struct system_program *plain)
{
    for (unsigned r = 0; r < 32; r++) {
        if (r != 6)
            assert_int_equal(sam_hart_x(timed->hart, r), sam_hart_x(plain->hart, r));
        assert_memory_equal(sam_hart_tl(timed->hart, r), sam_hart_tl(plain->hart, r), 1024);
    }
    expect_same_bytes(timed, plain, L1M, 0x10000);
    expect_same_bytes(timed, plain, L0M, RECORDS * OUTPUT_SIZE);
    expect_same_bytes(timed, plain, DRAM, LOG_AT - DRAM);
    expect_same_bytes(timed, plain, DRAM + SOURCE, DRAM_SIZE - SOURCE);
}

static size_t unit_insns(const struct egen *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->count; i++)
        count += g->insns[i].tensor;
    return count;
}

/* Cycles of all rounds. */
struct total {
    uint64_t hart[SAM_ISSUE_CYCLES], engines[SAM_ENGINE_CYCLES], weights[SYSTEM_STAGE_CYCLES],
        matrix[SAM_MXU_UNITS][SAM_MXU_STATES];
};

static void add_total(struct total *t, const struct sref *s)
{
    for (unsigned i = 0; i < SAM_ISSUE_CYCLES; i++)
        t->hart[i] += s->engines.issue[i];
    for (unsigned i = 0; i < SAM_ENGINE_COUNT * SAM_ENGINE_CYCLES; i++)
        t->engines[i % SAM_ENGINE_CYCLES] +=
            s->engines.engine[i / SAM_ENGINE_CYCLES].cycles[i % SAM_ENGINE_CYCLES];
    for (unsigned i = 0; i < SYSTEM_STAGE_CYCLES; i++)
        t->weights[i] += s->weights.cycles[i];
    for (unsigned i = 0; i < SAM_MXU_UNITS * SAM_MXU_STATES; i++)
        t->matrix[i / SAM_MXU_STATES][i % SAM_MXU_STATES] +=
            s->matrix->buckets[i / SAM_MXU_STATES][i % SAM_MXU_STATES];
}

/* A kind of cycle that no program has had; NULL: all have occurred. */
static const char *missing(const struct total *t)
{
    for (unsigned i = 0; i < SAM_ISSUE_CYCLES; i++)
        if (!t->hart[i])
            return sam_issue_cycle_name(i);
    for (unsigned i = 0; i < SAM_ENGINE_CYCLES; i++)
        if (!t->engines[i])
            return sam_engine_cycle_name(i);
    for (unsigned i = 0; i < SYSTEM_STAGE_CYCLES; i++)
        if (!t->weights[i] && i != SYSTEM_WEIGHT_WINDOWS) /* these are never encoded */
            return i < SYSTEM_STAGE_WORKS ? sam_system_weight_unit.works[i] : "idle weight unit";
    if (!t->matrix[SAM_MXU_LOAD][SAM_MXU_MEMORY])
        return "matrix loads that wait for memory";
    return t->matrix[SAM_MXU_STORE][SAM_MXU_MEMORY] ? NULL : "matrix stores that wait for memory";
}

static void expect_times(struct system_program *p, const struct sref *expected)
{
    struct sam_system_figures *figures;
    struct sam_engines_report report;
    struct system_time *time = p->system->time;
    succeeds(sam_system_measure, p->system, &figures);
    assert_true(sam_hart_engines(p->hart, &report));
    for (unsigned i = 0; i < expected->load_count; i++)
        assert_int_equal(system_word(p, LOG_AT + 4 * i), expected->loads[i]);
    eref_compare(&report, &expected->engines);
    assert_int_equal(figures->cycles, expected->engines.cycles);
    const struct system_stages *weights = time->units[SAM_SYSTEM_WEIGHT_QUEUE];
    for (unsigned i = 0; i < SYSTEM_STAGE_CYCLES; i++)
        assert_int_equal(weights->cycles[i], expected->weights.cycles[i]);
    const struct sam_mxu_stats *matrix = sam_hart_cycles(p->hart);
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        for (unsigned i = 0; i < SAM_MXU_STATES; i++)
            if (matrix->buckets[unit][i] != expected->matrix->buckets[unit][i])
                fail_msg("%s, %s: %llu cycles; the reference: %llu", sam_mxu_unit_name(unit),
                         sam_mxu_state_name(i), (unsigned long long)matrix->buckets[unit][i],
                         (unsigned long long)expected->matrix->buckets[unit][i]);
    lref_compare(expected->levels, sam_memtime_levels_figures(time->levels));
    system_expect_sums(figures);
    sam_system_figures_free(figures);
}

/* ------------------------------------------------------------------------- configurations */

static void random_config(struct sam_system_config *config, uint64_t *seed)
{
    static const char *const more[] = {
        "mem.l2_size=%u",
        "1024,2048,4096",
        "mem.l2_ways=%u",
        "1,2,4",
        "mem.l2_bytes=%u",
        "5,16,64,100",
        "mem.l2_latency=%u",
        "1,2,20",
        "mem.dram_bytes=%u",
        "3,16,64,100",
        "mem.dram_latency=%u",
        "1,10,100",
        "mem.l1m_bytes=%u",
        "3,16,64,128",
        "mem.l0m_bytes=%u",
        "3,16,64,128",
        "mem.l1m_latency=%u",
        "1,4,30",
        "mem.link_size=%u",
        "0,4096,32768",
        "mem.link_bytes=%u",
        "3,16",
        "queue=%u",
        "1,2,3,16",
        "wu.streams=%u",
        "1,2,5",
        "wu.symbols=%u",
        "1,2,8",
        "wu.table_ports=%u",
        "1,4",
        "wu.tables=%u",
        "0,1,8",
        "wu.lines=%u",
        "64,100",
        "wu.outputs=%u",
        "1,4,16",
        "wu.heads=%u",
        "0,1,16",
        "wu.count_symbols=%u",
        "2,16,64",
        "wu.code_items=%u",
        "1,7,64",
        "wu.requests=%u",
        "1,2,5,32",
        "wu.stream=%u",
        "0,1",
        "wu.raw=%u",
        "0,0,0,1",
    };
    char text[512];
    sam_system_config_defaults(config);
    succeeds(sam_system_config_set, config,
             "mem.l2_size=4096,mem.l2_ways=4,mem.link_base=0x50010000");
    for (size_t i = 0; i < SAM_COUNT(more); i += 2) {
        unsigned values[4] = {0}, count = 0;
        for (const char *at = more[i + 1]; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            values[count++] = (unsigned)strtoul(at, NULL, 10);
        snprintf(text, sizeof text, more[i], values[test_below(seed, count)]);
        succeeds(sam_system_config_set, config, text);
    }
    config->mx = random_mxu_config(seed, 1);
    config->mx.mlen = 512;
    config->mx.stall = 0;
    succeeds(sam_mxu_config_check, &config->mx);
    egen_config(seed, text, sizeof text);
    succeeds(sam_engines_parse, text, &config->tl);
}

TEST(the_reference_agrees)
{
    static const struct sam_memtime_map map = {L1M, 1 << 20, L0M, 1 << 20};
    const uint64_t rounds = test_number("SAMITE_CASES", ROUNDS);
    struct total total = {.hart = {0}};
    uint64_t seed = test_seed();
    /* Some kinds of cycles are rare: more rounds follow until all have occurred. */
    for (uint64_t i = 0; i < rounds || (missing(&total) && i < MOST_ROUNDS); i++) {
        struct plan plan;
        struct works works = {.count = 0};
        struct sam_system_config config;
        struct system_program timed, plain, known;
        if (getenv("SAMITE_SHOW"))
            printf("# round %llu: 0x%llx\n", (unsigned long long)i, (unsigned long long)seed);
        plan_new(&plan, test_random(&seed));
        random_config(&config, &seed);
        if (getenv("SAMITE_SHOW"))
            printf("%s", sam_buffer_text(&plan.g.text));
        const struct sam_system_timing timing = {.size = sizeof timing, .config = &config};
        start(&plain, &plan, NULL, NULL, NULL);
        start(&known, &plan, &timing, &works, NULL);
        const struct sref_program program = {.insns = plan.g.insns,
                                             .count = plan.g.count,
                                             .address = address_of,
                                             .byte = byte_of,
                                             .works = works.of,
                                             .work_count = works.count,
                                             .matrix = plan.matrix,
                                             .matrix_at = plan.matrix_at,
                                             .matrix_count = plan.matrix_count};
        struct sref *expected =
            sref_run(&config, &map, &program, SYSTEM_PORT_MATRIX, SYSTEM_PORT_WEIGHTS);
        struct seen seen = {&plan.g, 0};
        start(&timed, &plan, &timing, NULL, &seen);
        expect_same_values(&timed, &plain);
        expect_times(&timed, expected);
        assert_int_equal(seen.next, unit_insns(&plan.g));
        add_total(&total, expected);
        sref_free(expected);
        for (unsigned k = 0; k < works.count; k++)
            sam_system_weight_free(&works.of[k]);
        system_program_free(&timed);
        system_program_free(&known);
        system_program_free(&plain);
        egen_free(&plan.g);
    }
    if (missing(&total))
        fail_msg("no program has a cycle of '%s'", missing(&total));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model: expected figures, and invariants of every configuration. */
#include "hart/program.h"

#include "alone.h"
#include "hart/core.h"
#include "random_config.h"
#include "works.h"

/* ------------------------------------------------------------------------------ in time */

struct watch {
    unsigned count;
    uint64_t issued[256], written[256];
    unsigned kinds[256];
    uint64_t open_reads, open_writes; /* ids in use */
    uint64_t bytes_of_strobes;
    struct sam_mxu_bus last; /* the cycle before */
};

static void note_uop(void *context, const struct sam_mxu_record *r)
{
    struct watch *w = context;
    if (w->count < SAM_COUNT(w->issued)) {
        w->issued[w->count] = r->issued;
        w->written[w->count] = r->written;
        w->kinds[w->count] = r->kind;
    }
    w->count++;
}

/* An offer does not change until it is accepted. */
static void expect_patience(const struct sam_mxu_bus *last, const struct sam_mxu_bus *b)
{
    if (last->rvalid && !last->rready) {
        assert_true(b->rvalid && b->raddr == last->raddr);
        assert_true(b->rlen == last->rlen && b->rid == last->rid);
    }
    if (last->wvalid && !last->wready) {
        assert_true(b->wvalid && b->waddr == last->waddr && b->fullline == last->fullline);
        assert_true(b->wlen == last->wlen && b->wid == last->wid);
    }
    if (last->wdvalid && !last->wdready) {
        assert_true(b->wdvalid && b->wdlast == last->wdlast && b->wstrb == last->wstrb);
        assert_memory_equal(b->wdata, last->wdata, sizeof b->wdata);
    }
}

/* An id is reused only in a cycle after its response, not in the same one. */
static void note_bus(void *context, uint64_t cycle, const struct sam_mxu_bus *b)
{
    struct watch *w = context;
    (void)cycle;
    expect_patience(&w->last, b);
    w->last = *b;
    if (b->rvalid)
        assert_false(w->open_reads >> b->rid & 1);
    if (b->wvalid)
        assert_false(w->open_writes >> b->wid & 1);
    if (b->resp_rvalid)
        assert_true(w->open_reads >> b->resp_rid & 1);
    if (b->resp_rlast)
        w->open_reads &= ~(UINT64_C(1) << b->resp_rid);
    if (b->resp_wvalid) {
        assert_true(w->open_writes >> b->resp_wid & 1);
        w->open_writes &= ~(UINT64_C(1) << b->resp_wid);
    }
    if (b->rvalid && b->rready) {
        assert_true(b->raddr % 64 + 16u * (b->rlen + 1u) <= 64);
        w->open_reads |= UINT64_C(1) << b->rid;
    }
    if (b->wvalid && b->wready) {
        assert_true(!b->fullline || (b->wlen == 3 && b->waddr % 64 == 0));
        w->open_writes |= UINT64_C(1) << b->wid;
    }
    if (b->wdvalid && b->wdready)
        w->bytes_of_strobes += (unsigned)__builtin_popcount(b->wstrb);
}

/* `count` multiplications in sequence; issue times relative to the first. */
static struct watch mmas(const char *text, const struct sam_matrix_work *works, unsigned count)
{
    struct sam_mxu_config c = config_of(512, text);
    struct watch w = {0};
    struct sam_mxu_observer observer = {&w, note_uop, NULL};
    SCOPED(alone) a;
    alone_open(&a, &c, &observer);
    for (unsigned i = 0; i < count; i++)
        alone_matrix(&a, &works[i], 4 * i, 0);
    alone_drain(&a);
    uint64_t first = w.issued[0];
    for (unsigned i = 0; i < w.count; i++) {
        w.issued[i] -= first;
        w.written[i] -= first;
    }
    return w;
}

static void expect_issue(const char *text, const struct sam_matrix_work *works, unsigned count,
                         const unsigned *issued, unsigned uops, unsigned last)
{
    struct watch w = mmas(text, works, count);
    assert_int_equal(w.count, uops);
    for (unsigned i = 0; i < uops; i++)
        assert_int_equal(w.issued[i], issued[i]);
    assert_int_equal(w.written[uops - 1], last);
}

TEST(hazards_on_accumulators)
{
    const struct sam_matrix_work full = mma_of(&half, 0, 16, 32, 64);
    struct watch w = mmas("", &full, 1);
    assert_int_equal(w.issued[31], 31);
    assert_int_equal(w.written[31], 41);
    const struct sam_matrix_work twice[] = {full, full};
    w = mmas("", twice, 2);
    assert_int_equal(w.issued[63], 63);
    assert_int_equal(w.written[63], 73);
    const struct sam_matrix_work one = mma_of(&single, 0, 4, 4, 64),
                                 other = mma_of(&single, 4, 4, 4, 64);
    const struct sam_matrix_work four[] = {one, one, one, one}, apart[] = {one, other, one, other};
    const struct sam_matrix_work two = mma_of(&single, 0, 4, 8, 64), pairs[] = {two, two, two, two};
    expect_issue("", four, 4, (unsigned[]){0, 5, 10, 15}, 4, 25);
    expect_issue("wb_bypass=1", four, 4, (unsigned[]){0, 4, 8, 12}, 4, 22);
    expect_issue("", apart, 4, (unsigned[]){0, 1, 5, 6}, 4, 16);
    expect_issue("", pairs, 4, (unsigned[]){0, 1, 5, 6, 10, 11, 15, 16}, 8, 26);
}

/* A multiplication that overwrites a source of an older one waits for its last read; one that
 * reads its result, for its last write-back. */
TEST(registers_between_instructions)
{
    const struct sam_matrix_work first = mma_of(&single, 0, 4, 8, 64); /* reads m2 and m6 */
    struct sam_matrix_work over = mma_of(&single, 6, 4, 4, 64),
                           after = mma_of(&single, 4, 4, 4, 64);
    over.ms1 = 1;
    after.ms1 = 0;
    const struct sam_matrix_work war[] = {first, over}, raw[] = {first, after};
    expect_issue("", war, 2, (unsigned[]){0, 1, 2}, 3, 12);
    expect_issue("", raw, 2, (unsigned[]){0, 1, 12}, 3, 22);
}

/* Loads issue one per cycle, send their request a cycle later, and get their first beat after the
 * latency. */
TEST(a_load_in_time)
{
    struct sam_mxu_config c = config_of(512, "mem_latency=20");
    struct watch w = {0};
    struct sam_mxu_observer observer = {&w, note_uop, note_bus};
    SCOPED(alone) a;
    alone_open(&a, &c, &observer);
    struct sam_matrix_work load = {.kind = SAM_M_KIND_LOAD,
                                   .registers = 1,
                                   .m = 16,
                                   .bytes = 64,
                                   .base = 0x1000,
                                   .stride = 64};
    alone_matrix(&a, &load, 0, 0);
    const struct sam_mxu_stats *s = alone_drain(&a);
    assert_int_equal(w.count, 16);
    assert_int_equal(w.issued[0], 1);
    assert_int_equal(w.written[0], 1 + 1 + 20 + 3 + 1); /* issue, request, beats, write-back */
    assert_int_equal(s->read_beats, 64);
    assert_int_equal(s->bytes_loaded, 1024);
    assert_int_equal(w.written[15], 26 + 60); /* the bus is never idle */
}

/* A load after a store to its line waits for the response. */
TEST(a_load_behind_a_store)
{
    for (unsigned distance = 0; distance <= 64; distance += 64) {
        struct sam_mxu_config c = config_of(512, "");
        struct watch w = {0};
        struct sam_mxu_observer observer = {&w, note_uop, note_bus};
        SCOPED(alone) a;
        alone_open(&a, &c, &observer);
        struct sam_matrix_work store = {
            .kind = SAM_M_KIND_STORE, .registers = 1, .m = 1, .bytes = 64, .base = 0x1000};
        struct sam_matrix_work load = {.kind = SAM_M_KIND_LOAD,
                                       .md = 1,
                                       .registers = 1,
                                       .m = 16,
                                       .bytes = 64,
                                       .base = 0x1000 + distance};
        alone_matrix(&a, &store, 0, 0);
        alone_matrix(&a, &load, 4, 0);
        alone_drain(&a);
        assert_int_equal(w.count, 17);
        assert_int_equal(alone_drain(&a)->full_lines, 1);
        assert_int_equal(w.bytes_of_strobes, 64);
        uint64_t answered = 0, issued = 0;
        for (unsigned i = 17; i-- > 0;)
            if (w.kinds[i] == SAM_M_KIND_STORE)
                answered = w.written[i];
            else
                issued = w.issued[i];
        if (distance)
            assert_int_equal(issued, 2);
        else
            assert_int_equal(issued, answered);
    }
}

/* ------------------------------------------------------------------------------ programs */

/* The tile of the roofline: two registers of B and one of A for one multiplication. */
TEST(bus_bound)
{
    struct sam_mxu_config c = config_of(512, "");
    struct sam_hart_options options = {.cycles = &c};
    SCOPED(program) p = program_new("rv64im_zicsr_zfinx_xmatrix", &options,
                                    "li t0, 0x402010\nmcfg zero, t0\nli a0, 0x10000\nli a1, 64\n"
                                    "mldh m0, a1, (a0)\nmldh m2, a1, (a0)\nmldh m3, a1, (a0)\n"
                                    "fmmacc.h m4, m2, m0\nebreak\n");
    program_expect(&p, SAM_HART_EBREAK);
    const struct sam_mxu_stats *s = sam_hart_cycles(p.hart);
    assert_int_equal(s->read_beats, 192);
    assert_int_equal(s->mma_uops, 32);
    assert_int_equal(s->bytes_loaded, 3072);
    assert_int_equal(s->macs, 16 * 32 * 32);
    assert_true(s->full_uops == 32);
    assert_int_equal(s->instructions, 5);
}

/* The operands of a configuration are integer registers; x19 is no matrix register. */
TEST(configurations_hold_nothing)
{
    SCOPED(program) p = program_new("rv64im_zicsr_zfinx_xmatrix", NULL, "mcfg s3, s4\nebreak\n");
    const struct sam_insn insn = {
        .op = SAM_OP_mcfg, .rd = 19, .rs1 = 20, .word = sam_insn_rows[SAM_OP_mcfg].match};
    struct sam_matrix_work work;
    assert_true(sam_matrix_work_of(&p.hart->core, &insn, &work));
    assert_int_equal(work.kind, SAM_M_KIND_CONFIG);
    assert_int_equal(work.registers, 0);
    assert_int_equal(work.md, 0);
}

/* Of all loads and stores, whole registers included, those with these names. */
TEST(stream_moves)
{
    SCOPED(program) p = program_new("rv64im_zicsr_zfinx_xmatrix", NULL, "ebreak\n");
    struct sam_isa isa;
    unsigned streams = 0, moves = 0;
    assert_int_equal(sam_isa_parse("rv64im_zicsr_zfinx_xmatrix", &isa, NULL), SAM_OK);
    for (unsigned op = 0; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        struct sam_insn insn;
        struct sam_matrix_work work;
        const bool named =
            strncmp(row->mnemonic, "msld", 4) == 0 || strncmp(row->mnemonic, "msst", 4) == 0;
        if (row->on != SAM_EXT_XMATRIX || !sam_decode(&isa, row->match, 0, &insn) ||
            !sam_matrix_work_of(&p.hart->core, &insn, &work))
            continue;
        if (work.stream != named)
            fail_msg("%s: streams is %d", row->mnemonic, work.stream);
        streams += named;
        moves += work.kind == SAM_M_KIND_LOAD || work.kind == SAM_M_KIND_STORE;
    }
    assert_int_equal(streams, 8);
    assert_true(moves > 2 * streams);
}

/* Separate accumulators: md is one, and sources are not; the other registers the reverse. */
TEST(choice_of_accumulators)
{
    static const struct {
        const char *set, *product, *text; /* text: of the trap; NULL: legal */
    } cases[] = {
        {"0:4", "mmaqa.b m4, m1, m2", NULL},
        {"0:4", "mmaqa.b m5, m1, m2", "m5 as md: expected a register of acc_regs, m0, m4; pc"},
        {"0:4", "mmaqa.b m4, m0, m2", "m0 as a source: expected none of acc_regs, m0, m4; pc"},
        {"0:4", "mmaqa.b m0, m2, m4", "m4 as a source"},
        {"0:4", "mmaqa.b m0, m5, m1", NULL}, /* the second ones of pairs are sources */
        {"0:4", "fmmacc.h m0, m4, m2", "m4 as a source"},
        {"5", "fmmacc.h m5, m6, m2", NULL},
        {"5", "fmmacc.h m5, m4, m2", "m5 is both md and a source"}, /* reads m5 as well */
        {"3", "fmmacc.h m3, m4, m3", "m3 is both md and a source"},
        {"1:3", "fmmacc.h m3, m0, m4", "m1 as a source: expected none of acc_regs, m1, m3"},
        {"0:1:2:3:4:5:6:7", "mmaqa.b m4, m0, m1", NULL},
        {"all", "mmaqa.b m4, m0, m1", NULL},
    };
    for (size_t i = 0; i < 2 * SAM_COUNT(cases); i++) {
        char text[128];
        struct sam_mxu_config c = config_of(512, "");
        struct sam_hart_options options = {.size = sizeof options, .cycles = i % 2 ? &c : NULL};
        const char *set = cases[i / 2].set, *expected = cases[i / 2].text;
        succeeds(sam_hart_parse_acc_regs, set, &options.acc_regs);
        snprintf(text, sizeof text, "li t0, 0x401010\nmcfg zero, t0\n%s\nebreak\n",
                 cases[i / 2].product);
        SCOPED(program) p = program_new("rv64im_zicsr_zfinx_xmatrix", &options, text);
        (void)program_run(&p);
        if ((p.result.end == SAM_HART_EBREAK) != !expected ||
            (expected && !strstr(p.result.text, expected)))
            fail_msg("%s with '%s': %s", cases[i / 2].product, set, p.result.text);
        if (expected) {
            assert_int_equal(p.result.end, SAM_HART_TRAP);
            assert_int_equal(p.result.cause, 2);
            assert_int_equal(p.result.tval, p.result.word);
            assert_int_equal(p.result.pc, SAM_HART_CODE_BASE + 12);
        }
    }
}

TEST(bad_configurations)
{
    static const char *const texts[][2] = {
        {"mpara=3", "a power of two from 1 to 16"},
        {"mpara=32", "1 to 16"},
        {"slots=0", "1 to 16"},
        {"slots", "slots=VALUE"},
        {"speed=3", "unknown parameter 'speed'"},
        {"wb_bypass=2", "0 or 1"},
        {"acc_regs=0:4", "unknown parameter 'acc_regs'"}, /* of the hart, with and without time */
        {"stall=91", "0 to 90"},
    };
    struct sam_mxu_config c;
    struct sam_error error;
    for (size_t i = 0; i < SAM_COUNT(texts); i++) {
        sam_mxu_config_init(&c, 512);
        assert_int_equal(sam_mxu_config_set(&c, texts[i][0], &error), SAM_ERR_USAGE);
        if (!strstr(error.text, texts[i][1]))
            fail_msg("%s: %s", texts[i][0], error.text);
    }
    /* the listed defaults are those of sam_mxu_config_init */
    struct sam_mxu_config init, listed;
    memset(&init, 0, sizeof init);
    memset(&listed, 0, sizeof listed);
    sam_mxu_config_init(&init, 0);
    const struct sam_parameter *p;
    for (size_t i = 0; (p = sam_mxu_parameter(i)); i++) {
        const bool all = strcmp(p->value, "all") == 0;
        FREED char *text = formatted("%s=%s", p->name, all ? "0:1:2:3:4:5:6:7" : p->value);
        if (all || (p->value[0] >= '0' && p->value[0] <= '9'))
            succeeds(sam_mxu_config_set, &listed, text);
    }
    assert_int_equal(init.step_m + init.rows_m_block + init.rows_n_block, 0); /* mpara, npara */
    assert_memory_equal(&listed, &init, sizeof init);
    sam_mxu_config_init(&c, 512);
    c.slots = 0; /* set in the structure, bypassing the parser */
    assert_int_equal(sam_mxu_config_check(&c, &error), SAM_ERR_USAGE);
    static const char *const together[][2] = {
        {"mlen=128,mpara=8", "4 rows"},
        {"step_m=2", "expected 1 or mpara"},
        {"rows_n_block=2", "unless step_m is 1"},
    };
    for (size_t i = 0; i < SAM_COUNT(together); i++) {
        sam_mxu_config_init(&c, 512);
        succeeds(sam_mxu_config_set, &c, together[i][0]);
        assert_int_equal(sam_mxu_config_check(&c, &error), SAM_ERR_USAGE);
        if (!strstr(error.text, together[i][1]))
            fail_msg("%s: %s", together[i][0], error.text);
    }
}

/* ----------------------------------------------------------------------- random streams */

static uint64_t seed;

static unsigned below(unsigned bound)
{
    return (unsigned)test_below(&seed, bound);
}

static struct sam_mxu_config random_config(void)
{
    struct sam_mxu_config c = random_mxu_config(&seed, 91);
    const unsigned most = __builtin_ctz(c.mlen / 32) + 1u;
    c.mpara = 1u << below(most);
    c.npara = 1u << below(most);
    c.acc_latency = 1 + below(8);
    c.wb_bypass = below(2);
    c.ooo_window = 1 + below(32);
    if (below(4) == 0) {
        c.step_m = 1;
        c.rows_m_block = 1u << below(most);
        c.rows_n_block = 1u << below(most);
    }
    succeeds(sam_mxu_config_check, &c);
    return c;
}

/* Valid work of each kind; the model requires no more. */
static struct sam_matrix_work random_work(unsigned mlen)
{
    static const struct sam_m_type *const types[] = {&half, &single, &real, &byte, &word, &nibble};
    const unsigned rows = mlen / 32;
    struct sam_matrix_work w = {.kind = (enum sam_m_kind)below(5)};
    w.m = 1 + below(rows);
    w.bytes = 8 * (1 + below(mlen / 64));
    w.md = (uint8_t)below(8);
    w.registers = w.source_registers = 1;
    if (w.kind == SAM_M_KIND_MMA) {
        const struct sam_m_type *type = types[below(6)];
        const unsigned n = 1 + below(type == &half ? 2 * rows : rows), m = w.m, bytes = w.bytes;
        w = mma_of(type, 2 * below(2), m, n, bytes);
        w.ms1 = (uint8_t)(4 + below(4));
        w.ms2 = (uint8_t)(4 + 2 * below(2));
    } else if (w.kind <= SAM_M_KIND_STORE) {
        w.registers = below(8) ? 1 : 2;
        w.md &= (uint8_t) ~(w.registers - 1);
        w.m = w.registers == 1 ? w.m : 2 * rows;
        w.bytes = w.registers == 1 ? w.bytes : mlen / 8;
        w.base = 0x1000 + 8 * below(64);
        w.stride = w.registers == 1 ? 8 * below(40) : mlen / 8;
    } else {
        w.ms1 = (uint8_t)below(8);
        w.ms2 = (uint8_t)below(8);
        w.reads_1 = below(2);
        w.reads_2 = below(2);
    }
    return w;
}

TEST(random_streams)
{
    seed = test_seed();
    for (unsigned round = 0; round < 300; round++) {
        struct sam_mxu_config c = random_config();
        struct watch w = {0};
        struct sam_mxu_observer observer = {&w, note_uop, note_bus};
        struct alone a;
        alone_open(&a, &c, &observer);
        uint64_t stored = 0, loaded = 0, macs = 0;
        for (unsigned i = 0; i < 40; i++) {
            struct sam_matrix_work work = random_work(c.mlen);
            if (below(3) == 0) {
                alone_scalar(&a);
                continue;
            }
            stored += work.kind == SAM_M_KIND_STORE ? work.m * work.bytes : 0;
            loaded += work.kind == SAM_M_KIND_LOAD ? work.m * work.bytes : 0;
            if (work.kind == SAM_M_KIND_MMA)
                macs += (uint64_t)work.m * work.n * (work.bytes * 8 / work.type->source);
            alone_matrix(&a, &work, 4 * i, 0);
        }
        const struct sam_mxu_stats *s = alone_drain(&a); /* the run ends */
        assert_int_equal(w.open_reads | w.open_writes, 0);
        assert_int_equal(s->bytes_loaded, loaded);
        assert_int_equal(s->bytes_stored, stored);
        assert_int_equal(w.bytes_of_strobes, stored);
        assert_int_equal(s->macs, macs);
        assert_true(16 * s->read_beats >= loaded && 16 * s->write_beats >= stored);
        assert_int_equal(w.count,
                         s->mma_uops + s->pw_uops + s->load_uops + s->store_uops + s->zero_uops);
        for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++) {
            uint64_t sum = 0;
            for (unsigned k = 0; k < SAM_MXU_STATES; k++)
                sum += s->buckets[unit][k];
            assert_int_equal(sum, s->cycles);
        }
        struct sam_mxu_roofline r;
        sam_mxu_roofline(&c, s, &r);
        if (r.done > r.bound)
            fail_msg("%f operations per cycle; the roofline allows %f", r.done, r.bound);
        assert_int_equal(s->buckets[SAM_MXU_MMA][SAM_MXU_BUSY], s->mma_uops);
        assert_int_equal(s->buckets[SAM_MXU_READ][SAM_MXU_BUSY], s->read_beats);
        assert_int_equal(s->buckets[SAM_MXU_WRITE][SAM_MXU_BUSY], s->write_beats);
        alone_free(&a);
    }
}

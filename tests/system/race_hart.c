/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of a hart as seen by the race check: with a launch in flight that has written its
 * code and data, every access is a race, with its unit, pc and bytes. */
#include "hart/program.h"

#include "system/race_watch.h"

enum { MOST = 64 };

struct heard {
    struct sam_system_race races[MOST];
    size_t count;
    bool fetches; /* keep them, too */
};

static void hear(void *context, const struct sam_system_race *race)
{
    struct heard *h = context;
    if (race->access.access == SAM_SYSTEM_FETCH && !h->fetches)
        return;
    assert_true(h->count < MOST);
    h->races[h->count++] = *race;
}

struct expected {
    enum sam_system_agent agent;
    enum sam_system_access access;
    const char *symbol; /* of its pc */
    uint64_t address, size;
};

static void run_into_a_launch(const char *isa, const struct sam_hart_options *options,
                              const char *text, struct heard *heard, struct program *p)
{
    struct sam_system_watch *watch =
        sam_system_watch_new(&(struct sam_system_races_options){.racing = hear, .context = heard});
    assert_non_null(watch);
    *p = program_new(isa, options, text);
    sam_system_watch_hart(watch, p->hart);
    sam_system_watch_submit(watch, SAM_SYSTEM_BY_GPU, 0, 0, 0);
    static const uint64_t written[] = {DATA_BASE, SAM_HART_CODE_BASE};
    for (size_t i = 0; i < SAM_COUNT(written); i++)
        sam_system_races_access(sam_system_watch_races(watch),
                                &(struct system_race_access){.agent = SAM_SYSTEM_BY_GPU,
                                                             .kind = SAM_SYSTEM_STORE,
                                                             .address = written[i],
                                                             .size = DATA_SIZE});
    program_run(p);
    sam_system_watch_ended(watch, SAM_SYSTEM_BY_GPU, 0);
    assert_int_equal(sam_system_races_check(sam_system_watch_races(watch), NULL), SAM_OK);
    sam_system_watch_free(watch);
}

static void expect(const char *isa, const char *text, const struct expected *expected, size_t count)
{
    struct heard heard = {0};
    SCOPED(program) p;
    run_into_a_launch(isa, NULL, text, &heard, &p);
    for (size_t i = 0; i < count && i < heard.count; i++) {
        const struct sam_system_race *race = &heard.races[i];
        const struct sam_symbol *symbol = sam_image_find(p.image, expected[i].symbol);
        assert_non_null(symbol);
        if (race->access.agent != expected[i].agent || race->access.access != expected[i].access ||
            race->access.pc != symbol->value || race->address != expected[i].address ||
            race->size != expected[i].size)
            fail_msg("access %zu: %s by %s at 0x%llx of 0x%llx + %llu", i,
                     sam_system_access_name(race->access.access),
                     sam_system_agent_name(race->access.agent), (unsigned long long)race->access.pc,
                     (unsigned long long)race->address, (unsigned long long)race->size);
    }
    assert_int_equal(heard.count, count);
}

TEST(scalar_accesses)
{
    static const struct expected expected[] = {
        {SAM_SYSTEM_BY_HART, SAM_SYSTEM_LOAD, "a", 0x10004, 4},
        {SAM_SYSTEM_BY_HART, SAM_SYSTEM_STORE, "b", 0x10009, 1},
        {SAM_SYSTEM_BY_HART, SAM_SYSTEM_LOAD, "c", 0x10008, 8},
        {SAM_SYSTEM_BY_HART, SAM_SYSTEM_ATOMIC, "d", 0x10000, 4},
        {SAM_SYSTEM_BY_HART, SAM_SYSTEM_ATOMIC, "e", 0x10010, 8},
        {SAM_SYSTEM_BY_HART, SAM_SYSTEM_ATOMIC, "f", 0x10010, 8},
        {SAM_SYSTEM_BY_HART, SAM_SYSTEM_STORE, "h", 0x13ff8, 8},
    };
    expect("rv64ima_zicsr",
           "li a0, 0x10000\na: lw t0, 4(a0)\nb: sb t0, 9(a0)\nc: ld t1, 8(a0)\n"
           "d: amoadd.w t0, t1, (a0)\naddi a1, a0, 16\ne: lr.d t0, (a1)\nf: sc.d t1, t0, (a1)\n"
           "li a2, 0x14000\nh: sd t0, -8(a2)\nebreak\n",
           expected, SAM_COUNT(expected));
}

TEST(tensor_accesses)
{
    static const struct expected expected[] = {
        {SAM_SYSTEM_BY_TENSOR, SAM_SYSTEM_LOAD, "a", 0x10000, 4},
        {SAM_SYSTEM_BY_TENSOR, SAM_SYSTEM_LOAD, "a", 0x10010, 4},
        {SAM_SYSTEM_BY_TENSOR, SAM_SYSTEM_LOAD, "a", 0x10020, 4},
        {SAM_SYSTEM_BY_TENSOR, SAM_SYSTEM_STORE, "b", 0x10100, 12},
    };
    expect(RV32,
           "li t1, 0x030104\ncsrw tshape, t1\ncsrwi tload_stride1, 8\ncsrwi tload_stride2, 4\n"
           "li a0, 0x10000\n"
           "a: tl.load tl1, 0(a0)\naddi a1, a0, 256\nb: tl.store tl1, 0(a1)\nebreak\n",
           expected, SAM_COUNT(expected));
}

TEST(matrix_accesses)
{
    static const struct expected expected[] = {
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_LOAD, "a", 0x10000, 16},
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_LOAD, "a", 0x10040, 16},
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_LOAD, "a", 0x10080, 16},
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_STORE, "b", 0x10800, 16},
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_STORE, "b", 0x10840, 16},
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_STORE, "b", 0x10880, 16},
    };
    expect("rv64im_zicsr_zfinx_xmatrix",
           "li t0, 0x100303\nmcfg zero, t0\nli a0, 0x10000\nli a1, 64\na: mldb m1, a1, (a0)\n"
           "li a0, 0x10800\nb: mstb m1, a1, (a0)\nebreak\n",
           expected, SAM_COUNT(expected));
}

/* A matrix load that faults has read the rows before the faulting one. */
TEST(a_matrix_load_that_traps)
{
    static const struct expected expected[] = {
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_LOAD, "a", 0x13f80, 16},
        {SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_LOAD, "a", 0x13fc0, 16},
    };
    expect("rv64im_zicsr_zfinx_xmatrix",
           "li t0, 0x100303\nmcfg zero, t0\nli a0, 0x13f80\nli a1, 64\na: mldb m1, a1, (a0)\n"
           "ebreak\n",
           expected, SAM_COUNT(expected));
}

TEST(every_instruction_is_fetched)
{
    struct heard heard = {.fetches = true};
    SCOPED(program) p;
    run_into_a_launch(RV32, NULL, "nop\nj 1f\nnop\n1: nop\nebreak\n", &heard, &p);
    static const uint64_t pcs[] = {0, 4, 12, 16};
    assert_int_equal(heard.count, SAM_COUNT(pcs));
    for (size_t i = 0; i < SAM_COUNT(pcs); i++) {
        assert_int_equal(heard.races[i].address, SAM_HART_CODE_BASE + pcs[i]);
        assert_int_equal(heard.races[i].access.access, SAM_SYSTEM_FETCH);
        assert_int_equal(heard.races[i].size, 4);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The engines and the matrix unit on one clock. */
#include "hart/mixed.h"

#include "matrix/random_config.h"
#include "streams.h"

enum { ROUNDS = 60 };

/* ---------------------------------------------------------------------------------- tests */

TEST(no_effect_before_its_cause)
{
    uint64_t seed = test_seed();
    unsigned pairs = 0, waited = 0;
    uint64_t waits[3] = {0};
    static struct mixed m;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct sam_mxu_config mxu = random_mxu_config(&seed, 40);
        struct sam_engines_config engines = mixed_engines(&seed);
        SCOPED(sam_buffer) timeline = {0};
        struct sam_profile *profile = sam_profile_new();
        const struct sam_hart_options options = {.size = sizeof options,
                                                 .engines = &engines,
                                                 .cycles = &mxu,
                                                 .profile = profile,
                                                 .timeline = test_sink(&timeline)},
                                      plain = {.mlen = mxu.mlen};
        struct sam_engines_report r = {0}, again = {0};
        mixed_make(&m, test_random(&seed));
        /* without a timeline and a profile, scalar code is counted in runs, not stepped */
        const struct sam_hart_options fast = {.engines = &engines, .cycles = &mxu};
        struct program timed = mixed_start(sam_buffer_text(&m.text), &options, NULL),
                       counted = mixed_start(sam_buffer_text(&m.text), &fast, NULL),
                       untimed = mixed_start(sam_buffer_text(&m.text), &plain, NULL);
        program_expect(&timed, SAM_HART_EBREAK);
        program_expect(&untimed, SAM_HART_EBREAK);
        mixed_expect_same(&timed, &untimed);
        assert_true(sam_hart_engines(timed.hart, &r));
        const struct sam_mxu_stats *s = sam_hart_cycles(timed.hart);
        mixed_expect_sums(&r, s);
        program_expect(&counted, SAM_HART_EBREAK);
        assert_true(sam_hart_engines(counted.hart, &again));
        assert_memory_equal(&again, &r, sizeof r);
        assert_memory_equal(sam_hart_cycles(counted.hart), s, sizeof *s);
        program_free(&counted);
        assert_int_equal(r.instructions, timed.result.instructions);
        assert_int_equal(sam_hart_end_timeline(timed.hart, NULL), SAM_OK);
        mixed_see(&m, &timeline, profile);
        if (getenv("SAMITE_SHOW"))
            printf("%s%s", sam_buffer_text(&m.text), sam_buffer_text(&timeline));
        pairs += mixed_expect_order(&m);
        waited += mixed_expect_exact(&m);
        waits[0] += s->buckets[SAM_MXU_LOAD][SAM_MXU_MEMORY];
        waits[1] += s->buckets[SAM_MXU_STORE][SAM_MXU_MEMORY];
        waits[2] += r.issue[SAM_ISSUE_MEMORY];
        program_free(&timed);
        program_free(&untimed);
        sam_profile_free(profile);
        sam_buffer_free(&m.text);
    }
    assert_true(pairs > 1000 && waited > 100 && waits[0] && waits[1] && waits[2]);
}

/* Cycles in which a unit waits for bytes of another one: a matrix store of 16 of every 32 bytes,
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
    SCOPED(program) p = mixed_start(text, &options, NULL);
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_engines(p.hart, &r));
    const uint64_t cycles = matrix_first
                                ? r.engine[SAM_ENGINE_LOAD].cycles[SAM_ENGINE_MEMORY]
                                : sam_hart_cycles(p.hart)->buckets[SAM_MXU_LOAD][SAM_MXU_MEMORY];
    return cycles;
}

TEST(bytes_between_do_not_wait)
{
    for (unsigned first = 0; first < 2; first++) {
        assert_int_equal(waited_for_bytes(16, first), 0); /* the other 16 of every 32 bytes */
        assert_true(waited_for_bytes(15, first) > 10);
        assert_true(waited_for_bytes(17, first) > 10);
    }
}

/* The hart loads data stored by the matrix unit, and stores to data that it loads. */
TEST(the_hart_waits)
{
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
        SCOPED(program) p = mixed_start(text, &options, NULL);
        program_expect(&p, SAM_HART_EBREAK);
        assert_true(sam_hart_engines(p.hart, &r));
        assert_int_equal(r.issue[SAM_ISSUE_MEMORY] > 0, cases[i].waits);
    }
}

/* Reading the figures of an unfinished run changes no value and loses no cycle. */
TEST(figures_in_between)
{
    uint64_t seed = test_seed();
    static struct mixed m;
    for (unsigned round = 0; round < 10; round++) {
        struct sam_mxu_config mxu = random_mxu_config(&seed, 40);
        struct sam_engines_config engines = mixed_engines(&seed);
        const struct sam_hart_options options = {.engines = &engines, .cycles = &mxu};
        struct sam_engines_report r;
        mixed_make(&m, test_random(&seed));
        struct program p = mixed_start(sam_buffer_text(&m.text), &options, NULL),
                       whole = mixed_start(sam_buffer_text(&m.text), &options, NULL);
        program_expect(&whole, SAM_HART_EBREAK);
        do {
            (void)sam_hart_step(p.hart, &p.result, &p.error);
            if (test_below(&seed, 8))
                continue;
            for (unsigned again = 0; again < 2; again++) {
                assert_true(sam_hart_engines(p.hart, &r));
                mixed_expect_sums(&r, sam_hart_cycles(p.hart));
            }
        } while (p.result.end == SAM_HART_STEPPED);
        assert_int_equal(p.result.end, SAM_HART_EBREAK);
        mixed_expect_same(&p, &whole);
        assert_true(sam_hart_engines(p.hart, &r));
        mixed_expect_sums(&r, sam_hart_cycles(p.hart));
        program_free(&p);
        program_free(&whole);
        sam_buffer_free(&m.text);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A hart on the clock of a system: requests of its units to the shared memory, and its accesses
 * to control registers. */
#include "hart/mixed.h"

#include "matrix/random_config.h"
#include "streams.h"

enum { ENGINES_PORT = 1, MATRIX_PORT = 6, UNITS = 8, ROUNDS = 60, REQUESTS = 4096 };

/* A memory with a port, one line at a time. */
struct memory {
    uint64_t seed, now, free;
    unsigned latency;
    uint64_t bytes[UNITS][SAM_MEMTIME_WRITE + 1];
    struct request requests[REQUESTS];
    unsigned count;
};

static uint64_t request(void *context, unsigned unit, uint64_t now, uint64_t address,
                        uint32_t bytes, enum sam_memtime_kind kind)
{
    struct memory *m = context;
    assert_true(now >= m->now);
    assert_true(unit - ENGINES_PORT < SAM_ENGINE_COUNT || unit == MATRIX_PORT);
    assert_true(bytes && address / 64 == (address + bytes - 1) / 64);
    m->now = now;
    m->bytes[unit][kind] += bytes;
    m->free = (m->free > now ? m->free : now) + 1 + test_below(&m->seed, 3);
    const uint64_t answer = m->free + m->latency + test_below(&m->seed, 20);
    assert_in_range(m->count, 0, REQUESTS - 1);
    m->requests[m->count++] = (struct request){.unit = unit - ENGINES_PORT,
                                               .at = now,
                                               .address = address,
                                               .answer = answer,
                                               .bytes = bytes};
    return answer;
}

static uint64_t of_engines(const struct memory *m, enum sam_memtime_kind kind)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        bytes += m->bytes[ENGINES_PORT + i][kind];
    return bytes;
}

TEST(random_programs)
{
    uint64_t seed = test_seed(), streams = 0;
    unsigned pairs = 0, waited = 0;
    static struct mixed m;
    static struct memory memory;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct sam_mxu_config mxu = random_mxu_config(&seed, 40);
        struct sam_engines_config engines = mixed_engines(&seed);
        struct sam_clock clock = {.now = test_below(&seed, 2) * 100};
        memory =
            (struct memory){.seed = test_random(&seed), .latency = (unsigned)test_below(&seed, 50)};
        const struct sam_memtime_port port = {request, &memory};
        const struct sam_hart_shared_time time = {.clock = &clock,
                                                  .memory = &port,
                                                  .engines_port = ENGINES_PORT,
                                                  .matrix_port = MATRIX_PORT};
        const struct sam_hart_home home = {.code_base = SAM_HART_CODE_BASE,
                                           .stack_top = SAM_HART_STACK_TOP,
                                           .stack_size = SAM_HART_STACK_SIZE,
                                           .program_top = UINT64_MAX,
                                           .time = &time};
        SCOPED(sam_buffer) timeline = {0};
        struct sam_profile *profile = sam_profile_new();
        const struct sam_hart_options options = {.size = sizeof options,
                                                 .engines = &engines,
                                                 .cycles = &mxu,
                                                 .profile = profile,
                                                 .collect_stats = true,
                                                 .timeline = test_sink(&timeline)},
                                      plain = {.mlen = mxu.mlen};
        struct sam_engines_report r;
        clock.now = 0;
        mixed_make(&m, test_random(&seed));
        struct program timed = mixed_start(sam_buffer_text(&m.text), &options, &home),
                       untimed = mixed_start(sam_buffer_text(&m.text), &plain, NULL);
        program_expect(&timed, SAM_HART_EBREAK);
        program_expect(&untimed, SAM_HART_EBREAK);
        mixed_expect_same(&timed, &untimed);
        assert_true(sam_hart_engines(timed.hart, &r));
        const struct sam_mxu_stats *s = sam_hart_cycles(timed.hart);
        mixed_expect_sums(&r, s);
        assert_int_equal(sam_hart_end_timeline(timed.hart, NULL), SAM_OK);
        mixed_see(&m, &timeline, profile);
        mixed_see_requests(&m, memory.requests, memory.count);
        pairs += mixed_expect_order(&m);
        waited += mixed_expect_exact(&m);
        /* both sides of the port count the same bytes */
        const struct sam_hart_stats *did = sam_hart_stats(timed.hart);
        const uint64_t(*bytes)[SAM_MEMTIME_WRITE + 1] = memory.bytes;
        assert_int_equal(of_engines(&memory, SAM_MEMTIME_READ), did->tl_bytes_loaded);
        assert_int_equal(of_engines(&memory, SAM_MEMTIME_WRITE), did->tl_bytes_stored);
        for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
            assert_true(bytes[ENGINES_PORT + i][SAM_MEMTIME_READ] +
                            bytes[ENGINES_PORT + i][SAM_MEMTIME_WRITE] <=
                        r.engine[i].bytes);
        assert_int_equal(bytes[MATRIX_PORT][SAM_MEMTIME_READ] +
                             bytes[MATRIX_PORT][SAM_MEMTIME_READ_STREAM],
                         did->m_bytes_loaded);
        assert_int_equal(bytes[MATRIX_PORT][SAM_MEMTIME_WRITE], did->m_bytes_stored);
        streams += bytes[MATRIX_PORT][SAM_MEMTIME_READ_STREAM];
        program_free(&timed);
        program_free(&untimed);
        sam_profile_free(profile);
        sam_buffer_free(&m.text);
    }
    assert_true(pairs > 1000 && waited > 100 && streams > 0);
}

/* ----------------------------------------------------------------- figures worked out by hand */

struct fixed {
    uint64_t latency;
    unsigned requests;
    uint64_t at[64], address[64];
    uint32_t bytes[64];
};

static uint64_t answer(void *context, unsigned unit, uint64_t now, uint64_t address, uint32_t bytes,
                       enum sam_memtime_kind kind)
{
    struct fixed *f = context;
    (void)unit, (void)kind;
    f->at[f->requests] = now;
    f->address[f->requests] = address;
    f->bytes[f->requests++] = bytes;
    return now + f->latency;
}

/* A store to this register fails: its device is out of memory. */
#define WITHOUT_MEMORY UINT64_C(0x2000020)

/* The cycles in which registers 0 and 0x10 were read and written. */
struct accesses {
    uint64_t at[4];
};

static uint64_t ready(void *context, uint64_t now, uint64_t address, bool store)
{
    (void)context, (void)now;
    return address == 0x2000010 && !store ? 50 : 0;
}

static bool accessed(void *context, uint64_t now, uint64_t address, bool store)
{
    struct accesses *accesses = context;
    accesses->at[(address & 0x10) / 8 + store] = now;
    return address != WITHOUT_MEMORY;
}

static enum sam_hart_port_end load(void *context, uint64_t address, uint32_t *value)
{
    (void)context;
    *value = (uint32_t)address;
    return SAM_HART_PORT_DONE;
}

static enum sam_hart_port_end store(void *context, uint64_t address, uint32_t value)
{
    (void)context, (void)address, (void)value;
    return SAM_HART_PORT_DONE;
}

/* Run to a breakpoint, or until the run fails with `end`. */
static struct sam_engines_report run_until(const char *text,
                                           const struct sam_engines_config *engines,
                                           struct fixed *memory, struct accesses *accesses,
                                           enum sam_status end)
{
    struct sam_clock clock = {0};
    const struct sam_memtime_port port = {answer, memory};
    const struct sam_hart_shared_time time = {.clock = &clock,
                                              .memory = &port,
                                              .ready = ready,
                                              .accessed = accessed,
                                              .context = accesses};
    const struct sam_hart_home home = {
        .ports = {.base = 0x2000000, .size = 0x1000, .load = load, .store = store},
        .code_base = SAM_HART_CODE_BASE,
        .stack_top = SAM_HART_STACK_TOP,
        .stack_size = SAM_HART_STACK_SIZE,
        .program_top = UINT64_MAX,
        .time = &time};
    const struct sam_hart_options options = {.engines = engines};
    struct sam_engines_report r;
    SCOPED(program) p = mixed_start(text, &options, &home);
    if (end == SAM_OK)
        program_expect(&p, SAM_HART_EBREAK);
    else
        assert_int_equal(sam_hart_run(p.hart, NULL, NULL), end);
    assert_true(sam_hart_engines(p.hart, &r));
    return r;
}

static struct sam_engines_report run(const char *text, const struct sam_engines_config *engines,
                                     struct fixed *memory, struct accesses *accesses)
{
    return run_until(text, engines, memory, accesses, SAM_OK);
}

/* A launch or a record that fails for lack of host memory ends the run, which would otherwise
 * never end. */
TEST(a_store_without_memory)
{
    struct sam_engines_config engines;
    struct fixed memory = {0};
    struct accesses accesses = {{0}};
    sam_engines_defaults(&engines);
    run_until("li a0, 0x2000000\nsw zero, 0x20(a0)\n1: j 1b\n", &engines, &memory, &accesses,
              SAM_ERR_MEMORY);
}

/* A block of 1024 bytes from the middle of a line: 17 requests over the 16 cycles of its
 * transfer, or over 64. */
TEST(a_block_in_requests)
{
    struct sam_engines_config engines;
    sam_engines_defaults(&engines);
    for (unsigned rate = 64; rate; rate = rate == 64 ? 16 : 0) {
        struct fixed memory = {.latency = 30};
        engines.bytes[SAM_ENGINE_LOAD] = rate;
        const struct sam_engines_report r = run("li t0, 0x200120\ncsrw tshape, t0\nli a0, 0x10020\n"
                                                "tl.load tl1, 0(a0)\ntl.addi tl1, tl1, 1\nebreak\n",
                                                &engines, &memory, NULL);
        assert_int_equal(memory.requests, 17);
        for (unsigned i = 0; i < 17; i++) {
            assert_int_equal(memory.address[i], i ? 0x10000 + 64 * i : 0x10020);
            assert_int_equal(memory.bytes[i], i % 16 ? 64 : 32);
            assert_int_equal(memory.at[i] - memory.at[0], i * (1024 / rate + 1) / 17);
        }
        const uint64_t *load_cycles = r.engine[SAM_ENGINE_LOAD].cycles;
        assert_int_equal(load_cycles[SAM_ENGINE_BUSY], 1024 / rate + 1); /* one slice */
        /* the addition starts after the last answer */
        assert_int_equal(r.engine[SAM_ENGINE_COMP].cycles[SAM_ENGINE_RAW],
                         memory.at[16] - memory.at[0] + 30);
    }
}

/* A load has read its bytes in the cycle after the last answer, from which on the hart may store
 * there, whether its transfer ends later, at one byte per cycle, or long before. */
TEST(bytes_of_a_load)
{
    struct sam_engines_config engines;
    sam_engines_defaults(&engines);
    engines.slice_cycles = 0;
    for (unsigned latency = 3; latency; latency = latency == 3 ? 300 : 0) {
        struct fixed memory = {.latency = latency};
        engines.bytes[SAM_ENGINE_LOAD] = latency == 3 ? 1 : 64;
        /* 128 bytes in two lines: two requests */
        const struct sam_engines_report r = run("li t0, 0x081001\ncsrw tshape, t0\nli a0, 0x10000\n"
                                                "tl.load tl1, 0(a0)\nsw zero, 0(a0)\nebreak\n",
                                                &engines, &memory, NULL);
        const uint64_t *load_cycles = r.engine[SAM_ENGINE_LOAD].cycles;
        assert_int_equal(memory.requests, 2);
        assert_int_equal(memory.at[1] - memory.at[0], latency == 3 ? 64 : 1);
        assert_int_equal(load_cycles[SAM_ENGINE_BUSY], latency == 3 ? 128 : 2);
        /* the load starts in the first cycle in which the store could issue */
        assert_int_equal(r.issue[SAM_ISSUE_MEMORY], memory.at[1] + latency + 1 - memory.at[0]);
    }
}

/* At most 32 requests of an engine are unanswered. */
TEST(unanswered_requests)
{
    struct sam_engines_config engines;
    struct fixed memory = {.latency = 500};
    sam_engines_defaults(&engines);
    run("li t0, 0x200120\ncsrw tshape, t0\nli a0, 0x10000\ntl.load tl1, 0(a0)\ntl.load tl2, 0(a0)\n"
        "tl.load tl3, 0(a0)\nebreak\n",
        &engines, &memory, NULL);
    assert_int_equal(memory.requests, 48);
    assert_true(memory.at[31] < memory.at[0] + 500);
    for (unsigned i = 32; i < 48; i++)
        assert_true(memory.at[i] >= memory.at[i - 32] + 500);
    assert_int_equal(memory.at[32], memory.at[0] + 500);
}

TEST(control_registers)
{
    struct sam_engines_config engines;
    struct fixed memory = {.latency = 1};
    struct accesses accesses = {{0}};
    sam_engines_defaults(&engines);
    const struct sam_engines_report r =
        run("lui a0, 0x2000\nsw zero, 4(a0)\nlw a1, 16(a0)\nsw zero, 16(a0)\nebreak\n", &engines,
            &memory, &accesses);
    assert_int_equal(accesses.at[1], 1);
    assert_int_equal(accesses.at[2], 50);
    assert_int_equal(accesses.at[3], 51);
    assert_int_equal(r.issue[SAM_ISSUE_CONTROL], 48);
    assert_int_equal(r.issue[SAM_ISSUE_SCALAR], 4);
    assert_int_equal(r.cycles, 52);
}

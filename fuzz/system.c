/* SPDX-License-Identifier: Apache-2.0 */
/* A program that stores arbitrary words to arbitrary control registers, including arbitrary
 * records to the queues: the run ends with an exit, a trap or at its budget, and in no other
 * way. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "samite/device/layout.h"
#include "samite/samite.h"

#define RECORDS UINT32_C(0x90000000)

enum { STEP = 6, MOST = 64 };

/* Registers: t0 page, t1 value. */
static uint32_t encode(uint32_t rd, uint32_t upper)
{
    return upper << 12 | rd << 7 | 0x37; /* lui */
}

struct program {
    uint32_t words[8 * MOST + 8];
    size_t count;
};

static void put(struct program *p, uint32_t word)
{
    p->words[p->count++] = word;
}

static void load_immediate(struct program *p, uint32_t rd, uint32_t value)
{
    put(p, encode(rd, (value + 0x800) >> 12 & 0xfffff));
    put(p, (value & 0xfff) << 20 | rd << 15 | rd << 7 | 0x13); /* addi */
}

/* An access to a register: six bytes for its address, value and kind. */
static void add_access(struct program *p, const uint8_t *bytes)
{
    enum { T0 = 5, T1 = 6, T2 = 7 };
    const uint32_t page = bytes[0] % 4, offset = bytes[1] % 64 * (bytes[0] & 0x80 ? 1 : 4);
    uint32_t value = sam_le32(bytes + 2);
    if (bytes[0] & 0x40) /* mostly an existing record */
        value = RECORDS + value % 1024;
    load_immediate(p, T0, SAM_SYSTEM_CONTROL + page * 4096 + offset);
    load_immediate(p, T1, value);
    put(p, bytes[0] & 0x20 ? T0 << 15 | 2 << 12 | T2 << 7 | 0x03    /* lw t2, 0(t0) */
                           : T1 << 20 | T0 << 15 | 2 << 12 | 0x23); /* sw t1, 0(t0) */
}

/* The trap handler skips the instruction. */
static void begin(struct program *p)
{
    enum { T2 = 7, MTVEC = 0x305, MEPC = 0x341 };
    put(p, 0x01c0006f);                             /* j 28 */
    put(p, MEPC << 20 | 2 << 12 | T2 << 7 | 0x73);  /* csrr t2, mepc */
    put(p, 4 << 20 | T2 << 15 | T2 << 7 | 0x13);    /* addi t2, t2, 4 */
    put(p, MEPC << 20 | T2 << 15 | 1 << 12 | 0x73); /* csrw mepc, t2 */
    put(p, 0x30200073);                             /* mret */
    put(p, 0x13);
    put(p, 0x13);
    put(p, 0x17 | T2 << 7);                                             /* auipc t2, 0 */
    put(p, (0xfffu & (uint32_t)-24) << 20 | T2 << 15 | T2 << 7 | 0x13); /* addi t2, t2, -24 */
    put(p, MTVEC << 20 | T2 << 15 | 1 << 12 | 0x73);                    /* csrw mtvec, t2 */
}

struct patience {
    volatile int stop;
};

/* A record may ask for 2^32 - 1 workgroups. */
static void stop_late(void *context, const struct sam_gpu_progress *progress)
{
    struct patience *patience = context;
    patience->stop |= progress->done > 100 || progress->warp_insns > 100000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_error error = {0};
    struct sam_system *system;
    struct sam_system_result result;
    struct program program = {.count = 0};
    if (size < 1)
        return 0;
    const bool narrow = data[0] & 1, handled = data[0] & 2;
    struct sam_hart_options hart = {.size = sizeof hart, .max_insns = 20000};
    FUZZ_CHECK(sam_isa_parse(narrow ? "rv32ima_zicsr" : "rv64ima_zicsr", &hart.isa, &error) ==
               SAM_OK);
    struct patience patience = {0};
    const struct sam_gpu_options gpu = {.size = sizeof gpu,
                                        .max_insns = 2000,
                                        .stop = &patience.stop,
                                        .progress = stop_late,
                                        .progress_context = &patience};
    const struct sam_system_options options = {.size = sizeof options,
                                               .hart = &hart,
                                               .gpu = &gpu,
                                               .gpu_traps = data[0] & 4 ? SAM_SYSTEM_TRAPS_REPORT
                                                                        : SAM_SYSTEM_TRAPS_END};
    data++;
    size--;
    if (handled)
        begin(&program);
    for (unsigned i = 0; i < MOST && size >= STEP; i++, data += STEP, size -= STEP)
        add_access(&program, data);
    put(&program, 0x00100073); /* ebreak */
    FUZZ_CHECK(sam_system_new(&options, &system, &error) == SAM_OK);
    /* The rest is the records, and the code of kernels. */
    size = size < 4096 ? size : 4096;
    FUZZ_CHECK(sam_system_map(system, RECORDS, 4096, &error) == SAM_OK &&
               sam_system_write(system, RECORDS, data, size, &error) == SAM_OK &&
               sam_system_map(system, SAM_SYSTEM_GPU_CODE, 4096, &error) == SAM_OK &&
               sam_system_write(system, SAM_SYSTEM_GPU_CODE, data, size, &error) == SAM_OK &&
               sam_system_map(system, SAM_SYSTEM_CODE_BASE, 4096, &error) == SAM_OK &&
               sam_system_write(system, SAM_SYSTEM_CODE_BASE, program.words,
                                program.count * sizeof program.words[0], &error) == SAM_OK);
    const enum sam_status status = sam_system_run(system, &result, &error);
    FUZZ_CHECK(status == SAM_OK || status == SAM_ERR_TRAP ||
               (status == SAM_ERR_STOPPED && patience.stop));
    FUZZ_CHECK(status == SAM_OK || error.text[0]);
    const struct sam_system_stats *stats = sam_system_stats(system);
    FUZZ_CHECK(stats->failed_launches <= stats->launches &&
               stats->failed_records <= stats->weight_records);
    sam_system_free(system);
    return 0;
}

/* Launches and records through every register, with and without a trap handler. */
void fuzz_seeds(fuzz_add *add, void *context)
{
    enum { ENDPRG = 0x0000400b, SW = 0x00532023 /* sw t0, 0(t1) */ };
    static const uint8_t accesses[][STEP] = {
        {0x41, 0},      /* submit the first record */
        {0x21, 4},      /* WAIT */
        {0x42, 0, 64},  /* the second, to the weight unit */
        {0x22, 2},      /* DONE */
        {0x01, 3},      /* STATUS is cleared */
        {0x00, 0, 'x'}, /* console */
        {0x20, 2},      /* cycles */
        {0x41, 0, 1},   /* a misaligned record */
        {0x23, 0},      /* no page */
    };
    const uint32_t kernels[] = {ENDPRG, SW, 0};
    for (unsigned flags = 0; flags < 8; flags++)
        for (size_t k = 0; k < SAM_COUNT(kernels); k++) {
            uint8_t bytes[1 + STEP * MOST + 256] = {(uint8_t)flags};
            uint8_t *rest = bytes + 1 + STEP * MOST;
            for (size_t i = 0; i < MOST; i++)
                memcpy(bytes + 1 + STEP * i, accesses[i < 2 ? 0 : i % SAM_COUNT(accesses)], STEP);
            const uint32_t launch[10] = {
                SAM_SYSTEM_GPU_CODE + 128, RECORDS, 2, 1, 1, 8, 1, 1024, 0, 0};
            const uint32_t weight[16] = {2,    4, 4,  RECORDS, 128, RECORDS + 1024,
                                         1024, 0, 0,  64,      0,   RECORDS + 2048,
                                         0,    0, 64, 0};
            for (size_t i = 0; i < SAM_COUNT(launch); i++)
                sam_put_le32(rest + 4 * i, launch[i]);
            for (size_t i = 0; i < SAM_COUNT(weight); i++)
                sam_put_le32(rest + 64 + 4 * i, weight[i]);
            sam_put_le32(rest + 128, kernels[k]);
            sam_put_le32(rest + 132, ENDPRG);
            char name[32];
            snprintf(name, sizeof name, "launch-%u-%zu", flags, k);
            add(context, name, bytes, sizeof bytes);
        }
}

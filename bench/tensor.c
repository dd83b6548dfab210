/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor hart, one thread: bytes moved by loads and stores of the TensorLoad unit, with memcpy
 * of the same pieces as the reference; TL.XPOSE for every pair of dimensions and element width;
 * scalar code: C programs of bench/scalar/ if a cross compiler was available, with qemu-riscv32 as
 * the reference if it is installed, and an assembly loop that always runs; the engines' cycle
 * model, with the same run without it as the reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "scalar.h"

#define REPEAT 16 /* instructions per iteration of a loop */

/* `setup`, then a0 iterations of REPEAT times `body`, then ebreak. a1 = BENCH_DATA. With the
 * engines' cycle model unless `engines` is NULL. */
static struct bench_program open_timed_loop(const char *setup, const char *body, double per_turn,
                                            const struct sam_engines_config *engines)
{
    struct bench_program p = {.per_turn = per_turn};
    struct sam_asm_options options = {.base = SAM_HART_CODE_BASE};
    struct sam_error error;
    struct sam_image *image;
    char text[4096], *messages;
    snprintf(text, sizeof text,
             "li a1, %u\n%s\n1:\n.rept %d\n%s\n.endr\naddi a0, a0, -1\nbnez a0, 1b\nebreak\n",
             BENCH_DATA, setup, REPEAT, body);
    sam_isa_parse("rv64im_zicsr_xtensorload", &options.isa, &error);
    if (sam_assemble(&options, body, text, strlen(text), &image, &messages, &error) != SAM_OK)
        bench_fail(body, &error);
    sam_text_free(messages);
    bench_program_open(&p, image,
                       &(struct sam_hart_options){.isa = options.isa, .engines = engines});
    return p;
}

static struct bench_program open_loop(const char *setup, const char *body, double per_turn)
{
    return open_timed_loop(setup, body, per_turn, NULL);
}

static double run_turns(void *context, uint64_t rounds)
{
    struct bench_program *p = context;
    struct sam_hart_result result;
    sam_hart_set_pc(p->hart, p->entry);
    sam_hart_set_x(p->hart, 10, rounds);
    if (sam_hart_run(p->hart, &result, NULL) != SAM_OK)
        return -1;
    return (double)rounds * p->per_turn;
}

/* ------------------------------------------------------------------------------ loads, stores */

static const struct move {
    const char *title;
    const char *setup;
    unsigned count, size; /* pieces per instruction */
    bool spread;          /* every second piece of memory */
} moves[] = {
    {"32 slices of 32 B",
     "li t0, 0x200104\ncsrw tshape, t0\nli t0, 32\ncsrw tload_width, t0\n"
     "csrw tstore_width, t0\n",
     32, 32, false},
    {"16 slices of 64 B",
     "li t0, 0x100108\ncsrw tshape, t0\nli t0, 64\ncsrw tload_width, t0\n"
     "csrw tstore_width, t0\n",
     16, 64, false},
    {"32 slices of 32 B, apart",
     "li t0, 0x200104\ncsrw tshape, t0\nli t0, 32\n"
     "csrw tload_width, t0\ncsrw tstore_width, t0\n"
     ".set i, 0\n.rept 32\nli t0, 2 * i\ncsrw 0x880 + i, t0\n"
     "csrw 0x8a0 + i, t0\n.set i, i + 1\n.endr\n",
     32, 32, true},
};

struct copy {
    const struct move *move;
    uint8_t *memory;
    uint8_t block[1024];
};

static double copy_pieces(void *context, uint64_t rounds)
{
    struct copy *c = context;
    const struct move *m = c->move;
    for (uint64_t r = 0; r < rounds * REPEAT; r++) {
        for (unsigned i = 0; i < m->count; i++)
            memcpy(c->block + i * m->size, c->memory + (m->spread ? 2 : 1) * i * m->size, m->size);
        bench_use(c->block);
    }
    return (double)rounds * REPEAT * m->count * m->size;
}

static void run_moves(struct bench *bench)
{
    static uint8_t memory[4096];
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        const struct move *m = &moves[i];
        char name[80];
        snprintf(name, sizeof name, "%s: memcpy", m->title);
        struct copy copy = {.move = m, .memory = memory};
        double reference = bench_rate(bench, name, "GB/s", 1e9, copy_pieces, &copy, 0);
        for (int store = 0; store < 2; store++) {
            const char *body = store ? "tl.store tl1, 0(a1)" : "tl.load tl1, 0(a1)";
            snprintf(name, sizeof name, "tl.%s, %s", store ? "store" : "load", m->title);
            if (!bench_wants(bench, name))
                continue;
            struct bench_program p = open_loop(m->setup, body, REPEAT * m->count * m->size);
            bench_rate(bench, name, "GB/s", 1e9, run_turns, &p, reference);
            bench_program_close(&p);
        }
    }
}

/* -------------------------------------------------------------------------------------- xpose */

static double copy_pair(void *context, uint64_t rounds)
{
    uint8_t(*blocks)[2048] = context;
    for (uint64_t r = 0; r < rounds * REPEAT; r++) {
        memcpy(blocks[1], blocks[0], sizeof blocks[1]);
        bench_use(blocks[1]);
    }
    return (double)rounds * REPEAT * sizeof blocks[1];
}

/* The pair of dimensions as a matrix of 32 rows, and all four dimensions large. */
static uint32_t sizes_of(const char *pair, unsigned element, bool matrix)
{
    static const uint8_t four[4][4] = {{8, 8, 4, 8}, {8, 4, 4, 8}, {4, 4, 4, 8}, {4, 4, 4, 4}};
    unsigned row = element == 8 ? 3 : element / 2;
    uint32_t sizes[4] = {1, 1, 1, 1}, packed = 0;
    if (matrix) {
        unsigned a = pair[0] - '0', b = pair[1] - '0';
        sizes[a] = 32;
        sizes[b] = 64 / element;
        if (a != 0) { /* dim 0 must be even */
            sizes[0] = 2;
            sizes[a] = 16;
        }
    } else {
        for (int i = 0; i < 4; i++)
            sizes[i] = four[row][i];
    }
    for (int i = 0; i < 4; i++)
        packed |= sizes[i] << 8 * i;
    return packed;
}

static void run_xpose(struct bench *bench)
{
    static const char *const pairs[] = {"01", "02", "03", "12", "13", "23"};
    static const char widths[] = "bhwd";
    static uint8_t blocks[2][2048];
    double reference =
        bench_rate(bench, "xpose: memcpy of 2048 B", "GB/s", 1e9, copy_pair, blocks, 0);
    for (int matrix = 1; matrix >= 0; matrix--)
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
            for (unsigned w = 0; w < 4; w++) {
                char name[64], setup[64], body[64];
                snprintf(name, sizeof name, "tl.xpose.%c.%s, %s", widths[w], pairs[i],
                         matrix ? "matrix" : "4-D");
                snprintf(setup, sizeof setup, "li a2, %u\n", sizes_of(pairs[i], 1u << w, matrix));
                snprintf(body, sizeof body, "tl.xpose.%c.%s tl1, tl2, a2", widths[w], pairs[i]);
                if (!bench_wants(bench, name))
                    continue;
                struct bench_program p = open_loop(setup, body, REPEAT * 2048.0);
                bench_rate(bench, name, "GB/s", 1e9, run_turns, &p, reference);
                bench_program_close(&p);
            }
}

/* ----------------------------------------------------------------- addi, concat, merge */

static const struct {
    const char *title, *setup, *body;
} others[] = {
    {"tl.addi, int8", "csrwi ttype, 2", "tl.addi tl1, tl2, 5"},
    {"tl.addi, int4", "csrwi ttype, 1", "tl.addi tl1, tl2, 5"},
    {"tl.addi, E4M3", "li t0, 0x40\ncsrw ttype, t0", "tl.addi tl1, tl2, 5"},
    {"tl.addi, half", "li t0, 0x100\ncsrw ttype, t0", "tl.addi tl1, tl2, 5"},
    {"tl.addi, single", "li t0, 0x400\ncsrw ttype, t0", "tl.addi tl1, tl2, 5"},
    {"tl.concat.0, 32 x 32 B", "li t0, 0x200120\ncsrw tshape, t0", "tl.concat.0 tl1, tl2, tl3"},
    {"tl.concat.2, 32 x 32 B", "li t0, 0x200120\ncsrw tshape, t0", "tl.concat.2 tl1, tl2, tl3"},
    {"tl.merge.0, 32 x 32 B", "li t0, 0x200120\ncsrw tshape, t0", "tl.merge.0 tl1, tl2, tl3"},
    {"tl.merge.2, 32 x 32 B", "li t0, 0x200120\ncsrw tshape, t0", "tl.merge.2 tl1, tl2, tl3"},
};

static void run_others(struct bench *bench)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char setup[256];
        if (!bench_wants(bench, others[i].title))
            continue;
        snprintf(setup, sizeof setup,
                 "%s\nli t0, 0xaaaaaaaa\ncsrw tmask_concat_1, t0\nli t0, 0x55555555\n"
                 "csrw tmask_concat_2, t0\n",
                 others[i].setup);
        struct bench_program p = open_loop(setup, others[i].body, REPEAT * 1024.0);
        bench_rate(bench, others[i].title, "GB/s", 1e9, run_turns, &p, 0);
        bench_program_close(&p);
    }
}

/* ------------------------------------------------------------------------------------- scalar */

static void run_scalar(struct bench *bench)
{
    char path[512], text[4096] = "", *messages;
    struct sam_asm_options options = {.base = SAM_HART_CODE_BASE};
    struct sam_error error;
    struct sam_image *image;
    struct bench_program p = {0};
    bench_compiled(bench, true);
    if (!bench_wants(bench, "scalar, loop.s"))
        return;
    snprintf(path, sizeof path, "%s/bench/scalar/loop.s", SAM_SOURCE_ROOT);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (!size) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    sam_isa_parse("rv32im_zicsr", &options.isa, &error);
    if (sam_assemble(&options, path, text, size, &image, &messages, &error) != SAM_OK)
        bench_fail(path, &error);
    sam_text_free(messages);
    bench_program_open(&p, image, &(struct sam_hart_options){.isa = options.isa});
    bench_rate(bench, "scalar, loop.s", "MIPS", 1e6, bench_program_run, &p, 0);
    bench_program_close(&p);
}

/* ------------------------------------------------------------------------------- engines in time
 */

/* Simulated instructions; the reference is the run without the model. */
static void run_engines(struct bench *bench)
{
    static const struct {
        const char *title, *setup, *body;
        unsigned insns;
    } loops[] = {
        {"engines: scalar code", "", "ld t0, 0(a1)\naddi t0, t0, 1\nsd t0, 0(a1)", 3},
        {"engines: blocks of 1 KiB", "li t0, 0x200120\ncsrw tshape, t0\nli a2, 0x01014020\n",
         "tl.load tl1, 0(a1)\ntl.load tl2, 32(a1)\ntl.xpose.01 tl1, tl2, a2\n"
         "tl.store tl1, 64(a1)\ntl.store tl2, 96(a1)\naddi t0, t0, 1",
         6},
        {"engines: slices apart", NULL, "tl.load tl1, 0(a1)\ntl.store tl1, 65(a1)\naddi t0, t0, 1",
         3},
    };
    struct sam_engines_config config;
    sam_engines_defaults(&config);
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        const char *setup = loops[i].setup ? loops[i].setup : moves[2].setup;
        if (!bench_wants(bench, loops[i].title))
            continue;
        char name[64];
        double per_turn = REPEAT * loops[i].insns + 2, off;
        struct bench_program plain = open_loop(setup, loops[i].body, per_turn);
        struct bench_program timed = open_timed_loop(setup, loops[i].body, per_turn, &config);
        snprintf(name, sizeof name, "%s, off", loops[i].title);
        off = bench_rate(bench, name, "M insns/s", 1e6, run_turns, &plain, 0);
        bench_rate(bench, loops[i].title, "M insns/s", 1e6, run_turns, &timed, off);
        bench_program_close(&plain);
        bench_program_close(&timed);
    }
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Tensor hart");
    run_scalar(bench);
    run_moves(bench);
    run_others(bench);
    run_xpose(bench);
    run_engines(bench);
    return bench_close(bench);
}

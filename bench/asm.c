/* SPDX-License-Identifier: Apache-2.0 */
/* Assembling, decoding and disassembling a long Ventus kernel. No reference: other tools do not
 * support the instructions. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

enum { BLOCKS = 2000 };

static const char block[] = "block%u:\n"
                            "    lw      a1, %u(a0)          # a comment\n"
                            "    addi    t0, t0, -1\n"
                            "    vid.v   v1\n"
                            "    vadd.vx v2, v1, t0\n"
                            "    vsll.vi v40, v2, 2\n"
                            "    vlw12.v v5, 16(v2)\n"
                            "    vfmacc.vf v6, a1, v5\n"
                            "    la      t1, block%u\n"
                            "    setrpc  zero, t1, 0\n"
                            "    vblt    v5, v6, block%u\n"
                            "    .word   0x%08x\n"
                            "    join    zero, zero, 0\n";
enum { BLOCK_LINES = 13 };

struct program {
    struct sam_asm_options options;
    char *text;
    size_t size;
    struct sam_image *image;
    const uint8_t *words;
    size_t word_count;
};

static double assemble(void *context, uint64_t rounds)
{
    const struct program *p = context;
    for (uint64_t i = 0; i < rounds; i++) {
        struct sam_image *image;
        char *messages;
        enum sam_status status =
            sam_assemble(&p->options, "bench.s", p->text, p->size, &image, &messages, NULL);
        sam_text_free(messages);
        if (status != SAM_OK)
            return -1;
        sam_image_free(image);
    }
    return (double)rounds * BLOCKS * BLOCK_LINES;
}

static double decode(void *context, uint64_t rounds)
{
    const struct program *p = context;
    for (uint64_t i = 0; i < rounds; i++)
        for (size_t word = 0; word < p->word_count; word++) {
            struct sam_insn insn;
            sam_decode(&p->options.isa, sam_le32(p->words + word * 4), 0, &insn);
            bench_use(&insn);
        }
    return (double)rounds * (double)p->word_count;
}

static double disassemble(void *context, uint64_t rounds)
{
    const struct program *p = context;
    for (uint64_t i = 0; i < rounds; i++)
        for (size_t word = 0; word < p->word_count; word++) {
            char text[128];
            sam_disassemble(&p->options.isa, sam_le32(p->words + word * 4),
                            p->options.base + word * 4, 0, p->image, text, sizeof text);
            bench_use(text);
        }
    return (double)rounds * (double)p->word_count;
}

static bool make_program(struct program *p)
{
    size_t capacity = BLOCKS * (sizeof block + (size_t)40);
    struct sam_error error;
    p->options.base = 0x80000000;
    if (sam_isa_parse("ventus", &p->options.isa, &error) != SAM_OK)
        return false;
    p->text = malloc(capacity);
    for (unsigned i = 0; p->text && i < BLOCKS; i++)
        p->size += (size_t)snprintf(p->text + p->size, capacity - p->size, block, i, i % 500 * 4,
                                    i / 2, i, i * 0x9e3779b9u);
    char *messages = NULL;
    bool made = p->text && sam_assemble(&p->options, "bench.s", p->text, p->size, &p->image,
                                        &messages, &error) == SAM_OK;
    if (!made)
        fprintf(stderr, "bench: %s\n", messages ? messages : "out of memory");
    sam_text_free(messages);
    if (made) {
        p->words = p->image->sections[0].data;
        p->word_count = (size_t)p->image->sections[0].data_size / 4;
    }
    return made;
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Assembler");
    struct program program = {0};
    if (!make_program(&program))
        exit(2);
    bench_rate(bench, "assemble", "M lines/s", 1e6, assemble, &program, 0);
    bench_rate(bench, "decode", "M words/s", 1e6, decode, &program, 0);
    bench_rate(bench, "disassemble", "M words/s", 1e6, disassemble, &program, 0);
    sam_image_free(program.image);
    free(program.text);
    return bench_close(bench);
}

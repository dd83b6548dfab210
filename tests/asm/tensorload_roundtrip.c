/* SPDX-License-Identifier: Apache-2.0 */
/* Every word of CUSTOM-2 under TensorLoad: what the disassembler prints assembles back to it. */
#include "isa/isa_test.h"

enum { BATCH = 1 << 16, RANDOM_WORDS = 3 << 20 };

struct batch {
    const char *name;
    struct sam_isa isa;
    struct sam_buffer text;
    size_t count;
    uint32_t words[BATCH];
};

static struct batch batch;
static uint64_t seed;

static void begin(const char *isa)
{
    batch.name = isa;
    batch.isa = test_isa(isa);
}

static void flush(void)
{
    test_words(batch.name, sam_buffer_text(&batch.text), batch.words, batch.count);
    sam_buffer_free(&batch.text);
    batch.count = 0;
}

static void add(uint32_t word)
{
    char line[128];
    sam_disassemble(&batch.isa, word, 0x80000000 + 4 * batch.count, 0, NULL, line, sizeof line);
    assert_true(sam_buffer_printf(&batch.text, "%s\n", line));
    batch.words[batch.count++] = word;
    if (batch.count == BATCH)
        flush();
}

static void test_codes(void **state)
{
    static const uint32_t samples[] = {0, 1, 10, 31};
    begin(*state);
    for (uint32_t top = 0; top < 128; top++)
        for (uint32_t funct3 = 0; funct3 < 8; funct3++)
            for (size_t i = 0; i < 64; i++)
                add(top << 25 | samples[i >> 4] << 20 | samples[i >> 2 & 3] << 15 | funct3 << 12 |
                    samples[i & 3] << 7 | 0x5b);
    flush();
}

static void test_random_words(void **state)
{
    begin(*state);
    for (size_t i = 0; i < RANDOM_WORDS; i++)
        add(((uint32_t)test_random(&seed) & ~0x7fu) | 0x5b);
    flush();
}

PROLOGUE
{
    seed = test_seed();
    test_add(test_codes, "rv32im_zicsr_xtensorload", "codes, RV32");
    test_add(test_codes, "tensor", "codes, RV64");
    test_add(test_random_words, "tensor", "random words");
}

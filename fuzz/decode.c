/* SPDX-License-Identifier: Apache-2.0 */
/* Any word after any other: decoding stays within its bounds, and the disassembler's text assembles
 * back. Bytes: ISA, then pairs of 32-bit words. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "isa/isa.h"

/* The words that `text` assembles to. */
static void check_text(const struct sam_isa *isa, const char *text, const uint32_t *words,
                       size_t count)
{
    struct sam_asm_options options = {.isa = *isa, .base = 0x80000000};
    struct sam_image *image;
    struct sam_error error;
    char *messages;
    enum sam_status status =
        sam_assemble(&options, "fuzz.s", text, strlen(text), &image, &messages, &error);
    if (status != SAM_OK)
        fprintf(stderr, "%s%s", text, messages);
    FUZZ_CHECK(status == SAM_OK);
    FUZZ_CHECK(image->sections[0].data_size == 4 * count);
    for (size_t i = 0; i < count; i++)
        FUZZ_CHECK(sam_le32(image->sections[0].data + 4 * i) == words[i]);
    sam_text_free(messages);
    sam_image_free(image);
}

static void check_pair(const struct sam_isa *isa, uint32_t first, uint32_t second)
{
    struct sam_insn insn;
    char lines[2][200], text[420];
    bool known = sam_decode(isa, first, 0, &insn);
    uint32_t prefix = known && sam_op_is_prefix(insn.op) ? first : 0;
    sam_disassemble(isa, first, 0x80000000, 0, NULL, lines[0], sizeof lines[0]);
    if (lines[0][0] == '.')
        prefix = 0;
    known = sam_decode(isa, second, prefix, &insn);
    FUZZ_CHECK(known == (insn.op != SAM_OP_ILLEGAL) && insn.op < SAM_OP_COUNT);
    FUZZ_CHECK(known ==
               sam_disassemble(isa, second, 0x80000004, prefix, NULL, lines[1], sizeof lines[1]));
    if (known) {
        const struct sam_insn_row *row = &sam_insn_rows[insn.op];
        const struct sam_encoding_row *code = sam_encoding_find(insn.op, second);
        FUZZ_CHECK((second & row->mask) == (code ? code->match : row->match));
        FUZZ_CHECK(sam_isa_has_row(row, isa));
    }
    snprintf(text, sizeof text, "%s\n%s\n", lines[0], lines[1]);
    check_text(isa, text, (const uint32_t[]){first, second}, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"ventus", "rv64ima_zicsr_zfinx",
                                        "rv32i",  "rv32im_zicsr_zve32f",
                                        "tensor", "rv32im_zicsr_xtensorload"};
    struct sam_isa isa;
    if (!size || sam_isa_parse(names[data[0] % SAM_COUNT(names)], &isa, NULL) != SAM_OK)
        return 0;
    for (size_t i = 1; i + 8 <= size; i += 8)
        check_pair(&isa, sam_le32(data + i), sam_le32(data + i + 4));
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    /* every row in pairs, without operands */
    for (int op = 1; op + 1 < SAM_OP_COUNT; op += 2) {
        uint32_t on = sam_insn_rows[op].on;
        uint8_t bytes[9] = {on & SAM_EXT_XTENSORLOAD ? 4 : on & SAM_ON_RV64 ? 1 : 0};
        char name[16];
        sam_put_le32(bytes + 1, sam_insn_rows[op].match);
        sam_put_le32(bytes + 5, sam_insn_rows[op + 1].match);
        snprintf(name, sizeof name, "%d", op);
        add(context, name, bytes, sizeof bytes);
    }
    static const uint32_t prefixes[] = {0x2400200b, 0x0c00300b, 0x4810500b, 0xfff0700b};
    for (size_t i = 0; i < SAM_COUNT(prefixes); i++) {
        uint8_t bytes[9] = {0};
        char name[16];
        sam_put_le32(bytes + 1, prefixes[i]);
        sam_put_le32(bytes + 5, 0x022230d7);
        snprintf(name, sizeof name, "prefix%zu", i);
        add(context, name, bytes, sizeof bytes);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler on any text. Accepted text survives disassembly and
 * assembly with the same bytes at the same addresses; rejected text has a message. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "samite/isa.h"

static struct sam_image *assemble(const struct sam_isa *isa, const char *text, size_t size)
{
    static const char *const defines[] = {"LANES=8", "DEBUG"};
    struct sam_asm_options options = {.size = sizeof options,
                                      .lines = true,
                                      .isa = *isa,
                                      .base = 0x80000000,
                                      .defines = defines,
                                      .define_count = 2,
                                      .max_expanded = 1 << 21}; /* bounds the time per input */
    char *listing = NULL;
    options.listing = &listing;
    struct sam_image *image;
    struct sam_error error = {0};
    char *messages;
    enum sam_status status =
        sam_assemble(&options, "fuzz.s", text, size, &image, &messages, &error);
    FUZZ_CHECK(messages);
    FUZZ_CHECK((status == SAM_OK) == (image != NULL));
    FUZZ_CHECK(status == SAM_OK || error.text[0]);
    FUZZ_CHECK(status == SAM_OK || status == SAM_ERR_MEMORY || strstr(messages, "error: "));
    FUZZ_CHECK((listing != NULL) == (image != NULL));
    sam_text_free(listing);
    sam_text_free(messages);
    return image;
}

static void same(const struct sam_image *a, const struct sam_image *b)
{
    size_t j = 0;
    for (size_t i = 0; i < a->section_count; i++) {
        const struct sam_section *x = &a->sections[i];
        if (!x->size)
            continue;
        while (j < b->section_count && !b->sections[j].size)
            j++;
        FUZZ_CHECK(j < b->section_count);
        const struct sam_section *y = &b->sections[j++];
        FUZZ_CHECK(x->address == y->address && x->size == y->size);
        for (uint64_t k = 0; k < x->size; k++) {
            int p = k < x->data_size ? x->data[k] : 0;
            int q = k < y->data_size ? y->data[k] : 0;
            FUZZ_CHECK(p == q);
        }
    }
}

static uint64_t size_of(const struct sam_image *image)
{
    uint64_t size = 0;
    for (size_t i = 0; i < image->section_count; i++)
        size += image->sections[i].size;
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"ventus", "rv64ima_zicsr_zfinx",
                                        "rv32i",  "rv32im_zicsr_zve32f",
                                        "tensor", "rv32im_zicsr_xtensorload"};
    struct sam_isa isa;
    size_t count = sizeof names / sizeof names[0];
    if (!size || sam_isa_parse(names[data[0] % count], &isa, NULL) != SAM_OK)
        return 0;
    struct sam_image *image = assemble(&isa, (const char *)data + 1, size - 1);
    if (!image)
        return 0;
    char *text;
    if (size_of(image) < 1 << 16) {
        FUZZ_CHECK(sam_disassemble_image(&isa, image, &text, NULL) == SAM_OK);
        struct sam_image *again = assemble(&isa, text, strlen(text));
        FUZZ_CHECK(again);
        same(image, again);
        sam_image_free(again);
        sam_text_free(text);
    }
    sam_image_free(image);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const seeds[] = {
        "0_start: li a0, 0x12345678\nla a1, d\nvadd.vi v200, v3, 100\nadd x45, a0, x33\n"
        "vbeq v1, v2, . + 8\njoin\nendprg\n.data\nd: .word 1, d - _start\n.asciz \"a\\n\"\n",
        "0.macro m a, b=2\nadd\\()i \\a, \\a, \\b\n1\\@: beqz a0, 1\\@b\n.endm\nm t0\nm b=3, "
        "a=t1\n",
        "0.rept 3\nnop\n.endr\n.irp r, a0, a1\nmv \\r, zero\n.endr\n.if LANES == 8\nret\n.endif\n",
        "1li a0, 0x123456789abcdef0\nld a0, x\nsd a0, x, t0\nx: .dword -1\namoadd.d.aqrl a0, a1, "
        "(a2)\ncall x\n",
        "2beq a0, a1, far\n.space 5000\nfar: j 1f\n1: .align 4\n.byte 'x', 1 + 2 * (3 << 4)\n",
        "3vsetvli a0, a1, e32, m1, ta, ma\nvle32.v v1, (a0), v0.t\nvmsge.vx v1, v2, a0\n",
        "0regext zero, zero, 64\nvadd.vv v1, v2, v33\nregexti 5\nvadd.vi v1, v2, 3\n# end /* */\n",
        "0.section .rodata\n.float 1.5, nan\n.bss\nb: .zero 64\n.set n, 1\n.set n, n + 1\n"
        ".text\nlw a0, %lo(b)(a1)\nlui a1, %hi(b)\n.size b, . - b\n.globl b\n",
        "0.equ a, b\n.equ b, a\n.word a\n.if 1 / 0\n.else\n.endif\n.error \"x\"\nx: x: foo bar\n",
        "4csrrw x0, TL_LOAD_STRIDE_CSR{3}, x11 ; c\ntl.mload t1, -3(x11) // c\ntl.addi@load tlr1, "
        "tl0, "
        "50\ntl.mstore@reshape tl1, (t1)\ntl.merge.0@comp t13, t14, t15\n",
        "5tl.xpose.13 t0, t1, t2\ntl.xpose.d.01 tl2, tl3, x4\ncsrw tmask_ls, a0; tl.x\n.word "
        "0x0820905b\ntl.store t3, x17, x16\n",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        add(context, name, seeds[i], strlen(seeds[i]));
    }
}

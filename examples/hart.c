/* SPDX-License-Identifier: Apache-2.0 */
/* Transpose a matrix of bytes on the tensor hart; then let a load fail.
 * cc hart.c $(pkg-config --cflags --libs samite) */
#include <samite/samite.h>
#include <stdio.h>
#include <string.h>

/* 32 rows of 64 at a0 become 64 rows of 32 at a1. */
static const char source[] =
    "    li      t0, 0x080420\n" /* a block of 8 slices, 4 x 32 bytes each */
    "    csrw    tshape, t0\n"
    "    tl.load tl1, 0(a0)\n"
    "    addi    a0, a0, 1024\n"
    "    tl.load tl2, 0(a0)\n"
    "    li      t0, 0x01014020\n" /* [32, 64, 1, 1] */
    "    tl.xpose.01 tl1, tl2, t0\n"
    "    tl.store tl1, 0(a1)\n"
    "    tl.store tl2, 8(a1)\n"
    "    ebreak\n";

enum { ROWS = 32, COLUMNS = 64, SIZE = ROWS * COLUMNS, IN = 0x10000, OUT = 0x20000 };

int main(void)
{
    struct sam_error error = {0};
    struct sam_hart_options options = {0};
    struct sam_asm_options text = {.base = SAM_HART_CODE_BASE};
    struct sam_image *image = NULL;
    struct sam_hart *hart = NULL;
    struct sam_hart_result result;
    char *messages = NULL;
    unsigned char in[ROWS][COLUMNS], out[COLUMNS][ROWS];
    for (int i = 0; i < SIZE; i++)
        in[i / COLUMNS][i % COLUMNS] = (unsigned char)(i * 7);

    if (sam_isa_parse("rv64im_zicsr_xtensorload", &options.isa, &error))
        return fprintf(stderr, "hart: %s\n", error.text), 2;
    text.isa = options.isa;
    if (sam_assemble(&text, "turn.s", source, strlen(source), &image, &messages, &error) ||
        sam_hart_new(&options, &hart, &error) || sam_hart_load(hart, image, &error) ||
        sam_hart_map(hart, IN, SIZE, &error) || sam_hart_map(hart, OUT, SIZE, &error) ||
        sam_hart_write(hart, IN, in, SIZE, &error))
        return fprintf(stderr, "hart: %s\n", error.text), 2;

    sam_hart_set_x(hart, 10, IN);
    sam_hart_set_x(hart, 11, OUT);
    if (sam_hart_run(hart, &result, &error) || sam_hart_read(hart, OUT, out, SIZE, &error))
        return fprintf(stderr, "hart: %s\n", error.text), 1;
    printf("in[5][9] is %u, out[9][5] is %u; %llu instructions\n", in[5][9], out[9][5],
           (unsigned long long)result.instructions);

    sam_hart_set_pc(hart,
                    SAM_HART_CODE_BASE); /* again, past the end: a trap is an ordinary result */
    sam_hart_set_x(hart, 10, IN + SIZE - 1000);
    sam_hart_run(hart, &result, &error);
    printf("%s\ncause %u, address 0x%llx\n", error.text, result.cause,
           (unsigned long long)result.tval);
    int as_expected = in[5][9] == out[9][5] && result.cause == 5 && result.tval == IN + SIZE;
    sam_text_free(messages);
    sam_hart_free(hart), sam_image_free(image);
    if (fflush(stdout) != 0)
        return perror("standard output"), 2;
    return as_expected ? 0 : 1;
}

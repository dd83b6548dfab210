/* SPDX-License-Identifier: Apache-2.0 */
/* Emitted programs (files) report failures themselves: before exiting, hart code completes the
 * failure text with its numbers and writes it to standard error. */
#include <inttypes.h>

#include "lower/hart.h"
#include "lower/program.h"

/* Placeholders in the texts: the row and column of the element in the failure record; 8 + N for aN
 * in decimal; 16 + N for aN in hexadecimal. */
enum { TEXT_ROW = 1, TEXT_COLUMN = 2, TEXT_NUMBER = 8, TEXT_HEX = 16, TEXT_TEXT = ' ' };

/* On entry t1 is the failure number, or 0. */
static const char code[] =
    "    beqz    t1, .Lfailure_text_done\n"
    "    lla     s2, failure_texts\n"
    "    slli    t1, t1, 2\n"
    "    add     s2, s2, t1\n"
    "    lwu     s2, -4(s2)\n"
    "    lla     s3, failure_line\n"
    "    mv      s4, s3\n"
    ".Lfailure_text:\n"
    "    lbu     t2, 0(s2)\n"
    "    addi    s2, s2, 1\n"
    "    li      t3, 32\n"
    "    beqz    t2, .Lfailure_text_line\n"
    "    bltu    t2, t3, .Lfailure_text_number\n"
    "    sb      t2, 0(s4)\n"
    "    addi    s4, s4, 1\n"
    "    j       .Lfailure_text\n"
    ".Lfailure_text_number:\n"
    "    lla     t4, failure\n"
    "    lwu     a0, 4 * %d(t4)              # the element: row * columns + column\n"
    "    lwu     a1, 4 * %d(t4)              # columns\n"
    "    li      a2, 10\n"
    "    li      t3, %d\n"
    "    beq     t2, t3, .Lfailure_text_row\n"
    "    li      t3, %d\n"
    "    beq     t2, t3, .Lfailure_text_column\n"
    "    lla     t4, failure_numbers\n"
    "    andi    t3, t2, 7\n"
    "    slli    t3, t3, 3\n"
    "    add     t4, t4, t3\n"
    "    ld      a0, 0(t4)\n"
    "    andi    t2, t2, %d\n"
    "    beqz    t2, .Lfailure_text_sign\n"
    "    li      a2, 16\n"
    "    j       .Lfailure_text_digits\n"
    ".Lfailure_text_row:\n"
    "    divu    a0, a0, a1\n"
    "    j       .Lfailure_text_digits\n"
    ".Lfailure_text_column:\n"
    "    remu    a0, a0, a1\n"
    "    j       .Lfailure_text_digits\n"
    ".Lfailure_text_sign:\n"
    "    bgez    a0, .Lfailure_text_digits\n"
    "    li      t3, '-'\n"
    "    sb      t3, 0(s4)\n"
    "    addi    s4, s4, 1\n"
    "    neg     a0, a0\n"
    ".Lfailure_text_digits:                         # from the last one on, below the stack\n"
    "    mv      t5, sp\n"
    "0:  remu    t3, a0, a2\n"
    "    divu    a0, a0, a2\n"
    "    addi    t3, t3, '0'\n"
    "    li      t4, '9'\n"
    "    ble     t3, t4, 1f\n"
    "    addi    t3, t3, 'a' - '0' - 10\n"
    "1:  addi    t5, t5, -1\n"
    "    sb      t3, 0(t5)\n"
    "    bnez    a0, 0b\n"
    "2:  lbu     t3, 0(t5)\n"
    "    addi    t5, t5, 1\n"
    "    sb      t3, 0(s4)\n"
    "    addi    s4, s4, 1\n"
    "    bne     t5, sp, 2b\n"
    "    j       .Lfailure_text\n"
    ".Lfailure_text_line:\n"
    "    li      t3, 10\n"
    "    sb      t3, 0(s4)\n"
    "    addi    s4, s4, 1\n"
    "    li      a7, 64                      # write, to standard error\n"
    "    li      a0, 2\n"
    "    mv      a1, s3\n"
    "    sub     a2, s4, s3\n"
    "    ecall\n"
    ".Lfailure_text_done:\n"
    "    lla     t0, failure\n"
    "    lw      t1, 0(t0)\n";

/* Consume one character or placeholder at *at and return its byte. */
static uint8_t next_byte(const char **at, bool plain)
{
    const char *text = *at;
    const unsigned number = (unsigned)(uint8_t)text[1] - '0';
    if (!plain && text[0] == '{' && number < LOWER_NUMBERS && (text[2] == '}' || text[2] == 'x')) {
        const bool hex = text[2] == 'x';
        if (!hex || text[3] == '}') {
            *at += hex ? 4 : 3;
            return (uint8_t)((hex ? TEXT_HEX : TEXT_NUMBER) + number);
        }
    }
    if (!plain && text[0] == '*' && (strcmp(text, "*,*]") == 0 || strcmp(text, "*]") == 0)) {
        *at += 1;
        return text[1] == ',' ? TEXT_ROW : TEXT_COLUMN;
    }
    *at += 1;
    return (uint8_t)text[0] < TEXT_TEXT ? '?' : (uint8_t)text[0];
}

/* Emit a text as data. Placeholders are recognised after `plain_bytes`. Returns the longest
 * expansion. */
static size_t put_text(struct sam_buffer *out, const char *text, size_t plain_bytes)
{
    const char *const numbers = text + plain_bytes;
    enum { DIGITS = 20, LINE = 80 };
    bool quoted = false;
    size_t most = 0, size = 0;
    while (*text) {
        const uint8_t byte = next_byte(&text, text < numbers);
        const bool plain = byte >= TEXT_TEXT && byte < 0x7f && byte != '"' && byte != '\\';
        most += byte < TEXT_TEXT ? DIGITS : 1;
        if (quoted && (!plain || ++size == LINE)) {
            sam_buffer_puts(out, "\"\n");
            quoted = false;
        }
        if (plain && !quoted)
            sam_buffer_puts(out, "    .ascii  \"");
        if (plain && !quoted)
            size = 0;
        quoted = plain;
        if (plain)
            sam_buffer_append(out, &byte, 1);
        else
            sam_buffer_printf(out, "    .byte   %u\n", byte);
    }
    sam_buffer_puts(out, quoted ? "\"\n    .byte   0\n" : "    .byte   0\n");
    return most;
}

void sam_lower_failure_texts(const struct sam_tile_lowered *made, struct sam_buffer *out)
{
    static const char prefix[] = "samite: error: ";
    size_t most = 0;
    sam_buffer_append(out, made->hart, made->failure_at);
    if (!made->failure_count) {
        sam_buffer_puts(out, made->hart + made->failure_at);
        return;
    }
    sam_buffer_printf(out, code, LOWER_FAILURE_ELEMENT, LOWER_FAILURE_COLUMNS, TEXT_ROW,
                      TEXT_COLUMN, TEXT_HEX);
    sam_buffer_puts(out, made->hart + made->failure_at);
    sam_buffer_puts(out, "    .balign 4\nfailure_texts:\n");
    for (size_t i = 0; i < made->failure_count; i++)
        sam_buffer_printf(out, "    .word   .Ltext%zu\n", i + 1);
    for (size_t i = 0; i < made->failure_count; i++) {
        sam_buffer_printf(out, ".Ltext%zu:\n    .ascii  \"%s\"\n", i + 1, prefix);
        const size_t size = put_text(out, made->failures[i], made->plain);
        most = size > most ? size : most;
    }
    sam_buffer_printf(out, "failure_line:\n    .zero   %zu\n", sizeof prefix + most);
}

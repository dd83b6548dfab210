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
    "beqz t1, .Lfailure_text_done; lla s2, failure_texts; slli t1, t1, 2; add s2, s2, t1; "
    "lwu s2, -4(s2); lla s3, failure_line; mv s4, s3; "
    ".Lfailure_text: lbu t2, 0(s2); addi s2, s2, 1; li t3, 32; beqz t2, .Lfailure_text_line; "
    "bltu t2, t3, .Lfailure_text_number; sb t2, 0(s4); addi s4, s4, 1; j .Lfailure_text; "
    ".Lfailure_text_number: lla t4, failure; "
    "lwu a0, 4 * %d(t4) # the element: row * columns + column; "
    "lwu a1, 4 * %d(t4) # columns; "
    "li a2, 10; li t3, %d; beq t2, t3, .Lfailure_text_row; li t3, %d; "
    "beq t2, t3, .Lfailure_text_column; lla t4, failure_numbers; andi t3, t2, 7; "
    "slli t3, t3, 3; add t4, t4, t3; ld a0, 0(t4); andi t2, t2, %d; "
    "beqz t2, .Lfailure_text_sign; li a2, 16; j .Lfailure_text_digits; "
    ".Lfailure_text_row: divu a0, a0, a1; j .Lfailure_text_digits; "
    ".Lfailure_text_column: remu a0, a0, a1; j .Lfailure_text_digits; "
    ".Lfailure_text_sign: bgez a0, .Lfailure_text_digits; li t3, '-'; sb t3, 0(s4); "
    "addi s4, s4, 1; neg a0, a0; "
    ".Lfailure_text_digits: # from the last one on, below the stack; "
    "mv t5, sp; "
    "0: remu t3, a0, a2; divu a0, a0, a2; addi t3, t3, '0'; li t4, '9'; ble t3, t4, 1f; "
    "addi t3, t3, 'a' - '0' - 10; "
    "1: addi t5, t5, -1; sb t3, 0(t5); bnez a0, 0b; "
    "2: lbu t3, 0(t5); addi t5, t5, 1; sb t3, 0(s4); addi s4, s4, 1; bne t5, sp, 2b; "
    "j .Lfailure_text; "
    ".Lfailure_text_line: li t3, 10; sb t3, 0(s4); addi s4, s4, 1; "
    "li a7, 64 # write, to standard error; "
    "li a0, 2; mv a1, s3; sub a2, s4, s3; ecall; "
    ".Lfailure_text_done: lla t0, failure; lw t1, 0(t0)";

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
    sam_lower_code(out, code, LOWER_FAILURE_ELEMENT, LOWER_FAILURE_COLUMNS, TEXT_ROW, TEXT_COLUMN,
                   TEXT_HEX);
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

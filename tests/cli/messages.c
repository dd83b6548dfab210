/* SPDX-License-Identifier: Apache-2.0 */
/* Names from users and files are printed as text by every verb: no control character (C0, DEL,
 * C1) and no invalid UTF-8. Letters beyond ASCII are kept. */
#include "cli/command.h"

/* A terminal command, the same in C1, a truncated character, a newline, a letter. */
#define ODD                                                                                        \
    "\x1b[31m\xc2\x9b"                                                                             \
    "1m\xe4\x7f\n\xc3\xa9"
#define SHOWN "[31m??1m??"

FIXTURE(set_up)
{
    command_verb = "";
    make_directory();
    write_text("k.s", ".globl k\nk: ret\n");
    write_text("odd" ODD ".s", ".globl k\nk: ret\n");
    write_text("odd" ODD ".pto", "func.func @f() {\n  return\n}\n");
    write_text("exit" ODD ".s", "        li a7, 93\n        li a0, 3\n        ecall\n");
    return 0;
}

/* One line each, except for reports, which have several. */
static void expect_plain(const struct sam_buffer *said)
{
    const char *text = sam_buffer_text(said);
    for (size_t at = 0; at < said->size;) {
        size_t bytes = sam_text_character(text + at, said->size - at);
        if (!bytes && text[at] != '\n')
            fail_msg("byte 0x%02x in: %s", (unsigned char)text[at], text);
        at += bytes ? bytes : 1;
    }
    if (!strstr(text, SHOWN) || !strstr(text, "\xc3\xa9"))
        fail_msg("the name is not in: %s", text);
}

TEST(everywhere)
{
    static const struct {
        const char *words;
        int code;
        bool out; /* reported on standard output */
    } cases[] = {
        {"asm -o x.elf '" ODD "'", 2, false},
        {"asm k.s -o x.elf --define '" ODD "'", 2, false},
        {"dis '" ODD "'", 2, false},
        {"run '" ODD "'", 2, false},
        {"run '" ODD ".metadata' '" ODD ".data'", 2, false},
        {"run k.s --kernel '" ODD "' --grid 1 --block 1", 2, false},
        {"run k.s --kernel k --grid 1 --block 1 --arg '" ODD "'", 2, false},
        {"run k.s --kernel k --grid 1 --block 1 --poke '" ODD "'", 2, false},
        {"run --machine tensor 'exit" ODD ".s'", 3, false},
        {"run --machine tensor 'exit" ODD ".s'", 3, true},
        {"run 'odd" ODD ".pto'", 0, true},
        {"tile check '" ODD "'", 2, false},
        {"tile check 'odd" ODD ".pto'", 0, true},
        {"pack '" ODD "'", 2, false},
        {"info '" ODD "'", 2, false},
        {"stat '" ODD "'", 2, false},
        {"sweep k.s --config '" ODD "'", 2, false},
        {"isa '" ODD "'", 2, false},
        {"symbolstat '" ODD "'", 2, false},
        {"'" ODD "'", 2, false},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED_OUTCOME o = run(cases[i].words);
        if (o.code != cases[i].code)
            fail_msg("%s: exit code %d: %s", cases[i].words, o.code, sam_buffer_text(&o.err));
        expect_plain(cases[i].out ? &o.out : &o.err);
    }
}

TEST_GROUP(set_up, remove_directory)

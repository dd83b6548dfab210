/* SPDX-License-Identifier: Apache-2.0 */
/* The text of the commit log, in the format of the public instruction simulator. */
#include "test.h"

#include "trace/trace.h"

static struct sam_commit join(unsigned core, uint32_t mask, struct sam_commit_last *last)
{
    return (struct sam_commit){.last = last,
                               .core = core,
                               .pc = 0x800001b8,
                               .word = 0x0000205b,
                               .text = "join",
                               .simt = true,
                               .mask = mask,
                               .npc = 0x800001b8,
                               .depth = 1};
}

#define HEAD(core) "core   " core ": 0x800001b8 (0x0000205b) join\n"
#define AGAIN(core, mask)                                                                          \
    "core   " core ": 3 0x800001b8 (0x0000205b) current mask:\t" mask                              \
    " current npc:\t800001b8 stack size: 1\n"

/* Each warp separately, independent of interleaved ones. */
TEST(an_instruction_that_runs_again_repeats_its_second_line)
{
    SCOPED(sam_buffer) out = {0};
    struct sam_commit_last last[2] = {{0}};
    const struct sam_commit runs[] = {
        join(0, 0xfe, &last[0]),
        join(1, 0x0f, &last[1]),
        join(0, 0xff, &last[0]),
        join(0, 0xff, &last[0]),
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        sam_commit_format(&runs[i], &out);
    for (unsigned core = 0; core < 2; core++) {
        const struct sam_commit next = {
            .last = &last[core], .core = core, .pc = 0x800001bc, .word = 0x13, .text = "nop"};
        sam_commit_format(&next, &out);
    }
    assert_string_equal(sam_buffer_text(&out),
                        HEAD("0") AGAIN("0", "000000fe") HEAD("1") AGAIN("1", "0000000f")
                            AGAIN("0", "000000ff")
                                AGAIN("0", "000000ff") "core   0: Executed 3 times\n"
                                                       "core   0: 0x800001bc (0x00000013) nop\n"
                                                       "core   0: 3 0x800001bc (0x00000013)\n"
                                                       "core   1: 0x800001bc (0x00000013) nop\n"
                                                       "core   1: 3 0x800001bc (0x00000013)\n");
}

/* The same pc with another word is another instruction. */
TEST(code_that_was_replaced_begins_anew)
{
    SCOPED(sam_buffer) out = {0};
    struct sam_commit_last last = {0};
    struct sam_commit c = {.last = &last, .pc = 0x80000000, .word = 0x13, .text = "nop"};
    sam_commit_format(&c, &out);
    c.word = 0x6f;
    c.text = "j pc";
    sam_commit_format(&c, &out);
    assert_string_equal(sam_buffer_text(&out), "core   0: 0x80000000 (0x00000013) nop\n"
                                               "core   0: 3 0x80000000 (0x00000013)\n"
                                               "core   0: 0x80000000 (0x0000006f) j pc\n"
                                               "core   0: 3 0x80000000 (0x0000006f)\n");
}

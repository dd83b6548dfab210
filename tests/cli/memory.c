/* SPDX-License-Identifier: Apache-2.0 */
/* Out of memory on the host is reported as such, with status 2: it is not a failure of the
 * program. */
#include "cli/command.h"

#include <sys/resource.h>

enum { LIMIT = 512 << 20 };

FIXTURE(setup)
{
    command_verb = "run";
    make_directory();
    /* a store to every 64 KiB, over more memory than the host has */
    write_text("hart.s", "li t0, 0x100000000\nli t1, 0x10000\nli t2, 0x200000000\n"
                         "1: sd t1, 0(t0)\nadd t0, t0, t1\nbne t0, t2, 1b\n"
                         "li a0, 0\nli a7, 93\necall\n");
    write_text("handler.s", "la t0, 2f\ncsrw mtvec, t0\nli t0, 0x100000000\nli t1, 0x10000\n"
                            "1: sd t1, 0(t0)\nadd t0, t0, t1\nj 1b\n"
                            ".balign 4\n2: li a0, 7\nli a7, 93\necall\n");
    write_text("kernel.s", ".globl k\nk: lui t0, 0xa0000\nlui t1, 0x10\nlui t2, 0xf0000\n"
                           "1: sw t1, 0(t0)\nadd t0, t0, t1\nbne t0, t2, 1b\nendprg\n");
    return 0;
}

TEST(no_memory)
{
    static const char *const words[] = {
        "hart.s --machine tensor --map 0x100000000:0x100000000",
        "handler.s --machine tensor --map 0x100000000:0x100000000",
        "kernel.s --kernel k --grid 1 --block 32 --loose-bounds",
    };
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    small = before;
    small.rlim_cur = LIMIT;
    for (size_t i = 0; i < SAM_COUNT(words); i++) {
        assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
        SCOPED_OUTCOME o = run(words[i]);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        assert_string_equal(sam_buffer_text(&o.err), "samite: error: out of memory\n");
        assert_int_equal(o.code, 2);
    }
}

TEST_GROUP(setup, remove_directory)

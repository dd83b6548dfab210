/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of rulings.txt. */
#include "test.h"

#include "gpu_case.h"

static void run(const struct test_case *c)
{
    const bool bare = case_find(c, "bare") != NULL;
    SCOPED(program) p =
        gpu_case_open(c, bare ? "" : "li x31, 0x90000000\n", bare ? "" : "endprg x0, x0, x0\n");
    gpu_case_launch(&p, c);
}

PROLOGUE
{
    static const char *const words[] = {GPU_CASE_WORDS, "bare", NULL};
    cases_add("simt/rulings.txt", words, run);
}

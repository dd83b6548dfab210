/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while a kernel is compiled: the n-th allocation of Samite's own code fails,
 * once. It is reported as such, or the result is that without the failure. SAMITE_CASES: how many n
 * (15). */
#include <stdlib.h>
#include <string.h>

#include "tests/cc/run.h"
#include "tests/random.h"

static const char source[] = "__kernel void k(__global int *o, __global float *f) {\n"
                             "  int i = get_global_id(0), a[9];\n"
                             "  o[i] = ilogb(f[i]) + (int)pow(f[i], 2.5f);\n"
                             "  for (int j = 0; j < 9; j++) a[j] = i * j;\n"
                             "  o[i] += a[o[i] % 9]; printf(\"%d %f\\n\", i, f[i]);\n"
                             "  switch (i) { case 1: o[i]++; break; case 9: o[i]--; }\n"
                             "  barrier(CLK_LOCAL_MEM_FENCE); while (o[i] > 3) o[i] /= 2; }\n";

static uint64_t allocations, failing; /* 0: none fails */

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size),
    *__libc_realloc(void *old, size_t size);
extern const char __executable_start[], etext[];

/* LLVM ends the process when its memory runs out. */
static bool fails(const char *caller)
{
    return caller >= __executable_start && caller < etext && ++allocations == failing;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
#endif

static char *compile(uint64_t n, struct sam_error *error)
{
    const struct sam_cc_options options = {
        .size = sizeof options, .text = source, .no_cache = true, .variables = true};
    char *text = NULL, *messages = NULL;
    size_t size;
    failing = n;
    allocations = 0;
    const enum sam_status status = sam_cc_compile(&options, "k.cl", &text, &size, &messages, error);
    failing = 0;
    assert_true((status == SAM_OK) == (text != NULL));
    sam_text_free(messages);
    return text;
}

TEST(any_allocation_may_fail)
{
    cc_need_clang();
    uint64_t random = test_seed();
    struct sam_error error = {.text = ""};
    char *whole = compile(0, &error);
    const uint64_t total = allocations;
    assert_non_null(whole);
    for (uint64_t i = test_number("SAMITE_CASES", 15); total && i > 0; i--) {
        const uint64_t n = 1 + test_below(&random, (uint32_t)total);
        char *text = compile(n, &error);
        if (text)
            assert_string_equal(text, whole);
        else if (!strstr(error.text, "out of memory"))
            fail_msg("allocation %u: %s", (unsigned)n, error.text);
        sam_text_free(text);
    }
    sam_text_free(whole);
}

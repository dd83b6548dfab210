/* SPDX-License-Identifier: Apache-2.0 */
/* LD_PRELOAD: allocation $FAILING of samite's own code fails, with $FAILING_ALL all from there on.
 * At its end the number of allocations is written to $ALLOCATIONS. Those of libraries do not count:
 * LLVM ends the process. */
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's. NOLINTBEGIN(bugprone-reserved-identifier) */
extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size),
    *__libc_realloc(void *old, size_t size);
/* NOLINTEND(bugprone-reserved-identifier) */

static uintptr_t low, high; /* code of the program */
static long failing = -1, count;
static bool all;

static int find_code(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            high = low + info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the program comes first */
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAILING");
    failing = at ? atol(at) : 0;
    all = getenv("FAILING_ALL");
    if (strcmp(program_invocation_short_name, "samite") == 0)
        dl_iterate_phdr(find_code, NULL);
}

__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("ALLOCATIONS");
    FILE *file = high && name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", count);
        fclose(file);
    }
}

static bool fails(void *caller)
{
    if ((uintptr_t)caller < low || (uintptr_t)caller >= high)
        return false;
    const long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (number != failing && !(all && number > failing))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

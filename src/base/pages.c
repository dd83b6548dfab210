/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <sys/mman.h>

/* calloc will not do: it clears memory that the heap has had before, all of it. */
void *sam_pages_new(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void sam_pages_free(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}

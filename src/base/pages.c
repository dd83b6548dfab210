/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "base/portable.h"

#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((size_t)2 << 20) /* on x86-64, and on aarch64 with 4 KiB pages */

/* Not calloc: it would clear, and so touch, reused heap memory. */
void *sam_pages_new(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void *sam_pages_grow(void *pages, size_t size, size_t grown)
{
    if (!pages)
        return sam_pages_new(grown);
#if SAM_FILE_LINUX
    void *moved = mremap(pages, size, grown, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
#else
    void *moved = sam_pages_new(grown);
    if (moved) {
        memcpy(moved, pages, size);
        sam_pages_free(pages, size);
    }
    return moved;
#endif
}

void *sam_pages_new_dense(size_t size)
{
#ifdef MADV_HUGEPAGE
    uint8_t *const all = size % LARGE_PAGE ? NULL : sam_pages_new(size + LARGE_PAGE);
    if (all) {
        const size_t head = (size_t)(-(uintptr_t)all & (LARGE_PAGE - 1));
        sam_pages_free(head ? all : NULL, head);
        sam_pages_free(all + head + size, LARGE_PAGE - head);
        (void)madvise(all + head, size, MADV_HUGEPAGE); /* a hint; ignored without large pages */
        return all + head;
    }
#endif
    return sam_pages_new(size);
}

void sam_pages_free(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}

void sam_pages_clear(void *bytes, size_t size)
{
    const uintptr_t host_page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)bytes;
    uint8_t *const data = bytes;
    const size_t head = (size_t)(-at & (host_page - 1));
    const size_t whole = size > head ? (size - head) & ~(size_t)(host_page - 1) : 0;
    /* Elsewhere MADV_DONTNEED need not clear. */
    if (!SAM_FILE_LINUX || !whole || madvise(data + head, whole, MADV_DONTNEED) != 0) {
        memset(data, 0, size);
        return;
    }
    memset(data, 0, head);
    memset(data + head + whole, 0, size - head - whole);
}

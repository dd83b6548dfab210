/* SPDX-License-Identifier: Apache-2.0 */
/* Watched memory. Every access to a page with watched bytes resolves and is noted here; the running
 * core then stops after the instruction (SAM_EVENT_WATCH). */
#ifndef SAM_WATCH_H
#define SAM_WATCH_H

#include "machine/machine.h"

struct sam_watch {
    uint64_t first, last; /* first and last byte */
    bool loads, stores;
    bool enabled; /* for the running warp */
    /* The current instruction's first access that hit it. */
    bool hit, store;
    uint64_t address;
    uint32_t size;
    const uint8_t *host;
    uint64_t before; /* if size <= 8 */
};

struct sam_watches {
    struct sam_watch *list;
    size_t count, capacity;
    struct sam_core *core; /* the running core; NULL: accesses do not stop */
};

/* Returns false on out-of-memory. */
bool sam_watches_add(struct sam_tlb *tlb, const struct sam_watch *watch);
void sam_watches_remove(struct sam_tlb *tlb, size_t index);
/* Whether the page at this address has watched bytes. */
bool sam_watches_page(const struct sam_watches *watches, uint64_t page_base);
/* Note an access that has been resolved but not made. */
void sam_watches_note(struct sam_watches *watches, uint64_t address, unsigned size,
                      enum sam_access access, const uint8_t *host);
void sam_watches_clear(struct sam_watches *watches);
/* Up to 8 bytes at `host` as a number. */
uint64_t sam_watch_bytes(const uint8_t *host, uint32_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A journal of memory: saves pages before their first change after a mark. With a journal, a page
 * becomes writable on its first store, which resolves and saves it; a mark write-protects all pages
 * again. */
#ifndef SAM_JOURNAL_H
#define SAM_JOURNAL_H

#include "machine/machine.h"

/* Returns NULL on out-of-memory. The TLB refers to the journal until it is freed. */
struct sam_journal *sam_journal_new(struct sam_tlb *tlb);
void sam_journal_free(struct sam_journal *journal);
/* Append a mark. Returns false on out-of-memory, without effect. */
bool sam_journal_mark(struct sam_journal *journal);
/* Restore memory to mark `index` and drop later marks. */
void sam_journal_back(struct sam_journal *journal, size_t index);
/* Drop a mark. Returns false on out-of-memory, without effect. */
bool sam_journal_drop(struct sam_journal *journal, size_t index);
/* Save the page at `host`, page-aligned, before a change. Returns false on out-of-memory. */
bool sam_journal_save(struct sam_journal *journal, uint8_t *host);
/* Save a range of physical memory before a change. */
bool sam_journal_save_range(struct sam_journal *journal, struct sam_memory *memory,
                            uint64_t address, size_t size);
/* Call before TLB entry `index` becomes writable. Returns false on out-of-memory: it must not. */
bool sam_journal_grant(struct sam_journal *journal, uint32_t index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as it was: pages are saved before their first change after a mark. While a TLB has a
 * journal, a page becomes writable with the first store to it, which resolves and is saved; a mark
 * closes the pages again. */
#ifndef SAM_JOURNAL_H
#define SAM_JOURNAL_H

#include "machine/machine.h"

/* NULL: out of memory. The TLB has it until it is freed. */
struct sam_journal *sam_journal_new(struct sam_tlb *tlb);
void sam_journal_free(struct sam_journal *journal);
/* A mark after the others. False: out of memory, nothing changed. */
bool sam_journal_mark(struct sam_journal *journal);
/* Make memory what it was at mark `index`, which stays; later marks are forgotten. */
void sam_journal_back(struct sam_journal *journal, size_t index);
/* Forget a mark. False: out of memory, nothing changed. */
bool sam_journal_drop(struct sam_journal *journal, size_t index);
/* The page at `host`, page-aligned, is about to change. False: out of memory. */
bool sam_journal_save(struct sam_journal *journal, uint8_t *host);
/* The same for a range of physical memory. */
bool sam_journal_save_range(struct sam_journal *journal, struct sam_memory *memory,
                            uint64_t address, size_t size);
/* Entry `index` of the TLB is about to become writable. False: out of memory, it must not. */
bool sam_journal_grant(struct sam_journal *journal, uint32_t index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of text files (cases.h) for a GPU: launches, memory, traps. Include test.h first.
 *
 *   with NAME=N ...              lanes (4), warps (1), grid=X,Y,Z (1), pds (1024, bytes a thread),
 * pds_base, lds, jobs, stack (entries of the SIMT stack), room (bytes of private memory); rr1,
 * loose, shared, strict, stats, sv39 (tables at data+0x1000) before ADDRESS: WORD ...     what
 * memory holds: data, pds and metadata are its buffers (program.h), +N is added, and a name is a
 * label of the program trap KIND NAME=WORD ...      it ends in this trap; without the line it ends
 * well after ADDRESS: WORD ...      what memory holds at the end count insns=N less=N depth=N
 * instructions of all warps, more than there are, depth of the stack */
#ifndef GPU_CASE_H
#define GPU_CASE_H

#include "cases.h"
#include "program.h"

#define GPU_CASE_WORDS "with", "before", "trap", "after", "count"

/* The program between `begin` and `end`, with the "before" memory. */
struct program gpu_case_open(const struct test_case *c, const char *begin, const char *end);
/* Launch it; it must end as the case specifies. */
void gpu_case_launch(struct program *p, const struct test_case *c);
/* Parses a value of a directive; returns the text after it. */
const char *gpu_case_value(const struct program *p, const char *text, uint32_t *value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion on the check `init`: undefined bits followed through the recorded steps of a
 * session, one lane and one bit at a time, by the rules of docs/sanitizer.md. It decodes with
 * tests/reference and shares nothing with src/sanitize. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samite/sanitize.h"
#include "samite/session.h"

struct plain_finding {
    enum sam_finding_kind kind;
    uint32_t pc;
    char file; /* of the register used: 'x', 'v', 0: memory */
    unsigned number;
    uint32_t workgroup, warp, lanes; /* where first */
    uint64_t count;
};

struct plain;

/* Before the run. Memory is defined except local memory, and `private_size` bytes per workgroup
 * at `private_base`. */
struct plain *plain_new(uint32_t lanes, uint32_t warps, uint32_t private_base,
                        uint32_t private_size);
void plain_free(struct plain *plain);
/* Mark these bytes undefined until the next store to them. */
void plain_output(struct plain *plain, uint32_t base, uint32_t size);
/* The next executed instruction. */
void plain_step(struct plain *plain, const struct sam_step *step);
const struct plain_finding *plain_findings(const struct plain *plain, size_t *count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion on programs of a system: the plain hart and the plain GPU on the same bytes,
 * with the control registers of docs/system-rulings.md that lowered tile programs use. A launch
 * runs when it is submitted; there is no weight unit. */
#ifndef SYSTEM_REF_H
#define SYSTEM_REF_H

#include "hart_ref.h"
#include "ventus_ref.h"

struct psys {
    struct href h;
    struct ref_gpu *gpu;
    uint32_t launches; /* submitted launches, all ended */
    uint32_t exit_code;
    struct sam_trap trap; /* of a launch, if its kind is not NONE */
};

/* An RV64 system without memory. */
void psys_open(struct psys *s);
void psys_close(struct psys *s);
/* Memory of both the hart and the GPU: whole pages of 4 KiB, owned by the caller. */
void psys_add(struct psys *s, uint64_t base, uint8_t *bytes, uint64_t size);
void psys_share(struct psys *s, uint64_t base, uint8_t *bytes, uint64_t size);
/* Run from h.pc, at most this many instructions of the hart. */
enum href_end psys_run(struct psys *s, uint64_t instructions);

#endif

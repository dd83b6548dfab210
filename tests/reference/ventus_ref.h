/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion for the tests: a plain interpreter of a whole Ventus launch, written from the
 * Ventus ISA manual v2.02 and docs/ventus-rulings.md alone. It fetches, decodes and executes one
 * lane at a time, byte by byte, and shares no code with src/, only the structures of the public
 * header, so that results can be compared. */
#ifndef VENTUS_REF_H
#define VENTUS_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samite/gpu.h"

struct ref_gpu;

struct ref_result {
    struct sam_trap trap; /* kind NONE after success */
    uint64_t warp_insns;  /* words executed by all warps, prefixes too */
    char *print;          /* output of the kernel; never NULL, freed with ref_result_free */
    size_t print_size;
};

/* Options used: loose_bounds, shared_pds, max_insns, simt_stack_limit, sv39, ptbr. */
struct ref_gpu *ref_gpu_new(const struct sam_gpu_options *options);
void ref_gpu_free(struct ref_gpu *gpu);
void ref_gpu_map(struct ref_gpu *gpu, uint32_t address, uint64_t size);
/* Map bytes of the caller, which must outlive the gpu: whole pages of 4 KiB. */
void ref_gpu_share(struct ref_gpu *gpu, uint32_t address, uint8_t *bytes, uint64_t size);
void ref_gpu_write(struct ref_gpu *gpu, uint32_t address, const void *data, size_t size);
void ref_gpu_read(struct ref_gpu *gpu, uint32_t address, void *data, size_t size);
/* True if no warp trapped. */
bool ref_gpu_launch(struct ref_gpu *gpu, const struct sam_launch *launch,
                    struct ref_result *result);
void ref_result_free(struct ref_result *result);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The reference behind gvmref.cpp, in plain C: one device, whose launches are stepped. Every int
 * is 0, or -1 after a line on standard error. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { REFERENCE_X = 256 }; /* registers in the result of reference_get_x */

enum reference_write { REFERENCE_NONE, REFERENCE_SCALAR, REFERENCE_VECTOR };

/* The effects of a step. */
struct reference_step {
    int done; /* the workgroup has ended */
    uint64_t pc;
    uint32_t word;
    enum reference_write write;
    uint32_t index; /* of the register, with the bits of a REGEXT */
    uint32_t x;
    uint32_t v[32]; /* all lanes */
    uint32_t mask;  /* the SIMT mask, without v0 */
};

int reference_open(void);
int reference_close(void);
int reference_alloc(uint64_t size, uint64_t *address, uint64_t task);
int reference_alloc_fixed(uint64_t size, uint64_t address, uint64_t task);
int reference_free_task(uint64_t task);
int reference_free(uint64_t size, const uint64_t *address, uint64_t task);
int reference_copy_in(uint64_t address, const void *data, uint64_t size, uint64_t task);
int reference_upload(const char *path);
/* A launch, whose workgroup numbers continue those of earlier launches. */
int reference_start(const void *metadata);
/* The hardware has ended the launch. */
int reference_finish(void);
int reference_set_x(uint32_t workgroup, uint32_t warp, uint32_t count, const uint64_t *values);
/* 0 if the warp does not exist. */
uint32_t reference_next_pc(uint32_t workgroup, uint32_t warp);
/* All zero if the warp does not exist or has ended. */
struct reference_step reference_step(uint32_t workgroup, uint32_t warp);
void reference_get_x(uint64_t values[REFERENCE_X], uint32_t workgroup, uint32_t warp);

#ifdef __cplusplus
}
#endif
#endif

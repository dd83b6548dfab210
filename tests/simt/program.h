/* SPDX-License-Identifier: Apache-2.0 */
/* A program in assembly text, launched through the public API: shared by the hand-written tests
 * of this folder. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "samite/gpu.h"
#include "samite/image.h"

#define DATA         0x90000000u /* a buffer of DATA_SIZE bytes, zero at first */
#define DATA_SIZE    0x30000u
#define PDS          0x91000000u
#define PDS_SIZE     0x100000u
#define KERNEL       0x92000000u /* the metadata buffer */
#define PRINT_BUFFER 0x93000000u
#define PRINT_SIZE   64u

struct program {
    struct sam_gpu_options options;
    struct sam_launch launch; /* one workgroup of one warp unless the test changes it */
    struct sam_gpu *gpu;
    struct sam_image *image;
    struct sam_gpu_result result;
    struct sam_error error;
};

/* Assemble `text` (an error ends the test) and map the buffers above. `lanes` per warp, 1024
 * bytes of private memory per thread. */
struct program program_new(const char *text, uint32_t lanes);
/* Launch; result.trap receives a trap. */
enum sam_status program_run(struct program *p);
/* Launch, which must succeed. */
void program_pass(struct program *p);
/* Launch, which must end in this trap. */
void program_trap(struct program *p, enum sam_trap_kind kind);
void program_free(struct program *p);

uint32_t program_word(struct program *p, uint32_t address);
void program_set(struct program *p, uint32_t address, uint32_t value);
uint32_t program_symbol(const struct program *p, const char *name);
/* Compare `count` words from `address`. */
void program_expect(struct program *p, uint32_t address, const uint32_t *expected, unsigned count);
#define EXPECT_WORDS(p, address, ...)                                                              \
    program_expect(p, address, (const uint32_t[]){__VA_ARGS__},                                    \
                   sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

#endif

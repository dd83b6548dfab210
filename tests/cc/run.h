/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in OpenCL C compiled and launched, for the tests of src/cc. */
#ifndef CC_RUN_H
#define CC_RUN_H

#include "samite/samite.h"
#include "tests/test.h"

/* Skip the test program if clang is not installed. */
void cc_need_clang(void);

/* Compile `source`; returns the assembly, or NULL with the error in `error`. A first line
 * "// CL2.0" selects the standard. */
char *cc_assembly(const char *source, struct sam_error *error);
struct sam_image *cc_image(const char *source); /* fails the case */
struct sam_image *cc_image_or_error(const char *source, struct sam_error *error);

struct cc_launch {
    const char *kernel;
    uint32_t grid[3], block[3], lanes;
    const void *args; /* buffers are placed by cc_run: first `out`, then `in`, then these */
    size_t args_size;
    uint32_t print_size;
    struct sam_sink print;
};

/* A buffer of words, copied from `in` and back to `out` unless NULL; without `in`, `count` is a
 * scalar. */
struct cc_buffer {
    const uint32_t *in;
    uint32_t *out;
    size_t count;
};

/* Launch a kernel of these arguments, then launch->args. Returns its instruction count. */
uint64_t cc_run_buffers(const struct sam_image *image, const struct cc_launch *launch,
                        const struct cc_buffer *buffers, size_t count);

/* Launch a kernel of (out, in, args...). Returns its instruction count. */
uint64_t cc_run(const struct sam_image *image, const struct cc_launch *launch, uint32_t *out,
                size_t out_words, const uint32_t *in, size_t in_words);

/* The beginning of a kernel for cc_check; i is the work-item. */
#define CC_KERNEL                                                                                  \
    "__kernel void k(__global uint *out, __global const uint *in, uint n) {"                       \
    "const uint i = get_global_id(0);"

enum { CC_ITEMS = 240, CC_IN = 1024 };

/* Run kernel `k` of a source, with blocks that fill warps and blocks that do not, and warps of 8
 * and 32 lanes: `words` results per work-item at out[words * i], which are to be what `expect`
 * writes for work-item i of a block of `block`. `in` has CC_IN words; n is CC_ITEMS. */
void cc_check(const char *source, unsigned words,
              void (*expect)(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block));
#endif

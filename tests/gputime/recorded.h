/* SPDX-License-Identifier: Apache-2.0 */
/* Launches recorded in files by two public repositories, THU-DSP-LAB/ventus-gpgpu and
 * THU-DSP-LAB/ventus-gpgpu-cpp-simulator. Both are in the folder named by the environment
 * variable SAMITE_KERNELS. */
#ifndef GPUTIME_RECORDED_H
#define GPUTIME_RECORDED_H

#include <stdint.h>

#include "samite/samite.h"

#define RECORDED_SIM     "ventus-gpgpu-cpp-simulator/testcase/"
#define RECORDED_RODINIA RECORDED_SIM "gpu-rodinia/"
#define RECORDED_RTL     "ventus-gpgpu/sim-verilator/testcase/"

struct recorded {
    struct sam_metadata metadata;
    uint32_t *words; /* of all buffers, in order: ceil(size / 4) each */
};

/* SAMITE_KERNELS, or NULL. */
const char *recorded_folder(void);
/* `path` is the path of the .metadata and .data files in the folder, without the suffix. */
enum sam_status recorded_open(const char *folder, const char *path, struct recorded *recorded,
                              struct sam_error *error);
void recorded_close(struct recorded *recorded);
/* The first word of the initial data at `address`, which must have `size` bytes. Returns NULL if
 * there are fewer. */
const uint32_t *recorded_words(const struct recorded *recorded, uint64_t address, uint64_t size);

#endif

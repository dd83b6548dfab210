/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL on this machine's processor, such as pocl's. */
#ifndef CC_HOST_DEVICE_H
#define CC_HOST_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_device;
struct host_program;

/* NULL: no OpenCL processor device; *reason says why. */
struct host_device *host_open(const char **reason);
void host_close(struct host_device *device);
const char *host_name(const struct host_device *device);

/* An argument: a buffer of words, read back after the run, or a scalar (`words` is NULL). */
struct host_argument {
    uint32_t *words;
    size_t count;
    uint32_t scalar;
};

/* `plain`: without optimization. NULL: the message is in `message`. */
struct host_program *host_build(struct host_device *device, const char *source, bool plain,
                                char message[2000]);
void host_release(struct host_program *program);

/* Run a kernel of the program. False: the message is in `message`. */
bool host_run(struct host_device *device, struct host_program *program, const char *kernel,
              const uint32_t global_size[2], const uint32_t local_size[2],
              const struct host_argument *arguments, unsigned count, char message[2000]);

#endif

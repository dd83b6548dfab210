/* SPDX-License-Identifier: Apache-2.0 */
/* A host program of the Ventus driver: loads the library as a loader does, and launches with the
 * calls of pocl's Ventus device, in its order. */
#ifndef TEST_DRIVERS_HOST_H
#define TEST_DRIVERS_HOST_H

#include "test.h"

#include "samite/ventus_driver.h"

/* The driver's functions, by their names without vt_. */
extern struct driver {
    __typeof__(vt_dev_open) *dev_open;
    __typeof__(vt_dev_close) *dev_close;
    __typeof__(vt_dev_caps) *dev_caps;
    __typeof__(vt_root_mem_alloc) *root_mem_alloc;
    __typeof__(vt_root_mem_free) *root_mem_free;
    __typeof__(vt_buf_alloc) *buf_alloc;
    __typeof__(vt_buf_free) *buf_free;
    __typeof__(vt_one_buf_free) *one_buf_free;
    __typeof__(vt_copy_to_dev) *copy_to_dev;
    __typeof__(vt_copy_from_dev) *copy_from_dev;
    __typeof__(vt_upload_kernel_file) *upload_kernel_file;
    __typeof__(vt_upload_kernel_bytes) *upload_kernel_bytes;
    __typeof__(vt_start) *start;
    __typeof__(vt_ready_wait) *ready_wait;
    __typeof__(vt_finish_all_kernel) *finish_all_kernel;
    __typeof__(vt_dump_perf) *dump_perf;
} vt;

/* Open the library; ends the program on failure. */
void host_load(void);

/* A program: start code, then `text`, as an ELF file in the test's directory. */
struct host_program {
    char path[128];
    void *bytes;
    size_t size;
};
struct host_program host_assemble(const char *text);
void host_program_free(struct host_program *program);
/* The address of a symbol. */
uint32_t host_symbol(const struct host_program *program, const char *name);

void *host_open(void);
uint32_t host_buffer(void *device, const void *data, uint64_t size);
void host_free(void *device, uint32_t address);
uint32_t host_word(void *device, uint32_t address);
void host_set(void *device, uint32_t address, uint32_t value);

/* A launch as pocl makes it. */
struct host_launch {
    const char *kernel;
    uint32_t groups, local; /* work-items per workgroup; lanes: 32 */
    const uint32_t *args;
    uint32_t arg_count;
    uint32_t pds_room; /* bytes of the private buffer; 0: 4096 for each thread */
};

/* Buffers of a started launch. */
struct host_started {
    uint32_t args, pds, knl;
};

/* Arguments, upload, private memory, metadata, start. */
struct host_started host_start(void *device, const struct host_program *program,
                               const struct host_launch *launch);
void host_finish(void *device, const struct host_started *started);
/* The same, then wait: the result of vt_ready_wait. */
int host_run(void *device, const struct host_program *program, const struct host_launch *launch);

/* Setup and teardown of a group: a temporary directory, which tests must leave empty. Standard
 * error is captured, and printed at the end. */
int host_set_up(void **state);
int host_tear_down(void **state);
void host_catch(void);
/* Captured standard error. */
const char *host_caught(void);
/* The captured text, which is then discarded, must contain this. */
void host_expect(const char *part);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The driver interface of the public Ventus software, called by pocl's Ventus device and the loader
 * of back ends. libsamite_ventus.so provides it; libsamite does not.
 *
 *   void *device;
 *   uint64_t buffer, metadata[12] = {...};
 *   vt_dev_open(&device);
 *   vt_buf_alloc(device, size, &buffer, 0, 0, 0);
 *   vt_copy_to_dev(device, buffer, data, size, 0, 0);
 *   vt_upload_kernel_file(device, "kernels.riscv", 0);
 *   vt_start(device, metadata, 0);
 *   vt_ready_wait(device, 1000);
 *   vt_copy_from_dev(device, buffer, data, size, 0, 0);
 *   vt_dev_close(device);
 *
 * Every function returns 0, or -1 after a line "samite: ..." on standard error. A handle that is
 * not an open device, an address outside every buffer, an unknown task: -1. Devices are
 * independent; several threads may use one. docs/ventus-stack.md has the environment variables.
 *
 * Launches are queued. Every function except vt_dev_caps first runs what is queued; a launch that
 * fails is reported at once on standard error, and by the first wait after it. Launches queued
 * between the two are dropped. Since 0.2. */
#ifndef SAMITE_VENTUS_DRIVER_H
#define SAMITE_VENTUS_DRIVER_H

#include <stdint.h>
#include <stdio.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ids of vt_dev_caps, with their values. */
enum vt_caps {
    VT_CAPS_VERSION,          /* 0 */
    VT_CAPS_MAX_CORES,        /* SAMITE_JOBS */
    VT_CAPS_MAX_WARPS,        /* 1024 per workgroup */
    VT_CAPS_MAX_THREADS,      /* 32 per warp */
    VT_CAPS_CACHE_LINE_SIZE,  /* 64 bytes */
    VT_CAPS_LOCAL_MEM_SIZE,   /* 0x10000000 bytes */
    VT_CAPS_ALLOC_BASE_ADDR,  /* 0x90000000 */
    VT_CAPS_KERNEL_BASE_ADDR, /* 0x80000000 */
};

/* Words of the metadata of vt_start. */
enum vt_meta {
    VT_META_KERNEL_ID,
    VT_META_GRID, /* workgroups in x, y, z */
    VT_META_LANES = VT_META_GRID + 3,
    VT_META_WARPS,    /* per workgroup */
    VT_META_METADATA, /* CSR_KNL: address of the 64-byte metadata buffer (manual 2.2) */
    VT_META_LDS_SIZE, /* bytes per workgroup; not enforced */
    VT_META_PDS_SIZE, /* bytes per thread */
    VT_META_SGPRS,
    VT_META_VGPRS,
    VT_META_PDS_BASE, /* address of private memory */
    VT_META_WORDS,
};

SAM_API int vt_dev_open(void **device);
/* Frees everything. A second close of the handle is -1, as is any other use of it. */
SAM_API int vt_dev_close(void *device);
/* `device` points to the handle. */
SAM_API int vt_dev_caps(void **device, uint64_t id, uint64_t *value);

/* A task owns buffers; with SAMITE_SV39=1 it has an address space and a program of its own, too.
 * Task 0 is there from the start. Allocating a task that exists does nothing. */
SAM_API int vt_root_mem_alloc(void *device, int task);
/* Free the task and its buffers. */
SAM_API int vt_root_mem_free(void *device, int task);

/* In these functions `kernel` is ignored. A buffer of `size` bytes, at least 1, at the lowest free
 * multiple of 4096 from 0x90000000; `type` is ignored. */
SAM_API int vt_buf_alloc(void *device, uint64_t size, uint64_t *address, int type, uint64_t task,
                         uint64_t kernel);
/* Free all buffers of the task; `size` and `address` are ignored. The program stays. */
SAM_API int vt_buf_free(void *device, uint64_t size, const uint64_t *address, uint64_t task,
                        uint64_t kernel);
/* Free the task's buffer that begins at *address; `size` is ignored, but is not 0. */
SAM_API int vt_one_buf_free(void *device, uint64_t size, const uint64_t *address, uint64_t task,
                            uint64_t kernel);
/* `size` bytes, at least 1, within a buffer of the task or its program. In the window of local
 * memory, 0x70000000 to 0x7fffffff, both succeed and do nothing, not even read `data`. */
SAM_API int vt_copy_to_dev(void *device, uint64_t address, const void *data, uint64_t size,
                           uint64_t task, uint64_t kernel);
SAM_API int vt_copy_from_dev(void *device, uint64_t address, void *data, uint64_t size,
                             uint64_t task, uint64_t kernel);

/* Replace the program by that of an ELF file (EXEC, RISC-V, 32 bits), and set its data as they are
 * in the file, also when it is the same one. */
SAM_API int vt_upload_kernel_file(void *device, const char *path, int task);
/* Upload a kernel from memory: an ELF file, or code for 0x80000000. */
SAM_API int vt_upload_kernel_bytes(void *device, const void *bytes, uint64_t size, int task);

/* Queue a launch that starts at 0x80000000. `metadata` points to VT_META_WORDS uint64_t, which are
 * copied. -1: it cannot run (no program, a number out of range, less private memory than one
 * workgroup needs). Where the buffer at VT_META_PDS_BASE holds the private memory of n workgroups
 * only, workgroup w uses part w mod n. */
SAM_API int vt_start(void *device, void *metadata, uint64_t task);
/* Run what is queued; the number is ignored. -1: a launch failed. */
SAM_API int vt_ready_wait(void *device, uint64_t milliseconds);
/* The same; `queue`, a C++ object of the caller, is left alone. */
SAM_API int vt_finish_all_kernel(void *device, void *queue);
/* Write the statistics of the launches so far. */
SAM_API int vt_dump_perf(void *device, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the lockstep checker of Ventus' RTL, in C++. Names of functions and the layout
 * of structs are the checker's. docs/cosim.md. */
#ifndef GVMREF_H
#define GVMREF_H

#include <array>
#include <cstdint>
#include <vector>

/* Scalar registers that the hardware found in its file, from x0 on. */
struct gvmref_found {
    std::vector<uint64_t> x;
};

/* The scalar registers of a warp; zero beyond its last. */
struct gvmref_file {
    std::array<uint64_t, 256> x;
};

enum gvmref_write { GVMREF_OTHER, GVMREF_SCALAR, GVMREF_VECTOR };

struct gvmref_scalar {
    uint32_t value;
    uint32_t index;
};

struct gvmref_vector {
    std::array<uint32_t, 32> values; /* of all lanes */
    uint32_t index;
    uint32_t mask; /* the SIMT mask, without v0 */
};

/* The effects of a step; `write` says which of scalar and vector is valid. */
struct gvmref_result {
    int done; /* the workgroup has ended */
    uint64_t pc;
    uint32_t word;
    struct {
        gvmref_write write;
        gvmref_scalar scalar;
        gvmref_vector vector;
    } insn;
};

#define GVMREF_API __attribute__((visibility("default")))

extern "C" {
GVMREF_API int gvmref_vt_dev_open();
GVMREF_API int gvmref_vt_dev_close();
GVMREF_API int gvmref_vt_buf_alloc(uint64_t size, uint64_t *address, int type, uint64_t task,
                                   uint64_t kernel);
GVMREF_API int gvmref_vt_buf_alloc_fixed(uint64_t size, uint64_t address, int type, uint64_t task,
                                         uint64_t kernel);
GVMREF_API int gvmref_vt_buf_free(uint64_t size, uint64_t *address, uint64_t task, uint64_t kernel);
GVMREF_API int gvmref_vt_one_buf_free(uint64_t size, uint64_t *address, uint64_t task,
                                      uint64_t kernel);
GVMREF_API int gvmref_vt_copy_to_dev(uint64_t address, const void *data, uint64_t size,
                                     uint64_t task, uint64_t kernel);
GVMREF_API int gvmref_vt_upload_kernel_file(const char *path, int task);
GVMREF_API int gvmref_vt_start(void *metadata, uint64_t task);
GVMREF_API int gvmref_vt_kernel_finish();
GVMREF_API int gvmref_set_warp_xreg(uint32_t workgroup, uint32_t warp, uint32_t count,
                                    gvmref_found values);
GVMREF_API uint32_t gvmref_get_next_pc(uint32_t workgroup, uint32_t warp);
GVMREF_API void gvmref_step(uint32_t workgroup, uint32_t warp, gvmref_result *result);
GVMREF_API void gvmref_get_xreg(gvmref_file *result, uint32_t workgroup, uint32_t warp);
}

#endif

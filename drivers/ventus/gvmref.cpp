/* SPDX-License-Identifier: Apache-2.0 */
/* libgvmref: the structs of the interface have C++ types; everything behind them is C. */
#include "gvmref.h"

#include <algorithm>
#include <cstdio>

#include "reference.h"

int gvmref_vt_dev_open()
{
    return reference_open();
}

int gvmref_vt_dev_close()
{
    return reference_close();
}

int gvmref_vt_buf_alloc(uint64_t size, uint64_t *address, int, uint64_t task, uint64_t)
{
    return reference_alloc(size, address, task);
}

int gvmref_vt_buf_alloc_fixed(uint64_t size, uint64_t address, int, uint64_t task, uint64_t)
{
    return reference_alloc_fixed(size, address, task);
}

int gvmref_vt_buf_free(uint64_t, uint64_t *, uint64_t task, uint64_t)
{
    return reference_free_task(task);
}

int gvmref_vt_one_buf_free(uint64_t size, uint64_t *address, uint64_t task, uint64_t)
{
    return reference_free(size, address, task);
}

int gvmref_vt_copy_to_dev(uint64_t address, const void *data, uint64_t size, uint64_t task,
                          uint64_t)
{
    return reference_copy_in(address, data, size, task);
}

int gvmref_vt_upload_kernel_file(const char *path, int)
{
    return reference_upload(path);
}

int gvmref_vt_start(void *metadata, uint64_t)
{
    return reference_start(metadata);
}

int gvmref_vt_kernel_finish()
{
    return reference_finish();
}

int gvmref_set_warp_xreg(uint32_t workgroup, uint32_t warp, uint32_t count, gvmref_found values)
{
    if (count > values.x.size()) {
        std::fprintf(stderr, "samite: gvmref_set_warp_xreg: %u registers, but %zu values\n", count,
                     values.x.size());
        return -1;
    }
    return reference_set_x(workgroup, warp, count, values.x.data());
}

uint32_t gvmref_get_next_pc(uint32_t workgroup, uint32_t warp)
{
    return reference_next_pc(workgroup, warp);
}

void gvmref_step(uint32_t workgroup, uint32_t warp, gvmref_result *result)
{
    const struct reference_step step = reference_step(workgroup, warp);
    *result = {};
    result->done = step.done;
    result->pc = step.pc;
    result->word = step.word;
    if (step.write == REFERENCE_SCALAR) {
        result->insn.write = GVMREF_SCALAR;
        result->insn.scalar = {step.x, step.index};
    } else if (step.write == REFERENCE_VECTOR) {
        result->insn.write = GVMREF_VECTOR;
        result->insn.vector.index = step.index;
        result->insn.vector.mask = step.mask;
        std::copy(std::begin(step.v), std::end(step.v), result->insn.vector.values.begin());
    }
}

void gvmref_get_xreg(gvmref_file *result, uint32_t workgroup, uint32_t warp)
{
    reference_get_x(result->x.data(), workgroup, warp);
}

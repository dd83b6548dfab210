/* SPDX-License-Identifier: Apache-2.0 */
/* The reference called by the lockstep checker of Ventus' RTL. Its interface has no handle:
 * there is one device, and calls come one at a time. A launch is a session; workgroup numbers
 * continue from launch to launch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "reference.h"

static struct {
    struct environment environment;
    struct space *space; /* NULL: not open */
    struct sam_session *session;
    uint64_t first; /* workgroup of the launch */
    struct sam_trap past_end;
    bool told;      /* of past_end */
    uint64_t count; /* of its workgroups */
} reference;

/* -------------------------------------------------------------------------------- opening */

int reference_open(void)
{
    if (reference.space)
        return complain("gvmref_vt_dev_open: the device is open already");
    if (!environment_read(&reference.environment))
        return -1;
    const struct environment *e = &reference.environment;
    if (e->profile || e->cycles || e->abort)
        complain("SAMITE_%s: not available in the reference, which steps its launches",
                 e->profile  ? "PROFILE"
                 : e->cycles ? "CYCLES"
                             : "ABORT");
    else
        reference.space = space_new(&reference.environment);
    if (!reference.space)
        environment_free(&reference.environment);
    return reference.space ? 0 : -1;
}

static void end_launch(void)
{
    sam_session_close(reference.session);
    reference.session = NULL;
}

int reference_close(void)
{
    if (!reference.space)
        return complain("gvmref_vt_dev_close: the device is not open");
    end_launch();
    space_free(reference.space);
    environment_free(&reference.environment);
    memset(&reference, 0, sizeof reference);
    return 0;
}

/* The first workgroup of the launch that has not ended; UINT32_MAX: all have. */
static uint32_t running(void)
{
    for (uint64_t i = 0; reference.session && i < reference.count; i++)
        if (sam_session_workgroup_state(reference.session, (uint32_t)i) != SAM_SESSION_ENDED)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Whether memory and programs may change: the device is open, and its last launch has ended. */
static bool is_idle(const char *function)
{
    if (!reference.space) {
        complain("%s: the device is not open", function);
        return false;
    }
    const uint32_t workgroup = running();
    if (workgroup != UINT32_MAX)
        complain("%s: workgroup %" PRIu64 " has not ended", function, reference.first + workgroup);
    return workgroup == UINT32_MAX;
}

/* --------------------------------------------------------------------------------- memory */

int reference_alloc(uint64_t size, uint64_t *address, uint64_t task)
{
    if (!is_idle("gvmref_vt_buf_alloc"))
        return -1;
    if (!address)
        return complain("gvmref_vt_buf_alloc: no place for the address");
    return space_alloc(reference.space, size, task, address);
}

int reference_alloc_fixed(uint64_t size, uint64_t address, uint64_t task)
{
    if (!is_idle("gvmref_vt_buf_alloc_fixed"))
        return -1;
    return space_alloc_at(reference.space, size, task, address);
}

int reference_free_task(uint64_t task)
{
    if (!is_idle("gvmref_vt_buf_free"))
        return -1;
    space_free_task(reference.space, task);
    return 0;
}

int reference_free(uint64_t size, const uint64_t *address, uint64_t task)
{
    if (!is_idle("gvmref_vt_one_buf_free"))
        return -1;
    if (!address || size == 0)
        return complain("gvmref_vt_one_buf_free: %s", address ? "a size of 0" : "no address");
    return space_free_buffer(reference.space, *address, task);
}

int reference_copy_in(uint64_t address, const void *data, uint64_t size, uint64_t task)
{
    if (!is_idle("gvmref_vt_copy_to_dev"))
        return -1;
    return space_copy_in(reference.space, address, data, size, task);
}

int reference_upload(const char *path)
{
    if (!is_idle("gvmref_vt_upload_kernel_file"))
        return -1;
    return program_upload_file(reference.space, path, "gvmref_vt_upload_kernel_file");
}

/* ------------------------------------------------------------------------------- launches */

int reference_start(const void *metadata)
{
    struct sam_error error;
    if (!is_idle("gvmref_vt_start"))
        return -1;
    if (!metadata)
        return complain("gvmref_vt_start: no metadata");
    end_launch();
    uint64_t meta[VT_META_WORDS];
    memcpy(meta, metadata, sizeof meta);
    struct sam_launch launch;
    if (space_launch(reference.space, meta, &launch, "gvmref_vt_start") != 0)
        return -1;
    if (reference.environment.sv39 && space_build_tables(reference.space) != 0)
        return -1;
    const struct sam_gpu_options machine = {
        .size = sizeof machine,
        .fit_pds = true,
        .sv39 = reference.environment.sv39,
        .ptbr = reference.space->ptbr,
        .past_end = space_past_end(reference.space, &reference.past_end),
    };
    reference.told = false;
    const struct sam_session_options options = {
        .size = sizeof options, .keep_ended = true, .barrier_retry = true};
    if (sam_gpu_set_options(reference.space->gpu, &machine, &error) != SAM_OK ||
        sam_session_open(reference.space->gpu, &launch, &options, &reference.session, &error) !=
            SAM_OK)
        return complain("gvmref_vt_start: %s", error.text);
    reference.first += reference.count;
    reference.count = (uint64_t)launch.grid[0] * launch.grid[1] * launch.grid[2];
    return 0;
}

int reference_finish(void)
{
    return is_idle("gvmref_vt_kernel_finish") ? 0 : -1;
}

/* Convert a workgroup's number to its index in the launch. False, after a message, if the launch
 * does not have it. */
static bool find(uint32_t workgroup, const char *function, uint32_t *number)
{
    if (!reference.session || workgroup < reference.first ||
        workgroup - reference.first >= reference.count) {
        complain("%s: workgroup %u is not one of the launch", function, workgroup);
        return false;
    }
    *number = workgroup - (uint32_t)reference.first;
    return true;
}

int reference_set_x(uint32_t workgroup, uint32_t warp, uint32_t count, const uint64_t *values)
{
    struct sam_error error;
    uint32_t number;
    if (!find(workgroup, "gvmref_set_warp_xreg", &number))
        return -1;
    for (uint32_t i = 1; i < count; i++)
        if (sam_session_set_x(reference.session, number, warp, i, values[i], &error) != SAM_OK)
            return complain("gvmref_set_warp_xreg: %s", error.text);
    return 0;
}

uint32_t reference_next_pc(uint32_t workgroup, uint32_t warp)
{
    struct sam_error error;
    struct sam_session_warp state;
    uint32_t number;
    if (!find(workgroup, "gvmref_get_next_pc", &number))
        return 0;
    if (sam_session_warp(reference.session, number, warp, &state, &error) == SAM_OK)
        return (uint32_t)state.pc;
    complain("gvmref_get_next_pc: %s", error.text);
    return 0;
}

struct reference_step reference_step(uint32_t workgroup, uint32_t warp)
{
    struct sam_error error;
    struct reference_step result = {0};
    struct sam_step step;
    uint32_t number;
    if (!find(workgroup, "gvmref_step", &number))
        return result;
    const enum sam_status status = sam_session_step(reference.session, number, warp, &step, &error);
    if (!reference.told && reference.past_end.kind != SAM_TRAP_NONE) {
        reference.told = true;
        space_tell_past_end(reference.space, &reference.past_end, "gvmref_step");
    }
    if (status != SAM_OK)
        complain("gvmref_step: %s", error.text);
    if (status != SAM_OK && status != SAM_ERR_TRAP)
        return result;
    result.done = sam_session_workgroup_state(reference.session, number) == SAM_SESSION_ENDED;
    result.pc = step.pc;
    result.word = step.word;
    result.mask = step.mask_before;
    if (step.v_count) {
        result.write = REFERENCE_VECTOR;
        result.index = step.v;
        memcpy(result.v, step.v_value[0], sizeof result.v);
    } else if (step.x_count) {
        result.write = REFERENCE_SCALAR;
        result.index = step.x;
        result.x = (uint32_t)step.x_value[0];
    }
    return result;
}

void reference_get_x(uint64_t values[REFERENCE_X], uint32_t workgroup, uint32_t warp)
{
    struct sam_error error;
    struct sam_session_shape shape;
    uint32_t number;
    memset(values, 0, REFERENCE_X * sizeof *values);
    if (!find(workgroup, "gvmref_get_xreg", &number) ||
        sam_session_shape(reference.session, &shape, &error) != SAM_OK)
        return;
    for (unsigned i = 0; i < shape.x_count && i < REFERENCE_X; i++) {
        if (sam_session_x(reference.session, number, warp, i, &values[i], &error) != SAM_OK) {
            complain("gvmref_get_xreg: %s", error.text);
            return;
        }
    }
}

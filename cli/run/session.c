/* SPDX-License-Identifier: Apache-2.0 */
/* Launches and programs that are opened as sessions instead of run: for debuggers. */
#include "run/run.h"

/* Registers of warps that have ended stay readable where they take little memory. */
enum { KEPT_WARPS = 1024 };

int run_drive_launch(struct run *run, const struct sam_launch *launch, const char *kernel,
                     struct sam_gpu_result *result, enum sam_status *status)
{
    const struct run_request *request = run->request;
    const uint64_t warps = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const struct sam_session_options options = {
        .size = sizeof options,
        .keep_ended = warps <= KEPT_WARPS / launch->warps,
    };
    struct run_session opened = {
        .gpu = run->gpu,
        .launch = launch,
        .image = run->image,
        .name = kernel,
        .arguments = run->arguments,
        .metadata = run->metadata,
        .number = run->launches,
        .count = run->asked->kernel ? 1 : (unsigned)(request->files.count / 2),
        .text = run->text,
    };
    *status = SAM_OK;
    if (sam_session_open(run->gpu, launch, &options, &opened.session, &run->error) != SAM_OK)
        return cli_report(&run->error);
    const int code = request->driver->drive(request->driver->context, &opened);
    if (code == CLI_OK)
        *status = sam_session_finish(opened.session, result, &run->error);
    sam_session_close(opened.session);
    return code;
}

int run_drive_hart(const struct run_request *request, struct run_session *opened,
                   struct sam_hart_result *result, bool *ended)
{
    struct sam_error error;
    if (sam_session_open_hart(opened->hart, &opened->session, &error) != SAM_OK)
        return cli_report(&error);
    opened->count = 1;
    const int code = request->driver->drive(request->driver->context, opened);
    *result = (struct sam_hart_result){
        .end = SAM_HART_EXIT,
        .exit_code = opened->exit_code,
        .instructions = sam_session_time(opened->session),
        .pc = sam_hart_pc(opened->hart),
    };
    *ended = sam_session_workgroup_state(opened->session, 0) == SAM_SESSION_ENDED;
    if (!*ended && opened->has_until && result->pc == opened->until) {
        result->end = SAM_HART_UNTIL;
        *ended = true;
    }
    sam_session_close(opened->session);
    return code;
}

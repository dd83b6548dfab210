/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds the run to the engines' cycle model: each instruction after its execution, in program
 * order. */
#include "hart/core.h"

enum sam_status sam_hart_add_engines(struct sam_hart *hart, struct sam_error *error)
{
    const struct sam_hart_options *o = &hart->options;
    struct sam_engines_watch watch = o->watch;
    if (!o->engines)
        return SAM_OK;
    enum sam_status status = sam_engines_check(o->engines, error);
    if (status != SAM_OK)
        return status;
    if (o->timeline.write && !(hart->timeline = sam_hart_timeline_new(hart, &watch)))
        return sam_fail_memory(error);
    hart->engines = sam_engines_new(o->engines, &watch);
    hart->options.engines = NULL; /* belongs to the caller */
    return hart->engines ? SAM_OK : sam_fail_memory(error);
}

void sam_hart_time_before(struct sam_hart *hart)
{
    if (sam_engines_has_memory(hart->engines))
        memcpy(&hart->before, hart->core.x64, sizeof hart->before);
}

/* What a scalar load, store or atomic instruction accesses. RISC-V Unprivileged 2.6, 14. */
static bool access_of(const struct sam_hart *hart, const struct sam_insn *insn, bool *store,
                      struct sam_work_span *bytes)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    if (!does->bytes)
        return false;
    uint64_t base =
        sam_hart_is_narrow(hart) ? hart->before.x32[insn->rs1] : hart->before.x64[insn->rs1];
    *store = does->act == SAM_ACT_STORE || does->act == SAM_ACT_ATOMIC;
    bytes->low = sam_hart_wrap(hart, base + (uint64_t)(int64_t)insn->imm); /* of atomics: 0 */
    bytes->high = bytes->low + does->bytes - 1; /* aligned, so it does not wrap */
    return true;
}

enum sam_status sam_hart_time(struct sam_hart *hart, const struct sam_insn *insn, uint64_t pc,
                              struct sam_work *work)
{
    struct sam_engines *e = hart->engines;
    struct sam_work_span bytes;
    bool store;
    if (work) {
        work->pc = pc;
        if (!sam_engines_tensor(e, work))
            return SAM_ERR_MEMORY;
    } else if (sam_engines_has_memory(e) && access_of(hart, insn, &store, &bytes)) {
        sam_engines_access(e, pc, store, bytes);
    } else {
        sam_engines_scalar(e, pc);
    }
    return sam_engines_good(e) ? SAM_OK : SAM_ERR_IO;
}

bool sam_hart_engines(const struct sam_hart *hart, struct sam_engines_report *report)
{
    if (hart->engines)
        sam_engines_report(hart->engines, report);
    return hart->engines != NULL;
}

enum sam_status sam_hart_end_timeline(struct sam_hart *hart, struct sam_error *error)
{
    bool good = !hart->engines || sam_engines_finish(hart->engines);
    if (hart->mxu) { /* everything in flight belongs to the run */
        sam_mxu_drain(hart->mxu);
        sam_mxu_watch_close(hart->watch);
    }
    if (hart->timeline)
        good &= sam_hart_timeline_end(hart->timeline);
    sam_hart_timeline_free(hart->timeline);
    hart->timeline = NULL;
    return good ? SAM_OK : sam_fail(error, SAM_ERR_IO, "cannot write the timeline");
}

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

enum sam_status sam_hart_time(struct sam_hart *hart, struct sam_hart_record *r)
{
    struct sam_engines *e = hart->engines;
    const uint64_t pc = r->step.pc;
    if (r->has_tensor) {
        r->tensor.pc = pc;
        if (!sam_engines_tensor(e, &r->tensor))
            return SAM_ERR_MEMORY;
    } else if (sam_engines_has_memory(e) && sam_insn_rows[r->insn.op].does.bytes) {
        /* aligned, so it does not wrap */
        const struct sam_step_access *a = &r->step.access[0];
        const unsigned act = sam_insn_rows[r->insn.op].does.act;
        sam_engines_access(e, pc, act == SAM_ACT_STORE || act == SAM_ACT_ATOMIC,
                           (struct sam_work_span){a->address, a->address + a->size - 1});
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
    if (SAM_LACKS(error, hart))
        return SAM_ERR_USAGE;
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

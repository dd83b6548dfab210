/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the commits of a hardware model with the steps of a session. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cosim/cosim.h"
#include "isa/isa.h"

enum { HISTORY = 16, MAX_HISTORY = 4096 };

/* ------------------------------------------------------------------------------- histories */

static uint64_t key_of(uint32_t workgroup, uint32_t warp)
{
    return (uint64_t)workgroup << 32 | warp;
}

struct sam_cosim_history *sam_cosim_history_of(const struct sam_cosim *cosim, uint32_t workgroup,
                                               uint32_t warp)
{
    const uint64_t key = key_of(workgroup, warp);
    return sam_names_find(&cosim->histories, (const char *)&key, sizeof key);
}

/* Add the current step to its history. Returns false on out-of-memory. */
static bool record_step(struct sam_cosim *cosim)
{
    const struct sam_step *step = &cosim->step;
    const unsigned room = cosim->options.history;
    struct sam_cosim_history *history = sam_cosim_history_of(cosim, step->workgroup, step->warp);
    if (!history) {
        history = calloc(1, sizeof *history + room * sizeof history->records[0]);
        if (!history)
            return false;
        history->key = key_of(step->workgroup, step->warp);
        if (!sam_names_add(&cosim->histories, (const char *)&history->key, sizeof history->key,
                           history)) {
            free(history);
            return false;
        }
    }
    struct sam_cosim_record *record = &history->records[history->count++ % room];
    *record = (struct sam_cosim_record){.pc = step->pc,
                                        .word = step->word,
                                        .prefix = step->prefix,
                                        .x = step->x,
                                        .x_count = step->x_count,
                                        .v = step->v,
                                        .v_count = step->v_count};
    for (unsigned i = 0; i < step->x_count; i++)
        record->x_value[i] = (uint32_t)step->x_value[i];
    for (unsigned r = 0; r < step->v_count; r++) {
        record->lanes[r] = step->lanes[r];
        memcpy(record->v_value[r], step->v_value[r], sizeof record->v_value[r]);
    }
    return true;
}

/* ----------------------------------------------------------------------------- open, close */

enum sam_status sam_cosim_open(struct sam_session *session, const struct sam_cosim_options *options,
                               struct sam_cosim **out, struct sam_error *error)
{
    if (out)
        *out = NULL;
    if (SAM_LACKS(error, session, out))
        return SAM_ERR_USAGE;
    struct sam_cosim *cosim = sam_alloc(1, sizeof *cosim);
    if (!cosim)
        return sam_fail_memory(error);
    cosim->session = session;
    enum sam_status status = sam_options_take(&cosim->options, sizeof cosim->options,
                                              sizeof cosim->options, options, error);
    if (status == SAM_OK)
        status = sam_session_shape(session, &cosim->shape, error);
    if (status == SAM_OK && !cosim->shape.v_count)
        status = sam_fail(error, SAM_ERR_USAGE, "the session of a hart: expected one of a launch");
    if (status == SAM_OK && cosim->options.history > MAX_HISTORY)
        status = sam_fail(error, SAM_ERR_USAGE, "a history of %u commits: expected at most %d",
                          cosim->options.history, MAX_HISTORY);
    if (status != SAM_OK) {
        free(cosim);
        return status;
    }
    if (!cosim->options.history)
        cosim->options.history = HISTORY;
    *out = cosim;
    return SAM_OK;
}

void sam_cosim_close(struct sam_cosim *cosim)
{
    if (!cosim)
        return;
    struct sam_cosim_history *history;
    for (size_t at = 0; (history = sam_names_next(&cosim->histories, &at)) != NULL;)
        free(history);
    sam_names_free(&cosim->histories);
    sam_buffer_free(&cosim->report);
    free(cosim);
}

const char *sam_cosim_report(const struct sam_cosim *cosim)
{
    return cosim && cosim->differs ? sam_buffer_text(&cosim->report) : "";
}

uint64_t sam_cosim_count(const struct sam_cosim *cosim)
{
    return cosim ? cosim->agreed : 0;
}

/* ------------------------------------------------------------------------------- comparing */

/* Whether the instruction reads a counter, whose value depends on time. */
static bool reads_counter(uint32_t word)
{
    static const uint16_t counters[] = {
        SAM_CSR_mcycle, SAM_CSR_minstret, SAM_CSR_mcycleh, SAM_CSR_minstreth, SAM_CSR_cycle,
        SAM_CSR_time,   SAM_CSR_instret,  SAM_CSR_cycleh,  SAM_CSR_timeh,     SAM_CSR_instreth,
    };
    if (!sam_word_is_csr(word))
        return false;
    for (size_t i = 0; i < SAM_COUNT(counters); i++)
        if (sam_word_csr(word) == counters[i])
            return true;
    return false;
}

static void differ(struct sam_cosim *cosim, const struct sam_cosim_commit *commit, const char *what)
{
    sam_cosim_report_begin(cosim, commit->workgroup, commit->warp, what);
    sam_cosim_report_insn(cosim, commit);
}

static void name_write(char text[32], enum sam_cosim_write write, unsigned index, unsigned count)
{
    const char letter = write == SAM_COSIM_X ? 'x' : 'v';
    if (write == SAM_COSIM_NONE)
        snprintf(text, 32, "no register");
    else if (count == 2)
        snprintf(text, 32, "%c%u and %c%u", letter, index, letter, index + 1);
    else
        snprintf(text, 32, "%c%u", letter, index);
}

/* Whether both sides write the same registers; reports a difference. */
static bool same_register(struct sam_cosim *cosim, const struct sam_cosim_commit *commit,
                          enum sam_cosim_write ours, unsigned index, unsigned count)
{
    const unsigned theirs = commit->count ? commit->count : 1;
    if (commit->write == ours &&
        (ours == SAM_COSIM_NONE || (commit->index == index && theirs == count)))
        return true;
    char a[32], b[32];
    name_write(a, commit->write, commit->index, theirs);
    name_write(b, ours, index, count);
    differ(cosim, commit, "register written");
    sam_cosim_report_row(cosim, "writes", a, b);
    return false;
}

static bool same_x(struct sam_cosim *cosim, const struct sam_cosim_commit *commit)
{
    const struct sam_step *step = &cosim->step;
    for (unsigned i = 0; i < step->x_count; i++) {
        if ((uint32_t)step->x_value[i] == commit->x[i])
            continue;
        char label[32], what[48], a[16], b[16];
        snprintf(label, sizeof label, "x%u", step->x + i);
        snprintf(what, sizeof what, "value of %s", label);
        snprintf(a, sizeof a, "%08x", commit->x[i]);
        snprintf(b, sizeof b, "%08x", (uint32_t)step->x_value[i]);
        differ(cosim, commit, what);
        sam_cosim_report_row(cosim, label, a, b);
        return false;
    }
    return true;
}

/* Report the lanes with different values: the first ones, and the number of others. */
static void report_lanes(struct sam_cosim *cosim, const struct sam_cosim_commit *commit, unsigned r,
                         uint32_t wrong)
{
    enum { SHOWN = 8 };
    const struct sam_step *step = &cosim->step;
    char text[64], a[16], b[16];
    snprintf(text, sizeof text, "value of v%u", step->v + r);
    differ(cosim, commit, text);
    for (unsigned shown = 0; wrong; wrong &= wrong - 1, shown++) {
        if (shown == SHOWN) {
            snprintf(text, sizeof text, "and %d more lanes", __builtin_popcount(wrong));
            sam_cosim_report_line(cosim, text);
            break;
        }
        const unsigned lane = (unsigned)__builtin_ctz(wrong);
        snprintf(text, sizeof text, "v%u[%u]", step->v + r, lane);
        snprintf(a, sizeof a, "%08x", commit->v[r][lane]);
        snprintf(b, sizeof b, "%08x", step->v_value[r][lane]);
        sam_cosim_report_row(cosim, text, a, b);
    }
}

static bool same_v(struct sam_cosim *cosim, const struct sam_cosim_commit *commit)
{
    const struct sam_step *step = &cosim->step;
    for (unsigned r = 0; r < step->v_count; r++) {
        if (commit->lanes[r] != step->lanes[r]) {
            char what[48], a[16], b[16];
            snprintf(what, sizeof what, "lanes of v%u", step->v + r);
            snprintf(a, sizeof a, "%08x", commit->lanes[r]);
            snprintf(b, sizeof b, "%08x", step->lanes[r]);
            differ(cosim, commit, what);
            sam_cosim_report_row(cosim, "lanes", a, b);
            return false;
        }
        uint32_t wrong = 0;
        for (uint32_t lane = 0; lane < cosim->shape.lanes; lane++)
            if (step->lanes[r] >> lane & 1 && commit->v[r][lane] != step->v_value[r][lane])
                wrong |= UINT32_C(1) << lane;
        if (wrong) {
            report_lanes(cosim, commit, r, wrong);
            return false;
        }
    }
    return true;
}

/* The commit without writes that have no effect: to x0, or of no lane. */
static struct sam_cosim_commit effective(const struct sam_cosim_commit *commit)
{
    struct sam_cosim_commit c = *commit;
    const bool second = c.count == 2;
    if ((c.write == SAM_COSIM_X && c.index == 0 && !second) ||
        (c.write == SAM_COSIM_V && !c.lanes[0] && !(second && c.lanes[1])))
        c.write = SAM_COSIM_NONE;
    return c;
}

static bool same_writes(struct sam_cosim *cosim, const struct sam_cosim_commit *given)
{
    const struct sam_step *step = &cosim->step;
    const struct sam_cosim_commit commit = effective(given);
    if (commit.write == SAM_COSIM_UNKNOWN)
        return true;
    const bool any_lane = step->lanes[0] || (step->v_count == 2 && step->lanes[1]);
    if (step->x_count)
        return same_register(cosim, &commit, SAM_COSIM_X, step->x, step->x_count) &&
               same_x(cosim, &commit);
    if (step->v_count && any_lane)
        return same_register(cosim, &commit, SAM_COSIM_V, step->v, step->v_count) &&
               same_v(cosim, &commit);
    return same_register(cosim, &commit, SAM_COSIM_NONE, 0, 0);
}

/* Take over the hardware's value of a counter. */
static enum sam_status follow_counter(struct sam_cosim *cosim,
                                      const struct sam_cosim_commit *commit,
                                      struct sam_error *error)
{
    struct sam_step *step = &cosim->step;
    if (cosim->options.strict_counters || !step->x_count || !reads_counter(step->word) ||
        commit->write != SAM_COSIM_X || commit->index != step->x)
        return SAM_OK;
    step->x_value[0] = commit->x[0];
    return sam_session_set_x(cosim->session, step->workgroup, step->warp, step->x, commit->x[0],
                             error);
}

/* Execute one instruction into cosim->step. A failure of the program is a difference. */
static enum sam_status advance(struct sam_cosim *cosim, const struct sam_cosim_commit *commit,
                               struct sam_error *error)
{
    struct sam_error why = {0};
    enum sam_status status =
        sam_session_step(cosim->session, commit->workgroup, commit->warp, &cosim->step, &why);
    if (status == SAM_ERR_TRAP || status == SAM_ERR_USAGE) {
        char theirs[64];
        snprintf(theirs, sizeof theirs, "commits %08x at pc %08x", commit->word, commit->pc);
        sam_cosim_report_begin(cosim, commit->workgroup, commit->warp,
                               status == SAM_ERR_TRAP ? "Samite traps" : "Samite cannot continue");
        sam_cosim_report_row(cosim, "", theirs, why.text);
        return SAM_OK;
    }
    return status == SAM_OK ? SAM_OK : sam_fail(error, status, "%s", why.text);
}

static enum sam_status check(const struct sam_cosim *cosim, const struct sam_cosim_commit *commit,
                             struct sam_error *error)
{
    if (!cosim)
        return sam_fail_null(error, "cosim");
    if (!commit)
        return sam_fail_null(error, "commit");
    if (commit->count > 2)
        return sam_fail(error, SAM_ERR_USAGE, "a commit of %u registers: expected 1 or 2",
                        commit->count);
    if ((unsigned)commit->write > SAM_COSIM_UNKNOWN)
        return sam_fail(error, SAM_ERR_USAGE, "a commit with a write of unknown kind %u",
                        (unsigned)commit->write);
    return SAM_OK;
}

static enum sam_status compare(struct sam_cosim *cosim, const struct sam_cosim_commit *commit,
                               struct sam_error *error)
{
    enum sam_status status;
    bool silent;
    do {
        status = advance(cosim, commit, error);
        if (status != SAM_OK || cosim->differs)
            return status;
        silent = cosim->options.silent_prefixes && cosim->step.kind == SAM_STEP_PREFIX;
        if (silent && !record_step(cosim))
            return sam_fail_memory(error);
    } while (silent);
    status = follow_counter(cosim, commit, error);
    if (status != SAM_OK)
        return status;
    if (cosim->step.pc != commit->pc)
        differ(cosim, commit, "pc");
    else if (commit->word && commit->word != cosim->step.word)
        differ(cosim, commit, "instruction word");
    else if (same_writes(cosim, commit)) {
        cosim->agreed++;
        if (!record_step(cosim))
            return sam_fail_memory(error);
    }
    return SAM_OK;
}

enum sam_status sam_cosim_compare(struct sam_cosim *cosim, const struct sam_cosim_commit *commit,
                                  bool *same, struct sam_error *error)
{
    enum sam_status status = check(cosim, commit, error);
    if (same)
        *same = false;
    if (status != SAM_OK || cosim->differs)
        return status;
    status = compare(cosim, commit, error);
    if (cosim->differs) {
        sam_cosim_report_end(cosim, commit->workgroup, commit->warp);
        if (cosim->report.failed)
            return sam_fail_memory(error);
    }
    if (same)
        *same = status == SAM_OK && !cosim->differs;
    return status;
}

enum sam_status sam_cosim_finish(struct sam_cosim *cosim, bool *same, struct sam_error *error)
{
    if (same)
        *same = false;
    if (!cosim)
        return sam_fail_null(error, "cosim");
    for (uint64_t i = 0; i < cosim->shape.workgroups && !cosim->differs; i++) {
        const uint32_t workgroup = sam_session_workgroup(cosim->session, i);
        if (sam_session_workgroup_state(cosim->session, workgroup) == SAM_SESSION_ENDED)
            continue;
        for (uint32_t warp = 0; warp < cosim->shape.warps && !cosim->differs; warp++) {
            struct sam_session_warp state;
            enum sam_status status =
                sam_session_warp(cosim->session, workgroup, warp, &state, error);
            if (status != SAM_OK)
                return status;
            if (state.state == SAM_WARP_ENDED)
                continue;
            char text[64];
            snprintf(text, sizeof text, "%s pc %08" PRIx64,
                     state.state == SAM_WARP_WAITS ? "waits at the barrier at" : "is at", state.pc);
            sam_cosim_report_begin(cosim, workgroup, warp, "Samite has not ended");
            sam_cosim_report_row(cosim, "", "has ended", text);
            sam_cosim_report_end(cosim, workgroup, warp);
        }
    }
    if (cosim->report.failed)
        return sam_fail_memory(error);
    if (same)
        *same = !cosim->differs;
    return SAM_OK;
}

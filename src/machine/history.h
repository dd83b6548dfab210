/* SPDX-License-Identifier: Apache-2.0 */
/* The past of a session, as far as it is kept (sam_session_snapshot, sam_session_record). */
#ifndef SAM_HISTORY_H
#define SAM_HISTORY_H

#include "machine/session.h"

void sam_history_free(struct sam_session *session);
/* The user is about to step, or to run. SAM_ERR_MEMORY. */
enum sam_status sam_history_step(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                 struct sam_error *error);
enum sam_status sam_history_run(struct sam_session *session, const struct sam_session_run *run,
                                struct sam_error *error);
/* It has happened. */
void sam_history_ran(struct sam_session *session);
/* How many instructions may run before sam_history_keep_up must take a snapshot. */
uint64_t sam_history_room(const struct sam_session *session);
enum sam_status sam_history_keep_up(struct sam_session *session, struct sam_error *error);
/* The user has changed a register or memory. */
enum sam_status sam_history_change(struct sam_session *session, struct sam_error *error);
/* The last stretch of the recording before time `before` in which this warp may have run, without a
 * change by the user in between: *from up to *to. False: there is none. */
bool sam_history_stretch(const struct sam_session *session, uint64_t before, uint32_t workgroup,
                         uint32_t warp, uint64_t *from, uint64_t *to);

#endif

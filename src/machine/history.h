/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a session (sam_session_snapshot, sam_session_record). */
#ifndef SAM_HISTORY_H
#define SAM_HISTORY_H

#include "machine/session.h"

void sam_history_free(struct sam_session *session);
/* Call before the user steps or runs. Returns SAM_OK or SAM_ERR_MEMORY. */
enum sam_status sam_history_step(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                 struct sam_error *error);
enum sam_status sam_history_run(struct sam_session *session, const struct sam_session_run *run,
                                struct sam_error *error);
/* Call afterwards. */
void sam_history_ran(struct sam_session *session);
/* The number of instructions that may run before sam_history_keep_up must be called to take a
 * snapshot. */
uint64_t sam_history_room(const struct sam_session *session);
enum sam_status sam_history_keep_up(struct sam_session *session, struct sam_error *error);
/* Call after the user has changed a register or memory. */
enum sam_status sam_history_change(struct sam_session *session, struct sam_error *error);
/* The last interval *from..*to of the recording before `before` in which this warp may have run and
 * the user changed nothing. Returns false if there is none. */
bool sam_history_stretch(const struct sam_session *session, uint64_t before, uint32_t workgroup,
                         uint32_t warp, uint64_t *from, uint64_t *to);

#endif

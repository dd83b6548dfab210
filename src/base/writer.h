/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAM_BASE_WRITER_H
#define SAM_BASE_WRITER_H

#include "base/base.h"
#include "samite/sink.h"

/* A sink, if `apart` on a thread of its own, which the first sam_writer_put starts: the sink is
 * called from either thread, one call at a time. After a failure nothing more is written. */
struct sam_writer;
/* NULL: out of memory. */
struct sam_writer *sam_writer_new(const struct sam_sink *sink, bool apart);
/* Write the first `size` bytes of `text`, if apart while the caller continues; the rest stays in
 * it. Returns false if the sink has failed so far. */
bool sam_writer_put(struct sam_writer *writer, struct sam_buffer *text, size_t size);
/* Write all of it on this thread, and have all that was put written. */
bool sam_writer_flush(struct sam_writer *writer, struct sam_buffer *text);
void sam_writer_free(struct sam_writer *writer);

#endif

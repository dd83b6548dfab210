/* SPDX-License-Identifier: Apache-2.0 */
/* The cycles of a launch as text: each SM, unit and warp slot, caches and memory, and findings, the
 * largest first (docs/gpu-time.md). Since 0.2. */
#ifndef SAMITE_GPUTIME_REPORT_H
#define SAMITE_GPUTIME_REPORT_H

#include "gputime.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sam_gputime_format {
    SAM_GPUTIME_TEXT, /* for people; long lists are cut */
    SAM_GPUTIME_JSON, /* everything, one object */
};

struct sam_gputime_report_options {
    size_t size;                             /* sizeof of this struct (status.h) */
    const struct sam_gputime_config *config; /* of the launch; NULL: the first preset */
    const struct sam_image *image;           /* symbols and line information; may be NULL */
};

/* The report, which is freed with sam_text_free. SAM_ERR_USAGE: no such format. */
SAM_API enum sam_status sam_gputime_report(const struct sam_gputime_result *result,
                                           enum sam_gputime_format format,
                                           const struct sam_gputime_report_options *options,
                                           char **text, struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif

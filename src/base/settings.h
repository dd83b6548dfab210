/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that a file has (samite/parameter.h). */
#ifndef SAM_BASE_SETTINGS_H
#define SAM_BASE_SETTINGS_H

#include "base/base.h"
#include "samite/parameter.h"

/* The text of such a file as one line: without comments and blanks, with commas between. */
void sam_settings_join(const char *text, struct sam_buffer *out);

#endif

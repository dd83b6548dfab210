/* SPDX-License-Identifier: Apache-2.0 */
/* Settings files (samite/parameter.h). */
#ifndef SAM_BASE_SETTINGS_H
#define SAM_BASE_SETTINGS_H

#include "base/base.h"
#include "samite/parameter.h"

/* Convert the text of such a file to one line: without comments and blanks, with commas between
 * settings. */
void sam_settings_join(const char *text, struct sam_buffer *out);

#endif

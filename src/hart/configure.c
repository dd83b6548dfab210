/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the cycle models by name, whichever model they belong to. */
#include <stdio.h>

#include "hart/core.h"

/* Parameter `index`, first those of the engines, then those of the matrix unit; NULL at the end. */
static const char *name_of(size_t index, bool *mxu)
{
    size_t engines = 0;
    while (sam_engines_parameter(engines))
        engines++;
    *mxu = index >= engines;
    if (!*mxu)
        return sam_engines_parameter(index)->name;
    const struct sam_mxu_parameter *p = sam_mxu_parameter(index - engines);
    return p ? p->name : NULL;
}

static enum sam_status set_one(const char *word, size_t size, struct sam_engines_config *engines,
                               struct sam_mxu_config *mxu, struct sam_error *error)
{
    const char *nearest = "", *name;
    unsigned least = UINT32_MAX;
    bool is_mxu, found_mxu = false;
    for (size_t i = 0; (name = name_of(i, &is_mxu)); i++) {
        unsigned edits = sam_edits(word, size, name);
        if (edits < least) {
            least = edits;
            nearest = name;
            found_mxu = is_mxu;
        }
    }
    if (least)
        return sam_fail(error, SAM_ERR_USAGE, "unknown parameter '%.*s'; the nearest is %s",
                        (int)size, word, nearest);
    return found_mxu ? sam_mxu_config_set(mxu, word, error)
                     : sam_engines_parse(word, engines, error);
}

enum sam_status sam_hart_configure(const char *text, struct sam_engines_config *engines,
                                   struct sam_mxu_config *mxu, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    while (status == SAM_OK && *text) {
        char word[96];
        const size_t size = strcspn(text, ",");
        if (size >= sizeof word)
            return sam_fail(error, SAM_ERR_USAGE, "unknown parameter '%.90s...'", text);
        snprintf(word, sizeof word, "%.*s", (int)size, text);
        status = set_one(word, strcspn(word, "="), engines, mxu, error);
        text += size + (text[size] == ',');
    }
    return status;
}

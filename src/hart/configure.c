/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the cycle models by name, whichever model they belong to. */
#include "hart/core.h"

enum sam_status sam_hart_configure(const char *text, struct sam_engines_config *engines,
                                   struct sam_mxu_config *mxu, struct sam_error *error)
{
    if (SAM_LACKS(error, text, engines, mxu))
        return SAM_ERR_USAGE;
    const struct sam_keys keys[] = {sam_engines_keys(engines), sam_mxu_keys(mxu)};
    return sam_keys_set(keys, SAM_COUNT(keys), text, error);
}

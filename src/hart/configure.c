/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a hart from text: accumulating registers, and parameters of the cycle models by
 * name. */
#include "energy/energy.h"
#include "hart/core.h"

enum sam_status sam_hart_configure(const char *text, struct sam_engines_config *engines,
                                   struct sam_mxu_config *mxu, struct sam_error *error)
{
    if (SAM_LACKS(error, text, engines, mxu))
        return SAM_ERR_USAGE;
    const struct sam_keys keys[] = {sam_engines_keys(engines), sam_mxu_keys(mxu),
                                    sam_energy_keys(&engines->energy, false)};
    return sam_keys_set(keys, SAM_COUNT(keys), text, error);
}

/* "0:4" */
static bool parse_set(const char *text, uint32_t *set)
{
    *set = 0;
    for (;; text += 2) {
        if (*text < '0' || *text - '0' >= (int)SAM_MATRIX_COUNT)
            return false;
        *set |= 1u << (*text - '0');
        if (text[1] != ':')
            return text[1] == '\0';
    }
}

enum sam_status sam_hart_parse_acc_regs(const char *text, uint32_t *set, struct sam_error *error)
{
    uint32_t value = (1u << SAM_MATRIX_COUNT) - 1;
    if (SAM_LACKS(error, text, set))
        return SAM_ERR_USAGE;
    if (strcmp(text, "all") != 0 && !parse_set(text, &value))
        return sam_fail(error, SAM_ERR_USAGE,
                        "acc_regs '%s': expected all, or registers from 0 to 7 such as 0:4", text);
    *set = value;
    return SAM_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ISA strings. RISC-V unprivileged manual, "ISA extension naming conventions". */
#include "isa/isa.h"

#include <stdio.h>
#include <strings.h>

static const struct {
    const char *name; /* single letters, then Z and X names in canonical order */
    unsigned extension;
} names[] = {
    {"i", SAM_EXT_I},
    {"m", SAM_EXT_M},
    {"a", SAM_EXT_A},
    {"zicsr", SAM_EXT_ZICSR},
    {"zfinx", SAM_EXT_ZFINX},
    {"zve32f", SAM_EXT_ZVE32F},
    {"xventus", SAM_EXT_XVENTUS},
    {"xtensorload", SAM_EXT_XTENSORLOAD},
    {"xmatrix", SAM_EXT_XMATRIX},
};

static unsigned extension_of(const char *name, size_t size)
{
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        if (strlen(names[i].name) == size && strncasecmp(names[i].name, name, size) == 0)
            return names[i].extension;
    return 0;
}

enum sam_status sam_isa_parse(const char *text, struct sam_isa *isa, struct sam_error *error)
{
    const char *whole = text;
    if (strcasecmp(text, "ventus") == 0)
        text = "rv32ima_zicsr_zfinx_zve32f_xventus";
    else if (strcasecmp(text, "tensor") == 0)
        text = "rv64im_zicsr_zfinx_xtensorload_xmatrix";
    struct sam_isa out = {0};
    if (strncasecmp(text, "rv32", 4) == 0)
        out.xlen = 32;
    else if (strncasecmp(text, "rv64", 4) == 0)
        out.xlen = 64;
    else
        return sam_fail(error, SAM_ERR_USAGE,
                        "ISA string '%s': expected rv32..., rv64..., 'ventus' or 'tensor'", whole);
    text += 4;
    if ((*text | 0x20) != 'i')
        return sam_fail(error, SAM_ERR_USAGE, "ISA string '%s': expected 'i' after rv%u", whole,
                        out.xlen);
    while (*text) {
        size_t size = 1;
        bool single = strchr("imaIMA", *text) != NULL;
        if (*text == '_') {
            text++;
            continue;
        }
        if (!single)
            size = strcspn(text, "_");
        unsigned extension = extension_of(text, size);
        if (!extension && size == 8 && strncasecmp(text, "zifencei", 8) == 0)
            extension = SAM_EXT_I; /* fetches always see earlier stores */
        if (!extension)
            return sam_fail(error, SAM_ERR_USAGE,
                            "ISA string '%s': unknown extension '%.*s' (known: i m a zicsr "
                            "zifencei zfinx zve32f xventus xtensorload xmatrix)",
                            whole, (int)size, text);
        out.extensions |= extension;
        text += size;
    }
    if (out.extensions &
        (SAM_EXT_ZFINX | SAM_EXT_ZVE32F | SAM_EXT_XVENTUS | SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX))
        out.extensions |= SAM_EXT_ZICSR; /* all of them bring CSRs */
    if (out.extensions & SAM_EXT_XVENTUS) {
        out.extensions |= SAM_EXT_ZVE32F; /* lanes are its point */
        if (out.extensions & SAM_EXT_XTENSORLOAD)
            return sam_fail(error, SAM_ERR_USAGE,
                            "ISA string '%s': xventus and xtensorload both use CUSTOM-2 (0x5b); "
                            "one hart cannot have both",
                            whole);
        if (out.extensions & SAM_EXT_XMATRIX)
            return sam_fail(error, SAM_ERR_USAGE,
                            "ISA string '%s': xventus and xmatrix both use CUSTOM-1 (0x2b); one "
                            "hart cannot have both",
                            whole);
        if (out.xlen != 32)
            return sam_fail(error, SAM_ERR_USAGE, "ISA string '%s': xventus needs rv32", whole);
    }
    *isa = out;
    return SAM_OK;
}

void sam_isa_format(const struct sam_isa *isa, char *text, size_t size)
{
    struct sam_buffer out = {0};
    sam_buffer_printf(&out, "rv%u", isa->xlen);
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        if (isa->extensions & names[i].extension)
            sam_buffer_printf(&out, "%s%s", names[i].name[1] ? "_" : "", names[i].name);
    if (size)
        snprintf(text, size, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ISA strings. RISC-V unprivileged manual, "ISA extension naming conventions". */
#include "isa/isa.h"

#include <stdio.h>

#include "base/ascii.h"

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

/* Aliases of other extensions, and extensions that are always present. */
static const struct {
    const char *name;
    unsigned extension;
} synonyms[] = {
    {"g", SAM_EXT_I | SAM_EXT_M | SAM_EXT_A | SAM_EXT_ZICSR}, /* and F and D: see absent() */
    {"zifencei", SAM_EXT_I}, /* fetches always see earlier stores */
    {"zicntr", SAM_EXT_ZICSR},
};

static bool is_name(const char *name, const char *text, size_t size)
{
    return strlen(name) == size && sam_same_start(name, text, size);
}

static unsigned extension_of(const char *text, size_t size)
{
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        if (is_name(names[i].name, text, size))
            return names[i].extension;
    for (size_t i = 0; i < SAM_COUNT(synonyms); i++)
        if (is_name(synonyms[i].name, text, size))
            return synonyms[i].extension;
    return 0;
}

/* Standard extensions that no machine implements, in the order of messages. */
static const char absent_letters[] = "fdcvbhe";

/* The absent extensions that the letter implies, as a set. */
static unsigned absent(char letter)
{
    const char *at = letter ? strchr(absent_letters, letter | 0x20) : NULL;
    return (letter | 0x20) == 'g' ? 3u : at ? 1u << (at - absent_letters) : 0;
}

static enum sam_status fail_absent(const char *whole, unsigned letters, struct sam_error *error)
{
    char list[32] = "";
    size_t used = 0;
    for (unsigned i = 0; absent_letters[i]; i++)
        if (letters >> i & 1)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%c", used ? ", " : "",
                                     absent_letters[i]);
    return sam_fail(error, SAM_ERR_USAGE, "ISA string '%s': no machine has %s%s%s", whole, list,
                    letters & 3 ? "; floating point is in integer registers (zfinx)" : "",
                    letters & 4 ? "; compile without C, the compressed instructions" : "");
}

/* "2p1": the version after a name, which is ignored. */
static size_t version_size(const char *text)
{
    static const char digits[] = "0123456789";
    const size_t major = strspn(text, digits);
    if (!major || (text[major] | 0x20) != 'p')
        return major;
    const size_t minor = strspn(text + major + 1, digits);
    return minor ? major + 1 + minor : major;
}

/* Length of the name at the start of `word`, which ends at _: one letter, or for Z, S and X
 * everything up to a trailing version. */
static size_t name_size(const char *word, size_t size)
{
    if (!strchr("zsxZSX", *word))
        return 1;
    for (size_t i = 1; i < size; i++)
        if (version_size(word + i) == size - i)
            return i;
    return size;
}

enum sam_status sam_isa_parse(const char *text, struct sam_isa *isa, struct sam_error *error)
{
    if (SAM_LACKS(error, text, isa))
        return SAM_ERR_USAGE;
    const char *whole = text;
    if (sam_same_name(text, "ventus"))
        text = "rv32ima_zicsr_zfinx_zve32f_xventus";
    else if (sam_same_name(text, "tensor"))
        text = "rv64im_zicsr_zfinx_xtensorload_xmatrix";
    struct sam_isa out = {0};
    unsigned missing = 0;
    if (sam_same_start(text, "rv32", 4))
        out.xlen = 32;
    else if (sam_same_start(text, "rv64", 4))
        out.xlen = 64;
    else
        return sam_fail(error, SAM_ERR_USAGE,
                        "ISA string '%s': expected rv32..., rv64..., 'ventus' or 'tensor'", whole);
    text += 4;
    if (!*text || !strchr("ieg", *text | 0x20))
        return sam_fail(error, SAM_ERR_USAGE, "ISA string '%s': expected 'i' or 'g' after rv%u",
                        whole, out.xlen);
    while (*text) {
        const size_t word = strcspn(text, "_"), size = word ? name_size(text, word) : 0;
        const unsigned extension = extension_of(text, size);
        const unsigned lacks = size == 1 ? absent(*text) : 0;
        if (size && !extension && !lacks)
            return sam_fail(error, SAM_ERR_USAGE,
                            "ISA string '%s': unknown extension '%.*s' (known: i m a zicsr "
                            "zifencei zicntr zfinx zve32f xventus xtensorload xmatrix)",
                            whole, (int)(size > 1 ? size : word), text);
        missing |= lacks;
        out.extensions |= extension;
        text += size;
        text += size ? version_size(text) : 1; /* 1: the _ */
    }
    if (missing)
        return fail_absent(whole, missing, error);
    if (out.extensions &
        (SAM_EXT_ZFINX | SAM_EXT_ZVE32F | SAM_EXT_XVENTUS | SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX))
        out.extensions |= SAM_EXT_ZICSR; /* all of them need CSRs */
    if (out.extensions & SAM_EXT_XVENTUS) {
        out.extensions |= SAM_EXT_ZVE32F; /* it works on lanes */
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

struct sam_isa sam_isa_with(const struct sam_isa *isa, uint32_t on)
{
    return (struct sam_isa){isa->xlen, isa->extensions | (on & 0xffff)};
}

void sam_isa_format_missing(const struct sam_isa *isa, uint32_t on, char *text, size_t size)
{
    char whole[128];
    const struct sam_isa missing = {
        .xlen = on & SAM_ON_RV64   ? 64
                : on & SAM_ON_RV32 ? 32
                                   : isa->xlen,
        .extensions = on & 0xffff & ~isa->extensions,
    };
    sam_isa_format(&missing, whole, sizeof whole);
    const bool only_extensions = missing.xlen == isa->xlen && whole[4];
    snprintf(text, size, "%s", only_extensions ? whole + 4 + (whole[4] == '_') : whole);
}

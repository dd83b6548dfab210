/* SPDX-License-Identifier: Apache-2.0 */
/* samite cc --as-ventus-clang: the command lines by which pocl's Ventus device calls the clang of
 * llvm-ventus, in the options of samite cc. */
#include <string.h>

#include "cc_as_clang.h"

/* Options of clang by their beginnings. */
enum handling {
    KEEP, /* samite cc has the same one */
    DROP, /* the target, the linker, warnings, permissions that are not needed */
    MACRO /* KEEP, but for the macros that clang defines by itself */
};

static const struct row {
    const char *begins;
    enum handling handling;
    bool value; /* in the next word, if this one ends here */
} rows[] = {
    {"-cl-std=", KEEP, false}, {"-cl-", DROP, false},
    {"-D", MACRO, true},       {"-I", KEEP, true},
    {"-o", KEEP, true},        {"-g", KEEP, false},
    {"-w", KEEP, false},       {"-S", KEEP, false},
    {"-c", DROP, false},       {"-O", DROP, false},
    {"-target", DROP, true},   {"--target=", DROP, false},
    {"-m", DROP, false},       {"-x", DROP, true},
    {"-Wl,", DROP, false},     {"-W", DROP, false},
    {"-L", DROP, true},        {"-l", DROP, true},
    {"-T", DROP, true},        {"-f", DROP, false},
    {"-nostd", DROP, false},   {"-nodefaultlibs", DROP, false},
    {"-Xclang", DROP, true},   {"-Xlinker", DROP, true},
};

static const struct row *find(const char *word)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(word, rows[i].begins, strlen(rows[i].begins)) == 0)
            return &rows[i];
    return NULL;
}

static bool is_predefined(const char *macro)
{
    return strncmp(macro, "__OPENCL_", 9) == 0 || strncmp(macro, "__opencl_c_", 11) == 0;
}

int cc_as_clang(struct cli_args *args)
{
    if (!args->count || strcmp(args->words[0], "--as-ventus-clang") != 0)
        return CLI_OK;
    char **words = cli_own(args, 2 * (size_t)args->count + 1, sizeof *words);
    int count = 0;
    if (!words)
        return cli_no_memory();
    for (int i = 1; i < args->count; i++) {
        char *word = args->words[i];
        const struct row *row = word[0] == '-' && word[1] ? find(word) : NULL;
        if (word[0] == '-' && word[1] && !row)
            return cli_usage_error(args, "--as-ventus-clang: unknown option '%s' of clang", word);
        const size_t size = row ? strlen(row->begins) : 0;
        const bool more = row && row->value && !word[size];
        if (more && i + 1 == args->count)
            return cli_usage_error(args, "--as-ventus-clang: %s needs a value", word);
        const char *value = more ? args->words[i + 1] : word + size;
        const bool drop =
            row && (row->handling == DROP || (row->handling == MACRO && is_predefined(value)));
        if (!drop) {
            words[count++] = word;
            if (more)
                words[count++] = args->words[i + 1];
        }
        i += more;
    }
    args->words = words;
    args->count = count;
    return CLI_OK;
}

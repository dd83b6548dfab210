/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options, as both machines read them. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

int run_append(struct run_list *list, const char *word)
{
    const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        return cli_no_memory();
    list->items = items;
    items[list->count++] = word;
    return CLI_OK;
}

int run_parse_number(const struct cli_args *args, const char *option, const char *text,
                     uint64_t top, uint64_t *value)
{
    if (sam_parse_u64(text, value) && *value <= top)
        return CLI_OK;
    return cli_usage_error(args, "--%s: '%s' is not a number from 0 to 0x%llx", option, text,
                           (unsigned long long)top);
}

int run_parse_stats(const struct cli_args *args, const char *value, enum run_stats *stats)
{
    *stats = value ? RUN_STATS_JSON : RUN_STATS_TEXT;
    if (value && strcmp(value, "json") != 0)
        return cli_usage_error(args, "--stats=%s: expected --stats or --stats=json", value);
    return CLI_OK;
}

const char *run_leading_number(const char *text, char end, uint64_t top, uint64_t *value)
{
    char part[32];
    const char *at = strchr(text, end);
    if (!at || at - text >= (ptrdiff_t)sizeof part)
        return NULL;
    snprintf(part, sizeof part, "%.*s", (int)(at - text), text);
    return sam_parse_u64(part, value) && *value <= top ? at + 1 : NULL;
}

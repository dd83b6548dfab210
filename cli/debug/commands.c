/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and its uses: look-up, help, completion. */
#include <ctype.h>
#include <stdlib.h>

#include "debugger.h"

#define REPEATS true

const struct debug_command debug_commands[] = {
#define HEADING(text)                            {.names = text},
#define COMMAND(words, form, summary, more, ...) ALSO(words, form, summary, more, __VA_ARGS__, 0)
#define ALSO(words, form, summary, more, function, completion, again, which)                       \
    {(words), (form), summary "\n" more, command_##function, (which), COMPLETE_##completion, again},
#include "commands.def"
#undef HEADING
#undef COMMAND
#undef ALSO
    {0},
};

#define info_stack command_stack
const struct debug_command debug_infos[] = {
#define INFO(words, form, summary, function) ALSO(words, form, summary, function, 0)
#define ALSO(words, form, summary, function, which)                                                \
    {(words), (form), summary "\n", info_##function, (which), COMPLETE_NONE, false},
#include "infos.def"
#undef INFO
#undef ALSO
    {0},
};

enum sam_status debug_run_row(struct debug *d, const struct debug_command *row, const char *rest,
                              struct sam_error *error)
{
    if (!row)
        return SAM_ERR_USAGE;
    d->how = row->how;
    return row->run(d, rest, error);
}

const char *debug_split(const char *line, char *word, size_t size)
{
    size_t length = 0;
    while (isalnum((unsigned char)line[length]) || line[length] == '-' || line[length] == '_')
        length++;
    if (!length && *line)
        length = 1;
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), line);
    return line + length + strspn(line + length, " \t");
}

static const char *first_name(const struct debug_command *row, char *name, size_t size)
{
    const char *names = row->names;
    cli_word(&names, name, size);
    return name;
}

enum match { DIFFERS, BEGINS, SAME };

/* The word against all names of the row. */
static enum match match(const struct debug_command *row, const char *word)
{
    enum match best = DIFFERS;
    char name[32];
    for (const char *names = row->names; row->run && cli_word(&names, name, sizeof name);)
        if (best != SAME && strncmp(name, word, strlen(word)) == 0)
            best = name[strlen(word)] ? BEGINS : SAME;
    return best;
}

const struct debug_command *debug_find(const struct debug_command *rows, const char *kind,
                                       const char *word, struct sam_error *error)
{
    const struct debug_command *found = NULL;
    struct cli_near near = {.wanted = word};
    char name[32], matches[256] = "";
    size_t used = 0;
    unsigned count = 0;
    for (const struct debug_command *row = rows; row->names; row++) {
        const enum match how = match(row, word);
        if (how == SAME)
            return row;
        if (row->run)
            cli_near_offer(&near, first_name(row, name, sizeof name));
        if (how != BEGINS)
            continue;
        found = row;
        if (used < sizeof matches)
            used += (size_t)snprintf(matches + used, sizeof matches - used, "%s%s",
                                     count++ ? ", " : "", first_name(row, name, sizeof name));
    }
    if (count == 1)
        return found;
    if (count)
        cli_refuse(error, "ambiguous %s '%s': expected one of %s", kind, word, matches);
    else
        cli_refuse(error, "unknown %s '%.60s'%s (%s)", kind, word, cli_near_text(&near),
                   rows == debug_infos ? "help info" : "help");
    return NULL;
}

/* ------------------------------------------------------------------------------------- help */

static void list_rows(struct debug *d, const struct debug_command *rows, const char *prefix)
{
    char name[32], form[96];
    for (const struct debug_command *row = rows; row->names; row++) {
        if (!row->run) {
            debug_say(d, "%s%s\n", row == rows ? "" : "\n", row->names);
            continue;
        }
        snprintf(form, sizeof form, "%s%s", prefix, first_name(row, name, sizeof name));
        debug_say(d, "  %-16s %.*s\n", form, (int)strcspn(row->help, "\n"), row->help);
    }
}

static void describe(struct debug *d, const struct debug_command *row, const char *prefix)
{
    char name[32];
    const char *names = row->names, *more = strchr(row->help, '\n') + 1;
    cli_word(&names, name, sizeof name);
    debug_say(d, "%s%s%s%s\n", prefix, name, *row->grammar ? " " : "", row->grammar);
    debug_say(d, "  %.*s\n", (int)strcspn(row->help, "\n"), row->help);
    while (*more) {
        const size_t size = strcspn(more, "\n");
        debug_say(d, "  %.*s\n", (int)size, more);
        more += size + (more[size] == '\n');
    }
    for (bool first = true; cli_word(&names, name, sizeof name); first = false)
        debug_say(d, "%s%s", first ? "  also: " : ", ", name);
    if (strchr(row->names, ' '))
        debug_say(d, "\n");
}

enum sam_status command_help(struct debug *d, const char *rest, struct sam_error *error)
{
    char word[64];
    if (!cli_word(&rest, word, sizeof word)) {
        list_rows(d, debug_commands, "");
        debug_say(d, "\nA command may be shortened as long as it is the only one that begins so.\n"
                     "help COMMAND describes one.\n");
        return SAM_OK;
    }
    const struct debug_command *row = debug_find(debug_commands, "command", word, error);
    if (!row)
        return SAM_ERR_USAGE;
    if (row->run == command_info && cli_word(&rest, word, sizeof word)) {
        row = debug_find(debug_infos, "info", word, error);
        if (!row)
            return SAM_ERR_USAGE;
        describe(d, row, "info ");
    } else {
        describe(d, row, "");
        if (row->run == command_info)
            list_rows(d, debug_infos, "info ");
    }
    return debug_no_more(rest, error);
}

enum sam_status command_info(struct debug *d, const char *rest, struct sam_error *error)
{
    char word[64];
    if (!cli_word(&rest, word, sizeof word))
        return cli_refuse(error, "info: expected what to show (help info)");
    return debug_run_row(d, debug_find(debug_infos, "info", word, error), rest, error);
}

/* ------------------------------------------------------------------------------- completion */

/* Candidate `*index` among the first names of the rows; decrements it. */
static const char *complete_row(const struct debug_command *rows, const char *word, size_t *index,
                                char *text, size_t size)
{
    for (const struct debug_command *row = rows; row->names; row++)
        if (row->run && strncmp(first_name(row, text, size), word, strlen(word)) == 0 &&
            (*index)-- == 0)
            return text;
    return NULL;
}

static const char *complete_symbol(const struct sam_image *image, const char *word, size_t *index,
                                   char *text, size_t size)
{
    for (size_t i = 0; image && i < image->symbol_count; i++)
        if (strncmp(image->symbols[i].name, word, strlen(word)) == 0 && (*index)-- == 0) {
            snprintf(text, size, "%s", image->symbols[i].name);
            return text;
        }
    return NULL;
}

const char *debug_complete(struct debug *d, const char *line, size_t index, char *text, size_t size)
{
    char command[64];
    const char *word = line + strlen(line);
    while (word > line && !strchr(" \t*&(+-", word[-1]))
        word--;
    debug_split(line + strspn(line, " \t"), command, sizeof command);
    if (word == line + strspn(line, " \t"))
        return complete_row(debug_commands, word, &index, text, size);
    const struct debug_command *row = debug_find(debug_commands, "command", command, NULL);
    switch (row ? row->completes : COMPLETE_NONE) {
    case COMPLETE_NONE: break;
    case COMPLETE_SYMBOL: return complete_symbol(d->image, word, &index, text, size);
    case COMPLETE_COMMAND: return complete_row(debug_commands, word, &index, text, size);
    case COMPLETE_INFO: return complete_row(debug_infos, word, &index, text, size);
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------- others */

enum sam_status command_source(struct debug *d, const char *rest, struct sam_error *error)
{
    char path[1024];
    if (!cli_word(&rest, path, sizeof path))
        return cli_refuse(error, "source: expected a file");
    return debug_no_more(rest, error) ?: input_push_file(d->input, path, error);
}

enum sam_status command_echo(struct debug *d, const char *rest, struct sam_error *error)
{
    (void)error;
    for (; *rest; rest++) {
        if (rest[0] == '\\' && rest[1] == 'n') {
            debug_say(d, "\n");
            rest++;
        } else {
            debug_say(d, "%c", *rest);
        }
    }
    return SAM_OK;
}

enum sam_status command_quit(struct debug *d, const char *rest, struct sam_error *error)
{
    const enum sam_status status = debug_no_more(rest, error);
    d->quits = status == SAM_OK;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "debugger.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILES = 16, MAX_SCRIPT = 16 << 20 };

static const char prompt[] = "(samite) ";

struct file {
    char *path;
    char *text;
    char *at;
    unsigned line; /* the last one returned */
};

struct input {
    const struct debug_options *options;
    size_t script; /* the next of the command line */
    struct file files[FILES];
    size_t depth;
    bool prompts;
    struct editor *editor; /* NULL: not needed, or not available */
    char *line;
    size_t room;
};

struct input *input_new(struct debug *d)
{
    const struct debug_options *options = d->options;
    struct input *in = calloc(1, sizeof *in);
    if (!in)
        return NULL;
    in->options = options;
    in->prompts = !options->batch && !options->sealed && isatty(STDIN_FILENO);
    if (in->prompts) {
        cli_answer_interrupts();
        if (isatty(STDOUT_FILENO))
            in->editor = editor_new(prompt, d);
    }
    return in;
}

void input_drop_file(struct input *in)
{
    if (!in->depth)
        return;
    struct file *file = &in->files[--in->depth];
    free(file->path);
    free(file->text);
}

void input_free(struct input *in)
{
    if (!in)
        return;
    while (in->depth)
        input_drop_file(in);
    editor_free(in->editor);
    free(in->line);
    free(in);
}

bool input_prompts(const struct input *in)
{
    return in->prompts;
}

enum sam_status input_push_file(struct input *in, const char *path, struct sam_error *error)
{
    size_t size;
    char *text;
    if (in->options->sealed)
        return cli_refuse(error, "source: files are not read here");
    if (in->depth == FILES)
        return cli_refuse(error, "source: files nested more than %d deep", FILES);
    const enum sam_status status = sam_file_load(path, MAX_SCRIPT, &text, &size, error);
    if (status != SAM_OK)
        return status;
    const char *nul = memchr(text, '\0', size);
    if (nul) { /* it would hide the rest of its line */
        unsigned line = 1;
        for (const char *c = text; c < nul; c++)
            line += *c == '\n';
        free(text);
        return cli_refuse(error, "%.250s:%u: unexpected byte 0x00: expected text", path, line);
    }
    struct file *file = &in->files[in->depth];
    *file = (struct file){.path = strdup(path), .text = text, .at = text};
    if (!file->path) {
        free(text);
        return cli_refuse_memory(error);
    }
    in->depth++;
    return SAM_OK;
}

static char *trimmed(char *line)
{
    line += strspn(line, " \t");
    for (size_t size = strlen(line); size && strchr(" \t\r\n", line[size - 1]); size--)
        line[size - 1] = '\0';
    return line;
}

/* The next line of the innermost file; at its end it is dropped. */
static char *file_line(struct input *in, struct input_line *line)
{
    struct file *file = &in->files[in->depth - 1];
    char *text = file->at;
    if (!*text) {
        input_drop_file(in);
        return NULL;
    }
    char *end = strchr(text, '\n');
    file->at = end ? end + 1 : text + strlen(text);
    if (end)
        *end = '\0';
    file->line++;
    snprintf(line->place, sizeof line->place, "%.250s:%u: ", file->path, file->line);
    return text;
}

static bool keep(struct input *in, const char *line)
{
    const size_t size = strlen(line) + 1;
    if (size > in->room) {
        char *grown = realloc(in->line, size);
        if (!grown)
            return false;
        in->line = grown;
        in->room = size;
    }
    memcpy(in->line, line, size);
    return true;
}

/* A line of standard input. */
static enum input_result plain_line(struct input *in, FILE *out, bool prompts)
{
    if (prompts) {
        fputs(prompt, out);
        fflush(out);
    }
    errno = 0;
    const ssize_t size = getline(&in->line, &in->room, stdin);
    if (size >= 0 && !memchr(in->line, '\0', (size_t)size))
        return INPUT_LINE;
    if (size >= 0) {
        struct sam_error error;
        cli_refuse(&error, "standard input: unexpected byte 0x00: expected text");
        cli_report(&error);
        return INPUT_BAD;
    }
    const bool interrupted = ferror(stdin) && errno == EINTR;
    clearerr(stdin);
    return interrupted ? INPUT_INTERRUPTED : INPUT_END;
}

enum input_result input_next(struct input *in, FILE *out, struct input_line *line)
{
    const struct debug_options *o = in->options;
    *line = (struct input_line){0};
    for (;;) {
        enum input_result result = INPUT_LINE;
        char *text;
        struct sam_error error;
        if (in->depth) {
            if (!(text = file_line(in, line)))
                continue;
            result = keep(in, text) ? INPUT_LINE : INPUT_END;
        } else if (in->script < o->scripts.count) {
            const struct debug_script *script = &o->scripts.items[in->script++];
            if (script->is_file) {
                if (input_push_file(in, script->text, &error) == SAM_OK)
                    continue;
                cli_report(&error);
                in->script = o->scripts.count;
                return INPUT_BAD;
            }
            result = keep(in, script->text) ? INPUT_LINE : INPUT_END;
        } else if (o->batch || o->sealed) {
            return INPUT_END;
        } else {
            line->typed = in->prompts;
            result = in->editor ? editor_line(in->editor, &in->line, &in->room)
                                : plain_line(in, out, line->typed);
        }
        if (result != INPUT_LINE)
            return result;
        line->text = trimmed(in->line);
        if (o->echo && !line->typed)
            fprintf(out, "%s%s\n", prompt, line->text);
        return INPUT_LINE;
    }
}

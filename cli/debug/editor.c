/* SPDX-License-Identifier: Apache-2.0 */
#include "debugger.h"

#ifdef SAMITE_HAVE_LIBEDIT

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY = 1000, CANDIDATES = 1000, COLUMNS = 4 };

struct editor {
    EditLine *edit;
    History *history;
    const char *prompt;
    struct debug *debug; /* whose commands are completed */
};

static struct editor *editor_of(EditLine *edit)
{
    void *data = NULL;
    el_get(edit, EL_CLIENTDATA, &data);
    return data;
}

static char *prompt_of(EditLine *edit)
{
    return (char *)(uintptr_t)editor_of(edit)->prompt;
}

/* libedit's own reader starts over after a signal. */
static int read_character(EditLine *edit, wchar_t *character)
{
    mbstate_t state = {0};
    (void)edit;
    for (;;) {
        char byte;
        const ssize_t got = cli_stopped() ? (errno = EINTR, -1) : read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR && !cli_stopped())
            continue; /* a change of the window size, or the like */
        if (got <= 0)
            return (int)got;
        const size_t used = mbrtowc(character, &byte, 1, &state);
        if (used == (size_t)-1) { /* invalid in this encoding */
            *character = L'?';
            return 1;
        }
        if (used != (size_t)-2)
            return 1;
    }
}

/* The number of characters that all candidates share after the first `size`. */
static size_t shared(char (*words)[128], size_t count, size_t size)
{
    size_t length = strlen(words[0]);
    for (size_t i = 1; i < count; i++)
        for (size_t k = size; k < length; k++)
            if (words[i][k] != words[0][k])
                length = k;
    return length;
}

static void show(char (*words)[128], size_t count)
{
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        sam_text_make_plain(words[i]);
        printf("%-20s%s", words[i], i % COLUMNS == COLUMNS - 1 || i + 1 == count ? "\n" : " ");
    }
    fflush(stdout);
}

static unsigned char complete(EditLine *edit, int key)
{
    struct editor *e = editor_of(edit);
    const LineInfo *info = el_line(edit);
    const size_t size = (size_t)(info->cursor - info->buffer);
    char line[1024], one[128], rest[160];
    (void)key;
    if (size >= sizeof line)
        return CC_ERROR;
    memcpy(line, info->buffer, size);
    line[size] = '\0';
    char(*words)[128] = calloc(CANDIDATES, sizeof *words);
    size_t count = 0, word = size;
    while (word && !strchr(" \t*&(+-", line[word - 1]))
        word--;
    while (words && count < CANDIDATES && debug_complete(e->debug, line, count, one, sizeof one))
        memcpy(words[count++], one, sizeof one);
    unsigned char result = CC_ERROR;
    if (count) {
        const size_t typed = size - word, common = shared(words, count, typed);
        snprintf(rest, sizeof rest, "%.*s%s", (int)(common - typed), words[0] + typed,
                 count == 1 ? " " : "");
        result = CC_REFRESH;
        if (*rest) {
            el_insertstr(edit, rest);
        } else {
            show(words, count);
            result = CC_REDISPLAY;
        }
    }
    free(words);
    return result;
}

struct editor *editor_new(const char *prompt, struct debug *d)
{
    HistEvent event;
    const char *terminal = getenv("TERM");
    if (!terminal || !*terminal || strcmp(terminal, "dumb") == 0)
        return NULL;
    struct editor *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    setlocale(LC_CTYPE, "");
    *e = (struct editor){.prompt = prompt, .debug = d};
    e->edit = el_init("samite", stdin, stdout, stderr);
    e->history = history_init();
    if (!e->edit || !e->history) {
        editor_free(e);
        return NULL;
    }
    history(e->history, &event, H_SETSIZE, HISTORY);
    history(e->history, &event, H_SETUNIQUE, 1);
    el_set(e->edit, EL_CLIENTDATA, e);
    el_set(e->edit, EL_PROMPT, prompt_of);
    el_set(e->edit, EL_EDITOR, "emacs");
    el_set(e->edit, EL_SETTY, "-d", "+noflsh", NULL); /* Ctrl-C discards no output */
    el_set(e->edit, EL_HIST, history, e->history);
    el_set(e->edit, EL_GETCFN, read_character);
    /* el_set leaks its copies of the two texts */
    el_wset(e->edit, EL_ADDFN, L"samite-complete", L"complete the word", complete);
    el_set(e->edit, EL_BIND, "^I", "samite-complete", NULL);
    el_set(e->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(e->edit, EL_BIND, "^W", "ed-delete-prev-word", NULL);
    return e;
}

void editor_free(struct editor *e)
{
    if (!e)
        return;
    if (e->edit)
        el_end(e->edit);
    if (e->history)
        history_end(e->history);
    free(e);
}

enum input_result editor_line(struct editor *e, char **line, size_t *room)
{
    HistEvent event;
    int size = 0;
    fflush(stdout);
    el_set(e->edit, EL_PREP_TERM, 1); /* before the prompt: otherwise an early Ctrl-D is lost */
    const char *text = el_gets(e->edit, &size);
    if (!text || size <= 0) {
        el_reset(e->edit);
        return cli_stopped() ? INPUT_INTERRUPTED : INPUT_END;
    }
    if ((size_t)size >= *room) {
        char *grown = realloc(*line, (size_t)size + 1);
        if (!grown)
            return INPUT_END;
        *line = grown;
        *room = (size_t)size + 1;
    }
    memcpy(*line, text, (size_t)size);
    (*line)[size] = '\0';
    if (text[strspn(text, " \t\n")])
        history(e->history, &event, H_ENTER, text);
    return INPUT_LINE;
}

#else

struct editor *editor_new(const char *prompt, struct debug *d)
{
    (void)prompt, (void)d;
    return NULL;
}

void editor_free(struct editor *editor)
{
    (void)editor;
}

enum input_result editor_line(struct editor *editor, char **line, size_t *room)
{
    (void)editor, (void)line, (void)room;
    return INPUT_END;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all verbs. A verb is one file, verb_<name>.c, with one `const struct cli_verb
 * verb_<name>` that main.c lists. Its options are rows of a table: a row has the spelling of an
 * option, its valid values and the member of the verb's request that receives them. The
 * command-line parser, --help, the man page and shell completion all use the rows. Includes only
 * public headers. */
#ifndef CLI_H
#define CLI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "samite/status.h"
#include "samite/text.h"
#include "samite/version.h"

/* Exit codes, and CLI_SHOWN: an option such as --help has been served, and the command is done. */
enum { CLI_SHOWN = -1, CLI_OK = 0, CLI_PROGRAM_FAILED = 1, CLI_BAD_INPUT = 2 };

struct cli_args;

/* ------------------------------------------------------------------------------ the rows */

/* The grammar of a value, and the type of its destination. */
enum cli_grammar {
    CLI_END,     /* none: the row ends its table */
    CLI_FLAG,    /* no value; a bool, set to true */
    CLI_TEXT,    /* any text; const char *, "-" if an optional value is omitted */
    CLI_NUMBER,  /* from `low` to `high`, or one of `choices`; an unsigned integer of any width */
    CLI_CHOICE,  /* one of `choices`; an enum or bool: its index */
    CLI_LIST,    /* any text, repeatable; struct cli_list */
    CLI_NUMBERS, /* as CLI_NUMBER, repeatable; struct cli_numbers */
    CLI_PARSE,   /* what `parse` reads */
};

/* Read `text` (NULL: no value) into `place`. Returns an exit code, with the message printed.
 * Options are read in the order written. */
struct cli_option;
typedef int cli_parse(struct cli_args *args, const struct cli_option *option, const char *text,
                      void *place);

struct cli_option {
    const char *name; /* long form without the dashes; of an operand: its name in messages */
    char letter;      /* short form, or 0 */
    enum cli_grammar grammar;
    const char *argument; /* "FILE"; "[X]": `--name=X` or no value. NULL: the choices, or none */
    const char *help;     /* wrapped when printed; line breaks are kept */
    size_t at, size;      /* the destination in the request (CLI_AT) */
    uint64_t low, high;   /* of a number (high 0: what fits); of an operand: how many */
    const char *choices;  /* "elf bin hex" */
    const char *(*names)(size_t index);  /* more words to complete; NULL after the last */
    const struct cli_settings *settings; /* its keys, for completion, too */
    const char *suffixes;                /* files: ".s .S", "" any, "/" folders; after words */
    unsigned forms;                      /* bits of the forms that have it; 0: those of its group */
    bool needed;                         /* by its forms */
    bool repeats;                        /* of CLI_PARSE: may be given more than once */
    bool dash; /* also with one dash, as in debuggers: -ex; longer than a letter */
    cli_parse *parse;
};

/* .at and .size of a member of the request. */
#define CLI_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* A row: its destination, name, grammar and argument, its help and then any other members. */
#define CLI_ROW(type, member, word, kind, value, ...)                                              \
    {                                                                                              \
        .name = (word), .grammar = (kind), .argument = (value), CLI_AT(type, member),              \
        .help = __VA_ARGS__                                                                        \
    }

/* A row whose `parse` receives the request, or the part of it that is its group's. */
#define CLI_PARSED(word, value, function, ...)                                                     \
    {                                                                                              \
        .name = (word), .grammar = CLI_PARSE, .argument = (value), .parse = (function),            \
        .help = __VA_ARGS__                                                                        \
    }

/* The operand of a verb, from `least` to `most` of them (0: any number): the suffixes of its files
 * and then any other members. */
#define CLI_OPERAND(type, member, word, kind, least, most, ...)                                    \
    {                                                                                              \
        .name = (word), .grammar = (kind), .low = (least), .high = (most), CLI_AT(type, member),   \
        .suffixes = __VA_ARGS__                                                                    \
    }

/* Options of several verbs: one name, one letter, one meaning. */
#define CLI_OUTPUT(type, member, text)                                                             \
    CLI_ROW(type, member, "output", CLI_TEXT, "FILE", (text), .letter = 'o', .suffixes = "")
#define CLI_JSON(type, member, text) CLI_ROW(type, member, "json", CLI_FLAG, NULL, (text))
#define CLI_QUIET(type, member, text)                                                              \
    CLI_ROW(type, member, "quiet", CLI_FLAG, NULL, (text), .letter = 'q')
#define CLI_FORCE(type, member)                                                                    \
    CLI_ROW(type, member, "force", CLI_FLAG, NULL, "overwrite files that exist", .letter = 'f')
#define CLI_JOBS(type, member, text)                                                               \
    CLI_ROW(type, member, "jobs", CLI_NUMBER, "N", (text), .letter = 'j', .low = 1, .high = 256)
#define CLI_ISA(type, member, text)                                                                \
    CLI_ROW(type, member, "isa", CLI_TEXT, "STRING", (text), .letter = 'i', .names = cli_isa_name)
#define CLI_BASE(type, member, text)                                                               \
    CLI_ROW(type, member, "base", CLI_NUMBER, "ADDR", (text), .letter = 'b')
#define CLI_DEFINE(type, member)                                                                   \
    CLI_ROW(type, member, "define", CLI_LIST, "NAME=VALUE",                                        \
            "define a symbol, as .set before line 1, or a macro of OpenCL C; repeatable",          \
            .letter = 'D')
#define CLI_INCLUDE(type, member)                                                                  \
    CLI_ROW(type, member, "include", CLI_LIST, "DIR",                                              \
            "search included files there too; repeatable", .letter = 'I', .suffixes = "/")

#define CLI_STANDARD(type, member)                                                                 \
    CLI_ROW(type, member, "std", CLI_TEXT, "STANDARD",                                             \
            "the standard of OpenCL C: CL1.1, CL1.2 (default), CL2.0 or CL3.0")

/* Values of CLI_LIST. The arguments own the memory. */
struct cli_list {
    const char **items;
    size_t count;
};

/* Values of CLI_NUMBERS, likewise. */
struct cli_numbers {
    uint64_t *items;
    size_t count;
};

/* Rows under a heading; their destinations are offsets from `at` in the request. */
struct cli_group {
    const char *heading;              /* NULL: that of the previous rows */
    const struct cli_option *options; /* NULL ends the groups */
    size_t at;
    unsigned forms; /* 0: all */
};

/* One of several forms of a verb: `samite tile fmt`, `samite run --machine tensor`. */
struct cli_form {
    const char *name; /* NULL ends the forms */
    const char *summary;
    const char *usage, *details, *examples; /* as in the verb; NULL: those of the verb */
    const char *suffix; /* a file with this suffix implies the form; NULL: none */
};

struct cli_verb {
    const char *name;
    const char *summary;              /* one line, for `samite --help` */
    const char *usage;                /* after "samite VERB "; one line per form */
    const struct cli_option *options; /* ended by {0}; --help is added */
    const struct cli_group *groups;   /* more of them, or NULL */
    struct cli_option operand;        /* the files; CLI_END: none */
    const struct cli_form *forms;     /* or NULL */
    const char *form_option;          /* names the form; NULL: the first operand does */
    const char *form_word;            /* the kind of its forms: "operator" */
    const char *details;              /* paragraphs; lines that begin with two blanks are kept */
    const char *examples;             /* command lines */
    int (*run)(struct cli_args *args);
};

extern const struct cli_verb *const cli_verbs[]; /* NULL-terminated */

/* The words after the verb, and the parser's position. */
struct cli_args {
    const struct cli_verb *verb;
    char **words;
    int count;
    int at;
    bool only_files;     /* after "--" */
    int form;            /* named by the first operand */
    size_t operands;     /* read so far */
    bool *given;         /* by the row's index */
    const char **values; /* the first one given, likewise; NULL: none */
    void **owned;        /* memory that the verb need not free */
    size_t owned_count;
    struct cli_files *files;
};

/* Frees memory owned by the arguments. */
void cli_args_free(struct cli_args *args);

/* ------------------------------------------------------------------- options.c: reading */

/* Parse the command line into the request, whose members hold the defaults. Returns an exit
 * code, with the message printed. If an operand names the form, options of other forms are
 * rejected. */
int cli_read(struct cli_args *args, void *request);
/* Whether the option was on the command line; the first of the options "mlen vcd" that was, or
 * NULL. */
bool cli_given(const struct cli_args *args, const char *option);
const char *cli_given_of(const struct cli_args *args, const char *options);
/* The form implied before all words are read: by its option, or by a file's suffix; -1: none. */
int cli_asked_form(const struct cli_args *args);
/* Check that the given words belong to this form, and that its requirements are met; returns an
 * exit code. */
int cli_check_form(struct cli_args *args, int form);
/* Memory freed after the verb has run; NULL on out-of-memory. */
void *cli_own(struct cli_args *args, size_t count, size_t size);
/* A copy of the text, likewise. */
char *cli_own_text(struct cli_args *args, const char *text);
/* The same for one item per word of the command line. */
void *cli_own_list(struct cli_args *args, size_t size);
/* A zeroed item at the end of a list {items, count} that `parse` fills; NULL on out-of-memory. */
#define CLI_APPEND(args, list)                                                                     \
    ((list)->items || ((list)->items = cli_own_list((args), sizeof *(list)->items))                \
         ? &(list)->items[(list)->count++]                                                         \
         : NULL)
/* The next of the words at *at, which advances past it and the blanks after it; cut where it does
 * not fit. False at the end. */
bool cli_word(const char **at, char *word, size_t size);
/* The same for items between commas, which may be empty, as one that does not fit is; *at is NULL
 * after the last. */
bool cli_item(const char **at, char *item, size_t size);
/* The index of a word of `size` bytes in "elf bin hex"; -1: not found. */
int cli_choice(const char *choices, const char *word, size_t size);
/* "elf, bin or hex" */
const char *cli_choices_text(const char *choices, char *text, size_t room);
/* The names of these forms of the verb, a bit each, with this in between. */
const char *cli_form_names(const struct cli_verb *verb, unsigned forms, const char *between,
                           char *text, size_t room);
bool cli_ends_with(const char *text, const char *end);
/* Whether it ends with one of the suffixes ".s .elf". */
bool cli_ends_with_any(const char *text, const char *suffixes);
/* Parse the number before `end` in "NUMBER:..." or "NUMBER=..."; returns the rest, or NULL. */
const char *cli_leading_number(const char *text, char end, uint64_t top, uint64_t *value);
/* Parse two numbers, as in "32x256" where they are separated by 'x'. */
bool cli_pair(const char *text, char between, uint64_t *first, uint64_t *second);

/* Iterator over the rows of a verb, including those of its groups. Begin with {.verb = verb}. */
struct cli_cursor {
    const struct cli_verb *verb;
    const struct cli_option *option; /* the row */
    const struct cli_group *group;   /* its group, or NULL */
    size_t index;                    /* rows before it */
    size_t next_row, next_group;
};
bool cli_next_option(struct cli_cursor *cursor);
/* The same for rows that were on the command line. Begin with {0}. */
bool cli_next_given(const struct cli_args *args, struct cli_cursor *cursor);
/* Bits of the forms that have the row; 0: all. */
unsigned cli_option_forms(const struct cli_cursor *cursor);
/* Its value is optional. */
bool cli_value_is_optional(const struct cli_option *option);
/* It is repeatable. */
bool cli_repeats(const struct cli_option *option);
/* The placeholder of its value in help: "FILE", "elf|bin|hex"; NULL: none. */
const char *cli_argument(const struct cli_option *option, char *text, size_t room);

/* ------------------------------------------------------------------- message.c: messages */

/* "samite VERB: error: text" on stderr; returns CLI_BAD_INPUT. */
int cli_usage_error(const struct cli_args *args, const char *format, ...) SAM_PRINTF(2, 3);
/* "samite: error: text" on stderr; returns CLI_BAD_INPUT. */
int cli_error(const char *format, ...) SAM_PRINTF(1, 2);
/* "samite: note: text" on stderr. */
void cli_note(const char *format, ...) SAM_PRINTF(1, 2);
/* The word, quoted where a shell needs quotes; malloc'ed, NULL: out of memory. */
char *cli_quoted(const char *word);
/* A file name or symbol for output: without newlines and terminal control characters. cli_error,
 * cli_note and cli_report do this to their whole text. */
struct cli_plain {
    char text[1024];
};
struct cli_plain cli_plain(const char *text);
/* The text, malloc'ed; NULL: out of memory. */
char *cli_text(const char *format, ...) SAM_PRINTF(1, 2);
int cli_no_memory(void);
/* Print `error` on stderr; returns the exit code for its status. */
int cli_report(const struct sam_error *error);
/* The exit code of a call that has returned `status`; a failure is printed as by cli_report.
 * Steps that return exit codes are chained by ?:, a() ?: b() runs b if a has returned CLI_OK. */
int cli_code(enum sam_status status, const struct sam_error *error);
/* Fill an error, which may be NULL: "path: text" or the text alone; returns false. */
bool cli_fail(struct sam_error *error, enum sam_status status, const char *path, const char *format,
              ...) SAM_PRINTF(4, 5);
bool cli_fail_memory(struct sam_error *error); /* "out of memory" */
/* The same for functions that return a status: SAM_ERR_USAGE, SAM_ERR_MEMORY. */
enum sam_status cli_refuse(struct sam_error *error, const char *format, ...) SAM_PRINTF(2, 3);
enum sam_status cli_refuse_memory(struct sam_error *error);
/* The first failure of two steps, both of which run. */
int cli_first(int code, int other);
#ifdef __clang_analyzer__ /* the analyzer sees one file at a time */
#define cli_usage_error(...) (cli_usage_error(__VA_ARGS__), CLI_BAD_INPUT)
#define cli_error(...)       (cli_error(__VA_ARGS__), CLI_BAD_INPUT)
#define cli_no_memory()      (cli_no_memory(), CLI_BAD_INPUT)
#define cli_report(error)    (cli_report(error), CLI_BAD_INPUT)
#define cli_refuse(...)      (cli_refuse(__VA_ARGS__), SAM_ERR_USAGE)
#define cli_refuse_memory(e) (cli_refuse_memory(e), SAM_ERR_MEMORY)
#endif
/* Lines of the library ("file:1:2: error: ...", the source line, a caret) on stderr. NULL: none. */
void cli_put_messages(const char *messages);
/* The same at the end of a call, which are freed; the error only if there are none. */
int cli_end_messages(enum sam_status status, char **messages, const struct sam_error *error);
/* Print the text that a call has made, and free it; after a failure as cli_code. */
int cli_print_text(enum sam_status status, char **text, const struct sam_error *error, FILE *out);

/* --------------------------------------------------------------- message.c: did you mean */

struct cli_near {
    const char *wanted;
    unsigned edits; /* of the nearest so far */
    char name[200]; /* "": none is near */
    char text[240];
};
void cli_near_offer(struct cli_near *near, const char *candidate);
/* "; did you mean 'name'?", or "". */
const char *cli_near_text(struct cli_near *near);

/* ------------------------------------------------------------------------------- files.c: files */

/* The input and output files of one run of the command, so that no output overwrites an input or
 * another output. A verb registers all of them before it does anything. */

/* "-", standard input or output; NULL: false. */
static inline bool cli_is_stdio(const char *path)
{
    return path && strcmp(path, "-") == 0;
}
/* The name of an input in messages. */
static inline const char *cli_input_name(const char *path)
{
    return cli_is_stdio(path) ? "<stdin>" : path;
}

/* Register a file that is read, or written; "-", devices and pipes may occur repeatedly.
 * CLI_BAD_INPUT, with its message printed, if a written file also has another name. NULL: none. */
int cli_reads(const struct cli_args *args, const char *path);
/* The first `count` of a list. */
int cli_reads_all(const struct cli_args *args, const struct cli_list *paths, size_t count);
int cli_writes(const struct cli_args *args, const char *path);
/* The same for files that a source includes, in the form of sam_asm_options.reads: `context` is
 * a struct cli_included, whose code is the first error of cli_reads. */
struct cli_included {
    const struct cli_args *args;
    int code;
};
void cli_reads_included(void *context, const char *path);
/* An array that is read, changed and written, possibly to its origin. */
int cli_changes(const struct cli_args *args, const char *input, const char *output);

struct sam_output;
/* Whether a write to one of the outputs failed. Each may be NULL. */
bool cli_any_failed(struct sam_output *const outputs[], size_t count);
/* Drop an output, after all writes. CLI_BAD_INPUT, with the file and the reason printed, if a
 * write failed; `output` may be NULL. */
int cli_drop_output(struct sam_output *output);

/* Read a file of up to `most` bytes, to be freed; write one. Return exit codes. */
int cli_load(const char *path, uint64_t most, char **data, size_t *size);
int cli_save(const char *path, const void *data, size_t size);

/* "c" of "a/b/c", and of "c" */
const char *cli_base_name(const char *path);
/* Whether writing the first would destroy the second. For files in folders. */
bool cli_same_file(const char *output, const char *input);

/* Reject contents in a binary format known by its first bytes, where text was expected:
 * SAM_ERR_INPUT names the format, its use and the expected text. */
enum sam_status cli_expect_text(const char *name, const char *data, size_t size,
                                const char *expected, struct sam_error *error);

/* Part of the arguments; owned by main.c. */
struct cli_files;
struct cli_files *cli_files_new(void);
void cli_files_free(struct cli_files *files);

/* ------------------------------------------------------------------------------ stop.c: signals */

/* Ctrl-C and SIGTERM. By default they end the command at once, and incomplete output leaves no
 * file (samite/file.h). Runs that can report their progress catch them: the first signal asks
 * the run to stop and interrupts its waits, the second ends it at once. */

/* From here on the two signals set a flag, unless the command was started with them ignored.
 * Called before outputs are opened, since opening a pipe waits for its reader. */
void cli_catch_signals(void);
/* The flag, as the library's options take it. */
const volatile int *cli_stop_flag(void);
bool cli_stopped(void);
/* A prompt handles Ctrl-C: from here on it never ends the command. */
void cli_answer_interrupts(void);
/* Set the flag as Ctrl-C does, from another thread. */
void cli_interrupt(void);
/* Clear a Ctrl-C that has been handled. False: another signal is pending. */
bool cli_forget_interrupt(void);
/* At the very end, after clean-up and all messages: a shell continues its loop unless the
 * program dies by the signal itself. */
void cli_die_if_stopped(void);
/* Reports it; returns the exit code. */
int cli_report_stop(void);

/* ---------------------------------------------------- progress.c: a progress line on a terminal */

/* Seconds of a clock that only goes forward. */
double cli_now(void);

struct cli_progress {
    bool wanted;          /* standard error is a terminal, and --quiet was not given */
    double started, next; /* seconds; nothing is shown before `next` */
    atomic_bool shown;
};

void cli_progress_start(struct cli_progress *progress, bool quiet);
/* Unless the last one is recent: "what: 3 of 4096 units, 0 %, 12.3 M things/s, 1:02 left"; `count`
 * things since the start. With an unknown total, 0: "what: 3 units, 12.3 M things/s". */
void cli_progress_show(struct cli_progress *progress, const char *what, uint64_t done,
                       uint64_t total, const char *units, uint64_t count, const char *things);
/* Erase the line, before other output and at the end. May be called by another thread than the
 * others. */
void cli_progress_clear(struct cli_progress *progress);

/* Bytes of a file, piece by piece, on the same line. From 64 MiB on it appears at once, and at
 * the end. Begin with {.what = "pack", .total = size}; what: NULL shows nothing. */
struct cli_bytes {
    const char *what;
    uint64_t done, total;
    bool begun;
    struct cli_progress line;
};
void cli_bytes_add(struct cli_bytes *bytes, uint64_t more);
/* Erase the line; the next piece may print it again. */
void cli_bytes_end(struct cli_bytes *bytes);

/* --------------------------------------------- settings.c: --config KEY=N,... and --config FILE */

/* Takes settings, "KEY=N,...", as sam_gputime_config_set and its kin do. */
typedef enum sam_status cli_set(void *config, const char *settings, struct sam_error *error);

/* The parameters of a machine. */
struct cli_settings {
    cli_set *set;
    int (*list)(void); /* print them, for --config help; CLI_SHOWN */
    /* their tables, up to NULL; and one whose names have prefixes, or NULL */
    const struct sam_parameter *(*tables[5])(size_t index);
    const struct sam_parameter *(*prefixed)(size_t index, const char **prefix);
};
/* All of them in order; NULL after the last. */
const struct sam_parameter *cli_parameter(const struct cli_settings *settings, size_t index,
                                          const char **prefix);
/* Set in `config` what an option's value, or the file it names, which no output may then
 * overwrite, gives to `option->settings`. Returns an exit code, with the message printed. */
int cli_read_settings(struct cli_args *args, const struct cli_option *option, const char *word,
                      void *config);
/* Reject settings from the command line (file "") or of a file; CLI_BAD_INPUT. */
int cli_refuse_settings(const struct cli_args *args, const char *file,
                        const struct sam_error *error);

/* ----------------------------------------------- help.c, man.c, completion.c: generated */

/* --help of one verb, of one form or of all (-1). */
void cli_print_help(const struct cli_verb *verb, int form, FILE *out);
/* The index of a form, or -1. */
int cli_find_form(const struct cli_verb *verb, const char *name);
/* The man page of a verb, or of the command; the completion script ("bash", "zsh", "fish"). */
void cli_print_man(const struct cli_verb *verb, FILE *out);
void cli_print_man_overview(FILE *out);
bool cli_print_completion(const char *shell, FILE *out);
#define CLI_SHELLS "bash zsh fish"

/* Names for completion: instruction sets. */
const char *cli_isa_name(size_t index);

/* A line of a verb's details: prose is filled, a line that begins with two blanks is kept. */
enum cli_line_kind { CLI_LINE_EMPTY, CLI_LINE_PROSE, CLI_LINE_VERBATIM };

struct cli_help_line {
    enum cli_line_kind kind;
    const char *text;
    size_t size;
};

/* The line at *text, which advances past it. */
void cli_help_line(const char **text, struct cli_help_line *line);
/* "im2col, pad: " for a row of these forms only; "" if its heading says so or one form (not -1)
 * is shown. */
void cli_forms_prefix(const struct cli_cursor *cursor, int form, char *text, size_t room);

#endif

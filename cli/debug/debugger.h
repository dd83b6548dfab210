/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the debugger. A command is a row of commands.c; the rows' functions are
 * at the end of this header, by file. They return SAM_OK, or an error that the loop (debug.c)
 * prints. */
#ifndef DEBUGGER_H
#define DEBUGGER_H

#include "expr.h"
#include "run/run.h"

struct debug_script {
    bool is_file;
    const char *text; /* a command, or the name of a file of commands */
};

struct debug_options {
    struct {
        struct debug_script *items;
        size_t count;
    } scripts;
    bool batch;
    bool echo;      /* echo commands that do not come from a terminal */
    bool no_record; /* do not record: faster, but execution cannot go back */
    bool sealed;    /* only commands of `scripts`, and no files: for tests */
};

struct debug;

/* The options must outlive it. Returns NULL on out-of-memory. */
struct debug *debug_new(const struct debug_options *options);
void debug_free(struct debug *debug);
/* The drive of struct run_driver; the context is a struct debug. The user's settings are kept
 * from launch to launch. */
int debug_drive(void *context, struct run_session *session);

/* The warp and the lane that commands refer to. */
struct debug_focus {
    uint32_t workgroup, warp, lane;
};

enum debug_state {
    DEBUG_LIVE,
    DEBUG_TRAPPED, /* the program has failed at the current instruction */
    DEBUG_ENDED,   /* all of the launch, or the program, has ended */
};

enum point_kind { POINT_BREAK, POINT_WATCH, POINT_READ, POINT_ACCESS };

/* A break- or watchpoint as the user sees it. It is kept from launch to launch. */
struct point {
    struct debug *debug;
    unsigned number; /* from 1 on */
    unsigned id;     /* of the session's point; 0: not set */
    enum point_kind kind;
    bool disabled, temporary;
    uint64_t address, size; /* size: of a watchpoint */
    bool has_workgroup, has_warp, has_lane;
    uint32_t workgroup, warp, lane;
    char *condition; /* NULL: none */
    char *message;   /* of a logpoint: shown instead of stopping, with {EXPR} replaced */
    char *what;      /* as typed: "vecadd", "*0x90000000:4" */
    uint64_t hits, ignore;
    unsigned list;     /* of an editor's, its kind (dap.h); 0: none */
    char *file;        /* of that list, or NULL */
    char problem[256]; /* the error of its condition; "": none */
};

struct display {
    unsigned number;
    char *text;      /* the expression */
    char format[16]; /* of print, or of x */
    bool examines;
};

struct user_value {
    char name[32]; /* first: trees compare items and names by it */
    struct value value;
};

/* A source file, split into lines. */
struct source {
    char *path; /* as the image has it */
    char *text; /* NULL: cannot be read */
    const char **lines;
    size_t count;
    char problem[256];
};

enum { DEBUG_HISTORY = 256 };

struct debug {
    const struct debug_options *options;
    struct input *input;
    FILE *out;
    /* The launch that is open. */
    struct run_session *run;
    struct sam_session *session;
    struct sam_session_shape shape;
    const struct sam_image *image;
    struct sam_variables *variables; /* NULL: the program describes none */
    enum debug_state state;
    bool started;   /* something has run */
    unsigned start; /* snapshot of its beginning; 0: impossible */
    bool records;
    char no_record[256]; /* why not */
    struct debug_focus focus;
    struct expr_names names;
    uint32_t shown_mask; /* the last one printed */
    struct debug_focus shown_focus;
    /* The user's settings. */
    enum sam_session_scope scope;
    struct point **points;
    size_t point_count;
    unsigned last_point;
    struct display *displays;
    size_t display_count;
    unsigned last_display;
    void *users;                         /* tree (search.h) of struct user_value, by name */
    struct value history[DEBUG_HISTORY]; /* by number, modulo its size */
    uint64_t last_value;
    bool going_back; /* points have no effect */
    /* The last location shown to the user: a breakpoint there does not stop the warp again. */
    struct {
        uint32_t workgroup, warp;
        uint64_t instructions, pc;
    } seen;
    /* The continuation points of list, x and an empty line. */
    struct source *sources;
    size_t source_count;
    const char *list_file;
    uint32_t list_line; /* the next; 0: around the pc */
    uint32_t list_first;
    char problem[256];
    uint64_t examine_at;
    char examine_format, examine_size;
    char *last_line;   /* the command that an empty line repeats */
    unsigned until_id; /* the session's breakpoint at --until; 0: none */
    bool at_end;       /* the current instruction may end the program: at --until, at an ebreak */
    uint64_t stepped_from;        /* pc before the last step */
    struct sam_session_stop stop; /* the last one reported, */
    unsigned stop_point;          /* the number of its point, 0: none, */
    char stop_text[1024];         /* and the report of its trap */
    unsigned last_stop;           /* the session's point at which continue stopped; 0: none */
    int how;                      /* of the command that runs */
    bool quits;
    bool goes_on; /* to the next launch */
    bool failed;  /* a command of a script has */
};

/* ------------------------------------------------------------------------- debug.c: the loop */
/* Run one line. Errors are returned, not printed. */
enum sam_status debug_execute(struct debug *debug, const char *line, struct sam_error *error);
/* Begin with a session, and undo its settings. */
enum sam_status debug_attach(struct debug *debug, struct run_session *run, struct sam_error *error);
void debug_detach(struct debug *debug);
/* The exit code of the drive, if it ended now. */
int debug_verdict(const struct debug *debug);

/* -------------------------------------------------------------------- text.c: output, words */
/* Print to the user; control characters in foreign text are replaced. */
void debug_say(struct debug *debug, const char *format, ...) SAM_PRINTF(2, 3);
/* The next word of a command, as cli_word, only if it is this one. */
bool debug_take(const char **at, const char *word);
/* The line must end here; otherwise an error quotes the rest. */
enum sam_status debug_no_more(const char *at, struct sam_error *error);
/* A whole expression, up to the end or to the text `stop` (NULL: the end). */
enum sam_status debug_value(struct debug *debug, const char **at, struct value *value,
                            struct sam_error *error);
/* An expression that is one number, called `what` in messages. */
enum sam_status debug_number(struct debug *debug, const char **at, const char *what,
                             uint64_t *number, struct sam_error *error);
/* The same for one below `count`. */
enum sam_status debug_index(struct debug *debug, const char **at, const char *what, uint64_t count,
                            uint32_t *index, struct sam_error *error);
/* A number if the line does not end here; otherwise *number is unchanged. */
enum sam_status debug_count(struct debug *debug, const char *at, const char *what, uint64_t *number,
                            struct sam_error *error);
/* An array with room for one more; NULL on out-of-memory. Doubling is left to realloc. */
void *debug_grow(void *items, size_t count, size_t size);

/* ------------------------------------------------------------------------ names.c: meanings */
void debug_names(struct debug *debug);
/* Write a value to the location from which another was read. */
enum sam_status debug_assign(struct debug *debug, const struct value *to, const struct value *given,
                             struct sam_error *error);
/* Keep a value under the next number, which is returned. */
uint64_t debug_keep(struct debug *debug, const struct value *value);
uint64_t debug_pc(struct debug *debug);
/* An address as the machine has it: of 32 bits where it has no more. */
uint64_t debug_address(const struct debug *debug, uint64_t address);
/* A bit for each lane of a warp. */
uint32_t debug_all_lanes(const struct debug *debug);
/* The warp of the focus; one that cannot be read has ended. */
enum sam_status debug_warp(struct debug *debug, struct sam_session_warp *warp,
                           struct sam_error *error);
struct sam_session_warp debug_warp_now(struct debug *debug);
/* "did you mean" for a symbol, in `near`. */
const char *debug_near_symbol(struct debug *debug, const char *name, char *text, size_t size);
/* ABI name of a scalar register; "" above x31. */
const char *debug_abi_name(unsigned number);

/* -------------------------------------------------------------------- variables.c */
/* The variable of the source that the focus's lane has; false: there is none of that name. */
bool debug_find_variable(struct debug *debug, const char *name, struct value *value,
                         enum sam_status *status, struct sam_error *error);
/* Variable `index` of those visible in the lane of the focus, the innermost first. */
bool debug_variable_at(struct debug *debug, size_t index, struct sam_variable *variable);
/* Its value, to be freed; NULL: no memory. Print it: "NAME = VALUE". */
char *debug_variable_text(struct debug *debug, const struct sam_variable *variable);
enum sam_status debug_show_variable(struct debug *debug, const struct sam_variable *variable,
                                    struct sam_error *error);
/* The variable of several numbers that `text` names; false: it names none. */
bool debug_find_numbers(struct debug *debug, const char *text, struct sam_variable *variable);

/* info.c: where each lane of the focused warp continues: at the warp's pc, or that of the topmost
 * stack entry that has the lane; 0: it has never started. */
enum sam_status debug_lane_pcs(struct debug *debug, struct sam_session_warp *warp,
                               uint64_t pcs[SAM_MAX_LANES], struct sam_error *error);

/* -------------------------------------------------------------------- source.c: source lines */
/* The line of the code at an address, from 1; NULL: none. */
const char *source_at(struct debug *debug, uint64_t address, uint32_t *line);
/* Whether the code at an address is of this line. */
bool source_is(struct debug *debug, uint64_t address, const char *file, uint32_t line);
/* The file of a line number without a file; NULL: none. */
const char *source_present(struct debug *debug);
/* The reason why the text of a line cannot be shown. */
const char *source_problem(struct debug *debug, const char *file, uint32_t line);
/* Its text; NULL: none. */
const char *source_text(struct debug *debug, const char *file, uint32_t line);
/* The address of the first code of a file from a line on. */
enum sam_status source_line_address(const struct debug *debug, const char *file, uint32_t line,
                                    uint64_t *address, struct sam_error *error);
/* "symbol", "file:line", a line, "*EXPR": an address. *at advances past it. */
enum sam_status source_location(struct debug *debug, const char **at, uint64_t *address,
                                struct sam_error *error);
void source_free(struct debug *debug);
/* "0x80000010 <vecadd+0x10> at vecadd.s:12" */
void source_describe(struct debug *debug, uint64_t address, char *text, size_t size);

/* ------------------------------------------------ stops.c: the location and the stop reason */
/* The line of source, or the instruction, that is next in the focus; `whole`: with `prefix` and
 * the location before it. */
void stop_show_place(struct debug *debug, bool whole, const char *prefix);
/* Print the stop reason of a run, with focus and displays. `error`: of SAM_SESSION_TRAP and
 * STOPPED. */
void stop_report(struct debug *debug, const struct sam_session_stop *stop,
                 const struct sam_error *error);
/* One instruction as text, with its address; `next`: marked. False: it cannot be read. */
bool stop_instruction(struct debug *debug, uint64_t address, bool next);
void stop_show_displays(struct debug *debug);
/* Calls by the calling convention: jal and jalr that link. */
bool stop_is_call(uint32_t word);
/* The instruction at an address; false: it cannot be read. */
bool stop_disassemble(struct debug *debug, uint64_t address, bool next, uint32_t *word, char *text,
                      size_t size);
/* " lane 5", " lanes 0-7" or " lanes 0x0000a001" */
void stop_name_lanes(uint32_t lanes, char *text, size_t size);
/* The word of the instruction at an address. */
bool stop_fetch(struct debug *debug, uint64_t address, uint32_t *word);

/* ------------------------------------------------------------------------- show.c */
/* The SIMT stack of the focused warp, from its bottom; free() it, also after a failure. */
enum sam_status stack_read(struct debug *debug, struct sam_stack_entry **entries, size_t *depth,
                           struct sam_error *error);

/* The call that ra of the focused warp tells; false: none. */
bool debug_caller(struct debug *debug, uint64_t *address);

/* ------------------------------------------------------------------------- past.c */
/* To the initial state of the launch. */
enum sam_status past_restart(struct debug *debug, struct sam_error *error);

/* ------------------------------------------------------------------------- data.c */
enum sam_status display_show(struct debug *debug, const struct display *display,
                             struct sam_error *error);
/* The value of a whole text. */
enum sam_status debug_evaluate(struct debug *debug, const char *text, struct value *value,
                               struct sam_error *error);
/* "7", or lanes in rows; all of a register of the TensorLoad or the matrix unit; with a newline. */
void debug_print_value(struct debug *debug, const struct value *value, char format);
/* A value on one line: "7", "7 in all 32 lanes", "{1, (2), 3, 4}". */
void debug_value_line(struct debug *debug, const struct value *value, char format, char *text,
                      size_t size);
/* Print it; "<why not>" of an expression that cannot be evaluated. */
void debug_say_value(struct debug *debug, const char *expression, size_t size);
/* Apply a function to the things with these numbers: "1 2-4". */
typedef enum sam_status debug_on_number(struct debug *debug, unsigned number,
                                        struct sam_error *error);
enum sam_status debug_numbers(struct debug *debug, const char *rest, debug_on_number *one,
                              struct sam_error *error);

/* ------------------------------------------------------------------------- points.c */
enum sam_status points_attach(struct debug *debug, struct sam_error *error);
void points_detach(struct debug *debug);
void points_free(struct debug *debug);
struct point *points_of(struct debug *debug, unsigned id);
struct point *points_numbered(const struct debug *debug, unsigned number);
/* The breakpoint onto which the focused warp was stepped, which counts as reached; NULL: none,
 * or none that stops. */
struct point *points_stepped_on(struct debug *debug);
/* Whether a text begins with a limit of a breakpoint: "lane", "warp", "if", ... */
bool debug_begins_limit(const char *at);
void points_delete(struct debug *debug, struct point *point);

/* ------------------------------------------------------------- input.c: the sources of commands */

struct input;

/* INPUT_BAD: a file of the command line or standard input cannot be read; already reported. */
enum input_result { INPUT_LINE, INPUT_END, INPUT_INTERRUPTED, INPUT_BAD };

struct input_line {
    const char *text; /* valid until the next one; blanks around it are gone */
    char place[300];  /* "file:3: " for messages on it, or "" */
    bool typed;       /* on a terminal */
};

struct input *input_new(struct debug *debug);
void input_free(struct input *input);
enum input_result input_next(struct input *input, FILE *out, struct input_line *line);
/* Whether there is a user at a terminal, who is prompted after the scripts. */
bool input_prompts(const struct input *input);
/* Continue with the lines of a file. */
enum sam_status input_push_file(struct input *input, const char *path, struct sam_error *error);
/* A command has failed: skip the rest of its file. */
void input_drop_file(struct input *input);

/* editor.c: line editing on a terminal, with history and completion, through libedit. */
struct editor;

/* NULL: Samite was built without libedit, or the terminal is too simple for it. The prompt must
 * outlive it. */
struct editor *editor_new(const char *prompt, struct debug *debug);
void editor_free(struct editor *editor);
/* Read a line into *line, a malloc'ed buffer of *room bytes that grows. */
enum input_result editor_line(struct editor *editor, char **line, size_t *room);

/* ----------------------------------------------------------------- commands.c: their table */
typedef enum sam_status debug_function(struct debug *debug, const char *rest,
                                       struct sam_error *error);

enum debug_completion { COMPLETE_NONE, COMPLETE_SYMBOL, COMPLETE_COMMAND, COMPLETE_INFO };

struct debug_command {
    const char *names;   /* "continue c fg": the name, and abbreviations */
    const char *grammar; /* what follows the name */
    const char *help;    /* its first line is the summary */
    debug_function *run;
    int how; /* of the commands that share the function */
    enum debug_completion completes;
    bool repeats; /* by an empty line */
};

/* `how` of warp, workgroup and lane; of step, next and nexti; of delete, disable and enable. */
enum { FOCUS_WARP, FOCUS_WORKGROUP, FOCUS_LANE };
enum { STEP_LINE, STEP_NEXT, STEP_NEXTI };
enum { POINTS_DELETE, POINTS_DISABLE, POINTS_ENABLE };

extern const struct debug_command debug_commands[], debug_infos[];
/* The name of the command at the beginning of a line, and the rest: "x/4xw a0" is x and "/4xw
 * a0". */
const char *debug_split(const char *line, char *word, size_t size);
/* The row of a word; on NULL the error is filled. `kind`: "command", "info". */
const struct debug_command *debug_find(const struct debug_command *rows, const char *kind,
                                       const char *word, struct sam_error *error);
/* Run the command of a row; NULL: debug_find has failed. */
enum sam_status debug_run_row(struct debug *debug, const struct debug_command *row,
                              const char *rest, struct sam_error *error);
/* Candidate number `index` for the last word of `line`; NULL: no more. */
const char *debug_complete(struct debug *debug, const char *line, size_t index, char *text,
                           size_t size);

#define HEADING(text)
#define COMMAND(words, form, summary, more, function, ...) debug_function command_##function;
#define INFO(words, form, summary, function)               debug_function info_##function;
#define ALSO(...)
#include "commands.def"
#include "infos.def"
#undef HEADING
#undef COMMAND
#undef INFO
#undef ALSO

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol): an editor runs the
 * debugger. A thread of the protocol is a warp; its frames are where its lanes are, and a frame
 * has one lane, whose variables are shown. Requests are rows of requests.def. */
#ifndef DAP_H
#define DAP_H

#include <pthread.h>

#include "debugger.h"
#include "frames.h"
#include "report.h"

struct dap;

/* The messages that interrupt a run: none; those that end it (pause, terminate, disconnect); all,
 * after which it continues. */
enum dap_attention { DAP_STOPPED, DAP_ENDING, DAP_ANY };

/* The surroundings of the adapter. */
struct dap_host {
    void *context;
    /* The next message, as frames_next. */
    enum frames_result (*next)(void *context, json_t **message, struct sam_error *error);
    /* Whether `next` would return without waiting. */
    bool (*pending)(void *context);
    /* Send a whole message. */
    void (*write)(void *context, const char *bytes, size_t size);
    /* Parse the words as `samite debug` does and run them, with dap_drive; the exit code. A failure
     * before dap_drive is described in `problem`. */
    int (*launch)(void *context, struct dap *dap, char **words, size_t count, char *problem,
                  size_t size);
    /* A run begins or has ended. */
    void (*attend)(void *context, enum dap_attention attention);
    /* Send what the program has printed so far. */
    void (*flush)(void *context);
};

enum dap_frame_kind { DAP_CURRENT, DAP_CALLER, DAP_WAITING };

struct dap_frame {
    uint32_t workgroup, warp, lane;
    enum dap_frame_kind kind;
    unsigned index; /* in its thread */
    uint64_t pc;
    uint32_t lanes; /* that are there */
};

/* The kinds of breakpoints that a client sets as a list, which replaces the previous one: the
 * `list` of a point, of a line with the file. */
enum dap_point_kind { DAP_LINE = 1, DAP_FUNCTION, DAP_INSTRUCTION, DAP_DATA };

/* A request that is being served. */
struct dap_request {
    json_int_t seq;
    const char *command;
    const char *detail; /* of its row */
    json_t *arguments;  /* an object, may be empty */
    bool answered;
};

enum dap_todo { DAP_NOTHING, DAP_RUN, DAP_SHOW };

struct dap {
    const struct dap_host *host;
    struct debug_options options;
    struct debug *debug;  /* NULL before launch */
    pthread_mutex_t lock; /* of seq and the host's write */
    json_int_t seq;
    struct dap_request *request;
    bool lines_from_0, can_invalidate;
    bool launched, configured, stop_on_entry, stop_at_end;
    bool running;           /* a run is interrupted for this message */
    bool paused;            /* by the client */
    bool over;              /* disconnected, or the messages have ended */
    bool finished;          /* the program has ended, or was terminated */
    struct sam_error error; /* of broken framing */
    enum dap_todo todo;     /* after the response */
    char command[64];       /* of DAP_RUN: of the debugger */
    uint32_t lane;          /* the user's choice */
    struct dap_frame *frames;
    size_t frame_count;
};

/* --- dap.c: messages */
void dap_init(struct dap *dap, const struct dap_host *host);
void dap_free(struct dap *dap);
/* Serve until the client disconnects; the exit code, with `error` filled unless it is CLI_OK. */
int dap_serve(struct dap *dap, struct sam_error *error);
/* The drive of struct run_driver; the context is the dap. */
int dap_drive(void *context, struct run_session *session);
/* The text of an event of output; from any thread. */
void dap_output(struct dap *dap, const char *category, const char *text);
/* Send the response to the present request (SAM_OK), or an event; both take over `body`, which may
 * be NULL. */
enum sam_status dap_respond(struct dap *dap, json_t *body);
void dap_event(struct dap *dap, const char *name, json_t *body);
/* Take the next message and serve it. */
void dap_take(struct dap *dap);
/* The value of a member of an object: of another type, or missing, an error. */
enum sam_status dap_need_text(const json_t *object, const char *name, const char **text,
                              struct sam_error *error);
enum sam_status dap_need_integer(const json_t *object, const char *name, json_int_t *number,
                                 struct sam_error *error);
/* An address as text, plus an offset in bytes. */
enum sam_status dap_need_address(const json_t *object, const char *name, uint64_t *address,
                                 struct sam_error *error);
/* "0x80000000" */
json_t *dap_address(uint64_t address);

/* --- dap_run.c: running, and the events after it */
/* Do what the last request has asked for. */
void dap_do(struct dap *dap);
/* Execute a command of the debugger; *text is what it has printed: free() it, also after a
 * failure. */
enum sam_status dap_execute(struct dap *dap, const char *line, char **text,
                            struct sam_error *error);
void dap_send_stopped(struct dap *dap, const char *reason, const char *description,
                      const char *text);

/* --- dap_threads.c: threads and frames */
json_int_t dap_thread(const struct dap *dap, uint32_t workgroup, uint32_t warp);
/* Move the debugger's focus to a thread. */
enum sam_status dap_focus_thread(struct dap *dap, const json_t *arguments, struct sam_error *error);
/* Move it to a frame; without the member frameId it stays. */
enum sam_status dap_focus_frame(struct dap *dap, const json_t *arguments, struct sam_error *error);
struct dap_frame *dap_frame(struct dap *dap, uint64_t index, struct sam_error *error);
/* Choose the lane of all frames where it is. */
void dap_choose_lane(struct dap *dap, uint32_t lane);
/* The source of an address as an object of the protocol, and its line; NULL: none. */
json_t *dap_source(struct dap *dap, uint64_t address, json_int_t *line);
json_t *dap_source_of(const char *file);

/* --- dap_variables.c, dap_registers.c: scopes and variables. A reference to the children of
 * something of frame F is (F << DAP_WHAT_BITS | what) + 1. */
enum { DAP_WHAT_BITS = 12, DAP_MOST_FRAMES = 1 << 14 };

enum dap_what {
    DAP_LOCALS,
    DAP_LANES,
    DAP_SCALARS,
    DAP_VECTORS,
    DAP_CSRS,
    DAP_STACK,
    DAP_LOCAL_MEMORY,
    DAP_UNITS,
    DAP_SCOPES,
    DAP_V = 256,    /* the lanes of v0..v255 */
    DAP_LANE = 512, /* the registers and variables of one lane */
    DAP_UNIT = 768, /* the bytes of tl0..31 and, from 32 on, m0..7 */
};

/* Variables that are being listed: a window of them, or the expression of one. */
struct dap_list {
    struct dap *dap;
    json_t *rows;         /* NULL: search */
    uint64_t start, end;  /* of the rows that are wanted */
    uint64_t index;       /* of the next */
    const char *wanted;   /* a name, or NULL */
    char expression[128]; /* of it; "": not found */
    uint64_t frame;
};

json_int_t dap_reference(const struct dap_list *list, unsigned what);
/* Add a row, if it is wanted. `expression` may be "": it cannot be set. `reference`: of `count`
 * children, or 0. */
void dap_add(struct dap_list *list, const char *name, const char *value, const char *expression,
             json_int_t reference, uint64_t count);
/* Add the row of an expression that is a register or memory. */
void dap_add_expression(struct dap_list *list, const char *name, const char *expression,
                        json_int_t reference, uint64_t count);
/* The words of local memory that the launch declares, or may use. */
uint64_t dap_local_words(const struct debug *debug);
/* dap_registers.c: the rows of everything but variables of the source. */
void dap_list_registers(struct dap_list *list, unsigned what);
/* The expression of a variable that has the name among the children of a reference, with the focus
 * moved to its frame; without the member variablesReference, the name itself in a frame. */
enum sam_status dap_name_expression(struct dap *dap, const json_t *arguments, const char *name,
                                    char *expression, size_t size, struct sam_error *error);

/* --- dap_host.c: the protocol on standard input and output */

/* Runs the words of a command line with the driver; the exit code, with failures printed. */
typedef int dap_runner(char **words, int count, struct debug_options *options,
                       const struct run_driver *driver);

/* Serve the protocol until the client disconnects; the exit code, with a failure printed. Output
 * of programs becomes events. */
int dap_host_serve(dap_runner *runner);

/* ------------------------------------------------------------------- the table of requests */
typedef enum sam_status dap_handler(struct dap *dap, const json_t *arguments,
                                    struct sam_error *error);
#define REQUEST(name, handler, when, detail) dap_handler dap_on_##handler;
#define ALSO(name, handler, when, detail)
#include "requests.def"
#undef ALSO
#undef REQUEST

#endif

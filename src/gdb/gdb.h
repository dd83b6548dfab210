/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of gdb/. serve.c receives packets (packet.c) and passes each to the function
 * that answers it, with a cursor on its arguments. */
#ifndef SAM_GDB_H
#define SAM_GDB_H

#include "base/base.h"
#include "isa/isa.h"
#include "samite/gdb.h"

enum {
    SAM_GDB_PACKET = 16384,                 /* most characters of a packet in either direction */
    SAM_GDB_DATA = SAM_GDB_PACKET / 2 - 64, /* most bytes of memory per packet */
};

/* Errors with the errno numbers that gdb shows. */
enum sam_gdb_error {
    SAM_GDB_OK = 0,
    SAM_GDB_BAD = 1, /* malformed packet */
    SAM_GDB_NO_THREAD = 3,
    SAM_GDB_NO_MEMORY = 12, /* the host is out of memory */
    SAM_GDB_FAULT = 14,     /* unmapped address */
    SAM_GDB_INVALID = 22,   /* well-formed but not possible */
};

struct sam_gdb_thread {
    uint32_t workgroup, warp;
};

/* A breakpoint or watchpoint; `type` is the digit of Z. */
struct sam_gdb_point {
    unsigned type;
    uint64_t address, size;
    unsigned id; /* in the session */
};

/* The registers, in the order of their numbers. */
struct sam_gdb_layout {
    unsigned x, pc, x_high, simt, v, csr, tl, m, count; /* first of each kind; end */
    unsigned packet;                                    /* registers in a `g` packet */
};

/* The request that continues in the next session. */
enum sam_gdb_carry { SAM_GDB_CARRY_NOTHING, SAM_GDB_CARRY_STEP, SAM_GDB_CARRY_RUN };

struct sam_gdb {
    struct sam_gdb_options options;
    struct sam_gdb_transport transport;
    /* the current session */
    struct sam_session *session;
    struct sam_session_shape shape;
    bool last;
    enum sam_gdb_carry carry;
    struct sam_gdb_result *result;
    struct sam_error *error;
    enum sam_status status;
    bool over; /* serving has ended, with status and result */
    bool reverse;
    /* packet.c */
    uint8_t input[4096];
    size_t input_at, input_size;
    bool no_ack, lost;
    struct sam_buffer packet; /* received last */
    struct sam_buffer reply;  /* to it, not framed */
    struct sam_buffer frame;  /* sent last */
    /* threads.c */
    struct sam_gdb_thread thread;  /* for registers and memory */
    struct sam_gdb_thread resumed; /* for `s` and similar packets */
    struct sam_gdb_thread stopped; /* that stopped last */
    uint32_t *known;               /* workgroups listed until they end */
    size_t known_count, known_capacity;
    uint64_t first; /* all workgroups with lower indices have ended */
    /* registers.c */
    struct sam_gdb_layout layout; /* of the first session: the client reads it once */
    uint32_t layout_lanes;
    uint16_t *csrs;
    size_t csr_count;
    /* points.c */
    struct sam_gdb_point *points;
    size_t point_count, point_capacity;
    uint32_t lanes; /* breakpoints stop if one of these is active; 0: always */
    uint32_t lane;  /* pseudo register */
    /* resume.c */
    struct sam_buffer last_stop; /* reply to `?` */
    bool swbreak, hwbreak;       /* stop reasons that the client supports */
    uint64_t trap_time;          /* session time of the last trap; UINT64_MAX: none */
    struct sam_gdb_thread trap_thread;
    uint64_t watch_time; /* of the stop before a watched access; UINT64_MAX: none */
    /* query.c: the document being transferred */
    struct sam_buffer document;
    const char *document_name; /* NULL: none */
    /* program.c */
    bool file_open;
};

/* --- the arguments of a packet */

struct sam_gdb_text {
    const char *at, *end;
};
/* Skip `word` if the text starts with it. */
bool sam_gdb_take(struct sam_gdb_text *text, const char *word);
/* A hexadecimal number of 1 to 16 digits. */
bool sam_gdb_take_number(struct sam_gdb_text *text, uint64_t *value);
/* Two numbers separated by `between`. */
bool sam_gdb_take_pair(struct sam_gdb_text *text, uint64_t *a, char between, uint64_t *b);
/* Exactly `size` bytes as hexadecimal digits. */
bool sam_gdb_take_bytes(struct sam_gdb_text *text, void *bytes, size_t size);
/* The rest, an even number of digits, as text of at most size - 1 characters. */
bool sam_gdb_take_text(struct sam_gdb_text *text, char *out, size_t size);
bool sam_gdb_at_end(const struct sam_gdb_text *text);

/* --- packet.c */

/* Receive a packet into gdb->packet. Returns false when gdb->over is set. */
bool sam_gdb_receive(struct sam_gdb *gdb);
/* Send gdb->reply and clear it. */
void sam_gdb_send(struct sam_gdb *gdb);
void sam_gdb_send_text(struct sam_gdb *gdb, const char *text);
/* "OK", or the error. */
void sam_gdb_send_error(struct sam_gdb *gdb, enum sam_gdb_error error);
/* Text for the user, while the program or a `monitor` command runs. */
void sam_gdb_console(struct sam_gdb *gdb, const char *text);
/* Whether the client has sent an interrupt, or has disconnected. */
bool sam_gdb_interrupted(struct sam_gdb *gdb);
/* Wait for the acknowledgement of the last packet, if there are acknowledgements. */
void sam_gdb_settle(struct sam_gdb *gdb);
/* Append bytes as hexadecimal digits. */
void sam_gdb_append_bytes(struct sam_buffer *buffer, const void *bytes, size_t size);
/* Serving ends. */
void sam_gdb_end(struct sam_gdb *gdb, enum sam_status status, const char *text);

/* --- threads.c */

uint64_t sam_gdb_thread_id(const struct sam_gdb *gdb, struct sam_gdb_thread thread);
/* "0" and "-1" select `any`. Returns false if there is no such thread. */
bool sam_gdb_take_thread(struct sam_gdb *gdb, struct sam_gdb_text *text,
                         struct sam_gdb_thread *thread, struct sam_gdb_thread any);
bool sam_gdb_lives(struct sam_gdb *gdb, struct sam_gdb_thread thread);
/* Add the workgroup to those listed. Returns false on out-of-memory. */
bool sam_gdb_know(struct sam_gdb *gdb, uint32_t workgroup);
/* Iterate over the threads in order; *place is 0 at first. Returns false after the last. */
bool sam_gdb_next_thread(struct sam_gdb *gdb, uint64_t *place, struct sam_gdb_thread *thread);
/* Select a thread: *thread, or one of its workgroup, or any. Returns false if all have ended. */
bool sam_gdb_some_thread(struct sam_gdb *gdb, struct sam_gdb_thread *thread);
/* After a step backward: ended workgroups may run again. */
void sam_gdb_recount(struct sam_gdb *gdb);
/* "workgroup 0 warp 2"; "waits at a barrier", ... */
void sam_gdb_thread_name(struct sam_gdb_thread thread, char text[64]);
void sam_gdb_thread_state(struct sam_gdb *gdb, struct sam_gdb_thread thread, char *text,
                          size_t size);
void sam_gdb_threads_document(struct sam_gdb *gdb, struct sam_buffer *xml);

/* --- registers.c, target.c */

enum sam_gdb_kind {
    SAM_GDB_X,
    SAM_GDB_PC,
    SAM_GDB_MASK,
    SAM_GDB_DEPTH,
    SAM_GDB_LANE,
    SAM_GDB_V,
    SAM_GDB_CSR,
    SAM_GDB_TL,
    SAM_GDB_M,
};
struct sam_gdb_register {
    enum sam_gdb_kind kind;
    unsigned number; /* of its kind; of a CSR the address */
    unsigned bytes;
};
/* Number the registers of the session. Returns false on out-of-memory. */
bool sam_gdb_lay_out(struct sam_gdb *gdb);
/* Register `index`, below layout.count. */
struct sam_gdb_register sam_gdb_register_at(const struct sam_gdb *gdb, unsigned index);
/* Append the value as digits, or `x` per digit if it is not available. */
void sam_gdb_show_register(struct sam_gdb *gdb, struct sam_buffer *out,
                           struct sam_gdb_thread thread, unsigned index);
void sam_gdb_read_all(struct sam_gdb *gdb);
void sam_gdb_write_all(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_read_one(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_write_one(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_target_document(struct sam_gdb *gdb, struct sam_buffer *xml);

/* --- points.c: Z and z */

void sam_gdb_insert_point(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_remove_point(struct sam_gdb *gdb, struct sam_gdb_text text);
/* Remove the points from a session; set them in the next one. */
void sam_gdb_remove_points(struct sam_gdb *gdb);
enum sam_status sam_gdb_restore_points(struct sam_gdb *gdb, struct sam_error *error);
const struct sam_gdb_point *sam_gdb_find_point(const struct sam_gdb *gdb, unsigned id);
/* Limit breakpoints to lanes; 0: no limit. */
enum sam_status sam_gdb_limit_lanes(struct sam_gdb *gdb, uint32_t lanes, struct sam_error *error);

/* --- resume.c */

void sam_gdb_continue(struct sam_gdb *gdb, struct sam_gdb_text text, bool has_signal);
void sam_gdb_step(struct sam_gdb *gdb, struct sam_gdb_text text, bool has_signal);
void sam_gdb_vcont(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_back(struct sam_gdb *gdb, bool by_one);
/* Continue the request that the end of the previous session interrupted. */
void sam_gdb_carry_on(struct sam_gdb *gdb);
void sam_gdb_why(struct sam_gdb *gdb);

/* --- the rest */

void sam_gdb_query(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_set(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_file(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_monitor(struct sam_gdb *gdb, const char *command);
#endif

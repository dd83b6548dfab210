/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gdb/: a client being served. serve.c reads packets (packet.c) and gives each to the file
 * that answers it, with a cursor on its arguments. */
#ifndef SAM_GDB_H
#define SAM_GDB_H

#include "base/base.h"
#include "isa/isa.h"
#include "samite/gdb.h"

enum {
    SAM_GDB_PACKET = 16384,                 /* characters of a packet, either way */
    SAM_GDB_DATA = SAM_GDB_PACKET / 2 - 64, /* bytes of memory in one */
};

/* Errors, as gdb shows them: numbers of errno. */
enum sam_gdb_error {
    SAM_GDB_OK = 0,
    SAM_GDB_BAD = 1, /* the packet is not of its form */
    SAM_GDB_NO_THREAD = 3,
    SAM_GDB_NO_MEMORY = 12, /* the host's is used up */
    SAM_GDB_FAULT = 14,     /* no memory at the address */
    SAM_GDB_INVALID = 22,   /* of the right form, but not possible */
};

struct sam_gdb_thread {
    uint32_t workgroup, warp;
};

/* A breakpoint or watchpoint; `type` is the digit of Z. */
struct sam_gdb_point {
    unsigned type;
    uint64_t address, size;
    unsigned id; /* of the session's */
};

/* The registers, in the order of their numbers. */
struct sam_gdb_layout {
    unsigned x, pc, x_high, simt, v, csr, tl, m, count; /* the first of each kind */
    unsigned packet;                                    /* how many a `g` packet has */
};

/* What the client has asked for when a session ends that is not the last. */
enum sam_gdb_carry { SAM_GDB_CARRY_NOTHING, SAM_GDB_CARRY_STEP, SAM_GDB_CARRY_RUN };

struct sam_gdb {
    struct sam_gdb_options options;
    struct sam_gdb_transport transport;
    /* The session that is being served. */
    struct sam_session *session;
    struct sam_session_shape shape;
    bool last;
    enum sam_gdb_carry carry;
    struct sam_gdb_result *result;
    struct sam_error *error;
    enum sam_status status;
    bool over; /* nothing more to serve; status and result say why */
    bool reverse;
    /* packet.c */
    uint8_t input[4096];
    size_t input_at, input_size;
    bool no_ack, lost;
    struct sam_buffer packet; /* the one being answered */
    struct sam_buffer reply;  /* to it, not yet framed */
    struct sam_buffer frame;  /* the last one sent */
    /* threads.c */
    struct sam_gdb_thread thread;  /* that registers and memory are of */
    struct sam_gdb_thread resumed; /* that `s` and its kin step */
    struct sam_gdb_thread stopped; /* that stopped last */
    uint32_t *known;               /* workgroups to list as long as they live */
    size_t known_count, known_capacity;
    uint64_t first; /* index of the first workgroup that has not ended, or one before it */
    /* registers.c */
    struct sam_gdb_layout layout; /* of the first session: the client asks once */
    uint32_t layout_lanes;
    uint16_t *csrs;
    size_t csr_count;
    /* points.c */
    struct sam_gdb_point *points;
    size_t point_count, point_capacity;
    uint32_t lanes; /* breakpoints stop only if one of these is active; 0: any */
    uint32_t lane;  /* pseudo register */
    /* resume.c */
    struct sam_buffer last_stop; /* what `?` answers */
    bool swbreak, hwbreak;       /* the client knows these reasons */
    uint64_t trap_time;          /* session time of the last trap; UINT64_MAX: none */
    struct sam_gdb_thread trap_thread;
    uint64_t watch_time; /* of the stop before a watched access; UINT64_MAX: none */
    /* query.c: what is being transferred */
    struct sam_buffer document;
    const char *document_name; /* NULL: none */
    /* program.c */
    bool file_open;
};

/* --- the arguments of a packet */

struct sam_gdb_text {
    const char *at, *end;
};
/* Whether the text goes on with `word`; if so, it is passed. */
bool sam_gdb_take(struct sam_gdb_text *text, const char *word);
/* A hexadecimal number of 1 to 16 digits. */
bool sam_gdb_take_number(struct sam_gdb_text *text, uint64_t *value);
/* Two numbers with `between` between them. */
bool sam_gdb_take_pair(struct sam_gdb_text *text, uint64_t *a, char between, uint64_t *b);
/* Exactly `size` bytes as hexadecimal digits. */
bool sam_gdb_take_bytes(struct sam_gdb_text *text, void *bytes, size_t size);
/* The rest, an even number of digits, as a text. False also if it is longer than size - 1. */
bool sam_gdb_take_text(struct sam_gdb_text *text, char *out, size_t size);
bool sam_gdb_at_end(const struct sam_gdb_text *text);

/* --- packet.c */

/* The next packet, into gdb->packet. False: there is none, gdb->over is set. */
bool sam_gdb_receive(struct sam_gdb *gdb);
/* Send gdb->reply and clear it. */
void sam_gdb_send(struct sam_gdb *gdb);
void sam_gdb_send_text(struct sam_gdb *gdb, const char *text);
/* "OK", or the error. */
void sam_gdb_send_error(struct sam_gdb *gdb, enum sam_gdb_error error);
/* Text for the user, while the program runs or a `monitor` command does. */
void sam_gdb_console(struct sam_gdb *gdb, const char *text);
/* Whether the client asks a running program to stop, or is gone. */
bool sam_gdb_interrupted(struct sam_gdb *gdb);
/* Wait until what was sent last has arrived, as far as that can be known. */
void sam_gdb_settle(struct sam_gdb *gdb);
/* Append bytes as hexadecimal digits. */
void sam_gdb_append_bytes(struct sam_buffer *buffer, const void *bytes, size_t size);
/* Serving ends. */
void sam_gdb_end(struct sam_gdb *gdb, enum sam_status status, const char *text);

/* --- threads.c */

uint64_t sam_gdb_thread_id(const struct sam_gdb *gdb, struct sam_gdb_thread thread);
/* "0" and "-1" are `any`. False: not a thread that lives. */
bool sam_gdb_take_thread(struct sam_gdb *gdb, struct sam_gdb_text *text,
                         struct sam_gdb_thread *thread, struct sam_gdb_thread any);
bool sam_gdb_lives(struct sam_gdb *gdb, struct sam_gdb_thread thread);
/* List the workgroup from now on. False: out of memory. */
bool sam_gdb_know(struct sam_gdb *gdb, uint32_t workgroup);
/* The live threads, in order: the first one after `*place`, which begins with 0. False: no more. */
bool sam_gdb_next_thread(struct sam_gdb *gdb, uint64_t *place, struct sam_gdb_thread *thread);
/* A thread that lives: `thread`, or one of its workgroup, or any. False: none does. */
bool sam_gdb_some_thread(struct sam_gdb *gdb, struct sam_gdb_thread *thread);
/* After the session went back: any workgroup may live again. */
void sam_gdb_recount(struct sam_gdb *gdb);
/* "workgroup 0 warp 2"; what it is doing. */
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
/* Lay out the registers of the session. False: out of memory. */
bool sam_gdb_lay_out(struct sam_gdb *gdb);
/* Register `index` of the layout; it must be below layout.count. */
struct sam_gdb_register sam_gdb_register_at(const struct sam_gdb *gdb, unsigned index);
/* Append its value as digits; `x` for each one that is not there. */
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
/* Take the points out of the session, or put them into the next one. */
void sam_gdb_remove_points(struct sam_gdb *gdb);
enum sam_status sam_gdb_restore_points(struct sam_gdb *gdb, struct sam_error *error);
const struct sam_gdb_point *sam_gdb_find_point(const struct sam_gdb *gdb, unsigned id);
/* Limit breakpoints to lanes; 0: to none. */
enum sam_status sam_gdb_limit_lanes(struct sam_gdb *gdb, uint32_t lanes, struct sam_error *error);

/* --- resume.c: running, and why it stopped */

void sam_gdb_continue(struct sam_gdb *gdb, struct sam_gdb_text text, bool has_signal);
void sam_gdb_step(struct sam_gdb *gdb, struct sam_gdb_text text, bool has_signal);
void sam_gdb_vcont(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_back(struct sam_gdb *gdb, bool by_one);
/* Go on with what the client asked for in the session before. */
void sam_gdb_carry_on(struct sam_gdb *gdb);
void sam_gdb_why(struct sam_gdb *gdb);

/* --- the rest */

void sam_gdb_query(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_set(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_file(struct sam_gdb *gdb, struct sam_gdb_text text);
void sam_gdb_monitor(struct sam_gdb *gdb, const char *command);
/* Append part of a document: 'm' or 'l', and the bytes. */
void sam_gdb_send_part(struct sam_gdb *gdb, const void *data, size_t size, uint64_t offset,
                       uint64_t length);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A commit log in memory: its records, grouped by warp. logread.c, logitem.c. */
#ifndef SAM_TRACE_LOG_H
#define SAM_TRACE_LOG_H

#include "base/base.h"
#include "isa/isa.h"
#include "samite/logdiff.h"

/* The CSR that the instruction only reads, or UINT32_MAX. */
static inline uint32_t sam_log_csr_read(uint32_t word)
{
    const bool sets_nothing = (word >> 15 & 31) == 0;
    return sam_word_is(word, SAM_OP_csrrs) && sets_nothing ? sam_word_csr(word) : UINT32_MAX;
}

enum { SAM_LOG_LANES = 64 };

/* A change made by a record. Registers above 255 do not occur. */
enum sam_log_kind { SAM_LOG_NONE, SAM_LOG_SCALAR, SAM_LOG_VECTOR, SAM_LOG_MEMORY, SAM_LOG_MASK };

struct sam_log_item {
    enum sam_log_kind kind;
    unsigned reg;
    uint32_t value; /* scalar register or SIMT mask: the value; memory: the address */
    bool stored;    /* memory: a store of `data` */
    uint32_t data;
    bool has_mask; /* vector register: `mask` has the lanes written */
    uint32_t mask;
    unsigned lanes;
    uint32_t words[SAM_LOG_LANES]; /* from the highest lane down */
};

struct sam_log_cursor {
    const char *at, *end;
    enum sam_log_form form;
};

/* Read the next item at the cursor; its kind is NONE after the last. */
void sam_log_next(struct sam_log_cursor *cursor, struct sam_log_item *item);

struct sam_log_record {
    size_t at;     /* offset of its items in the text */
    uint32_t size; /* bytes of items */
    uint32_t line; /* 1-based line number */
    uint32_t pc;
    uint32_t word;  /* 0: not in the log */
    uint32_t owner; /* index of the warp */
};

/* One warp of one workgroup. */
struct sam_log_warp {
    uint32_t id;           /* as read from CSR_WID, else as in the log */
    uint32_t group[3];     /* as read from CSR_GDX, GDY, GDZ; UINT32_MAX: never read */
    uint32_t nth;          /* number of workgroups that the same core or slot ran before */
    uint32_t first, count; /* range of its records in `order` */
};

struct sam_log {
    const char *text;
    size_t size;
    enum sam_log_form form;
    struct sam_log_record *records; /* in file order */
    size_t record_count;
    struct sam_log_warp *warps;
    size_t warp_count;
    uint32_t *order; /* record indices by warp, in file order within a warp */
    uint32_t open;   /* the last line, if it is unterminated; else 0 */
    size_t ignored[SAM_LOG_IGNORED_KINDS];
    size_t first_other;
};

/* `name` is for messages. Free the log even after a failure. */
enum sam_status sam_log_read(const char *text, size_t size, const char *name, struct sam_log *log,
                             struct sam_error *error);
void sam_log_free(struct sam_log *log);

static inline const struct sam_log_record *
sam_log_record_of(const struct sam_log *log, const struct sam_log_warp *warp, uint32_t i)
{
    return &log->records[log->order[warp->first + i]];
}

static inline struct sam_log_cursor sam_log_items(const struct sam_log *log,
                                                  const struct sam_log_record *record)
{
    const char *at = log->text + record->at;
    return (struct sam_log_cursor){at, at + record->size, log->form};
}

/* --- characters and numbers */
/* Parse up to 16 digits; returns their count. */
unsigned sam_log_hex(const char **at, const char *end, uint64_t *value);
/* Parse up to 9 decimal digits. */
unsigned sam_log_decimal(const char **at, const char *end, uint32_t *value);
static inline void sam_log_blanks(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}
/* Skip `word` if it is next; returns whether it was. */
static inline bool sam_log_take(const char **at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(end - *at) < size || memcmp(*at, word, size) != 0)
        return false;
    *at += size;
    return true;
}

#endif

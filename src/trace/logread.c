/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a commit log: splits lines into records and groups these by warp. */
#include "trace/log.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

/* A core of the simulator or a warp slot of the hardware, which runs warps one after another. */
struct slot {
    uint64_t key;   /* 1 + (SM, number); 0: free */
    uint32_t warp;  /* index of the running warp, or NOWHERE */
    uint32_t last;  /* the running warp's last record, or NOWHERE */
    uint32_t start; /* pc of the slot's first record */
    uint32_t nth;
    bool started; /* has had a record */
    bool ended;   /* its last record is an endprg */
    bool beyond;  /* has run past that endprg, as the simulator does */
    bool pending; /* the first line of an instruction has been read, but not the second */
};

struct reader {
    struct sam_log *log;
    const char *line, *end; /* the current line */
    uint32_t number;
    struct slot *slots; /* by key, with open addressing */
    size_t slot_count, slots_used;
    size_t record_capacity, warp_capacity;
    bool exhausted;
};

/* ------------------------------------------------------------------------------------ slots */

static struct slot *find(struct slot *slots, size_t count, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (count - 1);
    while (slots[at].key && slots[at].key != key)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static struct slot *slot_of(struct reader *r, uint32_t sm, uint32_t number)
{
    const uint64_t key = ((uint64_t)sm << 32 | number) + 1;
    if (r->slots_used * 2 >= r->slot_count) {
        const size_t count = r->slot_count ? r->slot_count * 2 : 64;
        struct slot *slots = sam_alloc(count, sizeof *slots);
        if (!slots) {
            r->exhausted = true;
            return NULL;
        }
        for (size_t i = 0; i < r->slot_count; i++)
            if (r->slots[i].key)
                *find(slots, count, r->slots[i].key) = r->slots[i];
        free(r->slots);
        r->slots = slots;
        r->slot_count = count;
    }
    struct slot *slot = find(r->slots, r->slot_count, key);
    if (!slot->key) {
        *slot = (struct slot){.key = key, .warp = NOWHERE, .last = NOWHERE};
        r->slots_used++;
    }
    return slot;
}

static void ignore(struct reader *r, enum sam_log_ignored kind)
{
    if (kind == SAM_LOG_OTHER && !r->log->first_other)
        r->log->first_other = r->number;
    r->log->ignored[kind]++;
}

/* ---------------------------------------------------------------------------------- records */

static bool new_warp(struct reader *r, struct slot *slot)
{
    struct sam_log *log = r->log;
    void *grown = sam_grow(log->warps, log->warp_count, &r->warp_capacity, sizeof *log->warps);
    if (!grown) {
        r->exhausted = true;
        return false;
    }
    log->warps = grown;
    slot->warp = (uint32_t)log->warp_count++;
    log->warps[slot->warp] = (struct sam_log_warp){.id = (uint32_t)(slot->key - 1),
                                                   .group = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                                                   .nth = slot->nth++};
    slot->ended = slot->beyond = false;
    return true;
}

/* Whether the record belongs to a warp that has ended. A new workgroup does not begin right after
 * the endprg. */
static bool runs_on(const struct reader *r, struct slot *slot, uint32_t pc)
{
    if (!slot->ended || pc == slot->start)
        return false;
    slot->beyond |= pc == r->log->records[slot->last].pc + 4;
    return slot->beyond;
}

/* Identify the warp by what the program reads of its position in the launch, since hardware puts
 * warps into any slot. Ventus 3.2. */
static void learn_place(const struct sam_log *log, const struct sam_log_record *record,
                        struct sam_log_warp *warp)
{
    static const uint32_t place[] = {SAM_CSR_gdx, SAM_CSR_gdy, SAM_CSR_gdz};
    struct sam_log_item item;
    const uint32_t csr = sam_log_csr_read(record->word);
    unsigned axis = 0;
    while (axis < SAM_COUNT(place) && csr != place[axis])
        axis++;
    if (csr != SAM_CSR_wid && axis == SAM_COUNT(place))
        return;
    struct sam_log_cursor cursor = sam_log_items(log, record);
    sam_log_next(&cursor, &item);
    if (item.kind != SAM_LOG_SCALAR)
        return;
    if (csr == SAM_CSR_wid)
        warp->id = item.value;
    else if (warp->group[axis] == UINT32_MAX)
        warp->group[axis] = item.value;
}

static void add_record(struct reader *r, struct slot *slot, uint32_t pc, uint32_t word,
                       const char *items)
{
    struct sam_log *log = r->log;
    const size_t size = (size_t)(r->end - items);
    if (runs_on(r, slot, pc)) {
        ignore(r, SAM_LOG_AFTER_END);
        return;
    }
    void *grown =
        sam_grow(log->records, log->record_count, &r->record_capacity, sizeof *log->records);
    if (!grown || ((slot->warp == NOWHERE || slot->ended) && !new_warp(r, slot))) {
        if (grown)
            log->records = grown;
        r->exhausted = true;
        return;
    }
    log->records = grown;
    if (!slot->started)
        slot->start = pc;
    slot->started = true;
    slot->ended = sam_word_is(word, SAM_OP_endprg);
    slot->last = (uint32_t)log->record_count++;
    log->records[slot->last] =
        (struct sam_log_record){.at = (size_t)(items - log->text),
                                .size = (uint32_t)(size < UINT32_MAX ? size : 0),
                                .line = r->number,
                                .pc = pc,
                                .word = word,
                                .owner = slot->warp};
    log->warps[slot->warp].count++;
    learn_place(log, &log->records[slot->last], &log->warps[slot->warp]);
}

/* -------------------------------------------------------------------- instruction simulator */

/* The second line of an instruction, or a repeated one: a join that branches to itself, or a
 * waiting barrier. */
static void commit(struct reader *r, struct slot *slot, uint32_t pc, uint32_t word,
                   const char *items)
{
    const struct sam_log_record *last = slot->last == NOWHERE ? NULL : &r->log->records[slot->last];
    const bool again =
        !slot->pending && last && !slot->ended && last->pc == pc && last->word == word;
    slot->pending = false;
    if (again && sam_word_is(word, SAM_OP_barrier))
        ignore(r, SAM_LOG_REPEATED);
    else
        add_record(r, slot, pc, word, items);
}

/* "core   0: 0x80000058 (0x0002a303) lw x6, 0(x5)", "core   0: 3 0x80000058 (0x0002a303) x6 ...",
 * "core   0: Executed 3 times". Returns false for other lines. */
static bool read_isa(struct reader *r)
{
    enum { ROM = 0x1000, ROM_END = 0x2000 };
    const char *at = r->line, *end = r->end;
    uint32_t number;
    uint64_t pc, word;
    if (!sam_log_take(&at, end, "core"))
        return false;
    sam_log_blanks(&at, end);
    if (!sam_log_decimal(&at, end, &number) || !sam_log_take(&at, end, ": "))
        return false;
    if (sam_log_take(&at, end, "Executed ")) {
        ignore(r, SAM_LOG_EXECUTED);
        return true;
    }
    /* A privilege level marks the second line. */
    const bool second = end - at > 1 && at[0] >= '0' && at[0] <= '3' && at[1] == ' ';
    at += second ? 2 : 0;
    if (!sam_log_take(&at, end, "0x") || sam_log_hex(&at, end, &pc) < 8 ||
        !sam_log_take(&at, end, " (0x") || sam_log_hex(&at, end, &word) != 8 ||
        !sam_log_take(&at, end, ")"))
        return false;
    struct slot *slot = slot_of(r, 0, number);
    if (!slot)
        return true;
    if (pc >= ROM && pc < ROM_END) {
        ignore(r, SAM_LOG_ROM);
        slot->warp = NOWHERE;
        slot->ended = slot->beyond = false;
    } else if (second) {
        commit(r, slot, (uint32_t)pc, (uint32_t)word, at);
    } else {
        if (slot->pending)
            ignore(r, SAM_LOG_INCOMPLETE);
        slot->pending = true;
    }
    return true;
}

/* --------------------------------------------------------------------------------- hardware */

/* "SM 0 ", "SM0 ", "sm   0 " before "warp": returns the number, 0 if absent. */
static uint32_t sm_before(const char *line, const char *warp)
{
    const char *at = warp;
    uint32_t sm;
    while (at > line && at[-1] == ' ')
        at--;
    const char *end = at;
    while (at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    const char *digits = at;
    while (at > line && at[-1] == ' ')
        at--;
    const bool named =
        at - line >= 2 && (at[-1] == 'M' || at[-1] == 'm') && (at[-2] == 'S' || at[-2] == 's');
    return named && sam_log_decimal(&digits, end, &sm) ? sm : 0;
}

/* "0x0002a303", or "LW_0x0002a303" as written by the cycle simulator. */
static bool word_of(const char *at, const char *end, uint32_t *word)
{
    const char *digits = end - at > 10 ? end - 10 : at;
    uint64_t value;
    if ((digits > at && digits[-1] != '_') || !sam_log_take(&digits, end, "0x") ||
        sam_log_hex(&digits, end, &value) != 8 || digits != end)
        return false;
    *word = (uint32_t)value;
    return true;
}

/* Find the register write in the rest of a line, setting *word on the way. NULL: there is none. */
static const char *find_write(struct reader *r, const char *at, uint32_t *word)
{
    struct sam_log_item item;
    for (; sam_log_blanks(&at, r->end), at < r->end;) {
        const char *from = at;
        while (at < r->end && *at != ' ' && *at != '\t')
            at++;
        if (!*word && word_of(from, at, word))
            continue;
        /* the start of an access names its registers, too */
        if (sam_log_take(&from, at, "lsu.") || sam_log_take(&from, at, "LSU"))
            return NULL;
        if (*from != 'x' && *from != 'v')
            continue;
        struct sam_log_cursor cursor = {from, r->end, SAM_LOG_RTL};
        sam_log_next(&cursor, &item);
        if (item.kind != SAM_LOG_NONE)
            return from;
    }
    return NULL;
}

/* "SM 0 warp 3 0x80000194 ... x 001 80000198". Returns false for other lines. */
static bool read_rtl(struct reader *r)
{
    const char *at = memmem(r->line, (size_t)(r->end - r->line), "warp", 4);
    uint32_t number, word = 0;
    uint64_t pc;
    if (!at || (at > r->line && at[-1] != ' '))
        return false;
    const uint32_t sm = sm_before(r->line, at);
    at += 4;
    sam_log_blanks(&at, r->end);
    if (!sam_log_decimal(&at, r->end, &number) || at == r->end || *at != ' ')
        return false;
    sam_log_blanks(&at, r->end);
    if (!sam_log_take(&at, r->end, "0x") || sam_log_hex(&at, r->end, &pc) != 8) {
        ignore(r, SAM_LOG_NO_REGISTER);
        return true;
    }
    struct slot *slot = slot_of(r, sm, number);
    const char *write = find_write(r, at, &word);
    if (slot && write) {
        add_record(r, slot, (uint32_t)pc, word, write);
    } else {
        ignore(r, SAM_LOG_NO_REGISTER);
        if (slot && sam_word_is(word, SAM_OP_endprg))
            slot->warp = NOWHERE;
    }
    return true;
}

/* ------------------------------------------------------------------------------------- file */

/* The first line that matches decides the form of the log. */
static void read_line(struct reader *r, bool *known, bool open)
{
    struct sam_log *log = r->log;
    bool taken;
    if (r->line == r->end)
        return;
    if (!*known) {
        log->form = SAM_LOG_ISA;
        taken = read_isa(r);
        log->form = taken ? SAM_LOG_ISA : SAM_LOG_RTL;
        *known = taken = taken || read_rtl(r);
    } else {
        taken = log->form == SAM_LOG_ISA ? read_isa(r) : read_rtl(r);
    }
    if (!taken)
        ignore(r, open ? SAM_LOG_INCOMPLETE : SAM_LOG_OTHER);
}

static enum sam_status read_lines(struct reader *r, const char *name, struct sam_error *error)
{
    const struct sam_log *log = r->log;
    const char *at = log->text, *end = at + log->size;
    bool known = false;
    while (at < end && !r->exhausted) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (++r->number == UINT32_MAX)
            return sam_fail(error, SAM_ERR_INPUT, "%s: a log of more than 2^32 lines", name);
        r->line = at;
        r->end = line_end ? line_end : end;
        at = line_end ? line_end + 1 : end;
        if (r->end > r->line && r->end[-1] == '\r')
            r->end--;
        if (!line_end)
            r->log->open = r->number;
        read_line(r, &known, !line_end);
    }
    for (size_t i = 0; i < r->slot_count; i++)
        if (r->slots[i].key && r->slots[i].pending)
            ignore(r, SAM_LOG_INCOMPLETE);
    return r->exhausted ? sam_fail_memory(error) : SAM_OK;
}

/* Fill `order`: a counting sort by warp. */
static bool group(struct sam_log *log)
{
    uint32_t *next = sam_alloc(log->warp_count, sizeof *next), first = 0;
    log->order = sam_alloc(log->record_count, sizeof *log->order);
    const bool ok = next && log->order;
    for (size_t i = 0; ok && i < log->warp_count; i++) {
        log->warps[i].first = next[i] = first;
        first += log->warps[i].count;
    }
    for (size_t i = 0; ok && i < log->record_count; i++)
        log->order[next[log->records[i].owner]++] = (uint32_t)i;
    free(next);
    return ok;
}

enum sam_status sam_log_read(const char *text, size_t size, const char *name, struct sam_log *log,
                             struct sam_error *error)
{
    *log = (struct sam_log){.text = text, .size = size};
    struct reader r = {.log = log};
    enum sam_status status = read_lines(&r, name, error);
    free(r.slots);
    if (status == SAM_OK && !log->record_count)
        return sam_fail(error, SAM_ERR_INPUT,
                        "%s: no record found: expected a commit log of an instruction simulator "
                        "or of the RTL",
                        name);
    if (status == SAM_OK && !group(log))
        return sam_fail_memory(error);
    return status;
}

void sam_log_free(struct sam_log *log)
{
    free(log->records);
    free(log->warps);
    free(log->order);
    *log = (struct sam_log){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The race check: concurrent accesses to the same byte. */
#include "sanitize/race.h"

#include <stdlib.h>

#define PAGES (UINT32_C(1) << 20)

bool sam_sanitize_race_new(struct sam_sanitizer *s)
{
    s->race = sam_pages_new(sizeof *s->race);
    if (s->race)
        s->race->pages = sam_pages_new(PAGES * sizeof *s->race->pages);
    return s->race && s->race->pages;
}

void sam_sanitize_race_free(struct sam_sanitizer *s)
{
    struct sanitize_race *r = s->race;
    if (!r)
        return;
    sam_sanitize_arena_free(&r->arena);
    sam_pages_free(r->pages, PAGES * sizeof *r->pages);
    free(r->firsts);
    free(r->nodes);
    sam_pages_free(r, sizeof *r);
}

/* ---------------------------------------------------------------------------------- events */

void sam_sanitize_race_begin(struct sam_sanitizer *s)
{
    struct sanitize_race *r = s->race;
    r->launch++;
    r->now = 0;
    r->group_count = 0;
    r->node_count = 1;
    r->free_node = 0;
    memset(r->numbers, 0, sizeof r->numbers);
}

void sam_sanitize_race_enter(struct sam_sanitizer *s)
{
    struct sanitize_race *r = s->race;
    void *grown = sam_grow(r->firsts, r->group_count, &r->group_capacity, sizeof *r->firsts);
    r->first = ++r->now;
    sam_race_lock_enter(r);
    if (!grown) {
        s->failed = true;
        return;
    }
    r->firsts = grown;
    r->firsts[r->group_count++] = r->first;
}

void sam_sanitize_race_release(struct sam_sanitizer *s)
{
    s->race->now++;
    sam_race_lock_release(s->race);
}

/* -------------------------------------------------------------------------------- findings */

/* The workgroup that an interval belongs to. */
static uint32_t group_of(const struct sanitize_race *r, uint32_t when)
{
    size_t low = 0, high = r->group_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (r->firsts[middle] <= when)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* The lane that accessed this byte of the word, or UINT32_MAX. */
static uint32_t lane_of(const struct race_site *site, race_who who, uint32_t byte)
{
    const uint32_t lane = who & 63;
    if (lane == RACE_NO_LANE)
        return UINT32_MAX;
    return lane < RACE_LANES ? lane : lane - RACE_LANES + (site->size ? byte / site->size : 0);
}

static struct sam_finding_side side_of(const struct sanitize_race *r, race_who who, uint32_t byte)
{
    const struct race_site *site = &r->sites[(uint32_t)who >> 16];
    return (struct sam_finding_side){
        .known = true,
        .workgroup = group_of(r, race_when(who)),
        .warp = race_warp(who),
        .lane = lane_of(site, who, byte),
        .pc = site->pc,
        .word = site->word,
        .prefix = site->prefix,
        .access = site->access,
    };
}

/* The bytes of the instruction's element that contains this byte; the whole word if the site is
 * unknown. */
static uint32_t element_of(const struct sanitize_race *r, race_who who)
{
    const uint32_t size = r->sites[(uint32_t)who >> 16].size;
    return size ? size : 4;
}

static void report(struct sam_sanitizer *s, enum sam_finding_kind kind, race_who earlier,
                   const struct race_access *a, uint8_t bytes)
{
    struct sanitize_race *r = s->race;
    if (r->racing)
        r->racing(r->racing_context, a->address, bytes);
    const uint32_t first = (uint32_t)__builtin_ctz(bytes);
    /* The overlap of both elements, even if the values have some equal bytes. */
    const uint32_t own = element_of(r, a->who), other = element_of(r, earlier);
    const uint32_t size = own < other ? own : other;
    const struct sam_finding finding = {
        .kind = kind,
        .sides = {side_of(r, a->who, first), side_of(r, earlier, first)},
        .has_address = true,
        .address = a->address + (first & ~(size - 1)),
        .size = size,
    };
    sam_sanitize_report(s, &finding);
}

void sam_race_report(struct sam_sanitizer *s, race_who earlier, const struct race_access *a,
                     uint8_t bytes)
{
    const bool others = race_when(earlier) < s->race->first;
    report(s,
           a->local ? SAM_FINDING_RACE_LOCAL
           : others ? SAM_FINDING_RACE_GROUPS
                    : SAM_FINDING_RACE_WARPS,
           earlier, a, bytes);
}

/* ------------------------------------------------------------------------------ instructions */

/* The site number of the instruction. */
static uint32_t site_of(struct sanitize_race *r, const struct sam_sanitize_op *op)
{
    const uint32_t word = op->insn->word;
    uint32_t at = (op->pc ^ word * 2654435761u ^ op->prefix * 2246822519u) * 2654435761u >> 15;
    for (; r->slots[at]; at = (at + 1) % (2 * (RACE_SITES + 1))) {
        const struct race_site *site = &r->sites[r->slots[at]];
        if (site->pc == op->pc && site->word == word && site->prefix == op->prefix)
            return r->slots[at];
    }
    if (r->site_count == RACE_SITES)
        return 0;
    r->sites[++r->site_count] = (struct race_site){.pc = op->pc,
                                                   .word = word,
                                                   .prefix = op->prefix,
                                                   .size = op->bytes,
                                                   .access = sam_sanitize_side(op, 0).access};
    r->slots[at] = (uint16_t)r->site_count;
    return r->site_count;
}

static enum race_kind kind_of(const struct sam_insn *insn)
{
    switch (sam_insn_rows[insn->op].does.act) {
    case SAM_ACT_STORE: return RACE_STORE;
    case SAM_ACT_ATOMIC: return RACE_ATOMIC_STORE; /* including an sc that fails */
    case SAM_ACT_RESERVE: return RACE_ATOMIC_LOAD;
    default: return RACE_LOAD;
    }
}

enum { ELEMENTS = 2 * SAM_SANITIZE_GROUPS * SAM_MAX_LANES };

/* The accesses of an instruction by element. */
struct elements {
    unsigned count;
    uint32_t address[ELEMENTS];
    uint32_t value[ELEMENTS];
    uint8_t lane[ELEMENTS];
};

static unsigned data_of(const struct sam_insn *insn)
{
    return strchr(sam_insn_rows[insn->op].operands, 'W') ? insn->rs3 : insn->rs2;
}

static void find_scalar(const struct sam_sanitize_op *op, enum race_kind kind, struct elements *e)
{
    const unsigned data = op->insn->rs2;
    e->count = op->words;
    for (unsigned word = 0; word < op->words; word++) {
        e->address[word] = op->address[0][0] + word * op->apart;
        e->value[word] = kind == RACE_STORE && data ? op->warp->x[data + word] : 0;
        e->lane[word] = RACE_NO_LANE;
    }
}

static void find_vector(const struct sam_sanitize_op *op, enum race_kind kind, struct elements *e)
{
    const unsigned data = kind == RACE_STORE ? data_of(op->insn) : 0;
    e->count = 0;
    for (unsigned g = 0; g < op->groups; g++) {
        for (uint32_t bits = op->acting[g]; bits; bits &= bits - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(bits);
            for (unsigned word = 0; word < op->words; word++) {
                e->address[e->count] = op->address[g][lane] + word * op->apart;
                e->value[e->count] = op->warp->v[(data + g + word) & 255][lane];
                e->lane[e->count++] = (uint8_t)lane;
            }
        }
    }
}

enum { PAGE_BYTES = 1024 * sizeof(struct race_cell) };

/* The cells of a page, cleared if they belong to an earlier launch. Returns NULL on
 * out-of-memory. */
static SAM_NOINLINE struct race_cell *open_page(struct sam_sanitizer *s, struct race_page *page)
{
    if (page->cells)
        memset(page->cells, 0, PAGE_BYTES);
    else
        page->cells = sam_sanitize_arena_take(&s->race->arena, PAGE_BYTES);
    page->launch = s->race->launch;
    s->failed |= !page->cells;
    return page->cells;
}

static inline struct race_cell *cell_of(struct sam_sanitizer *s, uint32_t address)
{
    struct race_page *page = &s->race->pages[address >> 12];
    struct race_cell *cells = page->cells;
    if (SAM_UNLIKELY(page->launch != s->race->launch))
        cells = open_page(s, page);
    return cells ? &cells[(address >> 2) & 1023] : NULL;
}

/* The low 1, 2 or 4 bytes of a word. */
static inline uint32_t low_bytes(unsigned size)
{
    return size < 4 ? (UINT32_C(1) << 8 * size) - 1 : UINT32_MAX;
}

static SAM_NOINLINE void note(struct sam_sanitizer *s, struct race_cell *cell, race_who who,
                              enum race_kind kind, uint32_t address, unsigned size, uint32_t value)
{
    const unsigned at = address & 3;
    const uint32_t bits = low_bytes(size);
    sam_race_note(s, cell,
                  &(struct race_access){.who = who,
                                        .kind = kind,
                                        .local = address - SAM_LDS_BASE < SAM_LDS_SIZE,
                                        .address = address & ~3u,
                                        .value = (value & bits) << 8 * at,
                                        .bytes = (uint8_t)(((1u << size) - 1) << at),
                                        .locks = s->race->locks[race_warp(who)]});
}

static inline bool access_word(const struct sanitize_race *r, struct race_cell *cell, race_who who,
                               uint32_t warp, enum race_kind kind, uint32_t value, bool local)
{
    return r->locked            ? false
           : kind == RACE_LOAD  ? race_load_word(r, cell, who, warp, local)
           : kind == RACE_STORE ? race_store_word(r, cell, who, warp, value, local)
                                : false;
}

/* Gather/scatter: prefetch all shadow cells before checking the first. */
static void access_each(struct sam_sanitizer *s, race_who who, enum race_kind kind, unsigned size,
                        const struct elements *e)
{
    struct race_cell *cells[ELEMENTS];
    const uint32_t warp = race_warp(who);
    for (unsigned i = 0; i < e->count; i++) {
        cells[i] = cell_of(s, e->address[i]);
        __builtin_prefetch(cells[i], 1);
    }
    for (unsigned i = 0; i < e->count; i++) {
        const uint32_t address = e->address[i], value = e->value[i];
        const bool local = address - SAM_LDS_BASE < SAM_LDS_SIZE;
        if (kind == RACE_LOAD && i > 0 && address == e->address[i - 1])
            continue; /* lanes that load the same word count as one access */
        if (cells[i] && (size != 4 || !access_word(s->race, cells[i], who | e->lane[i], warp, kind,
                                                   value, local)))
            note(s, cells[i], who | e->lane[i], kind, address, size, value);
    }
}

/* Lanes 0 to count - 1 access consecutive words of one page. */
static inline void access_row_of(struct sam_sanitizer *s, race_who who, enum race_kind kind,
                                 uint32_t address, unsigned count, const uint32_t *values,
                                 bool local)
{
    struct race_cell *cell = cell_of(s, address);
    const uint32_t warp = race_warp(who);
    for (unsigned i = 0; cell && i < count; i++, cell++)
        if (!access_word(s->race, cell, who | i, warp, kind, values[i], local))
            note(s, cell, who | i, kind, address + 4 * i, 4, values[i]);
}

static SAM_NOINLINE void access_row(struct sam_sanitizer *s, race_who who, enum race_kind kind,
                                    uint32_t address, unsigned count, const uint32_t *values)
{
    const bool local = address - SAM_LDS_BASE < SAM_LDS_SIZE;
    if (kind == RACE_LOAD && local)
        access_row_of(s, who, RACE_LOAD, address, count, values, true);
    else if (kind == RACE_LOAD)
        access_row_of(s, who, RACE_LOAD, address, count, values, false);
    else if (local)
        access_row_of(s, who, RACE_STORE, address, count, values, true);
    else
        access_row_of(s, who, RACE_STORE, address, count, values, false);
}

/* Lanes access consecutive bytes or halfwords: those that fill a word are one access. */
static SAM_NOINLINE void access_packed(struct sam_sanitizer *s, race_who who, enum race_kind kind,
                                       uint32_t address, unsigned size, unsigned count,
                                       const uint32_t *values)
{
    const unsigned each = 4 / size;
    const uint32_t mask = low_bytes(size), warp = race_warp(who);
    const bool local = address - SAM_LDS_BASE < SAM_LDS_SIZE;
    for (unsigned i = 0, filled; i < count; i += filled) {
        const uint32_t at = address + size * i;
        struct race_cell *cell = cell_of(s, at);
        filled = at & 3 || count - i < each ? 1 : each;
        uint32_t value = 0;
        for (unsigned k = 0; k < filled; k++)
            value |= (values[i + k] & mask) << (8 * size * k);
        const race_who one = who | (filled == 1 ? i : RACE_LANES + i);
        if (cell && (filled == 1 || !access_word(s->race, cell, one, warp, kind, value, local)))
            note(s, cell, one, kind, at, size * filled, value);
    }
}

/* Whether all lanes access consecutive elements of one page: the common case. */
static bool is_row(const struct sam_sanitize_op *op, enum race_kind kind)
{
    const uint32_t *at = op->address[0], lanes = op->warp->lanes, size = op->bytes;
    uint32_t apart = 0;
    if (!op->vector || op->groups != 1 || op->words != 1 || kind > RACE_STORE ||
        op->acting[0] != UINT32_MAX >> (32 - lanes))
        return false;
    for (uint32_t i = 0; i < lanes; i++)
        apart |= at[i] ^ (at[0] + size * i);
    return !(apart | (at[0] & (size - 1))) && (at[0] & 4095) + size * lanes <= 4096;
}

/* Lanes of one instruction that store different values to one address. Elements are aligned to
 * their size, so they either coincide or are disjoint. */
static void check_lanes(struct sam_sanitizer *s, race_who who, const struct elements *e,
                        unsigned size)
{
    enum { SLOTS = 2 * ELEMENTS };
    const uint32_t mask = low_bytes(size);
    bool rising = true;
    for (unsigned i = 1; i < e->count; i++)
        rising &= e->address[i] > e->address[i - 1];
    if (rising)
        return;
    uint8_t slots[SLOTS] = {0};
    for (unsigned i = 0; i < e->count; i++) {
        unsigned at = (e->address[i] * 2654435761u >> 16) % SLOTS;
        while (slots[at] && e->address[slots[at] - 1] != e->address[i])
            at = (at + 1) % SLOTS;
        if (!slots[at]) {
            slots[at] = (uint8_t)(i + 1);
            continue;
        }
        const unsigned first = slots[at] - 1u, shift = e->address[i] & 3;
        const uint8_t differ = race_differ(e->value[i] & mask, e->value[first] & mask);
        if (differ)
            report(s, SAM_FINDING_RACE_LANES, who | e->lane[first],
                   &(struct race_access){.who = who | e->lane[i], .address = e->address[i] & ~3u},
                   (uint8_t)(differ << shift));
    }
}

void sam_sanitize_race_see(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    struct sanitize_race *r = s->race;
    const enum race_kind kind = kind_of(op->insn);
    const unsigned size = op->bytes;
    struct elements e;
    const race_who who = (uint64_t)r->now << 32 | (uint64_t)site_of(r, op) << 16 |
                         (uint64_t)(op->warp->number & 1023) << 6;
    r->locked = r->any_held && race_is_locked(&r->locks[race_warp(who)]);
    if (is_row(op, kind)) {
        const unsigned data = kind == RACE_STORE ? data_of(op->insn) : 0;
        const uint32_t *values = op->warp->v[data];
        if (size == 4)
            access_row(s, who, kind, op->address[0][0], op->warp->lanes, values);
        else
            access_packed(s, who, kind, op->address[0][0], size, op->warp->lanes, values);
        return;
    }
    if (op->vector)
        find_vector(op, kind, &e);
    else
        find_scalar(op, kind, &e);
    for (unsigned i = 0; i < e.count; i++)
        if (e.address[i] & (size - 1))
            e.count = i; /* it traps at this element */
    if (kind == RACE_STORE && op->vector && e.count > 1)
        check_lanes(s, who, &e, size);
    access_each(s, who, kind, size, &e);
    if (kind == RACE_ATOMIC_STORE && e.count)
        sam_race_lock(r, op);
}

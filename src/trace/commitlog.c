/* SPDX-License-Identifier: Apache-2.0 */
/* The commit log, in the format of the public Ventus ISA simulator, so that logs can be compared
 * with diff. */
#include "trace/trace.h"

#define VSTART " c8_vstart 0x00000000"

/* Append the digits. Returns the end. */
static inline char *put_hex8(char *to, uint32_t value)
{
    sam_put_le64(to, sam_commit_digits(value));
    return to + 8;
}

/* A literal */
#define PUT(p, text) ((char *)memcpy(p, text, sizeof(text) - 1) + sizeof(text) - 1)

static char *put_text(char *p, const char *text)
{
    const size_t size = strlen(text);
    memcpy(p, text, size); /* NOLINT(bugprone-not-null-terminated-result): the line continues */
    return p + size;
}

/* " 0x" and 8 digits */
static char *put_word(char *p, uint32_t value)
{
    return put_hex8(PUT(p, " 0x"), value);
}

static char *put_decimal(char *p, unsigned value)
{
    char digits[10];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *p++ = digits[--count];
    return p;
}

/* " v12", padded to three characters */
static char *put_register(char *p, char kind, unsigned number)
{
    *p++ = ' ';
    *p++ = kind;
    p = put_decimal(p, number);
    if (number < 10)
        *p++ = ' ';
    return p;
}

static char *put_vector(const struct sam_commit *c, char *p)
{
    for (unsigned r = 0; r < c->v_count; r++) {
        p = put_register(p, 'v', c->v + r);
        *p++ = ' ';
        p = PUT(put_hex8(p, c->mask), " 0x");
        p = (c->put_lanes ? c->put_lanes : sam_commit_put_lanes)(p, &c->v_values[r * 32], c->lanes);
    }
    return p;
}

static char *put_memory(const struct sam_commit *c, char *p)
{
    for (unsigned i = 0; i < c->access_count; i++) {
        const struct sam_step_access *a = &c->accesses[i];
        p = put_word(PUT(p, " mem"), (uint32_t)a->address);
        if (!c->store)
            continue;
        /* Omit the upper digits of a zero byte or half word. */
        const unsigned digits = a->size == 1 ? (a->value & 0xf0 ? 2 : 1) : a->size == 2 ? 4 : 8;
        char word[8];
        put_hex8(word, (uint32_t)a->value);
        p = PUT(p, " 0x");
        memcpy(p, word + 8 - digits, digits);
        p += digits;
    }
    return p;
}

/* "core   0:" */
static char *put_core(char *p, unsigned core)
{
    p = PUT(p, "core ");
    for (unsigned least = 100; least > core && least > 1; least /= 10)
        *p++ = ' ';
    p = put_decimal(p, core);
    *p++ = ':';
    return p;
}

/* " 0x80000000 (0x00000013)" */
static char *put_place(const struct sam_commit *c, char *p)
{
    p = put_hex8(PUT(put_word(p, c->pc), " (0x"), c->word);
    *p++ = ')';
    return p;
}

/* Whether the warp repeats the same instruction. If not, append the count of the previous one if it
 * ran more than once. */
static bool runs_again(const struct sam_commit *c, char **p)
{
    struct sam_commit_last *last = c->last;
    if (!last)
        return false;
    if (last->times && last->pc == c->pc && last->word == c->word) {
        last->times++;
        return true;
    }
    if (last->times > 1)
        *p = PUT(put_decimal(PUT(put_core(*p, c->core), " Executed "), last->times), " times\n");
    *last = (struct sam_commit_last){c->pc, c->word, 1};
    return false;
}

static char *put_state(const struct sam_commit *c, char *p)
{
    if (c->fflags)
        p = put_word(PUT(p, " c1_fflags"), c->fflags);
    for (unsigned i = 0; i < c->csr_count; i++) {
        p = put_decimal(PUT(p, " c"), c->csrs[i].address);
        *p++ = '_';
        p = put_word(put_text(p, c->csrs[i].name), c->csrs[i].value);
    }
    if (c->vector) {
        p = put_decimal(PUT(p, " e32 m"), c->lmul);
        p = put_decimal(PUT(p, " l"), c->vl);
    }
    return p;
}

static char *put_simt(const struct sam_commit *c, char *p)
{
    char depth[8];
    unsigned zeros = 0;
    p = put_hex8(PUT(p, " current mask:\t"), c->mask);
    p = PUT(put_hex8(PUT(p, " current npc:\t"), c->npc), " stack size: ");
    put_hex8(depth, c->depth);
    while (zeros < 7 && depth[zeros] == '0')
        zeros++;
    memcpy(p, depth + zeros, 8 - zeros);
    return p + 8 - zeros;
}

/* Upper bound of the size of c's lines without its texts: two heads, the count of the previous
 * instruction, registers with 32 lanes, accesses, CSRs. */
enum { MOST = 128 + 2 * (16 + 32 * 9) + SAM_STEP_ACCESSES * 26 + 4 * 32 + 256 };

void sam_commit_format(const struct sam_commit *c, struct sam_buffer *out)
{
    const size_t text = strlen(c->text);
    size_t texts = text;
    for (unsigned i = 0; i < c->csr_count; i++)
        texts += strlen(c->csrs[i].name);
    if (!sam_buffer_reserve(out, MOST + texts))
        return;
    char *const begin = (char *)out->data, *p = begin + out->size;
    if (!runs_again(c, &p)) {
        p = put_place(c, put_core(p, c->core));
        *p++ = ' ';
        p = (char *)memcpy(p, c->text, text) + text;
        *p++ = '\n';
    }
    p = put_place(c, PUT(put_core(p, c->core), " 3"));
    if (c->x)
        p = put_word(put_register(p, 'x', c->x), c->x_value);
    /* Arithmetic prints vstart before its registers, loads print it after them. */
    if (c->vstart && !c->load)
        p = PUT(p, VSTART);
    p = put_vector(c, put_state(c, p));
    if (c->vstart && c->load)
        p = PUT(p, VSTART);
    p = put_memory(c, p);
    if (c->simt)
        p = put_simt(c, p);
    *p++ = '\n';
    *p = '\0';
    out->size = (size_t)(p - begin);
}

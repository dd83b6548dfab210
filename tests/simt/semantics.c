/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every line of semantics.txt (format: see its head) through the public API, and fails if a
 * row of the instruction tables has no line. */
#include <ctype.h>

#include "test.h"

#include "isa/isa.h"
#include "program.h"

#define LANES  4
#define MEMORY (DATA + 0x800u)   /* what &0 names */
#define BEFORE (DATA + 0x10000u) /* a struct state, loaded into the registers */
#define AFTER  (DATA + 0x20000u) /* a struct state, stored from them */
#define WORDS  512               /* of memory and of private memory, compared */

/* All state that an instruction can read or write. This file's program accesses it by offset. */
struct state {
    uint32_t x[64];
    uint32_t frm, fflags, rpc, vl, vtype, lane_mask[LANES], ended;
    uint32_t v[256][LANES];
    uint32_t memory[2 * WORDS]; /* &0 is in its middle */
    uint32_t private[WORDS];
};

struct setup {
    struct state state;
    bool x[64], v[256]; /* named in the line */
    bool fell, rpc, vtype;
    uint32_t mask, lmul, fell_mask;
};

static struct sam_isa ventus;
static bool covered[SAM_OP_COUNT];
static bool reads_vd[SAM_OP_COUNT]; /* expected in the lines */
static const char *where;           /* the current line, for messages */

static uint32_t number(const char **text, uint32_t insn)
{
    char *end;
    const char *t = *text;
    uint32_t value;
    if (*t == '@' || *t == '&') {
        value = (*t == '@' ? insn : MEMORY) + (uint32_t)strtol(t + 1, &end, 0);
    } else if (strncmp(t, "inf", 3) == 0 || strncmp(t, "-inf", 4) == 0) {
        value = *t == '-' ? 0xff800000u : 0x7f800000u;
        end = (char *)t + (*t == '-' ? 4 : 3);
    } else if (strncmp(t, "nan", 3) == 0) {
        value = 0x7fc00000u;
        end = (char *)t + 3;
    } else if (strncmp(t, "0b", 2) == 0) {
        value = (uint32_t)strtoul(t + 2, &end, 2);
    } else if (strncmp(t, "0x", 2) == 0) {
        value = (uint32_t)strtoul(t, &end, 16);
    } else {
        size_t length = strspn(t, "+-.0123456789e");
        if (t[length] == 'f') {
            float f = strtof(t, NULL);
            memcpy(&value, &f, sizeof(value));
            end = (char *)t + length + 1;
        } else {
            value = (uint32_t)strtol(t, &end, 10);
        }
    }
    if (end == t)
        fail_msg("a number is missing at '%s' in: %s", t, where);
    *text = end;
    return value;
}

/* A list of numbers into `out`; a single one fills `all` places. */
static void numbers(const char *text, uint32_t insn, uint32_t *out, unsigned all)
{
    unsigned n = 0;
    do {
        out[n++] = number(&text, insn);
    } while (*text == ',' && text++);
    if (*text)
        fail_msg("'%s' is left over in: %s", text, where);
    for (unsigned i = 1; n == 1 && i < all; i++)
        out[i] = out[0];
}

/* One setting, "name=numbers". */
static void set(struct setup *s, const char *token, uint32_t insn)
{
    const char *value = strchr(token, '=');
    struct state *state = &s->state;
    if (strcmp(token, "ended") == 0) {
        state->ended = 0;
        return;
    }
    if (!value)
        fail_msg("'%s' has no value in: %s", token, where);
    size_t length = (size_t)(value++ - token);
    unsigned n = (unsigned)atoi(token + 1), at = (unsigned)atoi(token + 4) / 4;
    if (token[0] == 'x' && n < 64) {
        s->x[n] = true;
        numbers(value, insn, &state->x[n], 1);
    } else if (token[0] == 'v' && isdigit((unsigned char)token[1]) && n < 256) {
        s->v[n] = true;
        numbers(value, insn, state->v[n], LANES);
    } else if (strncmp(token, "mem+", 4) == 0 && at < WORDS - 8) {
        numbers(value, insn, &state->memory[WORDS + at], 1);
    } else if (strncmp(token, "pds+", 4) == 0 && at < WORDS / LANES) {
        numbers(value, insn, &state->private[LANES * at], LANES);
    } else {
        uint32_t got = number(&value, insn);
        static const char *const names[] = {"frm",  "fflags", "rpc",  "vl",
                                            "mask", "lmul",   "fell", "vtype"};
        uint32_t *const places[] = {&state->frm, &state->fflags, &state->rpc,   &state->vl,
                                    &s->mask,    &s->lmul,       &s->fell_mask, &state->vtype};
        bool found = false;
        for (unsigned i = 0; i < 8; i++) {
            if (strlen(names[i]) == length && strncmp(names[i], token, length) == 0) {
                *places[i] = got;
                found = true;
                s->rpc |= i == 2;
                s->fell |= i == 6;
                s->vtype |= i == 7;
            }
        }
        if (!found || *value)
            fail_msg("what is '%s' in: %s", token, where);
    }
}

static void settings(struct setup *s, const char *text, uint32_t insn)
{
    char copy[1024], *save = NULL;
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *t = strtok_r(copy, " \n", &save); t; t = strtok_r(NULL, " \n", &save))
        set(s, t, insn);
}

struct text {
    char bytes[1 << 16];
    size_t size;
};

static void add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, sizeof(t->bytes) - t->size, format, args);
    va_end(args);
    assert_true(t->size < sizeof(t->bytes));
}

/* x27..x31 and v28..v31 are reserved for the program; other registers are loaded and stored if
 * below or named. */
static bool moves_x(const struct setup *s, unsigned n)
{
    return n != 0 && (n < 27 || s->x[n]);
}

static bool moves_v(const struct setup *s, unsigned n)
{
    return n < 28 || (n < 256 && s->v[n]);
}

static unsigned offset_v(unsigned n)
{
    return (unsigned)offsetof(struct state, v) + 4 * LANES * n;
}

/* Load a state, run the instruction, store a state. */
static void write_program(struct text *t, const struct setup *s, const char *insn)
{
    const uint32_t full = (1u << LANES) - 1;
    t->size = 0;
    add(t, "li x30, 0x%x\nli x31, 0x%x\n", BEFORE, AFTER);
    add(t, "addi x29, x30, %u\nvle32.v v28, (x29)\n", (unsigned)offsetof(struct state, lane_mask));
    for (unsigned n = 0; n < 256; n++)
        if (moves_v(s, n))
            add(t, "li x29, 0x%x\nvle32.v v%u, (x29)\n", BEFORE + offset_v(n), n);
    if (s->lmul == 2 || s->state.vl != LANES)
        add(t, "li x29, %u\nvsetvli x29, x29, e32, m%u, ta, ma\n", s->state.vl, s->lmul);
    if (s->mask != full)
        add(t, "la x29, done\nsetrpc x29, x29, 0\nvbeq v28, v29, done\n");
    add(t, "lw x29, %u(x30)\ncsrw fflags, x29\n", (unsigned)offsetof(struct state, fflags));
    add(t, "lw x29, %u(x30)\ncsrw frm, x29\n", (unsigned)offsetof(struct state, frm));
    if (s->fell)
        add(t, "la x29, landing\n");
    else
        add(t, "lw x29, %u(x30)\n", (unsigned)offsetof(struct state, rpc));
    add(t, "csrw rpc, x29\n");
    for (unsigned n = 1; n < 64; n++)
        if (moves_x(s, n))
            add(t, "lw x%u, %u(x30)\n", n, 4 * n);
    add(t, "insn:\n");
    char copy[1024], *save = NULL;
    snprintf(copy, sizeof(copy), "%s", insn);
    for (char *one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save))
        add(t, "%s\n", one);
    if (s->fell)
        add(t, "vadd12.vi v30, v30, 1\n");
    add(t, "landing: join zero, zero, 0\ndone: join zero, zero, 0\n");
    for (unsigned n = 1; n < 64; n++)
        if (moves_x(s, n))
            add(t, "sw x%u, %u(x31)\n", n, 4 * n);
    add(t, "csrr x29, fflags\nsw x29, %u(x31)\n", (unsigned)offsetof(struct state, fflags));
    add(t, "csrr x29, frm\nsw x29, %u(x31)\n", (unsigned)offsetof(struct state, frm));
    add(t, "csrr x29, rpc\nsw x29, %u(x31)\n", (unsigned)offsetof(struct state, rpc));
    add(t, "csrr x29, vl\nsw x29, %u(x31)\n", (unsigned)offsetof(struct state, vl));
    add(t, "csrr x29, vtype\nsw x29, %u(x31)\n", (unsigned)offsetof(struct state, vtype));
    add(t, "li x29, 1\nsw x29, %u(x31)\n", (unsigned)offsetof(struct state, ended));
    add(t, "vsetvli x29, x0, e32, m1, ta, ma\n");
    add(t, "addi x29, x31, %u\nvse32.v v30, (x29)\n", (unsigned)offsetof(struct state, lane_mask));
    for (unsigned n = 0; n < 256; n++)
        if (moves_v(s, n))
            add(t, "li x29, 0x%x\nvse32.v v%u, (x29)\n", AFTER + offset_v(n), n);
    add(t, "endprg x0, x0, x0\n");
}

/* The rows of the words from `insn` up to the first that is not a prefix, which is returned; its
 * op is SAM_OP_ILLEGAL if a prefix may not precede it. */
static struct sam_insn cover(struct program *p, uint32_t insn)
{
    struct sam_insn decoded;
    uint32_t prefix = 0, word = 0;
    bool prefixed = false;
    do {
        prefixed |= prefix != 0;
        word = program_word(p, insn);
        assert_true(sam_decode(&ventus, word, prefix, &decoded));
        covered[decoded.op] = true;
        prefix = word;
        insn += 4;
    } while (sam_op_is_prefix(decoded.op));
    if (prefixed)
        decoded.op = SAM_OP_ILLEGAL;
    return decoded;
}

static int differ(const char *what, unsigned index, uint32_t got, uint32_t expected)
{
    fprintf(stderr, "# %s#   %s%u is 0x%08x, expected 0x%08x\n", where, what, index, got, expected);
    return 1;
}

static int compare(const struct setup *want, const struct state *got)
{
    const struct state *s = &want->state;
    int bad = 0;
    if (got->ended != s->ended)
        return differ("ended ", 0, !got->ended, !s->ended);
    for (unsigned i = 0; i < 2 * WORDS; i++)
        if (got->memory[i] != s->memory[i])
            bad += differ("memory word ", i - WORDS, got->memory[i], s->memory[i]);
    for (unsigned i = 0; i < WORDS; i++)
        if (got->private[i] != s->private[i])
            bad += differ("private word ", i, got->private[i], s -> private[i]);
    if (got->ended == 0)
        return bad;
    for (unsigned n = 1; n < 64; n++)
        if (moves_x(want, n) && got->x[n] != s->x[n])
            bad += differ("x", n, got->x[n], s->x[n]);
    for (unsigned n = 0; n < 256; n++)
        for (unsigned lane = 0; moves_v(want, n) && lane < LANES; lane++)
            if (got->v[n][lane] != s->v[n][lane])
                bad +=
                    differ("register and lane v", 100 * n + lane, got->v[n][lane], s->v[n][lane]);
    if (got->fflags != s->fflags)
        bad += differ("fflags ", 0, got->fflags, s->fflags);
    if (got->frm != s->frm)
        bad += differ("frm ", 0, got->frm, s->frm);
    if (got->vl != s->vl)
        bad += differ("vl ", 0, got->vl, s->vl);
    if (want->rpc && got->rpc != s->rpc)
        bad += differ("rpc ", 0, got->rpc, s->rpc);
    if (want->vtype && got->vtype != s->vtype)
        bad += differ("vtype ", 0, got->vtype, s->vtype);
    for (unsigned lane = 0; want->fell && lane < LANES; lane++)
        if (got->lane_mask[lane] != (want->fell_mask >> lane & 1))
            bad += differ("fell, lane ", lane, got->lane_mask[lane], want->fell_mask >> lane & 1);
    return bad;
}

/* Run the program from a state; *got receives the final state. */
static bool run_from(struct program *p, const struct state *state, struct state *got)
{
    assert_int_equal(sam_gpu_write(p->gpu, BEFORE, state, sizeof *state, &p->error), SAM_OK);
    assert_int_equal(
        sam_gpu_write(p->gpu, MEMORY - 4 * WORDS, state->memory, sizeof state->memory, &p->error),
        SAM_OK);
    assert_int_equal(sam_gpu_write(p->gpu, PDS, state->private, sizeof state->private, &p->error),
                     SAM_OK);
    if (program_run(p) != SAM_OK) {
        fprintf(stderr, "# %s#   %s\n", where, p->error.text);
        return false;
    }
    sam_gpu_read(p->gpu, AFTER, got, sizeof *got, &p->error);
    sam_gpu_read(p->gpu, MEMORY - 4 * WORDS, got->memory, sizeof got->memory, &p->error);
    sam_gpu_read(p->gpu, PDS, got->private, sizeof got->private, &p->error);
    return true;
}

/* Whether an instruction writes every lane of its vd, which none of its other operands names. */
static bool takes_all_lanes(const struct setup *s, const struct sam_insn *i)
{
    return *sam_insn_rows[i->op].operands == 'D' && i->vm && s->lmul == 1 && s->state.vl == LANES &&
           s->mask == (1u << LANES) - 1 && i->rd != i->rs1 && i->rd != i->rs2 && i->rd;
}

/* Returns the number of differences. */
static int run_line(const char *insn, const char *before, const char *after)
{
    static struct text text;
    static struct setup setup, want;
    static struct state got, again;
    setup = (struct setup){.mask = (1u << LANES) - 1, .lmul = 1};
    setup.state.vl = LANES;
    setup.state.ended = 1;
    /* Names first: the program must load and store names of the line's second half, too. The
     * address of the instruction is known after assembly. */
    want = setup;
    settings(&setup, before, 0);
    settings(&want, before, 0);
    settings(&want, after, 0);
    memcpy(setup.x, want.x, sizeof(setup.x));
    memcpy(setup.v, want.v, sizeof(setup.v));
    setup.fell = want.fell;
    write_program(&text, &setup, insn);
    SCOPED(program) p = program_new(text.bytes, LANES);
    uint32_t at = program_symbol(&p, "insn");
    settings(&setup, before, at);
    want.state = setup.state;
    settings(&want, after, at);
    for (unsigned lane = 0; lane < LANES; lane++)
        setup.state.lane_mask[lane] = setup.mask >> lane & 1;
    const struct sam_insn decoded = cover(&p, at);
    int bad = !run_from(&p, &setup.state, &got);
    bad = bad ? bad : compare(&want, &got);
    if (!bad && takes_all_lanes(&setup, &decoded)) {
        for (unsigned lane = 0; lane < LANES; lane++)
            setup.state.v[decoded.rd][lane] ^= 0x01234567 << lane;
        reads_vd[decoded.op] |= !run_from(&p, &setup.state, &again) ||
                                memcmp(again.v[decoded.rd], got.v[decoded.rd], 4 * LANES) != 0;
    }
    return bad;
}

/* "tensor: a b c": rows disabled here; a mnemonic that RV32 has too ends in "/64". */
static void tensor_rows(const char *names)
{
    char copy[1024], *save = NULL;
    snprintf(copy, sizeof(copy), "%s", names);
    for (char *name = strtok_r(copy, " \n", &save); name; name = strtok_r(NULL, " \n", &save)) {
        bool found = false;
        char *slash = strchr(name, '/');
        if (slash)
            *slash = 0;
        for (int op = 1; op < SAM_OP_COUNT; op++) {
            if (strcmp(sam_insn_rows[op].mnemonic, name) != 0 ||
                sam_isa_has_row(&sam_insn_rows[op], &ventus))
                continue;
            covered[op] = found = true;
        }
        if (!found)
            fail_msg("%s is no row that Ventus lacks", name);
    }
}

TEST(every_line_holds)
{
    char path[4096], line[1024];
    const char *root = getenv("SAMITE_SOURCE");
    int lines = 0, bad = 0;
    snprintf(path, sizeof(path), "%s/tests/simt/semantics.txt", root ? root : ".");
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    where = line;
    while (fgets(line, sizeof(line), file)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (strncmp(line, "tensor:", 7) == 0) {
            tensor_rows(line + 7);
            continue;
        }
        FREED char *copy = formatted("%s", line);
        char *before = strchr(copy, '|'), *after = before ? strchr(before + 1, '|') : NULL;
        if (!after)
            fail_msg("a line needs two bars: %s", line);
        *before++ = *after++ = 0;
        lines++;
        bad += run_line(copy, before, after) != 0;
    }
    fclose(file);
    printf("# %d lines\n", lines);
    assert_int_equal(bad, 0);
    assert_true(lines > 0);
}

TEST(every_row_has_a_line)
{
    int missing = 0;
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        /* Rows of another machine belong to its own tests. */
        if (covered[op] || sam_insn_rows[op].on & (SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX))
            continue;
        fprintf(stderr, "# %s has no line\n", sam_insn_rows[op].mnemonic);
        missing++;
    }
    assert_int_equal(missing, 0);
}

/* A result that depends on the previous contents of its register reveals a source. */
TEST(rows_say_what_reads_vd)
{
    int wrong = 0;
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        if (!covered[op] || reads_vd[op] == sam_insn_rows[op].does.reads_vd)
            continue;
        fprintf(stderr, "# the result of %s %s its vd: expected%s READS_VD in its row\n",
                sam_insn_rows[op].mnemonic, reads_vd[op] ? "changes with" : "never changes with",
                reads_vd[op] ? "" : " no");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

PROLOGUE
{
    struct sam_error error;
    if (sam_isa_parse("ventus", &ventus, &error) != SAM_OK)
        exit(1);
}

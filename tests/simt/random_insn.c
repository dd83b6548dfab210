/* SPDX-License-Identifier: Apache-2.0 */
/* Single random instructions: a row of the instruction tables with random fields. */
#include <string.h>

#include "isa/isa.h"
#include "random_gen.h"
#include "reference/ref_insn.h"

static const struct sam_isa ventus = {32, SAM_EXT_I | SAM_EXT_M | SAM_EXT_A | SAM_EXT_ZICSR |
                                              SAM_EXT_ZFINX | SAM_EXT_ZVE32F | SAM_EXT_XVENTUS};

/* The constraints of a row. */
enum shape { PLAIN, MEMORY, OTHER };

static enum shape shape_of(const struct sam_insn_row *row)
{
    static const char *const other[] = {
        "jal",     "jalr",   "beq",        "bne",     "blt",     "bge",      "bltu",
        "bgeu",    "vbeq",   "vbne",       "vblt",    "vbge",    "vbltu",    "vbgeu",
        "join",    "setrpc", "regext",     "regexti", "regpair", "regpairi", "endprg",
        "barrier", "auipc",  "barriersub", "vsetvli", "vsetvl",  "vsetivli", "csrrw",
        "csrrs",   "csrrc",  "csrrwi",     "csrrsi",  "csrrci"};
    for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
        if (strcmp(row->mnemonic, other[i]) == 0)
            return OTHER;
    return strchr(row->operands, '(') ? MEMORY : PLAIN;
}

static const struct sam_insn_row *pick(struct gen_random *r, enum shape shape)
{
    for (;;) {
        const struct sam_insn_row *row = &sam_insn_rows[1 + gen_below(r, SAM_OP_COUNT - 1)];
        if (sam_isa_has_row(row, &ventus) && shape_of(row) == shape)
            return row;
    }
}

/* Register choices: 0 in `ext` means that the prefix needs no bits. */
static unsigned x_target(struct gen_random *r)
{
    return gen_once_in(r, 4) ? 32 + gen_below(r, 32) : gen_below(r, 16);
}

static unsigned x_source(struct gen_random *r)
{
    return gen_once_in(r, 4) ? 32 + gen_below(r, 32) : gen_below(r, 20);
}

static unsigned v_target(struct gen_random *r)
{
    return gen_once_in(r, 4) ? 32 + gen_below(r, 224) : gen_below(r, 20);
}

/* Fields of the current word, and the prefix bits they need. */
struct fields {
    uint32_t word;
    uint32_t ext[4]; /* x3, x2, x1, xd */
    bool imm5;
};

static void put(struct fields *f, unsigned low, unsigned number, unsigned slot)
{
    f->word = (f->word & ~(31u << low)) | (number & 31) << low;
    f->ext[slot] = number >> 5;
}

enum { X3, X2, X1, XD };

/* Assign a number to every register operand of the row. `base` (a scalar) and `vbase` (a vector)
 * are the address operands. */
static struct fields fill(struct gen_random *r, const struct sam_insn_row *row, bool even,
                          unsigned base, unsigned index)
{
    struct fields f = {.word = row->match | (gen_u32(r) & ~row->mask)};
    bool address = false;
    for (const char *c = row->operands; *c; c++) {
        unsigned v = v_target(r) & (even ? ~1u : ~0u);
        switch (*c) {
        case '(': address = true; break;
        case ')': address = false; break;
        case 'd': put(&f, 7, x_target(r), XD); break;
        case 's': put(&f, 15, address ? base : x_source(r), X1); break;
        case 't': put(&f, 20, strchr(row->operands, '(') && index ? index : x_source(r), X2); break;
        case 'r': put(&f, 27, x_source(r), X3); break;
        case 'D': put(&f, 7, v, XD); break;
        case 'W': put(&f, 7, v, X3); break;
        case 'S': put(&f, 15, address ? index : v, X1); break;
        case 'T': put(&f, 20, strstr(row->operands, "(s),T") ? index : v, X2); break;
        case 'm':
            f.word = (f.word & ~0x7000u) | (gen_once_in(r, 2) ? 7u : gen_below(r, 5)) << 12;
            break;
        case 'i':
        case 'k': f.imm5 = true; break;
        case 'M':
            if (!gen_once_in(r, 4))
                f.word |= 1u << 25;
            break;
        }
    }
    return f;
}

static void emit(struct gen_program *p, const struct fields *f, bool pair)
{
    struct gen_random *r = &p->random;
    uint32_t ext = f->ext[X3] << 9 | f->ext[X2] << 6 | f->ext[X1] << 3 | f->ext[XD];
    if (f->imm5 && gen_once_in(r, 3)) {
        uint32_t imm = gen_below(r, 64) << 6 | f->ext[X2] << 3 | f->ext[XD];
        gen_emit(p, gen_i(0x0b, pair ? 7 : 3, 0, 0, (int32_t)imm));
    } else if (ext || pair || gen_once_in(r, 16)) {
        gen_emit(p, gen_i(0x0b, pair ? 5 : 2, 0, 0, (int32_t)ext));
    }
    gen_emit(p, f->word);
}

void gen_plain(struct gen_program *p, bool lmul2)
{
    struct gen_random *r = &p->random;
    const struct sam_insn_row *row = pick(r, PLAIN);
    struct fields f = fill(r, row, lmul2, 0, 0);
    bool pair = !lmul2 && gen_once_in(r, 4) && ref_can_pair(ref_decode(row->match, 0).op);
    emit(p, &f, pair);
}

/* Bytes moved per element: from the mnemonic. */
static unsigned bytes_of(const char *mnemonic)
{
    if (strstr(mnemonic, "ei") || strstr(mnemonic, ".w"))
        return 4;
    if (strstr(mnemonic, "32") || strchr(mnemonic, 'w'))
        return 4;
    if (strstr(mnemonic, "16") || strchr(mnemonic, 'h'))
        return 2;
    return 1;
}

void gen_memory(struct gen_program *p, bool lmul2)
{
    struct gen_random *r = &p->random;
    const struct sam_insn_row *row = pick(r, MEMORY);
    const char *o = row->operands;
    unsigned size = bytes_of(row->mnemonic), base = GEN_X_TEMP + 1, index = 0;
    bool pair = !lmul2 && gen_once_in(r, 4) && ref_can_pair(ref_decode(row->match, 0).op);
    uint32_t align = ~(size - 1);
    unsigned region = gen_once_in(r, 3) ? GEN_X_LDS : GEN_X_SCRATCH;
    unsigned any = v_target(r) & 30;
    int32_t offset = (int32_t)(gen_below(r, 512) & align);
    /* x25 = an address in the warp's own region, with at least half of it above. */
    gen_emit(p, gen_i(0x13, 0, base, region, (int32_t)(gen_below(r, 1024) & align & ~3u)));
    if (strstr(o, "(s),t")) {
        index = GEN_X_TEMP;
        gen_li(p, index, (gen_below(r, 9) - 4u) * size);
    } else if (strstr(o, "(s),T")) {
        gen_li(p, GEN_X_TEMP, 0xfc);
        gen_emit(p, gen_opv(0x09, 4, GEN_V_INDEX, GEN_X_TEMP, any));
        /* Bits above the index's width are ignored: leave some. */
        if (strstr(row->mnemonic, "ei8"))
            gen_emit(p, gen_opv(0x00, 3, GEN_V_INDEX, 0, GEN_V_INDEX));
        index = GEN_V_INDEX;
    } else if (strstr(o, "(S)")) {
        bool private = strchr(o, 'x') || strchr(o, 'y');
        index = private ? GEN_V_PRIVATE : GEN_V_ADDRESS;
        gen_li(p, GEN_X_TEMP, 0x1ff & align);
        gen_emit(p, gen_opv(0x09, 4, index, GEN_X_TEMP, any));
        if (!private)
            gen_emit(p, gen_opv(0x00, 4, index, base, index));
        else if (gen_once_in(r, 4)) { /* a negative offset */
            gen_li(p, GEN_X_TEMP, 256);
            gen_emit(p, gen_opv(0x00, 4, index, GEN_X_TEMP, index));
            offset = -(int32_t)(gen_below(r, 256) & align);
        }
    }
    struct fields f = fill(r, row, lmul2 || pair, base, index);
    if (strchr(o, 'o'))
        f.word = (f.word & 0x000fffffu) | (uint32_t)offset << 20;
    if (strchr(o, 'x'))
        f.word = (f.word & 0x800fffffu) | ((uint32_t)offset & 0x7ff) << 20;
    if (strchr(o, 'q'))
        f.word = (f.word & 0x01fff07fu) | ((uint32_t)offset & 31) << 7 |
                 ((uint32_t)offset >> 5 & 127) << 25;
    if (strchr(o, 'y'))
        f.word = (f.word & 0x81fff07fu) | ((uint32_t)offset & 31) << 7 |
                 ((uint32_t)offset >> 5 & 63) << 25;
    emit(p, &f, pair);
}

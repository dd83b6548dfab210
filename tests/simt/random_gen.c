/* SPDX-License-Identifier: Apache-2.0 */
/* Whole random programs: prologue, nested control flow, epilogue. */
#include "random_gen.h"

#include <stdlib.h>

uint32_t gen_u32(struct gen_random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)((r->state * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

uint32_t gen_below(struct gen_random *r, uint32_t n)
{
    return (uint32_t)((uint64_t)gen_u32(r) * n >> 32);
}

bool gen_once_in(struct gen_random *r, uint32_t n)
{
    return gen_below(r, n) == 0;
}

uint32_t gen_value(struct gen_random *r)
{
    static const uint32_t special[] = {
        0,          1,          2,          3,          0xffffffff, 0xfffffffe, 0x7fffffff,
        0x80000000, 0x80000001, 31,         32,         0xff,       0x80,       0x8000,
        0xffff,     0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f800001, 0xffc12345, 0x00800000, 0x007fffff, 0x7f7fffff, 0x4f000000,
        0xcf000000, 0x4f800000, 0x33800000, 0x4b000001, 0x3effffff, 0xbf000000, 0x42b00000,
    };
    switch (gen_below(r, 5)) {
    case 0: return special[gen_below(r, sizeof(special) / sizeof(*special))];
    case 1: return gen_below(r, 64) - 16;
    case 2: /* a float of moderate size, so that sums cancel and round */
        return gen_u32(r) & 0x80000000u ? 0x3f000000u + (gen_u32(r) >> 7)
                                        : 0xbf000000u + (gen_u32(r) >> 7);
    case 3: return gen_u32(r) & ~(0xffffffffu >> gen_below(r, 32));
    default: return gen_u32(r);
    }
}

void gen_emit(struct gen_program *p, uint32_t word)
{
    if (p->count == GEN_MAX_WORDS)
        abort();
    p->words[p->count++] = word;
}

uint32_t gen_i(uint32_t opcode, uint32_t funct3, unsigned rd, unsigned rs1, int32_t imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

uint32_t gen_s(uint32_t opcode, uint32_t funct3, unsigned rs1, unsigned rs2, int32_t imm)
{
    uint32_t u = (uint32_t)imm;
    return (u >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u & 31) << 7 | opcode;
}

uint32_t gen_b(uint32_t opcode, uint32_t funct3, unsigned rs1, unsigned rs2, int32_t imm)
{
    uint32_t u = (uint32_t)imm;
    return (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
           (u >> 1 & 15) << 8 | (u >> 11 & 1) << 7 | opcode;
}

uint32_t gen_jal(unsigned rd, int32_t offset)
{
    uint32_t u = (uint32_t)offset;
    return (u >> 20 & 1) << 31 | (u >> 1 & 1023) << 21 | (u >> 11 & 1) << 20 |
           (u >> 12 & 255) << 12 | rd << 7 | 0x6f;
}

uint32_t gen_opv(uint32_t funct6, uint32_t funct3, unsigned rd, unsigned rs1, unsigned rs2)
{
    return funct6 << 26 | 1u << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x57;
}

void gen_li(struct gen_program *p, unsigned rd, uint32_t value)
{
    gen_emit(p, ((value + 0x800) & 0xfffff000u) | rd << 7 | 0x37);
    gen_emit(p, gen_i(0x13, 0, rd, rd, (int32_t)(value << 20) >> 20));
}

static int32_t distance(size_t from, size_t to)
{
    return 4 * (int32_t)((int64_t)to - (int64_t)from);
}

/* vsetvli x24, x0, e32, m1: every element of one register again. */
static void full_vector(struct gen_program *p)
{
    gen_emit(p, 0x0d000057u | 7u << 12 | GEN_X_TEMP << 7);
}

/* x[rd] = address of the word `target`; the pair is emitted at the current position. */
static void patch_address(struct gen_program *p, size_t at, unsigned rd, size_t target)
{
    uint32_t offset = (uint32_t)distance(at, target);
    p->words[at] = ((offset + 0x800) & 0xfffff000u) | rd << 7 | 0x17;
    /* setrpc rd, rd, low */
    p->words[at + 1] = gen_i(0x5b, 3, rd, rd, (int32_t)(offset << 20) >> 20);
}

static void block(struct gen_program *p, unsigned depth, bool uniform, unsigned length);

/* setrpc JOIN; vbranch ELSE; ...; jal JOIN; ELSE: ...; JOIN: join */
static void vector_if(struct gen_program *p, unsigned depth)
{
    struct gen_random *r = &p->random;
    static const uint32_t funct3[6] = {0, 1, 4, 5, 6, 7};
    bool has_else = gen_once_in(r, 2);
    size_t setrpc = p->count;
    gen_emit(p, 0);
    gen_emit(p, 0);
    size_t branch = p->count;
    gen_emit(p, 0);
    block(p, depth + 1, false, 1 + gen_below(r, 6));
    size_t jump = p->count, middle = jump;
    if (has_else) {
        gen_emit(p, 0);
        middle = p->count;
        block(p, depth + 1, false, 1 + gen_below(r, 6));
        p->words[jump] = gen_jal(0, distance(jump, p->count));
    }
    p->words[branch] = gen_b(0x5b, funct3[gen_below(r, 6)], gen_below(r, 20), gen_below(r, 20),
                             distance(branch, middle));
    patch_address(p, setrpc, GEN_X_TEMP + 2, p->count);
    gen_emit(p, 0x205b);
}

/* Lanes leave the loop in different iterations. */
static void vector_loop(struct gen_program *p, unsigned depth)
{
    struct gen_random *r = &p->random;
    unsigned counter = GEN_V_LOOP + 2 * depth;
    gen_emit(p, gen_opv(0x09, 3, counter, 3, gen_below(r, 20))); /* vand.vi: 0..3 turns */
    size_t top = p->count;
    gen_emit(p, 0);
    gen_emit(p, 0);
    gen_emit(p, gen_opv(0x17, 3, GEN_V_ZERO, 0, 0)); /* vmv.v.i zero, 0 */
    size_t branch = p->count;
    gen_emit(p, 0);
    block(p, depth + 1, false, 1 + gen_below(r, 4));
    gen_emit(p, gen_opv(0x00, 3, counter, 31, counter)); /* vadd.vi counter, counter, -1 */
    gen_emit(p, gen_jal(0, distance(p->count, top)));
    /* vbge zero, counter, JOIN */
    p->words[branch] = gen_b(0x5b, 5, counter, GEN_V_ZERO, distance(branch, p->count));
    patch_address(p, top, GEN_X_TEMP + 2, p->count);
    gen_emit(p, 0x205b);
}

static void scalar_loop(struct gen_program *p, unsigned depth, bool uniform)
{
    struct gen_random *r = &p->random;
    unsigned counter = GEN_X_LOOP + depth;
    gen_li(p, counter, 1 + gen_below(r, 3));
    size_t top = p->count;
    block(p, depth + 1, uniform, 1 + gen_below(r, 4));
    gen_emit(p, gen_i(0x13, 0, counter, counter, -1));
    gen_emit(p, gen_b(0x63, 1, counter, 0, distance(p->count, top)));
}

static void scalar_if(struct gen_program *p, unsigned depth)
{
    struct gen_random *r = &p->random;
    static const uint32_t funct3[6] = {0, 1, 4, 5, 6, 7};
    size_t branch = p->count;
    gen_emit(p, 0);
    block(p, depth + 1, false, 1 + gen_below(r, 4));
    p->words[branch] = gen_b(0x63, funct3[gen_below(r, 6)], gen_below(r, 16), gen_below(r, 16),
                             distance(branch, p->count));
}

/* A call over a few words and back. */
static void call(struct gen_program *p)
{
    size_t over = p->count;
    gen_emit(p, 0);
    size_t function = p->count;
    gen_plain(p, false);
    gen_emit(p, gen_i(0x67, 0, 0, GEN_X_TEMP, 0)); /* jalr x0, 0(x24) */
    p->words[over] = gen_jal(0, distance(over, p->count));
    gen_emit(p, gen_jal(GEN_X_TEMP, distance(p->count, function)));
}

/* A few instructions under another vl and LMUL. */
static void vset(struct gen_program *p)
{
    struct gen_random *r = &p->random;
    bool two = gen_once_in(r, 2);
    uint32_t type = 0x10u | two | gen_below(r, 4) << 6;
    gen_li(p, GEN_X_TEMP, gen_once_in(r, 4) ? gen_u32(r) : gen_below(r, 2 * p->lanes + 4));
    switch (gen_below(r, 4)) {
    case 0: /* vsetivli */
        gen_emit(p, 0xc0007057u | type << 20 | gen_below(r, 32) << 15 | GEN_X_TEMP << 7);
        break;
    case 1: /* vsetvl */
        gen_emit(p, gen_i(0x13, 0, GEN_X_TEMP + 1, 0, (int32_t)type));
        gen_emit(p,
                 0x80007057u | (GEN_X_TEMP + 1) << 20 | GEN_X_TEMP << 15 | gen_below(r, 16) << 7);
        break;
    default: /* vsetvli */
        gen_emit(p, 0x7057u | type << 20 | GEN_X_TEMP << 15 | gen_below(r, 16) << 7);
    }
    for (unsigned n = 1 + gen_below(r, 6); n > 0; n--) {
        if (gen_once_in(r, 4))
            gen_memory(p, two);
        else
            gen_plain(p, two);
    }
    gen_emit(p, gen_i(0x73, 2, gen_below(r, 16), 0, 0xc20)); /* csrr vl */
    gen_emit(p, gen_i(0x73, 2, gen_below(r, 16), 0, 0xc21)); /* csrr vtype */
    full_vector(p);
}

static void csr(struct gen_program *p)
{
    struct gen_random *r = &p->random;
    static const int32_t read_only[] = {0x800, 0x801, 0x802, 0x803, 0x804, 0x805, 0x806,
                                        0x807, 0x808, 0x809, 0x80a, 0xc20, 0xc21, 0xc22,
                                        0xf14, 0xc00, 0xc02, 0xc80, 0xc82, 0x008};
    unsigned rd = gen_below(r, 16);
    switch (gen_below(r, 4)) {
    case 0: /* a launch CSR, by csrrs or csrrc with x0, csrrsi or csrrci with 0 */
        gen_emit(p, gen_i(0x73, (gen_once_in(r, 2) ? 2 : 3) + 4 * gen_below(r, 2), rd, 0,
                          read_only[gen_below(r, sizeof(read_only) / sizeof(*read_only))]));
        break;
    case 1: /* frm, a valid mode */ gen_emit(p, gen_i(0x73, 5, rd, gen_below(r, 5), 0x002)); break;
    case 2: /* fflags by register or immediate; the rounding mode is unchanged */
        gen_emit(
            p, gen_i(0x73, 1 + gen_below(r, 3) + 4 * gen_below(r, 2), rd, gen_below(r, 16), 0x001));
        break;
    default: /* mscratch, and fcsr set and cleared in its flags only */
        if (gen_once_in(r, 2))
            gen_emit(p, gen_i(0x73, 1 + gen_below(r, 3), rd, gen_below(r, 16), 0x340));
        else
            gen_emit(p, gen_i(0x73, 6 + gen_below(r, 2), rd, gen_below(r, 32), 0x003));
    }
}

/* Write an instruction a few words ahead, then run it. */
static void patch_code(struct gen_program *p)
{
    struct gen_random *r = &p->random;
    size_t at = p->count;
    uint32_t word = gen_i(0x13, 0, 1 + gen_below(r, 15), 0, (int32_t)gen_below(r, 4096) - 2048);
    p->patches_code = true;
    gen_li(p, GEN_X_TEMP, word);
    gen_li(p, GEN_X_TEMP + 1, GEN_CODE + 4 * (uint32_t)(at + 6));
    gen_emit(p, gen_s(0x23, 2, GEN_X_TEMP + 1, GEN_X_TEMP, 0));
    gen_emit(p, 0x0000100f); /* fence.i */
    gen_emit(p, 0x00000013); /* replaced */
}

/* Every warp writes its LDS, waits, and reads another's. */
static void exchange(struct gen_program *p)
{
    struct gen_random *r = &p->random;
    gen_memory(p, false);
    gen_emit(p, 0x0400400bu | gen_below(r, 32) << 15); /* barrier */
    gen_emit(p, 0x80502073u | (GEN_X_TEMP << 7));      /* csrr x24, wid */
    gen_emit(p, gen_i(0x13, 4, GEN_X_TEMP, GEN_X_TEMP, 1));
    gen_emit(p, gen_i(0x13, 1, GEN_X_TEMP, GEN_X_TEMP, 12));
    gen_emit(p, 0x70000037u | (GEN_X_TEMP + 1) << 7);
    gen_emit(p, 0x00000033u | GEN_X_TEMP << 20 | (GEN_X_TEMP + 1) << 15 | GEN_X_TEMP << 7);
    gen_emit(p, gen_i(0x03, 2, 1 + gen_below(r, 15), GEN_X_TEMP, (int32_t)gen_below(r, 256) * 4));
    gen_emit(p, 0x02006007u | GEN_X_TEMP << 15 | gen_below(r, 20) << 7); /* vle32.v */
    gen_emit(p, 0x0400400bu);
}

/* A trap, if it is reached. */
static void trap(struct gen_program *p)
{
    struct gen_random *r = &p->random;
    unsigned x = 1 + gen_below(r, 15), v = gen_below(r, 20);
    switch (gen_below(r, 14)) {
    case 0: gen_emit(p, gen_u32(r)); break;
    case 1: gen_emit(p, 0); break;
    case 2: gen_emit(p, gen_i(0x03, gen_below(r, 8), x, x, 1)); break;
    case 3: gen_emit(p, gen_s(0x23, gen_below(r, 8), x, x, -3)); break;
    case 4: gen_emit(p, gen_i(0x7b, gen_below(r, 8), v, v, 2)); break;
    case 5: gen_emit(p, gen_i(0x2b, gen_below(r, 8), v, v, 4)); break;
    case 6: gen_emit(p, 0x400b); break; /* endprg */
    case 7: gen_emit(p, 0x0400400b); break;
    case 8: gen_emit(p, gen_i(0x67, 0, x, x, (int32_t)gen_below(r, 8))); break;
    case 9: gen_emit(p, gen_i(0x73, gen_below(r, 8), x, x, (int32_t)gen_below(r, 4096))); break;
    case 10: /* a prefix that the instruction cannot take, or registers out of range */
        gen_emit(p, gen_i(0x0b, 2 + gen_below(r, 2), 0, 0, (int32_t)gen_u32(r)));
        gen_plain(p, false);
        break;
    case 11: /* pairs at the end of a buffer and of private memory */
        gen_li(p, GEN_X_TEMP, gen_once_in(r, 2) ? GEN_KERNEL + 60 : GEN_PDS);
        gen_emit(p, gen_opv(0x17, 4, v, GEN_X_TEMP, 0));
        gen_emit(p, gen_i(0x0b, 5, 0, 0, 0));
        switch (gen_below(r, 4)) {
        case 0: gen_emit(p, gen_i(0x03, 2, x, GEN_X_TEMP, 0)); break;
        case 1: gen_emit(p, gen_s(0x23, 2, GEN_X_TEMP, x, 0)); break;
        case 2: gen_emit(p, gen_i(0x2b, 2, 18, v, 0)); break;
        default: gen_emit(p, gen_s(0x7b, 6, v, 18, 0));
        }
        break;
    case 12: /* odd registers under LMUL 2 */
        gen_emit(p, 0x0d100057u | 7u << 12 | GEN_X_TEMP << 7);
        gen_plain(p, false);
        full_vector(p);
        break;
    default: /* vector memory at random addresses */
        gen_emit(p, (gen_once_in(r, 2) ? 0x06006007u : 0x06006027u) | v << 20 |
                        GEN_X_SCRATCH << 15 | gen_below(r, 20) << 7);
    }
}

static void item(struct gen_program *p, unsigned depth, bool uniform)
{
    struct gen_random *r = &p->random;
    if (p->trap == GEN_TRAP && gen_once_in(r, 12))
        trap(p);
    unsigned what = gen_below(r, 40);
    if (what < 20 || depth >= 4)
        gen_plain(p, false);
    else if (what < 28)
        gen_memory(p, false);
    else if (what < 31)
        vector_if(p, depth);
    else if (what < 32 && depth < 2)
        vector_loop(p, depth);
    else if (what < 33)
        scalar_loop(p, depth, uniform);
    else if (what < 34)
        scalar_if(p, depth);
    else if (what < 36)
        vset(p);
    else if (what < 37)
        csr(p);
    else if (what < 38 && uniform)
        exchange(p);
    else if (what < 39)
        patch_code(p);
    else if (gen_once_in(r, 2))
        call(p);
    else /* amoadd.w x0: every order gives the same sum */
        gen_emit(p, 0x0000202fu | gen_below(r, 16) << 20 | GEN_X_COUNTER << 15);
}

static void block(struct gen_program *p, unsigned depth, bool uniform, unsigned length)
{
    while (length-- > 0 && p->count < GEN_MAX_WORDS / 2)
        item(p, depth, uniform);
}

/* x24 = linear number of this warp; the bases of its memory; then registers from the input. */
static void prologue(struct gen_program *p)
{
    unsigned t = GEN_X_TEMP;
    gen_emit(p, gen_i(0x73, 2, t, 0, 0x804));     /* wgid */
    gen_emit(p, gen_i(0x73, 2, t + 1, 0, 0x801)); /* numw */
    gen_emit(p, 0x02000033u | (t + 1) << 20 | t << 15 | t << 7);
    gen_emit(p, gen_i(0x73, 2, t + 1, 0, 0x805)); /* wid */
    gen_emit(p, 0x00000033u | (t + 1) << 20 | t << 15 | t << 7);
    gen_li(p, GEN_X_LDS, 0x70000000 + GEN_REGION / 4);
    gen_emit(p, gen_i(0x13, 1, t + 1, t + 1, 12));
    gen_emit(p, 0x00000033u | (t + 1) << 20 | GEN_X_LDS << 15 | GEN_X_LDS << 7);
    gen_emit(p, gen_i(0x13, 1, t + 1, t, 16)); /* GEN_STRIDE */
    gen_li(p, GEN_X_IN, GEN_INPUT);
    gen_emit(p, 0x00000033u | (t + 1) << 20 | GEN_X_IN << 15 | GEN_X_IN << 7);
    gen_li(p, GEN_X_OUT, GEN_RESULT);
    gen_emit(p, 0x00000033u | (t + 1) << 20 | GEN_X_OUT << 15 | GEN_X_OUT << 7);
    gen_emit(p, gen_i(0x13, 1, t + 1, t, 12)); /* GEN_REGION */
    gen_li(p, GEN_X_SCRATCH, GEN_SCRATCH + GEN_REGION / 4);
    gen_emit(p, 0x00000033u | (t + 1) << 20 | GEN_X_SCRATCH << 15 | GEN_X_SCRATCH << 7);
    gen_li(p, GEN_X_COUNTER, GEN_COUNTER);
    for (unsigned x = 1; x < 64; x++) {
        if (x >= 20 && x < 32)
            continue;
        if (x >= 32)
            gen_emit(p, gen_i(0x0b, 2, 0, 0, (int32_t)(x >> 5)));
        gen_emit(p, gen_i(0x03, 2, x & 31, GEN_X_IN, (int32_t)(4 * x)));
    }
    for (unsigned v = 0; v < 256; v++) {
        if (v >= 32)
            gen_emit(p, gen_i(0x0b, 2, 0, 0, (int32_t)(v >> 5)));
        gen_emit(p, 0x02006007u | GEN_X_IN << 15 | (v & 31) << 7);
        gen_emit(p, gen_i(0x13, 0, GEN_X_IN, GEN_X_IN, 128));
    }
}

static void store_csr(struct gen_program *p, int32_t number, int32_t offset)
{
    gen_emit(p, gen_i(0x73, 2, GEN_X_TEMP, 0, number));
    gen_emit(p, gen_s(0x23, 2, GEN_X_OUT, GEN_X_TEMP, offset));
}

static void epilogue(struct gen_program *p)
{
    static const int32_t csrs[] = {0x001, 0x002, 0x003, 0xc20, 0xc21, 0xc22,
                                   0x80c, 0x800, 0x805, 0x340, 0xc02, 0x008};
    full_vector(p);
    for (unsigned x = 1; x < 64; x++) {
        if (x == GEN_X_OUT)
            continue;
        if (x >= 32)
            gen_emit(p, gen_i(0x0b, 2, 0, 0, (int32_t)(x >> 5 << 6)));
        gen_emit(p, gen_s(0x23, 2, GEN_X_OUT, x & 31, (int32_t)(4 * x)));
    }
    for (unsigned i = 0; i < sizeof(csrs) / sizeof(*csrs); i++)
        store_csr(p, csrs[i], (int32_t)(256 + 4 * i));
    gen_emit(p, gen_i(0x13, 0, GEN_X_OUT, GEN_X_OUT, 384));
    for (unsigned v = 0; v < 256; v++) {
        gen_emit(p, gen_i(0x13, 0, GEN_X_OUT, GEN_X_OUT, 128));
        if (v >= 32) /* data of a standard vector store goes through x3 */
            gen_emit(p, gen_i(0x0b, 2, 0, 0, (int32_t)(v >> 5 << 9)));
        gen_emit(p, 0x02006027u | GEN_X_OUT << 15 | (v & 31) << 7);
    }
    gen_emit(p, 0x400b);
}

void gen_make(struct gen_program *p)
{
    struct gen_random *r = &p->random;
    p->count = 0;
    p->patches_code = false;
    prologue(p);
    p->body = p->count;
    gen_emit(p, gen_i(0x73, 5, 0, gen_below(r, 5), 0x002)); /* frm */
    block(p, 0, true, 8 + gen_below(r, 40));
    p->body_end = p->count;
    epilogue(p);
}

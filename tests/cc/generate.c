/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cc/generate.h"

#include <stdbool.h>
#include <string.h>

enum { VARIABLES = 5, LONGS = 2, ARRAY = 8, LOCAL = 64 };

struct generator {
    struct sam_buffer *text;
    uint64_t state;
    unsigned number, functions;
    unsigned budget;  /* statements left */
    unsigned loops;   /* names of counters */
    unsigned in_loop; /* loops that a work-item may leave alone */
    unsigned under_condition;
    int indent;
    bool in_kernel;
    bool may_return; /* no barrier follows */
};

static uint32_t below(struct generator *g, uint32_t n)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t mixed = (g->state ^ g->state >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((mixed >> 33) % n);
}

#define PUT(...) sam_buffer_printf(g->text, __VA_ARGS__)

static void line(struct generator *g)
{
    PUT("\n%*s", 4 * g->indent, "");
}

static void whole(struct generator *g, int depth);

static void constant(struct generator *g)
{
    static const char *const special[] = {"0u",          "1u",          "2u",
                                          "31u",         "0xffu",       "0x7fffffffu",
                                          "0x80000000u", "0xffffffffu", "0x12345678u"};
    if (below(g, 2))
        PUT("%s", special[below(g, sizeof special / sizeof *special)]);
    else
        PUT("%uu", below(g, 1000));
}

/* An expression of type ulong. */
static void wide(struct generator *g, int depth)
{
    static const char *const operators[] = {"+", "-", "*", "&", "|", "^"};
    static const char *const longs[] = {"mul_hi", "rotate", "add_sat",  "sub_sat",
                                        "min",    "max",    "abs_diff", "rhadd"};
    switch (depth <= 0 ? below(g, 2) : below(g, 9)) {
    case 0: PUT("w%u", below(g, LONGS)); return;
    case 1:
        PUT("(ulong)");
        whole(g, 0);
        return;
    case 2:
    case 3:
        PUT("(");
        wide(g, depth - 1);
        PUT(" %s ", operators[below(g, 6)]);
        wide(g, depth - 1);
        PUT(")");
        return;
    case 4:
        PUT("(");
        wide(g, depth - 1);
        PUT(" %s (", below(g, 2) ? "<<" : ">>");
        whole(g, depth - 2);
        PUT(" & 63u))");
        return;
    case 5:
        PUT("(");
        wide(g, depth - 1);
        PUT(" %s (", below(g, 2) ? "/" : "%");
        wide(g, depth - 2);
        PUT(" | 1ul))");
        return;
    case 6:
        PUT("(ulong)((long)(");
        wide(g, depth - 1);
        PUT(") %s)", below(g, 2) ? ">> 7" : "/ -37l");
        return;
    case 7:
        PUT("%s(", longs[below(g, sizeof longs / sizeof *longs)]);
        wide(g, depth - 1);
        PUT(", ");
        wide(g, depth - 1);
        PUT(")");
        return;
    default:
        PUT("(");
        whole(g, depth - 1);
        PUT(" & 4u ? ");
        wide(g, depth - 1);
        PUT(" : upsample(");
        whole(g, depth - 1);
        PUT(", v0))");
    }
}

/* A condition: `uniform` when all work-items of the workgroup agree on it. */
static void condition(struct generator *g, int depth, bool uniform)
{
    static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};
    if (uniform) {
        PUT("%s %% %uu %s %uu", below(g, 2) ? "n" : "(uint)get_group_id(0)", 2 + below(g, 4),
            relations[below(g, 6)], below(g, 3));
        return;
    }
    switch (below(g, depth > 1 ? 6 : 4)) {
    case 0:
        whole(g, depth - 1);
        PUT(" & %uu", 1u << below(g, 6));
        return;
    case 1:
        PUT("(int)");
        whole(g, depth - 1);
        PUT(" %s (int)", relations[below(g, 6)]);
        whole(g, depth - 1);
        return;
    case 2:
        whole(g, depth - 1);
        PUT(" %s ", relations[below(g, 6)]);
        whole(g, depth - 1);
        return;
    case 3:
        wide(g, depth - 1);
        PUT(" %s ", relations[below(g, 6)]);
        wide(g, depth - 1);
        return;
    default:
        PUT("(");
        condition(g, depth - 1, false);
        PUT(") %s (", below(g, 2) ? "&&" : "||");
        condition(g, depth - 1, false);
        PUT(")");
    }
}

/* A finite float of operations that IEEE 754 defines to the last bit. */
static void real(struct generator *g, int depth)
{
    switch (depth <= 0 ? 0 : below(g, 6)) {
    case 0:
        PUT("(float)(int)(");
        whole(g, depth - 1);
        PUT(" & 0x3ffu)");
        return;
    case 1:
        PUT("(");
        real(g, depth - 1);
        PUT(" %s ", below(g, 2) ? "-" : "+");
        real(g, depth - 1);
        PUT(")");
        return;
    case 2:
        PUT("(");
        real(g, 0);
        PUT(" * ");
        real(g, depth - 1);
        PUT(")");
        return;
    case 3:
        PUT("%s(", below(g, 2) ? "floor" : "fabs");
        real(g, depth - 1);
        PUT(" * 0.25f)");
        return;
    case 4:
        PUT("%s(", below(g, 2) ? "fmin" : "fmax");
        real(g, depth - 1);
        PUT(", ");
        real(g, depth - 1);
        PUT(")");
        return;
    default:
        PUT("fma(");
        real(g, 0);
        PUT(", ");
        real(g, 0);
        PUT(", ");
        real(g, depth - 1);
        PUT(")");
    }
}

static void pair(struct generator *g, const char *function, int depth)
{
    PUT("%s(", function);
    whole(g, depth);
    PUT(", ");
    whole(g, depth);
    PUT(")");
}

static void builtin(struct generator *g, int depth)
{
    static const char *const two[] = {"rotate", "mul_hi",   "add_sat", "sub_sat", "hadd",
                                      "rhadd",  "abs_diff", "min",     "max"};
    static const char *const one[] = {"clz", "popcount", "abs"};
    switch (below(g, 8)) {
    case 0:
    case 1: pair(g, two[below(g, sizeof two / sizeof *two)], depth); return;
    case 2:
        PUT("%s(", one[below(g, 3)]);
        whole(g, depth);
        PUT(")");
        return;
    case 3:
        PUT("%s(", below(g, 2) ? "mad_sat" : below(g, 2) ? "bitselect" : "mad_hi");
        whole(g, depth);
        PUT(", ");
        whole(g, depth);
        PUT(", ");
        whole(g, depth);
        PUT(")");
        return;
    case 4:
        PUT("mul24(");
        whole(g, depth);
        PUT(" & 0xffffffu, ");
        whole(g, depth);
        PUT(" & 0xffffffu)");
        return;
    case 5: {
        static const char *const types[] = {"char", "uchar", "short", "ushort"};
        PUT("(uint)convert_%s_sat((int)", types[below(g, 4)]);
        whole(g, depth);
        PUT(")");
        return;
    }
    case 6:
        PUT("(uint)%s((int)", below(g, 2) ? "add_sat" : "sub_sat");
        whole(g, depth);
        PUT(", (int)");
        whole(g, depth);
        PUT(")");
        return;
    default:
        PUT("select(");
        whole(g, depth);
        PUT(", ");
        whole(g, depth);
        PUT(", ");
        whole(g, depth);
        PUT(")");
    }
}

/* An expression of type uint, in a form that binds tightest. */
static void whole(struct generator *g, int depth)
{
    static const char *const operators[] = {"+", "-", "*", "&", "|", "^"};
    switch (depth <= 0 ? below(g, 4) : below(g, 17)) {
    case 0:
    case 1: PUT("v%u", below(g, VARIABLES)); return;
    case 2: constant(g); return;
    case 3: PUT("q.%c", "xyzw"[below(g, 4)]); return;
    case 4:
    case 5:
    case 6:
        PUT("(");
        whole(g, depth - 1);
        PUT(" %s ", operators[below(g, 6)]);
        whole(g, depth - 1);
        PUT(")");
        return;
    case 7:
        PUT("(");
        if (below(g, 2))
            PUT("(uint)((int)v%u >> ", below(g, VARIABLES)),
                PUT("(v%u & 31u)))", below(g, VARIABLES));
        else {
            whole(g, depth - 1);
            PUT(" %s (", below(g, 2) ? "<<" : ">>");
            whole(g, depth - 2);
            PUT(" & 31u))");
        }
        return;
    case 8:
        PUT("(");
        whole(g, depth - 1);
        PUT(" %s (", below(g, 2) ? "/" : "%");
        whole(g, depth - 2);
        PUT(" | 1u))");
        return;
    case 9: /* of halves, so that the least number by -1 cannot occur */
        PUT("(uint)(((int)");
        whole(g, depth - 1);
        PUT(" >> 1) %s ((int)", below(g, 2) ? "/" : "%");
        whole(g, depth - 2);
        PUT(" | 1))");
        return;
    case 10:
        PUT("(");
        condition(g, depth - 1, false);
        PUT(" ? ");
        whole(g, depth - 1);
        PUT(" : ");
        whole(g, depth - 1);
        PUT(")");
        return;
    case 11:
        PUT("a[");
        whole(g, depth - 1);
        PUT(" & %uu]", ARRAY - 1);
        return;
    case 12:
        if (g->in_kernel)
            PUT("in[");
        else
            PUT("table[");
        whole(g, depth - 1);
        PUT(" & %uu]", g->in_kernel ? GENERATE_IN - 1 : 15);
        return;
    case 13:
        PUT("(uint)(");
        wide(g, depth - 1);
        PUT(" >> %u)", below(g, 33));
        return;
    case 14: builtin(g, depth - 1); return;
    case 15: {
        static const char *const types[] = {"uchar", "ushort", "char", "short"};
        PUT("(uint)(%s)", types[below(g, 4)]);
        whole(g, depth - 1);
        return;
    }
    default:
        if (g->functions && below(g, 2)) {
            PUT("f%u_%u(", g->number, below(g, g->functions));
            whole(g, depth - 2);
            PUT(", ");
            whole(g, depth - 2);
            PUT(", w%u)", below(g, LONGS));
        } else {
            PUT("(uint)(int)clamp(");
            real(g, 2);
            PUT(", -1e6f, 1e6f)");
        }
    }
}

static void block(struct generator *g, int depth, bool uniform);

static void vector(struct generator *g)
{
    static const char *const swizzles[] = {"wzyx", "yxwz", "xxyy", "zwxy", "yzwx"};
    switch (below(g, 6)) {
    case 0: PUT("q = q %c q.%s;", "+-*^&|"[below(g, 6)], swizzles[below(g, 5)]); return;
    case 1:
        PUT("q.%s = (uint2)(", below(g, 2) ? "xy" : "zx");
        whole(g, 1);
        PUT(", ");
        whole(g, 1);
        PUT(");");
        return;
    case 2:
        PUT("q = (q >> (uint4)(v%u & 31u)) + q.%s;", below(g, VARIABLES), swizzles[below(g, 5)]);
        return;
    case 3:
        PUT("q = q %s q.%s ? q : (uint4)(", below(g, 2) ? "<" : "==", swizzles[below(g, 5)]);
        whole(g, 1);
        PUT(");");
        return;
    case 4: PUT("q = %s(q, q.%s);", below(g, 2) ? "max" : "rotate", swizzles[below(g, 5)]); return;
    default:
        PUT("q = shuffle(q, (uint4)(");
        whole(g, 1);
        PUT(", v0, v1, %uu));", below(g, 4));
    }
}

/* Work-items exchange words through local memory. Not under a condition, although all take the same
 * way there: pocl 3.1 miscompiles a barrier under a condition in a loop. */
static void exchange(struct generator *g)
{
    PUT("l[lid] = ");
    whole(g, 2);
    PUT(";");
    line(g);
    PUT("barrier(CLK_LOCAL_MEM_FENCE);");
    line(g);
    PUT("v%u ^= l[(lid %s %uu) %% lsz];", below(g, VARIABLES), below(g, 2) ? "+" : "*",
        1 + below(g, 9));
    line(g);
    PUT("barrier(CLK_LOCAL_MEM_FENCE);");
}

static void loop(struct generator *g, int depth, bool uniform)
{
    const unsigned i = g->loops++, bound = 2 + below(g, 4);
    const bool even = uniform && below(g, 3); /* all work-items iterate alike */
    const unsigned outside = g->in_loop;
    g->in_loop = even ? 0 : outside + 1;
    switch (below(g, 3)) {
    case 0:
        PUT("for (uint i%u = 0; i%u < ", i, i);
        if (even)
            PUT("%uu; i%u++) {", bound, i);
        else
            PUT("(v%u & %uu); i%u++) {", below(g, VARIABLES), bound, i);
        g->indent++;
        block(g, depth - 1, even);
        break;
    case 1:
        PUT("uint i%u = 0;", i);
        line(g);
        PUT("do {");
        g->indent++;
        block(g, depth - 1, even);
        g->indent--;
        line(g);
        PUT("} while (++i%u < %uu", i, bound);
        if (!even) {
            PUT(" && (");
            condition(g, 2, false);
            PUT(")");
        }
        PUT(");");
        g->in_loop = outside;
        return;
    default:
        PUT("for (uint i%u = %uu; i%u-- > 0;) {", i, bound, i);
        g->indent++;
        if (!even) {
            line(g);
            PUT("if (");
            condition(g, 2, false);
            PUT(")");
            g->indent++;
            line(g);
            PUT("%s;", below(g, 2) ? "break" : "continue");
            g->indent--;
        }
        line(g);
        PUT("v%u += i%u;", below(g, VARIABLES), i);
        block(g, depth - 1, even);
    }
    g->indent--;
    line(g);
    PUT("}");
    g->in_loop = outside;
}

static void choice(struct generator *g, int depth, bool uniform)
{
    const unsigned cases = 2 + below(g, 4);
    PUT("switch (");
    if (uniform)
        PUT("n %% 5u");
    else {
        whole(g, 2);
        PUT(" %% %uu", cases + 1);
    }
    PUT(") {");
    const unsigned loops = g->in_loop;
    g->under_condition++;
    for (unsigned i = 0; i < cases; i++) {
        line(g);
        PUT(i + 1 < cases ? "case %uu:" : "default:", i);
        g->indent++;
        g->in_loop = 0;
        PUT(" {");
        block(g, depth - 1, uniform);
        line(g);
        PUT("}");
        if (below(g, 4)) {
            line(g);
            PUT("break;");
        }
        g->indent--;
    }
    g->in_loop = loops;
    g->under_condition--;
    line(g);
    PUT("}");
}

static void statement(struct generator *g, int depth, bool uniform)
{
    static const char *const assignments[] = {"=", "+=", "-=", "*=", "^=", "|=", "&="};
    line(g);
    switch (depth <= 0 ? below(g, 8) : below(g, 16)) {
    case 0:
    case 1:
    case 2:
        PUT("v%u %s ", below(g, VARIABLES), assignments[below(g, 7)]);
        whole(g, 3);
        PUT(";");
        return;
    case 3:
        PUT("w%u %s ", below(g, LONGS), assignments[below(g, 7)]);
        wide(g, 3);
        PUT(";");
        return;
    case 4:
        PUT("a[");
        whole(g, 1);
        PUT(" & %uu] = ", ARRAY - 1);
        whole(g, 2);
        PUT(";");
        return;
    case 5: vector(g); return;
    case 6:
        if (g->in_loop && !uniform) {
            PUT("if (");
            condition(g, 2, false);
            PUT(") %s;", below(g, 2) ? "break" : "continue");
        } else if (g->in_kernel && uniform && !g->may_return && g->under_condition == 0) {
            exchange(g);
        } else {
            PUT("s.b += (ushort)");
            whole(g, 2);
            PUT(", s.a ^= s.b, v%u += s.c++;", below(g, VARIABLES));
        }
        return;
    case 7:
        if (g->in_kernel && below(g, 3) == 0) {
            static const char *const atomics[] = {"add", "xor", "max", "or"};
            const unsigned kind = below(g, 4);
            PUT("atomic_%s(&totals[%u], ", atomics[kind], kind);
            whole(g, 2);
            PUT(");");
        } else {
            PUT("change(&s, ");
            whole(g, 2);
            PUT(");");
        }
        return;
    case 8:
    case 9:
    case 10: {
        const bool even = uniform && below(g, 3) == 0;
        g->under_condition++;
        PUT("if (");
        condition(g, 3, even);
        PUT(") {");
        g->indent++;
        block(g, depth - 1, even);
        g->indent--;
        line(g);
        PUT("}");
        if (below(g, 2)) {
            PUT(" else {");
            g->indent++;
            block(g, depth - 1, even);
            g->indent--;
            line(g);
            PUT("}");
        }
        g->under_condition--;
        return;
    }
    case 11:
    case 12:
    case 13: loop(g, depth, uniform); return;
    case 14: choice(g, depth, uniform && below(g, 2)); return;
    default:
        if (g->may_return || !g->in_kernel) {
            PUT("if (");
            condition(g, 2, false);
            PUT(g->in_kernel ? ")\n%*s{ out[1] = v1 ^ s.a; return; }" : ")\n%*sreturn v0 + a[1];",
                4 * g->indent + 4, "");
        } else {
            PUT("v%u = s.a + s.b * s.c;", below(g, VARIABLES));
        }
    }
}

static void block(struct generator *g, int depth, bool uniform)
{
    for (unsigned i = 1 + below(g, 3); i > 0 && g->budget > 0; i--) {
        g->budget--;
        statement(g, depth, uniform);
    }
}

static void variables(struct generator *g, const char *a, const char *b, const char *c)
{
    PUT("\n    uint v0 = %s, v1 = %s, v2 = v0 * 3u, v3 = v0 ^ v1, v4 = %uu;", a, b, below(g, 100));
    PUT("\n    ulong w0 = %s, w1 = (ulong)v0 << 32 | v1;", c);
    PUT("\n    uint a[%u] = {v0, v1, 3u, v3, 5u, v0, 7u, 8u};", ARRAY);
    PUT("\n    uint4 q = (uint4)(v1, v0, 77u, v3);\n    struct s s = {v0, 1, 2};\n");
}

void generate_head(struct sam_buffer *text)
{
    sam_buffer_puts(
        text,
        "#pragma clang diagnostic ignored \"-Weverything\"\n"
        "#pragma OPENCL FP_CONTRACT OFF\n"
        "struct s {\n    uint a;\n    ushort b;\n    uchar c;\n};\n"
        "static void change(struct s *s, uint x)\n{\n    s->a += x;\n"
        "    if (x & 1)\n        s->c ^= (uchar)(x >> 3);\n    else\n        s->b = (ushort)x;\n}\n"
        "__constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n");
}

void generate_kernel(struct sam_buffer *text, uint64_t seed, unsigned number)
{
    struct generator *g = &(struct generator){
        .text = text, .number = number, .state = seed * 0x9e3779b97f4a7c15u + 1};
    g->indent = 1;
    const unsigned functions = below(g, 3);
    for (unsigned i = 0; i < functions; i++) {
        PUT("static uint f%u_%u(uint x, uint y, ulong z)\n{", number, i);
        variables(g, "x", "y", "z");
        g->budget = 6;
        while (g->budget > 0) {
            g->budget--;
            statement(g, 2, false);
        }
        PUT("\n    return v0 ^ v1 + v2 * v3 ^ v4 ^ (uint)w0 ^ q.x ^ q.w ^ a[3] ^ s.a;\n}\n");
        g->functions = i + 1;
    }
    g->in_kernel = true;
    PUT("__kernel void k%u(__global uint *out, __global const uint *in, uint n)\n{\n"
        "    const uint gid = get_global_id(0), lid = get_local_id(0), lsz = get_local_size(0);\n"
        "    __local uint l[%d];\n"
        "    __global uint *totals = out + %d * get_global_size(0);\n"
        "    out += %d * gid;",
        number, LOCAL, GENERATE_WORDS, GENERATE_WORDS);
    variables(g, "in[gid % 256u]", "gid", "(ulong)in[lid] * in[(gid + 7u) % 256u]");
    g->budget = 8 + below(g, 16);
    while (g->budget > 0) {
        g->budget--;
        statement(g, 3, true);
    }
    line(g);
    PUT("out[0] = v0 ^ v2;");
    g->may_return = true;
    g->budget = below(g, 10);
    while (g->budget > 0) {
        g->budget--;
        statement(g, 3, false);
    }
    PUT("\n    out[1] = v1 + a[2] + a[5] * 3u;\n    out[2] = (uint)(w0 ^ w1 >> 32) ^ v3;\n"
        "    out[3] = q.x ^ q.y ^ q.z ^ q.w ^ v4 ^ s.a ^ s.b ^ s.c;\n}\n");
}

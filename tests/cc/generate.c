/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cc/generate.h"

#include <stdbool.h>
#include <stdlib.h>
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

static void whole(struct generator *g, int depth);
static void wide(struct generator *g, int depth);
static void condition(struct generator *g, int depth, bool uniform);
static void real(struct generator *g, int depth);
/* One of the alternatives up to the next '`', which '~' separates; returns what follows. */
static const char *choose(struct generator *g, const char *form)
{
    uint32_t count = 1;
    for (const char *p = form; *p != '`'; p++)
        count += *p == '~';
    for (uint32_t skip = below(g, count); skip > 0; form++)
        skip -= *form == '~';
    const size_t size = strcspn(form, "~`");
    sam_buffer_append(g->text, form, size);
    return strchr(form + size, '`') + 1;
}

/* Write a form. '$' and a letter stand for
 *   u, s, U  an expression of type uint of depth - 1, - 2, of `depth`
 *   l, m     one of type ulong of depth - 1, - 2
 *   f, F     one of type float of depth - 1, a small one
 *   c, C     a condition of depth - 1, of depth 2
 *   v, w     a variable of type uint, of type ulong
 *   q, z     an element of q, a choice of four of its elements
 * and "`a~b`" for one of a and b, "#9#" for a number below 9. */
static void put(struct generator *g, const char *form, int depth)
{
    static const char *const swizzles[] = {"wzyx", "yxwz", "xxyy", "zwxy", "yzwx"};
    while (*form) {
        const size_t size = strcspn(form, "$`#");
        sam_buffer_append(g->text, form, size);
        form += size;
        if (*form == '`') {
            form = choose(g, form + 1);
        } else if (*form == '#') {
            char *end;
            PUT("%u", below(g, (uint32_t)strtoul(form + 1, &end, 10)));
            form = end + 1;
        } else if (*form) {
            switch (form[1]) {
            case 'u': whole(g, depth - 1); break;
            case 's': whole(g, depth - 2); break;
            case 'U': whole(g, depth); break;
            case 'l': wide(g, depth - 1); break;
            case 'm': wide(g, depth - 2); break;
            case 'f': real(g, depth - 1); break;
            case 'F': real(g, 0); break;
            case 'c': condition(g, depth - 1, false); break;
            case 'C': condition(g, 2, false); break;
            case 'v': PUT("v%u", below(g, VARIABLES)); break;
            case 'w': PUT("w%u", below(g, LONGS)); break;
            case 'q': PUT("q.%c", "xyzw"[below(g, 4)]); break;
            case 'z': PUT("%s", swizzles[below(g, 5)]); break;
            default: abort();
            }
            form += 2;
        }
    }
}

#define OPERATOR "`+~-~*~&~|~^`"
#define RELATION "`<~<=~>~>=~==~!=`"

static void constant(struct generator *g)
{
    put(g,
        below(g, 2) ? "`0u~1u~2u~31u~0xffu~0x7fffffffu~0x80000000u~0xffffffffu~0x12345678u`"
                    : "#1000#u",
        0);
}

/* An expression of type ulong. */
static void wide(struct generator *g, int depth)
{
    static const char *const forms[] = {
        "$w",
        "(ulong)$s",
        "($l " OPERATOR " $l)",
        "($l " OPERATOR " $l)",
        "($l `>>~<<` ($s & 63u))",
        "($l `%~/` ($m | 1ul))",
        "(ulong)((long)($l) `/ -37l~>> 7`)",
        "`mul_hi~rotate~add_sat~sub_sat~min~max~abs_diff~rhadd`($l, $l)",
        "($u & 4u ? $l : upsample($u, v0))",
    };
    const uint32_t form = below(g, depth <= 0 ? 2 : 9);
    put(g, forms[form], form == 1 ? 2 : depth);
}

/* A condition: `uniform` when all work-items of the workgroup agree on it. */
static void condition(struct generator *g, int depth, bool uniform)
{
    static const char *const forms[] = {
        "$u & `1u~2u~4u~8u~16u~32u`", "(int)$u " RELATION " (int)$u",
        "$u " RELATION " $u",         "$l " RELATION " $l",
        "($c) `||~&&` ($c)",          "($c) `||~&&` ($c)"};
    if (uniform) {
        put(g, "`(uint)get_group_id(0)~n` % `2u~3u~4u~5u` " RELATION " #3#u", 0);
        return;
    }
    put(g, forms[below(g, depth > 1 ? 6 : 4)], depth);
}

/* A finite float of operations that IEEE 754 defines to the last bit. */
static void real(struct generator *g, int depth)
{
    static const char *const forms[] = {
        "(float)(int)($u & 0x3ffu)", "($f `+~-` $f)",       "($F * $f)",
        "`fabs~floor`($f * 0.25f)",  "`fmax~fmin`($f, $f)", "fma($F, $F, $f)"};
    put(g, forms[depth <= 0 ? 0 : below(g, 6)], depth);
}

static void builtin(struct generator *g, int depth)
{
    static const char *const forms[] = {
        "`rotate~mul_hi~add_sat~sub_sat~hadd~rhadd~abs_diff~min~max`($U, $U)",
        "`rotate~mul_hi~add_sat~sub_sat~hadd~rhadd~abs_diff~min~max`($U, $U)",
        "`clz~popcount~abs`($U)",
        "",
        "mul24($U & 0xffffffu, $U & 0xffffffu)",
        "(uint)convert_`char~uchar~short~ushort`_sat((int)$U)",
        "(uint)`sub_sat~add_sat`((int)$U, (int)$U)",
        "select($U, $U, $U)"};
    const uint32_t form = below(g, 8);
    if (form == 3)
        put(g, below(g, 2) ? "mad_sat($U, $U, $U)" : "`mad_hi~bitselect`($U, $U, $U)", depth);
    else
        put(g, forms[form], depth);
}

/* An expression of type uint, in a form that binds tightest. */
static void whole(struct generator *g, int depth)
{
    static const char *const forms[] = {
        [4] = ("($u " OPERATOR " $u)"),
        [5] = ("($u " OPERATOR " $u)"),
        [6] = ("($u " OPERATOR " $u)"),
        [8] = "($u `%~/` ($s | 1u))",
        /* of halves, so that the least number by -1 cannot occur */
        [9] = "(uint)(((int)$u >> 1) `%~/` ((int)$s | 1))",
        [10] = "($c ? $u : $u)",
        [11] = "a[$u & 7u]",
        [13] = "(uint)($l >> #33#)",
        [15] = "(uint)(`uchar~ushort~char~short`)$u",
    };
    const uint32_t form = below(g, depth <= 0 ? 4 : 17);
    switch (form) {
    case 0:
    case 1: put(g, "$v", 0); return;
    case 2: constant(g); return;
    case 3: put(g, "$q", 0); return;
    case 7:
        put(g, below(g, 2) ? "((uint)((int)$v >> ($v & 31u)))" : "($u `>>~<<` ($s & 31u))", depth);
        return;
    case 12: put(g, g->in_kernel ? "in[$u & 255u]" : "table[$u & 15u]", depth); return;
    case 14: builtin(g, depth - 1); return;
    case 16:
        if (g->functions && below(g, 2)) {
            PUT("f%u_%u(", g->number, below(g, g->functions));
            put(g, "$s, $s, $w)", depth);
        } else {
            put(g, "(uint)(int)clamp($f, -1e6f, 1e6f)", 3);
        }
        return;
    default: put(g, forms[form], depth);
    }
}

static void block(struct generator *g, int depth, bool uniform);

static void vector(struct generator *g)
{
    static const char *const forms[] = {"q = q `+~-~*~^~&~|` q.$z;",
                                        "q.`zx~xy` = (uint2)($u, $u);",
                                        "q = (q >> (uint4)($v & 31u)) + q.$z;",
                                        "q = q `==~<` q.$z ? q : (uint4)($u);",
                                        "q = `rotate~max`(q, q.$z);",
                                        "q = shuffle(q, (uint4)($u, v0, v1, #4#u));"};
    put(g, forms[below(g, 6)], 2);
}

/* The body of a loop, maybe with a barrier first and a block with a way out at its end. */
static void body(struct generator *g, int depth, bool even, unsigned i)
{
    if (even && g->in_kernel && !g->may_return && g->under_condition == 0 && below(g, 2))
        PUT("\nbarrier(CLK_LOCAL_MEM_FENCE);");
    block(g, depth, even);
    if (even && below(g, 2)) {
        put(g, "\n{\nuint t = $u;\n`~v0 += t;\n`if (($C) && ($C))\ngoto ", 2);
        PUT("end%u;\n", i);
        put(g, "`~~v1 ^= t;\n`}", 0);
        PUT("\nend%u:;", i);
    }
}

static void loop(struct generator *g, int depth, bool uniform)
{
    const unsigned i = g->loops++, bound = 2 + below(g, 4), outside = g->in_loop;
    const bool even = uniform && below(g, 3); /* all work-items iterate alike */
    g->in_loop = even ? 0 : outside + 1;
    switch (below(g, 3)) {
    case 0:
        PUT("for (uint i%u = 0; i%u < ", i, i);
        put(g, even ? "" : "($v & ", 0);
        PUT("%uu%s; i%u++) {", bound, even ? "" : ")", i);
        body(g, depth - 1, even, i);
        PUT("\n}");
        break;
    case 1:
        PUT("uint i%u = 0;\ndo {", i);
        body(g, depth - 1, even, i);
        PUT("\n} while (++i%u < %uu", i, bound);
        put(g, even ? ");" : " && ($C));", 0);
        break;
    default:
        PUT("for (uint i%u = %uu; i%u-- > 0;) {", i, bound, i);
        put(g, even ? "\n$v += " : "\nif ($C)\n`continue~break`;\n$v += ", 0);
        PUT("i%u;", i);
        body(g, depth - 1, even, i);
        PUT("\n}");
    }
    g->in_loop = outside;
}

static void choice(struct generator *g, int depth, bool uniform)
{
    const unsigned cases = 2 + below(g, 4), loops = g->in_loop;
    put(g, uniform ? "switch (n % 5u" : "switch ($u % ", 3);
    if (!uniform)
        PUT("%uu", cases + 1);
    PUT(") {");
    g->under_condition++;
    for (unsigned i = 0; i < cases; i++) {
        PUT(i + 1 < cases ? "\ncase %uu: {" : "\ndefault: {", i);
        g->in_loop = 0;
        block(g, depth - 1, uniform);
        put(g, "\n}`~\nbreak;~\nbreak;~\nbreak;`", 0);
    }
    g->in_loop = loops;
    g->under_condition--;
    PUT("\n}");
}

static void branch(struct generator *g, int depth, bool uniform)
{
    const bool even = uniform && below(g, 3) == 0;
    g->under_condition++;
    PUT("if (");
    condition(g, 3, even);
    PUT(") {");
    block(g, depth - 1, even);
    if (below(g, 2)) {
        PUT("\n} else {");
        block(g, depth - 1, even);
    }
    PUT("\n}");
    g->under_condition--;
}

static void statement(struct generator *g, int depth, bool uniform)
{
    PUT("\n");
    switch (below(g, depth <= 0 ? 8 : 16)) {
    case 0:
    case 1:
    case 2: put(g, "$v `=~+=~-=~*=~^=~|=~&=` $u;", 4); return;
    case 3: put(g, "$w `=~+=~-=~*=~^=~|=~&=` $l;", 4); return;
    case 4: put(g, "a[$s & 7u] = $u;", 3); return;
    case 5: vector(g); return;
    case 6:
        if (g->in_loop && !uniform)
            put(g, "if ($C) `continue~break`;", 0);
        else if (g->in_kernel && uniform && !g->may_return && g->under_condition == 0)
            /* Not under a condition, although all work-items take the same way there: pocl 3.1
             * miscompiles a barrier under a condition in a loop. */
            put(g,
                "l[lid] = $u;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
                "$v ^= l[(lid `*~+` `1u~2u~3u~4u~5u~6u~7u~8u~9u`) % lsz];\n"
                "barrier(CLK_LOCAL_MEM_FENCE);",
                3);
        else
            put(g, "s.b += (ushort)$u, s.a ^= s.b, $v += s.c++;", 3);
        return;
    case 7:
        if (g->in_kernel && below(g, 3) == 0)
            put(g, "atomic_`add(&totals[0]~xor(&totals[1]~max(&totals[2]~or(&totals[3]`, $u);", 3);
        else
            put(g, "change(&s, $u);", 3);
        return;
    case 8:
    case 9:
    case 10: branch(g, depth, uniform); return;
    case 11:
    case 12:
    case 13: loop(g, depth, uniform); return;
    case 14: choice(g, depth, uniform && below(g, 2)); return;
    default:
        put(g,
            !g->in_kernel   ? "if ($C)\nreturn v0 + a[1];"
            : g->may_return ? "if ($C)\n{ out[1] = v1 ^ s.a; return; }"
                            : "$v = s.a + s.b * s.c;",
            0);
    }
}

static void block(struct generator *g, int depth, bool uniform)
{
    for (unsigned i = 1 + below(g, 3); i > 0 && g->budget > 0; i--) {
        g->budget--;
        statement(g, depth, uniform);
    }
}

static void statements(struct generator *g, unsigned count, int depth, bool uniform)
{
    for (g->budget = count; g->budget > 0;) {
        g->budget--;
        statement(g, depth, uniform);
    }
}

static void variables(struct generator *g, const char *a, const char *b, const char *c)
{
    PUT("\nuint v0 = %s, v1 = %s, v2 = v0 * 3u, v3 = v0 ^ v1, v4 = %uu;", a, b, below(g, 100));
    PUT("\nulong w0 = %s, w1 = (ulong)v0 << 32 | v1;", c);
    PUT("\nuint a[%u] = {v0, v1, 3u, v3, 5u, v0, 7u, 8u};", ARRAY);
    PUT("\nuint4 q = (uint4)(v1, v0, 77u, v3);\nstruct s s = {v0, 1, 2};\n");
}

void generate_head(struct sam_buffer *text)
{
    sam_buffer_puts(
        text, "#pragma clang diagnostic ignored \"-Weverything\"\n"
              "#pragma OPENCL FP_CONTRACT OFF\n"
              "struct s {\nuint a;\nushort b;\nuchar c;\n};\n"
              "static void change(struct s *s, uint x)\n{\ns->a += x;\n"
              "if (x & 1)\ns->c ^= (uchar)(x >> 3);\nelse\ns->b = (ushort)x;\n}\n"
              "__constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n");
}

void generate_kernel(struct sam_buffer *text, uint64_t seed, unsigned number)
{
    struct generator *g = &(struct generator){
        .text = text, .number = number, .state = seed * 0x9e3779b97f4a7c15u + 1};
    const unsigned functions = below(g, 3);
    for (unsigned i = 0; i < functions; i++) {
        PUT("static uint f%u_%u(uint x, uint y, ulong z)\n{", number, i);
        variables(g, "x", "y", "z");
        statements(g, 6, 2, false);
        PUT("\nreturn v0 ^ v1 + v2 * v3 ^ v4 ^ (uint)w0 ^ q.x ^ q.w ^ a[3] ^ s.a;\n}\n");
        g->functions = i + 1;
    }
    g->in_kernel = true;
    PUT("__kernel void k%u(__global uint *out, __global const uint *in, uint n)\n{\n"
        "const uint gid = get_global_id(0), lid = get_local_id(0), lsz = get_local_size(0);\n"
        "__local uint l[%d];\n"
        "__global uint *totals = out + %d * get_global_size(0);\n"
        "out += %d * gid;",
        number, LOCAL, GENERATE_WORDS, GENERATE_WORDS);
    variables(g, "in[gid % 256u]", "gid", "(ulong)in[lid] * in[(gid + 7u) % 256u]");
    statements(g, 8 + below(g, 16), 3, true);
    PUT("\nout[0] = v0 ^ v2;");
    g->may_return = true;
    statements(g, below(g, 10), 3, false);
    PUT("\nout[1] = v1 + a[2] + a[5] * 3u;\nout[2] = (uint)(w0 ^ w1 >> 32) ^ v3;\n"
        "out[3] = q.x ^ q.y ^ q.z ^ q.w ^ v4 ^ s.a ^ s.b ^ s.c;\n}\n");
}

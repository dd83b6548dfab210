/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels: nested divergent branches, loops that lanes leave by `break`, `continue` and
 * `return`, switches, private arrays, integers of 8 to 64 bits. The same text is compiled as C
 * for the host, with clang's own back end. SAMITE_CASES: their number (200); SAMITE_CC_SHOW:
 * print them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cc/run.h"
#include "tests/random.h"

enum { PER_FILE = 10, ITEMS = 64, IN = 512 };

struct writer {
    uint64_t state;
    char *text;
    size_t size, room;
    unsigned loops; /* open ones */
    unsigned budget;
};

static uint32_t pick(struct writer *w, uint32_t n)
{
    return (uint32_t)test_below(&w->state, n);
}

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list list;
    if (w->room - w->size < 512) {
        w->room = w->room ? 2 * w->room : 65536;
        w->text = realloc(w->text, w->room);
        assert_non_null(w->text);
    }
    va_start(list, format);
    w->size += (size_t)vsnprintf(w->text + w->size, w->room - w->size, format, list);
    va_end(list);
}

static const char *const words[] = {"a", "b", "c", "d"};

static void expression(struct writer *w, unsigned depth)
{
    static const char *const simple[] = {"+", "-", "*", "&", "|", "^"};
    if (depth == 0 || pick(w, 5) == 0) {
        switch (pick(w, 8)) {
        case 0: put(w, "%uu", pick(w, 3) ? pick(w, 20) : pick(w, 1u << 31)); break;
        case 1: put(w, "i"); break;
        case 2: put(w, "in[(%s + %u) & 511]", words[pick(w, 4)], pick(w, 9)); break;
        case 3: put(w, "p[%s & 7]", words[pick(w, 4)]); break;
        case 4: put(w, "(uint)(q >> %u)", pick(w, 64)); break;
        default: put(w, "%s", words[pick(w, 4)]);
        }
        return;
    }
    switch (pick(w, 12)) {
    case 0:
        put(w, "(");
        expression(w, depth - 1);
        put(w, pick(w, 2) ? " / (" : " %% (");
        expression(w, depth - 1);
        put(w, " | 1u))");
        break;
    case 1:
        put(w, "(");
        expression(w, depth - 1);
        put(w, pick(w, 2) ? " << (" : " >> (");
        expression(w, depth - 1);
        put(w, " & 31u))");
        break;
    case 2:
        put(w, "(");
        expression(w, depth - 1);
        put(w, " < ");
        expression(w, depth - 1);
        put(w, " ? ");
        expression(w, depth - 1);
        put(w, " : ");
        expression(w, depth - 1);
        put(w, ")");
        break;
    case 3:
        put(w, "(uint)(%s)(", pick(w, 2) ? "short" : "uchar");
        expression(w, depth - 1);
        put(w, ")");
        break;
    case 4:
        put(w, "(uint)((int)");
        expression(w, depth - 1);
        put(w, " >> %u)", pick(w, 32));
        break;
    default:
        put(w, "(");
        expression(w, depth - 1);
        put(w, " %s ", simple[pick(w, 6)]);
        expression(w, depth - 1);
        put(w, ")");
    }
}

static void condition(struct writer *w)
{
    static const char *const tests[] = {"<", ">", "==", "!=", "<=", ">="};
    const bool sign = pick(w, 3) == 0;
    put(w, "%s", sign ? "(int)" : "");
    expression(w, 1);
    put(w, " %s %s", tests[pick(w, 6)], sign ? "(int)" : "");
    expression(w, 1);
    if (pick(w, 3) == 0) {
        put(w, pick(w, 2) ? " && " : " || ");
        put(w, "(%s & %uu) == %uu", words[pick(w, 4)], pick(w, 4), pick(w, 3));
    }
}

static void block(struct writer *w, unsigned depth);

static void statement(struct writer *w, unsigned depth)
{
    const unsigned loop = w->loops;
    switch (pick(w, depth ? 16 : 6)) {
    case 0:
        put(w, "p[%s & 7] = ", words[pick(w, 4)]);
        expression(w, 2);
        put(w, ";\n");
        break;
    case 1:
        put(w, "q = q * %uu + ", pick(w, 999));
        expression(w, 2);
        put(w, pick(w, 2) ? " + (q >> (%s & 63u));\n" : " ^ (q << (%s & 63u));\n",
            words[pick(w, 4)]);
        break;
    case 6:
    case 7:
        put(w, "if (");
        condition(w);
        put(w, ") {\n");
        block(w, depth - 1);
        if (pick(w, 2)) {
            put(w, "} else {\n");
            block(w, depth - 1);
        }
        put(w, "}\n");
        break;
    case 8:
    case 9:
    case 10:
        if (loop > 2)
            break;
        w->loops++;
        put(w, "for (uint k%u = 0; k%u < ", loop, loop);
        if (pick(w, 2))
            put(w, "%uu; k%u++) {\n", 1 + pick(w, 6), loop);
        else
            put(w, "(%s & 7u); k%u++) {\n", words[pick(w, 4)], loop);
        block(w, depth - 1);
        put(w, "%s += k%u;\n}\n", words[pick(w, 4)], loop);
        w->loops--;
        break;
    case 11:
    case 12:
        if (!loop)
            break;
        put(w, "if (");
        condition(w);
        put(w, ") {\n");
        if (pick(w, 2))
            block(w, 0);
        put(w, pick(w, 2) ? "break; }\n" : "continue; }\n");
        break;
    case 13:
        put(w, "switch (%s & 7u) {\n", words[pick(w, 4)]);
        for (unsigned c = 0; c < 5; c++) {
            put(w, c == 4 ? "default:\n" : "case %u:\n", c);
            block(w, depth > 1 ? 1 : 0);
            if (pick(w, 3))
                put(w, "break;\n");
        }
        put(w, "}\n");
        break;
    case 14:
        put(w, "if (");
        condition(w);
        put(w, ") { out[i] = %s ^ (uint)q; return; }\n", words[pick(w, 4)]);
        break;
    case 15:
        if (loop > 2)
            break;
        w->loops++;
        put(w, "uint k%u = 0; do {\n", loop);
        block(w, depth - 1);
        put(w, "} while (k%u++ < %uu && (", loop, pick(w, 9));
        condition(w);
        put(w, "));\n");
        w->loops--;
        break;
    default:
        put(w, "%s = ", words[pick(w, 4)]);
        expression(w, 3);
        put(w, ";\n");
    }
}

static void block(struct writer *w, unsigned depth)
{
    put(w, "{\n");
    for (unsigned n = 1 + pick(w, 3); n > 0; n--) {
        put(w, "{\n");
        statement(w, depth);
        put(w, "}\n");
    }
    put(w, "}\n");
}

static void write_kernel(struct writer *w, unsigned number)
{
    put(w,
        "__kernel void k%u(__global uint *out, __global const uint *in, uint n)\n{\n"
        "uint i = get_global_id(0), a = in[i], b = in[i + 64], c = i * 7u, d = n;\n"
        "ulong q = (ulong)a << 32 | b; uint p[8];\n"
        "for (uint k = 0; k < 8; k++) p[k] = in[i + k * 3];\n",
        number);
    for (unsigned n = 0; n < 4; n++) {
        put(w, "{\n");
        statement(w, 4);
        put(w, "}\n");
    }
    put(w, "uint r = a ^ b * 3u ^ c * 5u ^ d * 7u ^ (uint)q ^ (uint)(q >> 32);\n"
           "for (uint k = 0; k < 8; k++) r = r * 31u + p[k];\nout[i] = r;\n}\n");
}

static const char head[] =
    "typedef unsigned uint; typedef unsigned long long ulong; typedef unsigned char uchar;\n"
    "#define __kernel\n#define __global\nstatic uint sam_item;\n"
    "void set_item(uint i) { sam_item = i; }\n#define get_global_id(d) sam_item\n";

/* The same text for the host. */
static void *host_library(const struct writer *w)
{
    char source[] = "/tmp/samite-cc-XXXXXX.c", library[64], command[256];
    const int fd = mkstemps(source, 2);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", head, w->text);
    assert_int_equal(fclose(file), 0);
    snprintf(library, sizeof library, "%s.so", source);
    const char *clang = getenv("SAMITE_CLANG");
    snprintf(command, sizeof command, "%s -w -O1 -shared -fPIC %s -o %s",
             clang && *clang ? clang : "clang", source, library);
    assert_int_equal(system(command), 0);
    void *handle = dlopen(library, RTLD_NOW);
    assert_non_null(handle);
    unlink(source);
    unlink(library);
    return handle;
}

static void compare(const struct writer *w, uint64_t seed)
{
    static const uint32_t blocks[] = {64, 16, 32}, lanes[] = {32, 32, 8};
    if (getenv("SAMITE_CC_SHOW"))
        puts(w->text);
    SCOPED_IMAGE *image = cc_image(w->text);
    void *host = host_library(w);
    void (*set_item)(uint32_t) = (void (*)(uint32_t))dlsym(host, "set_item");
    uint32_t in[IN], out[ITEMS], want[ITEMS];
    for (unsigned k = 0; k < IN; k++)
        in[k] = k % 3 == 0 ? k % 11 : (uint32_t)((seed + k) * UINT64_C(0x9e3779b97f4a7c15) >> 29);
    for (unsigned k = 0; k < PER_FILE; k++) {
        FREED char *name = formatted("k%u", k);
        void (*run)(uint32_t *, const uint32_t *, uint32_t) =
            (void (*)(uint32_t *, const uint32_t *, uint32_t))dlsym(host, name);
        memset(want, 0, sizeof want);
        for (uint32_t i = 0; i < ITEMS; i++) {
            set_item(i);
            run(want, in, ITEMS);
        }
        for (int b = 0; b < 3; b++) {
            const uint32_t n = ITEMS;
            const struct cc_launch launch = {.kernel = name,
                                             .grid = {ITEMS / blocks[b], 1, 1},
                                             .block = {blocks[b], 1, 1},
                                             .lanes = lanes[b],
                                             .args = &n,
                                             .args_size = 4};
            memset(out, 0, sizeof out);
            cc_run(image, &launch, out, ITEMS, in, IN);
            for (uint32_t i = 0; i < ITEMS; i++)
                if (out[i] != want[i])
                    fail_msg("seed %llu, kernel %s, block %u: work-item %u: 0x%08x, expected "
                             "0x%08x",
                             (unsigned long long)seed, name, blocks[b], i, out[i], want[i]);
        }
    }
    dlclose(host);
}

PROLOGUE
{
    cc_need_clang();
}

TEST(random_kernels)
{
    const uint64_t kernels = test_number("SAMITE_CASES", 200), first = test_seed();
    for (uint64_t k = 0; k < kernels; k += PER_FILE) {
        struct writer w = {.state = first + k};
        for (unsigned i = 0; i < PER_FILE; i++)
            write_kernel(&w, i);
        compare(&w, first + k);
        free(w.text);
    }
}

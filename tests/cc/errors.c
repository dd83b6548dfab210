/* SPDX-License-Identifier: Apache-2.0 */
/* Refused constructs with their place, descriptions of kernels, lines of the source, the cache. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cc/run.h"

PROLOGUE
{
    cc_need_clang();
}

static void refused(const char *source, const char *what)
{
    struct sam_error error = {0};
    char *text = cc_assembly(source, &error);
    if (text)
        fail_msg("compiled: %s", source);
    if (!strstr(error.text, what))
        fail_msg("no '%s' in: %s", what, error.text);
}

TEST(refused_with_the_line)
{
    refused("int f(int n) { return n > 1 ? n * f(n / 2) + f(n - 1) : 1; }\n"
            "__kernel void k(__global int *x) { x[0] = f(x[1]); }",
            ".cl:1: function 'f' is recursive");
    refused("__kernel void k(__global double *x) { *x *= 2; }", "cl_khr_fp64");
    refused("int f(void);\n__kernel void k(__global int *x) {\n  *x = f(); }",
            ".cl:3:8: no function 'f': expected its definition");
    refused("__kernel void k(__global int *x) {\n  printf(\"%y\", x[0]); }", "directive '%y'");
    refused("__kernel void k(__global int *x) {\n  printf(\"%d %d\", x[0]); }",
            "no argument for %d");
    refused("int f(int x) { return x; }", "no kernel");
    refused("\n__kernel void big(__global int *x, int n) { int a[16400];\n"
            "  for (int i = 0; i < 16400; i++) a[i] = x[i]; x[0] = a[n]; }",
            ".cl:2: kernel 'big' has private variables of 65600 bytes");
    refused("__kernel void k(__global int *x) {\n  __asm__ volatile(\"fence\"); }",
            ".cl:2:3: inline assembly");
    refused("", "no kernel");
    refused("#include \"nowhere.h\"\n", "nowhere.h");
    refused("__kernel void k(__global int *x) { x[0] = ; }", "expected expression");
    refused("__constant sampler_t s = CLK_FILTER_NEAREST;\n__kernel void k(__global float4 *x,\n"
            "    read_only image2d_t i) {\n  x[0] = read_imagef(i, s, (int2)(0, 0)); }",
            ".cl:2: argument 1 is image2d_t: images are not supported");
    refused(
        "// CL2.0\n__kernel void k(__global int *x, int n) { int a[4]; struct { int *p; } s[4];\n"
        "  a[n] = 3; s[n & 3].p = a; s[n >> 2].p = x; x[n] = *s[n & 1].p; }",
        ".cl:3:26: a generic pointer to private memory that is stored");
    refused("// CL2.0\n__kernel void k(__global int *x, int n) { int a[4];\n"
            "  int *p = a + x[1], *g = x + n, *q = n ? p : g; *q = 1; x[n] = a[n & 3]; }",
            "private memory or to other memory");
}

/* Sources ask for these macros, and take another way without them. */
TEST(macros_of_what_there_is)
{
    SCOPED_IMAGE *image = cc_image(
        "#if defined __IMAGE_SUPPORT__ || defined cl_khr_fp64 || defined cl_khr_fp16 ||"
        " defined cl_khr_int64_base_atomics || defined cl_khr_int64_extended_atomics ||"
        " defined cl_khr_subgroups || defined cl_intel_subgroups || defined cl_amd_media_ops ||"
        " defined cl_amd_media_ops2 || defined cl_khr_depth_images ||"
        " defined cl_khr_gl_msaa_sharing || defined cl_arm_integer_dot_product_int8 ||"
        " !defined cl_khr_global_int32_base_atomics || !defined cl_khr_byte_addressable_store ||"
        " !defined cl_khr_local_int32_extended_atomics || !defined cles_khr_int64\n"
        "#error other macros\n#endif\n__kernel void k(__global int *x) { x[0] = 1; }");
    assert_non_null(image);
    refused("// CL2.0\n__kernel void k(__global atomic_ulong *x) { atomic_fetch_add(x, 1); }",
            "atomic_ulong");
}

TEST(kernels_are_described)
{
    SCOPED_IMAGE *image =
        cc_image("typedef struct { int a; float4 v; } pair; typedef const float real;\n"
                 "typedef unsigned long big; typedef unsigned char byte;\n"
                 "__kernel void two(__global real *a, __local int *l, byte c, big n,"
                 "__constant int *t, pair p) { }\n"
                 "__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void one(void) { }\n");
    static const struct {
        enum sam_cc_space space;
        uint32_t offset, size;
        const char *type, *name;
    } expected[] = {{SAM_CC_GLOBAL, 0, 4, "float*", "a"},  {SAM_CC_LOCAL, 4, 4, "int*", "l"},
                    {SAM_CC_VALUE, 8, 1, "uchar", "c"},    {SAM_CC_VALUE, 16, 8, "ulong", "n"},
                    {SAM_CC_CONSTANT, 24, 4, "int*", "t"}, {SAM_CC_VALUE, 32, 32, "pair", "p"}};
    struct sam_cc_argument a;
    uint32_t block[3] = {9, 9, 9};
    assert_true(sam_cc_kernel_described(image, "two", block));
    assert_int_equal(block[0] | block[1] | block[2], 0);
    for (size_t i = 0; i < 6; i++) {
        assert_true(sam_cc_kernel_argument(image, "two", i, &a));
        assert_int_equal(a.space, expected[i].space);
        assert_int_equal(a.offset, expected[i].offset);
        assert_int_equal(a.size, expected[i].size);
        assert_string_equal(a.type, expected[i].type);
        assert_string_equal(a.name, expected[i].name);
    }
    assert_false(sam_cc_kernel_argument(image, "two", 6, &a));
    assert_true(sam_cc_kernel_described(image, "one", block));
    assert_int_equal(block[0] * 100 + block[1] * 10 + block[2], 821);
    assert_false(sam_cc_kernel_described(image, "three", NULL));
    assert_false(sam_cc_kernel_described(NULL, "one", NULL));
}

/* Sections that no compiler writes: every prefix of a good one, and changed bytes. */
TEST(damaged_descriptions)
{
    static const char good[] = "kernel k 0 0 0\narg global 4 0 int*|x\narg value 4 4 int|n\n";
    for (size_t size = 0; size < sizeof good; size++)
        for (size_t at = 0; at < size; at++) {
            struct sam_section section = {.name = (char *)SAM_CC_SIGNATURES, .data_size = size};
            struct sam_image image = {.sections = &section, .section_count = 1};
            struct sam_cc_argument a;
            uint32_t block[3];
            section.data = malloc(size + 1);
            assert_non_null(section.data);
            memcpy(section.data, good, size);
            section.data[at] ^= 0x15;
            sam_cc_kernel_described(&image, "k", block);
            for (size_t i = 0; i < 4; i++)
                sam_cc_kernel_argument(&image, "k", i, &a);
            free(section.data);
        }
}

TEST(code_has_the_lines_of_the_source)
{
    SCOPED_IMAGE *image = cc_image("__kernel void k(__global int *x, int n)\n{\n"
                                   "    int i = get_global_id(0);\n    if (i < n)\n"
                                   "        x[i] = x[i] * 3;\n}\n");
    const struct sam_symbol *k = sam_image_find(image, "k");
    bool seen[8] = {false};
    assert_non_null(k);
    for (uint64_t at = k->value; at < k->value + k->size; at += 4) {
        uint32_t line = 0;
        const char *file = sam_image_line_at(image, at, &line);
        if (file && strstr(file, ".cl") && line < 8)
            seen[line] = true;
    }
    assert_true(seen[1] && seen[3] && seen[4] && seen[5]);
    assert_false(seen[6] || seen[7]);
}

static char *compile_cached(const char *path, size_t *size)
{
    const struct sam_cc_options options = {.size = sizeof options};
    char *text, *messages;
    succeeds(sam_cc_compile, &options, path, &text, size, &messages);
    sam_text_free(messages);
    return text;
}

static void compiles_to(const char *path, const char *expected, size_t expected_size)
{
    size_t size;
    SCOPED_TEXT *text = compile_cached(path, &size);
    assert_int_equal(size, expected_size);
    assert_memory_equal(text, expected, size);
}

/* Cuts every entry to `keep` bytes, or flips a bit of byte `flip`; the number of entries. */
static unsigned damage(const char *folder, off_t keep, long flip)
{
    unsigned count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *e; (e = readdir(entries));) {
        if (e->d_name[0] == '.')
            continue;
        FREED char *path = formatted("%s/%s", folder, e->d_name);
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        if (keep >= 0) {
            assert_int_equal(ftruncate(fileno(file), keep), 0);
        } else {
            assert_int_equal(fseek(file, flip, SEEK_SET), 0);
            const int byte = fgetc(file);
            assert_int_equal(fseek(file, flip, SEEK_SET), 0);
            assert_true(byte != EOF && fputc(byte ^ 1, file) != EOF);
        }
        fclose(file);
        count++;
    }
    closedir(entries);
    return count;
}

TEST(damaged_or_absent_cache)
{
    char home[] = "/tmp/samite-cache-XXXXXX", source[64], folder[64], command[64];
    size_t size;
    assert_non_null(mkdtemp(home));
    snprintf(source, sizeof source, "%s/k.cl", home);
    snprintf(folder, sizeof folder, "%s/samite/cc", home);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs("__kernel void k(__global int *x) { x[0] = 1; }\n", file);
    fclose(file);
    assert_int_equal(setenv("XDG_CACHE_HOME", home, 1), 0);
    SCOPED_TEXT *text = compile_cached(source, &size);
    assert_true(damage(folder, 0, 0) > 0);
    compiles_to(source, text, size);
    damage(folder, 20, 0);
    compiles_to(source, text, size);
    damage(folder, -1, 12);
    compiles_to(source, text, size);
    assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0);
    compiles_to(source, text, size);
    unsetenv("XDG_CACHE_HOME");
    snprintf(command, sizeof command, "rm -r %s", home);
    assert_int_equal(system(command), 0);
}

TEST(missing_clang_is_named)
{
    const char *given = getenv("SAMITE_CLANG");
    FREED char *before = given ? strdup(given) : NULL;
    assert_int_equal(setenv("SAMITE_CLANG", "/nonexistent", 1), 0);
    refused("__kernel void k(void) {}", "no program '/nonexistent'");
    if (before)
        setenv("SAMITE_CLANG", before, 1);
    else
        unsetenv("SAMITE_CLANG");
}

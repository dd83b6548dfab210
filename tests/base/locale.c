/* SPDX-License-Identifier: Apache-2.0 */
/* The library in a program that has set its locale: German, where the decimal point is a comma;
 * Turkish, where lower-case 'I' is not 'i'; Latin-1, where bytes above 127 are letters. The test
 * builds these locales, since hosts seldom have them installed. */

#include "test.h"

#include "samite/format.h"
#include "samite/isa.h"
#include "samite/ops.h"
#include "samite/tile.h"

#include <ctype.h>
#include <locale.h>

static const struct {
    const char *source, *charmap;
} locales[] = {{"de_DE", "UTF-8"}, {"de_DE", "ISO-8859-1"}, {"tr_TR", "ISO-8859-9"}};
enum { COMMA, LATIN_1, TURKISH };

static char folder[1024];
static bool made[SAM_COUNT(locales)];

FIXTURE(make_locales)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/samite-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder) || setenv("LOCPATH", folder, 1) != 0)
        return -1;
    for (size_t i = 0; i < SAM_COUNT(locales); i++) {
        FREED char *command =
            formatted("localedef -i %s -f %s '%s/%s.%s' >/dev/null 2>&1", locales[i].source,
                      locales[i].charmap, folder, locales[i].source, locales[i].charmap);
        made[i] = system(command) == 0;
    }
    return 0;
}

FIXTURE(remove_locales)
{
    FREED char *command = formatted("rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

/* Sets the program's locale. Returns false if it is not available (cmocka's TAP output has no
 * skipped case that meson understands). */
static bool use(unsigned which)
{
    FREED char *name = formatted("%s.%s", locales[which].source, locales[which].charmap);
    if (!made[which]) {
        print_message("left out: localedef cannot make %s here\n", name);
        return false;
    }
    if (!setlocale(LC_ALL, name)) {
        print_message("left out: this C library finds no locales through LOCPATH\n");
        return false;
    }
    return true;
}

FIXTURE(leave)
{
    setlocale(LC_ALL, "C");
    return 0;
}

static void comma_is_there(void)
{
    FREED char *text = formatted("%.1f", 0.5);
    assert_string_equal(text, "0,5");
}

TEST(base, .teardown_func = leave)
{
    if (!use(COMMA))
        return;
    comma_is_there();
    struct sam_error error;
    struct sam_buffer b = {0};
    char *end;
    sam_fail(&error, SAM_ERR_USAGE, "%.2f, %g and %e", 1.25, 0.5, 1.5);
    assert_string_equal(error.text, "1.25, 0.5 and 1.500000e+00");
    assert_true(sam_buffer_printf(&b, "%.1f", 2.5));
    assert_string_equal(sam_buffer_text(&b), "2.5");
    sam_buffer_free(&b);
    assert_true(sam_strtod("0.5x", &end) == 0.5);
    assert_string_equal(end, "x");
    assert_true(sam_strtod("0,5", &end) == 0);
    assert_string_equal(end, ",5");
    assert_true(sam_strtof("-1.25e1", &end) == -12.5F && !*end);
    comma_is_there(); /* the program's locale is unchanged */
}

TEST(values, .teardown_func = leave)
{
    if (!use(COMMA))
        return;
    double real;
    float single;
    uint8_t half[2];
    assert_true(sam_dtype_parse_value(SAM_F64, "0.125", &real) && real == 0.125);
    assert_true(sam_dtype_parse_value(SAM_F32, "-1.5e3", &single) && single == -1500.0F);
    assert_true(sam_dtype_parse_value(SAM_F16, "1.5", half) && sam_le16(half) == 0x3e00);
    assert_false(sam_dtype_parse_value(SAM_F64, "0,125", &real));
}

/* jansson parses the number with the decimal point of the locale. */
TEST(json, .teardown_func = leave)
{
    if (!use(COMMA))
        return;
    static const char text[] =
        "{\"format\":\"layers-model\",\"weightsManifest\":[{\"paths\":[\"w.bin\"],\"weights\":["
        "{\"name\":\"k\",\"shape\":[4],\"dtype\":\"float32\",\"quantization\":"
        "{\"dtype\":\"uint8\",\"scale\":0.5,\"min\":-1.25,\"original_dtype\":\"float32\"}}]}]}";
    struct sam_tfjs t;
    succeeds(sam_tfjs_parse, text, sizeof text - 1, "m.json", &t);
    assert_true(t.stored[0].scale == 0.5 && t.stored[0].min == -1.25);
    sam_tfjs_free(&t);
}

static void assemble(const char *isa, const char *text, const void *bytes, size_t size)
{
    struct sam_asm_options options = {.size = sizeof options};
    SCOPED_IMAGE *image = NULL;
    SCOPED_TEXT *messages = NULL;
    succeeds(sam_isa_parse, isa, &options.isa);
    succeeds(sam_assemble, &options, "t.s", text, strlen(text), &image, &messages);
    assert_int_equal(image->sections[0].data_size, size);
    assert_memory_equal(image->sections[0].data, bytes, size);
}

TEST(assembly, .teardown_func = leave)
{
    if (!use(COMMA))
        return;
    static const double expected[] = {0.5, -2.25};
    static const float single = 1.75F;
    assemble("rv64i", ".double 0.5, -2.25\n", expected, sizeof expected);
    assemble("rv64i", ".float 1.75\n", &single, sizeof single);
}

/* Read, print, read again. */
TEST(tiles, .teardown_func = leave)
{
    if (!use(COMMA))
        return;
    static const char text[] = "func.func @f() {\n  %a = arith.constant 0.375 : f32\n  return\n}\n";
    struct sam_tile_program *program, *again;
    char *messages, *printed;
    succeeds(sam_tile_parse, "t.pto", text, sizeof text - 1, &program, &messages);
    free(messages);
    succeeds(sam_tile_print, program, SAM_TILE_SSA, &printed);
    assert_non_null(strstr(printed, "0.375"));
    succeeds(sam_tile_parse, "u.pto", printed, strlen(printed), &again, &messages);
    free(messages);
    assert_true(sam_tile_equal(program, again));
    free(printed);
    sam_tile_program_free(program);
    sam_tile_program_free(again);
}

TEST(plans, .teardown_func = leave)
{
    if (!use(COMMA))
        return;
    const struct sam_shape shape = {.rank = 2, .dim = {48, 80}};
    const unsigned order[SAM_MAX_RANK] = {1, 0};
    struct sam_plan *plan;
    char *text;
    succeeds(sam_plan_transpose, &shape, 4, order, &plan);
    succeeds(sam_plan_describe, plan, &text);
    assert_non_null(strstr(text, "1.000 of the lower bound"));
    sam_text_free(text);
    sam_plan_free(plan);
}

TEST(turkish, .teardown_func = leave)
{
    if (!use(TURKISH))
        return;
    /* Not strcasecmp: the address sanitizer replaces it by an ASCII-only version. */
    volatile int upper = 'I';
    assert_int_not_equal(tolower(upper), 'i');
    struct sam_isa isa;
    struct sam_csr_entry csr;
    succeeds(sam_isa_parse, "RV32IM_ZICSR_ZIFENCEI", &isa);
    assert_true(sam_csr_entry_find(&isa, "CSR_CYCLE", &csr));
}

/* 0xe4 is a letter in this locale, and 0xa0 a blank; to the assembler both are plain bytes. */
TEST(latin, .teardown_func = leave)
{
    if (!use(LATIN_1))
        return;
    static const char *const texts[] = {"\xe4", "func.func @f\xe4() {\n  return\n}\n",
                                        "func.func\xa0@f() {\n  return\n}\n"};
    for (size_t i = 0; i < SAM_COUNT(texts); i++) {
        struct sam_tile_program *program;
        struct sam_error error;
        FREED char *messages = NULL;
        assert_int_equal(
            sam_tile_parse("t.pto", texts[i], strlen(texts[i]), &program, &messages, &error),
            SAM_ERR_INPUT);
        assert_non_null(strstr(messages, "byte 0x"));
    }
}

TEST_GROUP(make_locales, remove_locales)

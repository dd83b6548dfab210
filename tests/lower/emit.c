/* SPDX-License-Identifier: Apache-2.0 */
/* The output of --emit runs by itself, and its results equal those of the lowered program and of
 * the executor. The lines of `samite tile explain` add up to the program's totals. */
#include "lower/lowered.h"

#include "folder.h"

static const char program[] =
    "%d = pto.tadd %a, %b : !pto.tile<vec, 8x16xf32>, !pto.tile<vec, 8x16xf32> -> "
    "!pto.tile<vec, 8x16xf32>\n"
    "%e = pto.tmuls %d, %s : !pto.tile<vec, 8x16xf32>, f32 -> !pto.tile<vec, 8x16xf32>\n";

static void run(const char *machine, const char *out, const char *more)
{
    if (!test_shell("cd %s && $SAMITE run p.pto -q %s --arg a:x0.npy --arg b:x1.npy "
                    "--arg s=f32:1.5 --arg e=out:f32:8,16:%s %s",
                    test_folder, machine, out, more))
        fail_msg("%s %s", machine, more);
}

static void make_files(void)
{
    SCOPED(lowered) x = {.seed = test_seed()};
    succeeds(sam_file_save, test_path("p.pto"), program, strlen(program));
    for (unsigned i = 0; i < 2; i++)
        succeeds(sam_npy_write, test_path(i ? "x1.npy" : "x0.npy"),
                 lowered_random(&x, SAM_F32, 8, 16));
}

TEST(test_emit)
{
    make_files();
    run("", "executed.npy", "");
    run("--machine system", "lowered.npy", "--emit made");
    run("--machine system", "timed.npy", "--cycles --check-races >report");
    assert_true(test_shell("sh %s/made/run -q", test_folder));
    assert_true(test_shell("cd %s && cmp executed.npy lowered.npy && cmp executed.npy timed.npy && "
                           "cmp executed.npy made/out2.npy && grep -q 'hart' report",
                           test_folder));
}

/* A failing program prints the message of `samite run` on the executor, and nothing on standard
 * output, both on the system and with the output of --emit. The file name is not taken for a
 * number in it. */
static void fails(const char *text, const char *arguments, const char *words)
{
    struct sam_error error;
    assert_int_equal(sam_file_save(test_path("f{0}.pto"), text, strlen(text), &error), SAM_OK);
    if (!test_shell("cd %s && rm -rf made && ! $SAMITE run 'f{0}.pto' -q %s 2>want && "
                    "grep -qF '%s' want && test $(wc -l <want) = 1 && "
                    "! $SAMITE run 'f{0}.pto' -q --machine system --emit made %s >out 2>lowered && "
                    "cmp want lowered && ! sh made/run -q >>out 2>got && ! test -s out && "
                    "grep -qxF \"$(cat want)\" got && test $(wc -l <got) = 2",
                    test_folder, arguments, words, arguments)) {
        test_shell("cd %s && tail want out lowered got", test_folder);
        fail_msg("%s\nexpected %s", text, words);
    }
}

TEST(test_failures)
{
    char text[1024];
    struct lowered x = {.seed = 1};
    struct sam_array *divisors = lowered_array(&x, SAM_I32, 8, 16);
    for (unsigned i = 0; i < 128; i++)
        ((int32_t *)divisors->data)[i] = i != 37 && i != 90;
    succeeds(sam_npy_write, test_path("zero.npy"), divisors);
    lowered_free(&x);
    fails("%d = pto.tdiv %a, %b : !pto.tile<vec, 8x16xi32>, !pto.tile<vec, 8x16xi32> -> "
          "!pto.tile<vec, 8x16xi32>\n",
          "--arg a:zero.npy --arg b:zero.npy --arg d=out:i32:8,16",
          "f{0}.pto:1:6: tdiv divides by zero for d[2,5]");
    static const char form[] = "func.func @f(%%a: index, %%b: index) {\n"
                               "  %%c1 = arith.constant 1 : index\n"
                               "  %s\n  return\n}\n";
    static const char *const bodies[][3] = {
        {"%q = arith.divsi %a, %b : index", "--arg i64:7 --arg i64:0", "divsi: division by zero"},
        {"%t = pto.alloc_tile valid_row = %a valid_col = %b : "
         "!pto.tile_buf<vec, 8x8xf32, valid=?x?>",
         "--arg i64:8 --arg i64:-9223372036854775808", " -9223372036854775808 valid columns"},
        {"scf.for %i = %c1 to %a step %b {\n}", "--arg i64:10 --arg i64:-3",
         "scf.for steps by -3; expected 1 or more"},
        {"%t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 8x8xf32>",
         "--arg i64:3567 --arg i64:0", "at 0xdef: expected a multiple of 32"},
    };
    for (size_t i = 0; i < SAM_COUNT(bodies); i++) {
        snprintf(text, sizeof text, form, bodies[i][0]);
        fails(text, bodies[i][1], bodies[i][2]);
    }
}

TEST(test_explain)
{
    make_files();
    assert_true(
        test_shell("cd %s && $SAMITE tile explain p.pto >plain && grep -q 'tadd: kernel k0' "
                   "plain && ! grep -q cycle plain",
                   test_folder));
    assert_true(test_shell("cd %s && $SAMITE tile explain p.pto --arg a:x0.npy --arg b:x1.npy "
                           "--arg s=f32:1.5 --arg e=out:f32:8,16 >costs && "
                           "grep -q 'k0: 1 launch, .* cycles' costs && "
                           "awk 'NR == 1 { all = $1 } / run, / { sum += $(NF - 1) } "
                           "END { exit sum > all || sum < all * 9 / 10 }' costs",
                           test_folder));
}

/* Pipes in the text and JSON reports and in the timeline file, also of a failing run. */
TEST(test_pipes)
{
    static const char bad[] =
        "%d = pto.tadd %a, %a : !pto.tile<vec, 1x8xi32>, !pto.tile<vec, 1x8xi32> -> "
        "!pto.tile<vec, 1x8xi32>\n"
        "%z = pto.tsub %d, %d : !pto.tile<vec, 1x8xi32>, !pto.tile<vec, 1x8xi32> -> "
        "!pto.tile<vec, 1x8xi32>\n"
        "%e = pto.tdiv %d, %z : !pto.tile<vec, 1x8xi32>, !pto.tile<vec, 1x8xi32> -> "
        "!pto.tile<vec, 1x8xi32>\n";
    SCOPED(lowered) x = {.seed = test_seed()};
    make_files();
    run("--machine system", "timed.npy", "--cycles --perfetto t.json >text");
    run("--machine system", "timed.npy", "--cycles --json >json");
    assert_true(test_shell("cd %s && grep -q '^pipes: vector 2 operations' text && "
                           "grep -q '\"tile program\"' t.json && "
                           "grep -q '\"tadd 1, tmuls 2\"' t.json && grep -q '\"pipes\": *\\[' json "
                           "&& grep -q '\"with_line\"' json",
                           test_folder));
    succeeds(sam_file_save, test_path("bad.pto"), bad, strlen(bad));
    succeeds(sam_npy_write, test_path("i.npy"), lowered_random(&x, SAM_I32, 1, 8));
    assert_true(
        test_shell("cd %s && ! $SAMITE run bad.pto -q --machine system --perfetto f.json "
                   "--arg a:i.npy --arg e=out:i32:1,8 >text 2>&1 && grep -q 'bad.pto:3' text "
                   "&& grep -q 'tdiv 3\"' f.json && tail -1 f.json | grep -q '^]}$'",
                   test_folder));
}

TEST_GROUP(test_folder_make, test_folder_remove)

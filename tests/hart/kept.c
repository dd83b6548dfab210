/* SPDX-License-Identifier: Apache-2.0 */
/* Translations kept on disk: the next run starts with them, whatever else reads or writes the
 * folder at the same time, but not with damaged ones or those of another library. */
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "hart/core.h"
#include "machine/jit.h"
#include "program.h"

/* Too few instructions for a loop to be translated without being asked to wait. */
enum { TURNS = 4000000 };

static char home[] = "/tmp/samite-kept-XXXXXX", folder[64], library[64];

static int set_up(void **state)
{
    (void)state;
    const char *given = getenv("SAMITE_JIT_LIBRARY");
    if (!given || !mkdtemp(home))
        return -1;
    snprintf(folder, sizeof folder, "%s/samite/jit", home);
    snprintf(library, sizeof library, "%s/jit.so", home);
    FREED char *command = formatted("cp '%s' %s", given, library);
    return system(command) == 0 && setenv("XDG_CACHE_HOME", home, 1) == 0 &&
                   setenv("SAMITE_JIT_LIBRARY", library, 1) == 0
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    FREED char *command = formatted("rm -r %s", home);
    return system(command);
}

TEST_GROUP(set_up, tear_down)

/* The loops that were machine code in a run. */
static unsigned run(const char *mode)
{
    char text[200];
    snprintf(text, sizeof text,
             "\tli s0, %d\n\tli a0, 0\nloop:\n\tadd a0, a0, s0\n\txori a0, a0, 3\n\taddi s0, s0, "
             "-1\n\tbnez s0, loop\n\tebreak\n",
             TURNS);
    assert_int_equal(setenv("SAMITE_JIT", mode, 1), 0);
    SCOPED(program) p = program_new(RV32, NULL, text);
    unsetenv("SAMITE_JIT");
    program_expect(&p, SAM_HART_EBREAK);
    uint32_t expected = 0;
    for (uint32_t n = TURNS; n > 0; n--)
        expected = (expected + n) ^ 3;
    assert_int_equal(sam_hart_x(p.hart, 10), expected);
    const unsigned count = sam_jit_count(p.hart->jit);
    return count;
}

/* Remove every entry. */
static void forget(void)
{
    FREED char *command = formatted("rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static unsigned keep(void)
{
    forget();
    assert_int_equal(run("auto"), 0);
    assert_int_equal(run("wait,100"), 1);
    return run("auto");
}

TEST(the_next_run_has_it)
{
    assert_int_equal(keep(), 1);
    assert_int_equal(run("wait"), 1);
}

TEST(damaged_ones_are_made_again)
{
    for (long at = 0; at < 200; at += 19) {
        assert_int_equal(keep(), 1);
        DIR *entries = opendir(folder);
        assert_non_null(entries);
        for (const struct dirent *e; (e = readdir(entries));) {
            FREED char *path = formatted("%s/%s", folder, e->d_name);
            FILE *file = e->d_name[0] == '.' ? NULL : fopen(path, "r+b");
            if (!file)
                continue;
            assert_int_equal(fseek(file, at, SEEK_SET), 0);
            const int byte = fgetc(file);
            assert_int_equal(fseek(file, at, SEEK_SET), 0);
            assert_true(byte != EOF && fputc(byte ^ 16, file) != EOF);
            fclose(file);
        }
        closedir(entries);
        assert_int_equal(run("auto"), 0);
        assert_int_equal(run("wait,100"), 1);
        assert_int_equal(run("auto"), 1);
    }
}

TEST(a_folder_that_others_may_write)
{
    assert_int_equal(keep(), 1);
    assert_int_equal(chmod(folder, 0722), 0);
    assert_int_equal(run("auto"), 0);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(run("auto"), 1);
}

TEST(another_library)
{
    assert_int_equal(keep(), 1);
    const struct utimbuf times = {.modtime = 1000};
    assert_int_equal(utime(library, &times), 0);
    assert_int_equal(run("auto"), 0);
    assert_int_equal(run("wait,100"), 1);
    assert_int_equal(run("auto"), 1);
}

TEST(two_processes)
{
    pid_t children[2];
    forget();
    for (unsigned i = 0; i < 2; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(run("wait,100") == 1 ? 0 : 1);
    }
    for (unsigned i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(run("auto"), 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of files: what is kept is read again, unless it is damaged, another's to write, or
 * among the oldest when there is too much. */
#include "base/cache.h"

#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "test.h"

struct home {
    char path[32], folder[64];
};

static struct home home_new(void)
{
    struct home home = {.path = "/tmp/samite-cache-XXXXXX"};
    assert_non_null(mkdtemp(home.path));
    snprintf(home.folder, sizeof home.folder, "%s/samite/test", home.path);
    assert_int_equal(setenv("XDG_CACHE_HOME", home.path, 1), 0);
    return home;
}

static void home_free(const struct home *home)
{
    unsetenv("XDG_CACHE_HOME");
    FREED char *command = formatted("rm -r %s", home->path);
    assert_int_equal(system(command), 0);
}

static struct sam_cache_key key_of(unsigned number)
{
    struct sam_cache_key key = {0};
    sam_cache_add(&key, &number, sizeof number);
    return key;
}

static void path_of(const struct home *home, unsigned number, char path[static 128])
{
    const struct sam_cache_key key = key_of(number);
    snprintf(path, 128, "%s/%016llx%016llx", home->folder, (unsigned long long)key.high,
             (unsigned long long)key.low);
}

/* Whether the entry is there, with its number as contents. */
static bool holds(unsigned number)
{
    const struct sam_cache_key key = key_of(number);
    SCOPED(sam_buffer) out = {0};
    const bool found = sam_cache_get("test", &key, &out);
    if (found)
        assert_memory_equal(out.data, &number, sizeof number);
    return found;
}

static void put(unsigned number, size_t size)
{
    const struct sam_cache_key key = key_of(number);
    void *data = test_calloc(1, size);
    memcpy(data, &number, sizeof number);
    sam_cache_put("test", &key, data, size);
    test_free(data);
}

TEST(keys_depend_on_every_part)
{
    struct sam_cache_key a = {0}, b = {0}, c = {0};
    sam_cache_add(&a, "ab", 2);
    sam_cache_add(&a, "c", 1);
    sam_cache_add(&b, "a", 1);
    sam_cache_add(&b, "bc", 2);
    sam_cache_add(&c, "abc", 3);
    assert_true(a.low != b.low && a.high != b.high && a.low != c.low && b.low != c.low);
}

TEST(entries_are_read_again)
{
    const struct home home = home_new();
    assert_false(sam_cache_exists("test"));
    assert_false(holds(1));
    put(1, 4);
    assert_true(sam_cache_exists("test"));
    assert_true(holds(1));
    assert_false(holds(2));
    put(2, 1000);
    put(1, 2000); /* over the first */
    assert_true(holds(1) && holds(2));
    home_free(&home);
}

TEST(damaged_entries_are_ignored)
{
    const struct home home = home_new();
    char path[128];
    put(1, 100);
    path_of(&home, 1, path);
    for (long at = 0; at < 108; at += 9) {
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 4, file);
        fclose(file);
        assert_false(holds(1));
        put(1, 100);
        assert_true(holds(1));
    }
    for (off_t size = 107; size >= 0; size -= 7) {
        assert_int_equal(truncate(path, size), 0);
        assert_false(holds(1));
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0); /* no file */
    assert_false(holds(1));
    put(1, 100);
    assert_false(holds(1));
    home_free(&home);
}

TEST(only_own_files_are_read)
{
    const struct home home = home_new();
    char path[128], link[128];
    put(1, 100);
    put(2, 100);
    path_of(&home, 1, path);
    path_of(&home, 2, link);
    assert_int_equal(chmod(path, 0646), 0);
    assert_false(holds(1));
    assert_int_equal(chmod(path, 0644), 0);
    assert_true(holds(1));
    assert_int_equal(chmod(home.folder, 0770), 0);
    assert_false(sam_cache_exists("test"));
    assert_false(holds(1));
    put(3, 100);
    assert_int_equal(chmod(home.folder, 0700), 0);
    assert_true(holds(1));
    assert_false(holds(3));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_false(holds(2));
    if (geteuid() == 0) { /* another's file */
        assert_int_equal(chown(path, 1, 1), 0);
        assert_false(holds(1));
    }
    home_free(&home);
}

TEST(the_oldest_go_first)
{
    const struct home home = home_new();
    const size_t size = SAM_CACHE_LIMIT / 4 - 64;
    char path[128];
    for (unsigned number = 0; number < 4; number++) {
        put(number, size);
        path_of(&home, number, path);
        const struct utimbuf times = {.modtime = 1000 + (number ^ 1)};
        assert_int_equal(utime(path, &times), 0);
    }
    assert_true(holds(0) && holds(1) && holds(2) && holds(3));
    put(4, size);
    assert_true(holds(0) && !holds(1) && holds(2) && holds(3) && holds(4));
    put(5, SAM_CACHE_LIMIT + 1); /* never */
    assert_false(holds(5));
    home_free(&home);
}

TEST(no_place_to_keep_anything)
{
    assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0);
    put(1, 4);
    assert_false(sam_cache_exists("test"));
    assert_false(holds(1));
    unsetenv("XDG_CACHE_HOME");
}

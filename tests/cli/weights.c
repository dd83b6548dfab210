/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the weight codec under interruption: kill -9 at any moment, another process at
 * work, Ctrl-C while they wait; progress on a terminal; and generated models. SAMITE_KILLS=N kills
 * each verb N times. */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "codec/weights.h"
#include "format/protobuf.h"

enum { SIZE = 24 << 20, LONG_ENOUGH = 66 << 20 }; /* progress is shown from 64 MiB on */

static void write_bytes(const char *name, const void *data, size_t size)
{
    FREED char *path = formatted("%s/%s", directory, name);
    succeeds(sam_file_save, path, data, size);
}

static void succeed(const char *words)
{
    expect_runs(words);
}

/* w.safetensors with one bf16 tensor, packed w.smw; in/ with two of them, packed in.packed/ */
FIXTURE(make_files)
{
    make_directory();
    command_verb = "";
    uint64_t seed = 1;
    FREED uint8_t *data = test_room(SIZE);
    test_weights(SAM_BF16, data, SIZE, 0.02, &seed);
    write_bytes("w", data, SIZE);
    succeed("convert -f w=w:bf16 -o w.safetensors");
    succeed("pack -f -q w.safetensors -o w.smw");
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && mkdir in && cp w.safetensors in/1.safetensors && cp w.safetensors "
             "in/2.safetensors && echo text >in/config.json",
             directory);
    assert_int_equal(system(command), 0);
    succeed("pack -f -q in -o in.packed");
    succeed("unpack -f -q in.packed -o in.back");
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool same_file(const char *name, const char *other)
{
    SCOPED(sam_buffer) a = read_file(name), b = read_file(other);
    bool same = a.size == b.size && memcmp(sam_buffer_text(&a), sam_buffer_text(&b), a.size) == 0;
    return same;
}

/* A verb, its output files, and their contents after a complete run. */
struct task {
    const char *words;
    const char *outputs[3], *expected[3];
};

static void lay_old(const struct task *task, bool there)
{
    for (unsigned i = 0; i < 3 && task->outputs[i]; i++) {
        FREED char *path = formatted("%s/%s", directory, task->outputs[i]);
        if (there)
            write_text(task->outputs[i], "old");
        else
            assert_true(unlink(path) == 0 || !exists(task->outputs[i]));
    }
}

/* Each output is old, missing or complete; returns how many are complete. */
static unsigned look(const struct task *task, bool old_was_there)
{
    unsigned whole = 0;
    for (unsigned i = 0; i < 3 && task->outputs[i]; i++) {
        const char *name = task->outputs[i];
        if (!exists(name)) {
            assert_false(old_was_there);
            continue;
        }
        SCOPED(sam_buffer) file = read_file(name);
        bool old = strcmp(sam_buffer_text(&file), "old") == 0;
        if (old ? !old_was_there : !same_file(name, task->expected[i]))
            fail_msg("%s is neither old nor whole after a kill of: %s", name, task->words);
        whole += !old;
    }
    return whole;
}

TEST(killed)
{
    static const struct task tasks[] = {
        {"pack -f -q w.safetensors -o out.smw", {"out.smw"}, {"w.smw"}},
        {"unpack -f -q w.smw -j 2 -o out.bin", {"out.bin"}, {"w.safetensors"}},
        {"convert -f w=w:bf16 -o out.safetensors", {"out.safetensors"}, {"w.safetensors"}},
        {"pack -f -q in -o a",
         {"a/1.safetensors.smw", "a/2.safetensors.smw", "a/config.json"},
         {"w.smw", "w.smw", "in/config.json"}},
        {"unpack -f -q in.packed -o b",
         {"b/1.safetensors", "b/2.safetensors", "b/config.json"},
         {"w.safetensors", "w.safetensors", "in/config.json"}},
    };
    uint64_t seed = test_seed(), kills = test_number("SAMITE_KILLS", 8);
    for (unsigned t = 0; t < SAM_COUNT(tasks); t++) {
        double begin = now();
        succeed(tasks[t].words);
        double whole_run = now() - begin;
        unsigned killed = 0, whole = 0;
        for (uint64_t i = 0; i < kills; i++) {
            int status;
            bool there = i % 2;
            lay_old(&tasks[t], there);
            pid_t child = start(tasks[t].words);
            usleep((useconds_t)(1e6 * whole_run * (double)test_below(&seed, 1200) / 1000));
            kill(child, SIGKILL);
            assert_int_equal(waitpid(child, &status, 0), child);
            killed += WIFSIGNALED(status);
            whole += look(&tasks[t], there);
        }
        printf("# %s: killed %u of %u times, %u outputs were there\n", tasks[t].words, killed,
               (unsigned)kills, whole);
        succeed(tasks[t].words); /* the remains of killed runs do not disturb later ones */
        for (unsigned i = 0; i < 3 && tasks[t].outputs[i]; i++)
            assert_true(same_file(tasks[t].outputs[i], tasks[t].expected[i]));
    }
}

/* A record held by another process prevents a second run of the part, with and without -f. */
TEST(locks)
{
    run_script("mkdir held; echo 'samite part 0000000000000000 working' >held/.samite-part-1-of-2");
    FREED char *path = formatted("%s/held/.samite-part-1-of-2", directory);
    FILE *file = fopen(path, "r+");
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_non_null(file);
    assert_int_equal(fcntl(fileno(file), F_SETLK, &all), 0);
    expect_failure("pack -q --part 1/2 in -o held", 2, "another process works on part 1/2");
    expect_failure("pack -qf --part 1/2 in -o held", 2, "another process works on part 1/2");
    fclose(file);
    /* The record of a killed process is taken over. */
    run_script("$SAMITE pack -q --part 1/2 in -o held; $SAMITE pack -q --part 2/2 in -o held; "
               "diff -r in.packed held");
}

/* The first `size` bytes of `name` arrive through a pipe, then nothing. Ctrl-C. */
static void interrupt_waiting(const char *name, size_t size, const char *words)
{
    SCOPED(sam_buffer) file = read_file(name);
    FREED char *path = formatted("%s/pipe", directory);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int pipe = open(path, O_RDWR);
    assert_true(pipe >= 0 && file.size > size);
    assert_int_equal(write(pipe, file.data, size), size);
    write_text("stop.out", "old");
    struct outcome o = run_interrupted(words, true);
    expect_part(&o.err, "samite: error: stopped\n");
    assert_int_equal(o.code, 128 + SIGINT);
    done(&o);
    assert_false(has_temporary("stop.out"));
    o.out = read_file("stop.out");
    assert_string_equal(sam_buffer_text(&o.out), "old");
    sam_buffer_free(&o.out);
    close(pipe);
}

TEST(interrupted)
{
    interrupt_waiting("w.safetensors", 60000, "pack -f - -o stop.out <pipe");
    interrupt_waiting("w.smw", 60000, "unpack -f - -o stop.out <pipe");
    succeed("unpack -f w.smw --tensor w -o w.npy");
    interrupt_waiting("w.npy", 60000, "convert -f w=pipe -o stop.out");
}

/* The output of the verb on a terminal. */
static struct sam_buffer watch(const char *words)
{
    int terminal, held, status;
    const pid_t child = start_on_terminal(words, 2, &terminal, &held);
    struct sam_buffer said = {0};
    static const char end = 4; /* marks the end of the verb's output */
    for (bool ended = false; !said.size || said.data[said.size - 1] != (uint8_t)end;) {
        char bytes[4096];
        int waiting = 0;
        if (!ended && waitpid(child, &status, WNOHANG) == child) {
            ended = true;
            assert_int_equal(write(held, &end, 1), 1);
        }
        ioctl(terminal, FIONREAD, &waiting);
        if (waiting > 0)
            sam_buffer_append(&said, bytes, (size_t)read(terminal, bytes, sizeof bytes));
        else
            usleep(1000);
    }
    said.data[--said.size] = '\0';
    close(held);
    close(terminal);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return said;
}

/* A progress line, erased at the end. */
static void watch_only(const char *words, const char *what)
{
    SCOPED(sam_buffer) said = watch(words);
    FREED char *begin = formatted("\r%s: ", what);
    if (strncmp(sam_buffer_text(&said), begin, strlen(begin)) != 0 || said.size < 4 ||
        memcmp(said.data + said.size - 4, "\r\033[K", 4) != 0)
        fail_msg("%s said '%s'", words, sam_buffer_text(&said));
    expect_part(&said, " MiB, ");
    expect_part(&said, " bytes/s, ");
    expect_part(&said, " left");
    assert_false(strchr(sam_buffer_text(&said), '\n'));
}

static void expect_progress(const char *words, const char *what)
{
    SCOPED(sam_buffer) said;
    watch_only(words, what);
    FREED char *line = formatted("%s -q", words);
    said = watch(line);
    assert_string_equal(sam_buffer_text(&said), "");
    SCOPED_OUTCOME o = run(words); /* standard error is a file */
    assert_int_equal(o.code, 0);
    assert_string_equal(sam_buffer_text(&o.err), "");
}

TEST(progress)
{
    if (no_terminal())
        return;
    uint64_t seed = 3;
    FREED uint8_t *noise = test_room(LONG_ENOUGH);
    for (size_t i = 0; i < LONG_ENOUGH; i += 8)
        sam_put_le64(noise + i, test_random(&seed));
    write_bytes("noise", noise, LONG_ENOUGH);
    expect_progress("pack -f noise -o noise.smw", "pack");
    expect_progress("verify noise.smw", "verify");
    expect_progress("unpack -f noise.smw -o noise.back", "unpack");
    watch_only("convert -f w=noise -o noise.safetensors", "convert");
    watch_only("stat noise", "stat");
    SCOPED(sam_buffer) said = watch("verify w.smw"); /* too short to show progress */
    assert_string_equal(sam_buffer_text(&said), "");
}

/* Packed data is not written to a terminal. */
TEST(onto_terminal)
{
    if (no_terminal())
        return;
    int terminal, held, waiting = 0, status;
    const pid_t child = start_on_terminal("pack -f w -o -", 1, &terminal, &held);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    assert_int_equal(ioctl(terminal, FIONREAD, &waiting), 0);
    assert_int_equal(waiting, 0);
    expect_parts(read_file(".err"), "error: standard output is a terminal", NULL);
    close(held);
    close(terminal);
}

/* A model with f32, int64 and int8, one of them in a subgraph; `twin` has the name of another. */
static void write_model(const char *name, bool twin)
{
    struct sam_buffer graph = {0}, inner = {0}, t;
    uint8_t data[400];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(7 * i);
    t = make_tensor("conv/weight:0", 1, 3, (uint64_t[]){2, 5, 10});
    put_bytes(&t, 9, data, 400);
    put_message(&graph, 5, t);
    t = make_tensor("", 7, 0, (uint64_t[1]){0});
    put_number(&t, 7, UINT64_MAX);
    put_message(&inner, 1, make_constant("minus \"one\"\n", t));
    put_message(&graph, 1, make_branch(inner));
    t = make_tensor(twin ? "conv/weight:0" : "i", 3, 1, (uint64_t[]){3});
    put_bytes(&t, 5, "\1\2\3", 3);
    put_message(&graph, 5, t);
    SCOPED(sam_buffer) model = make_model(graph);
    assert_false(model.failed);
    write_bytes(name, model.data, model.size);
}

static void expect_file(const char *name, const void *bytes, size_t size)
{
    SCOPED(sam_buffer) file = read_file(name);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, bytes, size);
}

TEST(onnx)
{
    write_model("m.onnx", false);
    expect_parts(expect_success("convert -f m.onnx -o m.safetensors --json"),
                 "\"name\": \"conv/weight:0\",\n        \"dtype\": \"f32\"", "\"from\": \"m.onnx\"",
                 NULL);
    SCOPED(sam_buffer) said = read_file("m.safetensors");
    assert_memory_equal(sam_buffer_text(&said) + 8,
                        "{\"conv/weight:0\":{\"dtype\":\"F32\",\"shape\":[2,5,10],"
                        "\"data_offsets\":[0,400]},\"minus \\\"one\\\"\\n\":{\"dtype\":\"I64\","
                        "\"shape\":[],\"data_offsets\":[400,408]},\"i\":{\"dtype\":\"I8\","
                        "\"shape\":[3],\"data_offsets\":[408,411]}}",
                        187);
    succeed("pack -f m.safetensors -o m.smw");
    succeed("unpack -f m.smw -o m.back");
    assert_true(same_file("m.safetensors", "m.back"));
    succeed("unpack -f m.smw --tensor conv/weight:0 --range 1:2 -o x");
    expect_file("x", "\x1c\x23\x2a\x31", 4);
    succeed("unpack -f m.smw --tensor 'minus \"one\"\n' -o x");
    expect_file("x", "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    succeed("unpack -f m.smw --tensor i -o x");
    expect_file("x", "\1\2\3", 3);
    /* rounded to bf16: 0x150e0700 is 0x150e, 0x312a231c is 0x312a */
    succeed("convert -f --bf16 m.onnx more=x:u8 -o b.safetensors");
    succeed("pack -f b.safetensors -o b.smw");
    succeed("unpack -f b.smw --tensor conv/weight:0 --range :2 -o x");
    expect_file("x", "\x0e\x15\x2a\x31", 4);
    succeed("unpack -f b.smw --tensor more -o x");
    expect_file("x", "\1\2\3", 3);

    write_model("twin.onnx", true);
    expect_failure("convert -f twin.onnx -o t", 2, "twin.onnx: two tensors named 'conv/weight:0'");
    expect_failure("convert -f m.onnx i=x:u8 -o t", 2, "two tensors named 'i'");
    expect_failure("convert -f a=m.onnx -o t", 2, "names and types cannot be given for a model");
    expect_failure("convert -f m.onnx:f32 -o t", 2, "names and types cannot be given for a model");
    expect_failure("convert -f m.onnx -o m.onnx", 2, "the output is the input");
    expect_failure("convert -f m.onnx -o - --json", 2, "both go to standard output");
    expect_failure("convert -f __metadata__=x:u8 -o t", 2, "invalid tensor name '__metadata__'");
    expect_failure("convert -f \"$(printf '\\377')\"=x:u8 -o t", 2, "is not UTF-8");
    write_text("text.onnx", "hello");
    expect_failure("convert -f text.onnx -o t", 2, "text.onnx: not an ONNX model, or damaged");
    assert_false(exists("t") || has_temporary("t."));
}

TEST_GROUP(make_files, remove_directory)

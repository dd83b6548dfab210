/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char directory[64];

void write_text(const char *name, const char *text)
{
    FREED char *path = formatted("%s/%s", directory, name);
    succeeds(sam_file_save, path, text, strlen(text));
}

struct sam_buffer read_file(const char *name)
{
    struct sam_buffer file = {0};
    FREED char *path = formatted("%s/%s", directory, name);
    succeeds(sam_file_read, path, UINT64_C(1) << 30, &file);
    return file;
}

bool exists(const char *name)
{
    FREED char *path = formatted("%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

bool has_temporary(const char *name)
{
    bool found = false;
    DIR *d = opendir(directory);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        found |= strncmp(e->d_name, name, strlen(name)) == 0 && e->d_name[strlen(name)];
    closedir(d);
    return found;
}

const char addn[] = "        .globl addn\n"
                    "addn:   lw      t0, 0(a0)\n"
                    "        lw      t1, 4(a0)\n"
                    "        csrr    t2, tid\n"
                    "        vid.v   v1\n"
                    "        vadd.vx v1, v1, t2\n"
                    "        vsll.vi v1, v1, 2\n"
                    "        vadd.vx v1, v1, t0\n"
                    "        vlw12.v v2, 0(v1)\n"
                    "        vadd.vx v2, v2, t1\n"
                    "        vsw12.v v2, 0(v1)\n"
                    "        ret\n";

const char *command_verb = "run";

/* The shell command for `samite VERB WORDS`. */
static void command_line(char *command, size_t room, const char *words)
{
    const char *program = getenv("SAMITE");
    assert_non_null(program);
    int size = snprintf(command, room, "cd %s && exec %s %s %s >.out 2>.err", directory, program,
                        command_verb, words);
    assert_true(size > 0 && (size_t)size < room);
}

struct outcome outcome_of(int status)
{
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return (struct outcome){code, read_file(".out"), read_file(".err")};
}

struct outcome run(const char *words)
{
    char command[4096];
    command_line(command, sizeof command, words);
    return outcome_of(system(command));
}

pid_t start(const char *words)
{
    char command[4096];
    command_line(command, sizeof command, words);
    write_text(".err", ""); /* not that of the previous run */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(98);
    }
    return child;
}

/* Whether a signal mask in /proc/PID/status contains the signal. */
static bool has_signal(pid_t child, const char *mask, int signal)
{
    char line[256];
    unsigned long long bits = 0;
    FREED char *path = formatted("/proc/%d/status", (int)child);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, mask, strlen(mask)) == 0)
            bits = strtoull(line + strlen(mask), NULL, 16);
    fclose(file);
    return bits >> (signal - 1) & 1;
}

bool catches(pid_t child, int signal)
{
    return has_signal(child, "SigCgt:", signal);
}

bool ignores(pid_t child, int signal)
{
    return has_signal(child, "SigIgn:", signal);
}

/* Size of the incomplete output that the process has open in the directory: an unnamed file, or
 * one whose name ends in .tmp. Returns -1 if there is none. */
static long long output_of(pid_t child)
{
    char name[300], target[300];
    long long size = -1;
    FREED char *path = formatted("/proc/%d/fd", (int)child);
    DIR *d = opendir(path);
    if (!d)
        return -1;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat file;
        snprintf(name, sizeof name, "%s/%.200s", path, e->d_name);
        ssize_t length = readlink(name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        size_t begin = strlen(directory);
        if (strncmp(target, directory, begin) == 0 &&
            (strncmp(target + begin, "/#", 2) == 0 || strstr(target + begin, ".tmp")) &&
            stat(name, &file) == 0 && file.st_size > size)
            size = file.st_size;
    }
    closedir(d);
    return size;
}

static bool is_writing(pid_t child, int signal)
{
    (void)signal;
    return output_of(child) >= 0;
}

bool has_written(pid_t child, int signal)
{
    (void)signal;
    return output_of(child) > 4096;
}

bool has_worked(pid_t child, int signal)
{
    char path[64], line[1024], *fields = NULL;
    unsigned long ticks = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    FILE *file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file))
        fields = strrchr(line, ')'); /* after the name: state, ...; utime is field 12 */
    if (fields)
        sscanf(fields, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu", &ticks);
    if (file)
        fclose(file);
    (void)signal;
    return ticks >= (unsigned long)sysconf(_SC_CLK_TCK) / 2;
}

bool has_spoken(pid_t child, int signal)
{
    SCOPED(sam_buffer) err = read_file(".err");
    const bool has = strchr(sam_buffer_text(&err), '\n') != NULL;
    (void)child, (void)signal;
    return has;
}

bool comes(pid_t child, bool (*condition)(pid_t child, int signal), int signal)
{
    for (int i = 0; i < 30000; i++) {
        siginfo_t info = {0};
        if (condition(child, signal))
            return true;
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
            return false;
        usleep(1000);
    }
    return false;
}

struct outcome dies(pid_t child, int signal)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), signal);
    return outcome_of(status);
}

struct outcome run_interrupted(const char *words, bool catching)
{
    pid_t child = start(words);
    assert_true(!catching || comes(child, catches, SIGTERM));
    assert_true(comes(child, is_writing, 0)); /* it is running */
    kill(child, SIGINT);
    return dies(child, SIGINT);
}

void done(struct outcome *o)
{
    sam_buffer_free(&o->out);
    sam_buffer_free(&o->err);
}

void expect_part(const struct sam_buffer *text, const char *part)
{
    if (!strstr(sam_buffer_text(text), part))
        fail_msg("no '%s' in: %s", part, sam_buffer_text(text));
}

void expect_parts(struct sam_buffer text, ...)
{
    va_list parts;
    va_start(parts, text);
    for (const char *part; (part = va_arg(parts, const char *));)
        expect_part(&text, part);
    va_end(parts);
    sam_buffer_free(&text);
}

static json_t *json_of(struct sam_buffer text)
{
    json_t *root = json_loads(sam_buffer_text(&text), 0, NULL);
    if (!root)
        fail_msg("no JSON: %s", sam_buffer_text(&text));
    sam_buffer_free(&text);
    return root;
}

json_t *expect_json(const char *words)
{
    return json_of(expect_success(words));
}

json_t *read_json(const char *name)
{
    return json_of(read_file(name));
}

json_t *json_at(const json_t *root, const char *path)
{
    const json_t *value = root;
    for (const char *at = path; value && *at; at += *at == '/') {
        const size_t size = strcspn(at, "/");
        FREED char *name = formatted("%.*s", (int)size, at);
        value = json_is_array(value) ? json_array_get(value, strtoul(name, NULL, 10))
                                     : json_object_get(value, name);
        at += size;
    }
    if (!value)
        fail_msg("nothing at '%s'", path);
    return (json_t *)(uintptr_t)value;
}

json_int_t number_at(const json_t *root, const char *path)
{
    const json_t *value = json_at(root, path);
    if (!json_is_integer(value))
        fail_msg("no number at '%s'", path);
    return json_integer_value(value);
}

struct slice {
    json_int_t track[2], start, end;
};

static int by_track(const void *x, const void *y)
{
    const struct slice *a = x, *b = y;
    for (unsigned i = 0; i < 2; i++)
        if (a->track[i] != b->track[i])
            return a->track[i] < b->track[i] ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

void expect_disjoint_slices(const json_t *timeline)
{
    const json_t *events = json_at(timeline, "traceEvents"), *event;
    FREED struct slice *slices = calloc(json_array_size(events) + 1, sizeof *slices);
    size_t i, count = 0;
    assert_non_null(slices);
    json_array_foreach(events, i, event)
    {
        if (strcmp(json_string_value(json_at(event, "ph")), "X") != 0)
            continue;
        struct slice *s = &slices[count++];
        *s = (struct slice){.track = {number_at(event, "pid"), number_at(event, "tid")},
                            .start = number_at(event, "ts")};
        s->end = s->start + number_at(event, "dur");
    }
    qsort(slices, count, sizeof *slices, by_track);
    for (i = 1; i < count; i++)
        if (memcmp(slices[i].track, slices[i - 1].track, sizeof slices[i].track) == 0 &&
            slices[i].start < slices[i - 1].end)
            fail_msg("track %lld: a slice from %lld on, within that from %lld to %lld",
                     (long long)slices[i].track[1], (long long)slices[i].start,
                     (long long)slices[i - 1].start, (long long)slices[i - 1].end);
    assert_true(count > 0);
}

void expect_failure(const char *words, int code, const char *part)
{
    SCOPED_OUTCOME o = run(words);
    expect_part(&o.err, part);
    if (o.code != code)
        fail_msg("%s: exit %d, expected %d", words, o.code, code);
    const char *newline = strchr(sam_buffer_text(&o.err), '\n');
    assert_non_null(newline);
    if (newline[1])
        fail_msg("more than a line: %s", sam_buffer_text(&o.err));
}

struct sam_buffer expect_success(const char *words)
{
    struct outcome o = run(words);
    if (o.code != 0)
        fail_msg("%s: exit %d: %s", words, o.code, sam_buffer_text(&o.err));
    sam_buffer_free(&o.err);
    return o.out;
}

void expect_runs(const char *words)
{
    expect_parts(expect_success(words), (const char *)NULL);
}

void run_script(const char *commands)
{
    char line[1024];
    const int length =
        snprintf(line, sizeof line, "exec >/dev/null; cd %s && SAMITE='%s'; set -e; %s", directory,
                 getenv("SAMITE"), commands);
    assert_true(length > 0 && (size_t)length < sizeof line);
    if (system(line) != 0)
        fail_msg("failed: %s", commands);
}

void make_directory(void)
{
    strcpy(directory, "/tmp/samite-run-XXXXXX");
    assert_non_null(mkdtemp(directory));
    signal(SIGINT, SIG_DFL); /* shells ignore it in background jobs */
}

int remove_directory(void **state)
{
    (void)state;
    FREED char *command = formatted("rm -rf %s", directory);
    return system(command);
}

static int try_terminal(char *name, size_t room)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
        ptsname_r(terminal, name, room) == 0 && access(name, R_OK | W_OK) == 0)
        return terminal;
    close(terminal);
    return -1;
}

int open_terminal(char *name, size_t room)
{
    const int terminal = try_terminal(name, room);
    assert_true(terminal >= 0);
    return terminal;
}

pid_t start_on_terminal(const char *words, int stream, int *terminal, int *held)
{
    char line[512], name[64];
    *terminal = open_terminal(name, sizeof name);
    *held = open(name, O_RDWR | O_NOCTTY);
    snprintf(line, sizeof line, "%s >%s 2>%s; :", words, stream == 1 ? name : ".out",
             stream == 2 ? name : ".err"); /* `:` takes what start() appends */
    return start(line);
}

bool no_terminal(void)
{
    char name[64];
    const int terminal = try_terminal(name, sizeof name);
    if (terminal < 0)
        printf("# no pseudo-terminal on this machine: skipped\n"); /* skip() counts as a failure
                                                                    * in TAP */
    else
        close(terminal);
    return terminal < 0;
}

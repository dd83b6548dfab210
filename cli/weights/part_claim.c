/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the parts of an output folder. A record is one line: the plan shared by all parts,
 * and the state of the part. An unlocked record in state "working" belongs to a process that was
 * killed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "part.h"

#ifdef F_OFD_SETLK
enum { SET_LOCK = F_OFD_SETLK };
#else
enum { SET_LOCK = F_SETLK };
#endif

enum { LINE = 64 };

/* The contents of a record. */
struct record {
    unsigned index, count; /* from its name */
    uint64_t plan;
    bool done;
};

/* ".samite-part-2-of-8" */
static bool parse_name(const char *name, struct record *r)
{
    unsigned index, count;
    int end = 0;
    if (sscanf(name, CLI_PART_RECORD "%5u-of-%5u%n", &index, &count, &end) != 2 || name[end] ||
        index == 0 || index > count)
        return false;
    r->index = index;
    r->count = count;
    return true;
}

static bool parse_line(const char *line, struct record *r)
{
    unsigned long long plan;
    char state[16];
    if (sscanf(line, "samite part %16llx %15s", &plan, state) != 2)
        return false;
    r->plan = plan;
    r->done = strcmp(state, "done") == 0;
    return r->done || strcmp(state, "working") == 0 || strcmp(state, "failed") == 0;
}

/* The text of an open record; "" if it has none yet. */
static bool read_line(int file, char line[LINE])
{
    const ssize_t got = pread(file, line, LINE - 1, 0);
    line[got > 0 ? got : 0] = '\0';
    return got >= 0;
}

static bool write_state(const struct cli_claim *claim, const char *state, struct sam_error *error)
{
    char line[LINE];
    const int size = snprintf(line, sizeof line, "samite part %016llx %-7s\n",
                              (unsigned long long)claim->plan, state);
    if (pwrite(claim->file, line, (size_t)size, 0) == size)
        return true;
    return cli_fail(error, SAM_ERR_IO, claim->path, "%s", strerror(errno));
}

static char *record_path(const char *folder, unsigned index, unsigned count)
{
    return cli_text("%s/" CLI_PART_RECORD "%u-of-%u", folder, index, count);
}

/* Call `look` for each record of the folder until it returns false. Returns false then or on an
 * error. */
static bool each_record(const char *folder,
                        bool (*look)(void *context, const char *path, const struct record *r,
                                     struct sam_error *error),
                        void *context, struct sam_error *error)
{
    DIR *open_folder = opendir(folder);
    bool good = true;
    if (!open_folder)
        return cli_fail(error, SAM_ERR_IO, folder, "%s", strerror(errno));
    for (struct dirent *e; good && (e = readdir(open_folder));) {
        struct record r = {0};
        char line[LINE] = "";
        if (!parse_name(e->d_name, &r))
            continue;
        char *path = record_path(folder, r.index, r.count);
        const int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
        if (!path)
            good = cli_fail(error, SAM_ERR_MEMORY, folder, "out of memory");
        else if (file < 0 && errno != ENOENT) /* otherwise the last part has just removed it */
            good = cli_fail(error, SAM_ERR_IO, path, "%s", strerror(errno));
        else if (file >= 0 && read_line(file, line) && line[0] && !parse_line(line, &r))
            good = cli_fail(error, SAM_ERR_INPUT, path, "not a record of a part");
        else if (file >= 0)
            good = look(context, path, &r, error);
        if (file >= 0)
            close(file);
        free(path);
    }
    closedir(open_folder);
    return good;
}

/* Whether another part's record belongs to this run. One without text is being created. */
static bool agrees(void *context, const char *path, const struct record *r, struct sam_error *error)
{
    const struct cli_claim *claim = context;
    if (r->count != claim->part->count)
        return cli_fail(
            error, SAM_ERR_INPUT, path,
            "a run of %u parts has worked here: expected %u (remove it if that run is over)",
            r->count, claim->part->count);
    if (r->index != claim->part->index && r->plan && r->plan != claim->plan)
        return cli_fail(
            error, SAM_ERR_INPUT, path,
            "that part works on other files or with other options: expected the same in "
            "all parts (remove it if that run is over)");
    return true;
}

/* Lock the record; *locks: whether the file system has locks. */
static bool lock(const struct cli_claim *claim, bool *locks)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *locks = true;
    if (fcntl(claim->file, SET_LOCK, &all) == 0)
        return true;
    *locks = errno == EAGAIN || errno == EACCES;
    return !*locks;
}

static bool is_held(const struct cli_claim *claim, struct sam_error *error)
{
    return cli_fail(error, SAM_ERR_INPUT, claim->path,
                    "another process works on part %u/%u: expected each part once",
                    claim->part->index, claim->part->count);
}

static bool take(struct cli_claim *claim, bool force, struct sam_error *error)
{
    struct record r = {0};
    char line[LINE];
    bool locks;
    if (!lock(claim, &locks))
        return is_held(claim, error);
    if (!read_line(claim->file, line))
        return cli_fail(error, SAM_ERR_IO, claim->path, "%s", strerror(errno));
    if (line[0] && !parse_line(line, &r))
        return cli_fail(error, SAM_ERR_INPUT, claim->path, "not a record of a part");
    if (r.done && !force)
        return cli_fail(error, SAM_ERR_INPUT, claim->path,
                        "part %u/%u is done: use -f to do it again", claim->part->index,
                        claim->part->count);
    /* Without locks a running process cannot be distinguished from a killed one. */
    if (!locks && line[0] && !force && strstr(line, "working"))
        return is_held(claim, error);
    return each_record(claim->folder, agrees, claim, error) && write_state(claim, "working", error);
}

static void release(struct cli_claim *claim)
{
    if (claim->file >= 0)
        close(claim->file);
    free(claim->folder);
    free(claim->path);
    *claim = (struct cli_claim){.file = -1};
}

/* Open the record, or create it; *made: whether it was created. */
static bool open_record(struct cli_claim *claim, bool *made)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    claim->file = open(claim->path, flags | O_CREAT | O_EXCL, 0666);
    *made = claim->file >= 0;
    if (!*made && errno == EEXIST)
        claim->file = open(claim->path, flags);
    return claim->file >= 0;
}

bool cli_claim_open(struct cli_claim *claim, const char *folder, const struct cli_part *part,
                    uint64_t plan, bool force, struct sam_error *error)
{
    bool made = false;
    *claim = (struct cli_claim){.folder = strdup(folder), .part = part, .plan = plan, .file = -1};
    claim->path = record_path(folder, part->index, part->count);
    bool good = claim->folder && claim->path;
    if (!good)
        cli_fail(error, SAM_ERR_MEMORY, folder, "out of memory");
    else
        good = open_record(claim, &made)
                   ? take(claim, force, error)
                   : cli_fail(error, SAM_ERR_IO, claim->path, "%s", strerror(errno));
    if (!good && made) /* a rejected claim leaves nothing */
        unlink(claim->path);
    if (!good)
        release(claim);
    return good;
}

static bool count_done(void *context, const char *path, const struct record *r,
                       struct sam_error *error)
{
    (void)path, (void)error;
    *(unsigned *)context += r->done;
    return true;
}

/* All parts are done: the records are obsolete. */
static void remove_records(const struct cli_claim *claim)
{
    for (unsigned i = 1; i <= claim->part->count; i++) {
        char *path = record_path(claim->folder, i, claim->part->count);
        if (path)
            unlink(path);
        free(path);
    }
}

bool cli_claim_close(struct cli_claim *claim, bool done, struct sam_error *error)
{
    unsigned count = 0;
    bool good = true;
    if (claim->file >= 0) {
        struct sam_error *heard = done ? error : NULL; /* the part has failed already */
        good = write_state(claim, done ? "done" : "failed", heard) &&
               (!done || each_record(claim->folder, count_done, &count, heard));
        if (good && done && count == claim->part->count)
            remove_records(claim);
    }
    release(claim);
    return good;
}

struct unfinished {
    unsigned count, done, first; /* parts; those done; the lowest that is not */
    bool *seen;
};

static bool note(void *context, const char *path, const struct record *r, struct sam_error *error)
{
    struct unfinished *u = context;
    if (!u->seen) {
        u->count = r->count;
        u->seen = calloc(r->count + 1, sizeof *u->seen);
        if (!u->seen)
            return cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
    }
    if (r->count == u->count && r->done)
        u->seen[r->index] = true;
    return true;
}

bool cli_claims_are_over(const char *folder, struct sam_error *error)
{
    struct unfinished u = {0};
    bool good = each_record(folder, note, &u, error);
    unsigned missing = 0;
    for (unsigned i = u.count; good && i > 0; i--)
        missing = u.seen[i] ? missing : i;
    if (good && missing)
        good = cli_fail(error, SAM_ERR_INPUT, folder,
                        "incomplete: part %u/%u is not done (of --part)", missing, u.count);
    free(u.seen);
    return good;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Models in several files: a folder, or the index of a sharded model. */
#include "weights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool weights_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool weights_is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool weights_ends_with(const char *path, const char *suffixes)
{
    char suffix[32];
    while (cli_word(&suffixes, suffix, sizeof suffix))
        if (strlen(path) > strlen(suffix) && cli_ends_with(path, suffix))
            return true;
    return false;
}

/* Whether the name is that of an index of shards. */
static bool is_index(const char *path)
{
    return weights_ends_with(path, ".index.json");
}

bool weights_are_many(const char *path)
{
    return weights_is_folder(path) || is_index(path);
}

bool weights_are_known(const char *path)
{
    return weights_ends_with(path, ".safetensors .gguf .npy") || weights_are_checkpoint(path, NULL);
}

bool weights_are_foreign(const char *path)
{
    return weights_ends_with(path, ".bin .pt .pth .ckpt .h5 .keras .msgpack .onnx .onnx_data .pb "
                                   ".tflite .npz .pkl .gguf.part .ot .pdparams .mlmodel");
}

static bool append(char ***paths, size_t *count, char *path)
{
    char **grown = realloc(*paths, (*count + 1) * sizeof *grown);
    if (!grown) {
        free(path);
        return false;
    }
    *paths = grown;
    grown[(*count)++] = path;
    return true;
}

static char *join(const char *folder, size_t folder_size, const char *name)
{
    const char *between = folder_size && folder[folder_size - 1] != '/' ? "/" : "";
    return cli_text("%.*s%s%s", (int)folder_size, folder, between, name);
}

static bool add(struct weights_list *list, const char *folder, size_t folder_size, const char *name)
{
    char *path = join(folder, folder_size, name);
    return path && append(&list->paths, &list->count, path);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_folder(const char *path, struct weights_list *list, struct sam_error *error)
{
    DIR *folder = opendir(path);
    bool good = true;
    if (!folder)
        return cli_fail(error, SAM_ERR_IO, path, "%s", strerror(errno));
    for (struct dirent *e; good && (e = readdir(folder));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            strncmp(e->d_name, CLI_PART_RECORD, sizeof CLI_PART_RECORD - 1) == 0)
            continue;
        char *file = join(path, strlen(path), e->d_name);
        if (file && weights_is_regular(file))
            good = append(&list->paths, &list->count, file);
        else
            good = file && append(&list->others, &list->other_count, file);
    }
    closedir(folder);
    return good || cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
}

/* {"weight_map": {"tensor": "shard", ...}}: the shards, as keys. NULL with `error` filled. */
static json_t *shards_of(const char *path, struct sam_error *error)
{
    json_error_t why;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why), *value;
    json_t *map = json_object_get(root, "weight_map"), *shards = json_object();
    const char *key, *wrong = !root ? why.text : json_is_object(map) ? NULL : "no weight_map";
    enum sam_status status = SAM_ERR_INPUT;
    json_object_foreach(map, key, value)
    {
        const char *shard = json_string_value(value);
        if (!shard || strchr(shard, '/') || shard[0] == '.' || !shard[0]) {
            wrong = "weight_map names a shard outside the folder";
        } else if (json_object_set_new(shards, shard, json_true()) != 0) {
            wrong = "out of memory";
            status = SAM_ERR_MEMORY;
        }
        if (wrong)
            break;
    }
    json_decref(root);
    if (!wrong && shards)
        return shards;
    json_decref(shards);
    cli_fail(error, wrong ? status : SAM_ERR_MEMORY, path, "%s", wrong ? wrong : "out of memory");
    return NULL;
}

static bool list_index(const char *path, struct weights_list *list, struct sam_error *error)
{
    const char *name = cli_base_name(path);
    const size_t folder = (size_t)(name - path);
    json_t *shards = shards_of(path, error), *value;
    const char *shard;
    if (!shards)
        return false;
    bool good = add(list, path, folder, name);
    json_object_foreach(shards, shard, value) good = good && add(list, path, folder, shard);
    json_decref(shards);
    return good || cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
}

/* Whether all shards of this index exist; with `packed`, packed ones count. */
static bool shards_are_there(const char *index, bool packed, struct sam_error *error)
{
    json_t *shards = shards_of(index, error), *value;
    const char *shard, *name = cli_base_name(index);
    bool good = shards != NULL;
    json_object_foreach(shards, shard, value)
    {
        char *path = join(index, (size_t)(name - index), shard);
        char *place = path && packed ? weights_place(NULL, path, PACKED_SUFFIX, "") : NULL;
        if (!path || (packed && !place))
            good = cli_fail(error, SAM_ERR_MEMORY, index, "out of memory");
        else if (!weights_is_regular(path) && !(place && weights_is_regular(place))) {
            good = cli_fail(error, SAM_ERR_INPUT, path, "missing: %.200s names this shard", name);
        }
        free(path);
        free(place);
        if (!good)
            break;
    }
    json_decref(shards);
    return good;
}

bool weights_list(const char *path, struct weights_list *list, struct sam_error *error)
{
    *list = (struct weights_list){0};
    bool good =
        weights_is_folder(path) ? list_folder(path, list, error) : list_index(path, list, error);
    if (good && list->count)
        qsort(list->paths, list->count, sizeof *list->paths, by_text);
    if (!good)
        weights_list_free(list);
    return good;
}

bool weights_whole(const char *path, struct sam_error *error)
{
    struct weights_list list;
    if (!weights_is_folder(path))
        return !is_index(path) || shards_are_there(path, false, error);
    bool good = cli_claims_are_over(path, error) && weights_list(path, &list, error);
    if (!good)
        return false;
    for (size_t i = 0; good && i < list.count; i++)
        if (weights_ends_with(list.paths[i], ".safetensors.index.json"))
            good = shards_are_there(list.paths[i], true, error);
    weights_list_free(&list);
    return good;
}

bool weights_list_one(const char *path, struct weights_list *list, struct sam_error *error)
{
    *list = (struct weights_list){0};
    return add(list, "", 0, path) || cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
}

static void free_paths(char **paths, size_t count)
{
    for (size_t i = 0; paths && i < count; i++)
        free(paths[i]);
    free(paths);
}

void weights_list_free(struct weights_list *list)
{
    free_paths(list->paths, list->count);
    free_paths(list->others, list->other_count);
    *list = (struct weights_list){0};
}

bool weights_packed_list(const char *path, struct weights_list *list, struct sam_error *error)
{
    const size_t before = list->count;
    const bool many = weights_is_folder(path);
    struct weights_list found;
    bool good = many ? weights_list(path, &found, error) : weights_list_one(path, &found, error);
    if (!good)
        return false;
    for (size_t i = 0; good && i < found.count; i++) {
        if (many && !weights_ends_with(found.paths[i], PACKED_SUFFIX))
            continue;
        good = append(&list->paths, &list->count, found.paths[i]);
        found.paths[i] = NULL;
    }
    weights_list_free(&found);
    if (!good)
        return cli_fail_memory(error);
    return list->count > before ||
           cli_fail(error, SAM_ERR_INPUT, path, "no packed file (*%s) in it", PACKED_SUFFIX);
}

char *weights_place(const char *folder, const char *path, const char *more, const char *cut)
{
    const char *name = folder ? cli_base_name(path) : path;
    const size_t length = strlen(name) - (weights_ends_with(name, cut) ? strlen(cut) : 0);
    return cli_text("%s%s%.*s%s", folder ? folder : "", folder ? "/" : "", (int)length, name, more);
}

char *weights_without_slash(const char *path)
{
    char *copy = strdup(path);
    for (size_t size = copy ? strlen(copy) : 0; size > 1 && copy[size - 1] == '/';)
        copy[--size] = '\0';
    return copy;
}

static bool copy_file(const char *from, const char *to, struct sam_error *error)
{
    enum { PIECE = 1 << 20 };
    int file = open(from, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return cli_fail(error, SAM_ERR_IO, from, "%s", strerror(errno));
    uint8_t *piece = malloc(PIECE);
    struct sam_output *output = piece ? weights_create(to, from, error) : NULL;
    if (!piece)
        cli_fail(error, SAM_ERR_MEMORY, from, "out of memory");
    long got = 0;
    while (output && (got = weights_read_from(file, from, piece, PIECE, error)) > 0)
        if (!sam_output_write(output, piece, (size_t)got))
            break;
    free(piece);
    close(file);
    if (output && got >= 0)
        return sam_output_commit(output, error) == SAM_OK;
    sam_output_abort(output);
    return false;
}

/* The destination of each file in the list; NULL with `error` filled. */
static char **plan(const struct weights_list *list, const char *output,
                   const struct weights_work *work, struct sam_error *error)
{
    char **places = calloc(list->count + 1, sizeof *places), *twice = NULL;
    json_t *seen = json_object();
    bool good = places && seen;
    for (size_t i = 0; good && !twice && i < list->count; i++) {
        bool wanted = work->wanted(list->paths[i]);
        places[i] = weights_place(output, list->paths[i], wanted ? work->more : "",
                                  wanted ? work->cut : "");
        good = places[i] != NULL;
        if (good && json_object_get(seen, places[i]))
            twice = places[i];
        else /* names that are not UTF-8 cannot be looked up and go unchecked */
            json_object_set_new(seen, good ? places[i] : "", json_true());
    }
    json_decref(seen);
    if (twice)
        cli_fail(error, SAM_ERR_INPUT, twice, "two input files have this output");
    else if (!good)
        cli_fail(error, SAM_ERR_MEMORY, output, "out of memory");
    if (good && !twice)
        return places;
    free_paths(places, list->count);
    return NULL;
}

/* Sets *made if the folder did not exist. */
static bool make_folder(const char *path, const char *input, bool *made, struct sam_error *error)
{
    struct stat from, to;
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return true;
    if (errno != EEXIST || stat(path, &to) != 0)
        return cli_fail(error, SAM_ERR_IO, path, "%s", strerror(errno));
    if (!S_ISDIR(to.st_mode))
        return cli_fail(error, SAM_ERR_IO, path, "%s", strerror(ENOTDIR));
    if (stat(input, &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
        return cli_fail(error, SAM_ERR_USAGE, path, "the output is the input");
    return true;
}

/* Whether `name` is the output `place` or a leftover of a killed run (place.123-4.tmp). */
static bool is_of(const char *name, const char *place)
{
    size_t length = strlen(place);
    if (strncmp(name, place, length) != 0)
        return false;
    name += length;
    return !*name ||
           (*name == '.' && strcmp(name + 1 + strspn(name + 1, "0123456789-"), ".tmp") == 0);
}

/* Whether the folder `output` has no files other than `places`. */
static bool is_free_of_others(const char *output, char **places, size_t count,
                              struct sam_error *error)
{
    struct weights_list there;
    if (!weights_is_folder(output))
        return true;
    if (!weights_list(output, &there, error))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < there.count; i++) {
        const char *name = cli_base_name(there.paths[i]);
        bool ours = false;
        for (size_t k = 0; !ours && k < count; k++)
            ours = is_of(name, cli_base_name(places[k]));
        if (!ours)
            good = cli_fail(error, SAM_ERR_INPUT, there.paths[i],
                            "unexpected file in the output folder: not part of this input");
    }
    weights_list_free(&there);
    return good;
}

/* One run over the files of a list: all of them, or those of a part. */
struct each {
    const struct weights_list *list;
    const struct weights_work *work;
    const char *output;
    char **places;
    bool *mine, *there; /* is it processed here; was there an output before */
    bool made;          /* the folder */
    size_t done;        /* files that were examined */
    struct cli_claim claim;
};

/* A plan that all parts of a run share: files, sizes, options. */
static uint64_t plan_of(const struct each *e)
{
    uint64_t plan = e->work->plan;
    struct stat status;
    for (size_t i = 0; i < e->list->count; i++) {
        const char *name = cli_base_name(e->places[i]);
        const uint64_t size = stat(e->list->paths[i], &status) == 0 ? (uint64_t)status.st_size : 0;
        plan = cli_plan_add(plan, name, strlen(name) + 1);
        plan = cli_plan_add(plan, &size, sizeof size);
    }
    return plan;
}

/* Choose the files, and check that their outputs can be written. */
static bool prepare(struct each *e, const char *input, struct sam_error *error)
{
    const struct weights_work *work = e->work;
    const struct cli_part *part = work->part;
    const size_t count = e->list->count;
    if (!make_folder(e->output, input, &e->made, error) ||
        (!e->made && work->alone && !is_free_of_others(e->output, e->places, count, error)))
        return false;
    e->mine = cli_part_files(part, e->list->paths, count);
    e->there = calloc(count + 1, sizeof *e->there);
    if (!e->mine || !e->there)
        return cli_fail(error, SAM_ERR_MEMORY, e->output, "out of memory");
    if (part->count ? !cli_claim_open(&e->claim, e->output, part, plan_of(e), work->force, error)
                    : !e->made && !cli_claims_are_over(e->output, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        e->there[i] = access(e->places[i], F_OK) == 0;
        if (e->mine[i] && e->there[i] &&
            !weights_may_replace(e->places[i], e->list->paths[i], work->force, error))
            return false;
    }
    for (size_t i = 0; i < e->list->other_count; i++) /* never skip silently */
        if (part->index <= 1)
            cli_note("%s: skipped: not a regular file", e->list->others[i]);
    return true;
}

static bool process(struct each *e, struct sam_error *error)
{
    const struct weights_work *work = e->work;
    bool good = true;
    for (; good && e->done < e->list->count; e->done += good) {
        const char *from = e->list->paths[e->done], *to = e->places[e->done];
        if (!e->mine[e->done])
            continue;
        bool wanted = work->wanted(from);
        good = wanted ? work->work(work->context, from, to, error) : copy_file(from, to, error);
        if (good && !wanted && work->copied)
            work->copied(work->context, from, to);
    }
    return good;
}

/* After a failure: remove a folder made by this run and the files written so far. For a part,
 * only files that were not there before; the folder is shared. */
static void clean_up(const struct each *e)
{
    const bool whole = e->work->part->count == 0;
    for (size_t i = 0; e->there && i < e->list->count && i <= e->done; i++)
        if (e->mine[i] && !e->there[i] && (e->made || !whole))
            unlink(e->places[i]);
    if (e->made && whole)
        rmdir(e->output);
}

bool weights_each(const char *input, const char *output, const struct weights_work *work,
                  struct sam_error *error)
{
    struct weights_list list;
    if (!weights_whole(input, error) || !weights_list(input, &list, error))
        return false;
    bool any = false;
    for (size_t i = 0; i < list.count; i++)
        any |= work->wanted(list.paths[i]);
    struct each e = {.list = &list, .work = work, .output = output, .claim = {.file = -1}};
    e.places = any ? plan(&list, output, work, error) : NULL;
    if (!any)
        cli_fail(error, SAM_ERR_INPUT, input, "%s", work->none);
    bool ready = e.places && prepare(&e, input, error);
    bool good = ready && process(&e, error);
    if (!good && ready)
        clean_up(&e);
    else if (!good && e.made)
        rmdir(output); /* unless another part has written to it */
    if (!cli_claim_close(&e.claim, good, error))
        good = false;
    free(e.mine);
    free(e.there);
    free_paths(e.places, list.count);
    weights_list_free(&list);
    return good;
}

/* ------------------------------------------------------------ files of parts: NAME.part-I-of-N */

size_t weights_part_stem(const char *name)
{
    unsigned index, count;
    int end = 0;
    size_t length = strlen(name), at = length;
    while (at > 0 && strncmp(name + at, ".part-", 6) != 0)
        at--;
    if (at == 0 || sscanf(name + at, ".part-%5u-of-%5u%n", &index, &count, &end) != 2 ||
        at + (size_t)end != length)
        return 0;
    return at;
}

bool weights_find_parts(const char *name, struct weights_list *list, struct sam_error *error)
{
    struct weights_list beside;
    const char *slash = strrchr(name, '/');
    char *folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup("./");
    if (!folder)
        return cli_fail(error, SAM_ERR_MEMORY, name, "out of memory");
    const bool listed = weights_list(folder, &beside, error);
    free(folder);
    if (!listed)
        return false;
    const size_t skipped = slash ? 0 : 2; /* "./" */
    size_t kept = 0;
    for (size_t i = 0; i < beside.count; i++) {
        char *path = beside.paths[i] + skipped;
        if (weights_part_stem(path) == strlen(name) && strncmp(path, name, strlen(name)) == 0) {
            memmove(beside.paths[i], path, strlen(path) + 1);
            beside.paths[kept++] = beside.paths[i];
        } else {
            free(beside.paths[i]);
        }
    }
    beside.count = kept;
    *list = beside;
    if (kept)
        return true;
    weights_list_free(list);
    return cli_fail(error, SAM_ERR_INPUT, name, "no parts of it (NAME.part-I-of-N)");
}

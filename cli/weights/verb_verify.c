/* SPDX-License-Identifier: Apache-2.0 */
/* samite verify: check that packed files are intact. */
#include <stdlib.h>

#include "weights.h"

struct request {
    struct sam_codec_options options;
    struct cli_list paths;
    struct cli_part part;
    bool json, quiet;
    json_t *files; /* output of --json, or NULL */
};

/* Report an error, also in JSON; returns the exit code. */
static int tell_bad(struct request *r, const char *path, const struct sam_error *error)
{
    if (r->json) {
        r->files = report_add(
            r->files, REPORT(TEXT("file", path), FLAG("good", false), TEXT("error", error->text)));
    }
    return cli_report(error);
}

static int verify_one(struct request *r, const char *path)
{
    struct sam_error error = {0};
    struct weights_fed fed;
    if (!weights_feed(path, r->quiet ? NULL : "verify", &r->options, (struct sam_sink){0}, &fed,
                      &error))
        return tell_bad(r, path, &error);
    if (r->quiet && !r->json)
        return CLI_OK;
    json_t *row = REPORT(TEXT("file", path), FLAG("good", true), COUNT("bytes", fed.bytes),
                         COUNT("packed", fed.packed));
    return report_row(r->files, "{file}: good\n", row, &error) ? CLI_OK : cli_report(&error);
}

/* Check all files, even after a damaged one; then, in the first part, that none is missing. */
static int verify(struct request *r)
{
    struct weights_list list = {0};
    struct sam_error error = {0};
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < r->paths.count; i++)
        if (!weights_packed_list(r->paths.items[i], &list, &error))
            code = cli_report(&error);
    bool *mine = code == CLI_OK ? cli_part_files(&r->part, list.paths, list.count) : NULL;
    if (!mine) {
        weights_list_free(&list);
        return code ?: cli_no_memory();
    }
    for (size_t i = 0; i < list.count; i++) {
        int one = mine[i] ? verify_one(r, list.paths[i]) : CLI_OK;
        code = one > code ? one : code;
    }
    free(mine);
    weights_list_free(&list);
    for (size_t i = 0; r->part.index <= 1 && i < r->paths.count; i++) {
        const char *path = r->paths.items[i];
        if (!weights_is_folder(path) || weights_whole(path, &error))
            continue;
        int missing = tell_bad(r, path, &error);
        code = missing > code ? missing : code;
    }
    return code;
}

static int run(struct cli_args *args)
{
    struct request r = {0};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    r.files = r.json ? json_array() : NULL;
    code = verify(&r);
    if (r.json) /* damaged files are listed as well */
        return cli_json_print(r.files) == CLI_OK ? code : CLI_BAD_INPUT;
    return code;
}

static const struct cli_option options[] = {
    CLI_JOBS(struct request, options.threads, "threads (1)"),
    CLI_PART(struct request, part),
    CLI_JSON(struct request, json, "print the result for each file as JSON"),
    CLI_QUIET(struct request, quiet, "print errors only"),
    {0},
};

const struct cli_verb verb_verify = {
    .name = "verify",
    .summary = "check packed weights",
    .usage = "[options] FILE" PACKED_SUFFIX "|FOLDER|-...",
    .options = options,
    .operand =
        CLI_OPERAND(struct request, paths, "packed file or folder", CLI_LIST, 1, 0, PACKED_SUFFIX),
    .details =
        "Unpacks in memory and compares every checksum. For a damaged file the affected tensor\n"
        "is reported, the remaining files are still verified, and the exit status is 2; the\n"
        "same goes for a shard that an index in the folder names but that is missing, and for a\n"
        "folder of which a part is not done (pack --part).\n",
    .examples = "  samite verify -j 2 model.safetensors.smw\n",
    .run = run,
};

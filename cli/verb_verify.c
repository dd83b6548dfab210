/* SPDX-License-Identifier: Apache-2.0 */
/* samite verify: check that packed files are intact. */
#include <stdlib.h>

#include "weights_packed.h"

struct request {
    struct sam_codec_options options;
    struct cli_list paths;
    bool json, quiet;
    json_t *files; /* what --json prints, or NULL */
};

/* Report an error, also in JSON; returns the exit code. */
static int tell_bad(struct request *r, const char *path, const struct sam_error *error)
{
    if (r->json) {
        json_t *row = report_flag(report_text(json_object(), "file", path), "good", false);
        r->files = report_add(r->files, report_text(row, "error", error->text));
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
    json_t *row = report_flag(report_text(json_object(), "file", path), "good", true);
    row = report_count(report_count(row, "bytes", fed.bytes), "packed", fed.packed);
    return report_row(r->files, "{file}: good\n", row, &error) ? CLI_OK : cli_report(&error);
}

/* Check all files, even after a damaged one; then check that none is missing. */
static int verify(struct request *r, const char *path)
{
    struct weights_list list;
    struct sam_error error = {0};
    if (!weights_packed_list(path, &list, &error))
        return cli_report(&error);
    int code = CLI_OK;
    for (size_t i = 0; i < list.count; i++) {
        int one = verify_one(r, list.paths[i]);
        code = one > code ? one : code;
    }
    weights_list_free(&list);
    if (!weights_is_folder(path) || weights_whole(path, &error))
        return code;
    int missing = tell_bad(r, path, &error);
    return missing > code ? missing : code;
}

static int run(struct cli_args *args)
{
    struct request r = {0};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    r.files = r.json ? json_array() : NULL;
    for (size_t i = 0; i < r.paths.count; i++) {
        int one = verify(&r, r.paths.items[i]);
        code = one > code ? one : code;
    }
    if (r.json) /* damaged files are listed as well */
        return cli_json_print(r.files) == CLI_OK ? code : CLI_BAD_INPUT;
    return code;
}

static const struct cli_option options[] = {
    CLI_JOBS(struct request, options.threads, "threads (1)"),
    CLI_JSON(struct request, json, "print the result for each file as JSON"),
    CLI_QUIET(struct request, quiet, "print errors only"),
    {0},
};

const struct cli_verb verb_verify = {
    .name = "verify",
    .summary = "check packed weights",
    .usage = "[options] FILE" PACKED_SUFFIX "|FOLDER|-...",
    .options = options,
    .operand = {.name = "packed file or folder",
                .grammar = CLI_LIST,
                .low = 1,
                .suffixes = PACKED_SUFFIX,
                CLI_AT(struct request, paths)},
    .details =
        "Unpacks in memory and compares every checksum. For a damaged file the affected tensor\n"
        "is reported, the remaining files are still verified, and the exit status is 2; the\n"
        "same goes for a shard that an index in the folder names but that is missing.\n",
    .examples = "  samite verify -j 2 model.safetensors.smw\n",
    .run = run,
};

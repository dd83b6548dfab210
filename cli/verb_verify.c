/* SPDX-License-Identifier: Apache-2.0 */
/* samite verify: is a packed file whole? */
#include <stdlib.h>

#include "weights_packed.h"

static int verify(const char *path, const struct sam_codec_options *options)
{
    struct weights_packed_list list;
    struct sam_error error = {0};
    if (!weights_packed_list(path, &list, &error))
        return cli_report(&error);
    int code = CLI_OK;
    for (size_t i = 0; i < list.count; i++) {
        if (weights_feed(list.paths[i], options, (struct sam_sink){0}, &error))
            printf("%s: good\n", list.paths[i]);
        else
            code = cli_report(&error);
    }
    weights_packed_list_free(&list);
    return code;
}

static int run(struct cli_args *args)
{
    struct sam_codec_options options = {0};
    const char *value;
    uint64_t threads;
    int code = CLI_OK;
    size_t files = 0;
    for (int option; (option = cli_next(args, &value)) != CLI_END;) {
        switch (option) {
        case 'T':
            if (!cli_parse_u64(value, &threads) || threads < 1 || threads > 256)
                return cli_usage_error(args, "'%s' is no number of threads (1 to 256)", value);
            options.threads = (unsigned)threads;
            break;
        case CLI_POSITIONAL: {
            int one = verify(value, &options);
            code = one > code ? one : code;
            files++;
            break;
        }
        default: return CLI_BAD_INPUT;
        }
    }
    return files ? code : cli_usage_error(args, "which packed file?");
}

static const struct cli_option options[] = {
    {'T', "threads", "N", "threads (1); before the files"},
    {0},
};

const struct cli_verb verb_verify = {
    .name = "verify",
    .summary = "check packed weights",
    .usage = "[options] FILE" PACKED_SUFFIX "|FOLDER|-...",
    .options = options,
    .details = "Unpacks in memory and compares every checksum. A damaged file is told with the\n"
               "tensor that is hit; the status is then 2.\n\n"
               "Example:\n"
               "  samite verify -T 2 model.safetensors.smw\n",
    .run = run,
};

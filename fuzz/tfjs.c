/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the model.json of TensorFlow.js. */
#include "fuzz.h"

#include <string.h>

#include "samite/format.h"

enum { MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_tfjs tfjs;
    struct sam_error error = {0};
    if (sam_tfjs_parse(data ? (const void *)data : "", size, "fuzz", &tfjs, &error) != SAM_OK) {
        FUZZ_CHECK(error.text[0] && !tfjs.tensors && !tfjs.groups);
        return 0;
    }
    for (size_t i = 0; i < tfjs.count; i++) {
        const struct sam_tfjs_stored *s = &tfjs.stored[i];
        FUZZ_CHECK(s->group < tfjs.group_count);
        uint64_t group = tfjs.groups[s->group].size;
        FUZZ_CHECK(s->size <= group && s->offset <= group - s->size);
        if (group > MOST || tfjs.tensors[i].size > 4 * MOST)
            continue;
        uint8_t *bytes = calloc(1, (size_t)group + 1);
        uint8_t *out = malloc((size_t)tfjs.tensors[i].size + 1);
        FUZZ_CHECK(bytes && out);
        sam_tfjs_take(&tfjs, i, bytes, out);
        free(bytes);
        free(out);
    }
    for (size_t g = 0; g < tfjs.group_count; g++)
        for (size_t i = 0; i < tfjs.groups[g].path_count; i++)
            FUZZ_CHECK(!strchr(tfjs.groups[g].paths[i], '/'));
    sam_tfjs_free(&tfjs);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const seeds[] = {
        "{\"weightsManifest\":[{\"paths\":[\"a.bin\",\"b.bin\"],\"weights\":[{\"name\":\"k\","
        "\"shape\":[2,3],\"dtype\":\"float32\"},{\"name\":\"i\",\"shape\":[],\"dtype\":\"int32\"}]}"
        "]}",
        "{\"weightsManifest\":[{\"paths\":[\"q\"],\"weights\":[{\"name\":\"q\",\"shape\":[4],"
        "\"dtype\":\"float32\",\"quantization\":{\"dtype\":\"uint8\",\"scale\":0.5,\"min\":-1}}]}]"
        "}",
        "{\"weightsManifest\":[{\"paths\":[\"../q\"],\"weights\":[]}]}",
        "{\"weightsManifest\":[]}",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        add(context, "manifest", seeds[i], strlen(seeds[i]));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a PyTorch checkpoint; if they are not an archive, as a bare pickle. */
#include "fuzz.h"

#include <string.h>

#include "samite/model.h"
#include "tests/format/checkpoint.h"

enum { MOST = 1 << 20 };

static bool read_buffer(void *context, uint64_t offset, void *data, size_t size)
{
    const struct sam_buffer *b = context;
    FUZZ_CHECK(offset <= b->size && size <= b->size - offset);
    memcpy(data, b->data + offset, size);
    return true;
}

/* All of each tensor, then its end once more. */
static void read_tensors(struct sam_model *model)
{
    size_t count;
    struct sam_error error = {0};
    const struct sam_weight *tensors = sam_model_tensors(model, &count);
    for (size_t i = 0; i < count; i++) {
        const struct sam_weight *w = &tensors[i];
        if (w->size > MOST)
            continue;
        uint8_t *all = malloc((size_t)w->size + 1), end[3];
        const size_t last = w->size < sizeof end ? (size_t)w->size : sizeof end;
        FUZZ_CHECK(w->name[0] && all);
        FUZZ_CHECK(sam_model_read(model, i, 0, w->size, all, &error) == SAM_OK);
        FUZZ_CHECK(sam_model_read(model, i, w->size - last, last, end, &error) == SAM_OK);
        FUZZ_CHECK(memcmp(end, all + w->size - last, last) == 0);
        free(all);
    }
}

static void read_checkpoint(struct sam_buffer *file)
{
    const struct sam_source source = {read_buffer, file, file->size};
    struct sam_error error = {0};
    struct sam_weights weights;
    struct sam_model *model;
    const enum sam_status status = sam_model_open_torch(source, "fuzz", &model, &error);
    FUZZ_CHECK(status == SAM_OK ? model != NULL : error.text[0] && !model);
    if (status == SAM_OK)
        read_tensors(model);
    sam_model_close(model);
    const enum sam_status laid = sam_torch_weights(source, "fuzz", &weights, &error);
    FUZZ_CHECK(status == SAM_OK || laid != SAM_OK);
    FUZZ_CHECK(laid != SAM_OK || sam_weights_check(&weights, &error) == SAM_OK);
    sam_weights_free(&weights);
}

static void add_storages(struct zip *z)
{
    zip_add(z, "m/data/0", "0123456789abcdef01234567", 24);
    zip_add(z, "m/data/1", "abcd", 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 4 && memcmp(data, "PK\3\4", 4) == 0) {
        struct sam_buffer file = {.data = (uint8_t *)(uintptr_t)data, .size = size};
        read_checkpoint(&file);
        return 0;
    }
    struct zip z = {0};
    zip_add(&z, "m/data.pkl", data, size);
    add_storages(&z);
    struct sam_buffer file = zip_end(&z);
    FUZZ_CHECK(!file.failed);
    read_checkpoint(&file);
    sam_buffer_free(&file);
    return 0;
}

static struct sam_buffer make_pickle(void)
{
    static const uint64_t shape[] = {2, 3}, rows[] = {3, 1}, columns[] = {1, 2}, four[] = {4},
                          one[] = {1};
    struct sam_buffer p = pickle_begin();
    pickle_text(&p, "w");
    pickle_tensor(&p, &(struct pickled){"FloatStorage", "0", 6, 0, 2, shape, rows, NULL});
    pickle_text(&p, "t");
    pickle_tensor(&p, &(struct pickled){"FloatStorage", "0", 6, 0, 2, shape, columns, NULL});
    pickle_text(&p, "e");
    pickle_tensor(&p, &(struct pickled){"UntypedStorage", "1", 4, 0, 1, four, one, "float8_e5m2"});
    pickle_op(&p, "u}(");
    pickle_text(&p, "_metadata");
    pickle_op(&p, "}ub.");
    return p;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    struct sam_buffer pickle = make_pickle();
    add(context, "pickle", pickle.data, pickle.size);
    for (int zip64 = 0; zip64 < 2; zip64++) {
        struct zip z = {.zip64 = zip64};
        zip_add(&z, "m/data.pkl", pickle.data, pickle.size);
        zip_add(&z, "m/byteorder", "little", 6);
        add_storages(&z);
        struct sam_buffer file = zip_end(&z);
        FUZZ_CHECK(!file.failed);
        add(context, "archive", file.data, file.size);
        sam_buffer_free(&file);
    }
    sam_buffer_free(&pickle);
}

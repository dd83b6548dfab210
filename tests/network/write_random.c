/* SPDX-License-Identifier: Apache-2.0 */
/* network_write_random FOLDER COUNT SEED: random models FOLDER/N.onnx, with their text in N.txt. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "onnx_text.h"
#include "random.h"
#include "random_graph.h"

int main(int argc, char **argv)
{
    static struct random_graph g;
    if (argc != 4)
        return fputs("usage: network_write_random FOLDER COUNT SEED\n", stderr), 2;
    const uint64_t count = strtoull(argv[2], NULL, 0);
    uint64_t seed = strtoull(argv[3], NULL, 0);
    for (uint64_t i = 0; i < count; i++) {
        struct sam_buffer path = {0};
        struct sam_error error = {0};
        random_graph_make(&g, test_random(&seed));
        struct sam_buffer model = onnx_from_text(sam_buffer_text(&g.text));
        sam_buffer_printf(&path, "%s/%llu", argv[1], (unsigned long long)i);
        mkdir(sam_buffer_text(&path), 0777);
        sam_buffer_puts(&path, ".onnx");
        enum sam_status status =
            sam_file_save(sam_buffer_text(&path), model.data, model.size, &error);
        memcpy(path.data + path.size - 4, "txt", 4);
        if (status == SAM_OK)
            status = sam_file_save(sam_buffer_text(&path), g.text.data, g.text.size, &error);
        sam_buffer_free(&path);
        sam_buffer_free(&model);
        sam_buffer_free(&g.text);
        if (status != SAM_OK)
            return fprintf(stderr, "%s\n", error.text), 2;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the only part of a sweep. An accepted part gives a table. */
#include "fuzz.h"

#include <string.h>

#include "sweep/sweep.h"

static const struct cli_part whole = {1, 1};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sweep sweep = {0};
    struct sam_error error = {0};
    json_t *first = NULL;
    const char *text = data ? (const char *)data : "";
    if (sweep_part_take(&sweep, text, size, "fuzz", &whole, &first, &error)) {
        sweep_choose_models(&sweep);
        free(sweep_csv(&sweep));
    } else {
        FUZZ_CHECK(error.text[0]);
    }
    free(sweep.runs);
    free(sweep.words);
    json_decref(first);
    return 0;
}

/* A sweep of three runs, one of which failed. */
void fuzz_seeds(fuzz_add *add, void *context)
{
    static char word[] = "a.s";
    char *words[] = {word};
    struct sweep_run runs[3] = {{.done = true}, {.done = true}, {.error = {.text = "trap"}}};
    struct sweep sweep = {.program = word,
                          .words = words,
                          .word_count = 1,
                          .date = 86400,
                          .part = whole,
                          .form = RUN_TENSOR,
                          .axes = {{.name = "queue", .values = {"1", "2", "3"}, .count = 3}},
                          .axis_count = 1,
                          .runs = runs,
                          .run_count = 3};
    runs[0].engines.cycles = 17;
    runs[1].engines.cycles = 23;
    char *text = sweep_part_text(&sweep);
    FUZZ_CHECK(text);
    add(context, "part", text, strlen(text));
    free(text);
}

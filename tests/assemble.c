/* SPDX-License-Identifier: Apache-2.0 */
#include "assemble.h"

#include "test.h"

struct sam_image *test_assemble(const char *isa, uint64_t base, const char *prologue,
                                const char *text)
{
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = base,
                                      .prologue = prologue,
                                      .prologue_name = "<start code>"};
    struct sam_image *image = NULL;
    struct sam_error error;
    char *messages = NULL;
    succeeds(sam_isa_parse, isa, &options.isa);
    if (sam_assemble(&options, "test.s", text, strlen(text), &image, &messages, &error) != SAM_OK)
        fail_msg("%s\n%s", messages, text);
    sam_text_free(messages);
    return image;
}

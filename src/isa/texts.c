/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of disassembled text: logs repeat the instructions of loops. */
#include "isa/isa.h"

#include <stdlib.h>

enum { TEXTS = 1024 };

struct sam_texts {
    struct kept {
        uint64_t pc;
        uint32_t word;
        char text[160]; /* empty: unused */
    } kept[TEXTS];
};

struct sam_texts *sam_texts_new(void)
{
    return sam_alloc(1, sizeof(struct sam_texts));
}

void sam_texts_free(struct sam_texts *texts)
{
    free(texts);
}

const char *sam_texts_of(struct sam_texts *texts, const struct sam_isa *isa, uint32_t word,
                         uint64_t pc, const struct sam_image *image)
{
    struct kept *k = &texts->kept[pc / 4 % TEXTS];
    if (!k->text[0] || k->pc != pc || k->word != word) {
        k->pc = pc;
        k->word = word;
        sam_disassemble(isa, word, pc, 0, image, k->text, sizeof k->text);
    }
    return k->text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ISA strings: every accepted string has an equivalent canonical form. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "samite/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256];
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct sam_isa isa;
    struct sam_error error;
    if (sam_isa_parse(text, &isa, &error) != SAM_OK) {
        FUZZ_CHECK(strchr(error.text, '\n') == NULL || strchr(text, '\n') != NULL);
        return 0;
    }
    char canonical[256];
    sam_isa_format(&isa, canonical, sizeof canonical);
    struct sam_isa again;
    FUZZ_CHECK(sam_isa_parse(canonical, &again, NULL) == SAM_OK);
    FUZZ_CHECK(again.xlen == isa.xlen && again.extensions == isa.extensions);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const seeds[] = {
        "ventus",
        "tensor",
        "rv32ima_zicsr_zfinx_zve32f_xventus",
        "rv64im_zicsr_zfinx_xtensorload_xmatrix",
        "RV32I",
        "rv64i_xventus_xmatrix",
        "rv128q",
        "",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        add(context, name, seeds[i], strlen(seeds[i]));
    }
}

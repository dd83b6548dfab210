/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program; install.sh builds it against an installed tree. */
#include <samite/samite.h>
#include <stdio.h>

int main(void)
{
    struct sam_isa isa;
    struct sam_error error;
    if (sam_isa_parse("ventus", &isa, &error) != SAM_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    char text[64];
    sam_isa_format(&isa, text, sizeof text);
    printf("%s %s\n", sam_version(), text);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean": the name nearest to a mistyped word. */
#include <string.h>

#include "cli.h"

void cli_near_offer(struct cli_near *near, const char *candidate)
{
    const size_t size = strlen(near->wanted);
    unsigned edits = sam_edits(near->wanted, size, candidate);
    if (size >= 3 && strncmp(candidate, near->wanted, size) == 0)
        edits = 1; /* a prefix */
    if (edits * 2 > size || (near->name[0] && edits >= near->edits))
        return;
    near->edits = edits;
    snprintf(near->name, sizeof near->name, "%s", candidate);
}

const char *cli_near_text(struct cli_near *near)
{
    near->text[0] = '\0';
    if (near->name[0])
        snprintf(near->text, sizeof near->text, "; did you mean '%s'?", near->name);
    return near->text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Leaks memory: the sanitized build must detect it, otherwise its silence elsewhere means
 * nothing. */
#include <stdlib.h>

int main(void)
{
    void *volatile lost = malloc(100);
    /* cppcheck-suppress memleak */
    lost = NULL;
    return lost != NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Overflows a signed integer: the sanitized build must stop it. */
#include <limits.h>

int main(void)
{
    volatile int most = INT_MAX;
    volatile int sum = most + 1;
    return sum == 0;
}

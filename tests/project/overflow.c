/* SPDX-License-Identifier: Apache-2.0 */
/* Overflows a signed integer: the sanitised build must end it. */
#include <limits.h>

int main(void)
{
    volatile int most = INT_MAX;
    volatile int sum = most + 1;
    return sum == 0;
}

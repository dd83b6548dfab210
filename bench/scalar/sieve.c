/* SPDX-License-Identifier: Apache-2.0 */
/* The primes below 32768, by Eratosthenes: bytes, branches, strided stores. */
enum { TOP = 32768, PRIMES = 3512, DEFAULT_ROUNDS = 600 };

static unsigned char crossed[TOP];

int run(unsigned rounds)
{
    int wrong = 0;
    for (rounds = rounds ? rounds : DEFAULT_ROUNDS; rounds; rounds--) {
        int primes = 0;
        for (int i = 0; i < TOP; i++)
            crossed[i] = 0;
        for (int i = 2; i < TOP; i++) {
            if (crossed[i])
                continue;
            primes++;
            for (int k = 2 * i; k < TOP; k += i)
                crossed[k] = 1;
        }
        wrong |= primes != PRIMES;
    }
    return wrong;
}

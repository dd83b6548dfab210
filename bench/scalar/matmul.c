/* SPDX-License-Identifier: Apache-2.0 */
/* A product of two integer matrices, 40 x 40: multiplications and loads. */
enum { N = 40, DEFAULT_ROUNDS = 500 };

static int a[N][N], b[N][N], c[N][N];

int run(unsigned rounds)
{
    int wrong = 0;
    for (rounds = rounds ? rounds : DEFAULT_ROUNDS; rounds; rounds--) {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                a[i][k] = i + k;
                b[i][k] = i - k;
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int sum = 0;
                for (int k = 0; k < N; k++)
                    sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
        /* sum over k of (i + k)(k - j) = S2 + (i - j) S1 - N i j */
        for (int i = 0; i < N; i++) {
            int j = (i * 7) % N, s1 = N * (N - 1) / 2, s2 = (N - 1) * N * (2 * N - 1) / 6;
            wrong |= c[i][j] != s2 + (i - j) * s1 - N * i * j;
        }
    }
    return wrong;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the kernels with a different control flow in every lane: bfs, diverge, spill. */
#include "check.h"

/* Edges of a random graph in compressed rows: most vertices have up to five, the first (where the
 * search begins) eight, one in 64 up to 40, and the last quarter none. */
uint32_t check_graph(struct check *check, uint32_t n, uint32_t *row, uint32_t *col)
{
    uint32_t edges = 0;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t degree = check_random(check) % 6;
        if (v % 64 == 7)
            degree = check_random(check) % 41;
        if (v > n - n / 4)
            degree = 0;
        if (v == 0)
            degree = 8;
        row[v] = edges;
        for (uint32_t e = 0; e < degree; e++)
            col[edges++] = check_random(check) % n;
    }
    row[n] = edges;
    return edges;
}

void check_search(struct check *check, const uint32_t *row, const uint32_t *col, uint32_t n,
                  uint32_t *distance)
{
    uint32_t *queue = check_words(check, n);
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < n; v++)
        distance[v] = UINT32_MAX;
    distance[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t e = row[v]; e < row[v + 1]; e++) {
            if (distance[col[e]] != UINT32_MAX)
                continue;
            distance[col[e]] = distance[v] + 1;
            queue[tail++] = col[e];
        }
    }
}

void check_bfs(struct check *check)
{
    uint32_t n = check->config.size;
    uint32_t *row = check_words(check, (size_t)n + 1);
    uint32_t *col = check_words(check, CHECK_EDGES(n));
    uint32_t edges = check_graph(check, n, row, col);
    uint32_t *want = check_words(check, n);
    check_search(check, row, col, n, want);

    uint32_t *got = check_words(check, n);
    for (uint32_t v = 0; v < n; v++)
        got[v] = v ? UINT32_MAX : 0;
    uint32_t device_row = check_buffer(check, row, (size_t)n + 1);
    uint32_t device_col = check_buffer(check, col, edges);
    uint32_t distance = check_buffer(check, got, n);
    uint32_t next = check_buffer(check, got, n);
    uint32_t changed = check_buffer(check, NULL, 1);
    uint32_t again = 1;
    for (uint32_t level = 0; again && level < n && !check->status; level++) {
        uint32_t level_args[] = {device_row, device_col, distance, next, n, level};
        check_launch_items(check, "bfs_level", n, UINT32_MAX, level_args, 6);
        uint32_t commit_args[] = {distance, next, changed, n};
        again = 0;
        check_write(check, changed, &again, 1);
        check_launch_items(check, "bfs_commit", n, UINT32_MAX, commit_args, 4);
        check_read(check, changed, &again, 1);
    }
    check_read(check, distance, got, n);
    check_equal(check, "dist", got, want, n);
}

void check_diverge(struct check *check)
{
    uint32_t n = check->config.size;
    uint32_t *x = check_random_words(check, n);
    uint32_t *got = check_words(check, n);
    uint32_t *want = check_words(check, n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = x[i] % 100000;
        uint32_t value = x[i], steps = 0, acc = 0;
        while (value > 1) {
            if (value & 1) {
                value = 3 * value + 1;
                acc = value & 4 ? acc ^ value : acc + value;
                steps++;
            } else {
                do {
                    value >>= 1;
                    steps++;
                } while (!(value & 1));
                acc = acc * 33 + steps;
            }
        }
        want[i] = acc + (steps << 20);
    }
    uint32_t args[] = {check_buffer(check, x, n), check_buffer(check, NULL, n), n};
    check_launch_items(check, "diverge", n, UINT32_MAX, args, 3);
    check_read(check, args[1], got, n);
    check_equal(check, "out", got, want, n);
}

void check_spill(struct check *check)
{
    uint32_t n = check->config.size;
    uint32_t *got = check_words(check, n);
    uint32_t *want = check_words(check, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t stack[32];
        uint32_t length = 1 + i % 32;
        uint32_t value = i;
        for (uint32_t k = 0; k < length; k++)
            stack[k] = value = value * 1664525 + 1013904223;
        for (uint32_t k = length; k-- > 0;)
            want[i] = want[i] * 31 + (stack[k] ^ stack[k] >> 24);
    }
    uint32_t args[] = {check_buffer(check, NULL, n), n};
    check->pds_size = 160;
    check_launch_items(check, "spill", n, UINT32_MAX, args, 2);
    check_read(check, args[0], got, n);
    check_equal(check, "out", got, want, n);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target without libFuzzer and reports as TAP, one test per input: the given files,
 * or else the target's seeds, each followed by damaged copies of it (--rounds). The damage
 * depends only on --seed and the input, so failures are reproducible. */
#include "fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { MAX_INPUTS = 4096, MAX_GROWTH = 256, SECONDS_AN_INPUT = 10 };

struct input {
    char *name;
    uint8_t *data;
    size_t size;
};

struct corpus {
    struct input inputs[MAX_INPUTS];
    size_t count;
};

static void *checked(void *pointer)
{
    if (!pointer) {
        fprintf(stderr, "replay: out of memory\n");
        exit(2);
    }
    return pointer;
}

static void add_input(void *context, const char *name, const void *data, size_t size)
{
    struct corpus *corpus = context;
    if (corpus->count == MAX_INPUTS) {
        fprintf(stderr, "replay: more than %d inputs\n", MAX_INPUTS);
        exit(2);
    }
    struct input *input = &corpus->inputs[corpus->count++];
    input->name = checked(strdup(name));
    input->data = checked(malloc(size + 1));
    input->size = size;
    if (size > 0)
        memcpy(input->data, data, size);
}

static void add_file(struct corpus *corpus, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    size_t size = 0;
    size_t capacity = 1 << 16;
    uint8_t *data = checked(malloc(capacity));
    for (size_t got; (got = fread(data + size, 1, capacity - size, file)) > 0;) {
        size += got;
        if (size == capacity)
            data = checked(realloc(data, capacity *= 2));
    }
    fclose(file);
    add_input(corpus, path, data, size);
    free(data);
}

static void write_seed(void *context, const char *name, const void *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/seed-%s", (const char *)context, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        exit(2);
    }
}

/* splitmix64: the whole state is one number. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_random(state) % limit) : 0;
}

/* A dictionary in the format of libFuzzer: one quoted word per line, with \\\\, \\" and \\xAB. */
static void read_words(const char *path, struct corpus *words)
{
    FILE *file = fopen(path, "r");
    char line[512], word[512];
    if (!file) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    while (fgets(line, sizeof line, file)) {
        const char *at = strchr(line, '"');
        size_t size = 0;
        if (line[0] == '#' || !at)
            continue;
        for (at++; *at && *at != '"'; at++) {
            unsigned byte = (unsigned char)*at;
            if (*at == '\\' && *++at == 'x' && sscanf(at + 1, "%2x", &byte) == 1)
                at += 2;
            else
                byte = (unsigned char)*at;
            word[size++] = (char)byte;
        }
        if (*at != '"' || size == 0 || size > MAX_GROWTH) {
            fprintf(stderr, "replay: %s: expected a quoted word: %s", path, line);
            exit(2);
        }
        add_input(words, "", word, size);
    }
    fclose(file);
}

/* Apply one damage to the `size` bytes at `data`, which has room for MAX_GROWTH more. */
static size_t damage(uint8_t *data, size_t size, const struct corpus *words, uint64_t *random)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '0', '9', ' ', '\n', ',', '-'};
    size_t at = below(random, size);
    switch (below(random, words->count ? 7 : 6)) {
    case 0: /* a bit */
        if (size > 0)
            data[at] ^= (uint8_t)(1u << below(random, 8));
        return size;
    case 1: /* an edge value over one to eight bytes */
        for (size_t i = 0, n = 1 + below(random, 8); i < n && at + i < size; i++)
            data[at + i] = edges[below(random, sizeof edges)];
        return size;
    case 2: /* cut off */ return at;
    case 3: { /* a piece twice */
        size_t length = below(random, size - at < MAX_GROWTH ? size - at : MAX_GROWTH);
        memmove(data + at + length, data + at, size - at);
        return size + length;
    }
    case 4: { /* remove a range */
        size_t length = below(random, size - at);
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    }
    case 5: /* insert a random byte */
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)next_random(random);
        return size + 1;
    default: { /* insert a word of the dictionary */
        const struct input *word = &words->inputs[below(random, words->count)];
        memmove(data + at + word->size, data + at, size - at);
        memcpy(data + at, word->data, word->size);
        return size + word->size;
    }
    }
}

/* A signal ends the program if it hangs. Seconds of processor time: a busy machine is not a
 * hang. */
static void limit(time_t seconds)
{
    const struct itimerval timer = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* The target gets an allocation of the exact size, so that reading one byte too far is detected. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = checked(malloc(size ? size : 1));
    if (size > 0)
        memcpy(copy, data, size);
    limit(SECONDS_AN_INPUT);
    LLVMFuzzerTestOneInput(copy, size);
    limit(0);
    free(copy);
}

static void replay(const struct input *input, const struct corpus *words, unsigned long rounds,
                   uint64_t seed)
{
    feed(input->data, input->size);
    uint8_t *copy = checked(malloc(input->size + (size_t)4 * MAX_GROWTH));
    uint64_t random = seed;
    for (unsigned long round = 0; round < rounds; round++) {
        size_t size = input->size;
        if (size > 0)
            memcpy(copy, input->data, size);
        for (size_t i = 0, n = 1 + below(&random, 4); i < n; i++)
            size = damage(copy, size, words, &random);
        feed(copy, size);
    }
    free(copy);
}

static int usage(void)
{
    fprintf(stderr, "usage: replay [--rounds N] [--seed N] [--dict FILE] [FILE...]\n"
                    "       replay --write-seeds FOLDER\n");
    return 2;
}

int main(int argc, char **argv)
{
    static struct corpus corpus, words;
    unsigned long rounds = 0;
    uint64_t seed = 1;
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--write-seeds") == 0) {
            fuzz_seeds(write_seed, argv[at + 1]);
            return 0;
        }
        if (strcmp(argv[at], "--rounds") == 0)
            rounds = strtoul(argv[at + 1], NULL, 0);
        else if (strcmp(argv[at], "--seed") == 0)
            seed = strtoull(argv[at + 1], NULL, 0);
        else if (strcmp(argv[at], "--dict") == 0)
            read_words(argv[at + 1], &words);
        else
            return usage();
    }
    if (at < argc && argv[at][0] == '-')
        return usage();
    if (at == argc)
        fuzz_seeds(add_input, &corpus);
    for (; at < argc; at++)
        add_file(&corpus, argv[at]);
    printf("1..%zu\n# --rounds %lu --seed %" PRIu64 "\n", corpus.count, rounds, seed);
    for (size_t i = 0; i < corpus.count; i++) {
        replay(&corpus.inputs[i], &words, rounds, seed + i);
        printf("ok %zu - %s\n", i + 1, corpus.inputs[i].name);
        fflush(stdout);
        free(corpus.inputs[i].name);
        free(corpus.inputs[i].data);
    }
    for (size_t i = 0; i < words.count; i++) {
        free(words.inputs[i].name);
        free(words.inputs[i].data);
    }
    return corpus.count > 0 ? 0 : 1;
}

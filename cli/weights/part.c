/* SPDX-License-Identifier: Apache-2.0 */
#include "part.h"

#include <stdlib.h>
#include <sys/stat.h>

/* --- the part: from the command line, or from the launcher */

/* Variables that launchers set in each process: rank from 0, and size. mpirun within a Slurm job
 * passes on Slurm's variables of its daemons, so those come last. */
static const struct launcher {
    const char *name, *rank, *size, *other_size;
} launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
    {"PALS", "PALS_RANKID", "PALS_SIZE", "PMI_SIZE"},
    {"PMI", "PMI_RANK", "PMI_SIZE", NULL},
};

/* The value of a variable; false: unset, or not a number. */
static bool variable(const char *name, uint64_t *value)
{
    const char *text = name ? getenv(name) : NULL;
    return text && sam_parse_u64(text, value);
}

static int refuse(struct cli_args *args, const char *launcher, const char *what)
{
    return cli_usage_error(args, "--part auto: %s: %s", launcher, what);
}

/* Rank and size as found, from 0. */
static int accept(struct cli_args *args, struct cli_part *part, const char *launcher, uint64_t rank,
                  uint64_t size)
{
    if (size == 0 || size > CLI_MOST_PARTS || rank >= size)
        return cli_usage_error(args,
                               "--part auto: %s gives rank %llu of %llu: expected one of up "
                               "to %d",
                               launcher, (unsigned long long)rank, (unsigned long long)size,
                               CLI_MOST_PARTS);
    *part = (struct cli_part){(unsigned)rank + 1, (unsigned)size};
    return CLI_OK;
}

/* A job step has tasks; an array has jobs, whose numbers may have gaps of one size; in an array
 * of jobs with tasks, each task is a part. The batch script itself runs outside all tasks. */
static int parse_slurm(struct cli_args *args, struct cli_part *part)
{
    uint64_t rank = 0, size = 1, id, least, most, count;
    const bool step = variable("SLURM_PROCID", &rank) &&
                      (variable("SLURM_STEP_NUM_TASKS", &size) ||
                       (getenv("SLURM_STEP_ID") && variable("SLURM_NTASKS", &size)));
    const bool array = variable("SLURM_ARRAY_TASK_ID", &id);
    if (!step) {
        rank = 0;
        size = 1;
    }
    if (array) {
        if (!variable("SLURM_ARRAY_TASK_MIN", &least) || !variable("SLURM_ARRAY_TASK_MAX", &most) ||
            !variable("SLURM_ARRAY_TASK_COUNT", &count) || count == 0 || id < least || id > most)
            return refuse(args, "a Slurm array", "no SLURM_ARRAY_TASK_MIN, _MAX or _COUNT");
        const uint64_t gap = count > 1 ? (most - least) / (count - 1) : 1;
        if (gap == 0 || least + gap * (count - 1) != most || (id - least) % gap)
            return refuse(args, "a Slurm array", "its numbers are not evenly spaced: use --part");
        if (count > CLI_MOST_PARTS || size > CLI_MOST_PARTS)
            return refuse(args, "a Slurm array", "too many tasks");
        rank += (id - least) / gap * size;
        size *= count;
    }
    if (!step && !array)
        return cli_usage_error(args, "--part auto: no launcher found (Open MPI, PMI, PALS, srun, a "
                                     "Slurm array): use --part I/N");
    return accept(args, part, "Slurm", rank, size);
}

static int parse_auto(struct cli_args *args, struct cli_part *part)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const struct launcher *l = &launchers[i];
        uint64_t rank, size;
        if (!getenv(l->rank))
            continue;
        if (!variable(l->rank, &rank) ||
            (!variable(l->size, &size) && !variable(l->other_size, &size)))
            return refuse(args, l->name, "a rank without a size, or not a number");
        return accept(args, part, l->name, rank, size);
    }
    return parse_slurm(args, part);
}

int cli_parse_part(struct cli_args *args, const struct cli_option *option, const char *text,
                   void *share)
{
    struct cli_part *part = share;
    uint64_t index = 0, count = 0;
    if (strcmp(text, "auto") == 0)
        return parse_auto(args, part);
    const bool good = cli_pair(text, '/', &index, &count) && index > 0 && index <= count &&
                      count <= CLI_MOST_PARTS;
    *part = (struct cli_part){(unsigned)index, (unsigned)count};
    return good ? CLI_OK
                : cli_usage_error(args,
                                  "--%s %s: expected I/N with I from 1 to N, N up to %d, or "
                                  "auto",
                                  option->name, text, CLI_MOST_PARTS);
}

/* --- the split */
struct item {
    uint64_t size;
    const char *name;
    size_t index;
};

static int by_size(const void *a, const void *b)
{
    const struct item *l = a, *r = b;
    if (l->size != r->size)
        return l->size > r->size ? -1 : 1;
    return strcmp(l->name, r->name);
}

bool *cli_part_files(const struct cli_part *part, char *const *paths, size_t count)
{
    struct stat status;
    const unsigned parts = part->count ? part->count : 1;
    struct item *items = calloc(count + 1, sizeof *items);
    uint64_t *loads = calloc(parts, sizeof *loads);
    bool *mine = calloc(count + 1, sizeof *mine);
    if (!items || !loads || !mine) {
        free(mine);
        mine = NULL;
    }
    for (size_t i = 0; mine && i < count; i++)
        items[i] =
            (struct item){stat(paths[i], &status) == 0 ? (uint64_t)status.st_size : 0, paths[i], i};
    if (mine)
        qsort(items, count, sizeof *items, by_size);
    for (size_t i = 0; mine && i < count; i++) {
        unsigned least = 0;
        for (unsigned p = 1; p < parts; p++)
            least = loads[p] < loads[least] ? p : least;
        loads[least] += items[i].size;
        mine[items[i].index] = parts == 1 || least + 1 == part->index;
    }
    free(items);
    free(loads);
    return mine;
}

uint64_t cli_plan_add(uint64_t plan, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    plan ^= UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        plan = (plan ^ bytes[i]) * UINT64_C(0x100000001b3);
    return plan;
}
